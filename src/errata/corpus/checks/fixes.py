"""Repairs findings whose correction does not require a decision by the author of the file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection

from errata.corpus.checks.file_checks import M2Block, read_blocks
from errata.corpus.checks.finding_catalog import catalog
from errata.corpus.files import BOM, StrPath, lines_of, open_output, read_bytes
from errata.corpus.m2 import EMPTY, NOOP
from errata.errors import plural

Repair = Callable[[list[str], str], tuple[list[str], int]]  # lines, kind -> lines, number of changes


def fixable(selected: Collection[str] = ()) -> set[str]:
    """The codes that are repaired: those of `selected` that can be; all safe ones if none is selected."""
    return {
        kind.code
        for kind in catalog().values()
        if kind.fix and (kind.code in selected if selected else kind.fix == "safe")
    }


def fix_file(path: StrPath, kind: str, codes: Collection[str], output: StrPath | None = None) -> list[str]:
    """Repair the findings with these codes, in place or into `output`, and describe what was done."""
    data = read_bytes(path)
    lines_of(data, path)  # raises an error if it is not UTF-8
    text = data.decode("utf-8")
    fixed, done = fix_text(text, kind, codes)
    if fixed != text or output is not None:
        with open_output(path if output is None else output) as file:
            file.write(fixed)
    return done


def fix_text(text: str, kind: str, codes: Collection[str]) -> tuple[str, list[str]]:
    """The repaired text, and a description of each repair."""
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
    for code, (description, noun, repair) in _REPAIRS.items():
        if code in codes:
            lines, count = repair(lines, kind)
            if count:
                done.append(f"{description.format(f'{count:,} {plural(count, noun)}')} ({code})")
    return "\n".join(lines) + ("\n" if closed and lines else ""), done


def _line_by_line(change: Callable[[str], str]) -> Repair:
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
            return (body if body == "S " else body.rstrip(" ")) + ends  # "S " is a sentence without tokens
        stripped = body.strip(" ")
        # A CR inside the line must not become a line end, nor U+FEFF a byte-order mark.
        return line if stripped.endswith("\r") or stripped.startswith(BOM) else stripped + ends

    return _line_by_line(strip)(lines, kind)


def _single_spaces(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind == "other":
        return lines, 0

    def squeeze(line: str) -> str:
        if kind == "m2" and not line.startswith("S "):
            return line
        while "  " in line:
            line = line.replace("  ", " ")
        return line

    return _line_by_line(squeeze)(lines, kind)


def _blocks(lines: list[str]) -> list[M2Block]:
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


def _separate_blocks(lines: list[str], kind: str) -> tuple[list[str], int]:
    if kind != "m2":
        return lines, 0
    result: list[str] = []
    for line in lines:
        if (line.startswith("S ") or line.rstrip("\r") == "S") and result and result[-1].strip():
            result.append("\r" if line.endswith("\r") else "")
        result.append(line)
    return result, len(result) - len(lines)


# The order matters: each repair relies on the ones before it.
_REPAIRS: dict[str, tuple[str, str, Repair]] = {
    "W102": ("converted {} from CR LF to LF", "line", _line_by_line(lambda line: line.rstrip("\r"))),
    "W105": ("normalised {}", "line", _line_by_line(lambda line: unicodedata.normalize("NFC", line))),
    "W107": ("stripped {}", "line", _strip),
    "W108": ("reduced repeated spaces in {}", "line", _single_spaces),
    "W207": ("inserted {} between sentences", "empty line", _separate_blocks),
    "W203": ("added {} of annotator 0", "noop", _add_noops),
    "W201": ("sorted the edits of {}", "annotation", _sort_edits),
}
