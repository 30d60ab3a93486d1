"""Repairs what can be repaired without knowing better than the author of a file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection

from errata.corpus.checks.annotations import Block, read_blocks
from errata.corpus.checks.finding_catalog import catalog
from errata.corpus.files import BOM, StrPath, lines_of, open_output, read_bytes
from errata.corpus.m2 import EMPTY, NOOP
from errata.errors import plural

Repair = Callable[[list[str], str], tuple[list[str], int]]


def fixable(selected: Collection[str] = ()) -> set[str]:
    """The codes that are repaired: the safe ones among those selected (all, if none), and others by name."""
    return {
        code.code
        for code in catalog().values()
        if code.fix and (code.code in selected if selected else code.fix == "safe")
    }


def fix_file(path: StrPath, kind: str, codes: Collection[str], output: StrPath | None = None) -> list[str]:
    """Repair these codes' findings in a file, in place or into another, and say what was done."""
    data = read_bytes(path)
    lines_of(data, path)  # it must be UTF-8
    text = data.decode("utf-8")
    fixed, done = fix_text(text, kind, codes)
    if fixed != text or output is not None:
        with open_output(path if output is None else output) as file:
            file.write(fixed)
    return done


def fix_text(text: str, kind: str, codes: Collection[str]) -> tuple[str, list[str]]:
    """The repaired text and what was done to it, a sentence each."""
    done: list[str] = []
    if "W101" in codes and text.startswith(BOM):
        text = text.lstrip(BOM)
        done.append("removed the byte-order mark (W101)")
    closed = not text or text.endswith("\n")
    lines = text.split("\n")
    if closed:
        lines.pop()
    elif "W111" in codes:
        closed = True
        done.append("closed the last line (W111)")
    for code, (what, noun, repair) in _REPAIRS.items():
        if code in codes:
            lines, count = repair(lines, kind)
            if count:
                done.append(f"{what.format(f'{count:,} {plural(count, noun)}')} ({code})")
    return "\n".join(lines) + ("\n" if closed and lines else ""), done


def _each(change: Callable[[str], str]) -> Repair:
    def repair(lines: list[str], kind: str) -> tuple[list[str], int]:
        changed = [change(line) for line in lines]
        return changed, sum(a != b for a, b in zip(lines, changed, strict=True))

    return repair


def _strip(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind == "other":
        return lines, 0

    def strip(line: str) -> str:
        body = line.rstrip("\r")
        ends = line[len(body) :]
        if kind == "m2":
            return (body if body == "S " else body.rstrip(" ")) + ends  # "S " is a sentence of no tokens
        stripped = body.strip(" ")
        # A stray CR must not become a line end, nor a stray mark a byte-order mark.
        return line if stripped.endswith("\r") or stripped.startswith(BOM) else stripped + ends

    return _each(strip)(lines, kind)


def _single_blanks(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind == "other":
        return lines, 0

    def squeeze(line: str) -> str:
        if kind == "m2" and not line.startswith("S "):
            return line
        while "  " in line:
            line = line.replace("  ", " ")
        return line

    return _each(squeeze)(lines, kind)


def _blocks(lines: list[str]) -> list[Block]:
    return read_blocks([line.rstrip("\r") for line in lines], "", [])


def _sort_edits(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind != "m2":
        return lines, 0
    result, count = list(lines), 0
    for block in _blocks(lines):
        for edits in block.edits.values():
            places = [edit.line - 1 for edit in edits]
            ordered = [edit.line - 1 for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))]
            if ordered != places:
                count += 1
                for place, origin in zip(places, ordered, strict=True):
                    result[place] = lines[origin]
    return result, count


def _add_noops(lines: list[str], kind: str) -> tuple[list[str], int]:
    blocks = _blocks(lines) if kind == "m2" else []
    if not any(block.noops for block in blocks):
        return lines, 0
    bare = {block.line for block in blocks if not block.annotators}
    result = []
    for number, line in enumerate(lines, 1):
        result.append(line)
        if number in bare:
            end = "\r" if line.endswith("\r") else ""
            result.append(f"A -1 -1|||{NOOP}|||{EMPTY}|||REQUIRED|||{EMPTY}|||0{end}")
    return result, len(bare)


def _part_blocks(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind != "m2":
        return lines, 0
    result: list[str] = []
    for line in lines:
        if (line.startswith("S ") or line.rstrip("\r") == "S") and result and result[-1].strip():
            result.append("\r" if line.endswith("\r") else "")
        result.append(line)
    return result, len(result) - len(lines)


# In this order, for each leaves lines the next one understands.
_REPAIRS: dict[str, tuple[str, str, Repair]] = {
    "W102": ("gave {} LF for CR LF", "line", _each(lambda line: line.rstrip("\r"))),
    "W105": ("normalised {}", "line", _each(lambda line: unicodedata.normalize("NFC", line))),
    "W107": ("stripped {}", "line", _strip),
    "W108": ("left single blanks in {}", "line", _single_blanks),
    "W207": ("put {} between sentences", "empty line", _part_blocks),
    "W203": ("added {} of annotator 0", "noop", _add_noops),
    "W201": ("sorted the edits of {}", "annotation", _sort_edits),
}
