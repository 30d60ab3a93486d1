"""The fifth task over HTTP: spans of tokens with a category and a severity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, Made, admin_page, export_text, make, post_of, sign_in
from errata.cli import cli
from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata_server.campaign.campaign_server import application
from errata_server.campaign.export_judgments import scalars_of
from errata_server.campaign.import_judgments import import_file

SETTINGS: dict[str, Any] = {"task": "spans", "controls": 0, "repeats": 0, "overlap": 0, "redundancy": 2}
CORRECT = set(SYSTEMS["good"])


def span(start: int, end: int, category: str = "grammar", severity: str = "major") -> dict[str, Any]:
    return {"start": start, "end": end, "category": category, "severity": severity}


def work(made: Made, name: str, *, careless: bool = False) -> list[dict[str, Any]]:
    """Mark the second token of every text that is not right; the screens."""
    screens = []
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens[name])
        screen = client.get("/api/screen").json()
        while screen["state"] == "work":
            screens.append(screen)
            text = " ".join(token for token, _ in screen["tokens"][0])
            marks = [] if careless or text in CORRECT else [span(1, 2)]
            post = post_of(screen, answer={"spans": [marks]})
            response = client.post("/api/judge", json=post)
            assert response.status_code == 200, response.text
            screen = response.json()["next"]
    return screens


def test_every_text_is_marked_by_itself(tmp_path: Path) -> None:
    made = make(tmp_path, **SETTINGS)
    screens = work(made, "ann")
    work(made, "bob", careless=True)
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
    work(made, "ann")
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
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
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
    texts = [screen["cards"][0] for screen in work(made, "ann")]
    assert len(texts) == 1 + 16 + 3  # nothing that the systems wrote is lost to a control
    assert work(made, "bob", careless=True)[-1]["phase"] == "qualification"  # he marks nothing there
    rows = [json.loads(line) for line in export_text(made.place, "jsonl").splitlines()]
    damaged = [row for row in rows if row["kind"] == "control"]
    assert [card["systems"] for row in damaged for card in row["cards"]] == [["control:damaged"]] * 3
    assert "control" not in export_text(made.place, "spans") + export_text(made.place, "m2")
    with TestClient(application(made.store)) as client:
        sign_in(client, made.admin)
        assert "0 of 3" in admin_page(client)


def test_settings_of_spans_are_checked(tmp_path: Path) -> None:
    for wrong in (
        {"categories": []}, {"categories": ["a", "a"]}, {"categories": ["a|b"]}, {"weights": {"minor": 1}},
        {"weights": {"minor": -1, "major": 5, "critical": 25}}, {"assignment": "adaptive"},
    ):  # fmt: skip
        with pytest.raises(DataError):
            make(tmp_path, **{**SETTINGS, **wrong})
