"""Which line of a corpus a judgment speaks of: files count segments from 0 or from 1, and do not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from errata.errors import DataError
from errata.human.judgments import Integers, Judgments


def line_numbers(judgments: Judgments, outputs: Mapping[str, Sequence[str]], segments: int) -> Integers:
    """The number of every item's segment in the corpus, from 0; −1 where it is beyond the corpus.

    Systems that an item says wrote the same text must have done so: of counting from 0 and from 1, the
    one that fits the outputs better is taken, 0 where both do.
    """
    try:
        named = np.array([int(name) for name in judgments.segments], dtype=np.int64)
    except ValueError:
        raise DataError(
            "the judgments name segments by other than their numbers",
            hint="expected line numbers of the corpus, counted from 0 or 1",
        ) from None
    numbers = named[judgments.segment] if len(named) else np.zeros(0, dtype=np.int64)
    shared = _same_texts(judgments, outputs)
    found = []
    for first in (0, 1):
        lines = numbers - first
        inside = (lines >= 0) & (lines < segments)
        agree = sum(
            outputs[a][lines[item]].split() == outputs[b][lines[item]].split()
            for item, a, b in shared
            if inside[item]
        )
        found.append(((agree, int(inside.sum())), np.where(inside, lines, -1)))
    (fit_from_0, from_0), (fit_from_1, from_1) = found
    return from_1 if fit_from_1 > fit_from_0 else from_0


def _same_texts(judgments: Judgments, outputs: Mapping[str, Sequence[str]]) -> list[tuple[int, str, str]]:
    """Pairs of systems that an item says wrote the same text: (item, one system, the next)."""
    found = []
    for e in range(len(judgments.item) - 1):
        if judgments.item[e] == judgments.item[e + 1] and judgments.text[e] == judgments.text[e + 1]:
            a, b = (judgments.systems[judgments.system[i]] for i in (e, e + 1))
            if a in outputs and b in outputs:
                found.append((int(judgments.item[e]), a, b))
    return found


class LineRanks(NamedTuple):
    """How one judge ranked the systems on one line: (number of the system, rank)."""

    judge: str
    ranks: tuple[tuple[int, int], ...]


def ranks_by_line(
    judgments: Judgments, outputs: Mapping[str, Sequence[str]], segments: int
) -> dict[int, list[LineRanks]]:
    """For every judged line, who ranked which of the systems how; systems are numbered as in `outputs`."""
    judgments = judgments.filtered()
    lines = line_numbers(judgments, outputs, segments).tolist()
    number = {name: i for i, name in enumerate(outputs)}
    found: dict[int, list[LineRanks]] = {}
    for i, (start, stop) in enumerate(zip(judgments.offsets[:-1], judgments.offsets[1:], strict=True)):
        ranks = {
            number[name]: int(judgments.rank[e])
            for e in range(start, stop)
            if (name := judgments.systems[judgments.system[e]]) in number
        }
        if lines[i] >= 0 and len(ranks) > 1:
            judge = judgments.judges[judgments.judge[i]]
            found.setdefault(lines[i], []).append(LineRanks(judge, tuple(sorted(ranks.items()))))
    return found
