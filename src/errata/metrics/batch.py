"""The input of a metric: segments, one system's hypotheses and the references, as texts or as token ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.columns import EncodedReferences
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics.statistics import Integers
from errata.native.ragged import Ragged
from errata.text.lines import Lines, check_list, code_points
from errata.text.vocabulary import spelled

# White space to Unicode, but not to programs that split bytes: no-break space, em space, …
_UNICODE_SPACE = re.compile(r"[\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_PRIVATE = 0xF0000  # added to such a character, so that it stays inside its token


@dataclass(frozen=True)
class Batch:
    """Segments and their hypotheses. Iterating gives (source, hypothesis, reference texts) per segment.

    `corpus` has the segments with their annotations and token ids; one segment may occur several times.
    `settled` is the result of the metric's first pass, which observed this system under the name `system`;
    `jobs` is the number of threads to use.
    """

    corpus: Corpus
    hypotheses: Sequence[str]
    jobs: int | None = None
    settled: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""

    def __len__(self) -> int:
        return len(self.corpus)

    def __iter__(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        return zip(self.corpus.sources, self.hypotheses, self.corpus.reference_texts(), strict=True)

    @property
    def sources(self) -> Sequence[str]:
        """The source of every segment."""
        return self.corpus.sources

    @property
    def references(self) -> list[tuple[str, ...]]:
        """The reference texts of every segment."""
        return self.corpus.reference_texts()

    @property
    def distinct(self) -> tuple[Corpus, npt.NDArray[np.int64]]:
        """The corpus in which every segment occurs once, and the number there of each segment here."""
        return self.corpus.distinct

    def ranges(self, size: int | None) -> Iterator[Batch]:
        """The same segments in batches of at most `size`, each made when it is needed."""
        if size is None or len(self) <= size:
            yield self
            return
        for start in range(0, len(self), size):
            end = min(start + size, len(self))
            corpus = self.corpus.repeat(np.arange(start, end, dtype=np.int64))
            corpus.first = self.corpus.first + start
            yield replace(self, corpus=corpus, hypotheses=self.hypotheses[start:end])


def check_lengths(corpus: Corpus, hypotheses: Sequence[str]) -> None:
    """Raise unless there is one hypothesis per segment."""
    check_list(hypotheses, "hypotheses")
    if len(corpus) != len(hypotheses):
        raise DataError(
            f"{len(hypotheses)} hypotheses for {len(corpus)} source segments",
            hint="give one hypothesis per segment, in the same order",
        )


@dataclass(frozen=True, slots=True)
class Encoded:
    """Source, hypotheses and references over one vocabulary."""

    source: Ragged
    hypothesis: Ragged
    references: EncodedReferences

    @property
    def texts(self) -> tuple[Ragged, Ragged, Ragged, Integers]:
        """Sources, hypotheses, references, and the offsets of each segment's references."""
        return self.source, self.hypothesis, self.references.ids, self.references.offsets


def encode(batch: Batch, metric: str) -> Encoded:
    """Encode sources, hypotheses and references; every segment must have a reference."""
    return _encode(batch.corpus, batch.hypotheses, metric)


def _encode(corpus: Corpus, hypotheses: Sequence[str], metric: str) -> Encoded:
    references = corpus.reference_ids
    require_rows(references.offsets, metric, corpus.first)
    return Encoded(corpus.source_ids, corpus.vocabulary.encode_lines(hypotheses), references)


def encode_letters(batch: Batch, metric: str, *, separator: int = -1) -> Encoded:
    """As `encode`, but hypotheses and references are the characters (code points) of their tokens.

    The separator, unless it is negative, is put between two tokens.
    """
    texts = encode(batch, metric)
    letters = batch.corpus.vocabulary.code_points()

    def spelled_references() -> EncodedReferences:
        return replace(texts.references, ids=spelled(texts.references.ids, letters, separator))

    references = batch.corpus.once(("letters", separator), spelled_references)
    return Encoded(texts.source, spelled(texts.hypothesis, letters, separator), references)


def encode_characters(batch: Batch, metric: str) -> Encoded:
    """As `encode`, with all characters (code points), blanks included, in place of tokens."""
    corpus, numbers = batch.distinct
    references = replace(corpus.reference_ids, ids=code_points(corpus.reference_lines))
    source = code_points(corpus.source_texts)
    if corpus is not batch.corpus:
        references, source = references.select(numbers), source.select(numbers)
    require_rows(references.offsets, metric, batch.corpus.first)
    return Encoded(source, code_points(Lines.of(batch.hypotheses)), references)


def encode_as_bytes(batch: Batch, metric: str, *, stripped: bool = False) -> Encoded:
    """As `encode`, but only ASCII white space ends a token, as in the official programs in Python 2.

    With `stripped`, other white space at both ends of a text is left out.
    """
    corpus, hypotheses = batch.corpus, batch.hypotheses
    encoded = _encode(corpus, hypotheses, metric)
    if not corpus.vocabulary.unicode_blanks:
        return encoded
    base, numbers = corpus.distinct
    glued = base.once(("glued", stripped), lambda: _glued_corpus(base, stripped=stripped))
    if glued is not None:
        corpus = glued if corpus is base else glued.repeat(numbers)
    if _has_unicode_space(hypotheses):
        hypotheses = [_glued(line, stripped=stripped) for line in hypotheses]
    return _encode(corpus, hypotheses, metric)


def split_as_bytes(text: str) -> list[str]:
    """The tokens between ASCII white space."""
    return [token.decode("utf-8", "surrogatepass") for token in text.encode("utf-8", "surrogatepass").split()]


def _has_unicode_space(texts: Iterable[str]) -> bool:
    joined = "\n".join(texts)
    if joined.isascii():  # quick, and nearly always so
        return any(character in joined for character in "\x1c\x1d\x1e\x1f")
    return _UNICODE_SPACE.search(joined) is not None


def _glued(line: str, *, stripped: bool) -> str:
    """The line with a private character in place of each other white space."""
    line = line.strip() if stripped else line
    return _UNICODE_SPACE.sub(lambda match: chr(_PRIVATE + ord(match[0])), line)


def _glued_corpus(corpus: Corpus, *, stripped: bool) -> Corpus | None:
    """The corpus without Unicode white space; None if there is none."""
    references = corpus.reference_texts()
    if not _has_unicode_space(chain(corpus.sources, *references)):
        return None
    glued = Corpus.from_lists(
        [_glued(source, stripped=stripped) for source in corpus.sources],
        [[_glued(text, stripped=stripped) for text in texts] for texts in references],
    )
    glued.first = corpus.first
    return glued


def require_rows(offsets: Integers, metric: str, first: int) -> None:
    """As `require_references` for the offsets of every segment's references."""
    require_references(np.diff(offsets), metric, first)


def require_references(counts: Sequence[int] | np.ndarray, metric: str, first: int = 1) -> None:
    """Raise for the first segment without a reference; `first` is the number of the first of all."""
    missing = np.flatnonzero(np.asarray(counts) == 0)
    if len(missing):
        others = f" (and {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise DataError(
            f"segment {missing[0] + first}{others} has no reference, and {metric} needs one for each",
            hint="leave such segments out of the corpus, or give an empty annotation if they are correct",
        )


def rows_of_annotator(
    annotator: int, annotators: Integers, offsets: Integers, metric: str, first: int
) -> Integers:
    """The row of this annotator in every segment; for annotator 0, also the only row of a segment."""
    counts = np.diff(offsets)
    matches = annotators == annotator
    if annotator == 0:
        matches |= np.repeat(counts == 1, counts)
    rows = np.append(np.flatnonzero(matches), len(matches))
    chosen: Integers = rows[np.searchsorted(rows, offsets[:-1])]
    missing = np.flatnonzero(chosen >= offsets[1:])
    if len(missing):
        raise DataError(
            f"segment {first + int(missing[0])} has no annotation of annotator {annotator}",
            hint=f"choose another one with {metric}:annotator=N",
        )
    return chosen
