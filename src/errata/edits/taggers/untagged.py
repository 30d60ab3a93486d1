"""No tagger at all: enough for Levenshtein alignment and the orthographic types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.edits.tagged_sentence import UNKNOWN_HEAD, NumberedTags, TaggedSentence
from errata.errors import ErrataError
from errata.text.numbering import distinct


class NoTagger:
    """Leaves every sentence as it is."""

    name = signature = "none"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise ErrataError(f"the tagger 'none' takes no model, and was given {argument!r}")

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [TaggedSentence.untagged(forms) for forms in sentences]

    def tag_numbered(
        self,
        forms: Sequence[str],
        ids: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        jobs: int | None = None,
    ) -> NumberedTags:
        """The same for sentences that are given as numbers of forms."""
        different, places = distinct(ids)
        words = TaggedSentence.untagged([forms[form] for form in different.tolist()])
        nothing, heads = np.zeros_like(ids), np.full_like(ids, UNKNOWN_HEAD)
        return NumberedTags(
            (words.lemmas, places), (words.upos, places), ([""], nothing), ([""], nothing), heads
        )
