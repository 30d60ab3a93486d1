"""Saved statistics: what comes back, and files that are something else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import errata
from errata import M2, WER, Annotation, Corpus, DataError, Outputs, Segment, sample
from errata.metrics import metric
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
    with pytest.raises(DataError, match=r"(values of shape|the offsets do not).*; made by another version"):
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
    assert "no statistics of m2:beta=1" in done.stderr


def _two() -> Results:
    corpus = Corpus.from_lists(["a cat", "b dogs", "c"], [["the cat"], ["b dog"], ["c"]])
    return Results.compute(corpus, {"A": ["the cat", "b", "c"]}, [metric("m2:beta=1"), metric("m2:beta=2")])


def test_a_name_that_may_be_several_metrics_is_refused() -> None:
    results = _two()
    assert results["A", "m2:beta=2"] is results.score("A", 1)
    with pytest.raises(DataError, match="may be several"):
        results["A", "m2"]
    with pytest.raises(DataError, match="there is no metric 'gleu'"):
        results["A", "gleu"]
    with pytest.raises(DataError, match="there are several metrics"):
        results["A"]
    with pytest.raises(DataError, match="there is no system 'Z'"):
        results["Z", 0]


def test_an_empty_corpus_has_no_score() -> None:
    with pytest.raises(DataError, match="no sentence to score"):
        errata.score([], [], [], metric="m2")


def test_a_part_of_a_part_has_one_field_for_it() -> None:
    part = _two().select([0, 1]).select([1])
    assert "|segments:1/3@" in part["A", 0].signature
    assert part["A", 0].signature.count("segments:") == 1


def test_joined_results_have_the_digests_of_all_hypotheses() -> None:
    corpus = Corpus.from_lists(["a cat"], [["the cat"]])
    parts = [Results.compute(corpus, {"A": [text]}, [metric("m2")]) for text in ("the cat", "a cat")]
    joined = Results.joined(parts)
    found = [joined.inputs["hypotheses"][system] for system in joined.systems]
    assert found == [part.inputs["hypotheses"]["A"] for part in parts]
    assert found[0] != found[1]


def test_what_is_not_a_list_of_hypotheses_is_refused() -> None:
    corpus = Corpus.from_lists(["a cat"], [["the cat"]])
    for wrong in (5, {"A": ["the cat"]}):
        with pytest.raises(DataError, match=r"hypotheses are .* and not a list"):
            metric("m2").score(corpus, wrong)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no metric to score with"):
        Results.compute(corpus, {"A": ["the cat"]}, [])


def test_results_are_a_table_with_or_without_intervals(results: Results) -> None:
    plain, wide = results.table().render("tsv"), results.table(samples=50, seed=3).render("tsv")
    assert all(system in plain for system in results.systems)
    assert len(wide) > len(plain)
    assert wide == results.table(samples=50, seed=3).render("tsv")
    assert wide != results.table(samples=50, seed=4).render("tsv")
    assert list(results.to_frame().iloc[:, 0]) == list(results.systems)
