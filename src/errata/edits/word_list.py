"""Word lists: which words a language has, for the rules that look for misspelt ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from errata.errors import ErrataError, MissingExtraError


@dataclass(frozen=True)
class WordList:
    """The words of a language as their dictionary spells them, and which dictionary that is.

    `regular` says of words in lower case whether they are forms that the dictionary need not list.
    """

    signature: str
    words: frozenset[str]
    regular: Callable[[str], bool] | None = None

    def __contains__(self, word: str) -> bool:
        """Whether the word is known as it is written, or in lower case."""
        lower = word.lower()
        return word in self.words or lower in self.words or (self.regular is not None and self.regular(lower))

    def __len__(self) -> int:
        return len(self.words)


@lru_cache(maxsize=8)
def word_list(name: str) -> WordList:
    """A word list by name: an embedded one (`en`, `cs`), `errant`'s, or a file of one word a line."""
    if name == "errant":
        return _of_errant()
    if name in EMBEDDED:
        module, _, function = EMBEDDED[name].partition(":")
        found: WordList = getattr(import_module(module), function)(name)
        return found
    path = Path(name)
    if path.is_file():
        from errata.corpus.files import read_lines

        return WordList(f"file:{path.name}", frozenset(filter(None, map(str.strip, read_lines(path)))))
    known = ", ".join(["errant", *EMBEDDED])
    raise ErrataError(f"there is no word list {name!r}\n  hint: one of {known}, or a file of one word a line")


# language -> module:function that gives its embedded WordList
EMBEDDED = dict.fromkeys(("cs", "en"), "errata.edits.taggers.embedded:embedded_words")


def _of_errant() -> WordList:
    """The British English list in the installed `errant` package (SCOWL, en_GB-large)."""
    from importlib.metadata import version

    from errata.data.official_errant import WORDS

    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise MissingExtraError("the word list of errant", "errant")
    path = Path(spec.origin).parent / WORDS
    words = frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return WordList(f"errant-{version('errant')}", words)
