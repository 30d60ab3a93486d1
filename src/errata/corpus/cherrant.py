"""ChERRANT (Zhang et al. 2022): M2 blocks that have a text and edits for every correction.

A line `T0-A1` begins the second sequence of edits of the first answer, with the corrected text, and its `A`
lines follow; `T0` alone is an answer without edits, or a sentence that nobody could correct. The tokens are
characters, or words. Every sequence becomes an annotation, and its annotator is called `T0-A1`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import IO

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.m2 import EMPTY, NOOP, edit_fields
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError

UNCHANGED = "没有错误"  # instead of a text: the sentence is correct
UNANNOTATED = "无法标注"  # instead of a text: the annotator could not correct the sentence
UNANNOTATED_TYPE = "NA"
ANSWER = re.compile(r"T([0-9]{1,6})(?:-A([0-9]{1,6}))?(?: (.*))?")
_HINT = "expected: S <tokens>, then for every correction T0-A0 <tokens> and its A lines"


@dataclass
class _Answer:
    """A `T` line and the edits after it."""

    line: int
    name: tuple[int, int]  # the numbers of the answer and of the sequence
    text: str | None  # None if there is a remark in its place
    edits: list[Edit] = field(default_factory=list)
    annotated: bool = True


@dataclass
class _Block:
    source: str
    line: int
    answers: list[_Answer] = field(default_factory=list)


def read_cherrant(path: StrPath) -> Corpus:
    """Read a file of ChERRANT; the edits of every sequence must make its text."""
    blocks = list(_blocks(path))
    names = sorted({answer.name for block in blocks for answer in block.answers})
    numbers = {name: number for number, name in enumerate(names)}
    segments = []
    for block in blocks:
        annotations = [] if block.answers else [Annotation(block.source, edits=(), implicit=True)]
        for answer in block.answers:
            if answer.annotated:
                annotations.append(_annotation(block.source, answer, numbers[answer.name], path))
        segments.append(Segment(block.source, tuple(annotations)))
    corpus = Corpus(segments, origin=Origin(display(path), "cherrant"))
    corpus.names = {number: f"T{name[0]}-A{name[1]}" for name, number in numbers.items()}
    return corpus


def _annotation(source: str, answer: _Answer, annotator: int, path: StrPath) -> Annotation:
    annotation = Annotation(source, edits=answer.edits, annotator=annotator)
    if answer.text is not None and annotation.text.split() != answer.text.split():
        raise DataError(
            f"the edits make {annotation.text[:60]!r} of the source, not the text beside them",
            path=display(path), line=answer.line, hint="was the file changed by hand?",
        )  # fmt: skip
    return annotation


def _blocks(path: StrPath) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate([*read_lines(path), ""], 1):

        def error(message: str, hint: str = _HINT, number: int = number) -> DataError:
            return DataError(message, path=display(path), line=number, hint=hint)

        if not line.strip():
            if block is not None:
                yield block
            block = None
        elif line.startswith("S "):
            if block is not None:
                raise error("a second S line in a block", "an empty line separates sentences")
            block = _Block(line[2:], number)
        elif block is None:
            raise error(f"a block begins with an S line, this one with {line[:60]!r}")
        elif (match := ANSWER.fullmatch(line)) is not None:
            name = int(match[1]), int(match[2] or 0)
            if any(answer.name == name for answer in block.answers):
                raise error(f"a second T{name[0]}-A{name[1]} in a block", "number the sequences of an answer")
            block.answers.append(_Answer(number, name, match[3] if match[2] is not None else None))
        elif (edit := edit_fields(line)) is None:
            raise error(f"neither an S, a T nor an A line: {line[:60]!r}")
        elif not block.answers:
            raise error("an edit without a correction before it", "its T line is missing")
        elif edit.fields[1] == UNANNOTATED_TYPE:
            block.answers[-1].annotated = False
        elif edit.fields[1] != NOOP:
            text = "" if edit.fields[2] == EMPTY else edit.fields[2].strip()
            block.answers[-1].edits.append(Edit(edit.start, edit.end, text, edit.fields[1]))


# -- answers and their sequences ----------------------------------------------------------------------------


def answer_numbers(corpus: Corpus) -> dict[int, int]:
    """The number of the answer that each annotator belongs to; those of other formats are answers alone."""
    matches = {number: ANSWER.fullmatch(name) for number, name in corpus.names.items()}
    return {
        number: number if (match := matches.get(number)) is None else int(match[1])
        for number in corpus.annotators
    }


def answer_edits(corpus: Corpus) -> list[dict[int, list[Edit]]]:
    """The edits of each answer of each segment, of all its sequences together, as ChERRANT compares them."""
    numbers = answer_numbers(corpus)
    merged = []
    for segment in corpus:
        answers: dict[int, list[Edit]] = {}
        for annotation in segment.annotations:
            answers.setdefault(numbers[annotation.annotator], []).extend(annotation.edits)
        merged.append(answers)
    return merged


# -- writing ------------------------------------------------------------------------------------------------


def write_cherrant(corpus: Corpus, file: IO[str]) -> None:
    """Write a corpus as ChERRANT does; annotators of other formats are answers with one sequence."""
    numbers = answer_numbers(corpus)
    for segment in corpus:
        file.write(f"S {segment.source}\n")
        if not segment.annotations:
            file.write(format_remark(0, UNANNOTATED, UNANNOTATED_TYPE))
        explicit = [annotation for annotation in segment.annotations if not annotation.implicit]
        explicit.sort(key=lambda annotation: annotation.annotator)
        for number, group in groupby(explicit, key=lambda a: numbers[a.annotator]):
            sequences = [*group]
            edits = [sequence.edits for sequence in sequences]
            file.write(format_answer(number, sequences[0].text, edits))
        file.write("\n")


def format_answer(number: int, text: str, sequences: Sequence[Sequence[Edit]]) -> str:
    """The lines of an answer."""
    if not any(sequences):
        return format_remark(number, UNCHANGED, NOOP)
    lines = []
    for place, edits in enumerate(sequences):
        lines.append(f"T{number}-A{place} {text}")
        for edit in edits:
            correction = edit.correction or EMPTY
            lines.append(
                f"A {edit.start} {edit.end}|||{edit.type}|||{correction}|||REQUIRED|||{EMPTY}|||{number}"
            )
    return "\n".join(lines) + "\n"


def format_remark(number: int, remark: str, kind: str) -> str:
    """The lines of an answer without a text."""
    return f"T{number} {remark}\nA -1 -1|||{kind}|||{EMPTY}|||REQUIRED|||{EMPTY}|||{number}\n"
