"""Annotate → align → merge → classify: pairs of texts in, edits with types out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from errata.corpus.model import Edit
from errata.edits.alignment import Aligner, Comparison
from errata.edits.languages import default_tagger, default_words, language
from errata.edits.merging import STRATEGIES, Span, merge
from errata.edits.taggers import tagger as find_tagger
from errata.edits.tokens import TaggedSentence, Tagger
from errata.edits.words import WordList, word_list
from errata.errors import ErrataError

Tokens = tuple[str, ...]
BATCH = 4096  # pairs that are worked on at a time
REMEMBERED = 100_000  # tagged sentences kept for later batches


class Extractor:
    """Extracts and types the edits between sentences and their corrections.

    Sentences are tokens separated by blanks. Each different sentence is tagged once, a pair without
    changes not at all; memory is bounded whatever the number of pairs.
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
        rules = language(language_code)
        self.language = language_code
        self.strategy = merge
        self.levenshtein = levenshtein
        self.jobs = jobs
        if tagger is None:
            tagger = default_tagger(language_code)
        self.tagger = find_tagger(tagger) if isinstance(tagger, str) else tagger
        if words is None:
            words = default_words(language_code)
        self.words = word_list(words) if isinstance(words, str) else words
        self._aligner = Aligner(Comparison.PLAIN) if levenshtein else rules.aligner()
        self._merge_rules = rules.merge_rules()
        self._types = rules.types(self.words)
        self._remembered: dict[Tokens, TaggedSentence] = {}

    @property
    def signature(self) -> str:
        """Everything the edits depend on besides the texts and this package's version."""
        alignment = "|align:levenshtein" if self.levenshtein else ""
        return (
            f"language:{self.language}|tagger:{self.tagger.signature}|words:{self.words.signature}"
            f"|merge:{self.strategy}{alignment}"
        )

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

    def classify(self, source: str, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The same edits with the types the rules give them."""
        return next(self.classify_all([(source, edits)]))

    def classify_all(
        self, annotated: Iterable[tuple[str, Sequence[Edit]]], progress: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Edit, ...]]:
        """The given edits of each sentence, sorted, with the types the rules give them."""
        stream = iter(annotated)
        while batch := list(islice(stream, BATCH)):
            places = [place(source.split(), edits) for source, edits in batch]
            changed = [i for i, (_, spans) in enumerate(places) if spans]
            sentences = [tuple(batch[i][0].split()) for i in changed] + [places[i][0] for i in changed]
            tagged = self._tag(sentences)
            for (source, edits), (target, spans) in zip(batch, places, strict=True):
                if not spans:
                    yield ()
                    continue
                one, other = tagged[tuple(source.split())], tagged[target]
                yield tuple(
                    Edit(
                        edit.start, edit.end, edit.correction, self._types.classify(one, other, span),
                        edit.alternatives, edit.required, edit.comment,
                    )
                    for edit, span in zip(_sorted(edits), spans, strict=True)
                )  # fmt: skip
            if progress is not None:
                progress(len(batch))

    def tag(self, sentences: Iterable[Sequence[str]]) -> dict[Tokens, TaggedSentence]:
        """The analyses of these sentences, each tagged once."""
        return self._tag([tuple(sentence) for sentence in sentences])

    def type_of(self, source: TaggedSentence, target: TaggedSentence, span: Span) -> str:
        """The type of one edit between tagged sentences."""
        return self._types.classify(source, target, span)

    def _batch(self, pairs: list[tuple[str, str]]) -> list[tuple[Edit, ...]]:
        found: list[tuple[Edit, ...]] = [()] * len(pairs)
        changed: dict[
            tuple[Tokens, Tokens], list[int]
        ] = {}  # the same correction of many systems is found once
        for number, (source, target) in enumerate(pairs):
            if source != target:
                one, other = tuple(source.split()), tuple(target.split())
                if one != other:
                    changed.setdefault((one, other), []).append(number)
        if not changed:
            return found
        numbers: dict[Tokens, int] = {}
        for pair in changed:
            for sentence in pair:
                numbers.setdefault(sentence, len(numbers))
        analyses = self._tag(list(numbers))
        tagged = [analyses[sentence] for sentence in numbers]
        places = [(numbers[one], numbers[other]) for one, other in changed]
        aligned = self._aligner.align(tagged, places, self.jobs)
        for (one_number, other_number), steps, where in zip(places, aligned, changed.values(), strict=True):
            one_tagged, other_tagged = tagged[one_number], tagged[other_number]
            spans = merge(steps, one_tagged, other_tagged, self.strategy, self._merge_rules)
            edits = tuple(
                Edit(
                    span[0], span[1], " ".join(other_tagged.forms[span[2] : span[3]]),
                    self._types.classify(one_tagged, other_tagged, span),
                )
                for span in spans
            )  # fmt: skip
            for number in where:
                found[number] = edits
        return found

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


def _sorted(edits: Sequence[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def place(source: Sequence[str], edits: Sequence[Edit]) -> tuple[Tokens, list[Span]]:
    """The corrected tokens, and where each edit stands in both texts; edits in the order of their spans."""
    target = list(source)
    spans: list[Span] = []
    shift = 0
    for edit in _sorted(edits):
        tokens = edit.correction.split()
        begin = edit.start + shift
        target[begin : edit.end + shift] = tokens
        spans.append((edit.start, edit.end, begin, begin + len(tokens)))
        shift += len(tokens) - (edit.end - edit.start)
    return tuple(target), spans
