"""The I-measure: the official numbers, an alignment that is exact to the tie, and what must always hold."""

from __future__ import annotations

import lzma
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import Annotation, Corpus, Edit, IMeasure, Segment, read_corpus
from errata.corpus.files import read_lines
from errata.corpus.m2 import parse_m2
from errata.errors import DataError
from errata.limits import limited
from errata.metrics.imeasure import MAXIMISE
from errata.metrics.imeasure_references import (
    TooManyCandidatesError,
    align_one,
    candidate_rows,
    candidates,
    star_columns,
    star_counts,
)
from errata.metrics.mixed_references import mixed_counts
from errata.report.explanations import explanation_text
from errata.testing import check_metric

SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]
TEXT = st.lists(st.sampled_from("abc"), max_size=7)


# -- the alignment, against the definition ---------------------------------------------------------


def pair_path(x: list[str], y: list[str], first: int, second: int) -> list[int]:
    """A pairwise alignment by the full table: diagonal, then the first sequence, then the second."""
    cost: dict[tuple[int, int], int] = {(0, 0): 0}
    move: dict[tuple[int, int], tuple[int, int]] = {}
    for i, j in product(range(len(x) + 1), range(len(y) + 1)):
        options = [
            (cost[i - a, j - b] + (2 if a != b else 3 * (x[i - 1] != y[j - 1])), (a, b))
            for a, b in ((1, 1), (1, 0), (0, 1))
            if i >= a and j >= b
        ]
        if options:
            cost[i, j], move[i, j] = min(options, key=lambda option: option[0])
    i, j, path = len(x), len(y), []
    while i or j:
        a, b = move[i, j]
        path.append(first * a | second * b)
        i, j = i - a, j - b
    return path[::-1]


def full_table_path(s: list[str], h: list[str], r: list[str]) -> list[int]:
    """The three-way alignment by the full table, as the definition says."""
    if s == h:
        return pair_path(s, r, 3, 4)
    if s == r:
        return pair_path(s, h, 5, 2)
    if h == r:
        return pair_path(r, s, 6, 1)
    moves = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    cost: dict[tuple[int, ...], int] = {(0, 0, 0): 0}
    back: dict[tuple[int, ...], tuple[int, ...]] = {}
    for cell in product(range(len(s) + 1), range(len(h) + 1), range(len(r) + 1)):
        options = []
        for step in moves:
            before = tuple(c - m for c, m in zip(cell, step, strict=True))
            if min(before) < 0:
                continue
            column = [text[b] if m else None for text, b, m in zip((s, h, r), before, step, strict=True)]
            price = sum(
                0 if x == y else 2 if None in (x, y) else 3
                for x, y in ((column[0], column[1]), (column[0], column[2]), (column[1], column[2]))
            )
            options.append((cost[before] + price, step))
        if options:
            cost[cell], back[cell] = min(options, key=lambda option: option[0])
    cell, path = (len(s), len(h), len(r)), []
    while any(cell):
        a, b, c = back[cell]
        path.append(a | b << 1 | c << 2)
        cell = (cell[0] - a, cell[1] - b, cell[2] - c)
    return path[::-1]


@settings(deadline=None, max_examples=400)
@given(TEXT, TEXT, TEXT)
def test_the_alignment_of_any_three_texts_is_that_of_the_full_table(s, h, r) -> None:
    assert align_one(s, h, r)[0] == full_table_path(s, h, r)


@st.composite
def rewritten(draw: Any) -> tuple[list[str], list[str], list[str]]:
    """A text and two others made from it by a few edits: what scoring is mostly about."""
    source = draw(st.lists(st.sampled_from("abcdef"), min_size=3, max_size=11))

    def edited() -> list[str]:
        text = list(source)
        for _ in range(draw(st.integers(0, 3))):
            place = draw(st.integers(0, len(text)))
            new = draw(st.lists(st.sampled_from("abcdefg"), max_size=2))
            text[place : place + draw(st.integers(0, 2))] = new
        return text

    return source, edited(), edited()


@pytest.mark.slow
@settings(deadline=None, max_examples=250)
@given(rewritten())
def test_the_alignment_of_rewritten_texts_is_that_of_the_full_table(texts) -> None:
    assert align_one(*texts)[0] == full_table_path(*texts)


def test_long_and_repetitive_texts_stay_small() -> None:
    generator = np.random.default_rng(1)
    words = [str(number) for number in range(8)]
    three = [generator.choice(words, 400).tolist() for _ in range(3)]
    assert len(align_one(*three)[0]) >= 400
    assert len(align_one(["the"] * 400, ["the"] * 380, ["the"] * 350)[0]) == 400
    tail = [f"w{number}" for number in range(2000)]
    assert align_one(tail, ["x", *tail], ["y", *tail])[1] == [0, 2000, 1, 1, 1]


def test_what_would_take_too_much_memory_is_aligned_with_the_source_alone() -> None:
    generator = np.random.default_rng(1)
    long = [" ".join(generator.choice(list("abc"), 400)) for _ in range(3)]
    full = IMeasure().score(["a", long[0]], ["a", long[1]], ["b", long[2]])
    assert full.cuts == ()
    for limit in ({"memory": 1 << 20}, {"work": 100_000}):
        with limited(**limit):
            score = IMeasure().score(["a", long[0]], ["a", long[1]], ["b", long[2]])
        (cut,) = score.cuts
        assert (cut.segment, cut.source, cut.limit) == (1, 400, *limit)
        assert score.statistics.values[0].tolist() == full.statistics.values[0].tolist()
        assert score.statistics.values[1].tolist() != full.statistics.values[1].tolist()


@given(*[st.lists(st.sampled_from("abcd"), max_size=8)] * 3)
def test_the_alignment_with_the_source_alone_covers_all_three_texts(
    source: list[str], hypothesis: list[str], reference: list[str]
) -> None:
    ids = [[ord(letter) for letter in text] for text in (source, hypothesis, reference)]
    columns, counts = star_columns(*ids), star_counts(*ids)
    assert [sum(bits >> k & 1 for bits in columns) for k in range(3)] == [len(text) for text in ids]
    assert sum(counts[:4]) - counts[4] == len(columns)
    if source in (hypothesis, reference) or hypothesis == reference:
        assert counts[4] == 0


# -- the official numbers ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conll14(data: Path) -> Corpus:
    return read_corpus(data / "conll14" / "test.m2")


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory, data: Path, conll14: Corpus) -> Path:
    """A folder with the files under the names the official runs saw."""
    from errata import write_corpus

    folder = tmp_path_factory.mktemp("ieval")
    (folder / "data" / "sys").mkdir(parents=True)
    write_corpus(conll14, folder / "data" / "conll14st-test.ixml")
    for system in SYSTEMS:
        (folder / "data" / "sys" / system).symlink_to(data / "conll14" / "systems" / f"{system}.txt")
    return folder


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_row_of_the_official_output_comes_out_to_the_byte(
    system: str, conll14: Corpus, data: Path, golden: Path
) -> None:
    from errata.cli.compat import report

    imeasure = IMeasure()
    statistics = imeasure.statistics(conll14, read_lines(data / "conll14" / "systems" / f"{system}.txt"))
    lines = report(imeasure, statistics, f"data/sys/{system}", "data/conll14st-test.ixml", per_sentence=True)
    text = (golden / "imeasure" / f"{system}.txt").read_text()
    assert "\n".join(lines) + "\n" == text
    published = dict(
        line.split("\t")[1:] for line in (golden / "imeasure" / "system.tsv").read_text().splitlines()
    )
    assert f"{100 * imeasure.score(statistics).value:.2f}" == published[system]


@pytest.mark.parametrize("system", ["AMU", "POST", "IITB"])
def test_the_drop_in_command_prints_what_the_official_program_prints(
    system: str, official: Path, golden: Path
) -> None:
    command = [sys.executable, "-m", "errata", "compat", "ieval", "-ref:data/conll14st-test.ixml"]
    done = subprocess.run(
        [*command, f"-hyp:data/sys/{system}", "-nomix", "-per-sent"], cwd=official, capture_output=True
    )
    assert done.stdout == (golden / "imeasure" / f"{system}.txt").read_bytes()
    assert not done.stderr


def test_table_4_of_chollampatt_and_ng(golden: Path) -> None:
    folder = golden / "table4"
    for example, expected in (("ex1", ["0.00", "-4.00"]), ("ex2", ["100.00", "100.00", "-6.11"])):
        for suffix in ("m2", "ixml"):
            corpus = read_corpus(folder / f"{example}.{suffix}")
            outputs = [read_lines(path) for path in sorted(folder.glob(f"{example}.hyp*"))]
            assert [f"{100 * IMeasure().score(corpus, lines).value:.2f}" for lines in outputs] == expected


# -- candidates and choices -------------------------------------------------------------------------


def segment(source: str, *annotators: list[Edit]) -> Segment:
    annotations = (Annotation(source, edits=edits, annotator=a) for a, edits in enumerate(annotators))
    return Segment(source, tuple(annotations))


def texts(found: Segment, mix: bool = False) -> list[str]:
    return sorted(" ".join(tokens) for _, tokens in candidates(found, mix=mix))


def test_each_annotator_gives_a_candidate_and_equal_ones_are_kept_once() -> None:
    one, none = [Edit(1, 2, "x")], []
    assert texts(segment("a b c", one, none)) == ["a b c", "a x c"]
    assert texts(segment("a b c", one, one)) == ["a x c"]
    assert texts(segment("a b c")) == ["a b c"]


def test_corrections_are_tokenised_again_and_only_the_first_alternative_counts() -> None:
    assert texts(segment("a b", [Edit(1, 2, "cannot", alternatives=("x",))])) == ["a can not"]
    plain = Corpus.from_lists(["a b"], [["a cannot"]])
    assert texts(plain[0]) == ["a cannot"]


def test_a_sentence_is_never_deleted_completely() -> None:
    assert texts(segment("a b", [Edit(0, 2, "")])) == ["a b"]
    assert texts(segment("a b", [Edit(0, 1, ""), Edit(1, 2, "")])) == ["a"]


def test_edits_of_one_annotator_at_one_place_are_joined() -> None:
    assert texts(segment("a b", [Edit(1, 1, "x"), Edit(1, 1, "y")])) == ["a x y b"]


def test_mixing_combines_annotators_and_leaves_out_what_not_everyone_corrects() -> None:
    mixed = segment("a b c", [Edit(0, 1, "x"), Edit(2, 3, "z")], [Edit(0, 1, "y")])
    assert texts(mixed, mix=True) == ["x b c", "x b z", "y b c", "y b z"]
    assert texts(mixed) == ["x b z", "y b c"]


def test_a_segment_nobody_annotated_is_an_error_and_not_a_correct_one() -> None:
    with pytest.raises(DataError, match="segment 2 has no reference, and imeasure needs one"):
        IMeasure().score(["a", "b"], ["a", "c"], [["a"], [None]])


@pytest.mark.parametrize("span", ["2 1", "1 3", "-1 1"])
def test_an_edit_outside_its_sentence_is_named_by_file_and_line(span: str, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text(f"S a b\n\nS a b\nA {span}|||R|||x|||REQUIRED|||-NONE-|||0\n\n")
    with pytest.raises(DataError, match=rf"gold\.m2:3: the edit {span} .*is outside the sentence"):
        IMeasure().score(read_corpus(gold), ["a b", "a b"])


def test_too_many_combinations_are_an_error_that_names_the_sentence() -> None:
    edits = [Edit(i, i + 1, "x") for i in range(20)]
    corpus = Corpus([segment("a", []), segment(" ".join("a" * 20), edits, [])])
    with pytest.raises(DataError, match=r"more than 10,000 references: sentence 2 \(1,048,576\)"):
        IMeasure(mix=True).score(corpus, ["a", "a"])


@st.composite
def lattice(draw: Any) -> tuple[Segment, list[str]]:
    """A sentence that two annotators corrected here and there, and a hypothesis."""
    words = st.sampled_from(draw(st.sampled_from(["ab", "abcdefghij"])))
    source: list[str] = []
    edits: tuple[list[Edit], list[Edit]] = ([], [])
    for _ in range(draw(st.integers(2, 4))):
        source += draw(st.lists(words, min_size=1, max_size=6))
        end = min(len(source), len(source) - draw(st.integers(0, 1)))
        for annotator in draw(st.sampled_from([[0], [1], [0, 1]])):
            text = " ".join(draw(st.lists(words, max_size=2)))
            edits[annotator].append(Edit(end, len(source), text))
    source += draw(st.lists(words, max_size=4))
    hypothesis = list(source)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(hypothesis)))
        hypothesis[place : place + draw(st.integers(0, 1))] = draw(st.lists(words, max_size=1))
    return segment(" ".join(source), *edits), hypothesis


@settings(deadline=None, max_examples=150)
@given(lattice())
def test_counts_of_blocks_add_up_to_those_of_all_references(case) -> None:
    found, hypothesis = case
    try:
        candidates(found, mix=True, limit=1)
        return
    except TooManyCandidatesError as error:
        rows = mixed_counts(tuple(found.tokens), tuple(hypothesis), error.options, 10_000)
    if rows is not None:
        expected = IMeasure(mix=True).statistics(Corpus([found]), [" ".join(hypothesis)]).values
        assert rows.tolist() == np.unique(expected, axis=0).tolist()


def test_real_sentences_are_mixed_in_blocks_exactly(conll14: Corpus, data: Path) -> None:
    """Where enumeration is possible, blocks give the same; where it is not, they give a result."""
    hypotheses = read_lines(data / "conll14" / "systems" / "AMU.txt")
    exact = 0
    for index in range(200, 270):
        try:
            candidates(conll14[index], mix=True, limit=32)
        except TooManyCandidatesError as error:
            if error.count > 2000:
                continue
            source, tokens = conll14[index].tokens, hypotheses[index].split()
            rows = mixed_counts(tuple(source), tuple(tokens), error.options, 64)
            if rows is not None:
                expected = IMeasure(mix=True).statistics(conll14[index : index + 1], [hypotheses[index]])
                assert rows.tolist() == np.unique(expected.values, axis=0).tolist()
                exact += 1
    assert exact > 3
    three = slice(332, 335)  # 17,179,869,184, 65,536 and 262,144 combinations
    mixed = IMeasure(mix=True).score(conll14[three], hypotheses[three])
    apart = IMeasure().score(conll14[three], hypotheses[three])
    assert mixed.parts["wacc"] >= apart.parts["wacc"]


@st.composite
def mixable(draw: Any) -> tuple[Segment, str, list[str]]:
    """Two annotators' replacements at distinct places, a hypothesis, and all mixed references."""
    source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6))
    edits: tuple[list[Edit], list[Edit]] = ([], [])
    options = []
    for place, token in enumerate(source):
        given = [draw(st.sampled_from(["", "x", "y", "x y"])) if draw(st.booleans()) else None for _ in "01"]
        for annotator, correction in enumerate(given):
            if correction is not None:
                edits[annotator].append(Edit(place, place + 1, correction))
        options.append([token if None in given else None, *given])
    found = [
        [token for part in choice for token in part.split()]
        for choice in product(*([text for text in option if text is not None] for option in options))
    ]
    hypothesis = draw(st.lists(st.sampled_from("abcxy"), max_size=6))
    return segment(" ".join(source), *edits), " ".join(hypothesis), [" ".join(tokens) for tokens in found]


def weighted_accuracy(source: list[str], hypothesis: list[str], reference: list[str]) -> float:
    tp, tn, fp, fn, fpn = (0,) * 5
    sequences = [iter(source), iter(hypothesis), iter(reference)]
    for bits in full_table_path(source, hypothesis, reference):
        s, h, r = (next(text) if bits >> row & 1 else None for row, text in enumerate(sequences))
        tp += h == r != s
        tn += s == h == r
        fp += s != h and h != r
        fn += s != r and h != r
        fpn += len({s, h, r}) == 3
    whole = 2 * (tp + fp) + tn + fn - 1.5 * fpn
    return (2 * tp + tn) / whole if whole else 1.0


@settings(deadline=None, max_examples=60)
@given(mixable())
def test_mixing_finds_the_best_of_all_combinations(case) -> None:
    found, hypothesis, references = case
    kept = {text for text in references if text}  # an emptied sentence is another rule's matter
    if len(kept) < len(set(references)):
        return
    assert set(texts(found, mix=True)) == kept
    best = max(weighted_accuracy(found.tokens, hypothesis.split(), text.split()) for text in kept)
    score = IMeasure(mix=True).score(Corpus([found]), [hypothesis])
    assert score.parts["wacc"] == pytest.approx(best, abs=1e-12)


def test_optimising_for_the_corpus_compares_running_totals() -> None:
    # Alone, the second sentence is best with its first reference; what counts is the sum.
    sources, hypotheses = ["a b c d", "a b"], ["a x c d", "a y"]
    references = [["a b c d"], ["a z", "q r"]]
    for name in MAXIMISE:
        by_sentence = IMeasure(maximise=name).score(sources, hypotheses, references)
        by_corpus = IMeasure(maximise=name, optimise="corpus").score(sources, hypotheses, references)
        part = {"acc": "accuracy", "p": "precision", "r": "recall"}.get(name[1:], name[1:])
        part = part if name[0] == "c" else f"d_{part}"
        if part == "d_fpn":  # detection has none
            continue
        assert by_corpus.parts[part] >= by_sentence.parts[part]


@pytest.mark.parametrize("name", MAXIMISE)
@pytest.mark.parametrize("optimise", ["sentence", "corpus"])
def test_every_setting_keeps_the_contract(name: str, optimise: str) -> None:
    if optimise == "sentence" or name in ("cwacc", "di"):
        check_metric(IMeasure(maximise=name, optimise=optimise))


# -- what must always hold --------------------------------------------------------------------------

SENTENCES = st.lists(st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join), min_size=1, max_size=4)


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_the_score_is_between_minus_one_and_one(data) -> None:
    sources = data.draw(SENTENCES)
    line = st.lists(st.sampled_from("abcd"), max_size=6).map(" ".join)
    hypotheses = [data.draw(line) for _ in sources]
    references = [data.draw(st.lists(line, min_size=1, max_size=3)) for _ in sources]
    score = IMeasure(optimise=data.draw(st.sampled_from(["sentence", "corpus"]))).score(
        sources, hypotheses, references
    )
    assert -1 <= score.value <= 1
    assert ((score.sentences >= -1) & (score.sentences <= 1)).all()
    assert (score.statistics.values >= 0).all()


@settings(deadline=None, max_examples=100)
@given(rewritten())
def test_a_hypothesis_that_is_the_reference_scores_one(three) -> None:
    source, reference, other = (" ".join(text) for text in three)
    if source != reference:
        assert IMeasure().score([source], [reference], [[other, reference]]).value == 1
        assert IMeasure().score([source], [reference], [[reference]]).value == 1


def test_leaving_the_source_scores_zero_where_something_had_to_change() -> None:
    assert IMeasure().score(["a b"], ["a b"], [["a c"]]).value == 0
    assert IMeasure().score(["a b"], ["a b"], [["a b"]]).value == 1


def test_empty_texts_are_scored_without_ado() -> None:
    score = IMeasure().score(["", "a", "", "a"], ["", "", "a", "a"], [[""], ["a"], [""], [""]])
    assert score.sentences.tolist() == [1, -1, -1, 0]


# -- explanation and command line -------------------------------------------------------------------


def test_an_explanation_shows_columns_classes_and_every_reference() -> None:
    score = IMeasure().score(["a b c d e"], ["a x q e f"], [["a y c e", "a x c d e"]])
    explanation = score.explain(0)
    best = explanation.best
    assert best.numbers["I"] == explanation.score == score.value
    assert [column.label for column in best.alignment].count("TN") == best.numbers["TN"]
    assert [each.chosen for each in explanation.comparisons].count(True) == 1
    shown = explanation_text(explanation)
    for word in ("source", "hypothesis", "reference", "(chosen)", "WAcc", "imeasure|mix:no"):
        assert word in shown


def test_the_drop_in_command_takes_every_option(tmp_path: Path, run: Callable[..., Any]) -> None:
    gold = (
        "S a b c\nA 1 2|||N|||x|||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
    )
    (tmp_path / "gold.m2").write_text(gold)
    (tmp_path / "hyp").write_text("a y c\n")
    assert run("compat", "m2_to_ixml", "-in:gold.m2", "-out:gold.ixml").returncode == 0
    done = run("compat", "ieval", "-ref:gold.ixml", "-hyp:hyp", "-max:df", "-opt:corpus", "-b:0.5", "-w:3")
    assert done.returncode == 0, done.stderr
    for line in (
        "Maximising metric  : F - DETECTION", "Optimise for       : CORPUS", "WAcc weight        : 3.0",
        "F beta             : 0.5", "OVERALL RESULTS",
    ):  # fmt: skip
        assert line in done.stdout
    assert "F_0.50" in done.stdout
    assert "SENTENCE RESULTS" not in done.stdout
    assert run("compat", "ieval", "-hyp:hyp").returncode == 2
    assert run("compat", "ieval", "-ref:gold.ixml", "-hyp:hyp", "-b:x").returncode == 2
    assert run("compat", "ieval", "-ref:gold.ixml", "-hyp:missing").returncode == 1


@pytest.mark.parametrize("name", ["small", "over"])
@pytest.mark.parametrize(
    ("number", "options"),
    [
        (1, []),
        (2, ["-nomix"]),
        (3, ["-nomix", "-opt:corpus"]),
        (4, ["-max:di", "-opt:corpus"]),
        (5, ["-max:cf", "-b:0.5"]),
        (6, ["-nomix", "-max:dtp", "-w:1"]),
    ],
)
def test_ties_among_candidates_are_decided_as_officially(
    golden: Path, tmp_path: Path, run: Callable[..., Any], name: str, number: int, options: list[str]
) -> None:
    folder = golden / "imeasure/ties"
    if not folder.is_dir():
        pytest.skip("the official choices among tied candidates are not here")
    (tmp_path / f"im_{name}.xml").write_bytes(lzma.decompress((folder / f"{name}.xml.xz").read_bytes()))
    (tmp_path / f"im_{name}.hyp").write_bytes((folder / f"{name}.hyp.txt").read_bytes())
    done = run("compat", "ieval", f"-ref:im_{name}.xml", f"-hyp:im_{name}.hyp", *options, "-per-sent")
    assert done.stdout == lzma.decompress((folder / f"{name}.{number}.txt.xz").read_bytes()).decode()


# -- candidates of M2 files ------------------------------------------------------------------------

CORRECTIONS = ["x", "", "-NONE-", "a b", "cannot", "it's", "end.", "x||y", "x  y", "can not", '"', "a, b"]
edit_lines = st.builds(
    lambda start, size, correction, annotator, kind: (
        f"A {start} {start + size}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||{annotator}"
    ),
    st.integers(0, 3), st.integers(0, 2), st.sampled_from(CORRECTIONS), st.integers(0, 2),
    st.sampled_from(["T", "T", "T", "noop"]),
)  # fmt: skip
m2_blocks = st.builds(
    lambda source, edits: "\n".join([f"S {source}", *edits]),
    st.sampled_from(["a", "a b c", "a b c d e", "a b  c d", ""]),
    st.lists(edit_lines, max_size=4),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(m2_blocks, min_size=1, max_size=4), st.booleans())
def test_candidates_of_m2_files_are_those_of_single_segments(blocks, retokenize) -> None:
    corpus = parse_m2(("\n\n".join(blocks) + "\n\n").encode(), "gold.m2")
    try:
        single = [candidates(segment, mix=False, retokenize=retokenize) for segment in corpus]
    except DataError as error:
        with pytest.raises(DataError, match=re.escape(error.message)):
            candidate_rows(corpus, mix=False, retokenize=retokenize, limit=10)
        return
    found = candidate_rows(corpus, mix=False, retokenize=retokenize, limit=10)
    words = corpus.vocabulary.tokens
    texts = [[words[token] for token in row] for row in found.ids.lists()]
    both = [*zip(found.references.tolist(), texts, strict=True)]
    rows = found.offsets.tolist()
    assert [sorted(both[a:b]) for a, b in pairwise(rows)] == [*map(sorted, single)]
    assert corpus.annotation_counts.tolist() == [len(segment.annotations) for segment in corpus]
