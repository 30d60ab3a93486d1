"""People's judgments of single edits, as SEEDA has them: whether an edit of a system is useful."""

from __future__ import annotations

from typing import NamedTuple

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
