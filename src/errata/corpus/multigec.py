"""MultiGEC-2025 (Masciolini et al. 2025): essays in Markdown, `LANG-CORPUS-orig-SPLIT.md` and `…-ref1-…`.

An essay begins with `### essay_id = ID` and ends before the next one; white space inside is kept. A segment
is a whole essay, and its document is the essay's ID. A reference file may lack essays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from errata.corpus.files import StrPath, display, open_output, read_lines
from errata.corpus.model import Corpus, Origin, Outputs
from errata.corpus.segment import Annotation, annotated
from errata.errors import DataError

_HEADER = re.compile(r"### essay_id = (\S.*?)\s*")
_NAME = re.compile(r"(?P<before>.+)-orig-(?P<after>.+)\.md")
MISSING = "!"  # the text that the shared task scores in place of an essay that a system left out


def starts_like_essays(path: StrPath, text: str) -> bool:
    """Whether a file begins as essays do."""
    return _HEADER.fullmatch(text.split("\n", 1)[0]) is not None


def read_essays(path: StrPath) -> dict[str, str]:
    """The essays of one file by ID, without the empty line that separates them."""
    essays: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(read_lines(path), 1):
        header = _HEADER.fullmatch(line)
        if header is not None:
            if header[1] in essays:
                raise DataError(
                    f"a second essay {header[1]!r}", path=display(path), line=number,
                    hint="every essay_id may occur once",
                )  # fmt: skip
            current = essays[header[1]] = []
        elif current is not None:
            current.append(line)
        elif line.strip():
            raise DataError(
                f"text before the first essay: {line[:60]!r}", path=display(path), line=number,
                hint="an essay begins with a line `### essay_id = ID`",
            )  # fmt: skip
    return {name: _joined(lines) for name, lines in essays.items()}


def _joined(lines: list[str]) -> str:
    """The text of an essay; the one empty line at its end only separates it from the next."""
    return "\n".join(lines[:-1] if lines and not lines[-1] else lines)


def read_multigec(path: StrPath) -> Corpus:
    """Read the original essays and the reference files in the same folder."""
    essays = read_essays(path)
    corrected = {file: read_essays(file) for file in reference_files(Path(path))}
    for file, texts in corrected.items():
        unknown = next((name for name in texts if name not in essays), None)
        if unknown is not None:
            raise DataError(
                f"there is no original of the essay {unknown!r}", path=display(file),
                hint=f"the originals are in {display(path)}",
            )  # fmt: skip
    segments = [
        replace(annotated(text, [texts.get(name) for texts in corrected.values()]), document=name)
        for name, text in essays.items()
    ]
    return Corpus(segments, origin=Origin(display(path), "multigec"))


def reference_files(path: Path) -> list[Path]:
    """`cs-web-ref1-dev.md`, `cs-web-ref2-dev.md`, … beside `cs-web-orig-dev.md`."""
    name = _NAME.fullmatch(path.name)
    if name is None:
        return []
    files: list[Path] = []
    while (file := path.with_name(f"{name['before']}-ref{len(files) + 1}-{name['after']}.md")).is_file():
        files.append(file)
    return files


def write_multigec(corpus: Corpus, path: StrPath, stack: ExitStack) -> None:
    """Write the essays to `…-orig-….md`, and annotator N's corrections to `…-ref(N+1)-….md` beside it."""
    name = _NAME.fullmatch(Path(path).name)
    if name is None:
        raise DataError(
            f"{Path(path).name!r} does not contain the corpus and the split", path=display(path),
            hint="call it LANGUAGE-CORPUS-orig-SPLIT.md",
        )  # fmt: skip
    ids = [segment.document for segment in corpus]
    if None in ids or len(set(ids)) < len(ids):
        raise DataError(
            "every segment needs a document of its own, whose name is the essay's ID",
            hint="merge sentences into documents first: errata corpus convert --regroup document",
        )
    texts: dict[Path, dict[str, str | None]] = {
        Path(path): {str(segment.document): segment.source for segment in corpus}
    }
    for annotator in corpus.annotators:
        file = Path(path).with_name(f"{name['before']}-ref{annotator + 1}-{name['after']}.md")
        texts[file] = dict(zip(map(str, ids), corpus.references(annotator), strict=True))
    for file, essays in texts.items():
        out = stack.enter_context(open_output(file, whole=True))
        for essay, text in essays.items():
            if text is not None:
                out.write(f"### essay_id = {essay}\n{text}\n\n")


def is_essays(corpus: Corpus) -> bool:
    """Whether a corpus was read from essays of MultiGEC."""
    return corpus.origin is not None and corpus.origin.format == "multigec"


def read_essay_outputs(paths: Sequence[StrPath], corpus: Corpus) -> tuple[Outputs, dict[str, list[str]]]:
    """Systems' essays in the order of the corpus, and the IDs of those that each system left out.

    By the rule of the shared task, an essay that is missing is scored as a single exclamation mark.
    """
    from errata.corpus.parallel import system_name, unused

    systems: dict[str, Sequence[str]] = {}
    missing: dict[str, list[str]] = {}
    ids = corpus.labels("document")
    for path in paths:
        essays = read_essays(path)
        unknown = sorted(set(essays) - set(ids))
        if unknown:
            raise DataError(
                f"there is no essay {unknown[0]!r} among the originals",
                path=display(path),
                hint="is it the output for another corpus, or for another split?",
            )
        name = unused(system_name(path), systems)
        systems[name] = [essays.get(essay, MISSING) for essay in ids]
        missing[name] = [essay for essay in ids if essay not in essays]
    return Outputs(systems), missing


def tokenised_essays(corpus: Corpus, outputs: Outputs) -> tuple[Corpus, Outputs]:
    """Essays as the shared task scores them: tokens of syntok with blanks between them, an essay per line."""
    from importlib.metadata import version

    from errata.text.tokenizers import tokenizer

    split = tokenizer("syntok")

    def line(text: str) -> str:
        return " ".join(split.tokenize(text.replace("\n", "\t")))

    segments = []
    for segment in corpus:
        source = line(segment.source)
        annotations = tuple(
            Annotation(source, text=line(each.text), annotator=each.annotator) for each in segment.annotations
        )
        segments.append(replace(segment, source=source, annotations=annotations))
    lines = {name: [line(text) for text in texts] for name, texts in outputs.items()}
    origin = corpus.origin and replace(corpus.origin, tokens=f"syntok-{version('syntok')}")
    return Corpus(segments, origin=origin, names=corpus.names), Outputs(lines)
