"""errant_compare: the official output, byte for byte, and the metric's agreement with it."""

from __future__ import annotations

import contextlib
import io
import random
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from errata.cli.compat_errant import errant_compare as compare
from errata.corpus.model import Corpus, Outputs
from errata.corpus.segment import Annotation, Edit, Segment
from errata.meta.breakdowns import foreign_types, type_tables
from errata.metrics import metric
from errata.metrics.edit_matching import Matching, TypeScores, at_level, count, count_types, f_score, merged
from errata.metrics.results import Results
from errata.native import scans

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]


@pytest.mark.slow
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
    assert "1 sentence in h.m2, but 2 in r.m2" in result.stderr


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
    scans.scan(values, offsets, weights, totals, scans.ROUNDED_F, beta**2)
    assert tuple(totals[0].tolist()) == _official(rows, beta)


# -- files with types and corrections that are not ERRANT's ------------------------------------------

_TYPES = ["R:NOUN", "M:DET", "UNK", "X", "Um", "ArtOrDet", "R:", ":", "noop"]
_CORRECTIONS = ["", "x", "y", "-NONE-", "x||y", "x y", " x"]
_OPTIONS = ["", "-cat 1", "-cat 2", "-cat 3", "-ds -cat 3", "-dt -cat 2", "-cse -cat 3", "-single", "-multi",
            "-filt X Um", "-v", "-dt -v", "-cse -v", "-multi -v", "-b 1 -filt noop"]  # fmt: skip


def _foreign_m2(chance: random.Random) -> str:
    """Blocks whose coders come in any order, with equal edits, and with noops that have a span."""
    blocks = []
    for _ in range(4):
        lines = ["S a b c d"]
        for _ in range(chance.choice([0, 1, 2, 3, 5, 7])):
            start = chance.randint(0, 4)
            end = min(4, start + chance.randint(0, 2))
            kind, text = chance.choice(_TYPES), chance.choice(_CORRECTIONS)
            if kind == "noop" and chance.random() < 0.5:
                start = end = -1
            coder = chance.choice([0, 1, 1, 2, 9, 16])
            lines.append(f"A {start} {end}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{coder}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def differing(seed: int, files: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The random files of which the installed errant_compare prints something else."""
    from errant.commands import compare_m2 as program

    chance, found = random.Random(seed), []
    hyp, ref = folder / "h.m2", folder / "r.m2"
    for number in range(files):
        hyp.write_text(_foreign_m2(chance))
        ref.write_text(_foreign_m2(chance))
        arguments = ["-hyp", str(hyp), "-ref", str(ref), *_OPTIONS[number % len(_OPTIONS)].split()]
        monkeypatch.setattr("sys.argv", ["errant_compare", *arguments])
        with contextlib.redirect_stdout(io.StringIO()) as official:
            program.main()
        if CliRunner().invoke(compare, arguments, catch_exceptions=False).output != official.getvalue():
            found.append("\n".join([" ".join(arguments), hyp.read_text(), ref.read_text()]))
    return found


def test_foreign_files_are_compared_as_the_official_program_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert differing(4, 180, tmp_path, monkeypatch) == []


def test_a_type_of_no_letters_and_a_foreign_annotator_give_no_traceback(tmp_path: Path, run) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "h.m2").write_text("S a\nA 0 1||||||x|||REQUIRED|||-NONE-|||0\n\n")
    done = run("compat", "errant_compare", "-hyp", "h.m2", "-ref", "h.m2", "-cat", 1)
    assert done.returncode == 0
    (tmp_path / "r.m2").write_text("S a\nA 0 1|||X|||x|||REQUIRED|||-NONE-|||0|||me\n\n")
    done = run("compat", "errant_compare", "-hyp", "h.m2", "-ref", "r.m2")
    assert done.returncode == 1
    assert "the last field is not an annotator's number" in done.stderr
    (tmp_path / "r.m2").write_text("S a\nS b\n\n")
    assert "several S lines" in run("compat", "errant_compare", "-hyp", "r.m2", "-ref", "r.m2").stderr


def test_types_of_other_schemes_stay_whole_at_every_level() -> None:
    counts = {
        "ArtOrDet": [1, 0, 0],
        "Vform": [0, 1, 0],
        "R:NOUN:NUM": [2, 0, 0],
        "UNK": [0, 0, 1],
        "M:": [1, 1, 1],
    }
    assert set(at_level(counts, 1)) == {"ArtOrDet", "Vform", "R", "UNK", "M:"}
    assert set(at_level(counts, 2)) == {"ArtOrDet", "Vform", "NOUN:NUM", "UNK", "M:"}
    assert set(at_level(counts, 3)) == set(counts)


def test_foreign_types_are_named_in_a_note() -> None:
    edits = [Edit(0, 1, "An", "ArtOrDet"), Edit(1, 2, "apples", "R:NOUN:NUM")]
    corpus = Corpus([Segment("A apple .", (Annotation("A apple .", edits=edits),))])
    assert foreign_types(corpus) == ("ArtOrDet",)
    results = Results.compute(
        corpus, Outputs({"A": ["An apples ."]}), [metric("errant:tagger=embedded,references=given")]
    )
    (table,) = type_tables(results)
    assert [row[0] for row in table.rows][:2] == ["ArtOrDet", "NOUN:NUM"]
    assert any("errata edits classify" in note and "ArtOrDet" in note for note in table.notes)


def test_no_edits_at_all_are_right() -> None:
    nothing = TypeScores({})
    assert nothing.micro == nothing.macro == (1.0, 1.0, 1.0)
    some = TypeScores({"R:NOUN": (1, 1, 0), "M:DET": (1, 0, 3)})
    assert some.macro == pytest.approx(tuple(np.mean([some.scores("R:NOUN"), some.scores("M:DET")], axis=0)))


def test_f_with_a_beta_of_0_is_precision_and_0_where_nothing_was_found() -> None:
    assert f_score(1, 1, 3, 0) == (0.5, 0.25, 0.5)
    assert f_score(0, 0, 2, 0) == (1.0, 0.0, 0.0)
