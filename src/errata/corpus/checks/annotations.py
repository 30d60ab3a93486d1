"""Checks of M2: the form of its lines, and edits against their sentence and each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.m2 import EMPTY, NOOP, broken_edit, edit_fields


class RawEdit(NamedTuple):
    """An edit as its line says it."""

    line: int
    start: int
    end: int
    type: str
    corrections: str  # with `||` between alternatives

    @property
    def texts(self) -> list[str]:
        return ["" if text == EMPTY else text.strip() for text in self.corrections.split("||")]


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
        found = edit_fields(line)
        if found and block:
            start, end, fields, annotator = found
            findings += _unusual(fields, path, number)
            if fields[1] == NOOP:
                block.noops[annotator] = number
            else:
                edit = RawEdit(number, start, end, fields[1], fields[2])
                block.edits.setdefault(annotator, []).append(edit)
        elif line.startswith("S ") or line == "S":
            if block:
                message = "no empty line before this sentence: its block has all edits of both"
                findings.append(Finding(path, number, "W207", message))
            block = Block(number, line[2:])
            blocks.append(block)
        elif not line:
            block = None
        elif line.startswith("I "):
            findings.append(Finding(path, number, "W212", f"an I line is not read: {line[:40]!r}"))
        elif found:
            findings.append(Finding(path, number, "E203", "an edit without a sentence before it"))
        elif line.startswith("A "):
            findings.append(Finding(path, number, "E202", broken_edit(line)))
        else:
            what = (
                "a line of nothing but blanks"
                if line.isspace()
                else f"neither an S nor an A line: {line[:40]!r}"
            )
            findings.append(Finding(path, number, "E201", what))
            block = None if line.isspace() else block
    return blocks


def _unusual(fields: Sequence[str], path: str, number: int) -> Iterator[Finding]:
    """What is read although it is not written as the format says."""
    if len(fields[0].split(" ")) != 2:
        yield Finding(path, number, "W210", f"more than two offsets and one blank in {fields[0][:40]!r}")
    if len(fields) > 6:
        message = (
            f"{len(fields)} fields: those behind the sixth are not read: {'|||'.join(fields[6:])[:40]!r}"
        )
        yield Finding(path, number, "W211", message)


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
        if any(text != " ".join(text.split()) for text in texts):
            message = f"irregular blanks in the correction {edit.corrections[:40]!r}: it matches nothing"
            yield Finding(path, edit.line, "W208", message)
        elif any(text != text.strip() for text in edit.corrections.split("||")):
            message = f"blanks around the correction {edit.corrections[:40]!r} are not read"
            yield Finding(path, edit.line, "W208", message)
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
