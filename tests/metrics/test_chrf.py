"""chrF and chrF++ against sacreBLEU, on real and on random texts."""

from __future__ import annotations

import random

import pytest
import sacrebleu

from errata.metrics.chrf import ChrF
from seeda import judged, outputs, texts


def oracle(metric: ChrF):
    return sacrebleu.CHRF(char_order=metric.char_order, word_order=metric.word_order, beta=int(metric.beta))


def check(metric: ChrF, sources, lines, references) -> None:
    score = metric.score(sources, lines, references)
    official = oracle(metric)
    streams = [list(column) for column in zip(*references, strict=True)]
    assert 100 * score.value == pytest.approx(official.corpus_score(lines, streams).score, abs=1e-9)
    sentences = [official.sentence_score(h, rs).score for h, rs in zip(lines, references, strict=True)]
    assert (100 * score.sentences).tolist() == pytest.approx(sentences, abs=1e-9)


@pytest.mark.parametrize("word_order", [0, 2])
def test_real_texts_have_sacrebleus_scores(word_order, data) -> None:
    rows = judged(data)
    corpus = texts(data).select(rows)
    references = [list(some) for some in corpus.reference_texts()]
    for system in ("T5", "REF-F"):
        lines = outputs(data, "systems_subset")[system]
        check(ChrF(word_order=word_order), list(corpus.sources), lines, references)


def test_random_texts_have_sacrebleus_scores() -> None:
    generator = random.Random(2)
    words = ["a", "ab", "b.", "(c", "…", "日本", "kůň!", "?"]

    def sentence() -> str:
        return " ".join(generator.choices(words, k=generator.randint(0, 6)))

    for _ in range(150):
        size, several = generator.randint(1, 4), generator.randint(1, 3)
        metric = ChrF(
            char_order=generator.randint(1, 6),
            word_order=generator.randint(0, 2),
            beta=generator.choice([1, 2]),
        )
        lines = [sentence() for _ in range(size)]
        check(metric, [""] * size, lines, [[sentence() for _ in range(several)] for _ in range(size)])
