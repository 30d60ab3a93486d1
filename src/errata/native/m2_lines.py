"""M2 files in their usual form: the places of sentences and of the fields of their edits in the bytes."""

import cython
import numpy as np

BAR = cython.declare(cython.int, 124)
MINUS = cython.declare(cython.int, 45)
IRREGULAR = cython.declare(cython.longlong, -2)


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
        """Read an `A` line into a row of `edits`; returns the number of its corrections, or `IRREGULAR`."""
        bars: cython.longlong
        field: cython.longlong = 0
        corrections: cython.longlong = 0
        i = self.integer(begin + 2, end)
        if i < 0 or i >= end or self.data[i] != 32:
            return IRREGULAR
        edits[edit, 2] = self.number
        i = self.integer(i + 1, end)
        if i < 0 or i >= end or self.data[i] != BAR:
            return IRREGULAR
        edits[edit, 3] = self.number
        field_begin = i
        while i < end:
            if self.data[i] != BAR:
                i += 1
                continue
            bars = 1
            while i + bars < end and self.data[i + bars] == BAR:
                bars += 1
            if field == 0 and bars < 3:  # something after the offsets
                return IRREGULAR
            if bars > 3:  # empty fields
                if bars % 3 != 0:
                    return IRREGULAR
                bars = 3
            if field == 2 and bars > 1:
                corrections += 1
            if bars == 3:
                if field == 1:
                    edits[edit, 4] = field_begin
                    edits[edit, 5] = i
                elif field == 2:
                    edits[edit, 6] = i
                field += 1
                field_begin = i + bars
            i += bars
        if field != 5 or self.integer(field_begin, end) != end or self.data[field_begin] == MINUS:
            return IRREGULAR
        edits[edit, 1] = self.number
        return corrections

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def reads(
        self, begin: cython.longlong, end: cython.longlong, text: cython.const[cython.uchar][::1]
    ) -> cython.int:
        """Whether the bytes `begin:end` are this text."""
        if end - begin != len(text):
            return 0
        for k in range(len(text)):
            if self.data[begin + k] != text[k]:
                return 0
        return 1


def parse(data: cython.const[cython.uchar][::1], starts: cython.longlong[::1], ends: cython.longlong[::1]):
    """The sentences and edits in the lines `starts[i]:ends[i]`; None if a block is not of the usual form.

    `sentences` has the first line of each block and the line after its last one. `edits` has the sentence,
    annotator, start and end of each edit, the place of its type, and the end of its correction. The third
    result is the number of corrections.
    """
    lines: cython.longlong = starts.shape[0]
    sentence_array = np.empty((lines, 2), dtype=np.int64)
    edit_array = np.empty((lines, 7), dtype=np.int64)
    sentences: cython.longlong[:, ::1] = sentence_array
    edits: cython.longlong[:, ::1] = edit_array
    reader: _Reader = _Reader(data)
    count: cython.longlong = 0
    edit: cython.longlong = 0
    corrections: cython.longlong = 0
    more: cython.longlong = 0
    inside: cython.bint = False
    with cython.nogil:
        for line in range(lines):
            begin = starts[line]
            size = ends[line] - begin
            if size == 0:
                inside = False
                continue
            if size < 2 or data[begin + 1] != 32 or data[begin] != (65 if inside else 83):  # A or S
                more = IRREGULAR
                break
            if not inside:
                sentences[count, 0] = line
                count += 1
                inside = True
            else:
                edits[edit, 0] = count - 1
                more = reader.edit(begin, ends[line], edits, edit)
                if more < 0:
                    break
                corrections += more
                edit += 1
            sentences[count - 1, 1] = line + 1
    return None if more < 0 else (sentence_array[:count], edit_array[:edit], corrections)


def group(
    data: cython.const[cython.uchar][::1],
    parsed: cython.longlong[:, ::1],
    tokens: cython.longlong[::1],
    corrections: cython.longlong,
):
    """The edits that `parse` found, nested as in `errata.corpus.edit_ids.EncodedEdits`.

    `tokens` are the offsets of the sentences' tokens: edits that reach outside are left out. Returns rows,
    annotators, edits, spans, corrections, the places (2 × n) of the corrections and of the types, and the
    number of edits left out; None if the annotators of a sentence do not ascend.
    """
    if not 0 <= corrections <= len(data):
        raise ValueError(f"{corrections} corrections in {len(data)} bytes")
    sentences: cython.longlong = tokens.shape[0] - 1
    most: cython.longlong = parsed.shape[0]
    row_array, correction_array = np.zeros(sentences + 1, np.int64), np.zeros(most + 1, np.int64)
    annotator_array, edit_array = np.zeros((2, most + sentences + 1), np.int64)
    span_array, type_array = np.empty((most, 2), np.int32), np.empty((2, most), np.int64)
    part_array = np.empty((2, corrections), np.int64)
    rows: cython.longlong[::1] = row_array
    annotators: cython.longlong[::1] = annotator_array
    edits: cython.longlong[::1] = edit_array
    spans: cython.int[:, ::1] = span_array
    correction_offsets: cython.longlong[::1] = correction_array
    parts: cython.longlong[:, ::1] = part_array
    types: cython.longlong[:, ::1] = type_array
    noop: cython.const[cython.uchar][::1] = b"noop"
    none: cython.const[cython.uchar][::1] = b"-NONE-"
    reader: _Reader = _Reader(data)
    k: cython.longlong = 0
    row: cython.longlong = 0
    edit: cython.longlong = 0
    part: cython.longlong = 0
    left_out: cython.longlong = 0
    annotator: cython.longlong
    ascending: cython.bint = True
    with cython.nogil:
        for sentence in range(sentences):
            size = tokens[sentence + 1] - tokens[sentence]
            annotator = -1
            if k == most or parsed[k, 0] != sentence:  # no A line: nothing to correct
                annotators[row] = 0
                row += 1
                edits[row] = edit
            while k < most and parsed[k, 0] == sentence:
                if parsed[k, 1] < annotator:
                    ascending = False
                if parsed[k, 1] != annotator:
                    annotator = parsed[k, 1]
                    annotators[row] = annotator
                    row += 1
                if not reader.reads(parsed[k, 4], parsed[k, 5], noop):
                    start = parsed[k, 2]
                    end = parsed[k, 3]
                    if 0 <= start <= size and 0 <= end <= size:
                        spans[edit, 0] = cython.cast(cython.int, start)
                        spans[edit, 1] = cython.cast(cython.int, end)
                        types[0, edit] = parsed[k, 4]
                        types[1, edit] = parsed[k, 5]
                        begin = parsed[k, 5] + 3
                        i = begin
                        while i <= parsed[k, 6]:
                            if i < parsed[k, 6] and (data[i] != BAR or data[i + 1] != BAR):
                                i += 1
                                continue
                            parts[0, part] = begin
                            parts[1, part] = begin if reader.reads(begin, i, none) else i
                            part += 1
                            i += 2  # two bars separate corrections
                            begin = i
                        edit += 1
                        correction_offsets[edit] = part
                    else:
                        left_out += 1
                edits[row] = edit
                k += 1
            rows[sentence + 1] = row
    if not ascending:
        return None
    nested = row_array, annotator_array[:row], edit_array[: row + 1], span_array[:edit]
    return *nested, correction_array[: edit + 1], part_array[:, :part], type_array[:, :edit], left_out
