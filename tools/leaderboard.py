"""Write docs/leaderboard.md and its figure with errata itself: ERRATA_DATA=… python tools/leaderboard.py"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
METRICS = (
    "m2,sentm2,errant,senterrant,cleme,sentcleme,cleme2,sentcleme2,gotoscorer,peet,detection,gleu,gleu2015,"
    "green,imeasure,sari,id,emdiff,ibleu,bleu,chrf,ter,wer,cer,exact,fluency,perplexity,unchanged,length"
)
TEXT = """# How well metrics agree with people

Written by `tools/leaderboard.py`; do not edit. All metrics of errata that need no model of the user's,
on every [benchmark for metrics](benchmark-names.md) that was at hand. What follows from it: [which
metric should I report?](which-metric.md)

![Accuracy over sentences and rank correlation over systems](images/leaderboard.svg)

**Left**: the share of human comparisons of two outputs that a metric orders as people do. A metric's
tie counts as half, and comparisons that people tie are left out; .50 is chance. **Right**: Spearman's ρ
over systems, with Expected Wins or mean ratings. Metrics are ordered by their mean accuracy over the
views that have references.

`unchanged`, `length`, `exact` are baselines: a metric that does not beat them has shown nothing. Error
rates and times (`ter`, `wer`, `cer`, `peet`, `perplexity`) are negated. TMU-GFM has no references, so
that only metrics without references appear there. ERRANT, CLEME, GoToScorer, PEET and detection use the
official extraction of edits (`errata setup errant`). Metrics with models that the user brings (`some`,
`impara`, `scribendi`, `bertscore`, `ptm2`, `pterrant`) are missing; add them with `--metric`:

<!-- not run: needs the data of all benchmarks -->
```console
$ errata meta --benchmark all --leaderboard --plot leaderboard.svg --metric {metrics}
```

{table}
"""


def main() -> None:
    figure = DOCS / "images" / "leaderboard.svg"
    words = [
        "meta", "--benchmark", "all", "--leaderboard", "--metric", METRICS, "--plot", str(figure),
        "--format", "markdown", *sys.argv[1:],
    ]  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "errata", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    (DOCS / "leaderboard.md").write_text(TEXT.format(metrics=METRICS, table=done.stdout.strip()), "utf-8")


if __name__ == "__main__":
    main()
