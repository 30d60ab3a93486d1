"""Millions of sentence pairs through `errata score --stream`, `edits extract` and `noise`: time and memory.

python benchmarks/scale.py --pairs 10000000 --engines processes

The pairs are made of the embedded sample: its M2 blocks over and over, and its systems' outputs with
synthetic errors, different on every line. Memory is that of the whole tree of processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from itertools import cycle, islice
from pathlib import Path

from errata import sample
from errata.corpus.m2 import format_block
from errata.tables import Column, Table
from errata_correct.noise import Rates

BATCH = 60_000


def make(folder: Path, pairs: int) -> None:
    """gold.m2, src.txt and hyp.txt."""
    made = sample.load("en")
    blocks = [format_block(segment) + "\n" for segment in made.corpus]
    outputs = [line for lines in zip(*made.outputs.values(), strict=True) for line in lines]
    systems = len(made.outputs)
    noise = Rates().noise([], 0.3, tokenized=True)
    with (
        open(folder / "gold.m2", "w", encoding="utf-8") as gold,
        open(folder / "src.txt", "w", encoding="utf-8") as source,
        open(folder / "hyp.txt", "w", encoding="utf-8") as hypothesis,
    ):
        for start in range(0, pairs, BATCH):
            count = min(BATCH, pairs - start)
            gold.writelines(islice(cycle(blocks), count))
            source.writelines(islice(cycle([line + "\n" for line in made.corpus.sources]), count))
            # another system for every sentence, and errors in one sentence of two
            clean = [outputs[(i % len(blocks)) * systems + (i * 7 + i // 60) % systems] for i in range(count)]
            damaged = noise.apply(clean, 1, start)
            hypothesis.writelines(
                (line if i % 2 else other) + "\n"
                for i, (line, other) in enumerate(zip(clean, damaged, strict=True))
            )


def tree_memory(root: int) -> int:
    """Resident memory of a process and its descendants, in bytes (Linux)."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            sizes[int(entry)] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    wanted = {root}
    for _ in range(4):
        wanted |= {process for process, parent in parents.items() if parent in wanted}
    return sum(sizes.get(process, 0) for process in wanted)


def measure(*arguments: str) -> tuple[float, float, str]:
    """Seconds, peak MB and output of an errata command."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "errata", *arguments], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.1):
            peak = max(peak, tree_memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"errata {' '.join(arguments)} failed")
    return time.perf_counter() - began, peak / 1e6, output


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--engines", nargs="+", default=["threads", "processes"])
    parser.add_argument("--metric", default="m2")
    parser.add_argument("--verbs", nargs="*", default=["score", "extract", "noise", "correct"])
    parser.add_argument(
        "--whole", type=int, default=200_000, metavar="PAIRS",
        help="with up to this number of pairs, also score the files without --stream, and compare",
    )  # fmt: skip
    parser.add_argument("--folder", help="where the files go (a temporary folder)")
    options = parser.parse_args()
    rows: list[list[object]] = []
    for pairs in options.pairs:
        folder = Path(tempfile.mkdtemp(prefix="errata-scale-", dir=options.folder))
        try:
            make(folder, pairs)
            gold, source, hypothesis = (str(folder / name) for name in ("gold.m2", "src.txt", "hyp.txt"))
            commands = {
                "score": [
                    "score",
                    "--m2",
                    gold,
                    "--hyp",
                    hypothesis,
                    "-m",
                    options.metric,
                    "-f",
                    "tsv",
                    "--stream",
                ],
                "extract": ["edits", "extract", "-s", source, "-r", hypothesis, "-o", str(folder / "out")],
                "noise": ["noise", "apply", source, "-o", str(folder / "out")],
                "correct": ["correct", source, "-m", "en", "--tokenized", "-o", str(folder / "out")],
            }
            for verb in options.verbs:
                found = set()
                for engine in options.engines:
                    seconds, peak, output = measure(*commands[verb], "--engine", engine)
                    found.add(output)
                    rows.append([verb, engine, pairs, seconds, pairs / seconds, peak])
                    print(*rows[-1], file=sys.stderr, flush=True)
                assert len(found) == 1, f"{verb}: the engines disagree"
                print(output, file=sys.stderr, flush=True)
                if verb == "score" and pairs <= options.whole:
                    seconds, peak, output = measure(*commands[verb][:-1])
                    rows.append(["score, whole files", "threads", pairs, seconds, pairs / seconds, peak])
                    print(*rows[-1], file=sys.stderr, flush=True)
                    assert found == {output}, "the stream's score is not that of the whole"
        finally:
            shutil.rmtree(folder)
    columns = [Column("verb"), Column("engine"), Column("pairs"), Column("s", 1), Column("pairs/s", 0)]
    print(Table([*columns, Column("peak MB", 0)], rows).render("table"))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
