"""The rules of a language: how words are aligned, merged and classified; its word list.

A language is one module with a subclass of `Language` and an entry in `LANGUAGES`. All others share the rules
for universal parts of speech.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, NamedTuple

from rapidfuzz.distance import Indel

from errata.edits.alignment import Aligner, CostModel
from errata.edits.tagged_sentence import Token
from errata.edits.taggers import digest
from errata.edits.taggers.models import LANGUAGES as EMBEDDED
from errata.edits.taggers.models import PACKS, pack_to_install, packed_languages
from errata.errors import ErrataError, MissingExtraError
from errata.text.languages import CODES, language_name, suggestions


@dataclass(frozen=True)
class WordList:
    """The words of a language as their dictionary spells them, with the signature of the dictionary.

    `regular` tells whether a lower-cased word is a regular form that the dictionary does not list.
    """

    signature: str
    words: frozenset[str]
    regular: Callable[[str], bool] | None = None

    def __contains__(self, word: str) -> bool:
        """Whether the list has the word as written, or in lower case."""
        lower = word.lower()
        return word in self.words or lower in self.words or (self.regular is not None and self.regular(lower))

    def __len__(self) -> int:
        return len(self.words)


@lru_cache(maxsize=8)
def word_list(name: str) -> WordList:
    """A word list by name: one of an embedded tagger (`en`), `errant`'s, or a file with one word per line."""
    check_word_list(name)
    if name == "errant":
        return _errant_words()
    if name in _embedded():
        from errata.edits.taggers.embedded import embedded_words

        return embedded_words(name)
    from errata.corpus.files import read_lines

    words = frozenset(filter(None, map(str.strip, read_lines(name))))
    return WordList(f"file:{Path(name).name}-{digest(name)}", words)


def check_word_list(name: str) -> str:
    """The name of a word list; an error if there is no such list."""
    if name != "errant" and name not in _embedded() and not Path(name).is_file():
        names = ", ".join(["errant", *_embedded()])
        raise ErrataError(
            f"there is no word list {name!r}\n  hint: one of {names}, or a file with one word per line"
        )
    return name


def _embedded() -> tuple[str, ...]:
    """The languages whose tagger has a word list: those of this package, and of language packs."""
    return (*EMBEDDED, *packed_languages())


def _errant_words() -> WordList:
    """The British English list of the installed `errant` package (SCOWL, en_GB-large)."""
    from importlib.metadata import version

    from errata.data.installation import WORDS

    spec = find_spec("errant")
    if spec is None or spec.origin is None:
        raise MissingExtraError("the word list of errant", "errant")
    path = Path(spec.origin).parent / WORDS
    words = frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return WordList(f"errant-{version('errant')}", words)


Tokens = Sequence[Token]
# language → module:class; any other language is UNIVERSAL
LANGUAGES = {
    "cs": "errata.edits.czech:Czech",
    "de": "errata.edits.german:German",
    "el": "errata.edits.greek:Greek",
    "en": "errata.edits.english:English",
    "fr": "errata.edits.french:French",
    "ru": "errata.edits.russian:Russian",
    "tr": "errata.edits.turkish:Turkish",
    "uk": "errata.edits.universal:Ukrainian",
}
UNIVERSAL = "errata.edits.universal:Universal"


class Place(NamedTuple):
    """The start of one side of an edit in its sentence."""

    tokens: Tokens  # of the sentence
    heads: Sequence[int]
    start: int


class TaggedEdit:
    """The tagged words of both sides of an edit.

    Types are cached by these words. A rule that also needs the sentences calls `places`, and its type is not
    cached.
    """

    __slots__ = ("_places", "correction", "is_context_used", "source")

    def __init__(self, source: Tokens, correction: Tokens, places: Callable[[], tuple[Place, Place]]) -> None:
        self.source, self.correction, self._places = source, correction, places
        self.is_context_used = False

    def places(self) -> tuple[Place, Place]:
        """The sentences, and where source and correction begin in them."""
        self.is_context_used = True
        return self._places()


class Language(ABC):
    """The rules of a language."""

    # Merging: see `errata.edits.merge`.
    content: ClassVar[frozenset[str]]  # parts of speech that keep a run of changes together
    phrase: ClassVar[frozenset[str]]  # parts of speech of verb phrases
    exact_phrase: ClassVar[bool] = False  # all parts of `phrase` occur; else the word count must change
    possessive_tag: ClassVar[str | None] = None  # fine tag of possessive endings

    def __init__(self, words: WordList) -> None:
        self.words = words

    def aligner(self) -> Aligner:
        """The costs of the alignment."""
        return Aligner(CostModel.EXACT)

    def similar(self, source: str, correction: str) -> bool:
        """Whether one word replaces the other, so that it is not merged with its neighbours."""
        return 1 - Indel.normalized_distance(source, correction) > 0.75

    def is_misspelt(self, word: Token) -> bool:
        """Whether the word list lacks the word; False if the list is empty."""
        return len(self.words) > 0 and word.form.isalpha() and word.form not in self.words

    def classify(self, edit: TaggedEdit) -> str:
        """The type: `M:` (missing), `U:` (unnecessary) or `R:` (replaced) with a category.

        `UNK` if nothing changes: an annotator marked an error without correcting it.
        """
        source, correction = edit.source, edit.correction
        if [token.form for token in source] == [token.form for token in correction]:
            return "UNK"
        # Doctor → The doctor: a last word that only changes case does not determine the type.
        while source and correction and len(source) + len(correction) > 2:
            if source[-1].lower != correction[-1].lower:
                break
            source, correction = source[:-1], correction[:-1]
        if not source and not correction:
            return "UNK"
        if not source:
            return "M:" + self.one_sided(correction)
        if not correction:
            return "U:" + self.one_sided(source)
        return "R:" + self.replacement(source, correction, edit)

    @abstractmethod
    def one_sided(self, words: Tokens) -> str:
        """The category of missing or unnecessary words."""

    @abstractmethod
    def replacement(self, source: Tokens, correction: Tokens, edit: TaggedEdit) -> str:
        """The category of words that replace others."""


def language(code: str, words: WordList | None = None) -> Language:
    """The rules for a language, by its two-letter code; the universal ones if it has none of its own.

    Raises for an unknown code: treating it as another language would silently change the edits.
    """
    check_code(code)
    module, _, name = LANGUAGES.get(code, UNIVERSAL).partition(":")
    rules: Language = getattr(import_module(module), name)(default_words(code) if words is None else words)
    return rules


def check_code(code: str) -> str:
    """The code; an error if it is unknown."""
    if code not in CODES:
        similar = " or ".join(suggestions(code))
        hint = f"did you mean {similar}?" if similar else "give its ISO 639 code: en, cs, de, uk, …"
        raise ErrataError(f"there is no language {code!r}\n  hint: {hint}")
    return code


def default_tagger(code: str) -> str:
    """The tagger of this package or of an installed language pack; none for a language without a pack.

    Raises where a pack is published and not installed: without it, most types would be missing.
    """
    if code in EMBEDDED or code in packed_languages():
        return f"embedded:{code}"
    if code in PACKS:
        raise ErrataError(
            f"the tagger of {language_name(code)} is not installed\n"
            f"  hint: pip install {pack_to_install(code)}, or name a tagger: `none` gives orthographic types"
        )
    return "none"


def default_words(code: str) -> WordList:
    """The word list of this package or of an installed language pack; an empty one for other languages."""
    if code in EMBEDDED or code in packed_languages():
        return word_list(code)
    return WordList("none", frozenset())
