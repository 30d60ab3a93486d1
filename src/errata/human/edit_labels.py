"""Human labels of single edits, as SEEDA has them: whether an edit of a system is useful."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.model import Edit
from errata.errors import DataError

_COLUMNS = ("annotator", "file", "src_id", "correction_no", "systems", "start", "end", "target", "label")


class LabelledEdit(NamedTuple):
    """An edit in a correction that several systems may share, and whether an annotator calls it useful."""

    annotator: str
    line: int  # of the source, from 0
    correction: tuple[str, str, str]  # annotator, file and number: the edits of one corrected text
    systems: tuple[str, ...]
    edit: Edit
    good: bool | None  # None where the label is missing


def read_edit_labels(path: StrPath) -> list[LabelledEdit]:
    """Read `edit_labels.tsv`; corrections without edits have no row here."""
    header, *rows = [line.split("\t") for line in read_lines(path)]
    lacking = [name for name in _COLUMNS if name not in header]
    if lacking:
        raise DataError(
            f"there is no column {lacking[0]!r}", path=display(path), line=1,
            hint=f"expected: {', '.join(_COLUMNS)}",
        )  # fmt: skip
    places = [header.index(name) for name in _COLUMNS]
    found = []
    for number, row in enumerate(rows, 2):
        annotator, file, source, correction, systems, start, end, target, label = (row[k] for k in places)
        if label == "none":
            continue
        if label not in ("True", "False", "-"):
            raise DataError(
                f"a label is {label!r}", path=display(path), line=number, hint="True, False, - or none"
            )
        edit = Edit(int(start), int(end), target)
        good = None if label == "-" else label == "True"
        key = (annotator, file, correction)
        found.append(LabelledEdit(annotator, int(source) - 1, key, tuple(systems.split()), edit, good))
    return found


# -- The original label files of SEEDA: corrections with their edits marked in the text, one file per sentence

_SOURCE = re.compile(r"<t>(.*?)</t>")
_CORRECTION = re.compile(r"<s(\d{1,3})>(.*?)</s\1>")
_LABEL = re.compile(r"\|\s*(True|False)")
_EDIT = re.compile(r"\[([^\[\]]*→[^\[\]]*)(?:\]|(?=\[)|$)(\s*\|\s*(?:True|False))?")


class Marked(NamedTuple):
    """A corrected text as it was marked: the tokens of the source, and its edits with their labels."""

    source: tuple[str, ...]
    edits: tuple[tuple[Edit, bool | None], ...]

    @property
    def text(self) -> str:
        """The corrected text."""
        from errata.corpus.rewriting import apply_edits

        edits = [(edit.start, edit.end, edit.correction) for edit, _ in self.edits]
        return " ".join(apply_edits(list(self.source), edits))


def read_marked(text: str) -> Marked:
    """A correction with edits in brackets."""
    source: list[str] = []
    edits: list[tuple[Edit, bool | None]] = []
    place = 0
    for found in _EDIT.finditer(text):
        source += text[place : found.start()].split()
        labels = _LABEL.findall(f"{found[1]}{found[2] or ''}")  # of two, the second is a correction
        before, _, after = _LABEL.sub("", found[1]).partition("→")
        words = before.split()
        edit = Edit(len(source), len(source) + len(words), " ".join(after.split()))
        edits.append((edit, labels[-1] == "True" if labels else None))
        source += words
        place = found.end()
    return Marked((*source, *text[place:].split()), tuple(edits))


def read_marked_labels(
    folder: StrPath, sources: Sequence[str], outputs: Mapping[str, Sequence[str]]
) -> list[LabelledEdit]:
    """Read the labels of all annotators; every correction is matched with the outputs that have its text."""
    lines: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, source in enumerate(sources):
        lines[tuple(source.split())].append(number)
    files = sorted(Path(folder).glob("*/*.txt"), key=lambda path: (path.parent.name, path.stem.zfill(6)))
    if not files:
        raise DataError(
            "there are no files of labels", path=display(folder), hint="expected: ANNOTATOR/0.txt, 1.txt, …"
        )
    return [edit for path in files for edit in _labels(path, lines, outputs)]


def _labels(
    path: Path, lines: Mapping[tuple[str, ...], Sequence[int]], outputs: Mapping[str, Sequence[str]]
) -> Iterator[LabelledEdit]:
    text = "\n".join(read_lines(path))
    corrections = _CORRECTION.findall(text)
    if _SOURCE.search(text) is None or not corrections:
        raise DataError(
            "no source or no correction in it", path=display(path),
            hint="expected: the source in <t>…</t> and corrections in <s1>…</s1>",
        )  # fmt: skip
    marked = {number: read_marked(correction) for number, correction in corrections}
    # Most annotators' copies are exact; one with a slip takes the source of the others.
    known = [line for each in marked.values() for line in lines.get(each.source, ())]
    if not known:
        raise DataError(
            "no sentence of the corpus is its source", path=display(path), hint="is it another corpus?"
        )
    for number, correction in marked.items():
        candidates = lines.get(correction.source) or known[:1]
        line, systems = _made_by(correction.text, candidates, outputs)
        for edit, good in correction.edits:
            key = (path.parent.name, path.stem, number)
            yield LabelledEdit(path.parent.name, line, key, systems, edit, good)


def _made_by(
    text: str, lines: Sequence[int], outputs: Mapping[str, Sequence[str]]
) -> tuple[int, tuple[str, ...]]:
    """The line, of those with the same source, and the systems whose output there has this text.

    Where no output has it, those with one other word count: an annotator's copy may have a slip.
    """
    words = text.split()
    for most in (0, 1):
        for line in lines:
            systems = tuple(
                name
                for name, texts in outputs.items()
                if Levenshtein.distance(words, texts[line].split(), score_cutoff=most) <= most
            )
            if systems:
                return line, systems
    return lines[0], ()
