"""PEET: the times of the official script, from its own edits and from ours."""

from __future__ import annotations

import numpy as np
import pytest

from errata.corpus.formats import read_corpus
from errata.edits.edit_arrays import EditArrays, type_numbers
from errata.metrics.peet import PEET, seconds
from seeda import judged, outputs, rows_of, texts


@pytest.mark.parametrize("system", ["T5", "REF-F"])
def test_sentences_and_systems_have_the_official_times(system, data, golden) -> None:
    lines = outputs(data, "systems_subset")[system]
    references = texts(data).select(judged(data)).reference_texts()
    times = np.empty((len(lines), 2))
    for k in (0, 1):
        rows = [s.annotations[0].edits for s in read_corpus(golden / f"peet/{system}_to_ref{k}.m2.xz")]
        edits = [edit for row in rows for edit in row]
        arrays = EditArrays(
            np.cumsum([0, *map(len, rows)]), np.array([(edit.start, edit.end, 0, 0) for edit in edits]),
            type_numbers([edit.type for edit in edits]), {},
        )  # fmt: skip
        words = [[len(text.split()) for text in some] for some in (lines, [row[k] for row in references])]
        times[:, k] = seconds(arrays, *map(np.array, words))
    rows = [row for row in rows_of(golden / "peet/sentence.tsv") if row["system"] == system]
    assert len(rows) == 120
    for row in rows:
        found = times[int(row["line"]) - 1, int(row["reference"])]
        assert found == pytest.approx(float(row["seconds"]), abs=1e-12), row
    wanted = {row["system"]: float(row["seconds"]) for row in rows_of(golden / "peet/system.tsv")}
    assert times.min(axis=1).mean() == pytest.approx(wanted[system], abs=1e-11)


def test_our_edits_give_the_official_times(data, golden) -> None:
    lines = outputs(data, "systems_subset")["T5"]
    corpus = texts(data).select(judged(data))
    wanted = {row["system"]: float(row["seconds"]) for row in rows_of(golden / "peet/system.tsv")}
    score = PEET().score(corpus, lines)
    assert score.value == pytest.approx(wanted["T5"], abs=1e-11)
    rows = [row for row in rows_of(golden / "peet/sentence.tsv") if row["system"] == "T5"]
    best = [min(float(row["seconds"]) for row in rows if int(row["line"]) == i) for i in range(1, 61)]
    assert score.sentences[:60].tolist() == pytest.approx(best, abs=1e-12)


def test_lower_is_better() -> None:
    metric = PEET(tagger="embedded")
    near, far = (metric.score(["a cat"], [line], [["a cat sat"]]) for line in ("a cat sat", "dog"))
    assert near.value < far.value
    assert not metric.higher_is_better
