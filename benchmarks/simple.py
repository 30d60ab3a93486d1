"""Word and character error rate against jiwer, tokens against NLTK: python benchmarks/simple.py [--quick]"""

from __future__ import annotations

from collections.abc import Iterator

import script
from measure import Contest
from texts import Texts

from errata import CER, WER, Corpus
from errata.text.treebank import treebank_tokenize


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

    def our_tokens() -> list[str]:
        treebank_tokenize.cache_clear()
        return [" ".join(treebank_tokenize(line)) for line in plain]

    def nltk_tokens() -> list[str]:
        from nltk.tokenize import TreebankWordTokenizer

        tokenizer = TreebankWordTokenizer()
        return [" ".join(tokenizer.tokenize(line)) for line in plain]

    yield Contest("WER, 1 system, 1 reference", "jiwer", "jiwer", lambda: ours(WER()), word_error_rate)
    yield Contest("CER, 1 system, 1 reference", "jiwer", "jiwer", lambda: ours(CER()), character_error_rate)
    yield Contest("Treebank tokens of the sources", "NLTK", "nltk", our_tokens, nltk_tokens)


if __name__ == "__main__":
    script.main(__doc__, contests)
