"""Tag → align → merge → classify: pairs of texts in, typed edits out."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from errata import limits
from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.segment import Edit
from errata.edits.alignment import Aligner, CostModel, Integers, TokenTable
from errata.edits.edit_arrays import NO_EDITS, TYPES, EditArrays, Edits, type_numbers
from errata.edits.language import (
    Language,
    Place,
    TaggedEdit,
    WordList,
    default_tagger,
    default_words,
    language,
    word_list,
)
from errata.edits.merge import STRATEGIES, Span, Step, changing_steps, is_too_long, merge, merge_by_rules
from errata.edits.tagged_sentence import TaggedSentence, Tagger, Token
from errata.edits.taggers import tagger as find_tagger
from errata.errors import ErrataError
from errata.limits import Limits
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary

BATCH = 4096  # pairs that are processed at a time
CACHED_ROWS = 32_768  # tagged sentences, and pairs with their edits, kept for later batches
CACHED_WORDS = 200_000  # distinct forms, tagged words and edits
_OPERATIONS = "MSID"
_USES_CONTEXT = -1  # in place of a type that depends on the whole sentences


class _Sentence(NamedTuple):
    """A tagged sentence as token numbers."""

    tokens: Integers
    heads: Integers


class _RowCache:
    """Numbers distinct rows of integers; maps these numbers to places of cached results. Thread-safe."""

    def __init__(self) -> None:
        self.rows = Vocabulary()
        self._places: Integers = np.zeros(0, dtype=np.int64)  # -1 for rows without a result
        self._adding = threading.Lock()

    def number(self, rows: Ragged) -> Integers:
        """The number of each row."""
        return self.rows.encode_rows(rows)

    def places(self, numbers: Integers, add: Callable[[Integers], Integers]) -> Integers:
        """The places of the results of rows; `add` gets the indices of new rows and returns their places."""
        with self._adding:
            missing = 1 + int(numbers.max(initial=-1)) - len(self._places)
            if missing > 0:
                grown = np.full(missing + len(self._places), -1, dtype=np.int64)
                self._places = np.concatenate([self._places, grown])
            is_new = np.flatnonzero(self._places[numbers] < 0)
        if len(is_new):
            new = is_new[np.sort(np.unique(numbers[is_new], return_index=True)[1])]
            added = add(new)
            with self._adding:
                self._places[numbers[new]] = added
        return self._places[numbers]


class _Memory:
    """Tagged sentences, and the edits of pairs of them. Several threads may use it."""

    def __init__(self) -> None:
        self.adding = threading.Lock()
        self.words = Vocabulary()
        self.forms: list[str] = []  # the words by number
        self.tokens = TokenTable()
        self.sentence_places = _RowCache()  # by the numbers of their words
        self.sentences: list[_Sentence] = []
        self.pair_places: defaultdict[Limits, _RowCache] = defaultdict(_RowCache)  # by numbers of sentences
        self.edits = NO_EDITS  # of pairs, by place; the first pair has none
        self.merged_runs: dict[tuple[Any, ...], list[Span]] = {}  # by operations and tagged words
        self.types: dict[tuple[Any, ...], int] = {}  # by the tagged words of both sides

    @property
    def is_full(self) -> bool:
        return (
            max(len(self.sentence_places.rows), len(self.edits.offsets)) > CACHED_ROWS
            or max(len(self.words), len(self.tokens)) > CACHED_WORDS
            or max(len(self.types), len(self.merged_runs)) > CACHED_WORDS
        )

    def update_forms(self) -> list[str]:
        """The words by number, including new ones."""
        with self.adding:
            if len(self.forms) < len(self.words):
                self.forms += [
                    word.decode("utf-8", "surrogatepass") for word in self.words.token_bytes(len(self.forms))
                ]
            return self.forms

    def add(self, sentences: Sequence[_Sentence]) -> Integers:
        """The places of new sentences."""
        with self.adding:
            first = len(self.sentences)
            self.sentences += sentences
            return np.arange(first, len(self.sentences))


class Extractor:
    """Extracts and types the edits between sentences and their corrections.

    Sentences are tokens separated by blanks. Each distinct sentence is tagged once, pairs without changes are
    not tagged, and the edits of a pair are kept for the next metric; memory is bounded for any number of
    pairs.
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
    ) -> None:
        if merge not in STRATEGIES:
            raise ErrataError(f"no merging strategy {merge!r}\n  hint: one of {', '.join(STRATEGIES)}")
        self._arguments = (language_code, tagger, merge, levenshtein, words)  # for unpickling
        if words is None:
            words = default_words(language_code)
        self.words = word_list(words) if isinstance(words, str) else words
        self._rules = language(language_code, self.words)
        self.language = language_code
        self.strategy = merge
        self.levenshtein = levenshtein
        self.jobs = jobs
        if tagger is None:
            tagger = default_tagger(language_code)
        self.tagger = find_tagger(tagger) if isinstance(tagger, str) else tagger
        self._aligner = Aligner(CostModel.PLAIN) if levenshtein else self._rules.aligner()
        self._current_memory = _Memory()

    def __reduce__(self) -> tuple[Callable[..., Extractor], tuple[Any, ...]]:
        return cached_extractor, self._arguments

    @property
    def settings(self) -> dict[str, object]:
        """Everything that affects the edits, except for the texts and the version of this package."""
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

    @property
    def concurrent(self) -> bool:
        """Whether several threads may use the tagger at once."""
        return hasattr(self.tagger, "tag_numbered")

    def extract(self, source: str, target: str) -> tuple[Edit, ...]:
        """The edits that turn one sentence into the other."""
        return next(self.extract_all([(source, target)]))

    def extract_all(
        self, pairs: Iterable[tuple[str, str]], progress: Callable[[int], None] | None = None
    ) -> Iterator[Edits]:
        """The edits of each pair (source, correction), in order; pairs may come from a stream."""
        stream = iter(pairs)
        while batch := list(islice(stream, BATCH)):
            sources, targets = ([pair[side] for pair in batch] for side in (0, 1))
            with self._memory() as memory:
                rows = [memory.words.encode_lines(lines) for lines in (sources, targets)]
                arrays = self._pairs(memory, *rows)
            yield from arrays.edits(targets)
            if progress is not None:
                progress(len(batch))

    def arrays(self, vocabulary: Vocabulary, sources: Ragged, targets: Ragged) -> EditArrays:
        """The edits of each source and its correction, all given as token ids, as arrays."""
        parts = []
        for start in range(0, len(sources), BATCH):
            part = slice(start, start + BATCH)
            with self._memory() as memory:
                numbers = vocabulary.numbers_in(memory.words)
                rows = [Ragged(numbers[side.values], side.offsets) for side in (sources[part], targets[part])]
                parts.append(self._pairs(memory, *rows))
        return EditArrays.joined(parts)

    def tag(self, sentences: Iterable[Sequence[str]]) -> dict[tuple[str, ...], TaggedSentence]:
        """The analyses of these sentences, each tagged once."""
        texts = [tuple(sentence) for sentence in sentences]
        with self._memory() as memory:
            places = self._tagged(memory, memory.words.encode(texts)).tolist()
            return {text: _tagged_sentence(memory, place) for text, place in zip(texts, places, strict=True)}

    def types(self, edits: Sequence[tuple[tuple[str, ...], tuple[str, ...], Span]]) -> list[str]:
        """The types of edits, each given as source, corrected text and span."""
        texts = [text for source, target, _ in edits for text in (source, target)]
        with self._memory() as memory:
            places = self._tagged(memory, memory.words.encode(texts)).reshape(-1, 2).tolist()
            numbers = [
                _Pair(memory, memory.sentences[one], memory.sentences[other]).classify(span, self._rules)
                for (one, other), (_, _, span) in zip(places, edits, strict=True)
            ]
        return [TYPES.names[number] for number in numbers]

    def between(
        self, sentences: Sequence[TaggedSentence], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[Edits]:
        """The edits of pairs (source, correction), given as indices of tagged sentences."""
        memory = _Memory()
        _add_tagged(memory, sentences)
        arrays = self._edits(memory, pairs)
        return arrays.edits(sentences[target].forms for _, target in pairs)

    @contextmanager
    def _memory(self) -> Iterator[_Memory]:
        """The current memory, or a new one if it is full.

        After an error or Ctrl-C its content may be inconsistent, so that it is not used again.
        """
        if self._current_memory.is_full:
            self._current_memory = _Memory()
        try:
            yield self._current_memory
        except BaseException:
            self._current_memory = _Memory()
            raise

    def _pairs(self, memory: _Memory, sources: Ragged, targets: Ragged) -> EditArrays:
        """The edits of pairs of sentences that are given as numbers of words; each pair is aligned once."""
        sentences = memory.sentence_places
        pairs = np.stack([sentences.number(sources), sentences.number(targets)], axis=1)
        changed = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
        pairs = pairs[changed]
        cache = memory.pair_places[limits.current()]

        def add(new: Integers) -> Integers:
            rows = Ragged.concatenated([side.select(changed[new]) for side in (sources, targets)])
            places = self._tagged(memory, rows).reshape(2, -1).T
            arrays = self._edits(memory, places.tolist())
            with memory.adding:
                first = len(memory.edits.offsets) - 1
                memory.edits = EditArrays.joined([memory.edits, arrays])
            return np.arange(first, first + len(new))

        places = np.zeros(len(sources), dtype=np.int64)
        numbers = cache.number(Ragged(pairs.ravel(), 2 * np.arange(len(pairs) + 1)))
        places[changed] = cache.places(numbers, add)
        return memory.edits.select(places)

    def _tagged(self, memory: _Memory, rows: Ragged) -> Integers:
        """The places of sentences that are given as numbers of words; new ones are tagged."""

        def add(new: Integers) -> Integers:
            some, forms = rows.select(new), memory.update_forms()
            tag_numbered = getattr(self.tagger, "tag_numbered", None)
            if tag_numbered is None:
                texts = [tuple(map(forms.__getitem__, row)) for row in some.lists()]
                return _add_tagged(memory, self.tagger.tag(texts, self.jobs))
            tags = tag_numbered(forms, some.values, some.offsets, self.jobs)
            tokens = memory.tokens.add_numbered(forms, some.values, tags)
            bounds = some.offsets[1:-1]
            sentences = zip(np.split(tokens, bounds), np.split(tags.heads, bounds), strict=True)
            return memory.add([_Sentence(*sentence) for sentence in sentences])

        return memory.sentence_places.places(memory.sentence_places.number(rows), add)

    def _edits(self, memory: _Memory, pairs: Sequence[Sequence[int]]) -> EditArrays:
        """Align, merge and classify pairs of tagged sentences, given by their places."""
        if not pairs:
            return EditArrays.joined([])
        sentences = [memory.sentences[place] for pair in pairs for place in pair]
        columns = memory.tokens.columns([sentence.tokens for sentence in sentences])
        alignments = self._aligner.align(columns, np.arange(2 * len(pairs)).reshape(-1, 2))
        work_limit = limits.current().work
        spans: list[Span] = []
        types: list[int] = []
        offsets = [0]
        exceeded = {i: limit for i, limit in enumerate(alignments.limits) if limit}
        for i, steps in enumerate(changing_steps(alignments)):
            if self.strategy == "rules" and is_too_long(steps, work_limit):
                exceeded[i] = "work"
            pair = _Pair(memory, *sentences[2 * i : 2 * i + 2])
            if i in exceeded:
                pair_spans = pair.levenshtein_runs()
                names = [
                    "M:OTHER" if a == b else "R:OTHER" if c < d else "U:OTHER" for a, b, c, d in pair_spans
                ]
                types += type_numbers(names).tolist()
            else:
                pair_spans = pair.merge(steps, self.strategy, self._rules)
                types += [pair.classify(span, self._rules) for span in pair_spans]
            spans += pair_spans
            offsets.append(len(spans))
        return EditArrays(
            np.array(offsets, dtype=np.int64),
            np.array(spans, dtype=np.int32).reshape(-1, 4),
            np.array(types, dtype=np.int32),
            exceeded,
        )


class _Pair:
    """A tagged source and its correction. Results of the rules are cached by the tagged words."""

    def __init__(self, memory: _Memory, source: _Sentence, target: _Sentence) -> None:
        self._memory, self._sentences = memory, (source, target)
        self._source, self._target = source.tokens.tolist(), target.tokens.tolist()

    def merge(self, steps: Sequence[Step], strategy: str, rules: Language) -> list[Span]:
        """The edits of an alignment."""
        return merge(steps, strategy, lambda run: self._merge_run(run, rules))

    def levenshtein_runs(self) -> list[Span]:
        """Runs of changed words in a plain alignment."""
        forms = ([token.form for token in self._tokens(side)] for side in (self._source, self._target))
        return levenshtein_runs(*forms)

    def _merge_run(self, run: list[Step], rules: Language) -> list[Span]:
        start, to_start = run[0].start, run[0].to_start
        operations = "".join([_OPERATIONS[step.operation] for step in run])
        source, target = self._source[start : run[-1].end], self._target[to_start : run[-1].to_end]
        key = operations, *source, *target
        spans = self._memory.merged_runs.get(key)
        if spans is None:
            spans = merge_by_rules(operations, self._tokens(source), self._tokens(target), rules)
            self._memory.merged_runs[key] = spans
        return [(start + a, start + b, to_start + c, to_start + d) for a, b, c, d in spans]

    def classify(self, span: Span, rules: Language) -> int:
        """The number of the type of an edit."""
        start, end, to_start, to_end = span
        source, target = self._source[start:end], self._target[to_start:to_end]
        key = end - start, *source, *target
        number = self._memory.types.get(key, _USES_CONTEXT)
        if number == _USES_CONTEXT:
            edit = TaggedEdit(self._tokens(source), self._tokens(target), partial(self._places, span))
            number = int(type_numbers([rules.classify(edit)])[0])
            self._memory.types[key] = _USES_CONTEXT if edit.is_context_used else number
        return number

    def _tokens(self, numbers: Iterable[int]) -> list[Token]:
        return [self._memory.tokens.tokens[number] for number in numbers]

    def _places(self, span: Span) -> tuple[Place, Place]:
        source, target = self._sentences
        return (
            Place(self._tokens(self._source), source.heads.tolist(), span[0]),
            Place(self._tokens(self._target), target.heads.tolist(), span[2]),
        )


def _add_tagged(memory: _Memory, sentences: Sequence[TaggedSentence]) -> Integers:
    """Add sentences from a tagger; returns their places."""
    heads = [np.array(sentence.heads, dtype=np.int32) for sentence in sentences]
    return memory.add([*map(_Sentence, memory.tokens.add_tagged(sentences), heads)])


def _tagged_sentence(memory: _Memory, place: int) -> TaggedSentence:
    sentence = memory.sentences[place]
    tokens = [memory.tokens.tokens[number] for number in sentence.tokens.tolist()]
    return TaggedSentence.from_tokens(tokens, sentence.heads.tolist())


@lru_cache(maxsize=8)
def cached_extractor(
    language_code: str,
    tagger: Tagger | str | None,
    merge: str,
    levenshtein: bool,
    words: WordList | str | None,
) -> Extractor:
    """The extractor with these settings, one per process: its models are loaded once."""
    return Extractor(language_code, tagger, merge=merge, levenshtein=levenshtein, words=words)
