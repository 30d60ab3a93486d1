"""Why a sentence gets its M²: the system's edits, the gold edits, and which matched which."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from errata.corpus.model import Annotation, Edit, Segment
from errata.errors import DataError

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from errata.metrics.m2 import M2


@dataclass(frozen=True, slots=True)
class SystemEdit:
    """An edit of the system, and the gold edits it matched (numbers in the annotator's list)."""

    start: int
    end: int
    source: str
    correction: str
    matched: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GoldEdit:
    """An edit of the annotator, and whether the system made it."""

    start: int
    end: int
    source: str
    corrections: tuple[str, ...]
    type: str
    found: bool
    outside: bool  # reaches outside the sentence and was left out


@dataclass(frozen=True, slots=True)
class AnnotatorView:
    """What one annotator would give the system."""

    annotator: int
    edits: tuple[SystemEdit, ...]
    gold: tuple[GoldEdit, ...]
    correct: int
    proposed: int
    gold_count: int
    precision: float
    recall: float
    f: float


@dataclass(frozen=True, slots=True)
class M2Explanation:
    """A sentence's M², annotator by annotator; `chosen` is the number of the one that counts."""

    source: str
    hypothesis: str
    beta: float
    annotators: tuple[AnnotatorView, ...]
    chosen: int

    @property
    def best(self) -> AnnotatorView:
        """The annotator that was chosen."""
        return next(view for view in self.annotators if view.annotator == self.chosen)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return asdict(self)

    def render(self, *, width: int = 80, color: bool = False) -> str:
        """As text for the terminal."""
        from rich.console import Console

        console = Console(
            file=io.StringIO(), width=width, force_terminal=color, no_color=not color, highlight=False
        )
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"

    def __str__(self) -> str:
        return self.render()

    def __rich__(self) -> Group:
        """Green what is right, red what is wrong, yellow what was missed."""
        from rich.console import Group
        from rich.text import Text

        lines = [
            Text.assemble(("source      ", "bold"), self.source),
            Text.assemble(("hypothesis  ", "bold"), self.hypothesis),
        ]
        for view in self.annotators:
            mark = "  (chosen)" if view.annotator == self.chosen and len(self.annotators) > 1 else ""
            heading = Text.assemble(
                (f"annotator {view.annotator}", "bold"),
                f"  P {view.correct}/{view.proposed} = {view.precision:.4f}",
                f"  R {view.correct}/{view.gold_count} = {view.recall:.4f}",
                f"  F{self.beta:g} = {view.f:.4f}",
                (mark, "bold"),
            )
            lines += [Text(), heading, self._marked(view)]
            for edit in view.edits:
                sign, style = ("✓", "green") if edit.matched else ("✗", "red")
                note = ", ".join(view.gold[g].type for g in edit.matched) or "not in gold"
                shown = _arrow(edit.start, edit.end, edit.source, edit.correction)
                lines.append(Text(f"  {sign} {shown}  [{note}]", style=style))
            for gold in view.gold:
                if not gold.found:
                    why = "outside the sentence, left out" if gold.outside else f"{gold.type}, missed"
                    text = " or ".join(correction or "∅" for correction in gold.corrections)
                    shown = _arrow(gold.start, gold.end, gold.source, text)
                    lines.append(Text(f"  ○ {shown}  [{why}]", style="yellow"))
            if not view.edits and not view.gold:
                lines.append(Text("  nothing to correct, nothing changed", style="green"))
        return Group(*lines)

    def _marked(self, view: AnnotatorView) -> Text:
        """The sentence with its edits in place: [-before-]{+after+}."""
        from rich.text import Text

        text = Text("  ")
        tokens = self.source.split()
        position = 0
        for edit in view.edits:
            text.append("".join(token + " " for token in tokens[position : edit.start]))
            style = "green" if edit.matched else "red"
            if edit.source:
                text.append(f"[-{edit.source}-]", style=style + " strike")
            if edit.correction:
                text.append(f"{{+{edit.correction}+}}", style=style)
            text.append(" ")
            position = edit.end
        text.append(" ".join(tokens[position:]))
        return text


def explain(metric: M2, segment: Segment, hypothesis: str) -> M2Explanation:
    """The explanation of one hypothesis."""
    if not segment.annotations:
        raise DataError("the segment has no annotation to compare with")
    views = [
        view(metric, segment.source, hypothesis, annotation)
        for annotation in sorted(segment.annotations, key=lambda a: a.annotator)
    ]
    if metric.sentence == "last":
        chosen = views[-1]
    else:
        chosen = max(views, key=lambda v: (v.f, v.correct, -v.proposed - metric.beta**2 * v.gold_count))
    return M2Explanation(segment.source, hypothesis, metric.beta, tuple(views), chosen.annotator)


def view(metric: M2, source: str, hypothesis: str, annotation: Annotation) -> AnnotatorView:
    """What one annotator would give a hypothesis, edit by edit."""
    before, after = source.split(), hypothesis.split()
    inside = [
        i
        for i, gold in enumerate(annotation.edits)
        if 0 <= gold.start <= len(before) and 0 <= gold.end <= len(before)
    ]
    edits = []
    pointer = 0  # into the gold list: matches behind it alone count
    spans = [] if before == after else metric.system_edits(source, hypothesis, annotation)
    for start, end, begin, stop in spans:
        text = " ".join(after[begin:stop])
        matched = tuple(i for i in inside if i >= pointer and _same(annotation.edits[i], start, end, text))
        if matched:
            pointer = matched[-1] + 1
        edits.append(SystemEdit(start, end, " ".join(before[start:end]), text, matched))
    found = {i for edit in edits for i in edit.matched}
    correct, proposed, count = len(found), len(edits), len(inside)
    return AnnotatorView(
        annotation.annotator,
        tuple(edits),
        _gold(annotation.edits, before, found, set(inside)),
        correct,
        proposed,
        count,
        correct / proposed if proposed else 1.0,
        correct / count if count else 1.0,
        metric.sentence_score(annotation.annotator, correct, proposed, count).f,
    )


def _gold(
    edits: Sequence[Edit], before: Sequence[str], found: set[int], inside: set[int]
) -> tuple[GoldEdit, ...]:
    return tuple(
        GoldEdit(
            edit.start,
            edit.end,
            " ".join(before[edit.start : edit.end]) if i in inside else "",
            edit.corrections,
            edit.type,
            i in found,
            i not in inside,
        )
        for i, edit in enumerate(edits)
    )


def _same(gold: Edit, start: int, end: int, text: str) -> bool:
    return gold.start == start and gold.end == end and text in gold.corrections


def _arrow(start: int, end: int, source: str, correction: str) -> str:
    return f"{start}–{end}  {source or '∅'} → {correction or '∅'}"
