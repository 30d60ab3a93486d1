"""TSV: tables of segments with their texts and labels, and side files with labels alone."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import IO

from errata.corpus.files import StrPath, display, plain_suffix, read_lines
from errata.corpus.model import NO_LABEL, Corpus, Label, Origin
from errata.corpus.segment import Annotation, Segment
from errata.errors import DataError, plural

MISSING = "\\N"  # a reference or label that is missing; an empty cell is an empty text
_REFERENCE = re.compile(r"reference(?:_(\d{1,9}))?(?::(.*))?")
HYPOTHESIS = re.compile(r"hypothesis(?:[:_](.*))?")


def read_rows(path: StrPath) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a TSV file without quoting; every row has as many cells as the header."""
    lines = read_lines(path)
    if not lines:
        raise DataError("empty, not even a header", path=display(path))
    header = parse_header(lines[0], path)
    return header, parse_rows(header, lines[1:], path)


def parse_header(line: str, path: StrPath) -> list[str]:
    """The names of the columns."""
    header = line.split("\t")
    twice = {name for name in header if header.count(name) > 1} if len(header) < 1000 else set()
    if twice:
        raise DataError(f"two columns {min(twice)!r}", path=display(path), line=1)
    return header


def parse_rows(header: Sequence[str], lines: Sequence[str], path: StrPath, first: int = 2) -> list[list[str]]:
    """The cells of lines; `first` is the number of the first line."""
    rows = [line.split("\t") for line in lines]
    for number, row in enumerate(rows, first):
        if len(row) != len(header):
            raise DataError(
                f"{len(row)} cells under {len(header)} columns",
                path=display(path),
                line=number,
                hint="cells are separated by one tab, and there is no quoting",
            )
    return rows


class Columns:
    """The meaning of the columns of a table of segments, by their names.

    `source`, `reference…`, `document`, `paragraph` and `hypothesis…`; all others are meta fields.
    Reference columns are `reference`, `reference_1`, `reference_1:name`. A meta field whose name has
    another meaning here is `meta:NAME`.
    """

    def __init__(self, header: Sequence[str], path: StrPath) -> None:
        if "source" not in header:
            raise DataError(
                f"no column 'source' among {', '.join(map(repr, header[:8]))[:200]}",
                path=display(path),
                line=1,
                hint="columns have names: source, reference_0, …, document, paragraph, domain, …",
            )
        self._references, self.names = _reference_columns(header)
        if len(set(self._references.values())) < len(self._references):
            raise DataError("two reference columns of the same annotator", path=display(path), line=1)
        place = {name: column for column, name in enumerate(header)}
        self._source, self._document = place["source"], place.get("document")
        self._paragraph = place.get("paragraph")
        matches = {name: HYPOTHESIS.fullmatch(name) for name in header}
        self.hypotheses = {
            match[1] or "hypothesis": place[name] for name, match in matches.items() if match is not None
        }
        taken = {self._source, self._document, self._paragraph, *self._references, *self.hypotheses.values()}
        self._meta = [(name.removeprefix("meta:"), n) for name, n in place.items() if n not in taken]

    def segment(self, row: Sequence[str | None]) -> Segment:
        """A row of cells (None: missing) as a segment."""
        source = row[self._source] or ""
        annotations = tuple(
            Annotation(source, text=text, annotator=annotator)
            for column, annotator in self._references.items()
            if (text := row[column]) is not None
        )
        meta = {name: cell for name, column in self._meta if (cell := row[column]) is not None}
        document, paragraph = (
            None if column is None else row[column] for column in (self._document, self._paragraph)
        )
        return Segment(source, annotations, document, paragraph, meta)


def read_tsv(path: StrPath) -> Corpus:
    """Read a table of segments (see `Columns`); outputs of systems are left out."""
    header, rows = read_rows(path)
    return parse_tsv(header, rows, path)


def parse_tsv(header: Sequence[str], rows: Sequence[Sequence[str]], path: StrPath, first: int = 2) -> Corpus:
    """A corpus from rows of a file; `first` is the line of the first row."""
    columns = Columns(header, path)
    segments = [columns.segment([_known(cell) for cell in row]) for row in rows]
    return Corpus(segments, origin=Origin(display(path), "tsv"), names=columns.names, first_line=first)


def _known(cell: str) -> str | None:
    return None if cell == MISSING else cell


def _reference_columns(header: Sequence[str]) -> tuple[dict[int, int], dict[int, str]]:
    """Column -> annotator, and the annotators' names."""
    matches = {column: _REFERENCE.fullmatch(name) for column, name in enumerate(header)}
    numbered = {column: int(match[1]) for column, match in matches.items() if match and match[1]}
    free = (number for number in count() if number not in numbered.values())
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
    """The column of a meta field: its name, unless that has another meaning here."""
    special = field in ("source", "document", "paragraph") or field.startswith("meta:")
    if special or _REFERENCE.fullmatch(field) or HYPOTHESIS.fullmatch(field):
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


# -- side files: the document, paragraph, domain … of each segment ------------------------------------------


def with_meta(corpus: Corpus, *paths: StrPath) -> Corpus:
    """Add the labels of side files, one after the other; later files win.

    There are three kinds of side files: a header and one row per segment; one line per segment, the name of
    its document; or a header and one row per document, whose name is in the first column (TSV, or CSV by its
    suffix). The documents are those of an earlier file or of the corpus. Length and first column tell which
    kind a file is.
    """
    labels = [*(corpus.labels_by_segment or [NO_LABEL] * len(corpus))]
    for path in paths:
        labels = _attach(labels, path)
    return corpus.with_labels(labels)


def _attach(labels: list[Label], path: StrPath) -> list[Label]:
    if os.fspath(path) == "-":
        raise DataError("a side file cannot be read from stdin")
    lines = read_lines(path)
    documents = {label[0] for label in labels} - {None}
    first_column = {line.partition("\t")[0] for line in lines[1:] if "\t" in line}
    is_table = plain_suffix(path) == ".csv" or documents <= first_column
    if documents and lines and is_table and not lines[0].startswith("document\t"):
        return by_document(labels, read_table(path), path)
    if len(lines) == len(labels) and not any("\t" in line for line in lines):
        return [(name, label[1], label[2]) for name, label in zip(lines, labels, strict=True)]
    if len(lines) == len(labels) + 1:
        return _by_segment(labels, path)
    if documents:
        return by_document(labels, read_table(path), path)
    raise DataError(
        f"{len(lines)} {'line does' if len(lines) == 1 else 'lines do'} not fit "
        f"{len(labels)} {plural(len(labels), 'segment')}",
        path=display(path),
        hint="a side file has a header and a row a segment, or a line a segment (its document); a table "
        "of documents goes after a file that says which document each segment belongs to",
    )


def _by_segment(labels: list[Label], path: StrPath) -> list[Label]:
    header, rows = read_rows(path)
    shared: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}  # one object for equal rows
    extended: list[Label] = []
    for row, (document, paragraph, meta) in zip(rows, labels, strict=True):
        cells = dict(zip(header, row, strict=True))
        document = cells.pop("document", document)
        paragraph = cells.pop("paragraph", paragraph)
        merged = {**meta, **cells}
        extended.append((document, paragraph, shared.setdefault(tuple(merged.items()), merged)))
    return extended


def read_table(path: StrPath) -> dict[str, dict[str, str]]:
    """The fields of every document, by the name in the first column, from a table with a row per document."""
    if plain_suffix(path) == ".csv":
        try:
            header, *rows = list(csv.reader(read_lines(path), strict=True)) or [[]]
        except csv.Error as error:
            raise DataError(f"not CSV: {error}", path=display(path)) from None
        for number, row in enumerate(rows, 2):
            if row and len(row) != len(header):  # an empty line is no row in CSV
                raise DataError(
                    f"{len(row)} cells under {len(header)} columns", path=display(path), line=number
                )
    else:
        header, rows = read_rows(path)
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows if row}


def by_document(
    labels: Sequence[Label], table: Mapping[str, Mapping[str, str]], path: StrPath
) -> list[Label]:
    """The labels with the fields of each segment's document."""
    merged: dict[tuple[str, int], Mapping[str, str]] = {}
    extended: list[Label] = []
    for number, (document, paragraph, meta) in enumerate(labels, 1):
        if document is None:
            extended.append((document, paragraph, meta))
            continue
        if document not in table:
            raise DataError(
                f"no row for the document {document!r} of segment {number}",
                path=display(path),
                hint="the first column of a table of documents is the document's name",
            )
        key = (document, id(meta))  # `labels` keeps meta alive, so its id is unique
        if key not in merged:
            merged[key] = {**meta, **table[document]}
        extended.append((document, paragraph, merged[key]))
    return extended


def write_meta(corpus: Corpus, file: IO[str]) -> None:
    """Write a side file with one row per segment, which `with_meta` reads."""
    fields = list(dict.fromkeys(name for segment in corpus for name in segment.meta))
    header = ["document", "paragraph", *fields]
    file.write("\t".join(header) + "\n")
    for segment in corpus:
        cells = [segment.label(name) for name in header]
        if any("\t" in cell or "\n" in cell for cell in cells):
            raise DataError(f"a label with a tab or line break: {cells!r}"[:200])
        file.write("\t".join(cells) + "\n")
