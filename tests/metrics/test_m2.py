"""M² against the official program's counts, an arc-by-arc oracle, and its own properties."""

from __future__ import annotations

import io
import json
import math
import random
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from errata import M2, Annotation, Corpus, DataError, Edit, ErrataError, Segment, read_corpus
from errata.corpus.files import read_lines
from errata.limits import limited
from errata.metrics import m2 as m2_module
from errata.metrics.m2_edits import view
from errata.metrics.statistics import Statistics
from errata.report.explanations import explanation_text, print_explanation
from oracles import m2 as oracle

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def conll(data: Path) -> Corpus:
    return read_corpus(data / "conll14/test.m2")


@pytest.fixture(scope="session")
def sentences(golden: Path) -> dict[str, list[list[str]]]:
    """The official rows by system: F of the best, of the last, annotator chosen, counts."""
    found: dict[str, list[list[str]]] = {}
    for line in (golden / "m2/sentence.tsv").read_text().splitlines()[1:]:
        system, _, *fields = line.split("\t")
        found.setdefault(system, []).append(fields)
    return found


SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_counts_choices_and_scores_are_the_official_ones(
    system: str, conll: Corpus, data: Path, golden: Path, sentences: dict[str, list[list[str]]]
) -> None:
    score = M2().score(conll, read_lines(data / f"conll14/systems/{system}.txt"))
    statistics = score.statistics
    chosen = statistics.references[M2().chosen(statistics)]
    last = M2(sentence="last").sentence_scores(statistics)
    assert len(statistics) == len(sentences[system])
    for i, (best_f, last_f, annotator, counts) in enumerate(sentences[system]):
        rows = range(statistics.offsets[i], statistics.offsets[i + 1])
        ours = [(statistics.references[r], *statistics.values[r]) for r in rows]
        assert [f"{a}:{c}/{p}/{g}" for a, c, p, g in ours] == counts.replace(",", " ").split()
        assert (f"{score.sentences[i]:.6f}", f"{last[i]:.6f}") == (best_f, last_f)
        assert chosen[i] == int(annotator)
    row = next(x for x in (golden / "m2/system.txt").read_text().splitlines() if x.startswith(system + " "))
    parts = score.parts
    assert (
        f"Precision   : {parts['precision']:.4f} Recall      : {parts['recall']:.4f} "
        f"F_0.5       : {parts['f']:.4f}  "
        f"C={parts['correct']:.0f}\tP={parts['proposed']:.0f}\tG={parts['gold']:.0f} "
    ) in row


@pytest.fixture(scope="session")
def geccc(data: Path) -> tuple[Corpus, list[str]]:
    """The Czech test set and the domain of every sentence."""
    domains = dict(
        line.split("\t")[:2] for line in (data / "geccc/meta.tsv").read_text("utf-8").splitlines()[1:]
    )
    documents = (data / "geccc/test/sentence.meta").read_text("utf-8").splitlines()
    return read_corpus(data / "geccc/test/sentence.m2"), [domains[d.split("\t")[0]] for d in documents]


@pytest.mark.parametrize("system", ["synthetic", "ag_finetuned", "geccc_finetuned"])
def test_czech_systems_get_their_golden_totals_in_every_domain(
    system: str, geccc: tuple[Corpus, list[str]], data: Path, golden: Path
) -> None:
    corpus, domains = geccc
    statistics = M2().statistics(corpus, read_lines(data / f"geccc/systems/{system}.txt"))
    rows = (golden / "m2/geccc_test.txt").read_text().splitlines()
    expected = next(row for row in rows if row.startswith(system)).split()[1:]
    groups = [list(range(len(corpus)))]
    for domain in sorted(set(domains), key=_domain_order):
        groups.append([i for i, d in enumerate(domains) if d == domain])
    assert len(groups) == 5
    for group, f, totals in zip(groups, expected[::2], expected[1::2], strict=True):
        parts = M2().score(statistics.select(group)).parts
        assert f"{parts['correct']:.0f}/{parts['proposed']:.0f}/{parts['gold']:.0f}" == totals
        assert f"{100 * parts['f']:.2f}" == f


def _domain_order(domain: str) -> int:
    return ["Natives Formal", "Natives Web Informal", "Romani", "Second Learners"].index(domain)


@pytest.mark.parametrize(
    ("example", "hypothesis", "f"),
    [("ex1", "hyp1", 0), ("ex1", "hyp2", 0), ("ex2", "hyp1", 1), ("ex2", "hyp2", 1), ("ex2", "hyp3", 0.5556)],
)
def test_table_4_of_chollampatt_and_ng(example: str, hypothesis: str, f: float, golden: Path) -> None:
    corpus = read_corpus(golden / f"table4/{example}.m2")
    lines = read_lines(golden / f"table4/{example}.{hypothesis}")
    score = M2().score(corpus, lines)
    assert round(score.value, 4) == f
    assert round(float(score.sentences[0]), 4) == f


# -- the kernel against the oracle ----------------------------------------------------------------

words = st.sampled_from("abcd")
sequences = st.lists(words, max_size=8)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], list[str], list[oracle.Gold]]:
    """A source, a hypothesis, and gold edits made of the hypothesis' words, some of them ill-formed."""
    source, hypothesis = draw(sequences), draw(sequences)
    gold = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(source)))
        end = draw(st.integers(start, min(start + 3, len(source) + 1)))
        begin = draw(st.integers(0, len(hypothesis)))
        stop = draw(st.integers(begin, min(begin + 3, len(hypothesis))))
        others = draw(st.lists(words, max_size=1))
        gold.append((start, end, (" ".join(hypothesis[begin:stop]), *others)))
    return source, hypothesis, gold


def annotation(source: list[str], gold: list[oracle.Gold]) -> Annotation:
    edits = [Edit(start, end, first, alternatives=tuple(rest)) for start, end, (first, *rest) in gold]
    return Annotation(" ".join(source), edits=edits)


def counts(metric: M2, source: list[str], hypothesis: list[str], gold: list[oracle.Gold]) -> tuple[int, ...]:
    text = " ".join(source)
    corpus = Corpus([Segment(text, (annotation(source, gold),))])
    return tuple(metric.statistics(corpus, [" ".join(hypothesis)], jobs=1).values[0].tolist())


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(cases(), st.integers(0, 3))
def test_the_kernel_agrees_with_the_arc_by_arc_oracle(
    case: tuple[list[str], list[str], list[oracle.Gold]], unchanged: int
) -> None:
    source, hypothesis, gold = case
    expected = oracle.counts(source, hypothesis, gold, unchanged)
    assert counts(M2(max_unchanged_words=unchanged), source, hypothesis, gold) == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["a", "A", "b", "ab", "Ab"]), max_size=6),
       st.lists(st.sampled_from(["a", "A", "b", "ab", "aB"]), max_size=6))  # fmt: skip
def test_edits_of_blanks_and_case_can_be_left_out(source: list[str], hypothesis: list[str]) -> None:
    metric = M2(ignore_whitespace_casing=True)
    expected = oracle.counts(source, hypothesis, [], ignore_whitespace_casing=True)
    assert counts(metric, source, hypothesis, []) == expected
    edits = view(metric, " ".join(source), " ".join(hypothesis), annotation(source, [])).edits
    assert len(edits) == expected[1]


@settings(max_examples=300, deadline=None)
@given(st.lists(words, max_size=12), st.lists(st.sampled_from("wxyz"), max_size=12))
def test_growing_edits_edge_by_edge_gives_the_same_where_no_word_is_shared(
    source: list[str], hypothesis: list[str]
) -> None:
    exact = counts(M2(), source, hypothesis, [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(m2_module, "MAX_ARCS", -1)
        assert counts(M2(), source, hypothesis, []) == exact


def test_growing_edits_edge_by_edge_gives_the_official_counts_too(
    conll: Corpus, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for system in ("CAMB", "NTHU"):
        lines = read_lines(data / f"conll14/systems/{system}.txt")
        exact = M2().statistics(conll, lines)
        monkeypatch.setattr(m2_module, "MAX_ARCS", -1)
        np.testing.assert_array_equal(M2().statistics(conll, lines).values, exact.values)
        monkeypatch.undo()


# -- the scan ---------------------------------------------------------------------------------------


def random_statistics(segments: int, annotators: int, seed: int = 1) -> Statistics:
    generator = np.random.default_rng(seed)
    many = generator.integers(1, annotators + 1, size=segments)
    offsets = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    gold = generator.integers(0, 4, size=offsets[-1])
    proposed = generator.integers(0, 4, size=offsets[-1])
    correct = generator.integers(0, np.minimum(gold, proposed) + 1)
    values = np.column_stack([correct, proposed, gold]).astype(np.int64)
    return Statistics(M2.columns, values, offsets, np.zeros(offsets[-1], dtype=np.int64))


def test_a_segment_of_weight_w_is_visited_w_times_in_a_row() -> None:
    statistics = random_statistics(50, 3)
    weights = np.random.default_rng(3).integers(0, 4, size=(6, 50))
    together = M2().aggregate(statistics, weights)
    for row, parts in zip(weights, together, strict=True):
        repeated = statistics.select(np.repeat(np.arange(50), row))
        alone = M2().aggregate(repeated, np.ones((1, len(repeated)), dtype=np.int64))[0]
        np.testing.assert_array_equal(alone, parts)


def test_a_sweep_over_beta_equals_scoring_with_each_beta() -> None:
    statistics = random_statistics(60, 3)
    betas = [0.0, 0.1, 0.5, 1.0, 2.0]
    swept = M2().sweep(statistics, betas)
    assert swept.shape == (5, 1, 6)
    for beta, parts in zip(betas, swept[:, 0], strict=True):
        assert list(M2(beta=beta).score(statistics).parts.values()) == parts.tolist()


def test_ties_go_to_more_correct_then_to_less_mass_then_to_the_first() -> None:
    def choice(*rows: tuple[int, int, int]) -> int:
        offsets = np.array([0, len(rows)])
        values = np.array(rows, dtype=np.int64)
        statistics = Statistics(M2.columns, values, offsets, np.arange(len(rows)))
        return int(M2().chosen(statistics)[0])

    assert choice((0, 1, 2), (0, 1, 1)) == 1
    assert choice((1, 1, 1), (2, 2, 2)) == 1
    assert choice((0, 1, 1), (0, 1, 1)) == 0
    assert choice((0, 0, 0), (1, 1, 1)) == 1
    assert choice((0, 1, 0), (0, 0, 0)) == 1


def test_nothing_proposed_and_no_gold_are_the_official_corner_cases() -> None:
    corpus = Corpus([Segment("a b", (Annotation("a b", edits=()),))])
    assert M2().score(corpus, ["a b"]).parts == {
        "f": 1.0, "precision": 1.0, "recall": 1.0, "correct": 0.0, "proposed": 0.0, "gold": 0.0,
    }  # fmt: skip
    assert M2().score(corpus, ["a c"]).sentences.tolist() == [0.0]
    wrong = Corpus([Segment("a b", (Annotation("a b", edits=[Edit(0, 1, "x")]),))])
    assert M2().score(wrong, ["a b"]).sentences.tolist() == [0.0]
    assert M2().score(wrong, ["a b"]).parts["precision"] == 1.0
    assert M2().score(wrong, ["x b"]).value == 1.0


# -- properties -------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(cases())
def test_counts_are_never_negative_nor_more_than_there_is(
    case: tuple[list[str], list[str], list[oracle.Gold]],
) -> None:
    correct, proposed, gold = counts(M2(), *case)
    assert 0 <= correct <= gold
    assert proposed >= 0


@settings(max_examples=300, deadline=None)
@given(sequences, sequences)
def test_the_reference_itself_has_full_recall_unless_an_inserted_word_could_stand_elsewhere(
    source: list[str], target: list[str]
) -> None:
    # The official walk over insertions gives each gold insertion to one arc, which may be the wrong one
    # where the inserted words are repeated next to it.
    text, reference = " ".join(source), " ".join(target)
    gold = Annotation(text, text=reference)
    score = M2().score([text], [reference], [[reference]])
    if all(edit.start < edit.end for edit in gold.edits) or len({*source, *target}) == len(source + target):
        assert score.parts["recall"] == 1.0
    expected = oracle.counts(source, target, [(e.start, e.end, e.corrections) for e in gold.edits])
    assert tuple(score.statistics.values[0].tolist()) == expected


def test_absent_annotators_do_not_compete_and_outside_edits_are_dropped() -> None:
    outside = [Edit(-1, 0, "x"), Edit(1, 9, "x"), Edit(0, 1, "x")]
    both = (Annotation("c", edits=(), annotator=0), Annotation("c", edits=[Edit(0, 1, "d")], annotator=1))
    corpus = Corpus([Segment("a b", (Annotation("a b", edits=outside, annotator=1),)), Segment("c", both)])
    statistics = M2().statistics(corpus, ["x b", "c"])
    assert statistics.values.tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 1]]
    assert statistics.references.tolist() == [1, 0, 1]


def test_corrections_with_irregular_blanks_never_match() -> None:
    assert counts(M2(), ["a"], ["x", "y"], [(0, 1, ("x y",))])[0] == 1
    assert counts(M2(), ["a"], ["x", "y"], [(0, 1, ("x  y",))])[0] == 0


def test_a_gold_edit_listed_twice_counts_twice_and_disorder_loses_matches() -> None:
    assert counts(M2(), ["a", "b"], ["x", "b"], [(0, 1, ("x",)), (0, 1, ("x",))]) == (2, 1, 2)
    disorder: list[oracle.Gold] = [(2, 3, ("y",)), (0, 1, ("x",))]
    assert counts(M2(), ["a", "b", "c"], ["x", "b", "y"], disorder)[0] == 1


# -- hard sentences -----------------------------------------------------------------------------------


def test_long_and_repetitive_sentences_take_a_bounded_number_of_steps() -> None:
    generator = random.Random(1)
    vocabulary = [f"w{i}" for i in range(300)]
    text = [generator.choice(vocabulary) for _ in range(400)]
    rewrite = [w if generator.random() < 0.5 else generator.choice(vocabulary) for w in text]
    for source, hypothesis in [
        (text, rewrite),
        (text, generator.sample(text, 400)),
        (["the"] * 200, ["the"] * 150),
        (["the", "the", "a"] * 60, ["the", "a"] * 90),
    ]:
        gold: list[oracle.Gold] = [(3, 4, ("the",)), (5, 5, ("the the",))]
        corpus = Corpus([Segment(" ".join(source), (annotation(source, gold),))])
        with limited(work=1 << 24):
            assert not M2().statistics(corpus, [" ".join(hypothesis)], jobs=1).cuts


def test_400_words_without_a_common_one_are_a_single_edit_within_the_usual_limits() -> None:
    source, hypothesis = [f"a{i}" for i in range(400)], [f"b{i}" for i in range(400)]
    assert counts(M2(), source, hypothesis, [(0, 1, ("b0",))]) == (1, 2, 1)


def test_bad_input_gives_an_error_with_a_hint() -> None:
    corpus = Corpus.from_lists(["a", "b"], [["a"], [None]])
    with pytest.raises(DataError, match="segment 2 has no annotation"):
        M2().statistics(corpus, ["a", "b"])
    with pytest.raises(DataError, match="1 hypotheses for 2"):
        M2().statistics(corpus, ["a"])
    for name, value in (
        ("sentence", "first"),
        ("beta", -1),
        ("beta", math.nan),
        ("max_unchanged_words", -1),
    ):
        with pytest.raises(ErrataError, match=f"m2: {name}={value!r}"):
            M2(**{name: value})
    assert M2().score(["", "\0 a"], ["x", "\0 a"], [[""], ["b"]]).parts["proposed"] == 1


# -- single sentences and explanations ----------------------------------------------------------------


def test_a_single_sentence_scores_as_in_a_corpus(conll: Corpus, data: Path) -> None:
    lines = read_lines(data / "conll14/systems/CAMB.txt")
    scores = M2().score(conll, lines).sentences
    last = M2(sentence="last").score(conll, lines).sentences
    for i in range(0, 300, 7):
        references = [a.edits for a in conll[i].annotations]
        assert M2().score_sentence(conll[i].source, lines[i], references).f == scores[i]
        assert M2(sentence="last").score_sentence(conll[i].source, lines[i], references).f == last[i]
    scorer = M2().scorer("a b c", ["a y c"])
    assert [scorer(text).f for text in ("a y c", "a b c", "a y c")] == [1, 0, 1]
    best = M2().score_sentence("a b c", "a x c", ["a y c", "a x c"])
    assert best == (1.0, 1, 1, 1, 1)


def test_an_explanation_says_what_matched_and_what_was_missed() -> None:
    gold = [Edit(0, 1, "x", "T1"), Edit(3, 4, "y", "T2", alternatives=("",)), Edit(9, 9, "z", "T3")]
    segment = Segment(
        "a b c d e f",
        (Annotation("a b c d e f", edits=gold), Annotation("a b c d e f", edits=(), annotator=1)),
    )
    explanation = M2().explain(segment, "x b c d e q")
    best = explanation.best
    assert best.title == "annotator 0"
    assert [best.numbers[name] for name in ("correct", "proposed", "gold")] == [1, 2, 2]
    assert [edit.verdict for edit in best.edits] == ["right", "wrong", "missed", "neutral"]
    assert best.edits[3].note == "outside the sentence, ignored"
    assert json.loads(json.dumps(asdict(explanation)))["comparisons"][0]["chosen"] is True
    text = explanation_text(explanation, width=80)
    assert "✓ 0–1  a → x  [T1]" in text
    assert "○ 3–4  d → y or ∅  [T2, missed]" in text
    printed = io.StringIO()
    print_explanation(explanation, Console(file=printed, force_terminal=True))
    assert "\x1b[" in printed.getvalue()


def test_explanations_count_as_the_metric_does(conll: Corpus, data: Path) -> None:
    score = M2().score(conll, read_lines(data / "conll14/systems/AMU.txt"))
    for i in range(0, 1312, 13):
        explanation = score.explain(i)
        rows = score.statistics.select([i]).values.tolist()
        assert [list(each.numbers.values())[:3] for each in explanation.comparisons] == rows
        assert explanation.score == score.sentences[i]


# -- the command line -------------------------------------------------------------------------------


def test_compat_m2scorer_prints_what_the_official_program_prints(run: Run, data: Path, golden: Path) -> None:
    for system in ("AMU", "IITB", "INPUT"):  # IITB has CRLF, INPUT trailing blanks
        done = run("compat", "m2scorer", data / f"conll14/systems/{system}.txt", data / "conll14/test.m2")
        assert done.returncode == 0, done.stderr
        row = next(x for x in (golden / "m2/system.txt").read_text().splitlines() if x.startswith(system))
        assert done.stdout.replace("\n", " ").strip() in row
        assert len(done.stdout.splitlines()) == 3


def test_compat_m2scorer_takes_the_official_options(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.m2").write_text("S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
    (tmp_path / "s.txt").write_text("x B\n")
    done = run("compat", "m2scorer", "--beta", "1.0", "--max_unchanged_words", "0",
               "--ignore_whitespace_casing", "-v", "s.txt", "g.m2")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Precision   : 1.0000\nRecall      : 1.0000\nF_1.0       : 1.0000\n")
    assert "sentence 1: annotator 0 counts" in done.stdout
    short = run("compat", "m2scorer", "--b", "1.0", "--max=0", "--ig", "--verb", "s.txt", "g.m2")
    assert (short.returncode, short.stdout) == (0, done.stdout)
    unclear = run("compat", "m2scorer", "--ver", "s.txt", "g.m2")
    assert unclear.returncode == 2
    assert "--ver is not unique: --verbose, --very_verbose" in unclear.stderr
    assert run("compat", "m2scorer", "--alpha", "1", "s.txt", "g.m2").returncode == 2
    (tmp_path / "s.txt").write_text("x B\nmore\n")
    done = run("compat", "m2scorer", "s.txt", "g.m2")
    assert (done.returncode, done.stdout) == (1, "")
    assert "2 lines, but g.m2 has 1" in done.stderr


def test_explain_shows_a_sentence_and_gives_data(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.m2").write_text("S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
    (tmp_path / "s.txt").write_text("x b\n")
    done = run("explain", "m2", "--m2", "g.m2", "--hyp", "s.txt", "--line", 1)
    assert done.returncode == 0, done.stderr
    assert "✓ 0–1  a → x  [T]" in done.stdout
    done = run("explain", "m2:beta=1", "--m2", "g.m2", "--hyp", "s.txt", "--format", "json")
    assert json.loads(done.stdout)["comparisons"][0]["numbers"]["correct"] == 1
    assert run("explain", "m2", "--m2", "g.m2", "--hyp", "s.txt", "--line", 2).returncode == 1
    assert run("explain", "nonsense", "--m2", "g.m2", "--hyp", "s.txt").returncode == 2
    assert run("explain", "m2", "--m2", "g.m2").returncode == 2


def test_the_order_of_systems_changes_nothing(conll) -> None:
    from errata.corpus.model import Outputs
    from errata.metrics.gleu import GLEU
    from errata.metrics.results import Results

    part = conll[:60]
    systems = {"same": part.sources, "first": [s.split(" ", 1)[-1] for s in part.sources], "empty": [""] * 60}
    forwards = Results.compute(part, Outputs(systems), [M2(), GLEU()])
    backwards = Results.compute(part, Outputs(dict(reversed(systems.items()))), [M2(), GLEU()])
    for system in systems:
        for number in (0, 1):
            assert forwards.score(system, number).parts == backwards.score(system, number).parts


def test_recall_by_type_of_the_gold(run: Run, tmp_path: Path) -> None:
    lines = ["S a b c", "A 0 1|||X|||x|||REQUIRED|||-NONE-|||0", "A 2 3|||Y|||y|||REQUIRED|||-NONE-|||0"]
    (tmp_path / "gold.m2").write_text("\n".join([*lines, "", *lines]) + "\n\n")
    (tmp_path / "out.txt").write_text("x b c\nx b y\n")
    done = run("score", "--m2", "gold.m2", "--hyp", "out.txt", "-m", "m2", "--by", "type", "--format", "tsv")
    assert done.returncode == 0, done.stderr
    assert "type\tgold edits\tout R\nX\t2\t1.0\nY\t2\t0.5\n" in done.stdout
