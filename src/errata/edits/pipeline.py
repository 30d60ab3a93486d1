"""Annotate → align → merge → classify: pairs of texts in, edits with types out."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any

import numpy as np

from errata import limits
from errata.corpus.files import StrPath
from errata.corpus.model import Edit
from errata.edits.alignment import Aligner, CostModel, Integers
from errata.edits.arrays import NO_EDITS, EditArrays, Edits
from errata.edits.cache import CachedTagger
from errata.edits.columns import Columns
from errata.edits.languages import default_tagger, default_words, language
from errata.edits.merging import STRATEGIES, Span, merge
from errata.edits.taggers import tagger as find_tagger
from errata.edits.tokens import TaggedSentence, Tagger
from errata.edits.words import WordList, word_list
from errata.engine import in_order, in_worker, jobs_or_default
from errata.engine.divided import Divided
from errata.errors import ErrataError
from errata.kernels import bounds
from errata.kernels.ragged import Ragged
from errata.limits import Limits
from errata.text.numbering import distinct_rows
from errata.text.vocabulary import Vocabulary

Tokens = tuple[str, ...]
BATCH = 4096  # pairs that are worked on at a time
_PIECE = 128  # pairs that are worth the while of a thread
_SHARED = 256  # pairs, at least, that a thread does of the work of another
_SHARES = 16  # pieces, at most, of such work
REMEMBERED = 32_768  # tagged sentences, and pairs with their edits, kept for later batches
WORDS = 200_000  # different forms that are kept


class _Known:
    """Rows of numbers of which something is known, and where this lies. For several threads."""

    def __init__(self) -> None:
        self.rows = Vocabulary()
        self._places: Integers = np.zeros(0, dtype=np.int64)  # or -1
        self._adding = threading.Lock()

    def places(self, numbers: Integers, add: Callable[[Integers], Integers]) -> Integers:
        """Where that of some rows lies; `add` gets the indices of new ones and gives their places."""
        with self._adding:
            if len(self._places) < len(self.rows):
                more = np.full(2 * len(self.rows), -1, dtype=np.int64)
                more[: len(self._places)] = self._places
                self._places = more
            new = bounds.missing(self._places, numbers)
        if len(new):
            added = add(new)
            with self._adding:
                self._places[numbers[new]] = added
        return self._places[numbers]


class _Workspace:
    """What is known: tagged sentences as integers, and the edits of pairs of them. For several threads."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.sentences = _Known()  # the numbers of tagged sentences, by those of their forms
        self.pairs: defaultdict[Limits, _Known] = defaultdict(_Known)  # places of pairs among the edits
        self.edits = NO_EDITS  # those of equal sentences come first

    @property
    def is_full(self) -> bool:
        return (
            len(self.sentences.rows) > REMEMBERED
            or len(self.columns.forms) > WORDS
            or len(self.edits.offsets) > REMEMBERED
        )


class Extractor:
    """Extracts and types the edits between sentences and their corrections.

    Sentences are tokens separated by blanks. Each different sentence is tagged once, a pair without
    changes not at all, and the edits of a pair are remembered for the next metric that asks for them; memory
    is bounded whatever the number of pairs. `cache` (or `ERRATA_CACHE` in the environment) is a folder that
    keeps the analyses for the next time.
    """

    def __init__(
        self,
        language_code: str = "en",
        tagger: Tagger | str | None = None,
        *,
        merge: str = "rules",
        levenshtein: bool = False,
        words: WordList | str | None = None,
        jobs: int | None = None,
        cache: StrPath | None = None,
    ) -> None:
        if merge not in STRATEGIES:
            raise ErrataError(f"no merging strategy {merge!r}\n  hint: one of {', '.join(STRATEGIES)}")
        # What it is made of again in another process, where `made_of` keeps it.
        self._settings = (language_code, tagger, merge, levenshtein, words, cache)
        rules = language(language_code)
        self.language = language_code
        self.strategy = merge
        self.levenshtein = levenshtein
        self.jobs = jobs
        if tagger is None:
            tagger = default_tagger(language_code)
        self.tagger = find_tagger(tagger) if isinstance(tagger, str) else tagger
        cache = cache or os.environ.get("ERRATA_CACHE")
        if cache:
            self.tagger = CachedTagger(self.tagger, cache)
        if words is None:
            words = default_words(language_code)
        self.words = word_list(words) if isinstance(words, str) else words
        self._aligner = Aligner(CostModel.PLAIN) if levenshtein else rules.aligner()
        self._merge_rules = rules.merge_rules()
        self._types = rules.types(self.words)
        self._space = _Workspace()

    def __reduce__(self) -> tuple[Callable[..., Extractor], tuple[Any, ...]]:
        return made_of, self._settings

    @property
    def settings(self) -> dict[str, object]:
        """Everything that the edits depend on besides the texts and the version of this package."""
        return {
            "language": self.language,
            "tagger": self.tagger.signature,
            "words": self.words.signature,
            "merge": self.strategy,
            **({"align": "levenshtein"} if self.levenshtein else {}),
        }

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return "|".join(f"{name}:{value}" for name, value in self.settings.items())

    def extract(self, source: str, target: str) -> tuple[Edit, ...]:
        """The edits that turn one sentence into the other."""
        return next(self.extract_all([(source, target)]))

    def extract_all(
        self, pairs: Iterable[tuple[str, str]], progress: Callable[[int], None] | None = None
    ) -> Iterator[Edits]:
        """The edits of each pair (source, correction), in order; pairs may come from a stream."""
        stream = iter(pairs)
        first = list(islice(stream, BATCH))
        rest = chain(first, stream)
        size = self._piece(len(first))

        def made(piece: list[tuple[str, str]]) -> list[Edits]:
            sources, targets = ([pair[side] for pair in piece] for side in (0, 1))
            found = self._batch(lambda columns: [columns.numbered(sources), columns.numbered(targets)])
            return [*found.edits(targets)]

        pieces = iter(lambda: list(islice(rest, size)), [])
        for edits in map(made, pieces) if size == BATCH else in_order(made, pieces, self.jobs):
            yield from edits
            if progress is not None:
                progress(len(edits))

    def arrays(self, vocabulary: Vocabulary, sources: Ragged, targets: Ragged) -> EditArrays:
        """The edits of each source and the correction at its place, given as token ids, as numbers."""
        return self.shared(vocabulary, sources, targets, self._piece(len(sources)))()

    def shared(
        self, vocabulary: Vocabulary, sources: Ragged, targets: Ragged, size: int | None = None
    ) -> Divided[EditArrays]:
        """As `arrays`, for several threads that want the result, in pieces of this size.

        Without a size no pair is in two pieces, which threads would both align.
        """
        pairs: Integers | None = None
        if size is None:
            both = np.stack([distinct_rows(some)[0] for some in (sources, targets)], axis=1)
            numbers, first = distinct_rows(Ragged(both.ravel(), 2 * np.arange(len(both) + 1)))
            sources, targets, pairs = sources.select(first), targets.select(first), numbers.astype(np.int64)

        def made(texts: tuple[Ragged, Ragged]) -> EditArrays:
            return self._batch(lambda columns: columns.translated(vocabulary, texts))

        size = min(BATCH, size or max(_SHARED, -(-len(sources) // _SHARES))) if self.concurrent else BATCH
        parts = [slice(start, start + size) for start in range(0, len(sources), size)]
        pieces = [partial(made, (sources[part], targets[part])) for part in parts]
        jobs = self.jobs if size < BATCH else 1
        return Divided(pieces, lambda parts: EditArrays.joined(parts).select(pairs), jobs)

    def _piece(self, count: int) -> int:
        """Of so many pairs, how many threads work on at a time, if the tagger leaves the work to them."""
        threads = jobs_or_default(self.jobs) if self.concurrent and not in_worker() else 1
        return BATCH if threads == 1 else min(BATCH, max(_PIECE, -(-count // threads)))

    @property
    def concurrent(self) -> bool:
        """Whether several threads may extract edits side by side, as kernels do all of the work."""
        return hasattr(self.tagger, "tag_numbered")

    def tag(self, sentences: Iterable[Sequence[str]]) -> dict[Tokens, TaggedSentence]:
        """The analyses of these sentences, each tagged once."""
        wanted = [tuple(sentence) for sentence in sentences]
        with self._workspace() as space:
            numbers = self._tagged(space, space.columns.encoded(wanted)).tolist()
            return {one: space.columns.sentence(n) for one, n in zip(wanted, numbers, strict=True)}

    def types(self, edits: Sequence[tuple[Tokens, Tokens, Span]]) -> list[str]:
        """The types of edits that are given as source, corrected text and what the edit changes."""
        if not edits:
            return []
        texts = [text for one, other, _ in edits for text in (one, other)]
        spans = np.array([span for _, _, span in edits], dtype=np.int32).reshape(-1, 4)
        with self._workspace() as space:
            sentences = self._tagged(space, space.columns.encoded(texts)).reshape(-1, 2)
            return self._types.types(space.columns, sentences, spans, self.jobs)

    def between(
        self, sentences: Sequence[TaggedSentence], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Edits]:
        """The edits of pairs (source, correction), given as numbers of tagged sentences."""
        columns = Columns()
        columns.add_tagged(sentences)
        found = self._edits(columns, np.array(pairs, dtype=np.int64).reshape(-1, 2))
        return found.edits(sentences[target].forms for _, target in pairs)

    @contextmanager
    def _workspace(self) -> Iterator[_Workspace]:
        """What is known now, or a new workspace if that is too much.

        After an error or ^C nobody knows how far it was filled, so it is not used again.
        """
        if self._space.is_full:
            self._space = _Workspace()
        try:
            yield self._space
        except BaseException:
            self._space = _Workspace()
            raise

    def _batch(self, read: Callable[[Columns], Sequence[Ragged]]) -> EditArrays:
        """The edits of some pairs, sources and corrections; each pair is aligned once."""
        with self._workspace() as space:
            return self._pairs(space, *read(space.columns))

    def _pairs(self, space: _Workspace, ones: Ragged, others: Ragged) -> EditArrays:
        """The edits of pairs that are given as numbers of forms."""
        pairs = np.stack([space.sentences.rows.encode_rows(some) for some in (ones, others)], axis=1)
        changed = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
        pairs = pairs[changed]
        known = space.pairs[limits.current()]

        def add(new: Integers) -> Integers:
            texts = Ragged.concatenated([some.select(changed[new]) for some in (ones, others)])
            tagged = self._tagged(space, texts, pairs[new].T.ravel())
            found = self._edits(space.columns, np.ascontiguousarray(tagged.reshape(2, -1).T))
            with space.columns.adding:
                first = len(space.edits.offsets) - 1
                space.edits = EditArrays.joined([space.edits, found])
            return np.arange(first, first + len(new))

        keys = known.rows.encode_rows(Ragged(pairs.ravel(), 2 * np.arange(len(pairs) + 1)))
        places = np.zeros(len(ones), dtype=np.int64)
        places[changed] = known.places(keys, add)
        return space.edits.select(places)

    def _tagged(self, space: _Workspace, rows: Ragged, numbers: Integers | None = None) -> Integers:
        """The numbers in the columns of sentences, given their forms and rows; new ones are tagged."""
        if numbers is None:
            numbers = space.sentences.rows.encode_rows(rows)
        return space.sentences.places(
            numbers, lambda new: np.array(self._tag(space.columns, rows.select(new)), dtype=np.int64)
        )

    def _tag(self, columns: Columns, rows: Ragged) -> range:
        """Tag sentences and add them to the columns; gives their numbers."""
        tag_numbered = getattr(self.tagger, "tag_numbered", None)
        if tag_numbered is None:
            texts = [tuple(map(columns.forms.__getitem__, row)) for row in rows.lists()]
            return columns.add_tagged(self.tagger.tag(texts, self.jobs))
        return columns.add(rows, tag_numbered(columns.forms, rows.values, rows.offsets, self.jobs))

    def _edits(self, columns: Columns, pairs: Integers) -> EditArrays:
        """The edits of pairs of sentences."""
        if not len(pairs):
            return EditArrays.joined([])
        some, places = columns.some(pairs.ravel()), np.arange(2 * len(pairs)).reshape(-1, 2)
        alignments = self._aligner.align(some, places)
        found = merge(some, places, alignments, self.strategy, self._merge_rules, self.jobs)
        types = self._types.numbers(some, places[found.pairs], found.spans, self.jobs)
        made = EditArrays.of(len(pairs), found.pairs, found.spans, types)
        if found.limits:
            plain = {}
            for number, limit in found.limits.items():
                one, other = (columns.sentence(n).forms for n in pairs[number].tolist())
                plain[number] = one, other, limit
            made = made.with_plain(plain)
        return made


@lru_cache(maxsize=8)
def made_of(
    language_code: str,
    tagger: Tagger | str | None,
    merge: str,
    levenshtein: bool,
    words: WordList | str | None,
    cache: StrPath | None,
) -> Extractor:
    """The extractor of these settings, made once in a process: its models are loaded once."""
    return Extractor(language_code, tagger, merge=merge, levenshtein=levenshtein, words=words, cache=cache)
