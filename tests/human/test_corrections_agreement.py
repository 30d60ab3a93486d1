"""Agreement of annotators on corrections: Sakaguchi et al. 2016 Table 4 and Figure 2, GECCC Table 3."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata.human.corrections import acceptance, agreements, changes, difference

# Edit type, annotators, identical %, sTER
TABLE_4 = [
    ("fluency", "expert", 15.3, 5.1), ("fluency", "turker", 5.9, 10.0), ("fluency", "both", 8.5, 7.9),
    ("minimal", "expert", 38.7, 1.7), ("minimal", "turker", 21.8, 2.9), ("minimal", "both", 25.9, 2.4),
]  # fmt: skip


def lines(path: Path, skip: set[int]) -> list[str]:
    return [line for n, line in enumerate(path.read_text("utf-8").splitlines(), 1) if n not in skip]


@pytest.fixture(scope="module")
def skip(data: Path) -> set[int]:
    return set(map(int, (data / "reassess" / "merged_ids.txt").read_text().split()))


@pytest.mark.parametrize("kind", ["fluency", "minimal"])
def test_rewrites_agree_as_in_table_4(data: Path, skip: set[int], kind: str) -> None:
    folder = data / "reassess"
    sets: dict[str, Sequence[Sequence[str]]] = {
        who: [lines(folder / f"{who}_{kind}{x}.txt", skip) for x in "AB"] for who in ("expert", "turker")
    }
    found = {d.first if d.first == d.second else "both": d for d in agreements(sets)}
    for row, who, identical, ster in TABLE_4:
        if row == kind:
            assert found[who].sentences == 1_278
            assert round(100 * found[who].identical, 1) == identical
            assert round(found[who].ster, 1) == ster
            parts = found[who]
            total = parts.insertions + parts.deletions + parts.substitutions + parts.shifts
            assert total == pytest.approx(parts.ster)


def test_nucle_agrees_as_in_table_4_with_its_unclear_edits(data: Path, skip: set[int]) -> None:
    """18.8 % needs the edits of type Um, and the first annotator's text where the second is missing."""
    corpus = read_m2(data / "conll14" / "test.m2").select(i for i in range(1312) if i + 1 not in skip)
    first = [
        text if text is not None else s for text, s in zip(corpus.references(0), corpus.sources, strict=True)
    ]
    second = [b if b is not None else a for a, b in zip(first, corpus.references(1), strict=True)]
    found = difference(first, second)
    assert (round(100 * found.identical, 1), round(found.ster, 1)) == (18.8, 3.3)
    without = [lines(data / "conll14" / "refs" / f"nucle{n}.txt", skip) for n in (0, 1)]
    assert round(100 * difference(*without).identical, 1) == 19.2


def test_fluency_changes_more_than_minimal_edits(data: Path, skip: set[int]) -> None:
    source = lines(data / "conll14" / "source.txt", skip)
    sets: dict[str, Sequence[Sequence[str]]] = {
        f"{who} {kind}": [lines(data / "reassess" / f"{who}_{kind}{x}.txt", skip) for x in "AB"]
        for who in ("expert", "turker")
        for kind in ("fluency", "minimal")
    }
    found = {d.second: d for d in changes(source, sets)}
    # §3.2: seven fluency edits a sentence by non-experts, four by experts, about two minimal ones
    rounded = {name: round(d.ster) for name, d in found.items()}
    assert rounded == {"expert fluency": 4, "expert minimal": 2, "turker fluency": 7, "turker minimal": 2}
    assert found["expert fluency"].changed > found["expert minimal"].changed


def test_identity_is_of_the_text_and_ster_ignores_case() -> None:
    found = difference(["A b", "c d"], ["a b", "c e"])
    assert (found.identical, found.ster, found.substitutions) == (0.0, 0.5, 0.5)
    assert difference(["A b"], ["a b"], lowercase=False).ster == 1.0
    assert difference(["a b c d"], ["c d a b"]).shifts == 1.0


def test_sentences_that_one_annotator_lacks_are_left_out() -> None:
    assert difference(["a", None, "c"], ["a", "b", "x"]).sentences == 2
    with pytest.raises(DataError, match="no sentence"):
        difference([None], ["a"])
    with pytest.raises(DataError, match="2 sentences"):
        difference(["a", "b"], ["a"])


def test_acceptance_has_the_mean_and_deviation_of_geccc_table_3() -> None:
    published = {
        "A1": {"A2": 93.39, "A3": 97.96, "A4": 89.63, "A5": 72.50},
        "A2": {"A1": 84.43, "A3": 95.91, "A4": 90.18, "A5": 78.15},
        "A3": {"A1": 68.80, "A2": 87.68, "A4": 79.39, "A5": 57.50},
    }
    rows = [
        (first, second, n < round(share * 100))
        for second, row in published.items()
        for first, share in row.items()
        for n in range(10_000)
    ]
    matrix = acceptance(rows)
    assert (matrix.second, matrix.first) == (("A1", "A2", "A3"), ("A1", "A2", "A3", "A4", "A5"))
    assert (round(100 * matrix.mean, 2), round(100 * matrix.deviation, 2)) == (82.96, 12.12)
    assert str(matrix.shares[0, 0]) == "nan"


def test_one_annotator_alone_is_an_error_of_usage(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    done = run("corpus", "agreement", "a.txt")
    assert done.returncode == 2
    assert "give the corrections of another" in done.stderr
    assert run("corpus", "agreement", "-s", "a.txt", "a.txt").returncode == 0
