"""spaCy pipelines: `spacy:en_core_web_sm` is the one of the official English numbers."""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import Any

from errata.data.official_errant import PIPELINE
from errata.edits.tagged_sentence import TaggedSentence
from errata.edits.taggers.spacy_cache import Columns, columns_of, remember_windows
from errata.engine import jobs_or_default
from errata.errors import ErrataError, MissingExtraError

ALIASES = {PIPELINE.name: PIPELINE.copies}  # packages that hold the same weights under another name
_BATCH = 256


_pipelines: dict[str, tuple[Any, Columns]] = {}  # what forked workers find in their memory


class SpacyTagger:
    """Any installed spaCy pipeline, run on the tokens as they are.

    spaCy holds the interpreter's lock, so further cores are used by forked processes where the platform
    has these. The batches are the same for any number of them, and so is the result.
    """

    def __init__(self, pipeline: str) -> None:
        self.pipeline = pipeline
        self._nlp, _ = _pipelines[pipeline] = _load(pipeline)
        self._workers: ProcessPoolExecutor | None = None

    @property
    def name(self) -> str:
        return f"spacy:{self.pipeline}"

    @property
    def signature(self) -> str:
        return f"spacy-{version('spacy')}:{self.pipeline}-{self._nlp.meta['version']}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        batches = [sentences[i : i + _BATCH] for i in range(0, len(sentences), _BATCH)]
        pool = self._pool(jobs_or_default(jobs)) if len(batches) > 1 else None
        work = partial(_tag, self.pipeline)
        return list(chain.from_iterable(map(work, batches) if pool is None else pool.map(work, batches)))

    def _pool(self, jobs: int) -> ProcessPoolExecutor | None:
        """Workers that share the loaded pipeline; none where forking would be unsafe or is not allowed."""
        if multiprocessing.current_process().daemon:
            return None
        if self._workers is None and jobs > 1 and threading.active_count() == 1:
            if "fork" not in multiprocessing.get_all_start_methods() or sys.platform == "darwin":
                return None
            self._workers = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin)
            atexit.register(self._workers.shutdown)  # left to the end of the interpreter, it may write errors
        return self._workers if jobs > 1 else None

    def analyse(self, texts: Sequence[str]) -> list[TaggedSentence]:
        """Running text, by the pipeline's own tokeniser."""
        return _analysed(self.pipeline, texts)


def _begin() -> None:
    """A worker leaves Ctrl-C to its parent, which ends it, and uses one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)


def _tag(pipeline: str, sentences: Sequence[Sequence[str]]) -> list[TaggedSentence]:
    from spacy.tokens import Doc

    vocabulary = _pipelines[pipeline][0].vocab
    return _analysed(pipeline, [Doc(vocabulary, words=list(forms)) for forms in sentences])


def _analysed(pipeline: str, texts: Sequence[Any]) -> list[TaggedSentence]:
    nlp, columns = _pipelines[pipeline]
    return list(map(columns, nlp.pipe(texts, batch_size=_BATCH, disable=columns.own)))


def _load(pipeline: str) -> tuple[Any, Columns]:
    nlp = load_pipeline(pipeline)
    if nlp.has_pipe("tok2vec"):
        remember_windows(nlp.get_pipe("tok2vec"))
    if nlp.has_pipe("lemmatizer"):
        _look_up_by_sets(nlp.get_pipe("lemmatizer"))
    return nlp, columns_of(nlp)


def _look_up_by_sets(lemmatizer: Any) -> None:
    """Make a lemmatizer look for words in sets: spaCy looks through lists, of 57,528 English nouns alone."""
    lookups = getattr(lemmatizer, "lookups", None)
    if lookups is not None and lookups.has_table("lemma_index"):
        index = lookups.get_table("lemma_index")
        for part in [part for part in index if isinstance(index[part], list)]:
            index[part] = frozenset(index[part])


def _numpy_products() -> AbstractContextManager[None]:
    """Where networks are made to multiply matrices by NumPy.

    spaCy's own library, BLIS, has no fast code for processors that it does not know, such as AMD Zen 4, and
    tags take half as long again there. Those of a GPU or of another backend are left as they are.
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
