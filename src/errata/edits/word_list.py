"""Word lists, for the rules that look for misspelt words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from errata.edits.taggers import digest
from errata.errors import ErrataError, MissingExtraError


@dataclass(frozen=True)
class WordList:
    """The words of a language as their dictionary spells them, with the signature of the dictionary.

    `regular` tells whether a lower-cased word is a regular form that the dictionary does not list.
    """

    signature: str
    words: frozenset[str]
    regular: Callable[[str], bool] | None = None

    def __contains__(self, word: str) -> bool:
        """Whether the word is known as written, or in lower case."""
        lower = word.lower()
        return word in self.words or lower in self.words or (self.regular is not None and self.regular(lower))

    def __len__(self) -> int:
        return len(self.words)


@lru_cache(maxsize=8)
def word_list(name: str) -> WordList:
    """A word list by name: an embedded one (`en`, `cs`), `errant`'s, or a file with one word per line."""
    check_name(name)
    if name == "errant":
        return _errant_words()
    if name in EMBEDDED:
        module, _, function = EMBEDDED[name].partition(":")
        embedded: WordList = getattr(import_module(module), function)(name)
        return embedded
    from errata.corpus.files import read_lines

    words = frozenset(filter(None, map(str.strip, read_lines(name))))
    return WordList(f"file:{Path(name).name}-{digest(name)}", words)


def check_name(name: str) -> str:
    """The name of a word list, unless there is none of this name, which is an error."""
    if name != "errant" and name not in EMBEDDED and not Path(name).is_file():
        known = ", ".join(["errant", *EMBEDDED])
        raise ErrataError(
            f"there is no word list {name!r}\n  hint: one of {known}, or a file with one word per line"
        )
    return name


# language → module:function that returns its embedded WordList
EMBEDDED = dict.fromkeys(("cs", "en"), "errata.edits.taggers.embedded:embedded_words")


def _errant_words() -> WordList:
    """The British English list of the installed `errant` package (SCOWL, en_GB-large)."""
    from importlib.metadata import version

    from errata.data.official_errant import WORDS

    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise MissingExtraError("the word list of errant", "errant")
    path = Path(spec.origin).parent / WORDS
    words = frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return WordList(f"errant-{version('errant')}", words)
