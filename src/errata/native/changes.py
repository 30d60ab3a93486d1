"""Changes between texts as EM-Diff defines them: differences of characters, widened to whole words.

The characters that stay are those of the longest common substring, and of those before and after it (Ratcliff
& Metzener 1988); of equally long ones the first in the source counts, then the first in the text. This is
what `difflib.SequenceMatcher` finds without its heuristics.
"""

import cython
import numpy as np

BLANK = cython.declare(cython.int, 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _inside(
    text: cython.int[::1], begin: cython.longlong, size: cython.longlong, place: cython.longlong
) -> cython.int:
    """Whether a place is inside a word."""
    return 0 < place < size and text[begin + place - 1] != BLANK and text[begin + place] != BLANK


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _same(
    x: cython.int[::1],
    x0: cython.longlong,
    y: cython.int[::1],
    y0: cython.longlong,
    size: cython.longlong,
) -> cython.int:
    """Whether two runs of characters are equal."""
    for k in range(size):
        if x[x0 + k] != y[y0 + k]:
            return 0
    return 1


@cython.cclass
class _Differ:
    """Finds the changes between one source and one text at a time, and collects them in `spans`.

    Changes are places in source and text: start and end in the source, start and end in the text.
    """

    source: cython.int[::1]
    text: cython.int[::1]
    a0: cython.longlong  # the present source is source[a0:a0 + n]
    n: cython.longlong
    b0: cython.longlong  # the present text is text[b0:b0 + m]
    m: cython.longlong
    last: cython.int[::1]  # the last place of each character in the text, plus 1; empty between two texts
    before: cython.longlong[::1]  # the place before with the same character, for each place in the text
    run: cython.longlong[::1]  # the length of the common run that ends at a place in the text
    stamp: cython.longlong[::1]  # when `run` was written
    ranges: cython.longlong[:, ::1]  # still to be matched
    match: cython.longlong[::1]  # the place in the text of each character of the source that stays, or -1
    spans: cython.int[:, ::1]
    count: cython.longlong

    def __init__(self, source, texts):
        values = source.values, texts.values
        largest = max(int(array.max(initial=0)) for array in values)
        if largest >= 0x110000:
            raise ValueError(f"{largest} is no character")
        width = 1 + int(max(source.lengths.max(initial=0), texts.lengths.max(initial=0)))
        self.source, self.text = values
        self.last = np.zeros(largest + 1, dtype=np.int32)
        self.before, self.run, self.stamp, self.match = np.zeros((4, width), dtype=np.int64)
        self.ranges = np.zeros((width, 4), dtype=np.int64)
        self.spans = np.zeros((1024, 4), dtype=np.int32)
        self.count = 0

    @cython.cfunc
    def _grow(self):
        spans = np.zeros((2 * self.spans.shape[0] + self.n, 4), dtype=np.int32)
        spans[: self.count] = self.spans[: self.count]
        self.spans = spans

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def push(
        self,
        ranges: cython.longlong,
        low: cython.longlong,
        high: cython.longlong,
        begin: cython.longlong,
        end: cython.longlong,
    ) -> cython.longlong:
        """Add a range of source and text unless one is empty; returns the number of ranges."""
        if low >= high or begin >= end:
            return ranges
        self.ranges[ranges, 0] = low
        self.ranges[ranges, 1] = high
        self.ranges[ranges, 2] = begin
        self.ranges[ranges, 3] = end
        return ranges + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def match_characters(self) -> cython.int:
        """Fill `match`."""
        stamp: cython.longlong = 0
        j: cython.longlong
        run: cython.longlong
        best_i: cython.longlong
        best_j: cython.longlong
        size: cython.longlong
        for j in range(self.m):
            self.before[j] = self.last[self.text[self.b0 + j]] - 1
            self.last[self.text[self.b0 + j]] = cython.cast(cython.int, j + 1)
            self.stamp[j] = 0
        for i in range(self.n):
            self.match[i] = -1
        ranges = self.push(0, 0, self.n, 0, self.m)
        while ranges > 0:
            ranges -= 1
            low = self.ranges[ranges, 0]
            high = self.ranges[ranges, 1]
            begin = self.ranges[ranges, 2]
            end = self.ranges[ranges, 3]
            best_i = low
            best_j = begin
            size = 0
            stamp += 1
            for i in range(low, high):
                stamp += 1
                j = self.last[self.source[self.a0 + i]] - 1
                while j >= end:
                    j = self.before[j]
                while j >= begin:
                    run = 1
                    if j > begin and self.stamp[j - 1] == stamp - 1:
                        run = self.run[j - 1] + 1
                    self.run[j] = run
                    self.stamp[j] = stamp
                    if run > size or (run == size and i - run + 1 == best_i):  # the leftmost of one line
                        best_i = i - run + 1
                        best_j = j - run + 1
                        size = run
                    j = self.before[j]
            if size == 0:
                continue
            for k in range(size):
                self.match[best_i + k] = best_j + k
            ranges = self.push(ranges, low, best_i, begin, best_j)
            ranges = self.push(ranges, best_i + size, high, best_j + size, end)
        for j in range(self.m):
            self.last[self.text[self.b0 + j]] = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add_changes(
        self, a0: cython.longlong, a1: cython.longlong, b0: cython.longlong, b1: cython.longlong
    ) -> cython.int:
        """Add the distinct changes that make `text[b0:b1]` of `source[a0:a1]`."""
        first: cython.longlong = self.count
        i: cython.longlong = 0
        j: cython.longlong = 0
        x: cython.longlong
        self.a0 = a0
        self.n = a1 - a0
        self.b0 = b0
        self.m = b1 - b0
        if self.n == self.m and _same(self.source, a0, self.text, b0, self.n):
            return 0
        if self.count + self.n + 1 > self.spans.shape[0]:
            with cython.gil:
                self._grow()
        self.match_characters()
        while i <= self.n:
            x = i
            while x < self.n and self.match[x] < 0:
                x += 1
            y = self.match[x] if x < self.n else self.m
            if i < x or j < y:
                self.add_widened(first, i, x, j, y)
            i = x + 1
            j = y + 1
        kept = first
        for change in range(first, self.count):
            x = first
            while x < kept and not self.same_change(change, self.text, b0, self.spans, x):
                x += 1
            if x == kept:
                for k in range(4):
                    self.spans[kept, k] = self.spans[change, k]
                kept += 1
        self.count = kept
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add_widened(
        self,
        first: cython.longlong,
        begin: cython.longlong,
        end: cython.longlong,
        start: cython.longlong,
        stop: cython.longlong,
    ) -> cython.int:
        """Widen a change to whole words, and join it with the one before (from `first` on) if they touch."""
        while _inside(self.source, self.a0, self.n, begin):
            begin -= 1
        while _inside(self.source, self.a0, self.n, end):
            end += 1
        while _inside(self.text, self.b0, self.m, start):
            start -= 1
        while _inside(self.text, self.b0, self.m, stop):
            stop += 1
        if self.count > first and begin <= self.spans[self.count - 1, 1]:
            self.count -= 1
            begin = min(begin, cython.cast(cython.longlong, self.spans[self.count, 0]))
            end = max(end, cython.cast(cython.longlong, self.spans[self.count, 1]))
            start = min(start, cython.cast(cython.longlong, self.spans[self.count, 2]))
            stop = max(stop, cython.cast(cython.longlong, self.spans[self.count, 3]))
        self.spans[self.count, 0] = cython.cast(cython.int, begin)
        self.spans[self.count, 1] = cython.cast(cython.int, end)
        self.spans[self.count, 2] = cython.cast(cython.int, start)
        self.spans[self.count, 3] = cython.cast(cython.int, stop)
        self.count += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def same_change(
        self,
        change: cython.longlong,
        other: cython.int[::1],
        other_begin: cython.longlong,
        spans: cython.int[:, ::1],
        other_change: cython.longlong,
    ) -> cython.int:
        """Whether a change of the present text and one of another text replace the same by the same."""
        before = self.spans[change, 1] - self.spans[change, 0]
        after = self.spans[change, 3] - self.spans[change, 2]
        if spans[other_change, 1] - spans[other_change, 0] != before:
            return 0
        if spans[other_change, 3] - spans[other_change, 2] != after:
            return 0
        begin = self.a0 + self.spans[change, 0]
        start = self.b0 + self.spans[change, 2]
        return _same(self.source, begin, self.source, self.a0 + spans[other_change, 0], before) and _same(
            self.text, start, other, other_begin + spans[other_change, 2], after
        )


def changes(source, texts, owner: cython.longlong[::1], most: cython.longlong) -> tuple:
    """The changes that make each text i of the source `owner[i]`: offsets, changes, and the large texts.

    Text i has the changes `offsets[i]:offsets[i + 1]`. A text with more than `most` pairs of characters is
    large and has none.
    """
    differ: _Differ = _Differ(source, texts)
    offset_array = np.zeros(len(texts) + 1, dtype=np.int64)
    large_array = np.zeros(len(texts), dtype=np.uint8)
    source_offsets: cython.longlong[::1] = source.offsets
    text_offsets: cython.longlong[::1] = texts.offsets
    offsets: cython.longlong[::1] = offset_array
    large: cython.uchar[::1] = large_array
    with cython.nogil:
        for i in range(owner.shape[0]):
            begin = source_offsets[owner[i]]
            end = source_offsets[owner[i] + 1]
            large[i] = (end - begin) * (text_offsets[i + 1] - text_offsets[i]) > most
            if not large[i]:
                differ.add_changes(begin, end, text_offsets[i], text_offsets[i + 1])
            offsets[i + 1] = differ.count
    return offset_array, np.array(differ.spans[: differ.count]), large_array


def change_shares(
    source, texts, owner: cython.longlong[::1], references, rows, reference_changes, most: cython.longlong
):
    """EM-Diff of each text i of the source `owner[i]`: the best share of changes that a reference has too.

    The references of source k are the rows `rows[k]:rows[k + 1]`, and `reference_changes` is the result of
    `changes` for them. A text that is too large, or has such a reference, gets -1.
    """
    differ: _Differ = _Differ(source, texts)
    share_array = np.zeros(len(texts))
    source_offsets: cython.longlong[::1] = source.offsets
    text_offsets: cython.longlong[::1] = texts.offsets
    reference_ids: cython.int[::1] = references.values
    reference_offsets: cython.longlong[::1] = references.offsets
    row_offsets: cython.longlong[::1] = rows
    offsets: cython.longlong[::1] = reference_changes[0]
    spans: cython.int[:, ::1] = reference_changes[1]
    large: cython.uchar[::1] = reference_changes[2]
    shares: cython.double[::1] = share_array
    share: cython.double
    with cython.nogil:
        for i in range(owner.shape[0]):
            begin = source_offsets[owner[i]]
            end = source_offsets[owner[i] + 1]
            shares[i] = -1
            if (end - begin) * (text_offsets[i + 1] - text_offsets[i]) > most:
                continue
            differ.count = 0
            differ.add_changes(begin, end, text_offsets[i], text_offsets[i + 1])
            for row in range(row_offsets[owner[i]], row_offsets[owner[i] + 1]):
                if large[row]:
                    shares[i] = -1
                    break
                share = 0
                for x in range(differ.count):
                    for y in range(offsets[row], offsets[row + 1]):
                        if differ.same_change(x, reference_ids, reference_offsets[row], spans, y):
                            share += 1
                            break
                share /= max(1, differ.count, offsets[row + 1] - offsets[row])
                shares[i] = max(shares[i], share)
    return share_array
