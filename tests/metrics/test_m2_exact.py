"""M² to the last count: official counts of random sentences, and a transcription of the specification."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from errata import M2, Annotation, Corpus, Edit, Segment, limits, read_corpus
from errata.corpus.files import read_lines
from errata.text.python2 import lower_case_5_2
from oracles import m2 as oracle

Case = tuple[list[str], list[str], list[oracle.Gold]]
SETS = ["case", "long", "mixed", "plain", "quote", "tiny", "uni", "word"]
SETTINGS = {
    "u0.b1.0.c0": M2(max_unchanged_words=0, beta=1.0),
    "u2.b0.5.c0": M2(),
    "u2.b0.5.c1": M2(ignore_whitespace_casing=True),
    "u4.b0.5.c0": M2(max_unchanged_words=4),
}


@pytest.mark.parametrize(
    ("setting", "metric"),
    [
        ("u0.b0.5.c1", M2(max_unchanged_words=0, ignore_whitespace_casing=True)),
        ("u2.b0.5.c0", M2()),
        ("u2.b2.0.c1", M2(beta=2.0, ignore_whitespace_casing=True)),
        ("u3.b1.0.c0", M2(max_unchanged_words=3, beta=1.0)),
    ],
)
def test_annotators_with_large_numbers_are_visited_in_the_official_order(
    golden: Path, setting: str, metric: M2
) -> None:
    folder = golden / "m2/annotators"
    if not folder.is_dir():
        pytest.skip("the official choices among annotators are not here")
    corpus, lines = read_corpus(folder / "ids.m2"), read_lines(folder / "ids.hyp.txt")
    score = metric.score(corpus, lines)
    rows = metric.chosen(score.statistics)
    chosen = np.column_stack([score.statistics.references[rows], score.statistics.values[rows]]).tolist()
    *official, totals = [
        line.split("\t") for line in (folder / f"ids.{setting}.tsv").read_text().splitlines()
    ]
    assert chosen == [[int(field) for field in row[1:]] for row in official]
    assert [f"{score.parts[part]:.4f}" for part in ("precision", "recall", "f")] == totals


def test_annotators_of_equal_slots_compete_in_the_order_of_the_file(tmp_path: Path) -> None:
    for order in ([0, 8], [8, 0]):
        edits = "".join(f"A 0 1|||X|||y|||REQUIRED|||-NONE-|||{number}\n" for number in order)
        (tmp_path / "gold.m2").write_text(f"S x\n{edits}\n")
        corpus = read_corpus(tmp_path / "gold.m2")
        assert [a.annotator for a in corpus[0].annotations] == order
        statistics = M2().statistics(corpus, ["y"])
        assert statistics.references[M2().chosen(statistics)].tolist() == order[:1]
        assert M2().explain(corpus[0], "y").comparisons[0].title == f"annotator {order[0]}"


def test_u_180e_is_a_blank_as_in_python_2() -> None:
    source, output, gold = "a\u180eb c", "a x\u180ec", [Edit(1, 2, "x\u180e"), Edit(2, 3, "c\u180ed")]
    corpus = Corpus([Segment(source, (Annotation(source, edits=gold),))])
    assert M2().statistics(corpus, [output]).values.tolist() == [[1, 1, 2]]
    assert M2().score_sentence(source, output, [gold])[1:4] == (1, 1, 2)
    assert M2().explain(corpus[0], output).comparisons[0].numbers["correct"] == 1


def test_scorers_before_2016_find_one_inserted_word_at_the_beginning() -> None:
    source = "Thursday , is it not ?"
    for gold, output, counts in [
        ("It 's", "It 's Thursday , is it not ?", (0, 1, 1)),
        ("It", "It Thursday , is it not ?", (1, 1, 1)),
    ]:
        corpus = Corpus([Segment(source, (Annotation(source, edits=[Edit(0, 0, gold)]),))])
        old = M2(insertions="2014")
        assert tuple(old.statistics(corpus, [output]).values[0].tolist()) == counts
        assert old.score_sentence(source, output, [corpus[0].annotations[0].edits])[1:4] == counts
        assert old.explain(corpus[0], output).comparisons[0].numbers["correct"] == counts[0]
        assert M2().statistics(corpus, [output]).values[0].tolist() == [1, 1, 1]
        assert "|insertions:2014|" in old.score(corpus, [output]).signature
        assert "insertions" not in M2().score(corpus, [output]).signature


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", SETS)
def test_random_sentences_get_the_official_counts(golden: Path, name: str, setting: str) -> None:
    folder = golden / "m2/fuzz"
    if not folder.is_dir():
        pytest.skip("the official counts of random sentences are not here")
    metric = SETTINGS[setting]
    score = metric.score(read_corpus(folder / f"{name}.m2"), read_lines(folder / f"{name}.hyp.txt"))
    found = score.statistics
    segments = np.repeat(np.arange(len(found)), np.diff(found.offsets))
    ours = np.column_stack([segments, found.references, found.values]).tolist()
    *rows, (_, *corpus) = [
        line.split("\t") for line in (folder / f"{name}.{setting}.tsv").read_text().splitlines()
    ]
    assert ours == [[int(field) for field in row] for row in rows]
    assert [f"{score.parts[part]:.4f}" for part in ("precision", "recall", "f")] == corpus


def ambiguous(seed: int, number: int, longest: int = 10) -> Iterator[Case]:
    """Sentences of few words, changed at random; gold edits of the hypothesis' words, many at one place."""
    random_ = random.Random(seed)
    for _ in range(number):
        words = "abcdefgh"[: random_.randint(1, 8)]
        source = random_.choices(words, k=random_.randint(0, longest))
        hypothesis = random_.choices(words, k=random_.randint(0, longest))
        if random_.random() < 0.8:
            hypothesis = list(source)
            for _ in range(random_.randint(1, 6)):
                place, kind = random_.randint(0, len(hypothesis)), random_.random()
                hypothesis[place : place + (kind > 0.45)] = random_.choices(words + "xyz", k=kind < 0.75)
        gold: list[oracle.Gold] = []
        for _ in range(random_.randint(0, 6)):
            start = random_.randint(0, len(source))
            end = min(start + random_.choice([0, 0, 1, 2, 3]), len(source))
            begin = random_.randint(0, len(hypothesis))
            text = hypothesis[begin : begin + random_.choice([1, 1, 2, 3])]
            if gold and random_.random() < 0.3:  # another insertion at the same place
                start = end = gold[-1][0]
            if random_.random() < 0.15:  # a "correction" that changes nothing
                text = source[start:end]
            others = random_.choices(words, k=random_.random() < 0.2)
            gold.append((start, end, (" ".join(text), *others)))
        yield source, hypothesis, gold


def segment(*cases: Case) -> Segment:
    """One source with the gold edits of every case as an annotator's."""
    text = " ".join(cases[0][0])
    annotations = [
        Annotation(text, edits=[Edit(a, b, c[0], alternatives=c[1:]) for a, b, c in gold], annotator=i)
        for i, (_, _, gold) in enumerate(cases)
    ]
    return Segment(text, tuple(annotations))


def differing(metric: M2, cases: list[Case]) -> list[Case]:
    corpus = Corpus([segment(case) for case in cases])
    values = metric.statistics(corpus, [" ".join(case[1]) for case in cases], jobs=1).values.tolist()
    return [
        case
        for case, ours in zip(cases, values, strict=True)
        if tuple(ours) != oracle.counts(*case, metric.max_unchanged_words)
    ]


@pytest.mark.parametrize("unchanged", [0, 1, 2, 3, 5, 9])
def test_the_kernel_counts_as_the_specification_says(unchanged: int) -> None:
    number = 3000 if unchanged == 2 else 500
    assert differing(M2(max_unchanged_words=unchanged), [*ambiguous(unchanged, number)]) == []


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (("My answer is no .", "My answer answer undergo . no", []), (0, 2, 0)),  # copies of a shortened arc
        (("I I", "I B i", [(1, 2, ("I",))]), (0, 2, 1)),  # an unchanged word that is a gold "correction"
        (("x", "b a c x", [(0, 0, ("a",)), (0, 0, ("b",))]), (1, 2, 2)),  # a gold insertion passed over
    ],
)
def test_the_accidents_that_the_specification_names(
    case: tuple[str, str, list[oracle.Gold]], expected: tuple[int, int, int]
) -> None:
    source, hypothesis, gold = case
    assert oracle.counts(source.split(), hypothesis.split(), gold) == expected
    assert differing(M2(), [(source.split(), hypothesis.split(), gold)]) == []


def test_single_sentences_and_explanations_count_as_the_kernel_does() -> None:
    cases = [*ambiguous(7, 300)]
    for metric in (M2(), M2(sentence="last"), M2(max_unchanged_words=0), M2(ignore_whitespace_casing=True)):
        for source, hypothesis, gold in cases[:: 1 if metric == M2() else 4]:
            text = " ".join(hypothesis)
            both = segment((source, hypothesis, gold), (source, hypothesis, gold[1:]))
            score = metric.score(Corpus([both]), [text])
            counts = [list(each.numbers.values())[:3] for each in metric.explain(both, text).comparisons]
            assert counts == score.statistics.values.tolist()
            references = [annotation.edits for annotation in both.annotations]
            assert metric.score_sentence(both.source, text, references).f == score.sentences[0]


def test_case_is_that_of_python_2() -> None:
    # Georgian and Cherokee capitals have no lower case there, and the capital I with a dot is one letter.
    assert lower_case_5_2("ΑΣ É ß ẞ İ Ა Ꭰ Ⅷ Ӂ") == "ασ é ß ß i Ა Ꭰ ⅷ ӂ"
    metric = M2(ignore_whitespace_casing=True)
    for source, hypothesis, proposed in [
        ("É", "é", 0),
        ("İ", "i", 0),
        ("Ა", "ა", 1),
        ("Ꭰ", "ꭰ", 1),
        ("ΑΣ", "ασ", 0),
    ]:
        assert metric.score([source], [hypothesis], [[source]]).parts["proposed"] == proposed


def test_beyond_the_limit_of_work_nearly_all_counts_are_the_official_ones() -> None:
    cases = [case for case in ambiguous(8, 1500) if len({g[:2] for g in case[2]}) == len(case[2])]
    corpus = Corpus([segment(case) for case in cases])
    lines = [" ".join(case[1]) for case in cases]
    exact = M2().statistics(corpus, lines, jobs=1)
    with limits.limited(work=1):
        cut = M2().statistics(corpus, lines, jobs=1)
    assert len(cut.cuts) > 500
    changed = (exact.values - cut.values)[(exact.values != cut.values).any(axis=1)]
    assert len(changed) < 10
    assert {tuple(row) for row in changed.tolist()} <= {(0, 1, 0), (1, 1, 0)}
