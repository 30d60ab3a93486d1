"""Annotate → align → merge → classify: pairs of texts in, edits with types out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

import numpy as np

from errata import limits
from errata.corpus.files import StrPath
from errata.corpus.model import Edit
from errata.corpus.rewriting import levenshtein_edits
from errata.edits.alignment import Aligner, CostModel, Integers
from errata.edits.cache import CachedTagger
from errata.edits.columns import Columns
from errata.edits.languages import default_tagger, default_words, language
from errata.edits.merging import STRATEGIES, Span, merge
from errata.edits.taggers import tagger as find_tagger
from errata.edits.tokens import TaggedSentence, Tagger
from errata.edits.words import WordList, word_list
from errata.errors import ErrataError
from errata.limits import Limits
from errata.text.numbering import distinct
from errata.text.vocabulary import Ragged

Tokens = tuple[str, ...]
Edits = tuple[Edit, ...]
BATCH = 4096  # pairs that are worked on at a time
REMEMBERED = 32_768  # tagged sentences, and pairs with their edits, kept for later batches
WORDS = 200_000  # different forms that are kept


class PlainEdits(tuple[Edit, ...]):
    """The edits of a pair that went beyond a limit: runs of changed tokens in a Levenshtein alignment.

    They have no category but OTHER; `limit` is "work" or "memory".
    """

    limit: str

    def __new__(cls, edits: Iterable[Edit], limit: str) -> PlainEdits:
        made = super().__new__(cls, edits)
        made.limit = limit
        return made

    @classmethod
    def between(cls, source: Sequence[str], target: Sequence[str], limit: str) -> PlainEdits:
        edits = []
        for start, end, correction in levenshtein_edits(source, target):
            operation = "M" if start == end else "R" if correction else "U"
            edits.append(Edit(start, end, correction, f"{operation}:OTHER"))
        return cls(edits, limit)


class _Workspace:
    """What one thread knows: tagged sentences as integers, and the edits of pairs of them."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.numbers: dict[bytes, int] = {}  # of sentences, by the numbers of their forms
        self.edits: dict[tuple[Limits, int, int], Edits] = {}

    @property
    def is_full(self) -> bool:
        return (
            len(self.columns) > REMEMBERED or len(self.columns.forms) > WORDS or len(self.edits) > REMEMBERED
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
        self._free: list[_Workspace] = []  # those that no thread uses now

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
        while batch := list(islice(stream, BATCH)):
            yield from self._batch([source for source, _ in batch], [target for _, target in batch])
            if progress is not None:
                progress(len(batch))

    def extract_lines(self, sources: Sequence[str], targets: Sequence[str]) -> Iterator[Edits]:
        """The edits of each source and the correction at its place."""
        for start in range(0, len(sources), BATCH):
            part = slice(start, start + BATCH)
            whole = len(sources) <= BATCH  # lines keep the numbers of their tokens, parts of lines do not
            yield from self._batch(*((x if whole else x[part]) for x in (sources, targets)))

    def tag(self, sentences: Iterable[Sequence[str]]) -> dict[Tokens, TaggedSentence]:
        """The analyses of these sentences, each tagged once."""
        wanted = [tuple(sentence) for sentence in sentences]
        with self._workspace() as space:
            numbers = self._numbers(space, space.columns.encoded(wanted))
            return {one: space.columns.sentence(n) for one, n in zip(wanted, numbers, strict=True)}

    def types(self, edits: Sequence[tuple[Tokens, Tokens, Span]]) -> list[str]:
        """The types of edits that are given as source, corrected text and what the edit changes."""
        if not edits:
            return []
        with self._workspace() as space:
            texts = [text for one, other, _ in edits for text in (one, other)]
            numbers = self._numbers(space, space.columns.encoded(texts))
            sentences = np.array(numbers, dtype=np.int64).reshape(-1, 2)
            spans = np.array([span for _, _, span in edits], dtype=np.int32).reshape(-1, 4)
            return self._types.types(space.columns, sentences, spans, self.jobs)

    def between(
        self, sentences: Sequence[TaggedSentence], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Edits]:
        """The edits of pairs (source, correction), given as numbers of tagged sentences."""
        columns = Columns()
        columns.add_tagged(sentences)
        return iter(self._edits(columns, np.array(pairs, dtype=np.int64).reshape(-1, 2)))

    @contextmanager
    def _workspace(self) -> Iterator[_Workspace]:
        """A workspace for this thread alone."""
        try:
            space = self._free.pop()
        except IndexError:
            space = _Workspace()
        yield space if not space.is_full else (space := _Workspace())
        self._free.append(space)

    def _batch(self, sources: Sequence[str], targets: Sequence[str]) -> list[Edits]:
        found: list[Edits] = [()] * len(sources)
        bounds = limits.current()
        with self._workspace() as space:
            ones, others = space.columns.numbered(sources), space.columns.numbered(targets)
            rows = np.flatnonzero(~ones.equal_rows(others))
            numbers = self._numbers(space, Ragged.concatenated([ones.select(rows), others.select(rows)]))
            keys = [(bounds, *pair) for pair in zip(numbers[: len(rows)], numbers[len(rows) :], strict=True)]
            fresh = [key for key in dict.fromkeys(keys) if key not in space.edits]
            pairs = np.array([key[1:] for key in fresh], dtype=np.int64).reshape(-1, 2)
            space.edits |= zip(fresh, self._edits(space.columns, pairs), strict=True)
            for row, key in zip(rows.tolist(), keys, strict=True):
                found[row] = space.edits[key]
        return found

    def _numbers(self, space: _Workspace, rows: Ragged) -> list[int]:
        """The numbers of sentences, which are given as numbers of their forms; new ones are tagged."""
        known = space.numbers
        data, ends = rows.ids.tobytes(), (rows.ids.itemsize * rows.offsets).tolist()
        keys = [data[start:end] for start, end in pairwise(ends)]
        new = {key: row for row, key in enumerate(keys) if key not in known}
        if new:
            fresh = rows.select(np.fromiter(new.values(), dtype=np.int64, count=len(new)))
            known |= zip(new, self._tagged(space.columns, fresh), strict=True)
        return list(map(known.__getitem__, keys))

    def _tagged(self, columns: Columns, rows: Ragged) -> range:
        """Tag sentences and add them to the columns; gives their numbers."""
        tag_numbered = getattr(self.tagger, "tag_numbered", None)
        if tag_numbered is None:
            texts = [tuple(map(columns.forms.__getitem__, row)) for row in rows.lists()]
            return columns.add_tagged(self.tagger.tag(texts, self.jobs))
        different, ids = distinct(rows.ids)
        forms = list(map(columns.forms.__getitem__, different.tolist()))
        return columns.add(rows, tag_numbered(forms, ids.astype(np.int32), rows.offsets, self.jobs))

    def _edits(self, columns: Columns, pairs: Integers) -> list[Edits]:
        """The edits of pairs of sentences."""
        if not len(pairs):
            return []
        alignments = self._aligner.align(columns, pairs, self.jobs)
        found = merge(columns, pairs, alignments, self.strategy, self._merge_rules, self.jobs)
        types = self._types.types(columns, pairs[found.pairs], found.spans, self.jobs)
        starts = columns.tokens.offsets[pairs[found.pairs, 1]]
        forms, form = columns.forms, columns.tokens.form
        made: list[list[Edit]] = [[] for _ in pairs]
        places = (starts + found.spans[:, 2]).tolist(), (starts + found.spans[:, 3]).tolist()
        for pair, (a, b, _, _), begin, end, kind in zip(
            found.pairs.tolist(), found.spans.tolist(), *places, types, strict=True
        ):
            correction = " ".join(map(forms.__getitem__, form[begin:end].tolist()))
            made[pair].append(Edit(a, b, correction, kind))
        found_edits: list[Edits] = [*map(tuple, made)]
        for number, limit in enumerate(found.limits):
            if limit:
                one, other = (columns.sentence(n).forms for n in pairs[number].tolist())
                found_edits[number] = PlainEdits.between(one, other, limit)
        return found_edits


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
