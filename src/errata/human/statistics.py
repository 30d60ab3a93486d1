"""What each judge did: items, pairs, ties, time, and how consistently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errata.human.agreement import agreement
from errata.human.judgments import Judgments
from errata.human.pairs import expanded_pairs, unexpanded_pairs


@dataclass(frozen=True, slots=True)
class JudgeStatistics:
    """One judge's work; times are in seconds and NaN where they are not known."""

    judge: str
    items: int  # with those that do not count
    skipped: int
    controls: int
    unexpanded: int
    unexpanded_ties: int
    expanded: int
    expanded_ties: int
    seconds: float
    median_seconds: float
    intra: float  # κ with himself, NaN where he saw nothing twice


def judge_statistics(judgments: Judgments) -> list[JudgeStatistics]:
    """Statistics of every judge, in the order of their names; skipped items count as items only."""
    counted = judgments.filtered()
    intra = {k.first: k.kappa for k in agreement(counted, minimum=0).intra}
    found = []
    for judge in sorted({judgments.judges[i] for i in judgments.judge}):
        all_items = judgments.filtered(judges=[judge], skipped=True)
        mine = counted.filtered(judges=[judge])
        every, texts = expanded_pairs(mine), unexpanded_pairs(mine)
        known = all_items.duration[~np.isnan(all_items.duration)]
        found.append(
            JudgeStatistics(
                judge=judge,
                items=len(all_items),
                skipped=len(all_items) - len(mine),
                controls=int(all_items.control.sum()),
                unexpanded=len(texts),
                unexpanded_ties=texts.ties,
                expanded=len(every),
                expanded_ties=every.ties,
                seconds=float(known.sum()) if len(known) else float("nan"),
                median_seconds=float(np.median(known)) if len(known) else float("nan"),
                intra=intra.get(judge, float("nan")),
            )
        )
    return found
