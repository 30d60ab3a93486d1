"""The I-measure's XML (Felice & Briscoe 2015): sentences with clusters of alternative corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import IO
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from errata.corpus.edit_clusters import Cluster, cluster_edits, explicit
from errata.corpus.files import StrPath, display, read_bytes
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError

# element -> the one it has to be in
_PARENTS = {
    "scripts": "",
    "script": "scripts",
    "sentence": "script",
    "text": "sentence",
    "error-list": "sentence",
    "error": "error-list",
    "alt": "error",
    "c": "alt",
}


_ANNOTATORS = 1000  # of a sentence at most; each takes memory, even without edits


def read_ixml(path: StrPath) -> Corpus:
    """Read an I-measure XML file; its clusters are kept for the I-measure."""
    reader = _Reader(path)
    reader.parse(read_bytes(path))
    segments = reader.segments
    if len({segment.document for segment in segments}) < 2:  # the usual case: a file without documents
        segments = [replace(segment, document=None) for segment in segments]
    return Corpus(segments, origin=Origin(display(path), "ixml"))


class _Reader:
    """Follows the parser through the file; entities are refused, so that no file grows when read."""

    def __init__(self, path: StrPath) -> None:
        self.path = path
        self.segments: list[Segment] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._open: list[str] = []
        self._pieces: list[str] = []

    def parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise DataError(
                f"not well-formed XML: {expat.ErrorString(error.code)}",
                path=display(self.path),
                line=error.lineno,
                hint="is this an I-measure XML file?",
            ) from None
        except (LookupError, ValueError) as error:  # an encoding the parser does not know
            raise DataError(f"cannot be decoded: {error}", path=display(self.path)) from None

    def _fail(self, message: str, hint: str | None = None) -> DataError:
        return DataError(message, path=display(self.path), line=self._parser.CurrentLineNumber, hint=hint)

    def _doctype(self, *_: object) -> None:
        raise self._fail("a document type declaration, which may hide entities, is not accepted")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        if _PARENTS.get(name) != parent:
            raise self._fail(
                f"<{name}> {'inside <' + parent + '>' if parent else 'as the first element'}",
                hint="expected: scripts, script, sentence, text and error-list, error, alt, c",
            )
        self._open.append(name)
        self._pieces = []
        match name:
            case "script":
                self._script = attributes.get("id", "1")
            case "sentence":
                self._annotators = self._number(attributes, "numann", name)
                self._source: str | None = None
                self._clusters: list[Cluster] = []
            case "error":
                self._required = attributes.get("req") == "yes"
                self._type = attributes.get("type", "UNK")
                self._alternatives: list[tuple[int, tuple[Edit, ...]]] = []
            case "alt":
                self._annotator = self._number(attributes, "ann", name)
                self._edits: list[Edit] = []
            case "c":
                self._span = self._number(attributes, "start", name), self._number(attributes, "end", name)
                if self._span[0] > self._span[1]:
                    raise self._fail(f"an edit that ends before it starts: {self._span[0]} {self._span[1]}")

    def _number(self, attributes: Mapping[str, str], name: str, element: str) -> int:
        text = attributes.get(name)
        if text is None or not (text.isascii() and text.isdigit()):
            value = "none" if text is None else repr(text)
            raise self._fail(f"<{element}> needs a number as its {name!r}, found {value[:60]}")
        if len(text) > 9 or (name in ("numann", "ann") and int(text) > _ANNOTATORS):
            raise self._fail(f"{name} is out of all bounds: {text[:60]}")
        return int(text)

    def _text(self, text: str) -> None:
        self._pieces.append(text)

    def _end(self, name: str) -> None:
        self._open.pop()
        match name:
            case "text":
                self._source = "".join(self._pieces)
            case "c":
                start, end = self._span
                self._edits.append(Edit(start, end, "".join(self._pieces), self._type))
            case "alt":
                self._alternatives.append((self._annotator, tuple(self._edits)))
            case "error":
                self._clusters.append(Cluster(tuple(self._alternatives), self._required, self._type))
            case "sentence":
                self._sentence()

    def _sentence(self) -> None:
        if self._source is None:
            raise self._fail("a <sentence> without <text>")
        length = len(self._source.split())
        edits: dict[int, list[Edit]] = {}
        for cluster in self._clusters:
            here: dict[int, tuple[Edit, ...]] = {}
            for annotator, alternative in cluster.alternatives:
                here.setdefault(annotator, alternative)  # of two by the same annotator the first is hers
                if any(edit.end > length for edit in alternative):
                    raise self._fail(f"an edit beyond the end of the sentence {self._source!r}")
            for annotator, alternative in here.items():
                edits.setdefault(annotator, []).extend(alternative)
        if len(edits) > self._annotators:
            raise self._fail(f"numann is {self._annotators}, but {len(edits)} annotators have edits")
        unused = (annotator for annotator in range(self._annotators) if annotator not in edits)
        while len(edits) < self._annotators:
            edits[next(unused)] = []
        annotations = tuple(
            Annotation(self._source, edits=sorted(edits[a], key=lambda e: (e.start, e.end)), annotator=a)
            for a in sorted(edits)
        ) or (Annotation(self._source, edits=(), implicit=True),)
        self.segments.append(
            Segment(self._source, annotations, document=self._script, clusters=tuple(self._clusters))
        )


def write_ixml(corpus: Corpus, file: IO[str]) -> None:
    """Write a corpus as I-measure XML, corrections tokenised as in the Penn Treebank."""
    file.write("<?xml version='1.0' encoding='UTF-8'?>\n<scripts>")
    number = 0
    scripts = groupby(corpus, key=lambda segment: segment.document)
    for index, (document, segments) in enumerate(scripts, start=1):
        file.write(f"<script id={quoteattr(document or str(index))}>")
        for segment in segments:
            number += 1
            _write_sentence(segment, number, file)
        file.write("</script>\n")
    file.write("</scripts>\n")


def _write_sentence(segment: Segment, number: int, file: IO[str]) -> None:
    file.write(f'<sentence id="{number}" numann="{len(explicit(segment))}">')
    file.write(f"<text>{_escaped(segment.source)}</text>\n<error-list>")
    for index, cluster in enumerate(cluster_edits(segment), start=1):
        required = "yes" if cluster.required else "no"
        file.write(f'<error id="{index}" req="{required}" type={quoteattr(cluster.type)}>')
        for annotator, edits in cluster.alternatives:
            file.write(f'<alt ann="{annotator}">')
            for edit in edits:
                file.write(f'<c end="{edit.end}" start="{edit.start}">{_escaped(edit.correction)}</c>\n')
            file.write("</alt>\n")
        file.write("</error>\n")
    file.write("</error-list>\n</sentence>\n")


def _escaped(text: str) -> str:
    for character in text:
        if character < " " and character not in "\t\n\r":
            raise DataError(
                f"XML cannot hold the control character U+{ord(character):04X} in {text[:60]!r}",
                hint="remove it from the corpus",
            )
    return escape(text, {"\r": "&#13;"})
