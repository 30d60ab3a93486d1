"""Comparing the edits of hypotheses with those of references: keys of ERRANT, chunks of CLEME and GoToScorer.

Edits come as `Keys`: rows of spans that ascend by their starts, with the places of their corrections in an
array of words.
"""

from typing import Any

import cython
import numpy as np

# Columns of CLEME.
RIGHT = cython.declare(cython.int, 0)
WRONG = cython.declare(cython.int, 1)  # where a change was needed
UNNEEDED = cython.declare(cython.int, 2)
MISSED = cython.declare(cython.int, 3)
UNCHANGED = cython.declare(cython.int, 4)  # rightly


@cython.cclass
class Edits:
    """The edits of hypotheses and references in the same arrays; source tokens come after their words."""

    spans: cython.int[:, ::1]
    places: cython.longlong[:, ::1]
    words: cython.int[::1]
    own: cython.longlong[::1]  # the edits of hypothesis i are own[i]:own[i + 1]
    others: cython.longlong[::1]  # the edits of reference i are others[i]:others[i + 1]
    source: cython.longlong  # where the source begins in the words
    source_offsets: cython.longlong[::1]
    begin: cython.longlong  # of the current segment, in the words
    length: cython.longlong

    def __init__(self, sources: Any, hypotheses: Any, references: Any) -> None:
        shift = len(hypotheses.words)
        self.spans = np.concatenate([hypotheses.spans, references.spans])
        self.places = np.concatenate([hypotheses.places, references.places + shift])
        self.words = np.concatenate([hypotheses.words, references.words, sources.values])
        self.own, self.others = hypotheses.offsets, references.offsets + len(hypotheses.spans)
        self.source, self.source_offsets = shift + len(references.words), sources.offsets

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def go_to(self, segment: cython.longlong) -> cython.int:
        """Make a segment the current one."""
        self.begin = self.source + self.source_offsets[segment]
        self.length = self.source_offsets[segment + 1] - self.source_offsets[segment]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def same_words(
        self, a: cython.longlong, a_end: cython.longlong, b: cython.longlong, b_end: cython.longlong
    ) -> cython.int:
        """Whether the words a:a_end and b:b_end are equal."""
        if a_end - a != b_end - b:
            return 0
        for k in range(a_end - a):
            if self.words[a + k] != self.words[b + k]:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def found(
        self, first: cython.longlong, last: cython.longlong, begin: cython.longlong, end: cython.longlong
    ) -> cython.longlong:
        """How many of the edits first:last are among the edits begin:end; both ascend by their starts."""
        there: cython.longlong
        count: cython.longlong = 0
        for one in range(first, last):
            while begin < end and self.spans[begin, 0] < self.spans[one, 0]:
                begin += 1
            there = begin
            while there < end and self.spans[there, 0] == self.spans[one, 0]:
                if (
                    self.spans[there, 1] == self.spans[one, 1]
                    and self.spans[there, 2] == self.spans[one, 2]
                    and self.same_words(
                        self.places[one, 0], self.places[one, 1], self.places[there, 0], self.places[there, 1]
                    )
                ):
                    count += 1
                    break
                there += 1
        return count


# -- ERRANT -------------------------------------------------------------------------------------------------


def count_keys(
    hypotheses: Any,
    references: Any,
    offsets: cython.longlong[::1],  # the rows of hypothesis i are offsets[i]:offsets[i + 1]
    rows: cython.longlong[::1],  # the reference of each row
) -> Any:
    """Right, wrong and missed keys of every row; a key that is there several times counts as often."""
    edits: Edits = Edits(_NO_SOURCES, hypotheses, references)
    counts = np.empty((rows.shape[0], 3), dtype=np.int64)
    values: cython.longlong[:, ::1] = counts
    with cython.nogil:
        for i in range(edits.own.shape[0] - 1):
            first = edits.own[i]
            last = edits.own[i + 1]
            for row in range(offsets[i], offsets[i + 1]):
                begin = edits.others[rows[row]]
                end = edits.others[rows[row] + 1]
                values[row, 0] = edits.found(begin, end, first, last)
                values[row, 1] = last - first - edits.found(first, last, begin, end)
                values[row, 2] = end - begin - values[row, 0]
    return counts


class _NO_SOURCES:  # noqa: N801
    values = np.zeros(0, dtype=np.int32)
    offsets = np.zeros(1, dtype=np.int64)


# -- CLEME --------------------------------------------------------------------------------------------------


def count_chunks(
    sources: Any,
    segments: cython.longlong[::1],  # the one of every hypothesis
    hypotheses: Any,
    references: Any,
    rows: Any,  # the references of segment i are rows[i]:rows[i + 1]
    independent: cython.bint,  # one row of values per hypothesis, and not one per reference
    weights: cython.double[:, ::1],  # 5 × lengths of a chunk; the last is that of all longer ones
    detailed: cython.bint,  # whether the chunks are returned as well
) -> tuple:
    """Divide sources where any text has edits, and count the chunks (Ye et al. 2023, Section 3).

    Edits that overlap or touch, of whichever text, fall into one interval; these intervals and the stretches
    between them are the chunks. References that delete everything are dropped unless all of them do.

    Returns sums of weights in five columns for each row; offsets and numbers of the references that each
    hypothesis is compared with; the summed length of what references change, and the number of such chunks;
    offsets and spans of the chunks (start, end, whether there are edits), and their columns in each row.
    """
    counter: Chunks = Chunks(sources, hypotheses, references)
    counter.reserve(segments, rows, hypotheses, references, independent, detailed)
    counter.weights = weights
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(segments.shape[0]):
            counter.go_to(segments[i])
            counter.keep(i, segments[i])
            while counter.next_chunk():
                counter.compare(i, independent, detailed)
            counter.chunk_offsets[i + 1] = counter.chunk
    kept = np.asarray(counter.kept)[: counter.kept_offsets[segments.shape[0]]]
    values = np.asarray(counter.values)[: segments.shape[0] if independent else len(kept)]
    return (
        values, np.asarray(counter.kept_offsets), kept, np.array([counter.changed, counter.changes]),
        np.asarray(counter.chunk_offsets), np.asarray(counter.chunks), np.asarray(counter.columns),
    )  # fmt: skip


@cython.final
@cython.cclass
class Chunks(Edits):
    """The state of CLEME's comparison: one segment after the other, one chunk after the other."""

    rows: cython.longlong[::1]
    weights: cython.double[:, ::1]
    at: cython.longlong[:, ::1]  # of each text: its first edit in the chunk, the next one, and the end
    texts: cython.Py_ssize_t  # the hypothesis and the references that it is compared with
    version: cython.int[:, ::1]  # tokens of the hypothesis and of a reference in the chunk
    start: cython.longlong  # of the chunk
    end: cython.longlong
    edited: cython.bint  # whether a text has edits in the chunk
    begun: cython.bint
    kept_offsets: cython.longlong[::1]
    kept: cython.longlong[::1]
    values: cython.double[:, ::1]
    changed: cython.longlong
    changes: cython.longlong
    chunk: cython.Py_ssize_t
    chunk_offsets: cython.longlong[::1]
    chunks: cython.int[:, ::1]
    column: cython.Py_ssize_t
    columns: cython.schar[::1]

    @cython.cfunc
    @cython.exceptval(-1)
    def reserve(
        self, segments: Any, rows: Any, hypotheses: Any, references: Any, independent: bool, detailed: bool
    ) -> cython.int:
        """Allocate scratch memory and results."""
        count = len(segments)
        counts = np.diff(rows)[segments]
        most = 1 + 2 * (np.diff(references.offsets[rows])[segments] + np.diff(hypotheses.offsets))
        words = max(int(np.diff(keys.places).sum()) for keys in (hypotheses, references))
        self.rows = rows
        self.at = np.empty((1 + int(counts.max(initial=0)), 3), dtype=np.int64)
        self.version = np.empty((2, words + int(np.diff(self.source_offsets).max(initial=0))), dtype=np.int32)
        self.kept_offsets = np.zeros(count + 1, dtype=np.int64)
        self.kept = np.empty(int(counts.sum()), dtype=np.int64)
        self.values = np.zeros((max(count, len(self.kept)), 5))
        self.chunk_offsets = np.zeros(count + 1, dtype=np.int64)
        self.chunks = np.empty((int(most.sum()) if detailed else 0, 3), dtype=np.int32)
        columns = int((most * np.maximum(counts, 1)).sum())
        self.columns = np.empty(columns if detailed else 0, dtype=np.int8)
        self.changed = self.changes = self.chunk = self.column = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def keep(self, i: cython.Py_ssize_t, segment: cython.longlong) -> cython.int:
        """Begin with a hypothesis: keep the references that leave something, or the first one."""
        self.at[0, 1] = self.own[i]
        self.at[0, 2] = self.own[i + 1]
        self.texts = 1
        self.begun = False
        self.end = 0
        for row in range(self.rows[segment], self.rows[segment + 1]):
            if not self.is_empty(row):
                self.add_text(i, row)
        if self.texts == 1 and self.rows[segment] < self.rows[segment + 1]:
            self.add_text(i, self.rows[segment])
        self.kept_offsets[i + 1] = self.kept_offsets[i] + self.texts - 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add_text(self, i: cython.Py_ssize_t, row: cython.longlong) -> cython.int:
        """Compare the hypothesis with a reference."""
        self.kept[self.kept_offsets[i] + self.texts - 1] = row
        self.at[self.texts, 1] = self.others[row]
        self.at[self.texts, 2] = self.others[row + 1]
        self.texts += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def is_empty(self, row: cython.longlong) -> cython.int:
        """Whether the edits of a reference leave nothing of the source."""
        place: cython.longlong = 0
        for edit in range(self.others[row], self.others[row + 1]):
            if place < min(self.spans[edit, 0], self.length) or self.places[edit, 0] < self.places[edit, 1]:
                return 0
            place = max(place, self.spans[edit, 1])
        return 1 if place >= self.length else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def next_text(self) -> cython.Py_ssize_t:
        """The text whose next edit begins first; -1 where no text has another one."""
        text: cython.Py_ssize_t
        first: cython.Py_ssize_t = -1
        for text in range(self.texts):
            if self.at[text, 1] < self.at[text, 2] and (
                first < 0 or self.spans[self.at[text, 1], 0] < self.spans[self.at[first, 1], 0]
            ):
                first = text
        return first

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def next_chunk(self) -> cython.int:
        """Go to the next chunk: up to the next edit, or an interval of edits; 0 if there is none."""
        text: cython.Py_ssize_t
        for text in range(self.texts):
            self.at[text, 0] = self.at[text, 1]
        text = self.next_text()
        self.start = self.end
        self.end = self.spans[self.at[text, 1], 0] if text >= 0 else self.length
        self.edited = False
        if self.start < self.end or (text < 0 and not self.begun):
            self.begun = True
            return 1
        if text < 0:
            return 0
        self.begun = True
        self.edited = True
        self.start = self.end
        self.end = self.spans[self.at[text, 1], 1]
        self.at[text, 1] += 1
        text = self.next_text()
        while text >= 0 and self.spans[self.at[text, 1], 0] <= self.end:
            self.end = max(self.end, self.spans[self.at[text, 1], 1])
            self.at[text, 1] += 1
            text = self.next_text()
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def write(self, text: cython.Py_ssize_t, side: cython.Py_ssize_t) -> cython.longlong:
        """Write the tokens that a text has in the chunk; returns their number."""
        size: cython.longlong = 0
        place: cython.longlong = self.start
        for edit in range(self.at[text, 0], self.at[text, 1]):
            if self.spans[edit, 1] < self.spans[edit, 0]:
                continue
            while place < min(self.spans[edit, 0], self.length):
                self.version[side, size] = self.words[self.begin + place]
                size += 1
                place += 1
            for word in range(self.places[edit, 0], self.places[edit, 1]):
                self.version[side, size] = self.words[word]
                size += 1
            place = max(place, self.spans[edit, 1])
        while place < min(self.end, self.length):
            self.version[side, size] = self.words[self.begin + place]
            size += 1
            place += 1
        return size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def changes_text(self, text: cython.Py_ssize_t) -> cython.int:
        """Whether a text has an edit in the chunk."""
        for edit in range(self.at[text, 0], self.at[text, 1]):
            if self.spans[edit, 0] <= self.spans[edit, 1]:
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def compare(self, i: cython.Py_ssize_t, independent: cython.bint, detailed: cython.bint) -> cython.int:
        """Count the chunk against every reference, or against all together."""
        cython.declare(k=cython.Py_ssize_t, size=cython.longlong, other_size=cython.longlong)
        cython.declare(same=cython.bint, other_changed=cython.bint, place=cython.longlong)
        width: cython.longlong = max(min(self.end, self.length) - min(self.start, self.length), 0)
        size = self.write(0, 0) if self.edited else 0
        changed: cython.bint = self.edited and self.changes_text(0)
        agreed: cython.bint = False
        some: cython.bint = False
        every: cython.bint = self.texts > 1
        for k in range(1, self.texts):
            same = True
            other_changed = False
            if self.edited:
                other_size = self.write(k, 1)
                other_changed = self.changes_text(k)
                if other_changed:
                    self.changed += max(width, other_size)
                    self.changes += 1
                same = other_size == size
                place = 0
                while same and place < size:
                    same = self.version[0, place] == self.version[1, place]
                    place += 1
            if not independent:
                if changed:
                    column = RIGHT if same else WRONG if other_changed else UNNEEDED
                else:
                    column = UNCHANGED if same else MISSED
                self.add(self.kept_offsets[i] + k - 1, column, max(width, size), detailed)
            agreed |= same
            some |= other_changed
            every &= other_changed
        if independent:
            if changed:
                column = RIGHT if agreed else WRONG if some else UNNEEDED
            else:
                column = MISSED if every else UNCHANGED
            self.add(i, column, max(width, size), detailed)
        if detailed:
            self.chunks[self.chunk, 0] = cython.cast(cython.int, self.start)
            self.chunks[self.chunk, 1] = cython.cast(cython.int, self.end)
            self.chunks[self.chunk, 2] = self.edited
            self.chunk += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add(
        self, row: cython.longlong, column: cython.int, length: cython.longlong, detailed: cython.bint
    ) -> cython.int:
        """Count a chunk of this length in a column of a row."""
        self.values[row, column] += self.weights[column, min(length, self.weights.shape[1] - 1)]
        if detailed:
            self.columns[self.column] = column
            self.column += 1
        return 0


# -- GoToScorer ---------------------------------------------------------------------------------------------


def chunk_numbers(sources: Any, segments: cython.longlong[::1], edits: Any) -> Any:
    """The number of chunks of every row of edits, which belongs to a segment."""
    divided: Divided = Divided(sources, edits, edits)
    counts = np.empty(segments.shape[0], dtype=np.int64)
    sizes: cython.longlong[::1] = counts
    with cython.nogil:
        for i in range(segments.shape[0]):
            divided.go_to(segments[i])
            sizes[i] = divided.divide(divided.own[i], divided.own[i + 1], 0)
    return counts


def count_weighted_chunks(
    sources: Any,
    segments: cython.longlong[::1],  # the one of every hypothesis
    hypotheses: Any,
    references: Any,
    rows: cython.longlong[::1],  # the reference of every hypothesis
    chunk_offsets: cython.longlong[::1],  # of its chunks
    weights: cython.double[::1],  # of these chunks
) -> tuple:
    """Compare the chunks of hypotheses with those of their references (Gotou et al. 2020).

    Returns whether the hypothesis has each chunk of its reference, and the weights of what is right, wrong,
    missed and rightly left alone.
    """
    divided: Divided = Divided(sources, hypotheses, references)
    has_chunk = np.zeros(weights.shape[0], dtype=np.uint8)
    counts = np.zeros((segments.shape[0], 4))
    there: cython.uchar[::1] = has_chunk
    values: cython.double[:, ::1] = counts
    cython.declare(i=cython.Py_ssize_t, size=cython.longlong, chunk=cython.longlong, row=cython.longlong)
    with cython.nogil:
        for i in range(segments.shape[0]):
            divided.go_to(segments[i])
            row = rows[i]
            divided.sizes[0] = divided.divide(divided.own[i], divided.own[i + 1], 0)
            divided.sizes[1] = divided.divide(divided.others[row], divided.others[row + 1], 1)
            divided.first = 0
            for chunk in range(min(divided.sizes[1], chunk_offsets[i + 1] - chunk_offsets[i])):
                divided.look_for(chunk)
                there[chunk_offsets[i] + chunk] = divided.equal
                column = divided.column(i, chunk)
                weight = weights[chunk_offsets[i] + chunk]
                if column == 4:  # a wrong edit in place of another one: it counts twice
                    values[i, 1] += weight
                    column = 2
                values[i, column] += weight
    return has_chunk, counts


@cython.final
@cython.cclass
class Divided(Edits):
    """A hypothesis (0) and a reference (1) divided into chunks: edits, tokens, and gaps between tokens."""

    chunks: cython.longlong[:, :, ::1]  # start, end, where its text begins and ends, 1 for an edit
    sizes: cython.longlong[::1]
    first: cython.longlong  # chunk of the hypothesis that may be the next one of the reference
    same: cython.longlong  # its last chunk with the span that is looked for, or -1
    right: cython.bint  # whether this one has the same text
    equal: cython.bint  # or any one with this span

    def __init__(self, sources: Any, hypotheses: Any, references: Any) -> None:
        Edits.__init__(self, sources, hypotheses, references)
        longest = max(int(np.diff(keys.offsets).max(initial=0)) for keys in (hypotheses, references))
        most = 1 + 2 * (int(np.diff(sources.offsets).max(initial=0)) + longest)
        self.chunks = np.empty((2, most, 5), dtype=np.int64)
        self.sizes = np.zeros(2, dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def write(
        self,
        side: cython.Py_ssize_t,
        chunk: cython.longlong,
        start: cython.longlong,
        end: cython.longlong,
        text: cython.longlong,
        text_end: cython.longlong,
        edited: cython.longlong,
    ) -> cython.longlong:
        """Write a chunk; returns the number of the next one."""
        self.chunks[side, chunk, 0] = start
        self.chunks[side, chunk, 1] = end
        self.chunks[side, chunk, 2] = text
        self.chunks[side, chunk, 3] = text_end
        self.chunks[side, chunk, 4] = edited
        return chunk + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def divide(
        self, first: cython.longlong, last: cython.longlong, side: cython.Py_ssize_t
    ) -> cython.longlong:
        """Every edit, every other token, and every gap without an insertion, from left to right."""
        cython.declare(start=cython.longlong, end=cython.longlong)
        size: cython.longlong = 0
        place: cython.longlong = 0
        gap: cython.bint = True  # nothing stands at this place yet
        for edit in range(first, last + 1):
            start = self.spans[edit, 0] if edit < last else self.length
            while place < min(start, self.length):
                if gap:
                    size = self.write(side, size, place, place, 0, 0, 0)
                size = self.write(side, size, place, place + 1, self.begin + place, self.begin + place + 1, 0)
                place += 1
                gap = True
            if edit == last:
                break
            end = self.spans[edit, 1]
            if start < end and gap and place == start:
                size = self.write(side, size, place, place, 0, 0, 0)
            size = self.write(side, size, start, end, self.places[edit, 0], self.places[edit, 1], 1)
            place = max(place, end)
            gap = end > start
        if gap:
            size = self.write(side, size, place, place, 0, 0, 0)
        return size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def look_for(self, chunk: cython.longlong) -> cython.int:
        """Look for a chunk of the reference among those of the hypothesis."""
        chunks: cython.longlong[:, :, ::1] = self.chunks
        while self.first < self.sizes[0] and chunks[0, self.first, 0] < chunks[1, chunk, 0]:
            self.first += 1
        self.same = -1
        self.right = False
        self.equal = False
        other: cython.longlong = self.first
        while other < self.sizes[0] and chunks[0, other, 0] == chunks[1, chunk, 0]:
            if chunks[0, other, 1] == chunks[1, chunk, 1]:
                self.same = other
                self.right = self.same_words(
                    chunks[0, other, 2], chunks[0, other, 3], chunks[1, chunk, 2], chunks[1, chunk, 3]
                )
                self.equal |= self.right
            other += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def column(self, i: cython.Py_ssize_t, chunk: cython.longlong) -> cython.int:
        """Where a chunk of the reference counts: right, wrong, missed, left alone, or 4: wrong and missed."""
        start: cython.longlong = self.chunks[1, chunk, 0]
        end: cython.longlong = self.chunks[1, chunk, 1]
        edited: cython.bint = False
        right: cython.bint = self.right
        if self.same >= 0:
            edited = self.chunks[0, self.same, 4] != 0
        elif start == end:
            right = True
        else:  # whether the first edit that ends after the chunk's start begins before its end
            low: cython.longlong = self.own[i]
            high: cython.longlong = self.own[i + 1]
            while low < high:
                middle = (low + high) // 2
                if start < self.spans[middle, 1]:
                    high = middle
                else:
                    low = middle + 1
            edited = low < self.own[i + 1] and self.spans[low, 0] < end
        if edited:
            return 0 if right else 4 if self.chunks[1, chunk, 4] else 1
        return 3 if right else 2
