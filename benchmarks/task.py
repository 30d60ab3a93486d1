"""A shared task under load and through kills; loopback only, every wait bounded.

    python benchmarks/task.py [--teams 30] [--submissions 20] [--kills 50] [--lines 1312] [--postgres]

Every team sends outputs of CoNLL-2014 systems with noise, all at once, while the server and its two workers
are ended by SIGKILL in turn. Every submission that was acknowledged must be scored once, the leaderboard must
equal `errata score` to the last digit, and pages are timed meanwhile.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from texts import SHARED

from errata.corpus.formats import read_gold
from postgres import postgres
from task_storm import check, enter_teams, noisy, storm
from tasks import make

CONLL = SHARED / "data" / "conll14"
METRICS = ["m2", "gleu"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--submissions", type=int, default=20)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--lines", type=int, default=1312)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = stack.enter_context(postgres()) if options.postgres else None
        run(options, folder, place)


def run(options: argparse.Namespace, folder: Path, place: str | None) -> None:
    blocks = (CONLL / "test.m2").read_text("utf-8").split("\n\n")[: options.lines]
    gold = folder / "gold.m2"
    gold.write_text("\n\n".join(blocks).rstrip("\n") + "\n\n", encoding="utf-8")
    corpus = read_gold(gold)
    systems = sorted((CONLL / "systems").glob("*.txt"))
    outputs = [path.read_text("utf-8").split("\n")[: len(corpus)] for path in systems]
    track = {"name": "main", "metrics": METRICS, "texts": {"test": {"gold": str(gold)}}}
    phases = [{"name": "test", "shows": "leaderboard", "per_day": 1000, "in_all": 1000}]
    made = make(folder / "task", place=place, tracks=[track], phases=phases, samples=1000)
    tokens = enter_teams(made.store, options.teams)
    files = {
        name: [
            noisy(outputs[(number + i) % len(outputs)], corpus.sources, 1000 * number + i)
            for i in range(options.submissions)
        ]
        for number, name in enumerate(tokens)
    }
    outcome = storm(made, files, tokens, kills=options.kills, seconds=options.seconds)
    begin = time.monotonic()
    board = check(made, outcome, corpus, METRICS)
    count = sum(map(len, outcome.sent.values()))
    pages = np.array(outcome.pages) * 1000
    print(f"{count} submissions of {len(tokens)} teams on {len(corpus)} segments: all scored, none twice")
    print(f"killed: {outcome.kills['server']} servers, {outcome.kills['worker']} workers")
    print(f"{outcome.seconds:.0f} s; board of {len(board['rows'])} equals errata score")
    print(f"(checked in {time.monotonic() - begin:.0f} s)")
    print(
        f"{len(pages)} pages: median {np.median(pages):.0f} ms, p99 {np.percentile(pages, 99):.0f} ms, "
        f"most {pages.max():.0f} ms"
    )
    made.store.close()


if __name__ == "__main__":
    main()
