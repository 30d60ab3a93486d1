"""Word and character error rate against jiwer, tokens against NLTK: python benchmarks/simple.py [--quick]"""

from __future__ import annotations

from collections.abc import Iterator

import script
from measure import Contest
from texts import Texts

from errata import CER, WER, Corpus
from errata.corpus.files import read_lines
from errata.corpus.parallel import read_outputs, read_parallel
from errata.metrics.results import Results
from errata.text.tokenizers import treebank_tokenize


def contests(data: Texts) -> Iterator[Contest]:
    # jiwer takes one reference and no empty one
    kept = [i for i, line in enumerate(data.references[0]) if line.split()]
    sources, references, lines = (
        [texts[i] for i in kept] for texts in (data.sources, data.references[0], data.outputs[0])
    )
    plain = [line.replace(" .", ".").replace(" ,", ",") for line in data.sources]

    def ours(metric: WER | CER) -> float:
        return metric.score(Corpus.from_lists(sources, references), lines, jobs=1).value

    def word_error_rate() -> float:
        import jiwer

        return float(jiwer.wer(references, lines))

    def character_error_rate() -> float:
        import jiwer

        return float(jiwer.cer(references, lines))

    def from_files(metric: WER | CER) -> list[float]:
        corpus = read_parallel(data.source, data.reference_files[:1])
        results = Results.compute(corpus, read_outputs(data.systems, corpus), [metric], jobs=1)
        return [results.score(name).value for name in results.systems]

    def jiwer_from_files(name: str) -> list[float]:
        import jiwer

        texts = read_lines(data.reference_files[0])
        return [float(getattr(jiwer, name)(texts, read_lines(path))) for path in data.systems]

    def our_tokens() -> list[str]:
        treebank_tokenize.cache_clear()
        return [" ".join(treebank_tokenize(line)) for line in plain]

    def nltk_tokens() -> list[str]:
        from nltk.tokenize import TreebankWordTokenizer

        tokenizer = TreebankWordTokenizer()
        return [" ".join(tokenizer.tokenize(line)) for line in plain]

    yield Contest("WER, 1 system, 1 reference", "jiwer", "jiwer", lambda: ours(WER()), word_error_rate)
    yield Contest("CER, 1 system, 1 reference", "jiwer", "jiwer", lambda: ours(CER()), character_error_rate)
    if len(kept) == len(data.sources):
        for metric in (WER(), CER()):
            yield Contest(
                f"{metric.title}, {len(data.systems)} systems, 1 reference, files read", "jiwer", "jiwer",
                lambda metric=metric: from_files(metric), lambda metric=metric: jiwer_from_files(metric.name),
            )  # fmt: skip
    yield Contest("Treebank tokens of the sources", "NLTK", "nltk", our_tokens, nltk_tokens)


if __name__ == "__main__":
    script.main(__doc__, contests)
