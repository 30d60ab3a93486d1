"""The small, fast taggers of this package (English, Czech) and of language packs; see docs/tagger.md."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.edits.language import WordList
from errata.edits.tagged_sentence import UNKNOWN_HEAD, NumberedTags, TaggedSentence
from errata.edits.taggers.lexicon import COLUMNS, spellings
from errata.edits.taggers.models import (
    LANGUAGES,
    SUFFIX,
    Layer,
    Model,
    load,
    pack_label,
    packed_languages,
)
from errata.errors import ErrataError
from errata.native import tagger as kernel
from errata.native.ragged import Ragged
from errata.text.vocabulary import Names, Vocabulary

Named = tuple[Sequence[str], npt.NDArray[Any]]  # distinct names, and the number of each token's name

STYLES = ("spacy", "ud")  # of English parts of speech
_CACHED_WORDS = 200_000  # words whose analyses are kept
_numbering = threading.Lock()  # else two threads could give one number to two words
_CONTEXTS = 1 << 17  # size of a memo: 6 MB


# The tag whose lemma rules apply where part of speech and Penn tag disagree.
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

    Other models come from installed language packs (`embedded:de`) and from files (`embedded:FILE.model`).
    English follows the conventions of spaCy's pipelines, for which ERRANT's types were designed;
    `embedded:en-ud` has the parts of speech of Universal Dependencies instead. Heads are unknown.
    """

    def __init__(self, argument: str = "en") -> None:
        language, style = argument, ""
        if argument.startswith("en-"):
            language, _, style = argument.partition("-")
        packs = packed_languages()
        has_model = language in (*LANGUAGES, *packs) or language.endswith(SUFFIX)
        if not has_model or style not in ("", *STYLES):
            names = ", ".join((*LANGUAGES, *(f"en-{style}" for style in STYLES), *packs))
            raise ErrataError(
                f"there is no embedded tagger {argument!r}\n"
                f"  hint: one of {names}; a language pack adds another (pip install errata-gec-lang-CODE)"
            )
        self.language = language
        self.style = (style or "spacy") if language == "en" else "ud"
        self._model = _model(language)
        self._words = _Words(self._model, self.style)

    @property
    def name(self) -> str:
        return f"embedded:{Path(self.language).name}" + (
            "-ud" if (self.language, self.style) == ("en", "ud") else ""
        )

    @property
    def signature(self) -> str:
        label = self.name if self.language == "en" else pack_label(self.language)
        return f"{label}-{self._model.digest}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        """The sentences with lemma, part of speech, fine tag and dependency label of each token."""
        vocabulary = Vocabulary()
        rows = vocabulary.encode(sentences)
        tags = self.tag_numbered(vocabulary.tokens, rows.values, rows.offsets, jobs)
        return tags.sentences(sentences, rows.offsets)

    def tag_numbered(
        self,
        forms: Sequence[str],
        ids: npt.NDArray[np.int32],
        offsets: npt.NDArray[np.int64],
        jobs: int | None = None,
    ) -> NumberedTags:
        """The analyses of sentences given as numbers of forms; sentence i is offsets[i : i + 2]."""
        layers = {
            name: layer for name, layer in self._model.layers.items() if name != "upos" or self.style == "ud"
        }
        words, types, predicted = self._predicted(layers, forms, ids, offsets)
        deps = self._labels("dep", predicted) if "dep" in predicted else (("",), np.zeros_like(ids))
        tags = next(
            (self._labels(name, predicted) for name in ("tag", "feats") if name in predicted),
            (("",), np.zeros_like(ids)),
        )
        labels = self._labels("upos", predicted) if "upos" in predicted else deps
        upos, lemmas = words.analysed(types, tags, labels)
        return NumberedTags(lemmas, upos, tags, deps, np.full(len(ids), UNKNOWN_HEAD, dtype=np.int32))

    def fine_tags(
        self,
        forms: Sequence[str],
        ids: npt.NDArray[np.int32],
        offsets: npt.NDArray[np.int64],
    ) -> tuple[Sequence[str], npt.NDArray[np.int32]]:
        """The fine tags of sentences, which are given as for `tag_numbered`: names, and their numbers."""
        layer = self._model.layers["tag"]
        return layer.labels, self._predicted({"tag": layer}, forms, ids, offsets, memorize=False)[2]["tag"]

    def _predicted(
        self,
        layers: Mapping[str, Layer],
        forms: Sequence[str],
        ids: npt.NDArray[np.int32],
        offsets: npt.NDArray[np.int64],
        memorize: bool = True,
    ) -> tuple[_Words, npt.NDArray[np.int32], dict[str, npt.NDArray[np.int32]]]:
        """The known words, the numbers of the tokens among them, and their labels in these layers.

        A layer over another one needs that one as well.
        """
        words = self._words
        if len(words.numbers) > _CACHED_WORDS:
            words = self._words = _Words(self._model, self.style)
        types, rows = words.types(forms, ids)
        predicted: dict[str, npt.NDArray[np.int32]] = {}
        for name, layer in sorted(layers.items(), key=lambda item: item[1].over != ""):
            lower, sums = predicted.get(layer.over), words.sums(name, layer, rows)
            memos = words.memos[name] if memorize else None
            predicted[name] = _predict(layer, Ragged(types, offsets), rows, sums, lower, memos)
        return words, types, predicted

    def _labels(self, name: str, predicted: dict[str, npt.NDArray[np.int32]]) -> Named:
        return self._model.layers[name].labels, predicted[name]

    def lexicon_tags(self, word: str) -> frozenset[str]:
        """The usual fine tags of a lower-cased word; none if the lexicon lacks it."""
        return frozenset(filter(None, self._model.lexicon.classes(word)[0].split("|")))


class _Words:
    """The words seen so far: numbers, spellings, lemmas, and the labels of contexts."""

    def __init__(self, model: Model, style: str) -> None:
        self.numbers = Names()
        self.memos: dict[str, list[_Memo]] = {name: [] for name in model.layers}
        self._model, self._style = model, style
        self._analyses = Vocabulary()  # distinct combinations of word, tag and label
        self._upos: list[str] = []  # of each combination
        self._lemmas: list[str] = []
        self._lexicon = model.lexicon
        self._rows = np.empty((0, COLUMNS), dtype=np.uint64)
        self._forms: Sequence[str] = ()  # of the last call
        self._types = np.empty(0, dtype=np.int32)  # the numbers of these forms, or -1
        self._sums: dict[str, npt.NDArray[np.int16]] = {}

    def types(
        self, forms: Sequence[str], ids: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
        """The numbers of words that are given as numbers of forms, and the spellings of all words by number.

        The numbers of forms are kept for the next call with the same list, which may have grown.
        """
        numbers = self.numbers
        with _numbering:
            of_forms = self._types if self._forms is forms else self._types[:0]
            if len(of_forms) < len(forms):
                missing = np.full(len(forms) - len(of_forms), -1, dtype=np.int32)
                of_forms = np.concatenate([of_forms, missing])
            self._forms, self._types = forms, of_forms
            types = of_forms[ids]
            if len(types) and types.min() < 0:
                new = np.flatnonzero(of_forms < 0) if len(forms) <= len(ids) else np.unique(ids[types < 0])
                for form in new.tolist():
                    of_forms[form] = numbers[forms[form]]
                types = of_forms[ids]
            if len(numbers) > len(self._rows):
                columns = [spellings(word, self._lexicon) for word in numbers.names[len(self._rows) :]]
                rows = np.array(columns, dtype=np.uint64).reshape(-1, COLUMNS)
                self._rows = np.concatenate([self._rows, rows])
            return types, self._rows

    def sums(self, name: str, layer: Layer, rows: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
        """The sums of the weights of words in a layer without context, computed once for each word."""
        with _numbering:
            sums = self._sums.get(name, np.empty((0, layer.weights.shape[1]), dtype=np.int16))
            if len(sums) < len(rows):
                sums = np.concatenate([sums, kernel.own_sums(rows[len(sums) :], layer)])
                self._sums[name] = sums
            return sums[: len(rows)]

    def analysed(self, types: npt.NDArray[np.int32], tags: Named, labels: Named) -> tuple[Named, Named]:
        """Parts of speech and lemmas by word, tag and label; each distinct combination is analysed once.

        The labels are dependency labels, or parts of speech where the model gives them.
        """
        rows = np.stack([types, tags[1], labels[1]], axis=1)
        numbers = self._analyses.encode_rows(Ragged(rows.ravel(), 3 * np.arange(len(rows) + 1)))
        with _numbering:
            del self._upos[len(self._lemmas) :]  # Ctrl-C may have left one list longer
            new = numbers.max(initial=-1) >= len(self._lemmas)
            for key in self._analyses.token_bytes(len(self._lemmas)) if new else ():
                word, tag, label = memoryview(key).cast("i")
                upos, lemma = self._analysis(self.numbers.names[word], tags[0][tag], labels[0][label])
                self._upos.append(upos)
                self._lemmas.append(lemma)
        return labels if self._style == "ud" else (self._upos, numbers), (self._lemmas, numbers)

    def _analysis(self, form: str, tag: str, label: str) -> tuple[str, str]:
        """The part of speech and the lemma of a word with this fine tag and label."""
        upos, table = label, self._model.classes
        if self._style != "ud":
            exact = table.get(f"{tag} {label} {form.lower()}") or table.get(f"{tag} {label}")
            upos = exact or table.get(tag, "X")
        tag = lemma_tag(tag, upos, form) if "tag" in self._model.layers else upos
        lower = form.lower()
        base = self._lexicon.without_prefix(lower)
        return upos, self._model.lemmas.lemma(spelt_as_name(form if base == lower else base, tag), tag)


class _Memo:
    """A cache of a layer's labels by context, for one thread at a time."""

    def __init__(self) -> None:
        self.table = np.zeros((_CONTEXTS, 6), dtype=np.uint64)
        self.filled = 0

    def prepared(self) -> _Memo:
        """Emptied if it is nearly full."""
        if 4 * self.filled >= 3 * _CONTEXTS:
            self.table[:] = 0
            self.filled = 0
        return self


def lemma_tag(tag: str, upos: str, form: str) -> str:
    """The Penn tag that decides whether the lemma keeps its capitals and its ending."""
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
    sentences: Ragged,
    rows: npt.NDArray[np.uint64],
    sums: npt.NDArray[np.int16],
    lower: npt.NDArray[np.int32] | None,
    memos: list[_Memo] | None,
) -> npt.NDArray[np.int32]:
    """The labels of the tokens of sentences, which are given as numbers of words.

    `sums` are the words' own sums, `lower` the labels of the layer below, and `memos` those that no thread
    uses; without them nothing is cached, which is faster for text that occurs once.
    """
    memo = None
    if memos is not None:
        try:
            memo = memos.pop().prepared()
        except IndexError:
            memo = _Memo()
    labels: npt.NDArray[np.int32] = kernel.predict(
        sentences, sentences.offsets[1:], rows, lower, layer, sums, memo
    )
    if memos is not None and memo is not None:
        memos.append(memo)
    return labels


@lru_cache(maxsize=8)
def _model(language: str) -> Model:
    return load(language)


def embedded_words(language: str) -> WordList:
    """The word list of a language's embedded tagger."""
    model = _model(language)
    words = model.lexicon.words()
    label = pack_label(language).replace(":", "-")
    return WordList(f"{label}-{model.digest}" if words else "none", words, model.lexicon.is_regular)
