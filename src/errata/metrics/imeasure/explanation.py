"""Why a hypothesis gets its I-measure: the three texts in columns, and what each column is counted as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from errata.metrics.imeasure.candidates import align_one, candidates

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from errata.corpus.model import Segment
    from errata.metrics.imeasure import IMeasure

GAP = "–"
_STYLES = {"TN": "", "TP": "bold green", "FP": "bold red", "FN": "yellow", "FPN": "bold magenta"}
_MEANINGS = {
    "TP": "corrected as the reference does",
    "FP": "changed although it was right",
    "FN": "left uncorrected",
    "FPN": "changed, but not as the reference does (counts as FP and FN)",
}
_WIDTH = 100  # of the plain text
_LABEL = 12


@dataclass(frozen=True, slots=True)
class AlignedColumn:
    """Tokens of the three texts that were aligned (None: a gap) and what they are counted as."""

    source: str | None
    hypothesis: str | None
    reference: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reference the hypothesis was compared with, and the result."""

    annotator: int  # with mixed references, the number of the combination
    text: str
    counts: dict[str, int]
    wacc: float
    wacc_base: float
    i: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The alignment with the reference that counts, and the results with all references."""

    source: str
    hypothesis: str
    columns: tuple[AlignedColumn, ...]
    chosen: int  # index of the candidate that counts
    candidates: tuple[Candidate, ...]
    signature: str

    @property
    def best(self) -> Candidate:
        """The candidate that counts."""
        return self.candidates[self.chosen]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return asdict(self)

    def __str__(self) -> str:
        import io

        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=_WIDTH, color_system=None).print(self)
        return text.getvalue().rstrip("\n")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        for some in _lines(self.columns, max(options.max_width - _LABEL, 20)):
            yield from _block(some)
        kinds = {column.kind for column in self.columns}
        for kind, meaning in _MEANINGS.items():
            if kind in kinds:
                yield Text.assemble((f"{kind:<4}", _STYLES[kind]), meaning)
        yield Text("")
        for index, candidate in enumerate(self.candidates):
            counts = "  ".join(f"{name.upper()} {count}" for name, count in candidate.counts.items())
            yield Text(
                f"{'→' if index == self.chosen else ' '} reference {candidate.annotator}: "
                f"I {100 * candidate.i:.2f}  WAcc {100 * candidate.wacc:.2f}  "
                f"source {100 * candidate.wacc_base:.2f}  ({counts})",
                style="bold" if index == self.chosen else "",
            )
        yield Text(self.signature, style="dim")


def explain(metric: IMeasure, segment: Segment, hypothesis: str) -> Explanation:
    """Align a hypothesis with every candidate reference and keep all that happened."""
    source, tokens = segment.source.split(), hypothesis.split()
    found = candidates(segment, mix=metric.mix, retokenize=metric.retokenize, limit=metric.max_candidates)
    rows = []
    for _, reference in found:
        base = align_one(source, source, reference)[1]
        rows.append([*align_one(source, tokens, reference)[1], base[1], base[3]])
    values = np.array(rows, dtype=np.int64)
    chosen = metric.best_row(values)
    measures = metric.measures(values, ("cwacc", "cwacc_base", "ci")).T.tolist()
    path, _ = align_one(source, tokens, found[chosen][1])
    return Explanation(
        source=segment.source,
        hypothesis=hypothesis,
        columns=tuple(_columns(path, source, tokens, found[chosen][1])),
        chosen=chosen,
        candidates=tuple(
            Candidate(
                annotator,
                " ".join(reference),
                dict(zip(metric.columns[:5], row[:5], strict=True)),
                *measures[index],
            )
            for index, ((annotator, reference), row) in enumerate(zip(found, rows, strict=True))
        ),
        signature=metric.signature,
    )


def _columns(
    path: Sequence[int], source: Sequence[str], hypothesis: Sequence[str], reference: Sequence[str]
) -> list[AlignedColumn]:
    texts = [iter(source), iter(hypothesis), iter(reference)]
    columns = []
    for bits in path:
        s, h, r = (next(text) if bits >> row & 1 else None for row, text in enumerate(texts))
        if s == h:
            kind = "TN" if h == r else "FN"
        elif s == r:
            kind = "FP"
        else:
            kind = "TP" if h == r else "FPN"
        columns.append(AlignedColumn(s, h, r, kind))
    return columns


def _lines(columns: Sequence[AlignedColumn], width: int) -> list[list[AlignedColumn]]:
    """The columns in lines that fit the width."""
    lines: list[list[AlignedColumn]] = [[]]
    used = 0
    for column in columns:
        wide = _wide(column) + 1
        if used + wide > width and lines[-1]:
            lines.append([])
            used = 0
        lines[-1].append(column)
        used += wide
    return lines


def _wide(column: AlignedColumn) -> int:
    from rich.cells import cell_len

    texts = (column.source, column.hypothesis, column.reference, column.kind)
    return max(cell_len(text or GAP) for text in texts)


def _block(columns: Sequence[AlignedColumn]) -> list[Text]:
    from rich.cells import set_cell_size
    from rich.text import Text

    rows = []
    for name in ("source", "hypothesis", "reference", "kind"):
        row = Text(f"{'' if name == 'kind' else name:<{_LABEL}}", style="dim" if name == "kind" else "")
        for column in columns:
            token = getattr(column, name) or GAP
            shown = "" if name == "kind" and column.kind == "TN" else token
            row.append(set_cell_size(shown, _wide(column)) + " ", style=_STYLES[column.kind])
        row.rstrip()
        rows.append(row)
    return [*rows, Text("")]
