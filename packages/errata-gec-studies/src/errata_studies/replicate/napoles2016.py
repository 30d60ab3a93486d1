"""Napoles, Sakaguchi, Post & Tetreault (2016), *GLEU Without Tuning*, arXiv:1605.02592."""

from __future__ import annotations

import numpy as np

from errata.metrics.gleu import GLEU
from errata.significance.correlations import pearson, spearman
from errata_studies.replicate import napoles2015
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.exhibits import (
    Cause,
    Exhibit,
    Key,
    Paper,
    Reproduction,
    Value,
    cells,
    grid,
    listing,
    near,
    ranked,
)

TABLE_1 = {
    "Human": napoles2015.TABLE_2["Human"],
    "M²": napoles2015.TABLE_2["M²"],
    "GLEU0": napoles2015.TABLE_2["GLEU0"],
    "GLEU+": "CAMB CUUI AMU UMC PKU POST SJTU NTHU UFC IITB INPUT RAC IPN",
}
TABLE_2 = grid({"GLEU+": "0.549 0.401"}, ["r", "ρ"])
PLACES = {("M²", "places away"): "3.4", ("GLEU0", "places away"): "2.6", ("GLEU+", "places away"): "2.9"}


def table_1(bench: Bench) -> Reproduction:
    made = napoles2015.scores(bench)
    old = named(bench.systems, made["GLEU+"])
    new = named(bench.systems, bench.scores(GLEU(), "NUCLE"))
    published = listing("GLEU+", TABLE_1["GLEU+"])
    found = ranked("GLEU+", old)
    text = "systems whose scores differ by less than the .0004 by which random references move them"
    causes = {key: Cause(text, outcomes=near(old, str(found[key]), 0.0008)) for key in published}
    return Reproduction(
        cells(published, found, other=ranked("GLEU+", new), causes=causes),
        notes=["the other columns are those of Napoles et al. (2015) Table 2 and are counted there"],
        other="penalty corrected",
    )


def distances(bench: Bench) -> Reproduction:
    """How many places apart the printed rankings are on average."""
    human = {name: place for place, name in enumerate(TABLE_1["Human"].split())}
    found: dict[Key, Value] = {}
    for column in ("M²", "GLEU0", "GLEU+"):
        order = TABLE_1[column].split()
        found[column, "places away"] = float(np.mean([abs(i - human[name]) for i, name in enumerate(order)]))
    return Reproduction(cells(PLACES, found), notes=["of the printed rankings: the table is about those"])


def table_2(bench: Bench) -> Reproduction:
    found, causes = napoles2015.correlations(bench, ("GLEU+",))
    drawn = napoles2015.draws_of(bench)
    corrected = bench.scores(GLEU(), "NUCLE")
    tables: dict[Key, Value] = {
        ("GLEU+", "r"): float(pearson(drawn, corrected).mean()),
        ("GLEU+", "ρ"): float(spearman(drawn, corrected).mean()),
    }
    return Reproduction(
        cells(TABLE_2, found, other=tables, causes=causes),
        notes=[
            napoles2015.DRAWN,
            "the other rows are those of Napoles et al. (2015) Table 3 and are counted there",
        ],
        other="penalty corrected",
    )


PAPER = Paper(
    "napoles2016",
    "Napoles, Sakaguchi, Post & Tetreault 2016, GLEU Without Tuning, arXiv:1605.02592",
    [
        Exhibit("Table 1", "Ranking of systems by GLEU+", table_1),
        Exhibit("§3", "Average distance of rankings from the human one", distances),
        Exhibit("Table 2", "Correlation of GLEU+ with the human ranking", table_2),
    ],
)
