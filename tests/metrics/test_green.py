"""GREEN: the official program's numbers, and the specification transcribed, on random texts."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from errata import Corpus
from errata.corpus.files import read_lines
from errata.metrics.green import GREEN
from oracles import green as oracle
from seeda import judged, outputs, rows_of, texts

BETAS = (2.0, 1.0, 0.5)


def read(path: Path) -> list[str]:
    return list(read_lines(path))


@pytest.mark.parametrize(("place", "beta"), [(0, 2.0), (1, 0.5)])
def test_the_four_sentences_have_the_official_scores(golden, place, beta) -> None:
    folder = golden / "green"
    references = list(map(list, zip(*(read(folder / f"case.ref{i}.txt") for i in (0, 1)), strict=True)))
    score = GREEN(beta=beta).score(
        read(folder / "case.source.txt"), read(folder / "case.output.txt"), references
    )
    wanted = float(read(folder / "case.green.official.txt")[2].split("\t")[1 + place])
    assert 100 * score.value == pytest.approx(wanted, rel=0, abs=1e-12)
    sentences = [float(line.split("\t")[place]) for line in read(folder / "case.sgreen.official.txt")]
    assert (100 * score.sentences).tolist() == pytest.approx(sentences, rel=0, abs=1e-12)


def official(path: Path) -> dict[str, list[float]]:
    rows = [line.split("\t") for line in read(path)[2:]]
    return {system: [float(number) for number in numbers] for system, *numbers in rows}


def test_all_systems_of_conll14_have_the_official_scores(data, golden) -> None:
    corpus = texts(data)
    wanted = official(golden / "green/conll14_official.txt")
    assert len(wanted) == 13
    for system, numbers in wanted.items():
        lines = read(data / f"conll14/systems/{system}.txt")
        found = [100 * GREEN(beta=beta).score(corpus, lines).value for beta in BETAS]
        assert found == pytest.approx(numbers, rel=0, abs=1e-12), system


def test_all_systems_of_seeda_have_the_official_scores(data, golden) -> None:
    corpus = texts(data).select(judged(data))
    wanted = official(golden / "green/seeda_subset_official.txt")
    rows = rows_of(golden / "green/seeda_subset_sentence_official.tsv")
    for system, lines in outputs(data, "systems_subset").items():
        found = [100 * GREEN(beta=beta).score(corpus, lines).value for beta in BETAS]
        assert found == pytest.approx(wanted[system], rel=0, abs=1e-12), system
        sentences = 100 * GREEN().score(corpus, lines).sentences
        assert sentences.tolist() == pytest.approx([float(row[system]) for row in rows], rel=0, abs=1e-12), (
            system
        )


def sentences_of(generator: random.Random, count: int) -> list[str]:
    words = ["a", "b", "c", "d", "e"][: generator.randint(2, 5)]
    return [" ".join(generator.choices(words, k=generator.randint(0, 9))) for _ in range(count)]


def test_random_texts_have_the_scores_of_the_specification() -> None:
    generator = random.Random(17)
    for _ in range(100):
        sources, lines = sentences_of(generator, 4), sentences_of(generator, 4)
        references = [sentences_of(generator, generator.randint(1, 3)) for _ in sources]
        metric = GREEN(n=generator.randint(1, 4), beta=generator.choice(BETAS))
        score = metric.score(Corpus.from_lists(sources, references), lines)
        cases = zip(sources, lines, references, strict=True)
        wanted = [
            oracle.best(s.split(), h.split(), [r.split() for r in rs], metric.n, metric.beta)
            for s, h, rs in cases
        ]
        assert score.sentences.tolist() == pytest.approx([f for f, _ in wanted], abs=1e-12)
        totals = np.sum([counts for _, counts in wanted], axis=0).tolist()
        assert score.value == pytest.approx(oracle.f(totals, metric.beta), abs=1e-12)


def test_a_text_that_is_too_short_has_0_officially_and_1_in_the_other_implementation() -> None:
    for empty, wanted in (("official", 0.0), ("gec-metrics", 1.0)):
        assert GREEN(empty=empty).score(["a b"], ["a b"], [["a b"]]).value == wanted


def test_characters_can_be_counted_in_place_of_words() -> None:
    score = GREEN(n=1, beta=1, unit="character").score(["ab"], ["ac"], [["ac"]])
    assert score.value == 1
    counts = oracle.counts("a b", "a c", "a  d", 2)
    score = GREEN(n=2, beta=1, unit="character").score(["a b"], ["a c"], [["a  d"]])
    assert score.value == pytest.approx(oracle.f(counts, 1), abs=1e-12)


def test_the_other_implementation_compares_references_by_f_over_all_orders_alone() -> None:
    """F over two orders is 0 against both references; over one order the second is better."""
    case = ([""], ["c d"], [["x y", "d c"]])
    official, other = (GREEN(n=2, empty=empty).score(*case) for empty in ("official", "gec-metrics"))
    assert official.sentences.tolist() == other.sentences.tolist() == [0.0]
    statistics = official.statistics
    assert official.metric.chosen(statistics).tolist() == [1]
    assert other.metric.chosen(statistics).tolist() == [0]


def test_gec_metrics_takes_other_spaces_for_tokens() -> None:
    source, output, reference = "a \u3000 b", "a b", "a \u3000 b"
    counts = [
        GREEN(n=1, empty=empty).statistics(Corpus.from_lists([source], [[reference]]), [output])
        for empty in ("official", "gec-metrics")  # type: ignore[arg-type]
    ]
    assert [rows.values.tolist() for rows in counts] == [[[2, 0, 0]], [[2, 1, 0]]]
