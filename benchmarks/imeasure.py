"""The I-measure against the recorded original: python benchmarks/imeasure.py"""

from __future__ import annotations

from collections.abc import Iterator

import script
from measure import Recorded
from texts import Texts

from errata import IMeasure

OFFICIAL = 3600.0  # about: CPU seconds of the official program for the 13 systems, without mixing


def everything(data: Texts) -> None:
    """What a user asks for, from the files to the scores."""
    corpus, outputs = data.read()
    for hypotheses in outputs.values():
        assert IMeasure().score(corpus, hypotheses, jobs=1).value <= 1


def recorded(data: Texts) -> Iterator[Recorded]:
    task = f"I-measure, {len(data.systems)} systems, files read"
    yield Recorded(task, "ieval -nomix, Python 2", OFFICIAL, lambda: everything(data))


if __name__ == "__main__":
    script.main(__doc__, recorded=recorded)
