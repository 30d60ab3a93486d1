"""Annotators read natural text; what is stored and exported is by exact tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from campaigns import SOURCES, SYSTEMS, Made, admin_page, export_text, make, post_of, sign_in, signed_in, work
from errata.cli import cli
from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.detokenised_view import DetokenisedView
from errata_server.campaign.export_judgments import scalars_of
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
    pieces = shown.spaced_tokens(tokens, True)
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
    with signed_in(made, name) as client:
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
    assert "check the tokens" in first[-1]["item"]
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
    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
        assert TEXT in screen["cards"]
        assert screen["source"] == TEXT
        client.post("/api/judge", json=post_of(screen))
    row = json.loads(export_text(made.place, "jsonl"))
    assert TOKENS in [card["text"] for card in row["cards"]]
    assert row["source"] == TOKENS


SETTINGS: dict[str, Any] = {"task": "spans", "controls": 0, "repeats": 0, "overlap": 0, "redundancy": 2}
CORRECT = set(SYSTEMS["good"])


def span(start: int, end: int, category: str = "grammar", severity: str = "major") -> dict[str, Any]:
    return {"start": start, "end": end, "category": category, "severity": severity}


def mark(made: Made, name: str, *, careless: bool = False) -> list[dict[str, Any]]:
    """Mark the second token of every text that is not right; the screens."""

    def values(screen: dict[str, Any]) -> dict[str, Any]:
        text = " ".join(token for token, _ in screen["tokens"][0])
        return {"answer": {"spans": [[] if careless or text in CORRECT else [span(1, 2)]]}}

    with signed_in(made, name) as client:
        return work(client, values)[:-1]


def test_every_text_is_marked_by_itself(tmp_path: Path) -> None:
    made = make(tmp_path, **SETTINGS)
    screens = mark(made, "ann")
    mark(made, "bob", careless=True)
    texts = [screen["cards"][0] for screen in screens]
    expected = [{lines[i] for lines in SYSTEMS.values()} for i in range(len(SOURCES))]
    assert sorted(texts) == sorted(text for group in expected for text in group)
    with made.store.read() as connection:
        scores = scalars_of(made.store, connection)
    by_system: dict[tuple[str, str], list[float]] = {}
    for judge, system, score in zip(scores.judge, scores.system, scores.score, strict=True):
        by_system.setdefault((scores.judges[judge], scores.systems[system]), []).append(float(score))
    assert by_system["judge-1", "good"] == [0.0] * 6
    assert by_system["judge-1", "none"] == [-5.0] * 6
    assert by_system["judge-2", "none"] == [0.0] * 6
    status = CliRunner().invoke(cli, ["campaign", "status", made.place]).output
    assert "F1 of marked tokens" in status
    rank = CliRunner().invoke(cli, ["rank", made.place, "--runs", "10", "--method", "mean"])
    assert rank.exit_code == 0, rank.exception
    assert rank.output.index("good") < rank.output.index("middle") < rank.output.index("none")
    agreed = CliRunner().invoke(cli, ["agree", made.place, "--format", "tsv"])
    assert agreed.exit_code == 0, agreed.exception
    assert "F1 of marked tokens\t0.0" in agreed.output  # one of the two never marks anything
    alone = CliRunner().invoke(cli, ["agree", made.place, "--judge", "judge-1", "--format", "tsv"])
    assert "texts that two annotators marked\t0" in alone.output


def test_exports_and_import(tmp_path: Path) -> None:
    made = make(tmp_path / "a", **SETTINGS)
    mark(made, "ann")
    lines = [line.split("\t") for line in export_text(made.place, "spans").splitlines()]
    assert lines[0][:5] == ["judge", "segment", "system", "start", "end"]
    assert ["judge-1", "0", "none", "1", "2", "grammar", "major", "5", "go"] in lines
    assert not [line for line in lines if line[2] == "good"]
    m2 = export_text(made.place, "m2")
    (tmp_path / "spans.m2").write_text(m2, encoding="utf-8")
    corpus = read_m2(tmp_path / "spans.m2")
    edits = {segment.source: segment.annotation(0).edits for segment in corpus}  # type: ignore[union-attr]
    assert [(e.start, e.end, e.type, e.comment) for e in edits[SOURCES[0]]] == [
        (1, 2, "grammar:major", "none")
    ]
    assert edits[SYSTEMS["good"][0]] == ()
    rows = export_text(made.place, "jsonl")
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    other = make(tmp_path / "b", **SETTINGS)
    assert import_file(other.store, tmp_path / "rows.jsonl") == (len(rows.splitlines()), 0)
    assert export_text(other.place, "m2") == m2.replace("|||0\n", "|||2\n")  # after `ann` and `bob`
    changed = json.loads(rows.splitlines()[0])
    changed["answer"]["spans"] = [[span(0, 99)]]
    (tmp_path / "bad.jsonl").write_text(json.dumps({**changed, "key": "x" * 12}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="the end of a mark"):
        import_file(other.store, tmp_path / "bad.jsonl")


def test_answers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    made = make(tmp_path, **SETTINGS, categories=["Wrong", "Ugly"])
    with signed_in(made) as client:
        page = client.get("/work").text
        assert "Ugly" in page
        screen = client.get("/api/screen").json()
        n = len(screen["tokens"][0])
        good = span(0, n, "Ugly", "critical")
        for bad in (
            [[span(0, 1)]], [[{**good, "end": n + 1}]], [[{**good, "start": n}]], [[{**good, "start": -1}]],
            [[{**good, "severity": "x"}]], [[{**good, "more": 1}]], [[{**good, "end": 0}]], [[good], []], [],
            [[good] * 201], "x", [["x"]], [[{**good, "start": True}]],
        ):  # fmt: skip
            response = client.post("/api/judge", json=post_of(screen, answer={"spans": bad}))
            assert response.status_code == 400, bad
        draft = {"assignment": screen["assignment"], "draft": {"answer": {"spans": [[good]]}, "comment": ""}}
        assert client.post("/api/draft", json=draft).status_code == 200
        assert client.get("/api/screen").json()["draft"]["answer"] == {"spans": [[good]]}
        post = post_of(screen, answer={"spans": [[good, span(0, 1, "Wrong", "minor"), good]]})
        assert client.post("/api/judge", json=post).status_code == 200
        again = client.get("/api/screen", params={"position": 1}).json()
        assert again["answer"] == {"spans": [[span(0, 1, "Wrong", "minor"), good]]}


def test_damaged_texts_are_controls_and_the_qualification_counts_tokens(tmp_path: Path) -> None:
    known = {"source": "He go .", "outputs": ["He go ."], "spans": [[span(1, 2)]]}
    (tmp_path / "known.jsonl").write_text(json.dumps(known) + "\n", encoding="utf-8")
    settings = {**SETTINGS, "controls": 0.2, "redundancy": 1, "qualification": str(tmp_path / "known.jsonl")}
    made = make(tmp_path, **settings)
    texts = [screen["cards"][0] for screen in mark(made, "ann")]
    assert len(texts) == 1 + 16 + 3  # nothing that the systems wrote is lost to a control
    assert mark(made, "bob", careless=True)[-1]["phase"] == "qualification"  # he marks nothing there
    rows = [json.loads(line) for line in export_text(made.place, "jsonl").splitlines()]
    damaged = [row for row in rows if row["kind"] == "control"]
    assert [card["systems"] for row in damaged for card in row["cards"]] == [["control:damaged"]] * 3
    assert "control" not in export_text(made.place, "spans") + export_text(made.place, "m2")
    with signed_in(made, "admin") as client:
        assert "0 of 3" in admin_page(client)


def test_settings_of_spans_are_checked(tmp_path: Path) -> None:
    for wrong in (
        {"categories": []}, {"categories": ["a", "a"]}, {"categories": ["a|b"]}, {"weights": {"minor": 1}},
        {"weights": {"minor": -1, "major": 5, "critical": 25}}, {"assignment": "adaptive"},
    ):  # fmt: skip
        with pytest.raises(DataError):
            make(tmp_path, **{**SETTINGS, **wrong})
