"""A published table or figure, its cells as printed, and the verdict on each reproduced one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata.human.rankings import Ranking
    from errata.tables import Table
    from errata_studies.replicate.bench import Bench
    from errata_studies.replicate.charts import Chart

Value = float | int | str | None
Key = tuple[str, str]  # row and column

EQUAL, EXPLAINED, ABSENT, UNEXPLAINED = "equal", "explained", "not public", "unexplained"
VERDICTS = (EQUAL, EXPLAINED, ABSENT, UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class Cause:
    """The reason why figures differ, with the evidence: the measured effect of the cause.

    A number is explained if the printed one is within `reach` of `gives`, the result of a computation with
    the cause (by default the reproduced number). Text is explained if the printed one is among the `outcomes`
    of the cause. Without evidence, nothing is explained. `absent` says that the input is not public.
    """

    text: str
    reach: float = 0.0
    gives: float | None = None
    outcomes: frozenset[str] = frozenset()
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed figure beside the reproduced one; `other` is the figure under other assumptions."""

    row: str
    column: str
    published: str
    reproduced: Value
    other: Value = None
    cause: Cause | None = None

    @property
    def decimals(self) -> int | None:
        """The number of printed decimals; None if it is not a number."""
        number = _number(self.published)
        if number is None:
            return None
        return len(self.published.partition(".")[2])

    @property
    def difference(self) -> float | None:
        """Reproduced minus published."""
        number = _number(self.published)
        if number is None or self.reproduced is None or isinstance(self.reproduced, str):
            return None
        return self.reproduced - number

    @property
    def verdict(self) -> str:
        """Equal at the printed precision, explained by a cause with evidence, or unexplained."""
        if self.reproduced is None or (isinstance(self.reproduced, float) and math.isnan(self.reproduced)):
            return ABSENT if self.cause is not None and self.cause.absent else UNEXPLAINED
        number = _number(self.published)
        if number is None or self.difference is None:
            if str(self.reproduced) == self.published:
                return EQUAL
            explained = self.cause is not None and self.published in self.cause.outcomes
            return EXPLAINED if explained else UNEXPLAINED
        # Half of the last printed digit: programs round halves up, to even, or by the binary value.
        half = 0.5 * 10.0 ** -(self.decimals or 0)
        if abs(self.difference) <= half + 1e-9:
            return EQUAL
        if self.cause is not None:
            away = self.difference if self.cause.gives is None else self.cause.gives - number
            if abs(away) <= self.cause.reach + half + 1e-9:
                return EXPLAINED
        return UNEXPLAINED


@dataclass(slots=True)
class Reproduction:
    """The result of an exhibit's function: cells, further tables, notes and charts."""

    cells: Sequence[Cell] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    other: str = ""  # the name of the cells' other figures


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper, and the function that recomputes it."""

    number: str  # "Table 2"
    title: str
    reproduce: Callable[[Bench], Reproduction]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, its citation, and the exhibits that can be recomputed."""

    name: str
    citation: str
    exhibits: Sequence[Exhibit]
    absent: Sequence[str] = field(default=())  # exhibits that are left out, with reasons


def cells(
    published: Mapping[Key, str],
    reproduced: Mapping[Key, Value],
    *,
    other: Mapping[Key, Value] | None = None,
    causes: Mapping[Key, Cause] | None = None,
) -> list[Cell]:
    """Every printed cell with the computed value; a cell without one is unexplained."""
    return [
        Cell(*key, text, reproduced.get(key), (other or {}).get(key), (causes or {}).get(key))
        for key, text in published.items()
    ]


def grid(rows: Mapping[str, str], columns: Sequence[str]) -> dict[Key, str]:
    """Printed cells from rows of blank-separated figures, as in the paper; a dash is not a cell."""
    return {
        (row, column): text
        for row, line in rows.items()
        for column, text in zip(columns, line.split(), strict=True)
        if text != "–"
    }


def column_of(table: Mapping[Key, str], column: str) -> dict[str, float]:
    """The printed figures of one column, by row."""
    return {row: float(text) for (row, name), text in table.items() if name == column}


def listing(column: str, names: str) -> dict[Key, str]:
    """A printed ranking as cells: place 1, 2, … of this column."""
    return {(f"place {place}", column): name for place, name in enumerate(names.split(), 1)}


def ranked(column: str, scores: Mapping[str, float]) -> dict[Key, Value]:
    """Systems from the highest score to the lowest, as cells of a ranking."""
    order = sorted(scores, key=lambda name: -scores[name])
    return {(f"place {place}", column): name for place, name in enumerate(order, 1)}


def ranking_cells(ranking: Ranking, names: Mapping[str, str] | None = None) -> dict[Key, Value]:
    """Score, range and cluster of each system, which may have another name in the table."""
    cells: dict[Key, Value] = {}
    for k, system in enumerate(ranking.systems):
        name = (names or {}).get(system, system)
        best, worst = int(ranking.best[k]), int(ranking.worst[k])
        cells[name, "score"] = float(ranking.scores[k])
        cells[name, "range"] = f"{best}" if best == worst else f"{best}–{worst}"
        cells[name, "cluster"] = int(ranking.clusters[k])
    return cells


def within(text: str, reaches: Iterable[tuple[Key, float]]) -> dict[Key, Cause]:
    """The same cause for several figures, with its reach in each."""
    return {key: Cause(text, reach=float(reach)) for key, reach in reaches}


def near(scores: Mapping[str, float], name: str, size: float) -> frozenset[str]:
    """The systems whose scores differ from that of one of them by less than `size`."""
    return frozenset(other for other, score in scores.items() if abs(score - scores[name]) < size)


def cut_off(published: Mapping[Key, str], reproduced: Mapping[Key, Value]) -> dict[Key, Cause]:
    """A cause for each printed figure that is the reproduced one, truncated instead of rounded."""
    causes = {}
    for key, text in published.items():
        number, value = _number(text), reproduced.get(key)
        if number is None or value is None or isinstance(value, str):
            continue
        scale = 10 ** len(text.partition(".")[2])
        if math.trunc(value * scale + math.copysign(1e-9, value)) == round(number * scale):
            causes[key] = Cause("cut off instead of rounded", reach=0.5 / scale)
    return causes


def count(cells: Sequence[Cell]) -> Counter[str]:
    """The number of cells with each verdict."""
    return Counter(cell.verdict for cell in cells)


def summary(cells: Sequence[Cell]) -> str:
    """The verdicts of cells in words."""
    return verdict_summary(count(cells))


def verdict_summary(counts: Counter[str]) -> str:
    """The line below a table: n of m cells equal, k explained, …"""
    text = f"{counts[EQUAL]} of {counts.total()} cells equal, {counts[EXPLAINED]} explained"
    if counts[ABSENT]:
        text += f", {counts[ABSENT]} not public"
    return f"{text}, {counts[UNEXPLAINED]} unexplained"


def _number(text: str) -> float | None:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None
