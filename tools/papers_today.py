"""Compute what the papers would say today: python tools/papers_today.py [DATA]

Writes papers_today.tsv in errata_studies/results, which docs/papers-today.md shows: published correlations
beside those of today's metrics, with Fisher's 95 % interval and p of Williams' test against the paper's other
metric.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from errata.meta.levels import SystemLevel
from errata.metrics.base import Metric
from errata.metrics.gleu import GLEU
from errata.metrics.imeasure import IMeasure
from errata.metrics.m2 import M2
from errata.significance.correlations import fisher_interval
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.napoles2015 import draws_of
from errata_studies.replicate.sakaguchi2016_table6 import EXPERTS
from errata_studies.results import write_rows

KINDS = {"r": "pearson", "ρ": "spearman"}
FIELDS = (
    "paper", "people", "references", "metric", "coefficient", "published", "today", "today_low", "today_high",
    "against", "p",
)  # fmt: skip
METRICS: dict[str, Metric] = {
    "M²": M2(), "M² F0.18": M2(beta=0.18), "GLEU": GLEU(), "I-measure": IMeasure(),
}  # fmt: skip
# paper, people, references, metric, coefficient, published figure, the metric it is compared with
CLAIMS = """
grundkiewicz2015 EW NUCLE M² ρ 0.692 M²_F0.18
grundkiewicz2015 EW NUCLE M²_F0.18 ρ 0.758 M²
napoles2015 napoles NUCLE_texts GLEU r 0.542 M²
napoles2015 napoles NUCLE_texts GLEU ρ 0.555 M²
napoles2015 napoles NUCLE M² r 0.358 GLEU
napoles2015 napoles NUCLE M² ρ 0.429 GLEU
napoles2015 napoles NUCLE I-measure ρ -0.005 M²
napoles2016 napoles NUCLE_texts GLEU r 0.549 M²
napoles2016 napoles NUCLE_texts GLEU ρ 0.401 M²
sakaguchi2016 TrueSkill NUCLE_1278 M² ρ 0.725 GLEU
sakaguchi2016 TrueSkill NUCLE_1278 GLEU ρ 0.626 M²
sakaguchi2016 TrueSkill BN15 GLEU ρ 0.720 M²
sakaguchi2016 TrueSkill E-fluency GLEU ρ 0.819 M²
sakaguchi2016 TrueSkill N-fluency GLEU ρ 0.676 M²
sakaguchi2016 TrueSkill E-min. GLEU ρ 0.786 M²
sakaguchi2016 TrueSkill N-min. GLEU ρ -0.187 M²
sakaguchi2016 TrueSkill All GLEU ρ 0.725 M²
chollampatt2018 EW NUCLE_texts GLEU r 0.691 M²
chollampatt2018 EW NUCLE M² r 0.623 GLEU
chollampatt2018 EW NUCLE M² ρ 0.687 GLEU
chollampatt2018 TS NUCLE_texts GLEU r 0.733 M²
chollampatt2018 TS NUCLE M² r 0.672 GLEU
"""


def main() -> None:
    bench = Bench(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    trueskill = named(bench.experts.systems, bench.trueskill(bench.experts).mean(axis=0))
    people = {
        "EW": named(bench.experts.systems, bench.expected_wins(bench.experts)),
        "TS": trueskill,
        "TrueSkill": EXPERTS,
        "napoles": named(bench.systems, draws_of(bench).mean(axis=0)),
    }
    rows = []
    for line in CLAIMS.strip().splitlines():
        paper, judges, references, metric, symbol, published, other = (
            part.replace("_", " ") for part in line.split()
        )
        scores = {}
        for name in (metric, other):
            of_texts = references in ("NUCLE", "NUCLE texts")  # each metric with its own kind of references
            wanted = ("NUCLE texts" if name == "GLEU" else "NUCLE") if of_texts else references
            scores[name] = named(bench.systems, bench.scores(METRICS[name], wanted))
        level = SystemLevel.of(people[judges], scores)
        r = float(level.correlations(KINDS[symbol])[0])
        low, high = fisher_interval(r, len(level.systems), kind=KINDS[symbol])
        p = float(level.williams(KINDS[symbol])[0, 1])  # NaN if the metric agrees less
        today = [f"{value:.3f}" for value in (r, low, high)]
        tested = [other, "" if np.isnan(p) else f"{p:.3f}"]
        rows.append([paper, judges, references, metric, symbol, published, *today, *tested])
    write_rows("papers_today.tsv", FIELDS, rows)


if __name__ == "__main__":
    main()
