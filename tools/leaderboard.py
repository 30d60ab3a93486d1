"""Write docs/leaderboard.md and its figure with errata itself: ERRATA_DATA=… python tools/leaderboard.py"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
METRICS = "m2,sentm2,gleu,green,imeasure,bleu,ibleu,chrf,ter,wer,cer,exact,unchanged,length"
TEXT = """# How well metrics agree with people

Written by `tools/leaderboard.py`; do not edit. Metrics that need neither a tagger nor a model on
every [benchmark for metrics](benchmark-names.md) that was at hand; ERRANT, CLEME and others can be added with
`--metric`:

<!-- not run: needs the data of all benchmarks -->
```console
$ errata meta --benchmark all --leaderboard --plot leaderboard.svg --metric {metrics}
```

![Accuracy over sentences and rank correlation over systems](images/leaderboard.svg)

Left: the share of human comparisons of two outputs that a metric orders as people do; a metric's tie counts
as half, and comparisons that people tie are left out. Right: Spearman's ρ over systems, with Expected Wins or
mean ratings. Lines are 95 % intervals: bootstrap samples of segments on the left, Fisher's z on the right.
TMU-GFM has no references, so that only metrics without references appear there. `unchanged` and `length` are
baselines: a metric that does not beat them has shown nothing. Error rates (`ter`, `wer`,
`cer`) are negated. Means are over the
views that a metric appears in, so that those of the baselines are over more.

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
