"""Explanations of scores as text for the terminal and for the report page."""

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

WIDTH = 100
_GAP = "–"
_NOTHING = "∅"
_LABEL_WIDTH = 12
_SIGNS: dict[Verdict, str] = {"right": "✓", "wrong": "✗", "missed": "○", "neutral": " "}
_STYLES: dict[Verdict, str] = {"right": "green", "wrong": "red", "missed": "yellow", "neutral": ""}


def explanation_text(explanation: Explanation, width: int = WIDTH) -> str:
    """The explanation as plain text; alignments are folded to the width."""
    return "".join(line.plain.rstrip() + "\n" for line in _lines(explanation, width))


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print the explanation in the colours of a terminal: green is right, red wrong, yellow missed."""
    for line in _lines(explanation, console.width):
        line.rstrip()
        console.print(line, soft_wrap=True)


def _lines(explanation: Explanation, width: int) -> Iterator[Text]:
    yield _labelled("source", explanation.source)
    yield _labelled("hypothesis", explanation.hypothesis)
    for comparison in explanation.comparisons:
        yield Text()
        yield _heading(comparison, several=len(explanation.comparisons) > 1)
        for reference in comparison.references:
            yield _labelled("reference", reference)
        yield from _comparison(comparison, width)
    yield Text()
    for note in explanation.notes:
        yield Text(note)
    yield Text.assemble((f"{explanation.score:.6f}", "bold"), "  ", (explanation.metric, "dim"))


def _labelled(label: str, text: str) -> Text:
    return Text.assemble((label.ljust(_LABEL_WIDTH), "bold"), text)


def _heading(comparison: Comparison, *, several: bool) -> Text:
    numbers = "".join(f"  {name} {_number(value)}" for name, value in comparison.numbers.items())
    mark = "  (chosen)" if comparison.chosen and several else ""
    return Text.assemble((comparison.title, "bold"), numbers, (mark, "bold"))


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _comparison(comparison: Comparison, width: int) -> Iterator[Text]:
    for shift in comparison.shifts:
        yield Text(f"  ✗ {shift.tokens}  [moved from {shift.start} to {shift.target}]", style="magenta")
    if comparison.alignment:
        yield from _alignment(comparison.texts, comparison.alignment, width)
    if comparison.texts == ("source", "hypothesis") and not comparison.edits:
        yield Text("  nothing to correct, nothing changed", style="green")
    for edit in comparison.edits:
        yield _edit(edit)
    for counts in comparison.ngrams:
        yield Text(f"  {counts.n}-grams  {counts.numerator:g}/{counts.denominator:g} = {counts.ratio:.4f}")
        yield from _ngrams("rewarded", counts.rewarded, "right")
        yield from _ngrams("penalised", counts.penalised, "wrong")
        yield from _ngrams("neither", counts.neither, "missed")


def _edit(edit: ExplainedEdit) -> Text:
    text = f"  {_SIGNS[edit.verdict]} {edit.start}–{edit.end}  "
    text += f"{edit.before or _NOTHING} → {edit.after or _NOTHING}"
    if edit.value is not None:
        text += f"  {edit.value:+.4f}" + ("" if edit.error is None else f" ± {edit.error:.4f}")
    return Text(text + (f"  [{edit.note}]" if edit.note else ""), style=_STYLES[edit.verdict])


def _ngrams(name: str, ngrams: Ngrams, verdict: Verdict) -> Iterator[Text]:
    if ngrams:
        listed = " · ".join(f"{ngram} ×{count}" if count > 1 else ngram for ngram, count in ngrams.items())
        yield Text.assemble(f"    {name:<11}", (listed, _STYLES[verdict]))


# -- alignments: one text below the other ----------------------------------------------------------------


def _alignment(names: Sequence[str], columns: Sequence[AlignedTokens], width: int) -> Iterator[Text]:
    """The texts below each other, token by token, with the labels of changed columns below them."""
    for some in _folded(columns, max(width - _LABEL_WIDTH, 20)):
        widths = [_column_width(column) for column in some]
        for i, name in enumerate(names):
            row = Text(name.ljust(_LABEL_WIDTH))
            for column, wide in zip(some, widths, strict=True):
                row.append(set_cell_size(column.tokens[i] or _GAP, wide) + " ", _STYLES[column.verdict])
            yield row
        labels = Text(" " * _LABEL_WIDTH)
        for column, wide in zip(some, widths, strict=True):
            labels.append(set_cell_size(_label(column), wide) + " ", _STYLES[column.verdict])
        if labels.plain.strip():
            yield labels


def _folded(columns: Sequence[AlignedTokens], width: int) -> list[list[AlignedTokens]]:
    """The columns in lines of at most this width."""
    lines: list[list[AlignedTokens]] = [[]]
    used = 0
    for column in columns:
        wide = _column_width(column) + 1
        if used + wide > width and lines[-1]:
            lines.append([])
            used = 0
        lines[-1].append(column)
        used += wide
    return lines


def _column_width(column: AlignedTokens) -> int:
    return max(cell_len(text) for text in (*(token or _GAP for token in column.tokens), _label(column)))


def _label(column: AlignedTokens) -> str:
    return "" if column.verdict == "neutral" else column.label
