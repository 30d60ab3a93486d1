"""spaCy pipelines: `spacy:en_core_web_sm` is the one of the official English numbers.

What spaCy computes for a word or a window of words is remembered. A layer of the convolutional network makes
a token's vector from those of the token and its two neighbours. After four layers the vector depends on nine
tokens alone, and a sentence and its correction share most of these windows. Here spaCy's own layers compute
each distinct window once.

Most rules of the attribute ruler (all but 8 of 179 of `en_core_web_sm`) look at the lower-cased form, tag and
dependency of one token, and the lemma follows from these. Both are computed once for each form with its tag
and dependency. A sentence with a token that begins a rule for several tokens is left to spaCy.
"""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial, reduce
from importlib.metadata import version
from itertools import chain, count
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.data.installation import PIPELINE
from errata.edits.tagged_sentence import TaggedSentence
from errata.edits.taggers import digest
from errata.engine import jobs_or_default
from errata.errors import ErrataError, MissingExtraError
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary

ALIASES = {PIPELINE.name: PIPELINE.copies}  # packages that hold the same weights under another name
_BATCH = 256


_pipelines: dict[str, tuple[Any, DocumentReader]] = {}  # what forked workers find in their memory


class SpacyTagger:
    """Any installed spaCy pipeline, run on the tokens as they are.

    spaCy holds the interpreter's lock, so further cores are used by forked processes where the platform
    has these. The batches are the same for any number of them, and so is the result.
    """

    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline
        self._nlp, _ = _pipelines[pipeline] = _load(pipeline)
        # installed pipelines have versions
        self._digest = f"-{digest(pipeline)}" if Path(pipeline).is_dir() else ""
        self._workers: ProcessPoolExecutor | None = None

    @property
    def name(self) -> str:
        return f"spacy:{self.pipeline}"

    @property
    def signature(self) -> str:
        return f"spacy-{version('spacy')}:{self.pipeline}-{self._nlp.meta['version']}{self._digest}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        batches = [sentences[i : i + _BATCH] for i in range(0, len(sentences), _BATCH)]
        pool = self._pool(jobs_or_default(jobs)) if len(batches) > 1 else None
        work = partial(_tag, self.pipeline)
        return list(chain.from_iterable(map(work, batches) if pool is None else pool.map(work, batches)))

    def _pool(self, jobs: int) -> ProcessPoolExecutor | None:
        """Workers that share the loaded pipeline; none if forking would be unsafe or is not allowed."""
        if multiprocessing.current_process().daemon:
            return None
        if self._workers is None and jobs > 1 and threading.active_count() == 1:
            if "fork" not in multiprocessing.get_all_start_methods() or sys.platform == "darwin":
                return None
            self._workers = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _start_worker)
            atexit.register(self._workers.shutdown)  # at the end of the interpreter it could print errors
        return self._workers if jobs > 1 else None

    def analyse(self, texts: Sequence[str]) -> list[TaggedSentence]:
        """Running text, by the pipeline's own tokeniser."""
        return _analysed(self.pipeline, texts)


def _start_worker() -> None:
    """Ignore Ctrl-C, since the parent process ends its workers, and use one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)


def _tag(pipeline: str, sentences: Sequence[Sequence[str]]) -> list[TaggedSentence]:
    from spacy.tokens import Doc

    vocabulary = _pipelines[pipeline][0].vocab
    return _analysed(pipeline, [Doc(vocabulary, words=list(forms)) for forms in sentences])


def _analysed(pipeline: str, texts: Sequence[Any]) -> list[TaggedSentence]:
    nlp, reader = _pipelines[pipeline]
    return list(map(reader, nlp.pipe(texts, batch_size=_BATCH, disable=reader.replaced)))


def _load(pipeline: str) -> tuple[Any, DocumentReader]:
    nlp = load_pipeline(pipeline)
    if nlp.has_pipe("tok2vec"):
        _remember_windows(nlp.get_pipe("tok2vec"))
    if nlp.has_pipe("lemmatizer"):
        _use_sets(nlp.get_pipe("lemmatizer"))
    return nlp, _document_reader(nlp)


def _use_sets(lemmatizer: Any) -> None:
    """Replace a lemmatizer's lists of words by sets: spaCy searches a list of 57,528 English nouns."""
    lookups = getattr(lemmatizer, "lookups", None)
    if lookups is not None and lookups.has_table("lemma_index"):
        index = lookups.get_table("lemma_index")
        for part in [part for part in index if isinstance(index[part], list)]:
            index[part] = frozenset(index[part])


def _numpy_products() -> AbstractContextManager[None]:
    """A context in which networks are loaded that multiply matrices by NumPy.

    spaCy's own library, BLIS, has no fast code for newer processors such as AMD Zen 4, where tagging takes
    half as long again. Networks on a GPU or another backend do not change.
    """
    from thinc.api import get_current_ops, use_ops

    is_plain = get_current_ops().name == "numpy"
    return use_ops("numpy", use_blis=False) if is_plain else nullcontext()


def load_pipeline(pipeline: str) -> Any:
    """A pipeline of spaCy by the name of its package, or its folder."""
    try:
        import spacy
        from spacy.util import is_package
    except ImportError:
        raise MissingExtraError("the tagger spacy", "taggers") from None
    names = (pipeline, *ALIASES.get(pipeline, ()))
    name = next(filter(is_package, names), pipeline)  # else a folder
    try:
        with _numpy_products():
            return spacy.load(name, disable=["ner"])
    except OSError:
        command = (
            "errata setup errant" if pipeline == PIPELINE.name else f"python -m spacy download {pipeline}"
        )
        raise ErrataError(f"spaCy has no pipeline {pipeline!r}\n  hint: {command}") from None


MOST_VECTORS = 1 << 18  # of all layers: about 100 MB
MOST_TOKENS = 200_000
_FEWEST = 16  # rows: libraries may add up the products of fewer rows in another order

Rows = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.float32]


def _remember_windows(tok2vec: Any) -> None:
    """Make the network of a pipeline remember windows, if it has the expected layers."""
    layers = _layers(tok2vec.model)
    if layers is not None:
        tok2vec.predict = _Windows(*layers, tok2vec.model.get_dim("nO"))


def _layers(model: Any) -> tuple[list[str], Any, list[Any]] | None:
    """The names of a token's features, the layers that embed them, and those over three neighbours."""
    if model.ops.name != "numpy" or [len(part.layers) for part in model.layers] != [5, 1]:
        return None
    (features, _, *embed, _), (encode,) = model.layers[0].layers, model.layers[1].layers
    inner = [layer.layers[0] for layer in encode.layers if layer.name.startswith("residual(")]
    regular = (
        features.name == "extract_features"
        and all(layer.name.startswith("with_array(") for layer in [*embed, model.layers[1]])
        and len(inner) == len(encode.layers) == model.layers[1].attrs["pad"]
        and all(len(layer.layers) == 2 and layer.layers[0].attrs.get("window_size") == 1 for layer in inner)
    )
    return (features.attrs["columns"], embed, [layer.layers[1] for layer in inner]) if regular else None


class _Layer:
    """The vectors of a layer, by the numbers of their inputs; number 0 is a vector of zeros."""

    def __init__(self, width: int) -> None:
        self._numbers = Vocabulary()
        self.vectors: Vectors = np.zeros((1, width), dtype=np.float32)
        self.count = 1

    def number(self, inputs: Rows, compute: Callable[[Rows], Vectors]) -> Rows:
        """The number of each row of inputs; the vectors of new ones are computed."""
        size = inputs.shape[1]
        offsets = np.arange(0, inputs.size + 1, size, dtype=np.int64)
        numbers = self._numbers.encode_rows(Ragged(inputs.reshape(-1), offsets)) + 1
        is_new = np.flatnonzero(numbers >= self.count)
        if len(is_new):
            total = int(numbers.max()) + 1
            first = np.empty(total - self.count, dtype=np.int64)
            first[numbers[is_new[::-1]] - self.count] = is_new[::-1]
            self._keep(compute(inputs[np.resize(first, max(len(first), _FEWEST))])[: len(first)])
        return numbers

    def _keep(self, vectors: Vectors) -> None:
        total = self.count + len(vectors)
        if total > len(self.vectors):
            grown = np.empty((2 * total, vectors.shape[1]), dtype=np.float32)
            grown[: self.count] = self.vectors[: self.count]
            self.vectors = grown
        self.vectors[self.count : total] = vectors
        self.count = total


class _Windows:
    """The vectors of the tokens of documents."""

    def __init__(self, features: list[str], embed: list[Any], layers: list[Any], width: int) -> None:
        self._features, self._embed, self._inner, self._width = features, embed, layers, width
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._tokens, *self._layers = (_Layer(self._width) for _ in range(1 + len(self._inner)))

    def __call__(self, documents: Sequence[Any]) -> list[Vectors]:
        with self._lock:
            if sum(layer.count for layer in (self._tokens, *self._layers)) > MOST_VECTORS:
                self._forget()
            try:
                return self._vectors(documents)
            except BaseException:  # numbers may have no vector yet
                self._forget()
                raise

    def _vectors(self, documents: Sequence[Any]) -> list[Vectors]:
        depth = len(self._inner)
        if not any(map(len, documents)):
            return [np.zeros((0, self._width), dtype=np.float32) for _ in documents]
        lengths = np.array([len(document) for document in documents], dtype=np.int64)
        ends = np.cumsum(lengths + depth)  # zeros around the documents, as in spaCy
        is_token = np.zeros(int(lengths.sum()) + depth * (len(lengths) + 1), dtype=np.bool_)
        for start, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True):
            is_token[start:end] = True
        needed = [is_token]  # by a layer and by those that come after it
        for _ in range(depth - 1):
            wider = needed[-1].copy()
            wider[1:] |= needed[-1][:-1]
            wider[:-1] |= needed[-1][1:]
            needed.append(wider)
        numbers = np.zeros(len(is_token), dtype=np.int32)
        features = [document.to_array(self._features) for document in documents if len(document)]
        rows = np.concatenate(features).astype(np.uint64, copy=False).reshape(-1, len(self._features))
        numbers[is_token] = self._tokens.number(rows.view(np.int32), self._embedded)
        before = self._tokens
        for layer, inner, wanted in zip(self._layers, self._inner, needed[::-1], strict=True):
            places = np.flatnonzero(wanted)
            around = numbers[places[:, None] + np.arange(-1, 2)]
            numbers = np.zeros_like(numbers)
            numbers[places] = layer.number(around, partial(_convolved, inner, before.vectors))
            before = layer
        tokens = before.vectors[numbers[is_token]]
        return np.split(tokens, np.cumsum(lengths[:-1]))

    def _embedded(self, features: Rows) -> Vectors:
        vectors: Vectors = reduce(
            lambda rows, layer: layer.predict(rows), self._embed, features.view(np.uint64)
        )
        return vectors


def _convolved(inner: Any, vectors: Vectors, rows: Rows) -> Vectors:
    """The vectors that a layer makes of three neighbours each."""
    neighbours = vectors[rows]
    residual: Vectors = neighbours[:, 1] + inner.predict(neighbours.reshape(len(rows), -1))
    return residual


_KEYS = frozenset({"LOWER", "IS_SPACE", "TAG", "DEP"})
_LAST = ("attribute_ruler", "lemmatizer")
_BEGINS = "begins a rule for several tokens"

Key = tuple[int, ...]  # the form of a token and its attributes so far
Analysis = tuple[str, ...]  # form, lemma, part of speech, tag, dependency; () if it begins a rule for several


class DocumentReader:
    """Turns documents into tagged sentences; `replaced` are the components of a pipeline that it replaces."""

    replaced: Sequence[str] = ()

    def __call__(self, document: Any) -> TaggedSentence:
        rows = [(t.text, t.lemma_, t.pos_, t.tag_, t.dep_, t.head.i) for t in document]
        return TaggedSentence(*zip(*rows, strict=True)) if rows else TaggedSentence((), (), (), (), (), ())


def _document_reader(nlp: Any) -> DocumentReader:
    """The reader for a pipeline; a pipeline with other rules runs all its components itself."""
    from spacy.lang.en.lemmatizer import EnglishLemmatizer
    from spacy.pipeline import Lemmatizer

    if tuple(nlp.pipe_names[-2:]) != _LAST:
        return DocumentReader()
    ruler, lemmatizer = map(nlp.get_pipe, _LAST)
    rules = [rule["patterns"] for rule in ruler.patterns]
    known = all(token.keys() <= _KEYS for rule in rules for pattern in rule for token in pattern)
    if not known or type(lemmatizer) not in (Lemmatizer, EnglishLemmatizer):
        return DocumentReader()
    return _CachingReader(ruler, lemmatizer, rules)


class _CachingReader(DocumentReader):
    replaced = _LAST

    def __init__(self, ruler: Any, lemmatizer: Any, rules: list[list[list[dict[str, Any]]]]) -> None:
        from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, TAG
        from spacy.matcher import Matcher

        self._ruler, self._lemmatizer = ruler, lemmatizer
        self._attributes = [HEAD, ORTH, TAG, DEP, LEMMA, POS, MORPH]
        self._single = Matcher(ruler.vocab)
        for number, rule in enumerate(rules):
            if chosen := [pattern for pattern in rule if len(pattern) == 1]:
                self._single.add(str(number), chosen)
        if firsts := [pattern[:1] for rule in rules for pattern in rule if len(pattern) > 1]:
            self._single.add(_BEGINS, firsts)
        self._known: dict[Key, Analysis] = {}

    def __call__(self, document: Any) -> TaggedSentence:
        if len(self._known) > MOST_TOKENS:
            self._known = {}
        known = self._known  # another thread may begin a new one
        heads, *columns = document.to_array(self._attributes).astype(np.int64).T.tolist()
        keys = [*zip(*columns, strict=True)]
        analyses = [*map(known.get, keys)]
        if None in analyses and () not in analyses:
            self._analyse(document, {key: i for i, key in enumerate(keys) if analyses[i] is None}, known)
            analyses = [*map(known.get, keys)]
        if not analyses or not all(analyses):
            return super().__call__(self._lemmatizer(self._ruler(document)))
        forms, lemmas, upos, tags, deps = zip(*analyses, strict=True)
        return TaggedSentence(forms, lemmas, upos, tags, deps, tuple(map(add, heads, count())))

    def _analyse(self, document: Any, places: dict[Key, int], known: dict[Key, Analysis]) -> None:
        """Analyse tokens at these places; if one begins a rule for several tokens, only mark such tokens."""
        strings = self._ruler.vocab.strings
        matches = []
        for key, place in places.items():
            for name, _, _ in self._single(document[place : place + 1], allow_missing=True):
                if strings[name] == _BEGINS:
                    known[key] = ()
                else:
                    matches.append((int(strings[name]), name, place, place + 1))
        if any(key in known for key in places):
            return
        self._ruler.set_annotations(document, sorted(set(matches)))
        for key, place in places.items():
            token = document[place]
            if self._lemmatizer.overwrite or token.lemma == 0:
                token.lemma_ = self._lemmatizer.lemmatize(token)[0]
            known[key] = token.text, token.lemma_, token.pos_, token.tag_, token.dep_
