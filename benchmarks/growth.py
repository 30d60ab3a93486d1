"""What a sentence costs as it grows from 5 to 640 tokens: python benchmarks/growth.py [--quick]

Synthetic sentences with the same rate of errors at every length, one reference, one thread, from strings
to the score. The exponent is the slope of log cost over log length, of all lengths and of the long ones.
Then hard input, and twice as much of it: lines of one piece for the readers, and sentences without a word in
common, in another order, or of one word for the metrics.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import script
from edits import official
from measure import Budget, exponent, in_turns, installed, median, seconds_of
from texts import LENGTHS, Texts, of_length
from throughput import SPACY, specifications, title

from errata import Corpus, DataError, read_corpus
from errata.metrics import errant, metric
from errata.tables import Column, Table

Scorer = Callable[[list[str], list[str], list[str]], Any]
TOKENS = 1600  # of a round, but at least two sentences
SLOWEST = 2.0  # seconds; a subject that takes longer for a round is not tried on longer sentences
LONG = 80  # from here on the sentence, not the call, is what costs
BYTES = 125_000  # of a hard line, and twice as many
WORDS = 250  # of a hard sentence, and twice as many
PIECES = ("x", "x ", "=>", "{a=>b", ":::")
FORMATS: dict[str, Callable[[str], str]] = {
    "m2": lambda text: f"S {text}\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n",
    "jsonl": lambda text: f'{{"source": "{text}", "references": ["c"]}}\n',
    "tsv": lambda text: f"source\treference\n{text}\tc\n",
    "txt": lambda text: f"{text}\n",
    "ann": lambda text: f"{text}{{a=>{text}:::x=}}\n",  # UA-GEC
}


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


def read(path: Path) -> None:
    """Read a file, or find out what is wrong with it."""
    with suppress(DataError):
        read_corpus(path)


def hard_lines(folder: Path, size: int) -> Iterator[tuple[str, list[Callable[[], Any]]]]:
    """Every reader on one long line of each piece, of so many bytes and of twice as many."""
    for suffix, line in FORMATS.items():
        for piece in PIECES:
            works: list[Callable[[], Any]] = []
            for times in (1, 2):
                path = folder / f"{len(works)}-{PIECES.index(piece)}.{suffix}"
                path.write_text(line(piece * (times * size // len(piece))), encoding="utf-8")
                works.append(lambda path=path: read(path))
            yield f"{suffix}: {piece!r} again and again", works


def hard_sentences(words: int) -> Iterator[tuple[str, list[Callable[[], Any]]]]:
    """Every metric on a sentence of each hard kind, of so many words and of twice as many."""
    for specification in specifications(False):
        score = ours(specification)
        for kind in ("nothing in common", "another order", "one word"):
            works: list[Callable[[], Any]] = []
            for texts in (_hard(kind, words), _hard(kind, 2 * words)):
                lists = [[text] for text in texts]
                works.append(lambda score=score, lists=lists: score(*lists))
            yield f"{title(specification)}: {kind}", works


def _hard(kind: str, words: int) -> tuple[str, str, str]:
    """Source, hypothesis and reference."""
    generator = random.Random(1)
    source = [f"w{generator.randrange(5000)}" for _ in range(words)]
    if kind == "one word":
        return tuple(" ".join(["the"] * count) for count in (words, 3 * words // 4, words // 2))
    if kind == "another order":
        return tuple(" ".join(generator.sample(source, words)) for _ in range(3))
    return tuple(" ".join(letter + word for word in source) for letter in "abc")


def hard(data: Texts, budget: Budget, size: int = BYTES, words: int = WORDS) -> Iterator[Table]:
    rows: list[list[Any]] = []
    with TemporaryDirectory() as folder:
        for works_of in (hard_lines(Path(folder), size), hard_sentences(words)):
            for name, works in works_of:
                script.say(f"growth on hard input, {name}")
                times = in_turns(works, Budget(budget.seconds / 20, min(budget.fewest, 3), 7))
                one, two = (median(seconds, 1000).value for seconds in times)
                rows.append([name, one, two, two / one])
    columns = [Column("input"), Column("ms CPU", 1), Column("twice as long", 1), Column("times", 1)]
    yield Table(columns, rows, title="Growth on hard input")


def both(data: Texts, budget: Budget) -> Iterator[Table]:
    yield from details(data, budget)
    yield from hard(data, budget)


if __name__ == "__main__":
    script.main(__doc__, details=both)
