"""How far the stages from bytes to scores are from what memory could deliver: python benchmarks/roofline.py

CPU seconds of one thread for all systems, with what each stage goes over (bytes, tokens, cells) and how many
bytes it moves at least. The bandwidth is that of a copy of 64 MB, which no cache holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import script
from measure import Budget, best_of
from texts import Texts

from errata import BLEU, GLEU, M2, WER
from errata.corpus.m2 import parse_m2
from errata.edits import english
from errata.edits.columns import Columns
from errata.edits.languages import default_words
from errata.edits.merging import merge
from errata.edits.taggers.embedded import EmbeddedTagger
from errata.edits.tokens import NumberedTags
from errata.metrics.batch import Batch
from errata.tables import Column, Table
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary

Stage = tuple[str, int, str, int, Callable[[], Any]]  # what, how many, of what, bytes moved, the work
_ARRAY = 64 << 20


def bandwidth() -> float:
    """Bytes a second that a copy reads and writes."""
    source, target = np.ones(_ARRAY, dtype=np.uint8), np.zeros(_ARRAY, dtype=np.uint8)
    return 2 * _ARRAY / best_of(lambda: np.copyto(target, source), 5)


def reading(data: Texts) -> Iterator[Stage]:
    """From files to token ids."""
    files = [path.read_bytes() for path in data.systems]
    size = sum(map(len, files))
    yield "read the files", size, "bytes", 2 * size, lambda: [path.read_bytes() for path in data.systems]
    lines = [Lines.split(content)[0] for content in files]
    count = sum(map(len, lines))
    yield "find the lines, check UTF-8", size, "bytes", size, lambda: [Lines.split(data) for data in files]
    vocabulary = Vocabulary()
    tokens = sum(len(vocabulary.encode_lines(some).values) for some in lines)

    def numbered() -> None:
        made = Vocabulary()
        for content in files:
            made.encode_lines(Lines.split(content)[0])

    yield "split and number the tokens", tokens, "tokens", size + 4 * tokens + 8 * count, numbered
    gold = Path(data.gold).read_bytes()
    corpus = parse_m2(gold, "gold.m2")
    yield "read the gold edits", len(gold), "bytes", 2 * len(gold), lambda: parse_m2(gold, "gold.m2").edit_ids
    assert len(corpus)


def counting(data: Texts) -> Iterator[Stage]:
    """From token ids to statistics: what the kernels do."""
    corpus, outputs = data.read()
    texts, hypotheses = data.read_texts()
    sources = corpus.source_ids.lengths
    work_of: list[tuple[Any, Any, Any]] = [(M2(), corpus, outputs)]
    work_of += [(metric, texts, hypotheses) for metric in (WER(), BLEU(), GLEU())]
    for metric, base, lines in work_of:
        ids = [base.vocabulary.encode_lines(some) for some in lines.values()]
        references = base.reference_ids
        if metric.name in ("m2", "wer"):
            other = sources if metric.name == "m2" else references.ids.lengths
            owner = (
                np.arange(len(base))
                if metric.name == "m2"
                else np.repeat(np.arange(len(base)), np.diff(references.offsets))
            )
            amount = sum(int(((found.lengths[owner] + 1) * (other + 1)).sum()) for found in ids)
            what = "cells of the whole grids"
        else:
            amount = sum(4 * (len(found.values) + len(references.ids.values)) for found in ids)
            what = "n-grams"
        moved = sum(4 * (len(found.values) + len(references.ids.values)) for found in ids)

        def work(metric: Any = metric, base: Any = base, lines: Any = lines) -> None:
            for some in lines.values():
                metric.compute(Batch(base, some, 1))

        work()
        yield f"{metric.title}: statistics", amount, what, moved, work


def extracting(data: Texts) -> Iterator[Stage]:
    """From token ids to the edits of ERRANT, with the embedded tagger; every different sentence once."""
    tagger, columns = EmbeddedTagger("en"), Columns()
    sources = [tuple(line.split()) for line in data.sources]
    changed = {
        (one, other)
        for lines in data.outputs
        for one, line in zip(sources, lines, strict=True)
        if one != (other := tuple(line.split()))
    }
    numbers = {s: i for i, s in enumerate(dict.fromkeys(s for pair in sorted(changed) for s in pair))}
    rows = columns.encoded(list(numbers))

    def tag() -> NumberedTags:
        return EmbeddedTagger("en").tag_numbered(columns.forms, rows.values, rows.offsets, 1)

    tags = tagger.tag_numbered(columns.forms, rows.values, rows.offsets, 1)
    columns.add(rows, tags)
    pairs = np.array([(numbers[one], numbers[other]) for one, other in sorted(changed)])
    cells = int((rows.lengths[pairs] + 1).prod(axis=1).sum())
    aligned = english.aligner().align(columns, pairs)
    edits = merge(columns, pairs, aligned, "rules", english.merge_rules(), 1)
    types = english.types(default_words("en"))
    steps, spans = int(aligned.counts.sum()), len(edits.spans)
    yield "ERRANT: tag", len(rows.values), "tokens", 28 * len(rows.values), tag
    yield "ERRANT: align", cells, "cells", 12 * cells, lambda: english.aligner().align(columns, pairs)
    yield (
        "ERRANT: merge", steps, "steps", 4 * steps + 16 * spans,
        lambda: merge(columns, pairs, aligned, "rules", english.merge_rules(), 1),
    )  # fmt: skip
    yield (
        "ERRANT: types", spans, "edits", 20 * spans,
        lambda: types.types(columns, pairs[edits.pairs], edits.spans, 1),
    )  # fmt: skip


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    top = bandwidth()
    rows: list[list[Any]] = []
    for what, amount, unit, moved, work in [*reading(data), *counting(data), *extracting(data)]:
        seconds = best_of(work, budget.fewest)
        rows.append([what, amount, unit, seconds * 1e3, seconds * 1e9 / amount, moved / seconds / top])
    columns = [
        Column("stage"), Column("how many"), Column("of what"), Column("CPU ms", 2), Column("ns each", 2),
        Column("share of the bandwidth", 4),
    ]  # fmt: skip
    note = f"bandwidth of a copy: {top / 1e9:.1f} GB/s"
    yield Table(columns, rows, title="Roofline", notes=[note])


if __name__ == "__main__":
    script.main(__doc__, details=details)
