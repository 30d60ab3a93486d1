"""Napoles, Sakaguchi, Post & Tetreault (2016), *GLEU Without Tuning*, arXiv:1605.02592."""

from __future__ import annotations

import numpy as np

from errata.metrics.gleu import GLEU
from errata.significance.correlations import pearson, spearman
from errata_studies.replicate import napoles2015
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.exhibits import (
    Cause,
    Key,
    Reproduction,
    Value,
    cells,
    near,
    order_of,
    printed,
    ranked,
)  # fmt: skip

NAME = "napoles2016"
TABLE_1 = napoles2015.TABLE_2 | printed(NAME, "Table 1")


def table_1(bench: Bench) -> Reproduction:
    scores = napoles2015.scores(bench)
    old = named(bench.systems, scores["GLEU+"])
    new = named(bench.systems, bench.scores(GLEU(), "NUCLE"))
    published = printed(NAME, "Table 1")
    reproduced = ranked("GLEU+", old)
    text = "systems whose scores differ by less than the .0004 by which random references move them"
    causes = {key: Cause(text, outcomes=near(old, str(reproduced[key]), 0.0008)) for key in published}
    return Reproduction(
        cells(published, reproduced, other=ranked("GLEU+", new), causes=causes), other="penalty corrected"
    )


def section_3(bench: Bench) -> Reproduction:
    """How many places apart the printed rankings are on average."""
    human = {name: place for place, name in enumerate(order_of(TABLE_1, "Human"))}
    reproduced: dict[Key, Value] = {}
    for column in ("M²", "GLEU0", "GLEU+"):
        order = order_of(TABLE_1, column)
        reproduced[column, "places away"] = float(
            np.mean([abs(i - human[name]) for i, name in enumerate(order)])
        )
    return Reproduction(
        cells(printed(NAME, "§3"), reproduced), notes=["of the printed rankings: the table is about those"]
    )


def table_2(bench: Bench) -> Reproduction:
    reproduced, causes = napoles2015.correlations(bench, ("GLEU+",))
    drawn = napoles2015.draws_of(bench)
    corrected = bench.scores(GLEU(), "NUCLE")
    tables: dict[Key, Value] = {
        ("GLEU+", "r"): float(pearson(drawn, corrected).mean()),
        ("GLEU+", "ρ"): float(spearman(drawn, corrected).mean()),
    }
    return Reproduction(
        cells(printed(NAME, "Table 2"), reproduced, other=tables, causes=causes),
        notes=[
            napoles2015.DRAWN,
            "the other rows are those of Napoles et al. (2015) Table 3 and are counted there",
        ],
        other="penalty corrected",
    )
