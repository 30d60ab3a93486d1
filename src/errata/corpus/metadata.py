"""Side files: which document, paragraph, domain … each segment of a corpus belongs to."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from typing import IO

from errata.corpus.files import StrPath, display, plain_suffix, read_lines
from errata.corpus.model import NO_LABEL, Corpus, Label
from errata.corpus.tsv import read_rows
from errata.errors import DataError, plural


def with_meta(corpus: Corpus, *paths: StrPath) -> Corpus:
    """Add what side files say, one after the other; later files win.

    A side file is one of three, told apart by its length and first column: a header and a row a segment;
    a line a segment, the name of its document; or a header and a row a document, whose name is in the
    first column (TSV, or CSV by its suffix) and known from an earlier file or the corpus itself.
    """
    labels = [*(corpus.labels_by_segment or [NO_LABEL] * len(corpus))]
    for path in paths:
        labels = _attach(labels, path)
    return corpus.with_labels(labels)


def _attach(labels: list[Label], path: StrPath) -> list[Label]:
    if os.fspath(path) == "-":
        raise DataError("a side file cannot be read from stdin")
    lines = read_lines(path)
    known = {label[0] for label in labels} - {None}
    first_column = {line.partition("\t")[0] for line in lines[1:] if "\t" in line}
    is_table = plain_suffix(path) == ".csv" or known <= first_column
    if known and lines and is_table and not lines[0].startswith("document\t"):
        return by_document(labels, read_table(path), path)
    if len(lines) == len(labels) and not any("\t" in line for line in lines):
        return [(name, label[1], label[2]) for name, label in zip(lines, labels, strict=True)]
    if len(lines) == len(labels) + 1:
        return _by_segment(labels, path)
    if known:
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
    found: list[Label] = []
    for row, (document, paragraph, meta) in zip(rows, labels, strict=True):
        cells = dict(zip(header, row, strict=True))
        document = cells.pop("document", document)
        paragraph = cells.pop("paragraph", paragraph)
        merged = {**meta, **cells}
        found.append((document, paragraph, shared.setdefault(tuple(merged.items()), merged)))
    return found


def read_table(path: StrPath) -> dict[str, dict[str, str]]:
    """A table with a row a document: its fields by the name in the first column."""
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
    """The labels with what a table says about each segment's document."""
    merged: dict[tuple[str, int], Mapping[str, str]] = {}
    found: list[Label] = []
    for number, (document, paragraph, meta) in enumerate(labels, 1):
        if document is None:
            found.append((document, paragraph, meta))
            continue
        if document not in table:
            raise DataError(
                f"no row for the document {document!r} of segment {number}",
                path=display(path),
                hint="the first column of a table of documents is the document's name",
            )
        key = (document, id(meta))  # `labels` keeps meta alive, so its id stands for it
        if key not in merged:
            merged[key] = {**meta, **table[document]}
        found.append((document, paragraph, merged[key]))
    return found


def write_meta(corpus: Corpus, file: IO[str]) -> None:
    """Write a side file with a row a segment, which `with_meta` reads."""
    fields = list(dict.fromkeys(name for segment in corpus for name in segment.meta))
    header = ["document", "paragraph", *fields]
    file.write("\t".join(header) + "\n")
    for segment in corpus:
        cells = [segment.label(name) for name in header]
        if any("\t" in cell or "\n" in cell for cell in cells):
            raise DataError(f"a label with a tab or line break: {cells!r}"[:200])
        file.write("\t".join(cells) + "\n")
