"""No tagger at all: enough for Levenshtein alignment and the orthographic types."""

from __future__ import annotations

from collections.abc import Sequence

from errata.edits.tokens import TaggedSentence
from errata.errors import ErrataError


class NoTagger:
    """Leaves every sentence as it is."""

    name = signature = "none"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise ErrataError(f"the tagger 'none' takes no model, and was given {argument!r}")

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [TaggedSentence.untagged(forms) for forms in sentences]
