"""What a language says about its edits: how words are aligned, merged and classified.

A language is one module with a subclass of `Language` and an entry in `LANGUAGES`. All others share the rules
for universal parts of speech.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import ClassVar, NamedTuple

from rapidfuzz.distance import Indel

from errata.edits.alignment import Aligner, CostModel
from errata.edits.tagged_sentence import Token
from errata.edits.taggers.models import LANGUAGES as EMBEDDED
from errata.edits.taggers.models import PACKS, pack_to_install, packed_languages
from errata.edits.word_list import WordList, word_list
from errata.errors import ErrataError
from errata.text.languages import CODES, language_name, suggestions

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
    "uk": "errata.edits.ukrainian:Ukrainian",
}
UNIVERSAL = "errata.edits.universal:Universal"


class Place(NamedTuple):
    """Where a side of an edit begins in its sentence."""

    tokens: Tokens  # of the sentence
    heads: Sequence[int]
    start: int


class TaggedEdit:
    """The tagged words of both sides of an edit.

    Types are remembered by these words. A rule that also looks at the sentences calls `places`: then the type
    holds for this occurrence alone.
    """

    __slots__ = ("_places", "correction", "is_context_used", "source")

    def __init__(self, source: Tokens, correction: Tokens, places: Callable[[], tuple[Place, Place]]) -> None:
        self.source, self.correction, self._places = source, correction, places
        self.is_context_used = False

    def places(self) -> tuple[Place, Place]:
        """Where source and correction stand in their sentences."""
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
        """Whether the word list lacks the word; an empty list knows no misspelt words."""
        return len(self.words) > 0 and word.form.isalpha() and word.form not in self.words

    def classify(self, edit: TaggedEdit) -> str:
        """The type: `M:` (missing), `U:` (unnecessary) or `R:` (replaced) with a category.

        `UNK` if nothing changes: an annotator marked an error without correcting it.
        """
        source, correction = edit.source, edit.correction
        if [token.form for token in source] == [token.form for token in correction]:
            return "UNK"
        # Doctor → The doctor: a last word that only changes case is not what the edit is about.
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
    """The code, unless it is unknown, which is an error."""
    if code not in CODES:
        meant = " or ".join(suggestions(code))
        hint = f"did you mean {meant}?" if meant else "give its ISO 639 code: en, cs, de, uk, …"
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
