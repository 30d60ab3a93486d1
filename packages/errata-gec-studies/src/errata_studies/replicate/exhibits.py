"""A published table or figure, its cells as printed, and the verdict on each reproduced one."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errata.toml import read_toml

if TYPE_CHECKING:
    from errata.human.rankings import Ranking
    from errata.tables import Table
    from errata_studies.replicate.bench import Bench

Value = float | int | str | None
Key = tuple[str, str]  # row and column

EQUAL, NAMED, COMPATIBLE = "equal", "named cause", "compatible"
NOT_TESTABLE, ABSENT, UNEXPLAINED = "not testable", "not here", "unexplained"
VERDICTS = (EQUAL, NAMED, COMPATIBLE, NOT_TESTABLE, ABSENT, UNEXPLAINED)
ACCEPTABLE = 0.1  # the share of wrong values that the intervals of a table may accept


@dataclass(frozen=True, slots=True)
class Cause:
    """Why figures differ, and what was computed with this cause.

    `gives` is the figure computed with it: the cause is named if this is the printed one. Otherwise the
    printed figure is compatible with it if it lies within `reach` of that figure (of the reproduced one if
    there is none), or is one of the `outcomes`, which must not depend on what is printed.
    """

    text: str
    gives: Value = None
    reach: float = 0.0
    outcomes: frozenset[str] = frozenset()
    absent: bool = False  # an input is not here, so that nothing can be compared


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed figure beside the reproduced one; `other` is the figure under other assumptions."""

    row: str
    column: str
    published: str
    reproduced: Value
    other: Value = None
    cause: Cause | None = None
    testable: bool = True  # the intervals of its table reject wrong values

    @property
    def decimals(self) -> int | None:
        """The number of printed decimals; None if it is not a number."""
        return None if _number(self.published) is None else len(self.published.partition(".")[2])

    @property
    def difference(self) -> float | None:
        """Reproduced minus published."""
        number, value = _number(self.published), self.reproduced
        return None if number is None or value is None or isinstance(value, str) else value - number

    @property
    def verdict(self) -> str:
        verdict = self.judge(self.published)
        return NOT_TESTABLE if verdict == COMPATIBLE and not self.testable else verdict

    @property
    def interval(self) -> str:
        """The interval in which a figure is compatible: a half width, or the number of outcomes."""
        if self.cause is None or not (self.cause.reach or self.cause.outcomes):
            return ""
        if self.cause.outcomes:
            return f"{len(self.cause.outcomes)} outcomes"
        return f"±{self.cause.reach:.{(self.decimals or 0) + 1}f}"

    def judge(self, published: str) -> str:
        """The verdict if this were the printed figure."""
        cause, value = self.cause, self.reproduced
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ABSENT if cause is not None and cause.absent else UNEXPLAINED
        if prints_as(value, published):
            return EQUAL
        if cause is None:
            return UNEXPLAINED
        if cause.gives is not None and prints_as(cause.gives, published):
            return NAMED
        centre = value if cause.gives is None else cause.gives
        near = cause.reach > 0 and prints_as(centre, published, cause.reach)
        return COMPATIBLE if near or published in cause.outcomes else UNEXPLAINED


@dataclass(slots=True)
class Reproduction:
    """The result of an exhibit's function: cells, further tables, notes and charts.

    The intervals of its cells are tested: each printed figure is replaced by those of the other rows of its
    column. If too many of these `wrong` values (accepted, of how many) are accepted, or there are none,
    compatible cells are not testable.
    """

    cells: Sequence[Cell] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    charts: Sequence[Callable[[Any], None]] = ()  # each draws into an empty figure
    other: str = ""  # the name of the cells' other figures
    wrong: tuple[int, int] = field(init=False)
    missing: str = ""  # why it could not be computed here

    def __post_init__(self) -> None:
        self.wrong = wrong_values(self.cells)
        if self.wrong[0] > ACCEPTABLE * self.wrong[1] or not self.wrong[1]:
            self.cells = [replace(cell, testable=False) for cell in self.cells]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure of a paper, and the function that recomputes it."""

    number: str  # "Table 2"
    title: str
    function: Callable[[Bench], Reproduction]
    notes: Sequence[str] = ()  # printed before those of the function

    def reproduce(self, bench: Bench) -> Reproduction:
        """The recomputed cells, with all notes."""
        computed = self.function(bench)
        computed.notes = [*self.notes, *computed.notes]
        return computed


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, its citation, and the exhibits that can be recomputed."""

    name: str
    citation: str
    exhibits: Sequence[Exhibit]
    absent: Sequence[str] = ()  # exhibits that are left out, with reasons


def wrong_values(cells: Sequence[Cell]) -> tuple[int, int]:
    """How many figures of other rows the intervals of these cells accept, and how many there are."""
    columns: dict[str, set[str]] = {}
    for cell in cells:
        columns.setdefault(cell.column, set()).add(cell.published)
    verdicts = [
        cell.judge(text)
        for cell in cells
        if cell.interval
        for text in columns[cell.column]
        if text != cell.published
    ]
    return sum(verdict not in (UNEXPLAINED, ABSENT) for verdict in verdicts), len(verdicts)


@cache
def _published() -> dict[str, Any]:
    return read_toml(Path(__file__).with_name("published.toml"))


def printed(paper: str, exhibit: str) -> dict[Key, str]:
    """The printed cells of an exhibit."""
    return parse_cells(_published()[paper]["cells"][exhibit])


def read_paper(name: str) -> Paper:
    """A paper of published.toml; its module has a function for each exhibit: table_2, section_3_8."""
    module, entry = import_module(f"errata_studies.replicate.{name}"), _published()[name]
    notes = entry.get("notes", {})
    exhibits = [
        Exhibit(number, title, getattr(module, _function_name(number)), notes.get(number, ()))
        for number, title in entry["titles"].items()
    ]
    return Paper(name, entry["citation"], exhibits, entry.get("absent", ()))


def _function_name(number: str) -> str:
    return re.sub(r"[ .]", "_", number.replace("§", "section ").lower())


def parse_cells(text: str) -> dict[Key, str]:
    """Printed cells, as published.toml has them: a table, or rankings whose cells are the places."""
    (_, *columns), *rows = ([part.strip() for part in line.split("|")] for line in text.strip().splitlines())
    if not columns:
        return {
            (f"place {place}", name): system
            for name, systems in rows
            for place, system in enumerate(systems.split(), 1)
        }
    return {
        (row, column): text
        for row, *texts in rows
        for column, text in zip(columns, texts, strict=True)
        if text != "–"
    }


def order_of(table: Mapping[Key, str], column: str) -> list[str]:
    """A printed ranking, best system first."""
    return [system for (_, name), system in table.items() if name == column]


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


def column_of(table: Mapping[Key, str], column: str) -> dict[str, float]:
    """The printed figures of one column, by row."""
    return {row: float(text) for (row, name), text in table.items() if name == column}


def ranked(column: str, scores: Mapping[str, float]) -> dict[Key, Value]:
    """Systems from the highest score to the lowest, as cells of a ranking."""
    order = sorted(scores, key=lambda name: -scores[name])
    return {(f"place {place}", column): name for place, name in enumerate(order, 1)}


def ranking_cells(ranking: Ranking, names: Mapping[str, str] | None = None) -> dict[Key, Value]:
    """Score, range and cluster of each system, which may have another name in the table."""
    computed: dict[Key, Value] = {}
    for k, system in enumerate(ranking.systems):
        name = (names or {}).get(system, system)
        computed[name, "score"] = float(ranking.scores[k])
        computed[name, "range"] = range_text(int(ranking.best[k]), int(ranking.worst[k]))
        computed[name, "cluster"] = int(ranking.clusters[k])
    return computed


def range_text(best: int, worst: int) -> str:
    """A range of ranks as papers print it."""
    return f"{best}" if best == worst else f"{best}–{worst}"


def within(text: str, reaches: Iterable[tuple[Key, float]]) -> dict[Key, Cause]:
    """The same cause for several figures, with its reach in each."""
    return {key: Cause(text, reach=float(reach)) for key, reach in reaches}


def near(scores: Mapping[str, float], name: str, size: float) -> frozenset[str]:
    """The systems whose scores differ from that of one of them by less than `size`."""
    return frozenset(other for other, score in scores.items() if abs(score - scores[name]) < size)


def cut_off(published: Mapping[Key, str], reproduced: Mapping[Key, Value]) -> dict[Key, Cause]:
    """A cause for each figure: the reproduced one cut off instead of rounded."""
    causes = {}
    for key, text in published.items():
        value = reproduced.get(key)
        if isinstance(value, float) and _number(text) is not None:
            scale = 10 ** len(text.partition(".")[2])
            gives = math.trunc(value * scale + math.copysign(1e-9, value)) / scale
            causes[key] = Cause("cut off instead of rounded", gives=gives)
    return causes


def count(cells: Sequence[Cell]) -> Counter[str]:
    """The number of cells with each verdict."""
    return Counter(cell.verdict for cell in cells)


def verdict_summary(counts: Counter[str]) -> str:
    """The line below a table: n of m cells equal, k compatible, …"""
    others = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS[1:] if counts[verdict]]
    return ", ".join([f"{counts[EQUAL]} of {counts.total()} cells equal", *others])


def prints_as(value: Value, text: str, reach: float = 0.0) -> bool:
    """Whether a value is the printed one; a number may differ by `reach` in addition."""
    number = _number(text)
    if number is None or value is None or isinstance(value, str):
        return str(value) == text
    # Half of the last printed digit: programs round halves up, to even, or by the binary value.
    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return abs(value - number) <= reach + half + 1e-9


def _number(text: str) -> float | None:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return None
