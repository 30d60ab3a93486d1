"""Parallel sentences from translated software: `python tools/models/parallel.py FOLDER… --lang cs -o cs-en`.

Free software carries its translations with it. From unpacked packages this takes

- gettext catalogues (`…/cs/LC_MESSAGES/*.mo`): every message is English, its translation is beside it;
- help pages (HTML, Mallard, DocBook) that exist in English and in the language: paragraphs are paired by
  their ids, or in order where both pages have the same elements;
- Debian's package descriptions (`Translation-cs`, `Translation-en`), paired by name and checksum.

It takes out markup, keyboard accelerators and messages with placeholders or little text, splits into
sentences where both sides have the same number, drops duplicates, and writes `cs-en.cs` and `cs-en.en` line
by line, and `cs-en.tsv` with tokens as the recipe `joint` reads it.

Licences are those of the packages, nearly all GPL or LGPL (LibreOffice: MPL 2.0, GNOME help: CC BY-SA 3.0):
look into each package's `copyright` before giving the text itself to others.
"""

from __future__ import annotations

import argparse
import bz2
import gettext
import html
import lzma
import os
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from errata_correct.tokens import sentences, tokenize, tokenize_english

Pair = tuple[str, str]  # English, translation
_PLACEHOLDER = re.compile(
    r"%[-+ #0]*\d*(?:\.\d+)?(?:l|ll|h|z|j|hh)?[diouxXeEfgGcspnSLm](?![^\W\d_])|%\d+|%L\d|%\w+%"
    r"|%\(\w+\)|%\{\w*\}|\{[\w.:!-]*\}|\$\w+|\$[({]|@\w+@|\[%|%\]|\[\w+=|\\\w"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_CODE = re.compile(
    r"(?:^|\s)--?[a-z]|[\w/]+/[\w/]+/|\w+\(\)|https?:|www\.|[<>|=]|::|\w_\w|\w@\w|©|\(c\)", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]")
_BLOCKS = frozenset({
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "dt", "dd",
    "td", "th", "caption", "title", "desc", "para", "simpara", "term", "item", "figcaption", "summary",
})  # fmt: skip
_UNWRITTEN = frozenset({
    "script", "style", "pre", "code", "screen", "programlisting", "head", "nav",
})  # fmt: skip
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
})  # fmt: skip
_LONGEST = 80  # tokens of a sentence


def without_accelerator(text: str) -> str:
    """`_File`, `Sou&bor` and `~Open` as they are read; the sign stands once, before a letter or digit."""
    for sign in "_&~":
        if text.count(sign) == 1:
            text = re.sub(rf"\({sign}\w\)|{sign}(?=\w)", lambda found: "", text)
    return text


def cleaned(text: str) -> str:
    """A message as running text; empty if it is not text."""
    text = html.unescape(_TAG.sub(" ", text))
    text = " ".join(without_accelerator(text).replace("\u00ad", "").split())
    text = text.strip(" *•·–—-_")
    if _PLACEHOLDER.search(text) or _CODE.search(text) or "_" in text or "&" in text or "~" in text:
        return ""
    letters = len(_LETTERS.findall(text))
    return text if letters >= 2 and letters >= 0.6 * len(text.replace(" ", "")) else ""


def catalogue(path: Path) -> Iterator[Pair]:
    """The messages of a compiled gettext catalogue: the singular of those that have plurals."""
    try:
        with path.open("rb") as file:
            messages: dict[str | tuple[str, int], str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    except (OSError, ValueError, LookupError, struct.error):  # not a catalogue
        return
    for key, translation in messages.items():
        if isinstance(key, tuple):
            if key[1]:
                continue
            key = key[0]
        if key:
            yield key.rpartition("\x04")[2], translation


class Page(HTMLParser):
    """The paragraphs of a help page: their element, their id and their text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[tuple[str, str, str]] = []
        self.silent = 0
        self.open: list[tuple[str, str, list[str]]] = []
        self.feed(text)
        self.close()
        self._end()

    def _end(self) -> None:
        while self.open:
            tag, name, parts = self.open.pop()
            text = " ".join("".join(parts).split())
            if text:
                self.paragraphs.append((tag, name, text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNWRITTEN:
            self.silent += 1
        elif tag in _BLOCKS:
            self._end()
            self.open.append((tag, dict(attrs).get("id") or "", []))
        elif tag in _VOID and self.open:
            self.open[-1][2].append(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID and self.open:
            self.open[-1][2].append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNWRITTEN:
            self.silent = max(self.silent - 1, 0)
        elif tag in _BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if self.open and not self.silent:
            self.open[-1][2].append(data)


def pages(english: str, other: str) -> Iterator[Pair]:
    """Paragraphs of a page and of its translation: by id, or in order if the elements are the same."""
    ours, theirs = Page(english).paragraphs, Page(other).paragraphs
    named = {name: text for _, name, text in theirs if name}
    if sum(bool(name) for _, name, _ in ours) > len(ours) / 2:
        yield from ((text, named[name]) for _, name, text in ours if name in named)
    elif [tag for tag, _, _ in ours] == [tag for tag, _, _ in theirs]:
        yield from ((a[2], b[2]) for a, b in zip(ours, theirs, strict=True))


def descriptions(path: Path) -> dict[tuple[str, str], list[str]]:
    """The paragraphs of Debian's package descriptions, by package and checksum of the English text."""
    opener = {".bz2": bz2.open, ".xz": lzma.open}.get(path.suffix, open)
    found: dict[tuple[str, str], list[str]] = {}
    with opener(path, "rt", encoding="utf-8") as file:  # type: ignore[operator]
        for record in file.read().split("\n\n"):
            fields: dict[str, str] = {}
            name = ""
            for line in record.split("\n"):
                if line.startswith(" "):
                    fields[name] += "\n" + line[1:]
                else:
                    name, _, fields[name] = line.partition(": ")
            text = next((value for key, value in fields.items() if re.match(r"Description-\w\w$", key)), "")
            if "Description-md5" in fields and text:
                title, _, body = text.partition("\n")
                paragraphs = [title, *re.split(r"\n\s*\.\s*\n", body)]
                if not re.search(r"(?m)^\s+\S|^[-*]", body):  # lists are laid out too differently
                    found[fields["Package"], fields["Description-md5"]] = paragraphs
    return found


def read_page(path: Path) -> str:
    opener = bz2.open if path.suffix == ".bz2" else open
    try:
        with opener(path, "rt", encoding="utf-8", errors="replace") as file:
            return str(file.read())
    except OSError:
        return ""


def found_in(folders: Iterable[Path], lang: str) -> Iterator[tuple[str, Pair]]:
    """All pairs below the folders with the kind of their origin."""
    english = {}
    translated = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                path = Path(place, name)
                if name.endswith(".mo") and (f"/{lang}/" in f"{place}/" or name in (f"{lang}.mo",)):
                    yield from (("catalogue", pair) for pair in catalogue(path))
                elif name.startswith(f"Translation-{lang}"):
                    theirs = descriptions(path)
                    for sibling in Path(place).glob("Translation-en*"):
                        for key, ours in descriptions(sibling).items():
                            if len(ours) == len(theirs.get(key, [])):
                                pairs = zip(ours, theirs[key], strict=True)
                                yield from (("description", pair) for pair in pairs)
                elif re.search(r"\.(html?|page|docbook)$", name):
                    parts = path.relative_to(folder).parts
                    for index, part in enumerate(parts[:-1]):
                        rest = (*parts[:index], *parts[index + 1 :])
                        if part == lang:
                            translated[folder, index, rest] = path
                        elif part in ("C", "en", "en-US", "en_US"):
                            english[folder, index, rest] = path
    for key, path in translated.items():
        if key in english:
            yield from (("page", pair) for pair in pages(read_page(english[key]), read_page(path)))


def sentence_pairs(english: str, other: str) -> list[Pair]:
    """A message or paragraph as its sentences, if both sides have as many."""
    ours, theirs = sentences(english), sentences(other)
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else [(english, other)]


def tokens_of(pair: Pair) -> Pair | None:
    """Both sides as tokens; nothing if one is too long or they cannot be each other's translation."""
    english, other = tokenize_english(pair[0]), tokenize(pair[1])
    shorter, longer = sorted((len(english), len(other)))
    if not shorter or longer > _LONGEST or longer > 2 * shorter + 4:
        return None
    same = (Counter(map(str.lower, english)) & Counter(map(str.lower, other))).total()
    words = sum(token[0].isalpha() for token in other)
    if not words or same > 0.5 * shorter + 1 or pair[0].lower() == pair[1].lower():
        return None  # left in English
    return " ".join(english), " ".join(other)


def collect(
    folders: Iterable[Path], lang: str, at_most: int = 3
) -> tuple[list[tuple[Pair, Pair]], Counter[str]]:
    """Distinct pairs, plain and as tokens, and their origins; a sentence stands at most so often."""
    found: dict[Pair, tuple[Pair, Pair]] = {}
    often: Counter[tuple[int, str]] = Counter()
    origins: Counter[str] = Counter()
    for origin, (english, other) in found_in(folders, lang):
        english, other = cleaned(english), cleaned(other)
        if not english or not other:
            continue
        for pair in sentence_pairs(english, other):
            tokenised = tokens_of(pair)
            if not tokenised:
                continue
            key = (tokenised[0].lower(), tokenised[1].lower())
            if key not in found and all(often[side, text] < at_most for side, text in enumerate(key)):
                often.update(enumerate(key))
                found[key] = pair, tokenised
                origins[origin] += 1
    return list(found.values()), origins


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="unpacked packages")
    parser.add_argument("--lang", required=True, help="code of the language, such as cs")
    parser.add_argument("--output", "-o", required=True, help="start of the names of the three files")
    arguments = parser.parse_args()
    pairs, origins = collect(arguments.folders, arguments.lang)
    other = arguments.lang
    Path(f"{arguments.output}.{other}").write_text("".join(f"{b}\n" for (_, b), _ in pairs), "utf-8")
    Path(f"{arguments.output}.en").write_text("".join(f"{a}\n" for (a, _), _ in pairs), "utf-8")
    Path(f"{arguments.output}.tsv").write_text("".join(f"{b}\t{a}\n" for _, (a, b) in pairs), "utf-8")
    print(f"{len(pairs):,} pairs: " + ", ".join(f"{count:,} {name}" for name, count in origins.items()))


if __name__ == "__main__":
    main()
