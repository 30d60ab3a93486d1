"""Appraise XML (Federmann 2012), as Grundkiewicz et al. and Napoles et al. published their judgments."""

from __future__ import annotations

import re
from typing import IO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from errata.corpus.files import StrPath, display, read_bytes
from errata.errors import DataError
from errata.human.judgments import JudgedItem, Judgments

_DURATION = re.compile(
    r"(?:(?P<days>\d{1,6}) days?, )?(?P<h>\d{1,6}):(?P<m>\d{1,6}):(?P<s>\d{1,6}(?:\.\d{1,30})?)", re.ASCII
)


def read_appraise(path: StrPath) -> Judgments:
    """Read Appraise XML; skipped items and those of `admin` are kept and marked as skipped."""
    reader = _Reader(display(path))
    try:
        reader.parser.Parse(read_bytes(path), True)
    except expat.ExpatError as error:
        raise DataError(
            f"not well-formed XML: {expat.errors.messages[error.code]} in column {error.offset + 1}",
            path=display(path),
            line=error.lineno,
        ) from None
    except (LookupError, ValueError) as error:  # unknown encoding
        raise DataError(f"cannot be decoded: {error}", path=display(path)) from None
    return Judgments.from_items(reader.items)


class _Reader:
    """Collects the items while expat parses the file, so that errors can name the line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.items: list[JudgedItem] = []
        self.attributes: dict[str, str] | None = None  # of the current item
        self.texts: list[tuple[str, ...]] = []
        self.ranks: list[int] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity

    def error(self, message: str, hint: str | None = None) -> DataError:
        return DataError(message, path=self.path, line=self.parser.CurrentLineNumber, hint=hint)

    def entity(self, name: str, *rest: object) -> None:
        raise self.error(f"declares an XML entity ({name})", "judgments need none; remove the declaration")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "ranking-item":
            if self.attributes is not None:
                raise self.error("a ranking-item inside another")
            for name in ("id", "user"):
                if name not in attributes:
                    raise self.error(f"a ranking-item without {name!r}")
            self.attributes, self.texts, self.ranks = attributes, [], []
        elif tag == "translation":
            if self.attributes is None:
                raise self.error("a translation outside of a ranking-item")
            self.texts.append(self.systems(attributes))
            self.ranks.append(self.rank(attributes))

    def systems(self, attributes: dict[str, str]) -> tuple[str, ...]:
        names = tuple(re.split(r"[\s,]+", attributes.get("system", "").strip(" ,")))
        if names == ("",):
            raise self.error("a translation that names no system")
        for name in names:
            if names.count(name) > 1 or any(name in text for text in self.texts):
                raise self.error(f"the system {name!r} occurs twice in one item")
        return names

    def rank(self, attributes: dict[str, str]) -> int:
        rank = attributes.get("rank", "")
        if not re.fullmatch(r"[0-9]{1,9}", rank) or int(rank) < 1:
            raise self.error(f"rank {rank!r}", "a rank is 1 (best), 2, 3 …")
        return int(rank)

    def end(self, tag: str) -> None:
        if tag != "ranking-item":
            return
        attributes = self.attributes or {}
        self.attributes = None
        duration = attributes.get("duration")
        self.items.append(
            JudgedItem(
                judge=attributes["user"],
                segment=attributes.get("src-id", attributes["id"]),
                texts=tuple(self.texts),
                ranks=tuple(self.ranks),
                name=attributes["id"],
                document=attributes.get("doc-id", ""),
                duration=None if duration is None else self.seconds(duration),
                skipped=attributes.get("skipped", "false") != "false" or attributes["user"] == "admin",
            )
        )

    def seconds(self, duration: str) -> float:
        match = _DURATION.fullmatch(duration)
        if match is None:
            raise self.error(f"duration {duration!r}", "write it as hours:minutes:seconds")
        hours = int(match["days"] or 0) * 24 + int(match["h"])
        return hours * 3600 + int(match["m"]) * 60 + float(match["s"])


def write_appraise(judgments: Judgments, file: IO[str]) -> None:
    """Write judgments as Appraise XML in one result group, with systems of the same text joined by spaces."""
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<appraise-results>\n')
    file.write('<error-correction-ranking-result source-language="err" target-language="cor" id="errata">\n')
    for number, item in enumerate(judgments.items()):
        attributes = {"doc-id": item.document or "none", "id": item.name or str(number)}
        if item.segment != attributes["id"]:
            attributes["src-id"] = item.segment
        if item.duration is not None:
            minutes, seconds = divmod(item.duration, 60)
            attributes["duration"] = f"{int(minutes) // 60:02}:{int(minutes) % 60:02}:{seconds:09.6f}"
        attributes["user"] = item.judge
        if item.skipped:
            attributes["skipped"] = "true"
        shown = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
        file.write(f"  <ranking-item {shown}>\n")
        for text, rank in zip(item.texts, item.ranks, strict=True):
            file.write(f'    <translation rank="{rank}" system={quoteattr(" ".join(text))}/>\n')
        file.write("  </ranking-item>\n")
    file.write("</error-correction-ranking-result>\n</appraise-results>\n")
