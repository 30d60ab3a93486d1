"""Annotate → align → merge → classify: pairs of texts in, edits with types out."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from errata import limits
from errata.corpus.files import StrPath
from errata.corpus.model import Edit
from errata.corpus.rewriting import levenshtein_edits
from errata.edits.alignment import Aligner, CostModel
from errata.edits.cache import CachedTagger
from errata.edits.languages import default_tagger, default_words, language
from errata.edits.merging import STRATEGIES, Span, exceeds, merge
from errata.edits.taggers import tagger as find_tagger
from errata.edits.tokens import TaggedSentence, Tagger
from errata.edits.words import WordList, word_list
from errata.errors import ErrataError
from errata.limits import Limits

Tokens = tuple[str, ...]
BATCH = 4096  # pairs that are worked on at a time
REMEMBERED = 32_768  # tagged sentences, and pairs with their edits, kept for later batches


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
        self._remembered: dict[Tokens, TaggedSentence] = {}
        self._known_edits: dict[tuple[Limits, Tokens, Tokens], tuple[Edit, ...]] = {}
        self._known_types: dict[Hashable, str] = {}

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
    ) -> Iterator[tuple[Edit, ...]]:
        """The edits of each pair (source, correction), in order; pairs may come from a stream."""
        stream = iter(pairs)
        while batch := list(islice(stream, BATCH)):
            yield from self._batch(batch)
            if progress is not None:
                progress(len(batch))

    def tag(self, sentences: Iterable[Sequence[str]]) -> dict[Tokens, TaggedSentence]:
        """The analyses of these sentences, each tagged once."""
        return self._tag([tuple(sentence) for sentence in sentences])

    def type_of(self, source: TaggedSentence, target: TaggedSentence, span: Span) -> str:
        """The type of one edit between tagged sentences."""
        context = self._types.context(source, target, span)
        if context is None:
            return self._types.classify(source, target, span)
        known = self._known_types
        found = known.get(context)
        if found is None:
            if len(known) > REMEMBERED:
                known.clear()
            found = known[context] = self._types.classify(source, target, span)
        return found

    def _batch(self, pairs: list[tuple[str, str]]) -> list[tuple[Edit, ...]]:
        found: list[tuple[Edit, ...]] = [()] * len(pairs)
        bounds = limits.current()
        changed: dict[
            tuple[Limits, Tokens, Tokens], list[int]
        ] = {}  # the same correction of many systems is found once
        for number, (source, target) in enumerate(pairs):
            if source != target:
                one, other = tuple(source.split()), tuple(target.split())
                if one != other:
                    changed.setdefault((bounds, one, other), []).append(number)
        known = self._known_edits
        ours = {key: edits for key in changed if (edits := known.get(key)) is not None}
        fresh = self._extract([key for key in changed if key not in ours])
        for key, edits in (ours | fresh).items():
            for number in changed[key]:
                found[number] = edits
        if len(known) + len(fresh) > REMEMBERED:
            known.clear()
        known |= fresh
        return found

    def _extract(
        self, keys: Sequence[tuple[Limits, Tokens, Tokens]]
    ) -> dict[tuple[Limits, Tokens, Tokens], tuple[Edit, ...]]:
        """The edits of pairs of sentences that differ."""
        if not keys:
            return {}
        numbers: dict[Tokens, int] = {}
        for _, one, other in keys:
            for sentence in (one, other):
                numbers.setdefault(sentence, len(numbers))
        analyses = self._tag(list(numbers))
        tagged = [analyses[sentence] for sentence in numbers]
        places = [(numbers[one], numbers[other]) for _, one, other in keys]
        return dict(zip(keys, self.between(tagged, places), strict=True))

    def between(
        self, sentences: Sequence[TaggedSentence], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[Edit, ...]]:
        """The edits of pairs (source, correction), given as numbers of tagged sentences."""
        by_rules = self.strategy == "rules"
        aligned = self._aligner.align(sentences, pairs, self.jobs, matches=not by_rules)
        most = limits.current().work
        for (one, other), steps in zip(pairs, aligned, strict=True):
            source, target = sentences[one], sentences[other]
            if by_rules and not isinstance(steps, str) and exceeds(steps, most):
                steps = "work"
            if isinstance(steps, str):
                yield PlainEdits.between(source.forms, target.forms, steps)
                continue
            spans = merge(steps, source, target, self.strategy, self._merge_rules)
            yield tuple(
                Edit(
                    span[0],
                    span[1],
                    " ".join(target.forms[span[2] : span[3]]),
                    self.type_of(source, target, span),
                )
                for span in spans
            )

    def _tag(self, sentences: Sequence[Tokens]) -> dict[Tokens, TaggedSentence]:
        known = self._remembered
        unknown = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        found = {sentence: known[sentence] for sentence in sentences if sentence in known}
        fresh = dict(zip(unknown, self.tagger.tag(unknown, self.jobs), strict=True))
        found |= fresh
        if len(known) + len(fresh) > REMEMBERED:
            known.clear()
        known |= fresh
        return found


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
