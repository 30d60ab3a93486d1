"""TSV: a row a segment, under a header that names its columns; texts, not edits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.model import Annotation, Corpus, Origin, Outputs, Segment
from errata.errors import DataError

MISSING = "\\N"  # a reference or label that is not there; an empty cell is an empty text
_REFERENCE = re.compile(r"reference(?:_(\d{1,9}))?(?::(.*))?")
_HYPOTHESIS = re.compile(r"hypothesis(?:[:_](.*))?")


def read_rows(path: StrPath) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a TSV file without quoting; every row has as many cells as the header."""
    lines = read_lines(path)
    if not lines:
        raise DataError("empty, not even a header", path=display(path))
    header = lines[0].split("\t")
    twice = {name for name in header if header.count(name) > 1} if len(header) < 1000 else set()
    if twice:
        raise DataError(f"two columns {min(twice)!r}", path=display(path), line=1)
    rows = [line.split("\t") for line in lines[1:]]
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(
                f"{len(row)} cells under {len(header)} columns",
                path=display(path),
                line=number,
                hint="cells are separated by one tab, and there is no quoting",
            )
    return header, rows


def read_tsv(path: StrPath) -> Corpus:
    """Read columns `source`, `reference…`, `document`, `paragraph`; all others are meta fields.

    Reference columns are `reference`, `reference_1`, `reference_1:name`. A meta field whose name means
    something else here is `meta:NAME`. `hypothesis…` is left to `read_tsv_outputs`.
    """
    header, rows = read_rows(path)
    if "source" not in header:
        raise DataError(
            f"no column 'source' among {', '.join(map(repr, header[:8]))[:200]}",
            path=display(path),
            line=1,
            hint="the first line names the columns: source, reference_0, …, document, paragraph, domain, …",
        )
    references, names = _reference_columns(header)
    if len(set(references.values())) < len(references):
        raise DataError("two reference columns of the same annotator", path=display(path), line=1)
    place = {name: column for column, name in enumerate(header)}
    taken = {place["source"], *references}
    meta = [
        (name.removeprefix("meta:"), column)
        for name, column in place.items()
        if column not in taken and name not in ("document", "paragraph") and not _HYPOTHESIS.fullmatch(name)
    ]

    def label(row: list[str], name: str) -> str | None:
        cell = row[place[name]] if name in place else MISSING
        return None if cell == MISSING else cell

    segments = []
    for row in rows:
        source = row[place["source"]]
        annotations = tuple(
            Annotation(source, text=row[column], annotator=annotator)
            for column, annotator in references.items()
            if row[column] != MISSING
        )
        fields = {name: row[column] for name, column in meta if row[column] != MISSING}
        segments.append(Segment(source, annotations, label(row, "document"), label(row, "paragraph"), fields))
    return Corpus(segments, origin=Origin(display(path), "tsv", first_line=2), names=names)


def read_tsv_outputs(path: StrPath) -> Outputs:
    """The columns `hypothesis`, `hypothesis:NAME` as systems' outputs."""
    header, rows = read_rows(path)
    systems: dict[str, Sequence[str]] = {}
    for column, name in enumerate(header):
        match = _HYPOTHESIS.fullmatch(name)
        if match:
            systems[match[1] or "hypothesis"] = [row[column] for row in rows]
    return Outputs(systems)


def _reference_columns(header: Sequence[str]) -> tuple[dict[int, int], dict[int, str]]:
    """Column -> annotator, and the annotators' names."""
    matches = {column: _REFERENCE.fullmatch(name) for column, name in enumerate(header)}
    numbered = {column: int(match[1]) for column, match in matches.items() if match and match[1]}
    free = (number for number in range(len(header) + 1) if number not in numbered.values())
    columns = {
        column: numbered[column] if column in numbered else next(free)
        for column, match in matches.items()
        if match
    }
    names = {columns[column]: match[2] for column, match in matches.items() if match and match[2]}
    return columns, names


def write_tsv(corpus: Corpus, file: IO[str]) -> None:
    """Write the texts and labels of a corpus; edits become the texts they make, their types are not kept."""
    fields = list(dict.fromkeys(name for segment in corpus for name in segment.meta))
    for name in fields:
        if "\t" in name or "\n" in name:
            raise DataError(f"TSV cannot hold a field called {name!r}", hint="JSONL can: --to jsonl")
    labels = [name for name in ("document", "paragraph") if any(getattr(s, name) is not None for s in corpus)]
    header = ["source"]
    for annotator in corpus.annotators:
        title = corpus.names.get(annotator)
        header.append(f"reference_{annotator}" + (f":{title}" if title else ""))
    file.write("\t".join(map(_cell, [*header, *labels, *map(_column, fields)])) + "\n")
    for index, segment in enumerate(corpus):
        with corpus.at(index):
            cells: list[str | None] = [segment.source]
            for annotator in corpus.annotators:
                annotation = segment.annotation(annotator)
                cells.append(annotation.text if annotation else None)
            cells += [getattr(segment, name) for name in labels]
            cells += [segment.meta.get(name) for name in fields]
            file.write("\t".join(map(_cell, cells)) + "\n")


def _column(field: str) -> str:
    """The column of a meta field: its name, unless that means something else here."""
    special = field in ("source", "document", "paragraph") or field.startswith("meta:")
    if special or _REFERENCE.fullmatch(field) or _HYPOTHESIS.fullmatch(field):
        return f"meta:{field}"
    return field


def _cell(text: str | None) -> str:
    if text is None:
        return MISSING
    if "\t" in text or "\n" in text or text == MISSING or text.endswith("\r"):
        raise DataError(
            f"TSV cannot hold a tab, a line break or a bare {MISSING}: {text[:80]!r}",
            hint="JSONL can: --to jsonl",
        )
    return text
