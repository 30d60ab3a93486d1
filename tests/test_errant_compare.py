"""errant_compare: the official output, byte for byte, and the metric's agreement with it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from errata import kernels
from errata.cli.compat_errant_compare import command as compare
from errata.corpus.model import Edit
from errata.kernels import errant_scan
from errata.metrics.errant_matching import UPWARDS, Matching, at_level, count, count_types, f_score, merged

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_nine_option_sets_print_what_the_official_program_prints(golden: Path, system: str) -> None:
    folder = golden / "errant"
    expected = (folder / f"{system}.compare.txt").read_text()
    commands = re.findall(r"^## errant_compare (.*)$", expected, re.MULTILINE)
    assert len(commands) == 9
    printed = ""
    for arguments in commands:
        given = [str(folder / word) if word.endswith(".m2") else word for word in arguments.split()]
        result = CliRunner().invoke(compare, given, catch_exceptions=False)
        printed += f"## errant_compare {arguments}\n{result.output}"
    assert printed == expected


def test_verbose_output_shows_every_combination(tmp_path: Path) -> None:
    block = "S a b c\nA 0 1|||R:OTHER|||x|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "h.m2").write_text(block + "\n")
    (tmp_path / "r.m2").write_text(block + "A 2 3|||U:NOUN||||||REQUIRED|||-NONE-|||1\n\n")
    result = CliRunner().invoke(
        compare,
        ["-hyp", str(tmp_path / "h.m2"), "-ref", str(tmp_path / "r.m2"), "-v"],
        catch_exceptions=False,
    )
    assert "SENTENCE 0 - HYP 0 - REF 1" in result.output
    assert "HYPOTHESIS EDITS : [(0, 1, 'x', 'R:OTHER')]" in result.output
    assert "^^ HYP 0, REF 0 chosen for sentence 0" in result.output


def test_files_of_different_lengths_are_an_error(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "h.m2").write_text("S a\n\n")
    (tmp_path / "r.m2").write_text("S a\n\nS b\n\n")
    result = run("compat", "errant_compare", "-hyp", "h.m2", "-ref", "r.m2")
    assert result.returncode == 1
    assert "1 sentences in h.m2, but 2 in r.m2" in result.stderr


# -- matching -------------------------------------------------------------------------------------

A = Edit(0, 1, "x", "R:NOUN")
B = Edit(0, 1, "x", "R:VERB")
INSERTION = Edit(2, 2, "y z", "M:OTHER")
UNCORRECTED = Edit(1, 2, "b", "UNK")


def test_types_matter_only_when_asked_for() -> None:
    assert count(Matching().keys([A]), Matching().keys([B])) == (1, 0, 0)
    typed = Matching(typed=True)
    assert count(typed.keys([A]), typed.keys([B])) == (0, 1, 1)


def test_uncorrected_errors_count_for_detection_only() -> None:
    assert Matching("correction").keys([UNCORRECTED]) == {}
    assert Matching("span").keys([UNCORRECTED]) == {(1, 2): ["UNK"]}


def test_an_insertion_is_detected_at_the_token_on_its_right() -> None:
    assert Matching("token").keys([INSERTION]) == {(2, 3): ["M:OTHER"]}


def test_single_and_multi_share_out_all_edits() -> None:
    edits = [A, INSERTION]
    assert list(Matching(length="single").keys(edits)) == [(0, 1, "x")]
    assert list(Matching(length="multi").keys(edits)) == [(2, 2, "y z")]


def test_levels_add_up() -> None:
    counts: dict[str, list[int]] = {}
    count_types(Matching().keys([A, INSERTION]), Matching().keys([B]), counts)
    assert counts == {"R:VERB": [1, 0, 0], "M:OTHER": [0, 1, 0]}
    assert at_level(counts, 1) == {"M": [0, 1, 0], "R": [1, 0, 0]}
    assert at_level(counts, 2) == {"OTHER": [0, 1, 0], "VERB": [1, 0, 0]}
    assert at_level(counts, 0) == {"OTHER": [0, 1, 0], "POS": [1, 0, 0]}


@pytest.mark.parametrize(
    ("category", "coarse"),
    [("NOUN", "POS"), ("ADJ:INFL", "POS:INFL"), ("PUNCT", "PUNCT"), ("WO:SPELL", "WO"), ("ORTH:CASING",) * 2],
)
def test_parts_of_speech_are_one_category_at_the_coarsest_level(category: str, coarse: str) -> None:
    assert merged(category) == coarse


# -- the scan -------------------------------------------------------------------------------------

counts = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
segments = st.lists(st.lists(counts, min_size=1, max_size=3), min_size=1, max_size=12)


def _arrays(rows: list[list[tuple[int, int, int]]]) -> tuple[np.ndarray, np.ndarray]:
    values = np.array([row for segment in rows for row in segment], dtype=np.int64).reshape(-1, 3)
    offsets = np.concatenate([[0], np.cumsum([len(segment) for segment in rows])]).astype(np.int64)
    return values, offsets


def _official(rows: list[list[tuple[int, int, int]]], beta: float) -> tuple[int, ...]:
    totals = (0, 0, 0)
    for segment in rows:
        best, chosen = None, (0, 0, 0)
        for row in segment:
            f = f_score(*(a + b for a, b in zip(totals, row, strict=True)), beta)[2]
            rank = (f, row[0], -row[1], -row[2])
            if best is None or rank > best:
                best, chosen = rank, row
        totals = tuple(a + b for a, b in zip(totals, chosen, strict=True))  # type: ignore[assignment]
    return totals


@given(rows=segments, beta=st.sampled_from([0.5, 1.0, 2.0, 0.37]))
def test_the_scan_chooses_as_the_rounded_scores_say(
    rows: list[list[tuple[int, int, int]]], beta: float
) -> None:
    values, offsets = _arrays(rows)
    weights = np.ones((1, len(rows)), dtype=np.int64)
    totals = np.zeros((1, 3), dtype=np.int64)
    errant_scan.scan(values, offsets, weights, beta**2, UPWARDS, 0, 1, totals)
    assert tuple(totals[0].tolist()) == _official(rows, beta)


@given(rows=segments)
def test_compiled_and_uncompiled_scans_agree(rows: list[list[tuple[int, int, int]]]) -> None:
    values, offsets = _arrays(rows)
    chosen = [np.empty(len(rows), dtype=np.int64) for _ in range(2)]
    for module, out in zip((errant_scan, kernels.load_pure("errant_scan")), chosen, strict=True):
        module.choose(values, offsets, 0.25, UPWARDS, True, out)
    assert chosen[0].tolist() == chosen[1].tolist()
