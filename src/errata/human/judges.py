"""What each judge did: items, pairs, ties, time, and how consistently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errata.human.agreement import agreement
from errata.human.expected_wins import expected_wins
from errata.human.judgments import Floats, Judgments
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


@dataclass(frozen=True, eq=False)
class JudgeOverview:
    """What each judge did, which systems each judge prefers, and how far they agree."""

    statistics: list[JudgeStatistics]
    systems: tuple[str, ...]
    wins: Floats  # Expected Wins by judge and system
    kappas: Floats  # by two judges, on the diagonal with themselves; NaN where too few pairs are shared
    inter: float
    intra: float


def judge_overview(judgments: Judgments) -> JudgeOverview:
    """The judges side by side; skipped items do not count."""
    judgments = judgments.filtered()
    statistics = judge_statistics(judgments)
    tallies = [expanded_pairs(judgments.filtered(judges=[one.judge])).tally() for one in statistics]
    wins = np.array([expected_wins(tally) for tally in tallies])
    agreed = agreement(judgments)
    place = {one.judge: i for i, one in enumerate(statistics)}
    kappas = np.full((len(place), len(place)), np.nan)
    for kappa in (*agreed.inter, *agreed.intra):
        if kappa.comparisons >= agreed.minimum:
            i, j = place[kappa.first], place[kappa.second]
            kappas[i, j] = kappas[j, i] = kappa.kappa
    return JudgeOverview(
        statistics,
        judgments.systems,
        wins,
        kappas,
        agreed.overall(agreed.inter),
        agreed.overall(agreed.intra),
    )
