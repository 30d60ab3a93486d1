"""SEEDA's 15 systems and references, for tests against published and official numbers."""

from __future__ import annotations

import csv
from pathlib import Path

from errata.corpus.files import read_lines
from errata.corpus.model import Corpus


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table with tabs, without its comments."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def texts(data: Path) -> Corpus:
    """All 1,312 sources with the two texts that the gold edits of CoNLL-2014 make."""
    folder = data / "seeda"
    references = zip(*(read_lines(folder / f"refs/m2_ann{i}.txt") for i in (0, 1)), strict=True)
    return Corpus.from_lists(list(read_lines(folder / "source.txt")), [list(pair) for pair in references])


def judged(data: Path) -> list[int]:
    """The numbers, from 0, of the 391 sentences that people judged."""
    return [int(line) - 1 for line in read_lines(data / "seeda/subset_ids.txt")]


def outputs(data: Path, folder: str = "systems") -> dict[str, list[str]]:
    """The output of every system, by name."""
    return {path.stem: list(read_lines(path)) for path in sorted((data / "seeda" / folder).glob("*.txt"))}
