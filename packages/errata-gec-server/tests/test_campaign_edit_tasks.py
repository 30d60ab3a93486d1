"""The tasks `edits` (a label for each change) and `esa` (error spans with a score)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from campaigns import SOURCES, SYSTEMS, Made, export_text, make, post_of, rows, signed_in, work
from errata.errors import DataError
from errata.human.edit_labels import read_edit_labels
from errata.human.judgment_files import read_scalars
from errata_server.campaign.campaign_statistics import compute_statistics

PLAIN: dict[str, Any] = {"controls": 0, "repeats": 0, "overlap": 0, "redundancy": 2}


def judge_all(made: Made, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    for who in made.tokens:
        with signed_in(made, who) as client:
            assert work(client, lambda screen: {"answer": answer(screen)})[-1]["state"] == "done"


def tables(made: Made) -> dict[str, list[Any]]:
    with made.store.read() as connection:
        return {table.title: list(table.rows) for table in compute_statistics(made.store, connection).tables}


def test_labels_of_edits_are_exported_for_meta_edits(tmp_path: Path) -> None:
    made = make(tmp_path, task="edits", **PLAIN)
    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
        (edits,) = screen["edits"]
        assert [word for word, _ in screen["tokens"][0]] == screen["source"].split()
        for wrong in ({"labels": [[True] * (len(edits) + 1)]}, {"labels": [[None] * len(edits)]}, {}):
            assert client.post("/api/judge", json=post_of(screen, answer=wrong)).status_code == 400
        draft = {"answer": {"labels": [[None] * len(edits)]}, "comment": ""}
        post = {"assignment": screen["assignment"], "draft": draft}
        assert client.post("/api/draft", json=post).status_code == 200
        assert client.get("/api/screen").json()["draft"]["answer"] == draft["answer"]
    # Everything is useful, except that one judge does not like articles.
    judge_all(
        made, lambda s: {"labels": [[s["position"] % 2 > 0 or edit[2] != "the" for edit in s["edits"][0]]]}
    )
    path = tmp_path / "edit_labels.tsv"
    path.write_text(export_text(made.place, "edit-labels"), encoding="utf-8")
    labels = read_edit_labels(path)
    assert {each.annotator for each in labels} == {"judge-1", "judge-2"}
    assert {system for each in labels for system in each.systems} == {"good", "middle"}  # one changed nothing
    first = [each for each in labels if each.line == 0 and each.annotator == "judge-1"]
    assert [(each.edit.start, each.edit.end, each.edit.correction, each.systems) for each in first] == [
        (1, 2, "goes", ("good", "middle"))
    ]
    found = tables(made)
    assert [row[0] for row in found["Edits"]] == ["middle", "good"]
    lines = {(each.line, each.edit.start, each.edit.end, each.edit.correction) for each in labels}
    assert dict(found["Agreement"])["edits labelled twice"] == len(lines)


def test_repeated_screens_and_one_judge_alone(tmp_path: Path) -> None:
    made = make(tmp_path, task="edits", controls=0, copies=4, repeats=1.0, annotators=["ann"])
    judge_all(made, lambda screen: {"labels": [[True] * len(screen["edits"][0])]})
    assert any(row["repeat"] for row in rows(made))
    lines = export_text(made.place, "edit-labels").splitlines()
    assert len(set(lines)) == len(lines)
    assert list(tables(made)) == ["Edits"]


def test_a_damaged_text_has_a_useless_edit(tmp_path: Path) -> None:
    made = make(tmp_path, task="edits", controls=0.5, repeats=0)
    judge_all(made, lambda screen: {"labels": [[True] * len(screen["edits"][0])]})
    with made.store.read() as connection:
        work_of = compute_statistics(made.store, connection).annotators.values()
    assert sum(each.failed_controls for each in work_of) == sum(each.controls for each in work_of) > 0


def test_error_spans_begin_with_the_changes_of_a_system(tmp_path: Path) -> None:
    made = make(tmp_path, task="esa", scale=100, prefill="good", **PLAIN)

    def answer(screen: dict[str, Any]) -> dict[str, Any]:
        (edits,) = screen["edits"]
        spans = [{"start": a, "end": b, "category": "error", "severity": "major"} for a, b, _ in edits]
        return {"spans": [spans], "scores": [100 - 20 * len(spans)]}

    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
        right = answer(screen)
        other = [{"start": 0, "end": 1, "category": "grammar", "severity": "minor"}]
        for wrong in (
            {**right, "scores": [101]}, {**right, "scores": []}, {"spans": right["spans"]},
            {**right, "spans": [other]},
        ):  # fmt: skip
            assert client.post("/api/judge", json=post_of(screen, answer=wrong)).status_code == 400
        post = {
            "assignment": screen["assignment"],
            "draft": {"answer": {**right, "scores": [None]}, "comment": ""},
        }
        assert client.post("/api/draft", json=post).status_code == 200
    judge_all(made, answer)
    shown = {row["cards"][0]["text"]: row["edits"] for row in rows(made)}
    assert shown["She has two cat and one dog at home ."] == (((3, 4, "cats"),),)
    assert shown[SYSTEMS["good"][0]] == ((),)
    assert shown[SOURCES[2]] == (((1, 2, ""),),)
    (tmp_path / "scores.tsv").write_text(export_text(made.place, "scalar"), encoding="utf-8")
    scores = read_scalars(tmp_path / "scores.tsv")
    assert set(scores.score[scores.system == scores.systems.index("good")].tolist()) == {100}
    assert "error\tmajor" in export_text(made.place, "spans")
    found = tables(made)
    assert [row[-1] for row in found["mean z-score"]] == ["good", "middle", "none"]
    assert dict(found["Agreement"])["α of scores (interval)"] == pytest.approx(1)


def test_an_insertion_is_at_the_word_before_it(tmp_path: Path) -> None:
    outputs = {"a": ["We were in park ."], "b": ["Yes We were in the park ."]}
    made = make(tmp_path, task="esa", prefill="b", sources=["We was in park ."], outputs=outputs, **PLAIN)
    judge_all(made, lambda screen: {"spans": [[]], "scores": [5]})
    shown = {row["cards"][0]["systems"][0]: row["edits"] for row in rows(made)}
    assert shown == {"a": (((0, 1, "Yes"), (2, 3, "the")),), "b": ((),)}


@pytest.mark.parametrize("settings", [{"task": "spans", "prefill": "good"}, {"task": "esa", "prefill": "x"}])
def test_what_cannot_be_prefilled(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="prefill"):
        make(tmp_path, **settings)
