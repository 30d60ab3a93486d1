"""Human labels of single edits, as in SEEDA: whether an edit of a system is useful.

The original label files have corrections with marked edits. A folder per annotator has files `0.txt`,
`1.txt`, …. In a file `<t>…</t>` is the source, and `<s1>…</s1>`, `<s2>…</s2>`, … are corrections with edits
`[source→target|True]`, where True or False says whether the edit is useful. The labels were typed by hand:
some are outside their bracket (`[has→have]|True`) or elsewhere inside it (`[it→the|Truey]`, `[the|True→]`),
and some are missing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from rapidfuzz.distance import Levenshtein

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.segment import Edit
from errata.corpus.tsv import read_rows
from errata.errors import DataError

_COLUMNS = ("annotator", "file", "src_id", "correction_no", "systems", "start", "end", "target", "label")
_NUMBER = re.compile(r"[0-9]{1,9}")
_SOURCE = re.compile(r"<t>(.*?)</t>")
_CORRECTION = re.compile(r"<s(\d{1,3})>(.*?)</s\1>")
_LABEL = re.compile(r"\|\s*(True|False)")
_EDIT = re.compile(r"\[([^\[\]]*→[^\[\]]*)(?:\]|(?=\[)|$)(\s*\|\s*(?:True|False))?")


class LabelledEdit(NamedTuple):
    """An edit in a correction that several systems may share, with an annotator's label."""

    annotator: str
    line: int  # number of the source line, from 0
    correction: tuple[str, str, str]  # annotator, file and number of the corrected text
    systems: tuple[str, ...]
    edit: Edit
    good: bool | None  # whether the edit is useful; None if the label is missing


def read_edit_labels(path: StrPath) -> list[LabelledEdit]:
    """Read `edit_labels.tsv`, in which corrections without edits have no row."""
    header, rows = read_rows(path)
    lacking = [name for name in _COLUMNS if name not in header]
    if lacking:
        raise DataError(
            f"there is no column {lacking[0]!r}", path=display(path), line=1,
            hint=f"expected: {', '.join(_COLUMNS)}",
        )  # fmt: skip
    columns = [header.index(name) for name in _COLUMNS]
    edits = []
    for number, row in enumerate(rows, 2):
        annotator, file, source, correction, systems, start, end, target, label = (row[k] for k in columns)
        if label == "none":
            continue
        if label not in ("True", "False", "-"):
            raise DataError(
                f"a label is {label!r}", path=display(path), line=number, hint="True, False, - or none"
            )
        if not all(_NUMBER.fullmatch(cell) for cell in (source, start, end)) or (
            int(source) < 1 or int(start) > int(end)
        ):
            raise DataError(
                f"a line {source!r}, tokens {start!r} to {end!r}", path=display(path), line=number,
                hint="expected whole numbers; lines count from 1, tokens from 0",
            )  # fmt: skip
        edit = Edit(int(start), int(end), target)
        good = None if label == "-" else label == "True"
        key = (annotator, file, correction)
        edits.append(LabelledEdit(annotator, int(source) - 1, key, tuple(systems.split()), edit, good))
    return edits


def write_edit_labels(labels: Iterable[LabelledEdit], file: IO[str]) -> None:
    """Write `edit_labels.tsv`."""
    file.write("\t".join(_COLUMNS) + "\n")
    for each in labels:
        annotator, name, correction = each.correction
        edit, label = each.edit, "-" if each.good is None else str(each.good)
        cells = (annotator, name, each.line + 1, correction, " ".join(each.systems), edit.start, edit.end,
                 edit.correction, label)  # fmt: skip
        file.write("\t".join(map(str, cells)) + "\n")


class Marked(NamedTuple):
    """A corrected text with marks: the tokens of the source, and the edits with their labels."""

    source: tuple[str, ...]
    edits: tuple[tuple[Edit, bool | None], ...]

    @property
    def text(self) -> str:
        """The corrected text."""
        from errata.corpus.apply_edits import apply_edits

        edits = [(edit.start, edit.end, edit.correction) for edit, _ in self.edits]
        return " ".join(apply_edits(list(self.source), edits))


def read_marked(text: str) -> Marked:
    """A correction with edits in brackets."""
    source: list[str] = []
    edits: list[tuple[Edit, bool | None]] = []
    end = 0
    for match in _EDIT.finditer(text):
        source += text[end : match.start()].split()
        labels = _LABEL.findall(f"{match[1]}{match[2] or ''}")  # a second label corrects the first
        before, _, after = _LABEL.sub("", match[1]).partition("→")
        words = before.split()
        edit = Edit(len(source), len(source) + len(words), " ".join(after.split()))
        edits.append((edit, labels[-1] == "True" if labels else None))
        source += words
        end = match.end()
    return Marked((*source, *text[end:].split()), tuple(edits))


def read_marked_labels(
    folder: StrPath, sources: Sequence[str], outputs: Mapping[str, Sequence[str]]
) -> list[LabelledEdit]:
    """Read the labels of all annotators, and match every correction with the outputs that have its text."""
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
    # Most copies of the source are exact. One with a typing error takes the source of the others.
    source_lines = [line for each in marked.values() for line in lines.get(each.source, ())]
    if not source_lines:
        raise DataError("its source is not in the corpus", path=display(path), hint="is it another corpus?")
    for number, correction in marked.items():
        candidates = lines.get(correction.source) or source_lines[:1]
        line, systems = _authors(correction.text, candidates, outputs)
        for edit, good in correction.edits:
            key = (path.parent.name, path.stem, number)
            yield LabelledEdit(path.parent.name, line, key, systems, edit, good)


def _authors(
    text: str, lines: Sequence[int], outputs: Mapping[str, Sequence[str]]
) -> tuple[int, tuple[str, ...]]:
    """The line, among those with the same source, and the systems with this output.

    If there are none, outputs with one different word count, as the copy may have a typing error.
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
