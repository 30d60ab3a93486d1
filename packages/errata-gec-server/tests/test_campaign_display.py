"""Annotators read natural text; what is stored and exported is by exact tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from campaigns import Made, export_text, make, post_of, sign_in
from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.detokenised_view import DetokenisedView
from errata_server.campaign.import_judgments import import_file
from errata_server.campaign.items import Card, Content

TOKENS = 'I do n\'t know , he said " no " ( never ) .'
TEXT = 'I don\'t know, he said "no" (never).'
ODD = "In the past decades,medical care is good ."  # Penn would split `decades,medical`


def display(task: str = "correction", **settings: Any) -> DetokenisedView:
    values = {"name": "x", "task": task, "corpus": "x", "tokenizer": "penn", **settings}
    if task != "correction":
        values["systems"] = {"a": "a", "b": "b"}
    return DetokenisedView(settings_from(values))


def test_what_is_not_touched_keeps_its_tokens() -> None:
    shown = display()
    assert shown.text(TOKENS) == TEXT
    assert shown.tokens(TOKENS, TEXT) == (TOKENS, True)
    assert shown.tokens(TOKENS, TEXT.replace("know", "knew")) == (TOKENS.replace("know", "knew"), True)
    assert shown.tokens(TOKENS, TEXT.replace("don't", "didn't")) == (TOKENS.replace("do ", "did "), True)
    # A round trip that is not exact: the word that Penn would split stays whole, and this is said.
    assert shown.tokens(ODD, shown.text(ODD)) == (ODD, True)
    assert shown.tokens(ODD, shown.text(ODD).replace("good", "better")) == (
        ODD.replace("good", "better"),
        False,
    )
    # Where that word itself is edited, the tokenizer cuts it.
    assert shown.tokens(ODD, shown.text(ODD).replace("decades,m", "decades, m")) == (
        ODD.replace("decades,m", "decades , m"), True,
    )  # fmt: skip
    # Penn turns '' into ``, so that its tokens are not in the text; they are not stored for words left alone.
    quoted = "We know the ''potential bomb' ' will explode ."
    edited = shown.tokens(quoted, shown.text(quoted).replace("the", "that"))
    assert edited == (quoted.replace("the", "that"), False)
    assert shown.tokens(TOKENS, "") == ("", True)


def test_documents_are_split_line_by_line() -> None:
    shown = display(unit="document")
    before = f"{TOKENS}\n{ODD}"
    typed = shown.text(before).replace("know", "knew")
    assert shown.tokens(before, typed) == (before.replace("know", "knew"), False)
    assert shown.tokens(before, f"{TEXT}\nIt's new.") == (f"{TOKENS}\nIt 's new .", True)


@pytest.mark.parametrize(
    ("name", "language", "tokens"),
    [
        ("moses", "cs", "Řekl : „ Ne , děkuji . “"),
        ("moses", "en", "Yes , really !"),
        ("characters", "zh", "我 是 学 生 。"),
    ],
)
def test_other_tokenizers(name: str, language: str, tokens: str) -> None:
    if name == "moses":
        pytest.importorskip("sacremoses", reason="needs errata-gec[tokenize]")
    shown = display(tokenizer=name, language=language)
    text = shown.text(tokens)
    assert len(text) < len(tokens)
    assert shown.tokens(tokens, text) == (tokens, True)
    pieces = shown.pieces(tokens, True)
    assert [token for token, _ in pieces] == tokens.split()
    assert "".join(" " * blank + token for token, blank in pieces) == text


def test_texts_that_would_look_the_same_are_shown_as_tokens() -> None:
    cards = (Card("I can not go .", ("a",)), Card("I cannot go .", ("b",)))
    shown = display("ranking").content(Content("I can not goes .", None, cards).to_json())
    assert shown.cards == ("I can not go .", "I cannot go .")
    assert not shown.natural
    shown = display("ranking").content(Content("I can not goes .", None, cards[:1]).to_json())
    assert shown.cards == ("I cannot go.",)
    assert shown.natural


def test_a_tokenizer_that_cannot_join_is_refused() -> None:
    for name in ("udpipe", "syntok"):
        with pytest.raises(DataError, match="tokenizer"):
            display(tokenizer=name)


def correct(made: Made, name: str, old: str, new: str) -> list[dict[str, Any]]:
    """Work through all screens as an annotator who replaces something; the screens."""
    screens = []
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens[name])
        screen = client.get("/api/screen").json()
        while screen["state"] == "work":
            screens.append(screen)
            text = screen.get("proposal", screen["source"]).replace(old, new)
            post = post_of(screen, "correction", answer={"text": text, "exact": True, "typed": "forged"})
            screen = client.post("/api/judge", json=post).json()["next"]
        if screens:
            again = client.get("/api/screen", params={"position": 1}).json()
            assert again["answer"] == {
                "text": screens[0].get("proposal", screens[0]["source"]).replace(old, new)
            }
        sign_in(client, made.admin)
        screens.append({"admin": client.get("/admin").text, "item": client.get("/admin/items/2").text})
    return screens


def test_a_correction_campaign_over_http(tmp_path: Path) -> None:
    """Two passes, in natural text; M2, JSONL and a campaign that takes the JSONL in have the tokens."""
    settings = {"task": "correction", "tokenizer": "penn", "sources": [TOKENS, ODD], "overlap": 0.0}
    made = make(tmp_path / "a", **settings, second_pass=True)
    first = correct(made, "ann", "good", "better")
    assert [screen["source"] for screen in first[:-1]] == [TEXT, ODD.replace(" .", ".")]
    assert "tokens need a look" in first[-1]["item"]
    second = correct(made, "bob", "know", "knew")
    assert second[0]["proposal"] == TEXT
    m2 = export_text(made.place, "m2")
    (tmp_path / "out.m2").write_text(m2, encoding="utf-8")
    corpus = read_m2(tmp_path / "out.m2")
    assert [segment.source for segment in corpus] == [TOKENS, ODD]
    assert [segment.references for segment in corpus] == [
        (TOKENS.replace("know", "knew"),), (ODD.replace("good", "better"),),
    ]  # fmt: skip
    rows = [json.loads(line) for line in export_text(made.place, "jsonl").splitlines()]
    assert [row["answer"]["exact"] for row in rows] == [True, False, True, True]
    assert rows[2]["answer"]["typed"] == TEXT.replace("know", "knew")
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    other = make(tmp_path / "b", **settings)
    assert import_file(other.store, tmp_path / "rows.jsonl") == (4, 0)
    assert export_text(other.place, "m2") == m2.replace("|||0\n", "|||2\n")  # after `ann` and `bob`
    again = [json.loads(line)["answer"] for line in export_text(other.place, "jsonl").splitlines()]
    assert again == [row["answer"] for row in rows]


def test_rankings_show_joined_texts_and_store_the_tokens(tmp_path: Path) -> None:
    outputs = {"a": [TOKENS, TOKENS], "b": [TOKENS.replace("no ", "yes "), TOKENS.replace("never", "ever")]}
    made = make(
        tmp_path, sources=[TOKENS] * 2, outputs=outputs, tokenizer="penn", annotators=["ann"], controls=0
    )
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
        screen = client.get("/api/screen").json()
        assert TEXT in screen["cards"]
        assert screen["source"] == TEXT
        client.post("/api/judge", json=post_of(screen))
    row = json.loads(export_text(made.place, "jsonl"))
    assert TOKENS in [card["text"] for card in row["cards"]]
    assert row["source"] == TOKENS
