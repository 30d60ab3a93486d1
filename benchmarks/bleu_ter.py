"""BLEU, TER and chrF against sacreBLEU and NLTK: python benchmarks/bleu_ter.py [--quick]"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import script
from measure import Contest
from texts import Texts

from errata import BLEU, TER, ChrF, Corpus
from errata.corpus.files import read_lines
from errata.metrics.results import Results

FEW = 300  # sentences, where the other package takes many milliseconds a sentence


def contests(data: Texts) -> Iterator[Contest]:
    sources, references, outputs = data.sources, data.references, data.outputs
    head = slice(0, FEW)
    few = [lines[head] for lines in references]

    def ours(metric: Any, systems: list[list[str]], part: slice = slice(None)) -> list[float]:
        corpus = Corpus.from_lists(sources[part], data.by_sentence[part])
        return [metric.score(corpus, lines[part], jobs=1).value for lines in systems]

    def sacre_bleu() -> list[float]:
        import sacrebleu

        metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
        return [metric.corpus_score(lines, references).score / 100 for lines in outputs]

    def nltk_bleu() -> list[float]:
        from nltk.translate.bleu_score import corpus_bleu

        split = [[text.split() for text in texts] for texts in data.by_sentence]
        return [corpus_bleu(split, [line.split() for line in lines]) for lines in outputs[:2]]

    def sacre_ter() -> list[float]:
        import sacrebleu

        return [sacrebleu.TER(case_sensitive=True).corpus_score(outputs[0][head], few).score / 100]

    def sacre_chrf() -> list[float]:
        import sacrebleu

        return [sacrebleu.CHRF().corpus_score(outputs[0][head], few).score / 100]

    def from_files() -> list[float]:
        corpus, read = data.read_texts()
        results = Results.compute(corpus, read, [BLEU()], jobs=1)
        return [results.score(name).value for name in results.systems]

    def sacre_bleu_from_files() -> list[float]:
        import sacrebleu

        texts = [read_lines(path) for path in data.reference_files]
        metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
        return [metric.corpus_score(read_lines(path), texts).score / 100 for path in data.systems]

    all_systems = f"BLEU, {len(outputs)} systems"
    yield Contest(f"{all_systems}, files read", "sacreBLEU", "sacrebleu", from_files, sacre_bleu_from_files)
    yield Contest(all_systems, "sacreBLEU", "sacrebleu", lambda: ours(BLEU(), outputs), sacre_bleu)
    yield Contest("BLEU, 2 systems", "NLTK corpus_bleu", "nltk", lambda: ours(BLEU(), outputs[:2]), nltk_bleu)
    some = f"{min(FEW, len(sources))} sentences"
    yield Contest(
        f"TER, {some}",
        "sacreBLEU",
        "sacrebleu",
        lambda: ours(TER(), outputs[:1], head),
        sacre_ter,
    )
    yield Contest(
        f"chrF, {some}", "sacreBLEU", "sacrebleu", lambda: ours(ChrF(), outputs[:1], head), sacre_chrf
    )


if __name__ == "__main__":
    script.main(__doc__, contests)
