"""Precomputed analyses from any tool that writes CoNLL-U: `conllu:FILE`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from errata.corpus.files import read_lines
from errata.edits.tagged_sentence import UNKNOWN_HEAD, TaggedSentence
from errata.edits.taggers import digest
from errata.errors import DataError

_NUMBER = re.compile("[0-9]{1,9}")


class PrecomputedTagger:
    """Looks sentences up in a CoNLL-U file, which must contain every requested sentence."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._sentences = {s.forms: s for s in sentences(read_lines(path), path)}
        self.signature = f"conllu:{Path(path).name}-{digest(path)}"

    @property
    def name(self) -> str:
        return f"conllu:{self.path}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [self._find(tuple(forms)) for forms in sentences]

    def _find(self, forms: tuple[str, ...]) -> TaggedSentence:
        if not forms:
            return TaggedSentence.untagged(forms)
        sentence = self._sentences.get(forms)
        if sentence is None:
            raise DataError(
                f"has no analysis of the sentence {' '.join(forms)[:100]!r}",
                path=self.path,
                hint="analyse the sources and the corrections, with their tokens as they are",
            )
        return sentence


def sentences(lines: Iterable[str], path: str = "") -> Iterator[TaggedSentence]:
    """The sentences of a CoNLL-U file; multiword and empty tokens are left out."""
    rows: list[list[str]] = []
    number = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if rows:
                yield _sentence(rows, path, number)
            rows = []
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 10:
                raise DataError(
                    f"a token has 10 fields separated by tabs, this one {len(fields)}: {line[:60]!r}",
                    path=path,
                    line=number,
                    hint="is this a CoNLL-U file?",
                )
            if _NUMBER.fullmatch(fields[0]):
                rows.append(fields)
    if rows:
        yield _sentence(rows, path, number)


def _sentence(rows: list[list[str]], path: str, line: int) -> TaggedSentence:
    heads = []
    for i, row in enumerate(rows):
        head = row[6]
        if not _NUMBER.fullmatch(head):
            heads.append(UNKNOWN_HEAD)
        elif int(head) > len(rows):
            raise DataError(f"token {row[0]} has a head {head} outside the sentence", path=path, line=line)
        else:
            heads.append(int(head) - 1 if head != "0" else i)

    def column(number: int) -> tuple[str, ...]:
        return tuple("" if row[number] == "_" else row[number] for row in rows)

    forms = tuple(row[1] for row in rows)
    lemmas = tuple(row[2] if row[2] != "_" or row[1] == "_" else row[1].lower() for row in rows)
    return TaggedSentence(forms, lemmas, column(3), column(4), column(7), tuple(heads))
