"""The languages: each a module that says how its words are aligned, merged and typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from errata.edits.alignment import Aligner
from errata.edits.merging import MergeRules
from errata.edits.rules import TypeRules
from errata.edits.taggers.packs import packed_languages
from errata.edits.words import EMBEDDED, WordList, word_list
from errata.errors import ErrataError
from errata.text.languages import CODES, suggestions

# language -> its module; any other language is `universal`
MODULES = {"en": "errata.edits.english", "cs": "errata.edits.czech"}
UNIVERSAL = "errata.edits.universal"


@dataclass(frozen=True)
class Language:
    """How a language's edits are found and named."""

    code: str
    aligner: Callable[[], Aligner]
    merge_rules: Callable[[], MergeRules]
    types: Callable[[WordList], TypeRules]


def language(code: str) -> Language:
    """The rules for a language, by its two-letter code; those of `universal` where it has none of its own.

    Raises for a code that no language has: taken for another language, it would silently change the edits.
    """
    if code not in CODES:
        meant = " or ".join(suggestions(code))
        hint = f"did you mean {meant}?" if meant else "give its ISO 639 code: en, cs, de, uk, …"
        raise ErrataError(f"there is no language {code!r}\n  hint: {hint}")
    module = import_module(MODULES.get(code, UNIVERSAL))
    return Language(code, module.aligner, module.merge_rules, module.types)


def default_tagger(code: str) -> str:
    """The tagger that comes with this package or an installed language pack; none for other languages."""
    return f"embedded:{code}" if code in EMBEDDED or code in packed_languages() else "none"


def default_words(code: str) -> WordList:
    """The embedded word list; for a language without one, a list that knows no word to be wrong."""
    return word_list(code) if code in EMBEDDED else WordList("none", frozenset())
