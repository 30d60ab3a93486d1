"""Checks of a file by itself: encoding, invisible characters, blanks, line ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.files import BOM, StrPath, display, plain_suffix, read_bytes
from errata.errors import DataError

NOT_LINES = (".csv", ".json", ".jsonl", ".meta", ".tsv", ".xml")  # blanks and empty lines mean nothing there

_CRLF = re.compile(r"\r+\n|\r+\Z")
_LONE_CR = re.compile(r"\r(?!\r*\n|\r*\Z)")
# The look-behind keeps a long run of blanks from being tried again at each of them.
_TRAILING = re.compile(r"(?<! ) +(?=\r*(?:\n|\Z))")
_LEADING = re.compile(r"(?:(?<=\n)|\A) +(?=[^ \r\n])")
_DOUBLED = re.compile(r"(?<=[^ \r\n])  +(?=[^ \r\n])")
_EMPTY = re.compile(r"(?:(?<=\n)|\A) *\r*(?=\n)")
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
class Text:
    """A file as its checks see it: its lines without their ends, `None` where it could not be read."""

    path: str
    kind: str  # "m2", "text", or "other": only bytes and characters are checked there
    lines: list[str] | None


def kind_of(path: StrPath, format: str | None = None) -> str:
    """What the lines of a file are: M2, one sentence a line, or something else."""
    if format is not None:
        return format if format in ("m2", "text") else "other"
    suffix = plain_suffix(path)
    return "m2" if suffix == ".m2" else "other" if suffix in NOT_LINES else "text"


def check_file(path: StrPath, kind: str) -> tuple[Text, list[Finding]]:
    """Read a file that may be anything, and say what is wrong with its bytes, characters and lines."""
    name = display(path)
    try:
        data = read_bytes(path)
    except DataError as error:
        return Text(name, kind, None), [Finding(name, 1, "E101", error.message)]
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
    return Text(name, kind, lines), findings


def _check_characters(text: str, kind: str, add: Callable[[str, int, str], None]) -> None:
    alphabet = set(text)  # a file has few different characters: most patterns need not be looked for
    if "\r" in alphabet:
        crlf = [line for line, _ in _lines_of(_CRLF, text)]
        if crlf:
            total = text.count("\n") + (not text.endswith("\n"))
            add("W102", crlf[0], f"{len(crlf):,} of {total:,} lines end with CR LF")
        for line, _ in _lines_of(_LONE_CR, text):
            add("W103", line, "a carriage return inside the line")
    for code, characters in CHARACTERS.items():
        found = alphabet & characters
        if found:
            pattern = re.compile("[" + re.escape("".join(sorted(found))) + "]")
            for line, match in _lines_of(pattern, text):
                add(code, line, f"the character {_named(match[0])}")
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        for number, sentence in enumerate(text.split("\n"), 1):
            if not unicodedata.is_normalized("NFC", sentence):
                add("W105", number, f"{_first_denormal(sentence)} is not in normal form C")
    if kind != "other":
        _check_blanks(text, kind, add)


def _check_blanks(text: str, kind: str, add: Callable[[str, int, str], None]) -> None:
    if " \n" in text or " \r" in text or text.endswith(" "):
        for line, match in _lines_of(_TRAILING, text):
            start = text.rfind("\n", 0, match.start()) + 1
            if text[start : match.end()] == "S " and kind == "m2":
                continue  # a sentence of no tokens: W206
            if start == match.start() and kind == "text":
                continue  # a line of blanks alone is empty: W110
            add("W107", line, "blanks at the end of the line")
    if kind == "text":
        for line, _ in _lines_of(_LEADING, text):
            add("W107", line, "blanks at the beginning of the line")
        for line, _ in _lines_of(_EMPTY, text):
            add("W110", line, "an empty line")
    if "  " in text:
        for line, _ in _lines_of(_DOUBLED if kind == "text" else _SENTENCE_DOUBLED, text):
            add("W108", line, "doubled blanks between tokens")


def _lines_of(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The lines that have a match, each once with its first."""
    line, seen, last = 1, 0, 0
    for match in pattern.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if line != last:
            yield line, match
            last = line


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" ({name})" if name else "")


def _first_denormal(sentence: str) -> str:
    word = next((w for w in sentence.split() if not unicodedata.is_normalized("NFC", w)), sentence)
    return ascii(word[:30])
