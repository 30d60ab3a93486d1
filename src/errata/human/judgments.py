"""Ranking judgments: items (a judge and a segment) with the rank of every system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from errata.array_types import Booleans, Floats, Integers
from errata.errors import DataError


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """The ranking of the texts on one screen by one judge; 1 is the best rank, and ties are allowed.

    `texts` has the systems that wrote each text, and `ranks` the rank of each text.
    """

    judge: str
    segment: str
    texts: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]
    name: str = ""
    document: str = ""
    duration: float | None = None  # seconds
    skipped: bool = False  # by the judge, or rejected later; does not count
    control: bool = False


@dataclass(frozen=True, eq=False)
class Judgments:
    """Ranking judgments in columns.

    An entry is one system in one item: in the item `item[e]`, the system `systems[system[e]]` wrote the text
    with the number `text[e]`, which got the rank `rank[e]`. Systems with the same text share its number. All
    other columns have one value per item.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segments: tuple[str, ...]
    item: Integers
    system: Integers
    rank: Integers
    text: Integers
    judge: Integers
    segment: Integers
    duration: Floats  # seconds; NaN if unknown
    skipped: Booleans
    control: Booleans
    names: tuple[str, ...]
    documents: tuple[str, ...]

    @classmethod
    def from_items(cls, items: Iterable[JudgedItem]) -> Judgments:
        """Judgments from items; systems in alphabetical order, judges and segments in order of appearance."""
        items = list(items)
        systems = sorted({name for item in items for text in item.texts for name in text})
        number = {name: i for i, name in enumerate(systems)}
        judges = {name: i for i, name in enumerate(dict.fromkeys(item.judge for item in items))}
        segments = {name: i for i, name in enumerate(dict.fromkeys(item.segment for item in items))}
        entries = [
            (i, number[name], rank, t)
            for i, item in enumerate(items)
            for t, (text, rank) in enumerate(zip(item.texts, item.ranks, strict=True))
            for name in text
        ]
        columns = np.array(entries, dtype=np.int64).reshape(-1, 4).T
        seconds = [np.nan if item.duration is None else item.duration for item in items]
        return cls(
            systems=tuple(systems),
            judges=tuple(judges),
            segments=tuple(segments),
            item=columns[0].copy(),
            system=columns[1].copy(),
            rank=columns[2].copy(),
            text=columns[3].copy(),
            judge=np.array([judges[item.judge] for item in items], dtype=np.int64),
            segment=np.array([segments[item.segment] for item in items], dtype=np.int64),
            duration=np.array(seconds, dtype=np.float64),
            skipped=np.array([item.skipped for item in items], dtype=np.bool_),
            control=np.array([item.control for item in items], dtype=np.bool_),
            names=tuple(item.name for item in items),
            documents=tuple(item.document for item in items),
        )

    def __len__(self) -> int:
        return len(self.judge)

    def __repr__(self) -> str:
        return f"<{len(self)} judgments of {len(self.systems)} systems by {len(self.judges)} judges>"

    @cached_property
    def offsets(self) -> Integers:
        """The entries of item i are `offsets[i]:offsets[i + 1]`."""
        return np.searchsorted(self.item, np.arange(len(self) + 1))

    def items(self) -> list[JudgedItem]:
        """The judgments item by item."""
        items = []
        for i, (start, stop) in enumerate(zip(self.offsets[:-1], self.offsets[1:], strict=True)):
            texts: dict[int, list[str]] = {}
            ranks: dict[int, int] = {}
            for e in range(start, stop):
                texts.setdefault(int(self.text[e]), []).append(self.systems[self.system[e]])
                ranks[int(self.text[e])] = int(self.rank[e])
            seconds = float(self.duration[i])
            items.append(
                JudgedItem(
                    judge=self.judges[self.judge[i]],
                    segment=self.segments[self.segment[i]],
                    texts=tuple(map(tuple, texts.values())),
                    ranks=tuple(ranks.values()),
                    name=self.names[i],
                    document=self.documents[i],
                    duration=None if np.isnan(seconds) else seconds,
                    skipped=bool(self.skipped[i]),
                    control=bool(self.control[i]),
                )
            )
        return items

    def select(self, keep: Booleans) -> Judgments:
        """The judgments of the items marked in `keep`; systems and judges keep their numbers."""
        renumbered = np.cumsum(keep) - 1
        entries = keep[self.item]
        per_item = ("judge", "segment", "duration", "skipped", "control")
        return replace(
            self,
            item=renumbered[self.item[entries]],
            system=self.system[entries],
            rank=self.rank[entries],
            text=self.text[entries],
            **{name: getattr(self, name)[keep] for name in per_item},
            names=tuple(name for name, kept in zip(self.names, keep, strict=True) if kept),
            documents=tuple(name for name, kept in zip(self.documents, keep, strict=True) if kept),
        )

    def without_systems(self, names: Sequence[str]) -> Judgments:
        """The same items without these systems, such as a reference shown as a control."""
        _check_names(names, self.systems, "system")
        kept = np.array([name not in names for name in self.systems], dtype=np.bool_)
        renumbered = np.cumsum(kept) - 1
        entries = kept[self.system]
        return replace(
            self,
            systems=tuple(name for name in self.systems if name not in names),
            item=self.item[entries],
            system=renumbered[self.system[entries]],
            rank=self.rank[entries],
            text=self.text[entries],
        )

    def filtered(
        self,
        *,
        judges: Sequence[str] = (),
        exclude_judges: Sequence[str] = (),
        min_seconds: float | None = None,
        max_seconds: float | None = None,
        skipped: bool = False,
        controls: str = "keep",
    ) -> Judgments:
        """The items of these judges and durations; skipped ones only on request.

        `controls` keeps (`"keep"`), drops or selects (`"only"`) the items marked as controls. An item of
        unknown duration passes the filter by time.
        """
        _check_names([*judges, *exclude_judges], self.judges, "judge")
        keep = np.ones(len(self), dtype=np.bool_)
        if judges:
            keep &= self._by(judges)
        if exclude_judges:
            keep &= ~self._by(exclude_judges)
        if min_seconds is not None:
            keep &= ~(self.duration < min_seconds)
        if max_seconds is not None:
            keep &= ~(self.duration > max_seconds)
        if not skipped:
            keep &= ~self.skipped
        if controls != "keep":
            keep &= self.control if controls == "only" else ~self.control
        return self.select(keep)

    def counting_all(self) -> Judgments:
        """The same judgments, none of them marked as skipped."""
        return replace(self, skipped=np.zeros(len(self), dtype=np.bool_))

    def _by(self, names: Sequence[str]) -> Booleans:
        return np.isin(self.judge, [i for i, name in enumerate(self.judges) if name in names])


def merge(sets: Sequence[Judgments], *, rename: Callable[[str], str] | None = None) -> Judgments:
    """Several sets of judgments as one; `rename` maps the names of systems."""
    items = [item for judgments in sets for item in judgments.items()]
    if rename is not None:
        items = [
            replace(item, texts=tuple(tuple(rename(name) for name in text) for text in item.texts))
            for item in items
        ]
    return Judgments.from_items(items)


def _check_names(names: Sequence[str], all_names: Sequence[str], what: str) -> None:
    for name in names:
        if name not in all_names:
            raise DataError(f"no {what} {name!r}", hint=f"there are: {', '.join(sorted(all_names))}")


# -- lines of the corpus -----------------------------------------------------------------------------


def line_numbers(judgments: Judgments, outputs: Mapping[str, Sequence[str]], segments: int) -> Integers:
    """The line of every item's segment in the corpus, from 0; −1 if it is outside the corpus.

    Files of judgments count segments from 0 or from 1, without saying which. Systems that share a text in the
    judgments must have equal outputs. The numbering that fits the outputs better is used, or 0 for a tie.
    """
    try:
        named = np.array([int(name) for name in judgments.segments], dtype=np.int64)
    except ValueError:
        raise DataError(
            "the judgments do not name segments by number",
            hint="expected line numbers of the corpus, counted from 0 or 1",
        ) from None
    numbers = named[judgments.segment] if len(named) else np.zeros(0, dtype=np.int64)
    shared = _same_texts(judgments, outputs)
    candidates = []
    for first in (0, 1):
        lines = numbers - first
        inside = (lines >= 0) & (lines < segments)
        agree = sum(
            outputs[a][lines[item]].split() == outputs[b][lines[item]].split()
            for item, a, b in shared
            if inside[item]
        )
        candidates.append(((agree, int(inside.sum())), np.where(inside, lines, -1)))
    (fit_from_0, from_0), (fit_from_1, from_1) = candidates
    return from_1 if fit_from_1 > fit_from_0 else from_0


def _same_texts(judgments: Judgments, outputs: Mapping[str, Sequence[str]]) -> list[tuple[int, str, str]]:
    """Adjacent systems with the same text in an item: (item, system, next system)."""
    same = []
    for e in range(len(judgments.item) - 1):
        if judgments.item[e] == judgments.item[e + 1] and judgments.text[e] == judgments.text[e + 1]:
            a, b = (judgments.systems[judgments.system[i]] for i in (e, e + 1))
            if a in outputs and b in outputs:
                same.append((int(judgments.item[e]), a, b))
    return same


class LineRanks(NamedTuple):
    """How one judge ranked the systems on one line: (number of the system, rank)."""

    judge: str
    ranks: tuple[tuple[int, int], ...]


def ranks_by_line(
    judgments: Judgments, outputs: Mapping[str, Sequence[str]], segments: int
) -> dict[int, list[LineRanks]]:
    """The rankings of every judged line; systems are numbered as in `outputs`."""
    judgments = judgments.filtered()
    lines = line_numbers(judgments, outputs, segments).tolist()
    number = {name: i for i, name in enumerate(outputs)}
    by_line: dict[int, list[LineRanks]] = {}
    for i, (start, stop) in enumerate(zip(judgments.offsets[:-1], judgments.offsets[1:], strict=True)):
        ranks = {
            number[name]: int(judgments.rank[e])
            for e in range(start, stop)
            if (name := judgments.systems[judgments.system[e]]) in number
        }
        if lines[i] >= 0 and len(ranks) > 1:
            judge = judgments.judges[judgments.judge[i]]
            by_line.setdefault(lines[i], []).append(LineRanks(judge, tuple(sorted(ranks.items()))))
    return by_line
