"""Peak memory of every metric and of the alternatives, each in a process of its own.

python benchmarks/memory.py [--quick]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import bleu_ter
import edits
import gleu
import script
from measure import Budget, Contest, in_fresh_process, installed, peak_memory
from texts import Texts, texts
from throughput import SPACY, score, specifications, title

from errata.tables import Column, Table

_MODULES = (bleu_ter, gleu, edits)


def compared(data: Texts) -> Iterator[Contest]:
    """The contests whose memory is shown."""
    for module in _MODULES:
        yield from (contest for contest in module.contests(data) if contest.memory)


def systems_of(data: Texts, specification: str) -> int:
    """How many systems are scored; spaCy would take minutes for all."""
    return 2 if specification == SPACY else len(data.systems)


def measured(what: str, data: Texts) -> float | None:
    """The peak in MB of one piece of work in a fresh process; None if it fails there."""
    script.say(f"memory of {what}")
    try:
        place = "conll14" if data.recorded else str(data.gold.parent)
        return in_fresh_process("memory.py", "--one", what, place)[0]
    except Exception:  # an alternative that does not run here has said so in its contest
        return None


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rows: list[list[Any]] = [["nothing: Python, numpy, errata, the texts", measured("nothing", data), None]]
    for specification in specifications():
        what = f"{title(specification)}, {systems_of(data, specification)} systems, files read"
        rows.append([what, measured(specification, data), None])
    for contest in compared(data):
        if installed(contest.package):
            both = [measured(f"{contest.task}|{contest.rival}|{side}", data) for side in ("ours", "theirs")]
            rows.append([f"{contest.task}: {contest.rival}", *both])
    columns = [Column("work"), Column("errata MB", 0), Column("theirs MB", 0)]
    yield Table(columns, rows, title="Peak memory")


def one(what: str, place: str) -> None:
    """Do one piece of work and print the peak."""
    with texts(place) as data:
        task, _, rest = what.partition("|")
        if rest:
            rival, _, side = rest.partition("|")
            found = next(c for c in compared(data) if (c.task, c.rival) == (task, rival))
            (found.ours if side == "ours" else found.theirs)()
        elif what == "nothing":
            data.read()
        else:
            score(data, what, systems_of(data, what))
    print(f"{peak_memory():.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3])
    else:
        script.main(__doc__, details=details)
