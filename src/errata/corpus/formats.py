"""The formats of corpora: one registry, recognised by name and content, read and written in one way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from errata.corpus.cherrant import ANSWER, read_cherrant, write_cherrant
from errata.corpus.files import (
    StrPath,
    check_start,
    display,
    open_binary,
    open_output,
    peek,
    plain_suffix,
)
from errata.corpus.geccc import LEVELS, read_geccc, table_path
from errata.corpus.jsonl import read_jsonl, write_jsonl
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.model import Corpus, Outputs
from errata.corpus.multigec import (
    is_essays,
    read_essay_outputs,
    read_multigec,
    starts_like_essays,
    tokenised_essays,
    write_multigec,
)
from errata.corpus.parallel import check_same_sources, read_parallel, references_for, write_parallel
from errata.corpus.parallel import read_outputs as read_outputs
from errata.corpus.tsv import read_tsv, write_tsv
from errata.errors import DataError

Writer = Callable[[Corpus, StrPath, ExitStack], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it is, how it is recognised, read, and written (None: it is not).

    `sniff` looks at the path and at how the file's text begins. The suffix alone decides when
    it is one of `suffixes`. A writer opens its files on the stack: they appear when that is closed.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    sniff: Callable[[StrPath, str], bool]
    read: Callable[[StrPath], Corpus]
    write: Writer | None = None


def _one_file(write: Callable[[Corpus, IO[str]], None]) -> Writer:
    """The writer of a format that is one file."""

    def writer(corpus: Corpus, path: StrPath, stack: ExitStack) -> None:
        write(corpus, stack.enter_context(open_output(path, whole=True)))

    return writer


def _imported(module: str, name: str) -> Callable[..., Any]:
    """A function whose module is imported when it is called."""
    return lambda *arguments: getattr(import_module(f"errata.corpus.{module}"), name)(*arguments)


def _is_geccc(path: StrPath) -> bool:
    """Whether a file has GECCC's side files beside it, or a folder contains such files."""
    place = Path(path)
    if place.is_dir():
        return any(_is_geccc(place / f"{level}{suffix}") for level in LEVELS for suffix in (".m2", ".input"))
    return (
        place.suffix in (".m2", ".input", ".gold")
        and place.is_file()
        and place.with_suffix(".meta").is_file()
        and table_path(place) is not None
    )


def starts_like_cherrant(path: StrPath, text: str) -> bool:
    """Whether a file begins with a sentence and an answer."""
    lines = text.split("\n", 2)
    return lines[0].startswith("S ") and len(lines) > 1 and ANSWER.fullmatch(lines[1].rstrip()) is not None


def _starts_like_m2(path: StrPath, text: str) -> bool:
    lines = text.split("\n", 2)
    return lines[0].startswith("S ") and len(lines) > 1 and (lines[1].strip() == "" or lines[1][:2] == "A ")


def _has_source_column(path: StrPath, text: str) -> bool:
    header = text.split("\n", 1)[0].rstrip("\r").split("\t")
    return len(header) > 1 and "source" in header


def _has_annotations(path: StrPath, text: str) -> bool:
    if Path(path).is_dir():
        place = Path(path)
        return any(place.glob("*.ann")) or any(place.glob("annotated/*.ann"))
    return "=>" in text and ":::error_type=" in text


# A file belongs to the first format that recognises it; `text` accepts all other texts.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            "geccc", "GECCC: M2 or detokenised text with .meta and meta.tsv beside it", (),
            lambda path, text: _is_geccc(path), read_geccc,
        ),
        Format(
            "cherrant", "ChERRANT: M2 of characters with T0-A0 lines, several sequences of edits", (),
            starts_like_cherrant, read_cherrant, _one_file(write_cherrant),
        ),
        Format(
            "m2", "M2: sentences, edits with types, several annotators", (".m2",),
            _starts_like_m2, read_m2, _one_file(write_m2),
        ),
        Format(
            "ixml", "I-measure XML: sentences with clusters of alternative corrections", (".ixml",),
            lambda path, text: "<scripts" in text[:200], _imported("ixml", "read_ixml"),
            _one_file(_imported("ixml", "write_ixml")),
        ),
        Format(
            "jsonl", "JSON lines: an object a segment, loses nothing", (".jsonl", ".ndjson"),
            lambda path, text: text.startswith('{"'), read_jsonl, _one_file(write_jsonl),
        ),
        Format(
            "tsv", "TSV with a header: source, reference_0 …, document, paragraph, domain …", (".tsv",),
            _has_source_column, read_tsv, _one_file(write_tsv),
        ),
        Format(
            "ua-gec", "UA-GEC: in-line annotations {bad=>good:::error_type=X}, a file or a folder", (".ann",),
            _has_annotations, _imported("uagec", "read_ua_gec"),
        ),
        Format(
            "multigec", "MultiGEC-2025: essays in Markdown, references in -ref1- beside -orig-", (),
            starts_like_essays, read_multigec, write_multigec,
        ),
        Format(
            "text", "plain text, a segment a line; references in files of their own", (".txt", ".src"),
            lambda path, text: "\0" not in text, read_parallel, write_parallel,
        ),
    )
}  # fmt: skip


def detect_format(path: StrPath) -> str:
    """The format of a corpus file or folder: by its neighbours, its suffix and how it begins."""
    if _is_geccc(path):
        return "geccc"
    suffix = plain_suffix(path)
    if suffix == ".m2" and starts_like_cherrant(path, peek(path)):
        return "cherrant"
    for format in FORMATS.values():
        if suffix in format.suffixes and format.name != "text" and not os.path.isdir(path):
            return format.name
    text = "" if os.path.isdir(path) else peek(path)
    for format in FORMATS.values():
        if (format.name != "text" or not os.path.isdir(path)) and format.sniff(path, text):
            return format.name
    if os.path.isdir(path):
        raise DataError(
            "this is a folder, but not of a corpus", path=display(path), hint="name a file in this folder"
        )
    with open_binary(path) as file:
        check_start(file.read(400), path)
    raise DataError(
        "cannot tell its format",
        path=display(path),
        hint=f"it should be one of {', '.join(FORMATS)}; the verbs of `errata corpus` take --from",
    )


def _named(format: str) -> Format:
    if format not in FORMATS:
        raise DataError(f"no format is called {format!r}", hint=f"there are {', '.join(FORMATS)}")
    return FORMATS[format]


def read_corpus(
    path: StrPath,
    *,
    format: str | None = None,
    references: Sequence[StrPath] = (),
    meta: Sequence[StrPath] = (),
) -> Corpus:
    """Read a corpus in any format; `references` go with plain text, `meta` are side files (see `meta`)."""
    reader = _named(format or detect_format(path))
    if references and reader.name != "text":
        raise DataError(
            f"reference files go with plain text, but this is {reader.name}",
            path=display(path),
            hint="leave them out, or say --from text",
        )
    corpus = read_parallel(path, references) if references else reader.read(path)
    return corpus.with_meta(*meta) if meta else corpus


def read_gold(
    gold: StrPath | None,
    source: StrPath | None = None,
    references: Sequence[StrPath] = (),
    meta: StrPath | None = None,
) -> Corpus:
    """The corpus that systems are scored on: a file with edits, or a source text with reference texts.

    With `gold`, a `source` must have the same sentences, and `references` are texts besides the edits. `meta`
    has labels of the segments.
    """
    if gold is None:
        if source is None:
            raise DataError("there is nothing to score on", hint="give a gold file, or a source text")
        corpus = read_parallel(source, references)
    else:
        corpus = read_corpus(gold, format=None if os.fspath(gold) != "-" else "m2")
        if references:
            corpus = corpus.with_rewrites(references_for(corpus, references))
        if source is not None:
            check_same_sources(corpus, source)
    return corpus if meta is None else corpus.with_meta(meta)


def read_hypotheses(
    paths: Sequence[StrPath], corpus: Corpus, *, jobs: int | None = None
) -> tuple[Corpus, Outputs, dict[str, list[str]]]:
    """Systems' outputs, with the corpus as it is scored, and the essays that each system left out.

    Essays of MultiGEC are tokenised as the shared task does; no other corpus has anything that may be left
    out.
    """
    if not is_essays(corpus):
        return corpus, read_outputs(paths, corpus, jobs=jobs), {}
    outputs, missing = read_essay_outputs(paths, corpus)
    return *tokenised_essays(corpus, outputs), missing


def format_to_write(path: StrPath) -> str:
    """The format a file's suffix asks for."""
    suffix = plain_suffix(path)
    for format in FORMATS.values():
        if format.write and suffix in format.suffixes:
            return format.name
    raise DataError(
        "cannot tell by its name which format to write",
        path="<stdout>" if os.fspath(path) == "-" else display(path),
        hint=f"name it: --to {'|'.join(name for name, format in FORMATS.items() if format.write)}",
    )


def write_corpus(corpus: Corpus, path: StrPath, *, format: str | None = None) -> None:
    """Write a corpus; its files appear only when all are complete."""
    write_corpora([(corpus, path)], format=format)


def write_corpora(
    corpora: Iterable[tuple[Corpus, StrPath]], *, format: str | None = None, meta: bool = False
) -> None:
    """Write several corpora, all or none; `meta` adds a side file `NAME.meta.tsv` to each."""
    from errata.corpus.tsv import write_meta

    with ExitStack() as stack:
        for corpus, path in corpora:
            write = _named(format or format_to_write(path)).write
            if write is None:
                raise DataError(f"{format} can be read but not written", path=display(path))
            write(corpus, path, stack)
            if meta:
                if os.fspath(path) == "-":
                    raise DataError(
                        "a side file needs a name to go by", hint="write to a file, not to stdout"
                    )
                write_meta(corpus, stack.enter_context(open_output(f"{os.fspath(path)}.meta.tsv")))
