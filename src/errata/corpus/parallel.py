"""Parallel text: a source file and any number of files with references or outputs, line by line."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np

from errata.corpus.files import (
    COMPRESSED,
    M2_OF_UNITS,
    StrPath,
    display,
    open_output,
    peek,
    plain_suffix,
    read_texts,
)
from errata.corpus.model import Corpus, Outputs
from errata.corpus.segment import EditedLines
from errata.engine import in_order
from errata.errors import DataError, plural
from errata.text.lines import Lines

Result = TypeVar("Result")
_LARGE = 1 << 20  # bytes, below which threads cost more than they save
_COMPARED = 400  # characters of a line that tell whether two lines resemble each other


def read_parallel(source: StrPath, references: Sequence[StrPath] = (), *, jobs: int | None = None) -> Corpus:
    """A corpus from a source file and reference files, line by line; see `read_outputs` for `jobs`."""
    texts = _side_by_side(read_texts, [source, *references], jobs)
    return _with_references(Corpus.from_texts(next(texts), path=display(source)), references, texts)


def references_for(corpus: Corpus, references: Sequence[StrPath]) -> Corpus:
    """The same segments with the references of these files instead of their own."""
    return _with_references(corpus, references, map(read_texts, references))


def _with_references(corpus: Corpus, references: Sequence[StrPath], texts: Iterable[Lines]) -> Corpus:
    where = corpus.origin.path if corpus.origin else "the source"
    files = zip(references, texts, strict=True)
    aligned = [_aligned(path, lines, corpus.source_texts, where) for path, lines in files]
    return corpus.with_texts(aligned, {a: system_name(path) for a, path in enumerate(references)})


def _side_by_side(
    read: Callable[[StrPath], Result], paths: Sequence[StrPath], jobs: int | None
) -> Iterator[Result]:
    """The content of each file, read by several threads if the files are large and not pipes.

    Otherwise an error or ^C would wait for the pipe.
    """
    sizes = [*map(_size, paths)]
    return in_order(read, paths, jobs if all(sizes) and sum(sizes) > _LARGE else 1)


def _size(path: StrPath) -> int:
    """The bytes of a file; 0 if there is none."""
    return os.path.getsize(path) if os.path.isfile(path) else 0


def check_same_sources(corpus: Corpus, path: StrPath) -> None:
    """Raise if a source file has other words than the corpus."""
    where = corpus.origin.path if corpus.origin else "the corpus"
    check_sources(corpus, read_aligned(path, corpus.source_texts, where), where, path)


def check_sources(corpus: Corpus, lines: Lines, where: str, path: StrPath, first: int = 1) -> None:
    """Raise if these lines of a file, from the line `first` on, have other words than the corpus."""
    ids, own = corpus.vocabulary.encode_lines(lines), corpus.source_ids
    if np.array_equal(ids.offsets, own.offsets) and np.array_equal(ids.values, own.values):
        return
    for number, (line, source) in enumerate(zip(lines, corpus.sources, strict=True), first):
        if line.split() != source.split():
            raise DataError(
                f"not the source of {where}: {line[:60]!r} against {source[:60]!r}",
                path=display(path),
                line=number,
                hint="leave --source out: the gold file has the source",
            )


def write_parallel(corpus: Corpus, path: StrPath, stack: ExitStack) -> None:
    """Write the sources to `NAME.txt` and annotator N's texts to `NAME.refN.txt`, which all must have."""
    _write_lines(corpus, path, corpus.sources, stack)
    for annotator in corpus.annotators:
        texts = corpus.references(annotator)
        if None in texts:
            index = texts.index(None)
            with corpus.at(index):
                raise DataError(
                    f"annotator {annotator} says nothing about segment {index + 1}, and plain text cannot "
                    "say so",
                    hint="choose one (--annotator), complete them (--missing source|first), or write TSV",
                )
        if os.fspath(path) == "-":
            raise DataError(
                "references need files of their own, and stdout is one",
                hint="name a file, or drop the references: --sources-only",
            )
        name = reference_path(path, annotator)
        _write_lines(corpus, name, [text or "" for text in texts], stack)


def reference_path(path: StrPath, annotator: int) -> str:
    """Where the texts of an annotator go beside the sources: `dev.ref0.txt.gz` beside `dev.txt.gz`."""
    name = os.fspath(path)
    packed = next((suffix for suffix in COMPRESSED if name.endswith(suffix)), "")
    stem, suffix = os.path.splitext(name.removesuffix(packed))
    return f"{stem}.ref{annotator}{suffix}{packed}"


def _write_lines(corpus: Corpus, path: StrPath, lines: Sequence[str], stack: ExitStack) -> None:
    file = stack.enter_context(open_output(path, whole=True))
    for index, line in enumerate(lines):
        if "\n" in line or line.endswith("\r"):
            with corpus.at(index):
                raise DataError(
                    f"a line cannot hold a line break: {line[:80]!r}", hint="JSONL can: --to jsonl"
                )
        file.write(line + "\n")


def read_outputs(paths: Sequence[StrPath], corpus: Corpus, *, jobs: int | None = None) -> Outputs:
    """Systems' outputs, named after their files, each with a line for every segment of the corpus.

    A file that ends in `.m2` has a system's edits of the same sources, which edit metrics take as they are.
    `jobs` is the number of threads that read files; pipes are read in turn.
    """
    sources, where = corpus.source_texts, corpus.origin.path if corpus.origin else "the source"

    def read(path: StrPath) -> Sequence[str]:
        if plain_suffix(path) == ".m2":
            return read_edited(path, corpus.sources, where)
        return read_aligned(path, sources, where)

    systems: dict[str, Sequence[str]] = {}
    paths = [*paths]  # it may be an iterator
    for path, lines in zip(paths, _side_by_side(read, paths, jobs), strict=True):
        systems[unused(system_name(path), systems)] = lines
    return Outputs(systems)


def read_edited(path: StrPath, sources: Sequence[str], source_path: StrPath) -> EditedLines:
    """The outputs of a system that an M2 file gives as edits of these sources, by a single annotator."""
    from errata.corpus.cherrant import answer_edits, answer_numbers, read_cherrant
    from errata.corpus.formats import starts_like_cherrant
    from errata.corpus.m2 import read_m2

    of_characters = starts_like_cherrant(path, peek(path))
    edited = read_cherrant(path) if of_characters else read_m2(path)
    # A block without an A line belongs to annotator 0, even if all others belong to another annotator.
    annotators = {a.annotator for segment in edited for a in segment.annotations if not a.implicit} or {0}
    if of_characters:
        annotators = set(answer_numbers(edited).values())
    if len(annotators) > 1:
        raise DataError(
            f"{len(annotators)} annotators, but the output of a system has one",
            path=display(path),
            hint="is it a gold file? Choose one annotator with `errata corpus convert --annotator`",
        )
    for index, (line, source) in enumerate(zip(edited.sources, sources, strict=False)):
        # ChERRANT writes some signs in one width in the gold, and in the other in outputs.
        if line.split() != source.split() and not (of_characters and _same_signs(line, source)):
            with edited.at(index):
                raise DataError(
                    f"segment {index + 1} has another source than {display(source_path)}: "
                    f"{line[:60]!r} against {source[:60]!r}",
                    hint="an M2 file of outputs must have the sources of the corpus, in the same order",
                )
    if len(edited) != len(sources):
        raise DataError(
            f"{len(edited)} {plural(len(edited), 'segment')}, but {display(source_path)} has {len(sources)}",
            path=display(path),
            hint="an M2 file of outputs must have every source of the corpus, in the same order",
        )
    if of_characters:  # an answer may have several sequences of edits
        texts = [segment.annotations[0].text if segment.annotations else segment.source for segment in edited]
        return EditedLines(texts, [list(chain(*answers.values())) for answers in answer_edits(edited)])
    return EditedLines.of(edited, *annotators)


def _same_signs(one: str, other: str) -> bool:
    """Whether two texts have the same signs, whatever their width."""
    return unicodedata.normalize("NFKC", one).split() == unicodedata.normalize("NFKC", other).split()


def read_aligned(path: StrPath, sources: Sequence[str], source_path: StrPath) -> Lines:
    """The lines of a file that must have one for each source; names the first line that does not match."""
    return _aligned(path, read_texts(path), sources, source_path)


def _aligned(path: StrPath, lines: Lines, sources: Sequence[str], source_path: StrPath) -> Lines:
    if len(lines) == len(sources):
        return lines
    blank = len(lines) - len(sources)
    if blank > 0 and not any(lines[i].strip() for i in range(len(sources), len(lines))):
        raise DataError(
            f"{len(lines)} {plural(len(lines), 'line')}, but {display(source_path)} has {len(sources)}",
            path=display(path),
            line=len(sources) + 1,
            hint=f"remove the empty {plural(blank, 'line')} at the end: {blank} too many",
        )
    astray = first_astray(sources, lines)
    several = "; errata corpus clean finds the correction where an answer has several lines"
    raise DataError(
        f"{len(lines)} {plural(len(lines), 'line')}, but {display(source_path)} has {len(sources)}",
        path=display(path),
        line=astray + 1,
        hint=f"the texts seem to stop matching at line {astray + 1}: "
        f"{_shown(sources, astray)} against {_shown(lines, astray)}{several if blank > 0 else ''}",
    )


def first_astray(sources: Sequence[str], lines: Sequence[str]) -> int:
    """The first line from which on two texts stop resembling each other (a lost or doubled line)."""
    from rapidfuzz.distance import Indel

    def resemble(i: int, j: int) -> float:
        if not (0 <= i < len(sources) and 0 <= j < len(lines)):
            return 0.0
        return Indel.normalized_similarity(sources[i][:_COMPARED], lines[j][:_COMPARED])

    shift = 1 if len(lines) < len(sources) else -1
    for i in range(min(len(sources), len(lines))):
        # This line and the two after it fit the source of their neighbour better than their own.
        window = range(i, i + 3)
        stay = sum(resemble(k, k) for k in window)
        move = sum(resemble(k + max(shift, 0), k - min(shift, 0)) for k in window)
        if resemble(i, i) < 0.99 and move > stay + 0.5:
            return i
    return min(len(sources), len(lines))


def system_name(path: StrPath) -> str:
    """The name of a system or annotator after its file: `AMU` of `out/AMU.txt.gz`."""
    if display(path) == "<stdin>":
        return "stdin"
    name = Path(path).name
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    if name.endswith(M2_OF_UNITS):
        name = Path(name).stem
    return Path(name).stem or name


def unused(name: str, taken: Container[str]) -> str:
    """The name, followed by a number if it is taken already."""
    number = 2
    candidate = name
    while candidate in taken:
        candidate = f"{name}-{number}"
        number += 1
    return candidate


def _shown(lines: Sequence[str], index: int) -> str:
    return repr(lines[index][:60]) if index < len(lines) else "nothing"
