"""Annotators who know the program, the systems' names and the seed must not learn who wrote what."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, Made, make, post_of, sign_in
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.campaign_server import application
from errata_server.campaign.items import CONTROLS, Card, Content


def screens_of(made: Made, name: str = "ann") -> list[dict[str, Any]]:
    """All screens that an annotator gets."""
    found = []
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens[name])
        screen = client.get("/api/screen").json()
        while screen["state"] == "work":
            found.append(screen)
            screen = client.post("/api/judge", json=post_of(screen, made.store.settings.task)).json()["next"]
    return found


def words(value: Any) -> Iterator[str]:
    """Everything on a screen that could be a hash."""
    if isinstance(value, dict):
        for part in value.values():
            yield from words(part)
    elif isinstance(value, list):
        for part in value:
            yield from words(part)
    else:
        yield str(value)


def hashes(content: Content) -> set[str]:
    """Beginnings of the hashes of an item, in the forms in which it could be hashed."""
    found = set()
    for text in (content.to_json(), json.dumps(json.loads(content.to_json()))):
        for name in ("sha256", "sha1", "md5", "sha512", "blake2b"):
            found.add(hashlib.new(name, text.encode()).hexdigest())
    return {digest[:length] for digest in found for length in (8, 12, 16, 20, 32, len(digest))}


def guesses(screen: dict[str, Any]) -> Iterator[Content]:
    """Every way in which known names can be behind the texts of a screen, with and without a control."""
    names = [*SYSTEMS, *CONTROLS]
    texts = screen["cards"]
    for order in permutations(range(len(texts))):
        groups = [group for n in (1, 2) for group in permutations(names, n)]
        for chosen in product(groups, repeat=len(texts)):
            flat = [name for group in chosen for name in group]
            if len(set(flat)) < len(flat):
                continue
            cards = tuple(Card(texts[i], group) for i, group in zip(order, chosen, strict=True))
            pairs = [(), *(((a, b),) for a, b in permutations(range(len(texts)), 2))]
            for expect in pairs:
                yield Content(screen["source"], None, cards, expect, None, screen.get("document", "doc-0"))


def attack(screen: dict[str, Any]) -> Content | None:
    """The attack: hash what could be behind the screen, and look for the hash in what the page gets."""
    visible = set(words(screen))
    return next((guess for guess in guesses(screen) if hashes(guess) & visible), None)


def test_who_knows_the_names_cannot_check_a_guess(tmp_path: Path) -> None:
    outputs = {name: lines[:3] for name, lines in SYSTEMS.items()}
    settings = {"task": "pairwise", "controls": 0.5, "annotators": ["ann"]}
    made = make(tmp_path, outputs=outputs, sources=SOURCES[:3], **settings)
    screens = screens_of(made)
    assert len(screens) == 3
    with made.store.read() as connection:
        contents = [content for _, content in made.store.contents(connection).values()]
    assert any(content.expect for content in contents)
    for screen in screens:
        assert attack(screen) is None
        # The attack itself works: with the hash of the right item on the screen it names the systems.
        right = next(c for c in contents if sorted(card.text for card in c.cards) == sorted(screen["cards"]))
        leaked = {**screen, "version": hashlib.sha256(right.to_json().encode()).hexdigest()[:16]}
        assert attack(leaked) == right


def test_right_answers_of_the_qualification_do_not_show(tmp_path: Path) -> None:
    known = {"source": "He go .", "outputs": ["He goes .", "He go ."], "ranks": [1, 2]}
    (tmp_path / "known.jsonl").write_text(json.dumps(known) + "\n", encoding="utf-8")
    made = make(tmp_path, qualification=str(tmp_path / "known.jsonl"))
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
        screen = client.get("/api/screen").json()
    assert screen["phase"] == "qualification"
    cards = tuple(Card(text, ()) for text in known["outputs"])
    for ranks in ([1, 2], [2, 1], [1, 1]):
        guess = Content("He go .", None, cards, answer={"ranks": ranks})
        assert not hashes(guess) & set(words(screen))


def test_the_order_of_cards_does_not_follow_from_what_everybody_knows(tmp_path: Path) -> None:
    made = make(tmp_path, copies=10, controls=0, repeats=0, annotators=["ann"])
    screens = screens_of(made)
    public = [
        np.random.default_rng([1, 4, 1, screen["position"]]).permutation(len(screen["cards"])).tolist()
        for screen in screens
    ]
    with made.store.read() as connection:
        shown = [json.loads(text) for text in connection.scalars(sa.select(schema.assignments.c.shown))]
    assert len(shown) == len(public) > 50
    assert shown != public
    assert 0.1 < np.mean([one == other for one, other in zip(shown, public, strict=True)]) < 0.9
    again = make(tmp_path / "again", copies=10, controls=0, repeats=0, annotators=["ann"])
    screens_of(again)
    with again.store.read() as connection:
        others = [json.loads(text) for text in connection.scalars(sa.select(schema.assignments.c.shown))]
    assert shown != others  # the same seed, another secret


def test_items_that_show_the_same_have_versions_of_their_own(tmp_path: Path) -> None:
    made = make(tmp_path, copies=3, controls=0, repeats=0)
    with made.store.read() as connection:
        versions = connection.scalars(sa.select(schema.items.c.version)).all()
    assert len(set(versions)) == len(versions)


def test_the_seed_is_secret_unless_it_is_given(tmp_path: Path) -> None:
    from errata_server.campaign.campaign_settings import settings_from

    values = {"name": "x", "task": "ranking", "corpus": "c", "systems": {"a": "a.txt", "b": "b.txt"}}
    assert len({settings_from(values).seed for _ in range(5)}) == 5
    assert settings_from({**values, "seed": 7}).seed == 7


def test_screens_carry_nothing_but_what_the_page_shows(tmp_path: Path) -> None:
    made = make(tmp_path, copies=4, controls=0.5, repeats=0.3, annotators=["ann"])
    allowed = {
        "state", "phase", "assignment", "position", "version", "revision", "source", "reference", "cards",
        "answer", "draft", "comment", "skipped", "done", "total", "exact", "last",
    }  # fmt: skip
    for screen in screens_of(made):
        assert set(screen) == allowed
        assert not set(words(screen)) & {*SYSTEMS, *CONTROLS, "control", "main"}
