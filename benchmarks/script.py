"""Run one benchmark by itself: its contests and its recorded figures, as tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from measure import (
    CONTEST_COLUMNS,
    QUICK,
    RECORDED_COLUMNS,
    Budget,
    Contest,
    Recorded,
    contest_row,
    one_thread,
    recorded_row,
)
from texts import Texts, texts

from errata.tables import Table


def contest_table(contests: Iterable[Contest], budget: Budget) -> Table:
    """The table of contests; every row is announced, as some take half a minute."""
    rows: list[Any] = []
    for contest in contests:
        say(f"{contest.task} against {contest.rival}")
        rows.append(contest_row(contest, budget))
    return Table(CONTEST_COLUMNS, rows, title="Against the alternatives")


def recorded_table(records: Iterable[Recorded], budget: Budget) -> Table:
    """The table of recorded figures."""
    rows: list[Any] = []
    for record in records:
        say(f"{record.task} against the recorded {record.program}")
        rows.append(recorded_row(record, budget))
    return Table(RECORDED_COLUMNS, rows, title="Against the recorded figures of the originals")


def say(what: str) -> None:
    """Progress, to a terminal only."""
    if sys.stderr.isatty():
        print(f"… {what}", file=sys.stderr, flush=True)


def data_options(parser: argparse.ArgumentParser) -> None:
    """The options that every benchmark has."""
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it works")
    parser.add_argument("--data", choices=("auto", "conll14", "sample"), default="auto")
    parser.add_argument("--sentences", type=int, default=1200, help="of the enlarged sample")


def main(
    description: str | None,
    contests: Callable[[Texts], Iterable[Contest]] | None = None,
    recorded: Callable[[Texts], Iterable[Recorded]] | None = None,
) -> None:
    """Run one benchmark by itself and print its tables."""
    one_thread()
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data_options(parser)
    options = parser.parse_args()
    budget = QUICK if options.quick else Budget()
    with texts(options.data, options.sentences) as data:
        print(data.describe())
        if contests:
            print(contest_table(contests(data), budget).render(width=160))
        if recorded and data.recorded:
            print(recorded_table(recorded(data), budget).render(width=160))
