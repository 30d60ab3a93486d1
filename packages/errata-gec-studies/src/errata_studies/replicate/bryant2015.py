"""Bryant & Ng (2015), *How Far are We from Fully Automatic High Quality GEC?*, ACL.

The ten annotations are released. Of the printed figures one is known, quoted by Ge, Wei & Zhou (2018).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from errata.meta.human_performance import annotator_texts, human_scores, without_annotator
from errata.meta.sensitivity import reference_curve, restricted_to
from errata.metrics.m2 import M2
from errata.metrics.statistics import Floats
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.replicate.bench import Bench, once
from errata_studies.replicate.drawing import curves
from errata_studies.replicate.exhibits import Key, Reproduction, Value, cells, printed

NAME = "bryant2015"
DRAWS = 20  # sets of annotators for each number of references


@once
def _people(bench: Bench) -> list[float]:
    """F0.5 of each annotator against the nine others, in percent."""
    return [100 * score for score in human_scores(bench.bn15, M2(), jobs=bench.jobs)]


@once
def _systems(bench: Bench) -> dict[str, float]:
    """F0.5 of each system, the mean over the ten choices of nine annotators, in percent."""
    others = [without_annotator(bench.bn15, k) for k in range(10)]
    return {
        system: 100 * float(np.mean([M2().score(each, lines, jobs=bench.jobs).value for each in others]))
        for system, lines in bench.outputs.items()
    }


def agreement(bench: Bench) -> Reproduction:
    """Each annotator against each single other one."""
    golds = [restricted_to(bench.bn15, {k})[0] for k in range(10)]
    rows: list[list[TableCell]] = []
    for k in range(10):
        texts = annotator_texts(bench.bn15, k)
        scores = [
            100 * M2().score(gold, texts).value if other != k else None for other, gold in enumerate(golds)
        ]
        mean = float(np.mean([score for score in scores if score is not None]))
        rows.append([f"A{k + 1}", *scores, mean])
    columns = [Column("annotator"), *(Column(f"A{k}", 1) for k in range(1, 11)), Column("mean", 2)]
    overall = float(np.mean([float(str(row[-1])) for row in rows]))
    return Reproduction(
        tables=[Table(columns, [*rows], "F0.5 (%) of the row's annotator against the column's")],
        notes=[f"two people agree with F0.5 {overall:.2f} % on average"],
    )


def references(bench: Bench) -> Reproduction:
    """People and systems against 1 to 9 annotators, and their ratio."""
    measure = partial(
        reference_curve, M2(), choose="annotators", draws=DRAWS, seed=bench.seed, jobs=bench.jobs
    )
    people = np.mean(
        [
            measure(without_annotator(bench.bn15, k), {"": annotator_texts(bench.bn15, k)}).scores[:, 0]
            for k in range(10)
        ],
        axis=0,
    )
    names = ("CAMB", "CUUI", "AMU")
    chosen = {name: bench.outputs[name] for name in names}
    systems = measure(bench.bn15, chosen).scores[:9]
    lines: dict[str, Floats] = {"people": 100 * people}
    lines |= {name: 100 * systems[:, k] for k, name in enumerate(names)}
    rows: list[list[TableCell]] = [
        [
            n + 1,
            *(float(line[n]) for line in lines.values()),
            *(100 * float(systems[n, k] / people[n]) for k in range(3)),
        ]
        for n in range(9)
    ]
    columns = [
        Column("references"),
        *(Column(name, 2) for name in lines),
        *(Column(f"{n} share %", 2) for n in names),
    ]
    return Reproduction(
        tables=[Table(columns, [*rows], "F0.5 (%) by number of references")],
        notes=[f"means over {DRAWS} sets of annotators, or all if there are fewer"],
        charts=[partial(curves, list(range(1, 10)), lines, ("references", "F0.5 (%)"), {}, None)],
    )


def ratio(bench: Bench) -> Reproduction:
    """The ratio of systems to people against nine annotators."""
    people, systems = _people(bench), _systems(bench)
    mean = float(np.mean(people))
    reproduced: dict[Key, Value] = {("people", "F0.5 %"): mean}
    rows: list[list[TableCell]] = [[name, score, 100 * score / mean] for name, score in systems.items()]
    by_annotator = ", ".join(f"A{k} {score:.2f}" for k, score in enumerate(people, 1))
    return Reproduction(
        cells(printed(NAME, "Ratio"), reproduced),
        [
            Table(
                [Column("system"), Column("F0.5 %", 2), Column("share %", 2)],
                [*rows],
                "Share of human performance",
            )
        ],
        notes=[
            f"people against the nine others: {by_annotator}",
            "`errata score --benchmark conll14-10 --human`",
        ],
    )
