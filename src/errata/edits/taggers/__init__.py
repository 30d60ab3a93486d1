"""The taggers, by name: `tagger("embedded:en")`, `tagger("spacy:en_core_web_sm")`, `tagger("conllu:F")`."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path

from errata.edits.tagged_sentence import TaggedSentence, Tagger
from errata.errors import ErrataError

__all__ = ["TAGGERS", "TaggedSentence", "Tagger", "digest", "tagger"]

# kind -> module:class, made from what stands behind the colon; other packages add theirs through the
# entry point group `errata.taggers`
TAGGERS: dict[str, str] = {
    "embedded": "errata.edits.taggers.embedded:EmbeddedTagger",  # embedded:LANGUAGE
    "spacy": "errata.edits.taggers.spacy:SpacyTagger",  # spacy:PIPELINE
    "udpipe": "errata.edits.taggers.udpipe:UDPipeTagger",  # udpipe:FILE.udpipe
    "morphodita": "errata.edits.taggers.morphodita:MorphoDiTaTagger",  # morphodita:FILE.tagger
    "conllu": "errata.edits.taggers.conllu:PrecomputedTagger",  # conllu:FILE.conllu
    "none": "errata.edits.taggers.untagged:NoTagger",  # none
}


@lru_cache(maxsize=8)
def tagger(specification: str) -> Tagger:
    """A tagger from its kind and what it needs to know: `udpipe:czech-pdt-ud-2.5.udpipe`."""
    kind, _, argument = specification.partition(":")
    if kind in TAGGERS:
        module, _, attribute = TAGGERS[kind].partition(":")
        made: Tagger = getattr(import_module(module), attribute)(argument)
        return made
    from importlib.metadata import entry_points

    for entry in entry_points(group="errata.taggers"):
        if entry.name == kind:
            loaded: Tagger = entry.load()(argument)
            return loaded
    known = ", ".join([*TAGGERS, *(entry.name for entry in entry_points(group="errata.taggers"))])
    raise ErrataError(
        f"there is no tagger {specification!r}\n  hint: KIND or KIND:MODEL with KIND of {known}"
    )


def digest(path: str) -> str:
    """A few letters that tell one model file from another, for signatures."""
    return blake2b(Path(path).read_bytes(), digest_size=6).hexdigest()
