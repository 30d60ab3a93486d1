"""What a sentence costs as it grows from 5 to 640 tokens: python benchmarks/growth.py [--quick]

Synthetic sentences with the same rate of errors at every length, one reference, one thread, from strings
to the score. The exponent is the slope of log cost over log length, of all lengths and of the long ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import script
from edits import official
from measure import Budget, exponent, in_turns, installed, median, seconds_of
from texts import LENGTHS, Texts, of_length
from throughput import SPACY, specifications, title

from errata import Corpus
from errata.metrics import errant, metric
from errata.tables import Column, Table

Scorer = Callable[[list[str], list[str], list[str]], Any]
TOKENS = 1600  # of a round, but at least two sentences
SLOWEST = 2.0  # seconds; a subject that takes longer for a round is not tried on longer sentences
LONG = 80  # from here on the sentence, not the call, is what costs


def ours(specification: str) -> Scorer:
    chosen = metric(specification)

    def score(sources: list[str], hypotheses: list[str], references: list[str]) -> float:
        errant.extractor.cache_clear()
        return chosen.score(Corpus.from_lists(sources, references), hypotheses, jobs=1).value

    return score


def sacre_bleu(sources: list[str], hypotheses: list[str], references: list[str]) -> float:
    from sacrebleu import BLEU

    return BLEU(tokenize="none", force=True).corpus_score(hypotheses, [references]).score


def sacre_ter(sources: list[str], hypotheses: list[str], references: list[str]) -> float:
    from sacrebleu import TER

    return TER(case_sensitive=True).corpus_score(hypotheses, [references]).score


def errant_edits(sources: list[str], hypotheses: list[str], references: list[str]) -> list[str]:
    return official(sources, hypotheses)


def subjects(rivals: bool = True) -> Iterator[tuple[str, Scorer]]:
    """Every metric of errata, and the alternatives that can be put next to one."""
    for specification in specifications(rivals):
        yield f"errata {title(specification)}", ours(specification)
    if rivals and installed("sacrebleu"):
        yield "sacreBLEU BLEU", sacre_bleu
        yield "sacreBLEU TER", sacre_ter
    if rivals and SPACY in specifications():
        yield "errant, edits only", errant_edits


def details(
    data: Texts, budget: Budget, lengths: tuple[int, ...] = LENGTHS, rivals: bool = True
) -> Iterator[Table]:
    texts = {length: of_length(length, min(max(2, TOKENS // length), 200)) for length in lengths}
    rows: list[list[Any]] = []
    for name, score in subjects(rivals):
        script.say(f"growth of {name}")
        costs: dict[int, float] = {}
        for length, texts_ in texts.items():
            score(*texts_)
            if seconds_of(lambda s=score, t=texts_: s(*t)) > SLOWEST:
                break
            (seconds,) = in_turns([lambda s=score, t=texts_: s(*t)], Budget(budget.seconds / 20, 3, 7))
            costs[length] = median(seconds, 1e6 / len(texts_[0])).value
        long = [length for length in costs if length >= LONG]
        slopes = [exponent(some, [costs[length] for length in some]) for some in (list(costs), long)]
        rows.append([name, *(costs.get(length) for length in lengths), *slopes])
    columns = [Column("µs CPU a sentence of … tokens"), *(Column(str(length), 1) for length in lengths)]
    slopes_ = [Column("exponent", 2), Column(f"from {LONG} tokens", 2)]
    yield Table([*columns, *slopes_], rows, title="Growth")


if __name__ == "__main__":
    script.main(__doc__, details=details)
