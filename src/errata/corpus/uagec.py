"""UA-GEC (Syvokon et al. 2023): documents with in-line annotations `{bad=>good:::error_type=X}`.

The annotations are over characters; edits here are over tokens. Both the source and the corrected text
are tokenised (words, with inner apostrophes and hyphens, and single other signs), and each annotation
is extended to the next places where both have a token boundary. So the edits make exactly the tokenised
correction. Annotations that share a token become one edit, whose type is their types joined by `+`. One that
changes only white space leaves no edit.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Annotation, Edit, Segment
from errata.corpus.tsv import read_table
from errata.errors import DataError

_BRACES = re.compile(r"\{([^{}]*)\}")  # an annotation if there is => inside, text otherwise
_FIELDS = re.compile(r":::(?!:)")  # the correction may be a colon: {=>::::error_type=X}
_OPEN = re.compile(r"\{[^{}\n]*$", re.MULTILINE)
_TOKEN = re.compile(r"\w+(?:['’ʼ`\-‑]\w+)*|[^\w\s]")
_NAME = re.compile(r"(?P<document>.+?)(?:\.a(?P<annotator>\d{1,9}))?\.ann")


class Change(NamedTuple):
    """An annotation over characters of the source."""

    start: int
    end: int
    correction: str
    type: str


def parse_annotated(text: str) -> tuple[str, list[Change]]:
    """The source text and the changes of a text with in-line annotations."""
    pieces: list[str] = []
    changes: list[Change] = []
    length = position = 0
    for match in _BRACES.finditer(text):
        bad, arrow, rest = match[1].partition("=>")
        if not arrow:
            continue
        before = text[position : match.start()]
        good, *fields = _FIELDS.split(rest)
        bad, good = bad.replace("\\n", "\n"), good.replace("\\n", "\n")
        pieces += [before, bad]
        start = length + len(before)
        length = start + len(bad)
        named = dict(field.partition("=")[::2] for field in fields)
        changes.append(Change(start, length, good, named.get("error_type") or "UNK"))
        position = match.end()
    pieces.append(text[position:])
    return "".join(pieces), changes


class _Spans:
    """The tokens of a text, and which places are between them."""

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _TOKEN.finditer(text)]
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.tokens = [text[start:end] for start, end in spans]

    def is_boundary(self, place: int) -> bool:
        before = bisect_left(self.starts, place) - 1
        return before < 0 or self.ends[before] <= place

    def index(self, place: int) -> int:
        """The first token that begins at this boundary or after it."""
        return bisect_left(self.starts, place)


def token_edits(source: str, changes: Sequence[Change]) -> tuple[list[str], list[Edit]]:
    """The tokens of the source, and the changes as edits over them."""
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []  # the place of each correction in the corrected text
    position = length = 0
    for change in changes:
        pieces += [source[position : change.start], change.correction]
        start = length + change.start - position
        length = start + len(change.correction)
        moved.append((start, length))
        position = change.end
    pieces.append(source[position:])
    target_text = "".join(pieces)
    before, after = _Spans(source), _Spans(target_text)

    edits: list[Edit] = []
    first = 0
    while first < len(changes):
        low = changes[first - 1].end if first else 0
        start, target_start = changes[first].start, moved[first][0]
        # A place between the change before and this one: one always exists there, or they were merged.
        while start > low and not (before.is_boundary(start) and after.is_boundary(target_start)):
            start, target_start = start - 1, target_start - 1
        last = first
        while True:
            high = changes[last + 1].start if last + 1 < len(changes) else len(source)
            end, target_end = changes[last].end, moved[last][1]
            while end < high and not (before.is_boundary(end) and after.is_boundary(target_end)):
                end, target_end = end + 1, target_end + 1
            if (before.is_boundary(end) and after.is_boundary(target_end)) or last + 1 == len(changes):
                break
            last += 1
        tokens = after.tokens[after.index(target_start) : after.index(target_end)]
        a, b = before.index(start), before.index(end)
        if before.tokens[a:b] != tokens:
            types = dict.fromkeys(change.type for change in changes[first : last + 1])
            edits.append(Edit(a, b, " ".join(tokens), "+".join(types)))
        first = last + 1
    return before.tokens, edits


def read_ua_gec(path: StrPath) -> Corpus:
    """Read an `.ann` file or a folder of them; a segment is a paragraph (a line) of a document.

    Folders may be `annotated` itself or contain it. Fields of the documents come from `metadata.csv`
    in one of the folders above. Annotators are numbered as in the file names (`0002.a1.ann` is 1).
    """
    place = Path(path)
    files = sorted(_files(place)) if place.is_dir() else [place]
    if not files:
        raise DataError("no .ann file in this folder", path=display(path))
    table = _metadata(place)
    documents: dict[str, list[tuple[int, Path]]] = {}
    for file in files:
        match = _NAME.fullmatch(file.name)
        name, number = (match["document"], int(match["annotator"] or 0)) if match else (file.stem, 0)
        documents.setdefault(name, []).append((number, file))
    segments: list[Segment] = []
    for name, annotated in documents.items():
        segments += _document(name, sorted(annotated), table.get(name, {}))
    return Corpus(segments, origin=Origin(display(path), "ua-gec"))


def _files(place: Path) -> Iterable[Path]:
    return place.glob("*.ann") if any(place.glob("*.ann")) else (place / "annotated").glob("*.ann")


def _metadata(place: Path) -> Mapping[str, Mapping[str, str]]:
    for folder in list(place.absolute().parents)[:4]:
        if (folder / "metadata.csv").is_file():
            return read_table(folder / "metadata.csv")
    return {}


def _document(name: str, annotated: Sequence[tuple[int, Path]], meta: Mapping[str, str]) -> list[Segment]:
    texts = {number: _parse_file(file) for number, file in annotated}
    first = annotated[0][0]
    # Annotators of the same text share their paragraphs: a line break inside anyone's change joins two.
    same = [number for number, (source, _) in texts.items() if source == texts[first][0]]
    inside = [(change.start, change.end) for number in same for change in texts[number][1]]
    units = {number: _paragraphs(*texts[number], inside if number in same else []) for number in texts}
    sources = [source for source, _ in units[first]]
    edits: list[dict[int, list[Edit]]] = [{} for _ in sources]
    for number, paragraphs in units.items():
        for own, index in _matching([source for source, _ in paragraphs], sources):
            edits[index][number] = paragraphs[own][1]
    return [
        Segment(
            source,
            tuple(
                Annotation(source, edits=edits[i][number], annotator=number) for number in sorted(edits[i])
            ),
            document=name,
            paragraph=str(i),
            meta=meta,
        )
        for i, source in enumerate(sources)
    ]


def _parse_file(file: Path) -> tuple[str, list[Change]]:
    text = "\n".join(read_lines(file))
    source, changes = parse_annotated(text)
    for broken in _OPEN.finditer(text):
        if "=>" in broken[0] and ":::" in broken[0]:
            raise DataError(
                f"an annotation without its closing brace: {broken[0][:60]!r}",
                path=file,
                line=text.count("\n", 0, broken.start()) + 1,
                hint="expected: {bad=>good:::error_type=X}",
            )
    return source, changes


def _paragraphs(
    source: str, changes: Sequence[Change], inside: Sequence[tuple[int, int]]
) -> list[tuple[str, list[Edit]]]:
    """Lines that have tokens, with their edits; `inside`: the ranges in which a line break does not count."""
    spans = sorted([*inside, *((change.start, change.end) for change in changes)])
    paragraphs = []
    begin = at = taken = 0
    reach = -1  # the furthest end of a range that began before the line break
    breaks = [match.start() for match in re.finditer("\n", source)]
    for place in [*breaks, len(source)]:
        while at < len(spans) and spans[at][0] <= place:
            reach = max(reach, spans[at][1])
            at += 1
        if place < reach and place < len(source):
            continue
        own = []
        while taken < len(changes) and changes[taken].end <= place:
            start, end, correction, kind = changes[taken]
            own.append(Change(start - begin, end - begin, correction, kind))
            taken += 1
        tokens, edits = token_edits(source[begin:place], own)
        if tokens or edits:
            paragraphs.append((" ".join(tokens), edits))
        begin = place + 1
    return paragraphs


def _matching(own: Sequence[str], common: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Pairs of equal paragraphs; where an annotator's source differs, the annotator is missing there."""
    if own == common:
        return ((i, i) for i in range(len(own)))
    blocks = difflib.SequenceMatcher(None, own, common, autojunk=False).get_matching_blocks()
    return ((block.a + k, block.b + k) for block in blocks for k in range(block.size))
