"""JSON lines: one object per segment, with everything that a corpus holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import IO, Any, NoReturn

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Annotation, Edit, Segment, annotated
from errata.corpus.tsv import HYPOTHESIS
from errata.errors import DataError

_LARGEST = 10**9  # of annotators and offsets
_EDIT_DEFAULTS = {"type": "UNK", "alternatives": (), "required": "REQUIRED", "comment": "-NONE-"}


def read_jsonl(path: StrPath) -> Corpus:
    """Read JSON lines: objects with `source`, and `annotations` or plain `references` (null: missing)."""
    return parse_jsonl(read_lines(path), path)[0]


def parse_jsonl(
    lines: Sequence[str], path: StrPath, first: int = 1, *, outputs: bool = False
) -> tuple[Corpus, dict[str, list[str]]]:
    """A corpus from lines of a file; `first` is the number of the first line.

    With `outputs`, `hypothesis` and `hypothesis:NAME` are outputs of systems, not meta fields.
    """
    segments: list[Segment] = []
    names: dict[int, str] = {}
    systems: dict[str, list[str]] = {}
    for number, line in enumerate(lines, first):
        if not line.strip():
            raise DataError("an empty line, expected a JSON object", path=display(path), line=number)
        try:
            record = loads(line)
            if outputs:
                _take_hypotheses(record, systems, number == first)
            segments.append(_segment(record, names))
        except UnfitError as error:
            raise DataError(
                str(error),
                path=display(path),
                line=number,
                hint='a segment is {"source": "…", "annotations": […]} or {"source": "…", "references": […]}',
            ) from None
    corpus = Corpus(segments, origin=Origin(display(path), "jsonl"), names=names, first_line=first)
    return corpus, systems


def _take_hypotheses(record: dict[str, Any], systems: dict[str, list[str]], is_first: bool) -> None:
    keys = {match[1] or "hypothesis": key for key in record if (match := HYPOTHESIS.fullmatch(key))}
    if is_first:
        systems |= {name: [] for name in keys}
    elif keys.keys() != systems.keys():
        raise UnfitError(f"hypotheses of {', '.join(keys) or 'no system'}, before of {', '.join(systems)}")
    for name, key in keys.items():
        systems[name].append(_expect(record, key, str))
        del record[key]


class UnfitError(Exception):
    """A fault of a line; the reader adds its place."""


def loads(line: str) -> dict[str, Any]:
    """The object in a line."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise UnfitError(f"not JSON: {error.msg} in column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise UnfitError(f"JSON that cannot be read: {error}") from None
    if not isinstance(record, dict):
        raise UnfitError(f"expected a JSON object, found {_kind(record)}")
    if "\\u" in line:
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise UnfitError("half a surrogate pair (\\ud800…\\udfff) is not a character") from None
    return record


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _expect(record: Mapping[str, Any], key: str, kind: type, default: Any = None) -> Any:
    if key not in record:
        if default is None:
            raise UnfitError(f"no {key!r}")
        return default
    value = record[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        _wrong(key, value)
    if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
        raise UnfitError(f"{key!r} is out of all bounds")
    return value


def _wrong(key: str, value: object) -> NoReturn:
    raise UnfitError(f"{key!r} cannot be {_kind(value)}: {str(value)[:60]!r}")


def _optional_text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        _wrong(key, value)
    return value


def _segment(record: dict[str, Any], names: dict[int, str]) -> Segment:
    source: str = _expect(record, "source", str)
    if "annotations" in record and "references" in record:
        raise UnfitError("both 'annotations' and 'references'")
    records = _expect(record, "annotations", list, [])
    annotations = tuple(_annotation(item, source, names) for item in records)
    texts = _expect(record, "references", list, [])
    for text in texts:
        if not (text is None or isinstance(text, str)):
            _wrong("references", text)
    annotations += annotated(source, texts).annotations
    meta: dict[str, str] = {}
    for key, value in _expect(record, "meta", dict, {}).items():
        if not isinstance(value, str):
            _wrong(f"meta: {key}", value)
        meta[key] = value
    standard = ("source", "annotations", "references", "document", "paragraph", "meta")
    for key, value in record.items():
        if key in standard:
            continue
        if isinstance(value, dict | list):
            raise UnfitError(f"an unknown key {key!r} with {_kind(value)}")
        if value is not None:  # other fields of the segment: {"source": …, "domain": …}
            meta.setdefault(key, value if isinstance(value, str) else json.dumps(value))
    document, paragraph = _optional_text(record, "document"), _optional_text(record, "paragraph")
    return Segment(source, annotations, document, paragraph, meta)


def _annotation(record: object, source: str, names: dict[int, str]) -> Annotation:
    if not isinstance(record, dict):
        _wrong("annotations", record)
    annotator: int = _expect(record, "annotator", int, 0)
    if annotator < 0:
        raise UnfitError(f"annotators are numbered from 0, not {annotator}")
    name = _optional_text(record, "name")
    if name is not None:
        names.setdefault(annotator, name)
    if "edits" in record and "text" in record:
        raise UnfitError("an annotation with both 'edits' and 'text'")
    if "text" in record:
        return Annotation(source, text=_expect(record, "text", str), annotator=annotator)
    edits = [_edit(item) for item in _expect(record, "edits", list)]
    implicit = _expect(record, "implicit", bool, False)
    return Annotation(source, edits=edits, annotator=annotator, implicit=implicit)


def _edit(record: object) -> Edit:
    if not isinstance(record, dict):
        _wrong("edits", record)
    alternatives = _expect(record, "alternatives", list, [])
    for text in alternatives:
        if not isinstance(text, str):
            _wrong("alternatives", text)
    unknown = record.keys() - {"start", "end", "correction", *_EDIT_DEFAULTS}
    if unknown:
        raise UnfitError(f"an edit with an unknown key {min(unknown)!r}")
    return Edit(
        _expect(record, "start", int),
        _expect(record, "end", int),
        _expect(record, "correction", str),
        _expect(record, "type", str, "UNK"),
        tuple(alternatives),
        _expect(record, "required", str, "REQUIRED"),
        _expect(record, "comment", str, "-NONE-"),
    )


def write_jsonl(corpus: Corpus, file: IO[str]) -> None:
    """Write JSON lines; usual values (type UNK, REQUIRED, no document …) are left out."""
    for segment in corpus:
        file.write(json.dumps(_segment_record(segment, corpus.names), ensure_ascii=False) + "\n")


def _segment_record(segment: Segment, names: Mapping[int, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"source": segment.source}
    record["annotations"] = [_annotation_record(annotation, names) for annotation in segment.annotations]
    if segment.document is not None:
        record["document"] = segment.document
    if segment.paragraph is not None:
        record["paragraph"] = segment.paragraph
    if segment.meta:
        record["meta"] = dict(segment.meta)
    return record


def _annotation_record(annotation: Annotation, names: Mapping[int, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"annotator": annotation.annotator}
    if annotation.annotator in names:
        record["name"] = names[annotation.annotator]
    if annotation.given_as_text:
        record["text"] = annotation.text
        return record
    record["edits"] = [_edit_record(edit) for edit in annotation.edits]
    if annotation.implicit:
        record["implicit"] = True
    return record


def _edit_record(edit: Edit) -> dict[str, Any]:
    record: dict[str, Any] = {"start": edit.start, "end": edit.end, "correction": edit.correction}
    for key, usual in _EDIT_DEFAULTS.items():
        if getattr(edit, key) != usual:
            record[key] = getattr(edit, key)
    return record
