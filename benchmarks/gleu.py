"""GLEU+ with 500 draws against gec-metrics, NLTK and the original: python benchmarks/gleu.py [--quick]

NLTK's GLEU is another score, Google's variant of BLEU without a source; it is timed for what it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import script
from measure import Contest, Recorded
from texts import Texts

from errata import GLEU, Corpus
from errata.metrics.gleu_draws import kept_choices

OFFICIAL = 3.69  # CPU seconds a system: compute_gleu, Python 2.7, two references, 500 draws, reading included


def contests(data: Texts) -> Iterator[Contest]:
    sources, lines = data.sources, data.outputs[0]

    def ours() -> float:
        kept_choices.cache_clear()
        return GLEU().score(Corpus.from_lists(sources, data.by_sentence), lines, jobs=1).value

    def gec_metrics() -> float:
        from gec_metrics.metrics import GLEUOfficial

        return GLEUOfficial(GLEUOfficial.Config(iter=500)).score_corpus(sources, lines, data.references)

    def nltk_gleu() -> float:
        from nltk.translate.gleu_score import corpus_gleu

        split = [[text.split() for text in texts] for texts in data.by_sentence]
        return corpus_gleu(split, [line.split() for line in lines])

    task = "GLEU+, 1 system, 500 draws"
    yield Contest(task, "gec-metrics GLEUOfficial", "gec-metrics", ours, gec_metrics)
    yield Contest(
        task, "NLTK corpus_gleu", "nltk", ours, nltk_gleu, note="another score: Google's, no source"
    )


def recorded(data: Texts) -> Iterator[Recorded]:
    def score() -> None:
        kept_choices.cache_clear()
        corpus, outputs = data.read_texts()
        for lines in outputs.values():
            assert GLEU().score(corpus, lines, jobs=1).value > 0

    count = len(data.systems)
    yield Recorded(f"GLEU+, {count} systems, files read", "compute_gleu, Python 2", OFFICIAL * count, score)


if __name__ == "__main__":
    script.main(__doc__, contests, recorded)
