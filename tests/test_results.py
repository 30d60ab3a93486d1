"""Saved statistics: what comes back, and files that are something else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from errata import M2, WER, Annotation, Corpus, DataError, Outputs, Segment, sample
from errata.metrics.results import Results


@pytest.fixture(scope="module")
def results() -> Results:
    made = sample.load("en")
    return Results.compute(made.corpus, made.outputs, [M2()])


def test_saved_results_come_back_whole(results: Results, tmp_path: Path) -> None:
    results.save(tmp_path / "stats.npz")
    record = json.loads(json.dumps(results.to_dict()))
    for again in (Results.load(tmp_path / "stats.npz"), Results.from_dict(record)):
        assert again.systems == results.systems
        assert again.labels == results.labels
        assert again.score("rules", 0).parts == results.score("rules", 0).parts


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.npz", b""),
        ("text.npz", b"a line\n"),
        ("cut.npz", b"PK\x03\x04 and no more"),
        ("empty.json", b""),
        ("list.json", b"[]"),
        ("other.json", b'{"results": {"metrics": [], "systems": []}}'),
        ("latin1.json", b"\xe9"),
    ],
)
def test_a_file_that_is_something_else_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=r"not a file of saved statistics[\s\S]*hint: make one"):
        Results.load(tmp_path / name)


def test_arrays_of_something_else_are_refused(results: Results, tmp_path: Path) -> None:
    np.save(tmp_path / "array.npz", np.arange(3))
    (tmp_path / "array.npz.npy").rename(tmp_path / "array.npz")
    with pytest.raises(DataError, match="not a file of saved statistics"):
        Results.load(tmp_path / "array.npz")


@pytest.mark.parametrize("name", ["values", "offsets", "references"])
def test_numbers_that_do_not_fit_are_refused(results: Results, tmp_path: Path, name: str) -> None:
    path = tmp_path / "stats.npz"
    results.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays[f"0.0.{name}"] = arrays[f"0.0.{name}"][:-1]
    np.savez(path, **arrays)
    with pytest.raises(DataError, match="do not fit its metrics"):
        Results.load(path)


def test_a_damaged_file_is_refused(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "stats.npz"
    results.save(path)
    data = bytearray(path.read_bytes())
    data[120:200] = bytes(80)
    path.write_bytes(data)
    with pytest.raises(DataError, match="not a file of saved statistics"):
        Results.load(path)


def test_paragraphs_of_different_documents_are_kept_apart() -> None:
    places = [("one", "1"), ("one", "1"), ("one", "2"), ("two", "1"), (None, "1")]
    annotation = Annotation("a", edits=())
    corpus = Corpus([Segment("a", (annotation,), document=d, paragraph=p) for d, p in places])
    groups = {"one#1": [0, 1], "one#2": [2], "two#1": [3], "1": [4]}
    assert corpus.groups("paragraph") == groups
    assert Results.compute(corpus, Outputs({"A": ["a"] * 5}), [M2()]).groups("paragraph") == groups


def test_some_of_the_metrics_can_be_chosen_and_others_are_not_made_up(run, tmp_path: Path) -> None:
    made = sample.load("en")
    results = Results.compute(made.corpus, made.outputs, [M2(), WER()])
    results.save(tmp_path / "stats.npz")
    assert results.only([WER()]).score("rules", 0).parts == results.score("rules", 1).parts
    done = run("score", "--stats", "stats.npz", "--metric", "wer", "--format", "tsv")
    assert done.stdout.startswith("system\tWER\n")
    done = run("score", "--stats", "stats.npz", "--metric", "m2:beta=1")
    assert done.returncode == 1
    assert "no statistics of m2|beta:1|" in done.stderr
