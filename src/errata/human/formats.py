"""Which formats of judgments there are, how a file's format is recognised, and one way to read any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO

from errata.corpus.files import StrPath, display, open_output, read_lines
from errata.errors import DataError
from errata.human.appraise import read_appraise, write_appraise
from errata.human.csv_formats import (
    read_mturk,
    read_ranking_csv,
    write_mturk,
    write_pairwise_csv,
    write_wmt_csv,
)
from errata.human.judgments import Judgments, merge

READERS: dict[str, Callable[[StrPath], Judgments]] = {
    "appraise": read_appraise,
    "pairwise": read_ranking_csv,
    "wmt": read_ranking_csv,
    "mturk": read_mturk,
}
WRITERS: dict[str, Callable[[Judgments, IO[str]], None]] = {
    "appraise": write_appraise,
    "pairwise": write_pairwise_csv,
    "wmt": write_wmt_csv,
    "mturk": write_mturk,
}
_HINT = (
    "expected Appraise XML, CSV with system1Id and system1rank, a Mechanical Turk batch, "
    "or TSV with judge, segment, system and score"
)


def detect_judgments(path: StrPath) -> str:
    """The format of a file of judgments, by what is in it: a reader's name, or `scalar`."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("<"):
        return "appraise"
    names = [name.strip().strip('"') for name in first.replace("\t", ",").split(",")]
    if "Input.system1" in names:
        return "mturk"
    if "system3Id" in names:
        return "wmt"
    if "system1Id" in names:
        return "pairwise"
    if {"judge", "segment", "system", "score"} <= set(names):
        return "scalar"
    raise DataError("cannot tell its format", path=display(path), line=1, hint=_HINT)


def is_judgments(path: StrPath) -> bool:
    """Whether a file looks like judgments in one of the formats."""
    try:
        detect_judgments(path)
    except DataError:
        return False
    return True


def read_judgments(paths: StrPath | Sequence[StrPath], *, format: str | None = None) -> Judgments:
    """Read ranking judgments in any format; several files become one set."""
    several = [paths] if isinstance(paths, str) or not isinstance(paths, Sequence) else list(paths)
    sets = []
    for path in several:
        found = format or detect_judgments(path)
        if found == "scalar":
            raise DataError(
                "scores, not rankings", path=display(path), hint="scores and rankings do not mix in one call"
            )
        sets.append(READERS[found](path))
        if not len(sets[-1]):
            raise DataError("no judgments in it", path=display(path), hint=_HINT)
    return sets[0] if len(sets) == 1 else merge(sets)


def write_judgments(judgments: Judgments, path: StrPath, *, format: str) -> None:
    """Write judgments; the file appears only when it is complete."""
    with open_output(path) as file:
        WRITERS[format](judgments, file)
