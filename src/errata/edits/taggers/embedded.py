"""The taggers that come with the package: English and Czech, small and quick; see docs/tagger.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from errata.edits.taggers.models import LANGUAGES, SUFFIX, Layer, Model, load
from errata.edits.taggers.packs import packed_languages
from errata.edits.taggers.spelling import COLUMNS, spellings
from errata.edits.tokens import UNKNOWN_HEAD, TaggedSentence
from errata.edits.words import WordList
from errata.engine import spread
from errata.errors import ErrataError
from errata.kernels import tagger as kernel

STYLES = ("spacy", "ud")  # of English parts of speech
_REMEMBERED = 200_000  # words whose spellings or lemmas are kept
_SCRATCH = 64  # features a token has at most


# Where a part of speech and a Penn tag disagree: the tag whose lemma rules hold.
_LEMMA_TAGS = {
    ("NOUN", "NNP"): "NN",
    ("NOUN", "NNPS"): "NNS",
    ("NOUN", "VBG"): "NN",
    ("ADJ", "VBG"): "JJ",
    ("ADJ", "VBN"): "JJ",
    ("ADV", "NNP"): "RB",
    ("VERB", "NNP"): "VB",
    ("VERB", "JJ"): "VBN",
    ("VERB", "NN"): "VB",
}


class EmbeddedTagger:
    """A linear tagger with its own model: `embedded:en`, `embedded:cs`.

    Further models are those of installed language packs (`embedded:de`) and of files (`embedded:FILE.model`).
    English comes in the conventions of spaCy's pipelines, which ERRANT's types were made for;
    `embedded:en-ud` gives the parts of speech of Universal Dependencies instead. Heads are unknown.
    """

    def __init__(self, argument: str = "en") -> None:
        language, style = argument, ""
        if argument.startswith("en-"):
            language, _, style = argument.partition("-")
        packs = packed_languages()
        known_language = language in (*LANGUAGES, *packs) or language.endswith(SUFFIX)
        if not known_language or style not in ("", *STYLES):
            known = ", ".join((*LANGUAGES, *(f"en-{style}" for style in STYLES), *packs))
            raise ErrataError(
                f"there is no embedded tagger {argument!r}\n"
                f"  hint: one of {known}; a language pack adds another (pip install errata-gec-tagger-CODE)"
            )
        self.language = language
        self.style = (style or "spacy") if language == "en" else "ud"
        self._model = _model(language)
        self._rows: dict[str, tuple[int, ...]] = {}
        self._lemmas: dict[tuple[str, str], str] = {}

    @property
    def name(self) -> str:
        return f"embedded:{Path(self.language).name}" + (
            "-ud" if (self.language, self.style) == ("en", "ud") else ""
        )

    @property
    def signature(self) -> str:
        return f"{self.name}-{self._model.digest}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        """The sentences with lemma, part of speech, fine tag and dependency label of each token."""
        forms = [form for sentence in sentences for form in sentence]
        offsets = np.zeros(len(sentences) + 1, dtype=np.int64)
        np.cumsum([len(sentence) for sentence in sentences], out=offsets[1:])
        numbers: dict[str, int] = {}
        types = np.array([numbers.setdefault(form, len(numbers)) for form in forms], dtype=np.int32)
        rows = self._spellings(numbers)
        found: dict[str, npt.NDArray[np.int32]] = {}
        for name, layer in sorted(self._model.layers.items(), key=lambda item: item[1].over != ""):
            if name != "upos" or self.style == "ud":
                found[name] = _predict(layer, offsets, types, rows, found.get(layer.over), jobs)
        names = {
            name: list(map(self._model.layers[name].labels.__getitem__, labels.tolist()))
            for name, labels in found.items()
        }
        tags = names.get("tag", [""] * len(forms))
        deps = names["dep"]
        upos = names["upos"] if self.style == "ud" else self._classes(forms, tags, deps)
        lemmas = self._lemmatise(forms, list(map(lemma_tag, tags, upos, forms)) if "tag" in names else upos)
        heads = (UNKNOWN_HEAD,) * max((len(sentence) for sentence in sentences), default=0)
        return [
            TaggedSentence(
                tuple(forms[start:stop]),
                tuple(lemmas[start:stop]),
                tuple(upos[start:stop]),
                tuple(tags[start:stop]),
                tuple(deps[start:stop]),
                heads[: stop - start],
            )
            for start, stop in pairwise(offsets.tolist())
        ]

    def _spellings(self, words: dict[str, int]) -> npt.NDArray[np.uint64]:
        known, lexicon = self._rows, self._model.lexicon
        if len(known) > _REMEMBERED:
            known.clear()
        for word in words:
            if word not in known:
                known[word] = spellings(word, lexicon)
        return np.array([known[word] for word in words], dtype=np.uint64).reshape(-1, COLUMNS)

    def _lemmatise(self, forms: list[str], tags: list[str]) -> list[str]:
        known, rules, lexicon = self._lemmas, self._model.lemmas, self._model.lexicon
        if len(known) > _REMEMBERED:
            known.clear()
        pairs = list(zip(forms, tags, strict=True))
        for pair in set(pairs):
            if pair not in known:
                form, tag = pair
                lower = form.lower()
                base = lexicon.without_prefix(lower)
                known[pair] = rules.lemma(spelt_as_name(form if base == lower else base, tag), tag)
        return list(map(known.__getitem__, pairs))

    def _classes(self, forms: list[str], tags: list[str], deps: list[str]) -> list[str]:
        """Parts of speech that follow from fine tag, dependency label and word."""
        table = self._model.classes
        found: dict[tuple[str, str, str], str] = {}
        keys = list(zip(tags, deps, forms, strict=True))
        for key in set(keys):
            tag, dep, form = key
            found[key] = (
                table.get(f"{tag} {dep} {form.lower()}") or table.get(f"{tag} {dep}") or table.get(tag, "X")
            )
        return list(map(found.__getitem__, keys))


def lemma_tag(tag: str, upos: str, form: str) -> str:
    """The Penn tag that decides about the lemma: whether it keeps its capitals and its ending."""
    if upos == "PROPN" and tag != "ADD":
        return "NNPS" if tag == "NNPS" else "NNP"
    if upos == "VERB" and tag in ("JJ", "NN") and form.endswith("ing"):
        return "VBG"
    return _LEMMA_TAGS.get((upos, tag), tag)


def spelt_as_name(form: str, tag: str) -> str:
    """A name as its lemma is written: `CHICAGO` as `Chicago`; short ones (`NATO`) stay."""
    shouted = tag in ("NNP", "NNPS") and len(form) >= 5 and form.isupper() and form.isalpha()
    return form.capitalize() if shouted else form


def _predict(
    layer: Layer,
    offsets: npt.NDArray[np.int64],
    types: npt.NDArray[np.int32],
    rows: npt.NDArray[np.uint64],
    given: npt.NDArray[np.int32] | None,
    jobs: int | None,
) -> npt.NDArray[np.int32]:
    labels = np.zeros(len(types), dtype=np.int32)
    below = labels if given is None else given

    def work(start: int, stop: int) -> None:
        kernel.predict(
            start, stop, offsets, types, rows, below, given is not None, layer.index, layer.weights,
            len(layer.labels), np.empty(layer.weights.shape[1], dtype=np.int16),
            np.empty(_SCRATCH, dtype=np.int64), labels,
        )  # fmt: skip

    spread(work, len(offsets) - 1, jobs, chunk=256)
    return labels


@lru_cache(maxsize=8)
def _model(language: str) -> Model:
    return load(language)


def embedded_words(language: str) -> WordList:
    """The word list that comes with a language's tagger."""
    model = _model(language)
    return WordList(f"embedded-{language}-{model.digest}", model.lexicon.words(), model.lexicon.is_regular)
