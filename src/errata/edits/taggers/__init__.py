"""The taggers, by name: `tagger("embedded:en")`, `tagger("conllu:FILE")`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.edits.tagged_sentence import UNKNOWN_HEAD, NumberedTags, TaggedSentence, Tagger
from errata.errors import ErrataError

__all__ = ["TAGGERS", "NoTagger", "TaggedSentence", "Tagger", "digest", "tagger"]

# kind → module:class, called with the text after the colon; other packages register theirs in the entry
# point group `errata.taggers`
TAGGERS: dict[str, str] = {
    "embedded": "errata.edits.taggers.embedded:EmbeddedTagger",  # embedded:LANGUAGE
    "spacy": "errata.edits.taggers.spacy:SpacyTagger",  # spacy:PIPELINE
    "udpipe": "errata.edits.taggers.external:UDPipeTagger",  # udpipe:FILE.udpipe
    "morphodita": "errata.edits.taggers.external:MorphoDiTaTagger",  # morphodita:FILE.tagger
    "conllu": "errata.edits.taggers.external:PrecomputedTagger",  # conllu:FILE.conllu
    "none": "errata.edits.taggers:NoTagger",  # none
}


@lru_cache(maxsize=8)
def tagger(specification: str) -> Tagger:
    """The tagger of this kind with this model: `udpipe:czech-pdt-ud-2.5.udpipe`."""
    kind, _, argument = specification.partition(":")
    if kind in TAGGERS:
        module, _, attribute = TAGGERS[kind].partition(":")
        own_tagger: Tagger = getattr(import_module(module), attribute)(argument)
        return own_tagger
    check_kind(specification)
    plugin: Tagger = _plugins()[kind].load()(argument)
    return plugin


def check_kind(specification: str) -> str:
    """The specification; an error if there is no such kind of tagger."""
    kind = specification.partition(":")[0]
    if kind not in TAGGERS and kind not in _plugins():
        kinds = ", ".join([*TAGGERS, *_plugins()])
        raise ErrataError(
            f"there is no tagger {specification!r}\n  hint: KIND or KIND:MODEL; kinds are {kinds}"
        )
    return specification


def _plugins() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="errata.taggers")}


def digest(path: str) -> str:
    """A short digest of a model's file or folder, for signatures."""
    place = Path(path)
    if place.is_file():
        return blake2b(place.read_bytes(), digest_size=6).hexdigest()
    files = {str(file.relative_to(place)): digest(str(file)) for file in place.rglob("*") if file.is_file()}
    return blake2b(repr(sorted(files.items())).encode(), digest_size=6).hexdigest()


class NoTagger:
    """No analysis: enough for Levenshtein alignment and the orthographic types."""

    name = signature = "none"

    def __init__(self, argument: str = "") -> None:
        if argument:
            raise ErrataError(f"the tagger 'none' takes no model: leave out {argument!r}")

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [TaggedSentence.untagged(forms) for forms in sentences]

    def tag_numbered(
        self,
        forms: Sequence[str],
        ids: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        jobs: int | None = None,
    ) -> NumberedTags:
        """The same for sentences given as numbers of forms."""
        distinct, places = np.unique(ids, return_inverse=True)
        words = TaggedSentence.untagged([forms[form] for form in distinct.tolist()])
        unknown, heads = ([""], np.zeros_like(ids)), np.full_like(ids, UNKNOWN_HEAD)
        return NumberedTags((words.lemmas, places), (words.upos, places), unknown, unknown, heads)
