"""M² against the recorded original: python benchmarks/m2.py [--quick]

Times are CPU seconds of one thread, files read, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import script
from measure import Recorded
from texts import Texts

from errata import M2

OFFICIAL = 533.0  # CPU seconds of the m2scorer for the 13 systems of CoNLL-2014


def everything(data: Texts) -> None:
    """What a user asks for: the files to the scores of all systems."""
    corpus, outputs = data.read()
    for lines in outputs.values():
        assert M2().score(corpus, lines, jobs=1).value >= 0


def recorded(data: Texts) -> Iterator[Recorded]:
    task = f"M², {len(data.systems)} systems, files read"
    yield Recorded(task, "m2scorer, Python 2", OFFICIAL, lambda: everything(data))


if __name__ == "__main__":
    script.main(__doc__, recorded=recorded)
