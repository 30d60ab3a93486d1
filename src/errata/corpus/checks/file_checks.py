"""Checks of a single file: encoding, invisible characters, spaces and line ends; in M2, also the edits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.files import BOM, StrPath, display, plain_suffix, read_bytes
from errata.corpus.m2 import EMPTY, NOOP, broken_edit, edit_fields
from errata.errors import DataError

NOT_LINES = (".csv", ".json", ".jsonl", ".meta", ".tsv", ".xml")  # spaces and empty lines have no meaning

_CRLF = re.compile(r"\r+\n|\r+\Z")
_LONE_CR = re.compile(r"\r(?!\r*\n|\r*\Z)")
# The look-behind avoids quadratic time on a long run of spaces.
_TRAILING = re.compile(r"(?<! ) +(?=\r*(?:\n|\Z))")
_LEADING = re.compile(r"(?:(?<=\n)|\A) +(?=[^ \r\n])")
_DOUBLED = re.compile(r"(?<=[^ \r\n])  +(?=[^ \r\n])")
_EMPTY_LINE = re.compile(r"(?:(?<=\n)|\A) *\r*(?=\n)")
_SENTENCE_DOUBLED = re.compile(r"(?:(?<=\n)|\A)S [^\r\n]*?[^ \r\n]  +(?=[^ \r\n])")


def _characters(*ranges: tuple[int, int]) -> frozenset[str]:
    return frozenset(chr(i) for first, last in ranges for i in range(first, last + 1))


CHARACTERS = {
    "E103": frozenset("\x00"),
    "W103": _characters((0x01, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F))
    | {"\u200b", "\u2060", "\ufeff"},
    "W104": frozenset("\x85\u2028\u2029"),
    "W106": frozenset("\ufffd"),
    "W109": frozenset("\xa0\u1680\u180e\u202f\u205f\u3000") | _characters((0x2000, 0x200A)),
}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and its lines without line ends; `lines` is None if the file could not be read."""

    path: str
    kind: str  # "m2", "text", or "other": only encoding and characters are checked
    lines: list[str] | None


def kind_of(path: StrPath, format: str | None = None) -> str:
    """What the lines of a file contain: M2, one sentence each, or something else."""
    if format is not None:
        return format if format in ("m2", "text") else "other"
    suffix = plain_suffix(path)
    return "m2" if suffix == ".m2" else "other" if suffix in NOT_LINES else "text"


def check_file(path: StrPath, kind: str) -> tuple[CheckedFile, list[Finding]]:
    """Read a file with any content, and check its encoding, characters and lines."""
    name = display(path)
    try:
        data = read_bytes(path)
    except DataError as error:
        return CheckedFile(name, kind, None), [Finding(name, 1, "E101", error.message)]
    findings: list[Finding] = []

    def add(code: str, line: int, message: str) -> None:
        findings.append(Finding(name, line, code, message))

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        for number, raw in enumerate(data.split(b"\n"), 1):
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as error:
                add("E102", number, f"byte 0x{raw[error.start]:02x} in column {error.start + 1} is not UTF-8")
        text = data.decode("utf-8", "surrogateescape")
    if text.startswith(BOM):
        add("W101", 1, "the file begins with a byte-order mark")
        text = text.removeprefix(BOM)
    _check_characters(text, kind, add)
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif text:
        add("W111", len(lines), "the last line has no line end")
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    return CheckedFile(name, kind, lines), findings


def _check_characters(text: str, kind: str, add: Callable[[str, int, str], None]) -> None:
    alphabet = set(text)  # a file has few different characters, so most searches can be skipped
    if "\r" in alphabet:
        crlf = [line for line, _ in _matching_lines(_CRLF, text)]
        if crlf:
            total = text.count("\n") + (not text.endswith("\n"))
            add("W102", crlf[0], f"{len(crlf):,} of {total:,} lines end with CR LF")
        for line, _ in _matching_lines(_LONE_CR, text):
            add("W103", line, "a carriage return inside the line")
    for code, characters in CHARACTERS.items():
        present = alphabet & characters
        if present:
            pattern = re.compile("[" + re.escape("".join(sorted(present))) + "]")
            for line, match in _matching_lines(pattern, text):
                add(code, line, f"the character {_character_name(match[0])}")
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        for number, sentence in enumerate(text.split("\n"), 1):
            if not unicodedata.is_normalized("NFC", sentence):
                add("W105", number, f"{_first_unnormalised(sentence)} is not in normal form C")
    if kind != "other":
        _check_spaces(text, kind, add)


def _check_spaces(text: str, kind: str, add: Callable[[str, int, str], None]) -> None:
    if " \n" in text or " \r" in text or text.endswith(" "):
        for line, match in _matching_lines(_TRAILING, text):
            start = text.rfind("\n", 0, match.start()) + 1
            if text[start : match.end()] == "S " and kind == "m2":
                continue  # a sentence without tokens: W206
            if start == match.start() and kind == "text":
                continue  # a line of spaces is an empty line: W110
            add("W107", line, "spaces at the end of the line")
    if kind == "text":
        for line, _ in _matching_lines(_LEADING, text):
            add("W107", line, "spaces at the beginning of the line")
        for line, _ in _matching_lines(_EMPTY_LINE, text):
            add("W110", line, "an empty line")
    if "  " in text:
        for line, _ in _matching_lines(_DOUBLED if kind == "text" else _SENTENCE_DOUBLED, text):
            add("W108", line, "several spaces between two tokens")


def _matching_lines(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The number and the first match of each line that has a match."""
    line, position, last_line = 1, 0, 0
    for match in pattern.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        if line != last_line:
            yield line, match
            last_line = line


def _character_name(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")


def _first_unnormalised(sentence: str) -> str:
    word = next((w for w in sentence.split() if not unicodedata.is_normalized("NFC", w)), sentence)
    return ascii(word[:30])


# -- M2 -----------------------------------------------------------------------------------------------------


class RawEdit(NamedTuple):
    """An edit as it is written in its line."""

    line: int
    start: int
    end: int
    type: str
    corrections: str  # with `||` between alternatives

    @property
    def texts(self) -> list[str]:
        return ["" if text == EMPTY else text.strip() for text in self.corrections.split("||")]


@dataclass(slots=True)
class M2Block:
    """A sentence with its edits by annotator, which may be wrong in any way."""

    line: int
    source: str
    edits: dict[int, list[RawEdit]] = field(default_factory=dict)
    noops: dict[int, int] = field(default_factory=dict)  # annotator -> line

    @property
    def annotators(self) -> set[int]:
        return self.edits.keys() | self.noops.keys()


def read_blocks(lines: Sequence[str], path: str, findings: list[Finding]) -> list[M2Block]:
    """The blocks of an M2 file that may be broken; problems of single lines are added to `findings`."""
    blocks: list[M2Block] = []
    block: M2Block | None = None
    for number, line in enumerate(lines, 1):
        edit = edit_fields(line)
        if edit and block:
            start, end, fields, annotator = edit
            findings += _check_fields(fields, path, number)
            if fields[1] == NOOP:
                block.noops[annotator] = number
            else:
                raw = RawEdit(number, start, end, fields[1], fields[2])
                block.edits.setdefault(annotator, []).append(raw)
        elif line.startswith("S ") or line == "S":
            if block:
                message = "no empty line before this sentence: its block has all edits of both"
                findings.append(Finding(path, number, "W207", message))
            block = M2Block(number, line[2:])
            blocks.append(block)
        elif not line:
            block = None
        elif line.startswith("I "):
            findings.append(Finding(path, number, "W212", f"an I line is not read: {line[:40]!r}"))
        elif edit:
            findings.append(Finding(path, number, "E203", "an edit without a sentence before it"))
        elif line.startswith("A "):
            findings.append(Finding(path, number, "E202", broken_edit(line)))
        elif line.isspace():
            findings.append(Finding(path, number, "E201", "a line with nothing but spaces"))
            block = None
        else:
            findings.append(Finding(path, number, "E201", f"neither an S nor an A line: {line[:40]!r}"))
    return blocks


def _check_fields(fields: Sequence[str], path: str, number: int) -> Iterator[Finding]:
    """Fields that are read although they do not follow the format."""
    if len(fields[0].split(" ")) != 2:
        yield Finding(path, number, "W210", f"more than two offsets and one space in {fields[0][:40]!r}")
    if len(fields) > 6:
        ignored = "|||".join(fields[6:])
        message = f"{len(fields)} fields: those after the sixth are not read: {ignored[:40]!r}"
        yield Finding(path, number, "W211", message)


def check_blocks(blocks: Sequence[M2Block], path: str) -> Iterator[Finding]:
    """Check the edits of an M2 file against their sentences and against each other."""
    has_noops = any(block.noops for block in blocks)
    for block in blocks:
        tokens = block.source.split()
        if not tokens:
            yield Finding(path, block.line, "W206", "a sentence without tokens")
        if has_noops and not block.annotators:
            yield Finding(path, block.line, "W203", "no A line, though other sentences have a noop")
        for annotator, edits in block.edits.items():
            if annotator in block.noops:
                message = f"annotator {annotator} has a noop and {len(edits)} edits"
                yield Finding(path, block.noops[annotator], "W205", message)
            yield from _check_edits(edits, tokens, path)
    yield from _check_annotators(blocks, path)


def _check_edits(edits: Sequence[RawEdit], tokens: Sequence[str], path: str) -> Iterator[Finding]:
    """Check the edits of one annotator for one sentence."""
    inside: list[RawEdit] = []
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= len(tokens):
            message = f"the edit {edit.start} {edit.end} leaves its sentence of {len(tokens)} tokens"
            yield Finding(path, edit.line, "E204", message)
            continue
        inside.append(edit)
        old = " ".join(tokens[edit.start : edit.end])
        if old in edit.texts:
            effect = f"{old[:40]!r} stays as it is" if old else "nothing is inserted"
            message = f"the edit {edit.start} {edit.end} changes nothing: {effect}"
            yield Finding(path, edit.line, "W202", message)
        if any(text != " ".join(text.split()) for text in edit.texts):
            message = f"irregular spaces in the correction {edit.corrections[:40]!r}: it matches nothing"
            yield Finding(path, edit.line, "W208", message)
        elif any(text != text.strip() for text in edit.corrections.split("||")):
            message = f"spaces around the correction {edit.corrections[:40]!r} are not read"
            yield Finding(path, edit.line, "W208", message)
    for before, after in pairwise(inside):
        if (after.start, after.end) < (before.start, before.end):
            message = f"the edit {after.start} {after.end} comes after {before.start} {before.end}"
            yield Finding(path, after.line, "W201", message)
            break  # one finding per sentence and annotator is enough
    yield from _check_overlaps(inside, path)


def _check_overlaps(edits: Iterable[RawEdit], path: str) -> Iterator[Finding]:
    furthest: RawEdit | None = None  # the edit with the largest end so far
    previous: RawEdit | None = None
    first_of: dict[tuple[int, int, str], RawEdit] = {}
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end, edit.line)):
        span = f"{edit.start} {edit.end}"
        first = first_of.setdefault((edit.start, edit.end, edit.corrections), edit)
        if first is not edit and edit.start < edit.end:
            yield Finding(path, edit.line, "E206", f"the edit {span} is in line {first.line} already")
            continue
        # Two colons in "15 : 54 :" are right: only equal insertions in a row are suspicious.
        if first is not edit and previous and previous.corrections == edit.corrections:
            yield Finding(path, edit.line, "W209", f"the insertion {span} is in line {previous.line} already")
        if furthest and edit.start < furthest.end:
            message = f"the edit {span} overlaps {furthest.start} {furthest.end} in line {furthest.line}"
            yield Finding(path, edit.line, "E205", message)
        if furthest is None or edit.end > furthest.end:
            furthest = edit
        previous = edit


def _check_annotators(blocks: Sequence[M2Block], path: str) -> Iterator[Finding]:
    """Find annotators who have nothing for some of the annotated sentences."""
    annotated = [block for block in blocks if block.annotators]
    for annotator in sorted({a for block in annotated for a in block.annotators}):
        missing = [block.line for block in annotated if annotator not in block.annotators]
        if missing:
            message = (
                f"annotator {annotator} has edits or noops for {len(annotated) - len(missing):,} of "
                f"{len(annotated):,} annotated sentences; this is the first without"
            )
            yield Finding(path, missing[0], "W204", message)
