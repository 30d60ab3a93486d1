"""GECCC (Náplava et al. 2022): M2 or detokenised text, with documents, paragraphs, domains and authors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, count
from pathlib import Path
from typing import TYPE_CHECKING

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.m2 import read_m2
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import annotated
from errata.errors import DataError, plural

if TYPE_CHECKING:
    from errata.corpus.model import Label

NEWLINE = "\N{TIBETAN SYMBOL DRIL BU}"  # ࿄ stands for a line break inside a paragraph; it stays in the text
LEVELS = ("sentence", "paragraph")


def table_path(place: Path) -> Path | None:
    """The `meta.tsv` beside a file, or one folder up."""
    folder = place.absolute().parent
    return next((f / "meta.tsv" for f in (folder, folder.parent) if (f / "meta.tsv").is_file()), None)


def read_geccc(path: StrPath) -> Corpus:
    """Read `sentence.m2`, `paragraph.m2`, or `….input` with its `….gold`; a folder means its sentences.

    Documents come from the `.meta` beside it, their fields (domain, age, sex, …) from `meta.tsv` there
    or one folder up, and the paragraph of a sentence from the place of its text in `paragraph.input`.
    """
    from errata.corpus.tsv import by_document, read_table

    place = Path(path)
    if place.is_dir():
        names = [f"{level}{suffix}" for suffix in (".m2", ".input") for level in LEVELS]
        file = next((place / name for name in names if (place / name).is_file()), None)
        if file is None:
            raise DataError(f"a GECCC folder has one of {', '.join(names)}", path=display(path))
        place = file
    corpus = read_m2(place) if place.suffix == ".m2" else _read_text(place)
    documents = _documents(place.with_suffix(".meta"), len(corpus), place)
    paragraphs = _paragraphs(place, documents)
    nothing: Mapping[str, str] = {}
    labels: list[Label] = [(d, p, nothing) for d, p in zip(documents, paragraphs, strict=True)]
    table = table_path(place)
    if table is not None:
        # Domain, Age, … as the field names them: domain, age, …
        fields = {
            name: {key[:1].lower() + key[1:]: value for key, value in row.items()}
            for name, row in read_table(table).items()
        }
        labels = by_document(labels, fields, table)
    return corpus.with_labels(labels)


def _documents(path: Path, segments: int, corpus_path: Path) -> list[str]:
    names = read_lines(path)
    if len(names) != segments:
        raise DataError(
            f"{len(names)} {plural(len(names), 'line')}, "
            f"but {corpus_path.name} has {segments} {plural(segments, 'segment')}",
            path=path,
            hint="read the corpus without its side files: --from m2",
        )
    return names


def _read_text(place: Path) -> Corpus:
    source_path, gold_path = place.with_suffix(".input"), place.with_suffix(".gold")
    sources = read_lines(source_path)
    golds: Sequence[str | None] = read_lines(gold_path) if gold_path.is_file() else [None] * len(sources)
    if len(golds) != len(sources):
        raise DataError(
            f"{len(golds)} {plural(len(golds), 'line')}, but {source_path.name} has {len(sources)}",
            path=display(gold_path),
        )
    segments = [
        annotated(source, [] if gold is None else gold.split("\t"))  # alternatives, one an annotator
        for source, gold in zip(sources, golds, strict=True)
    ]
    return Corpus(segments, origin=Origin(display(source_path), "geccc"), first_line=1)


def _paragraphs(place: Path, documents: Sequence[str]) -> list[str | None]:
    """The paragraph of each segment, numbered in its document; None if it is unknown."""
    if place.stem != "sentence":
        return list(_numbered(documents))
    files = [place.with_name(name) for name in ("sentence.input", "paragraph.input", "paragraph.meta")]
    if not all(file.is_file() for file in files):
        return [None] * len(documents)
    sentences, paragraphs, owners = map(read_lines, files)
    if len(sentences) != len(documents) or len(paragraphs) != len(owners):
        return [None] * len(documents)
    texts: dict[str, list[str]] = {}
    for owner, text in zip(owners, paragraphs, strict=True):
        texts.setdefault(owner, []).append(_squeezed(text))
    numbers: list[str | None] = [None] * len(documents)
    lines: dict[str, list[int]] = {}
    for index, document in enumerate(documents):
        lines.setdefault(document, []).append(index)
    for document, indices in lines.items():
        placed = align([_squeezed(sentences[i]) for i in indices], texts.get(document, []))
        for index, paragraph in zip(indices, placed, strict=True):
            numbers[index] = None if paragraph is None else str(paragraph)
    return numbers


def _numbered(documents: Sequence[str]) -> list[str]:
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    return [str(next(numbers[document])) for document in documents]


def _squeezed(text: str) -> str:
    return "".join(text.replace(NEWLINE, " ").split())


def align(sentences: Sequence[str], paragraphs: Sequence[str]) -> list[int | None]:
    """The paragraph in which each sentence begins, searched from the end of the sentence before.

    White space was removed before. The two levels were filtered separately, so a sentence may be in none of
    the paragraphs (None), and one that crosses the end of a paragraph belongs to where it begins.
    """
    whole = "".join(paragraphs)
    ends = list(accumulate(map(len, paragraphs)))
    numbers: list[int | None] = []
    position = 0
    paragraph = 0
    for sentence in sentences:
        start = whole.find(sentence, position)
        if start < 0 or not whole:
            numbers.append(None)
            continue
        position = start + len(sentence)
        while paragraph < len(ends) - 1 and ends[paragraph] <= start:
            paragraph += 1
        numbers.append(paragraph)
    return numbers
