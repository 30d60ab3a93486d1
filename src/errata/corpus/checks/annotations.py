"""Checks of M2: the form of its lines, and edits against their sentence and each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from errata.corpus.checks.codes import Finding
from errata.corpus.m2 import EMPTY, NOOP

_EDIT = re.compile(r"A (-?\d+) (-?\d+)\|\|\|(.*?)\|\|\|(.*?)\|\|\|.*?\|\|\|.*?\|\|\|(\d+)")


class RawEdit(NamedTuple):
    """An edit as its line says it."""

    line: int
    start: int
    end: int
    type: str
    corrections: str  # with `||` between alternatives

    @property
    def texts(self) -> list[str]:
        return ["" if text == EMPTY else text for text in self.corrections.split("||")]


@dataclass(slots=True)
class Block:
    """A sentence with what each annotator says about it; possibly wrong in any way."""

    line: int
    source: str
    edits: dict[int, list[RawEdit]] = field(default_factory=dict)
    noops: dict[int, int] = field(default_factory=dict)  # annotator -> line

    @property
    def annotators(self) -> set[int]:
        return self.edits.keys() | self.noops.keys()


def read_blocks(lines: Sequence[str], path: str, findings: list[Finding]) -> list[Block]:
    """The blocks of a possibly broken M2 file; what cannot be one is put into `findings`."""
    blocks: list[Block] = []
    block: Block | None = None
    for number, line in enumerate(lines, 1):
        match = _EDIT.fullmatch(line) if line.startswith("A ") and line.count("|||") == 5 else None
        if match and block:
            start, end, kind, corrections, annotator = match.groups()
            if kind == NOOP:
                block.noops[int(annotator)] = number
            else:
                edit = RawEdit(number, int(start), int(end), kind, corrections)
                block.edits.setdefault(int(annotator), []).append(edit)
        elif line.startswith("S ") or line == "S":
            if block:
                findings.append(Finding(path, number, "W207", "no empty line before this sentence"))
            block = Block(number, line[2:])
            blocks.append(block)
        elif not line or line.isspace():
            block = None
        elif match:
            findings.append(Finding(path, number, "E203", "an edit without a sentence before it"))
        elif line.startswith("A "):
            findings.append(Finding(path, number, "E202", _malformed(line)))
        else:
            findings.append(Finding(path, number, "E201", f"neither an S nor an A line: {line[:40]!r}"))
    return blocks


def _malformed(line: str) -> str:
    fields = line.count("|||") + 1
    if fields != 6:
        return f"an edit has 6 fields separated by |||, this one {fields}"
    return "an edit begins with two offsets and ends with the annotator's number"


def check_blocks(blocks: Sequence[Block], path: str) -> Iterator[Finding]:
    """What is wrong with the edits of these blocks."""
    with_noop = any(block.noops for block in blocks)
    for block in blocks:
        tokens = block.source.split()
        if not tokens:
            yield Finding(path, block.line, "W206", "a sentence without tokens")
        if with_noop and not block.annotators:
            yield Finding(path, block.line, "W203", "no A line, though other sentences have a noop")
        for annotator, edits in block.edits.items():
            if annotator in block.noops:
                message = f"annotator {annotator} has a noop and {len(edits)} edits"
                yield Finding(path, block.noops[annotator], "W205", message)
            yield from _check_edits(edits, tokens, path)
    yield from _check_annotators(blocks, path)


def _check_edits(edits: Sequence[RawEdit], tokens: Sequence[str], path: str) -> Iterator[Finding]:
    """The edits of one annotator for one sentence."""
    inside: list[RawEdit] = []
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= len(tokens):
            message = f"the edit {edit.start} {edit.end} leaves its sentence of {len(tokens)} tokens"
            yield Finding(path, edit.line, "E204", message)
            continue
        inside.append(edit)
        old = " ".join(tokens[edit.start : edit.end])
        texts = edit.texts
        if old in texts:
            what = f"{old[:40]!r} stays as it is" if old else "nothing is inserted"
            yield Finding(
                path, edit.line, "W202", f"the edit {edit.start} {edit.end} changes nothing: {what}"
            )
        elif any(text != " ".join(text.split()) for text in texts):
            yield Finding(path, edit.line, "W208", f"blanks in the correction {edit.corrections[:40]!r}")
    for before, after in pairwise(inside):
        if (after.start, after.end) < (before.start, before.end):
            message = f"the edit {after.start} {after.end} comes after {before.start} {before.end}"
            yield Finding(path, after.line, "W201", message)
            break  # one a sentence and annotator is enough
    yield from _check_overlaps(inside, path)


def _check_overlaps(edits: Iterable[RawEdit], path: str) -> Iterator[Finding]:
    reaching: RawEdit | None = None  # the edit that reaches furthest so far
    previous: RawEdit | None = None
    seen: dict[tuple[int, int, str], RawEdit] = {}
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end, edit.line)):
        span = f"{edit.start} {edit.end}"
        first = seen.setdefault((edit.start, edit.end, edit.corrections), edit)
        if first is not edit and edit.start < edit.end:
            yield Finding(path, edit.line, "E206", f"the edit {span} is in line {first.line} already")
            continue
        # "15 : 54 :" inserts the same sign twice, rightly: only neighbours are suspicious
        if first is not edit and previous and previous.corrections == edit.corrections:
            yield Finding(path, edit.line, "W209", f"the insertion {span} is in line {previous.line} already")
        if reaching and edit.start < reaching.end:
            message = f"the edit {span} overlaps {reaching.start} {reaching.end} in line {reaching.line}"
            yield Finding(path, edit.line, "E205", message)
        if reaching is None or edit.end > reaching.end:
            reaching = edit
        previous = edit


def _check_annotators(blocks: Sequence[Block], path: str) -> Iterator[Finding]:
    """Annotators whom some of the annotated sentences lack."""
    annotated = [block for block in blocks if block.annotators]
    for annotator in sorted({a for block in annotated for a in block.annotators}):
        missing = [block.line for block in annotated if annotator not in block.annotators]
        if missing:
            message = (
                f"annotator {annotator} says something about {len(annotated) - len(missing):,} of "
                f"{len(annotated):,} annotated sentences; this is the first without"
            )
            yield Finding(path, missing[0], "W204", message)
