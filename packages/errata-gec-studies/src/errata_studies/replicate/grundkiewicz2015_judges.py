"""Table 7 of Grundkiewicz et al. (2015): a ranking a judge."""

from __future__ import annotations

from collections.abc import Sequence

from errata.human.pairs import resampled_tallies
from errata.human.rankings import expected_wins, rank_systems
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.exhibits import Cause, Key, Reproduction, Value, cells, ranking_cells
from errata_studies.replicate.sampling import band, means, possible_ranges

RESAMPLES = 1000  # as the official tool draws
# A judge's systems from best to worst: cluster (where one begins), score, range, system
TABLE_7_ROWS = {
    "1": "1 .674 1–2 CAMB / .658 1–2 AMU / 2 .573 3–6 CUUI / .573 3–6 PKU / .566 3–7 POST / .553 3–8 RAC / "
    ".544 4–8 NTHU / .537 5–8 UMC / 3 .436 9–10 SJTU / .419 9–11 UFC / .387 10–12 IITB / .332 11–12 INPUT / "
    "4 .276 13 IPN",
    "2": "1 .640 1 AMU / 2 .559 2–6 CUUI / .558 2–6 RAC / .557 2–7 UFC / .543 2–7 CAMB / .526 3–9 PKU / "
    ".511 5–10 POST / .511 4–11 IITB / .508 5–10 UMC / .473 7–11 INPUT / .472 8–11 NTHU / 3 .398 12 SJTU / "
    "4 .286 13 IPN",
    "3": "1 .612 1–2 AMU / .578 2–3 CUUI / .564 2–5 UFC / .534 3–7 RAC / .526 4–7 POST / .517 4–8 UMC / "
    ".508 4–9 IITB / .474 5–11 INPUT / .467 8–12 SJTU / .464 8–12 PKU / .463 8–12 CAMB / .458 9–12 NTHU / "
    "2 .333 13 IPN",
    "4": "1 .641 1–2 AMU / .631 1–2 CAMB / 2 .581 3–4 RAC / .578 3–4 CUUI / 3 .507 5–10 UFC / "
    ".494 5–10 POST / .490 5–10 UMC / .488 5–11 SJTU / .486 5–10 PKU / .473 5–11 INPUT / .441 9–12 NTHU / "
    ".378 11–12 IITB / 4 .313 13 IPN",
    "5": "1 .613 1–2 AMU / .608 1–2 RAC / 2 .568 3–5 CUUI / .554 3–6 CAMB / .535 4–7 POST / .526 4–9 UFC / "
    ".515 5–9 PKU / .496 6–10 SJTU / .487 6–11 INPUT / .472 8–11 IITB / .461 9–11 UMC / 3 .375 12 NTHU / "
    "4 .290 13 IPN",
    "6": "1 .601 1–2 RAC / .579 1–4 AMU / .565 1–6 IITB / .562 2–6 POST / .548 2–8 INPUT / .535 3–8 UFC / "
    ".519 6–9 PKU / .516 6–9 CAMB / .491 7–10 SJTU / .474 9–10 CUUI / 2 .428 11 UMC / 3 .368 12 NTHU / "
    "4 .313 13 IPN",
    "7": "1 .788 1 AMU / 2 .697 2 CAMB / 3 .553 3–7 RAC / .544 3–7 UMC / .537 3–7 POST / .533 3–10 IITB / "
    ".487 5–10 PKU / .474 5–12 INPUT / .462 6–11 CUUI / .436 6–12 SJTU / .408 8–12 UFC / .386 9–12 NTHU / "
    "4 .303 13 IPN",
    "8": "1 .660 1–2 AMU / .625 1–3 CUUI / .568 2–7 IITB / .556 3–6 CAMB / .543 3–7 UMC / .537 3–7 POST / "
    ".483 5–10 INPUT / .481 5–10 UFC / .478 7–11 RAC / .466 7–11 NTHU / .420 10–12 PKU / .419 10–12 SJTU / "
    "2 .260 13 IPN",
}  # fmt: skip


def _table_7() -> dict[Key, str]:
    found: dict[Key, str] = {}
    for judge, text in TABLE_7_ROWS.items():
        cluster = ""
        for fields in (row.split() for row in text.split(" / ")):
            cluster = fields.pop(0) if len(fields) == 4 else cluster
            score, places, system = fields
            found |= {
                (f"judge {judge}: {system}", "score"): f"0{score}",
                (f"judge {judge}: {system}", "range"): places,
                (f"judge {judge}: {system}", "cluster"): cluster,
            }
    return found


TABLE_7 = _table_7()


LEVEL = 0.9
MEANS = (
    "the official tool prints means of its 1,000 resamples: 95 % of them reach as far in all scores at once"
)
BOOTSTRAP = (
    "chance of the bootstrap: a rank that comes up in about 5 % of resamples belongs to the range or "
    "not; the printed range is one that 1,000 resamples can give"
)


def ends(text: str) -> tuple[int, int]:
    """Best and worst rank of a range as it is printed."""
    best, _, worst = text.partition("–")
    return int(best), int(worst or best)


def _clusters_of(ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Clusters of systems in order of their scores: a line where all before end above all after."""
    found = [1]
    for k in range(1, len(ranges)):
        line = max(worst for _, worst in ranges[:k]) < min(best for best, _ in ranges[k:])
        found.append(found[-1] + line)
    return found


def table_7(bench: Bench) -> Reproduction:
    found: dict[Key, Value] = {}
    causes: dict[Key, Cause] = {}
    names = sorted({bench.experts.judges[j] for j in bench.experts.judge})
    for judge, name in enumerate(names, 1):
        pairs = bench.pairs(bench.experts.filtered(judges=[name]))
        scores = expected_wins(pairs.tally(), divisor="beaten")
        tallies = resampled_tallies(pairs, samples=RESAMPLES, unit="pair", seed=bench.seed)
        samples = expected_wins(tallies, divisor="beaten")
        ranking = rank_systems(pairs.systems, samples, scores=scores, level=LEVEL)
        printed = {system: ends(TABLE_7[f"judge {judge}: {system}", "range"]) for system in ranking.systems}
        can = possible_ranges(samples, [printed[system] for system in pairs.systems], LEVEL)
        possible = dict(zip(pairs.systems, can, strict=True))
        reach = named(pairs.systems, band(means(samples, RESAMPLES, seed=bench.seed)))
        rows = {system: f"judge {judge}: {system}" for system in ranking.systems}
        found |= ranking_cells(ranking, rows)
        # Clusters follow from ranges: with the printed ones they must come out.
        follows = _clusters_of([printed[system] for system in ranking.systems])
        for (system, row), cluster in zip(rows.items(), follows, strict=True):
            causes[row, "score"] = Cause(MEANS, reach=reach[system])
            if possible[system]:
                span = TABLE_7[row, "range"]
                causes[row, "range"] = Cause(BOOTSTRAP, outcomes=frozenset({span}))
            if all(can):
                text = f"{BOOTSTRAP}, and clusters follow from the ranges"
                causes[row, "cluster"] = Cause(text, gives=cluster)
    return Reproduction(
        cells(TABLE_7, found, causes=causes),
        notes=["Expected Wins divided by the opponents beaten, as in Table 6; ranges and clusters at p ≤ .1"],
    )
