"""Explanations of scores: lines of text, coloured in the terminal and on the report page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from errata.metrics.explanation import (
    AlignedTokens,
    Comparison,
    ExplainedEdit,
    Explanation,
    Ngrams,
    Verdict,
)

if TYPE_CHECKING:
    from rich.console import Console

Line = list[tuple[str, str]]  # texts, each with a key of `_STYLES`
WIDTH = 100
_GAP = "–"
_NOTHING = "∅"
_LABEL_WIDTH = 12
_SIGNS: dict[Verdict, str] = {"right": "✓", "wrong": "✗", "missed": "○", "neutral": " "}
_STYLES = {
    "right": "green", "wrong": "red", "missed": "yellow", "neutral": "", "heading": "bold", "muted": "dim",
}  # fmt: skip


def explanation_text(explanation: Explanation, width: int = WIDTH) -> str:
    """The explanation as plain text; alignments are folded to the width."""
    lines = explanation_lines(explanation, width)
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print the explanation in the colours of a terminal: green is right, red wrong, yellow missed."""
    for line in explanation_lines(explanation, console.width):
        text = Text.assemble(*((part, _STYLES[kind]) for part, kind in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


def explanation_lines(explanation: Explanation, width: int = WIDTH) -> Iterator[Line]:
    """The lines of the explanation; each part is right, wrong, missed, neutral, and so on."""
    yield _labelled("source", explanation.source)
    yield _labelled("hypothesis", explanation.hypothesis)
    for comparison in explanation.comparisons:
        yield []
        yield _heading(comparison, several=len(explanation.comparisons) > 1)
        for reference in comparison.references:
            yield _labelled("reference", reference)
        yield from _comparison(comparison, width)
    yield []
    for note in explanation.notes:
        yield [(note, "neutral")]
    yield [(f"{explanation.score:.6f}", "heading"), (f"  {explanation.metric}", "muted")]


def _labelled(label: str, text: str) -> Line:
    return [(label.ljust(_LABEL_WIDTH), "heading"), (text, "neutral")]


def _heading(comparison: Comparison, *, several: bool) -> Line:
    numbers = "".join(f"  {name} {_number(value)}" for name, value in comparison.numbers.items())
    mark = "  (chosen)" if comparison.chosen and several else ""
    return [(comparison.title, "heading"), (numbers, "neutral"), (mark, "heading")]


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _comparison(comparison: Comparison, width: int) -> Iterator[Line]:
    for shift in comparison.shifts:
        yield [(f"  ✗ {shift.tokens}  [moved from {shift.start} to {shift.target}]", "wrong")]
    if comparison.alignment:
        yield from _alignment(comparison.texts, comparison.alignment, width)
    if comparison.texts == ("source", "hypothesis") and not comparison.edits:
        yield [("  nothing to correct, nothing changed", "right")]
    for edit in comparison.edits:
        yield [(_edit(edit), edit.verdict)]
    for counts in comparison.ngrams:
        ratio = f"{counts.numerator:g}/{counts.denominator:g} = {counts.ratio:.4f}"
        yield [(f"  {counts.n}-grams  {ratio}", "neutral")]
        yield from _ngrams("rewarded", counts.rewarded, "right")
        yield from _ngrams("penalised", counts.penalised, "wrong")
        yield from _ngrams("neither", counts.neither, "missed")


def _edit(edit: ExplainedEdit) -> str:
    text = f"  {_SIGNS[edit.verdict]} {edit.start}–{edit.end}  "
    text += f"{edit.before or _NOTHING} → {edit.after or _NOTHING}"
    if edit.value is not None:
        text += f"  {edit.value:+.4f}" + ("" if edit.error is None else f" ± {edit.error:.4f}")
    return text + (f"  [{edit.note}]" if edit.note else "")


def _ngrams(name: str, ngrams: Ngrams, verdict: Verdict) -> Iterator[Line]:
    if ngrams:
        listed = " · ".join(f"{ngram} ×{count}" if count > 1 else ngram for ngram, count in ngrams.items())
        yield [(f"    {name:<11}", "neutral"), (listed, verdict)]


# -- alignments: one text below the other ----------------------------------------------------------------


def _alignment(names: Sequence[str], columns: Sequence[AlignedTokens], width: int) -> Iterator[Line]:
    """The texts below each other, token by token, with the labels of changed columns below them."""
    for line in _folded(columns, max(width - _LABEL_WIDTH, 20)):
        rows = [(name, [column.tokens[i] or _GAP for column in line]) for i, name in enumerate(names)]
        rows.append(("", [_label(column) for column in line]))
        for name, cells in rows:
            if any(cells):
                yield [
                    (name.ljust(_LABEL_WIDTH), "neutral"),
                    *(
                        (set_cell_size(cell, _column_width(column)) + " ", column.verdict)
                        for cell, column in zip(cells, line, strict=True)
                    ),
                ]


def _folded(columns: Sequence[AlignedTokens], width: int) -> list[list[AlignedTokens]]:
    """The columns in lines of at most this width."""
    lines: list[list[AlignedTokens]] = [[]]
    used = 0
    for column in columns:
        column_width = _column_width(column) + 1
        if used + column_width > width and lines[-1]:
            lines.append([])
            used = 0
        lines[-1].append(column)
        used += column_width
    return lines


def _column_width(column: AlignedTokens) -> int:
    return max(cell_len(text) for text in (*(token or _GAP for token in column.tokens), _label(column)))


def _label(column: AlignedTokens) -> str:
    return "" if column.verdict == "neutral" else column.label
