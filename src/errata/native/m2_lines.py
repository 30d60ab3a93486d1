"""M2 files in their usual form: the places of sentences and of the fields of their edits in the bytes."""

import cython
import numpy as np

BAR = cython.declare(cython.int, 124)
MINUS = cython.declare(cython.int, 45)
IRREGULAR = cython.declare(cython.longlong, -2)
FIELDS = cython.declare(cython.longlong, 6)


@cython.cclass
class _Reader:
    """The bytes of a file, and the number that was read last."""

    data: cython.const[cython.uchar][::1]
    number: cython.longlong

    def __init__(self, data):
        self.data = data
        self.number = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def integer(self, i: cython.longlong, end: cython.longlong) -> cython.longlong:
        """Read a number of one to nine digits; returns its end, or `IRREGULAR` if there is no number."""
        negative: cython.bint = i < end and self.data[i] == MINUS
        value: cython.longlong = 0
        i += negative
        first = i
        while i < end and 48 <= self.data[i] <= 57 and i < first + 10:
            value = value * 10 + self.data[i] - 48
            i += 1
        if i == first or i > first + 9:
            return IRREGULAR
        self.number = -value if negative else value
        return i

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def edit(
        self,
        begin: cython.longlong,
        end: cython.longlong,
        edits: cython.longlong[:, ::1],
        edit: cython.longlong,
    ) -> cython.longlong:
        """Read an `A` line into a row of `edits`; returns its end, or `IRREGULAR`."""
        field: cython.longlong = 0
        corrections: cython.longlong = 1
        i = self.integer(begin + 2, end)
        if i < 0 or i >= end or self.data[i] != 32:
            return IRREGULAR
        edits[edit, 1] = self.number
        i = self.integer(i + 1, end)
        if i < 0:
            return IRREGULAR
        edits[edit, 2] = self.number
        offsets_end = i
        while i < end:
            if self.data[i] != BAR or i + 1 >= end or self.data[i + 1] != BAR:
                i += 1
            elif i + 2 < end and self.data[i + 2] == BAR:
                if field == FIELDS - 1:
                    return IRREGULAR
                edits[edit, 4 + field] = i
                field += 1
                i += 3
            else:
                corrections += field == 2
                i += 2
        if field != FIELDS - 1 or edits[edit, 4] != offsets_end:  # nothing may stand after the offsets
            return IRREGULAR
        i = edits[edit, 8] + 3
        if self.integer(i, end) != end or self.data[i] == MINUS:
            return IRREGULAR
        edits[edit, 3] = self.number
        edits[edit, 9] = 0 if self.is_noop(edits[edit, 4] + 3, edits[edit, 5]) else corrections
        return end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def is_noop(self, begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Whether a type says that there is nothing to correct."""
        if end - begin != 4:
            return 0
        if self.data[begin] != 110 or self.data[begin + 1] != 111:  # n and o
            return 0
        return self.data[begin + 2] == 111 and self.data[begin + 3] == 112  # o and p


def parse(data: cython.const[cython.uchar][::1], starts: cython.longlong[::1], ends: cython.longlong[::1]):
    """The sentences and edits in the lines `starts[i]:ends[i]`; None if a block is not of the usual form.

    The first result has the line of each sentence. The second has a row for each `A` line: the number of its
    sentence, start, end and annotator of the edit, the ends of the first five fields, and the number of its
    corrections, which is 0 for the type `noop`.
    """
    lines: cython.longlong = starts.shape[0]
    sentence_array = np.empty(lines, dtype=np.int64)
    edit_array = np.empty((lines, 10), dtype=np.int64)
    sentences: cython.longlong[::1] = sentence_array
    edits: cython.longlong[:, ::1] = edit_array
    reader: _Reader = _Reader(data)
    count: cython.longlong = 0
    edit: cython.longlong = 0
    inside: cython.bint = False
    regular: cython.bint = True
    with cython.nogil:
        for line in range(lines):
            begin = starts[line]
            size = ends[line] - begin
            if size == 0:
                inside = False
                continue
            if size < 2 or data[begin + 1] != 32 or data[begin] != (65 if inside else 83):  # A or S
                regular = False
            elif not inside:
                sentences[count] = line
                count += 1
                inside = True
            else:
                edits[edit, 0] = count - 1
                regular = reader.edit(begin, ends[line], edits, edit) >= 0
                edit += 1
            if not regular:
                break
    return (sentence_array[:count], edit_array[:edit]) if regular else None
