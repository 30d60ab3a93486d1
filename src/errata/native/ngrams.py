"""n-gram counts of (source, hypothesis, references) over token ids: exact, linear in the length of the texts.

The n-grams of a segment are the nodes of a trie. The edges (parent, token) are in a hash table with open
addressing and whole keys, so that different n-grams never count as one. Scratch memory is about 100 bytes ×
order × the longest segment.

In all functions, the references of segment i are the rows `rows[i]:rows[i + 1]` of `references`.
"""

import cython
import numpy as np

from errata.native.ragged import check_offsets

HYPOTHESIS = cython.declare(cython.int, 0)  # columns of `_Trie.counts`
SOURCE = cython.declare(cython.int, 1)
REFERENCE = cython.declare(cython.int, 2)
ANY = cython.declare(cython.int, 3)
GREEN = cython.declare(cython.int, 0)  # kinds of `edit_counts`
SARI = cython.declare(cython.int, 1)


@cython.cclass
class _Trie:
    """The texts of all segments; the n-grams of one segment, and how often each text has them."""

    source: cython.int[::1]
    source_offsets: cython.longlong[::1]
    hypothesis: cython.int[::1]
    offsets: cython.longlong[::1]
    references: cython.int[::1]
    reference_offsets: cython.longlong[::1]
    rows: cython.longlong[::1]
    order: cython.longlong
    nodes: cython.longlong
    mask: cython.longlong
    table: cython.longlong[::1]  # key and node, alternating
    slots: cython.longlong[::1]  # of the nodes in `table`
    depth: cython.longlong[::1]
    counts: cython.longlong[:, ::1]

    def __init__(self, source, hypothesis, references, rows, order):
        if not 1 <= order <= 100:
            raise ValueError(f"n-grams of order {order}")
        check_offsets("rows", np.asarray(rows), len(references))  # else the table would be too small
        for texts in (source, hypothesis):
            if len(texts) != len(rows) - 1:
                raise ValueError(f"{len(texts)} texts for {len(rows) - 1} segments")
        self.source, self.source_offsets = source.values, source.offsets
        self.hypothesis, self.offsets = hypothesis.values, hypothesis.offsets
        self.references, self.reference_offsets = references.values, references.offsets
        self.rows = rows
        tokens = np.diff(references.offsets[np.asarray(rows)]) + source.lengths + hypothesis.lengths
        most = int(tokens.max(initial=0)) * order + 1
        size = 2 << max(2, most.bit_length())
        self.order = order
        self.nodes = 0
        self.mask = size - 1
        self.table = np.zeros(2 * size, dtype=np.int64)
        self.slots = np.zeros(most, dtype=np.int64)
        self.depth = np.zeros(most, dtype=np.int64)
        self.counts = np.zeros((most, 4), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def start(self, i: cython.longlong) -> cython.longlong:
        """Remove all n-grams, and add those of hypothesis i; returns its length."""
        length: cython.longlong = self.offsets[i + 1] - self.offsets[i]
        tokens: cython.longlong = length + self.source_offsets[i + 1] - self.source_offsets[i]
        size: cython.longlong = 8
        for node in range(1, self.nodes + 1):
            self.table[self.slots[node]] = 0
            for text in range(4):
                self.counts[node, text] = 0
        self.nodes = 0
        tokens += self.reference_offsets[self.rows[i + 1]] - self.reference_offsets[self.rows[i]]
        while size < 2 * tokens * self.order and 2 * size < self.table.shape[0]:
            size *= 2
        self.mask = size - 1
        self.add(self.hypothesis, self.offsets[i], self.offsets[i + 1], HYPOTHESIS, True)
        return length

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add_source(self, i: cython.longlong, grow: cython.bint) -> cython.int:
        """Count the n-grams of source i."""
        return self.add(self.source, self.source_offsets[i], self.source_offsets[i + 1], SOURCE, grow)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add_reference(self, row: cython.longlong, grow: cython.bint) -> cython.longlong:
        """Count the n-grams of a reference; returns its length."""
        begin: cython.longlong = self.reference_offsets[row]
        end: cython.longlong = self.reference_offsets[row + 1]
        self.add(self.references, begin, end, REFERENCE, grow)
        return end - begin

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add(
        self,
        ids: cython.int[::1],
        begin: cython.longlong,
        end: cython.longlong,
        text: cython.int,
        grow: cython.bint,
    ) -> cython.int:
        """Count the n-grams of `ids[begin:end]`; with `grow`, n-grams that are new become nodes."""
        node: cython.longlong
        key: cython.longlong
        slot: cython.longlong
        mask: cython.longlong = self.mask
        table: cython.longlong[::1] = self.table
        for i in range(begin, end):
            node = 0
            for k in range(min(end - i, self.order)):
                token = cython.cast(cython.longlong, ids[i + k])
                key = ((node << 32) | token) + 1
                slot = node * 40503 + token * 1640531527
                slot = 2 * ((slot ^ (slot >> 17)) & mask)
                while table[slot] != 0 and table[slot] != key:
                    slot = (slot + 2) & (2 * mask)
                if table[slot] == 0:
                    if not grow:
                        break  # longer n-grams are new as well
                    self.nodes += 1
                    self.depth[self.nodes] = k
                    self.slots[self.nodes] = slot
                    table[slot] = key
                    table[slot + 1] = self.nodes
                node = table[slot + 1]
                self.counts[node, text] += 1
        return 0


def gleu_counts(
    source, hypothesis, references, rows: cython.longlong[::1], order: cython.longlong, paper: cython.bint
):
    """GLEU+ statistics, a row for every reference of each segment.

    Columns: `order` numerators, `order` denominators, and the lengths of hypothesis and reference.
    """
    trie: _Trie = _Trie(source, hypothesis, references, rows, order)
    out_array = np.zeros((len(references), 2 * order + 2), dtype=np.int64)
    out: cython.longlong[:, ::1] = out_array
    left: cython.longlong
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            length = trie.start(i)
            trie.add_source(i, False)  # n-grams that the hypothesis lacks do not count
            for row in range(rows[i], rows[i + 1]):
                out[row, 2 * order + 1] = trie.add_reference(row, False)
                for node in range(1, trie.nodes + 1):
                    matched = min(trie.counts[node, HYPOTHESIS], trie.counts[node, REFERENCE])
                    left = min(trie.counts[node, HYPOTHESIS], trie.counts[node, SOURCE])
                    if paper:
                        left = max(left - matched, 0)
                    elif matched > 0:
                        left = 0  # the program compares sets of n-grams here, not their numbers
                    out[row, trie.depth[node]] += matched - left
                    trie.counts[node, REFERENCE] = 0
                for k in range(order):
                    out[row, k] = max(out[row, k], 0)
                    out[row, order + k] = max(length - k, 0)
                out[row, 2 * order] = length
    return out_array


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _green(trie: _Trie, out: cython.longlong[::1]) -> cython.int:
    """True positives, false positives and false negatives against the last reference."""
    order: cython.longlong = trie.order
    for node in range(1, trie.nodes + 1):
        h = trie.counts[node, HYPOTHESIS]
        s = trie.counts[node, SOURCE]
        r = trie.counts[node, REFERENCE]
        k = trie.depth[node]
        out[k] += min(h, r, s)  # kept
        out[k] += max(s - max(h, r), 0) + max(min(h, r) - s, 0)  # deleted, inserted
        if h < s and h < r:
            out[order + k] += min(s, r) - h  # too many deleted
        elif h > s and h > r:
            out[order + k] += h - max(s, r)  # too many inserted
        if r < s and r < h:
            out[2 * order + k] += min(s, h) - r  # too few deleted
        elif r > s and r > h:
            out[2 * order + k] += r - max(s, h)  # too few inserted
        trie.counts[node, REFERENCE] = 0
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _sari(trie: _Trie, out: cython.longlong[::1], references: cython.longlong) -> cython.int:
    """The counts against all references, whose number is given."""
    for node in range(1, trie.nodes + 1):
        h = trie.counts[node, HYPOTHESIS] * references
        s = trie.counts[node, SOURCE] * references
        r = trie.counts[node, REFERENCE]
        k = 3 * trie.depth[node]
        if s == 0:
            out[k] += h > 0 and r > 0
            out[k + 1] += h > 0
            out[k + 2] += r > 0
            continue
        k += 3 * trie.order
        out[k] += min(s, h, r)
        out[k + 1] += min(s, h)
        out[k + 2] += min(s, r)
        k += 3 * trie.order
        out[k] += s - min(s, max(h, r))
        out[k + 1] += s - min(s, h)
        out[k + 2] += s - min(s, r)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _inserted_and_deleted(trie: _Trie, out: cython.longlong[::1]) -> cython.int:
    """The n-grams that both, the hypothesis and the last reference inserted or deleted."""
    inserted: cython.bint
    in_hypothesis: cython.bint
    in_reference: cython.bint
    for node in range(1, trie.nodes + 1):
        inserted = trie.counts[node, SOURCE] == 0
        in_hypothesis = (trie.counts[node, HYPOTHESIS] > 0) == inserted
        in_reference = (trie.counts[node, REFERENCE] > 0) == inserted
        k = 3 * (trie.depth[node] + (0 if inserted else trie.order))
        out[k] += in_hypothesis and in_reference
        out[k + 1] += in_hypothesis
        out[k + 2] += in_reference
        trie.counts[node, REFERENCE] = 0
    return 0


def edit_counts(
    source, hypothesis, references, rows: cython.longlong[::1], order: cython.longlong, kind: cython.int
):
    """What hypotheses and references did to the n-grams of the source.

    Kind 0 (GREEN), a row per reference: `order` true positives, false positives and false negatives: how
    often n-grams were kept, deleted and inserted by hypothesis and reference alike, and by one of them alone.

    Kind 1 (SARI), a row per segment, over all references: for adding, keeping and deleting, and for every
    order, how many n-grams are right, were changed, and should have been. Added n-grams are counted once,
    others as often as they occur, times the number of references.

    Kind 2 (ID), a row per reference: for inserting and deleting, and for every order, how many distinct
    n-grams both, the hypothesis and the reference changed.
    """
    if not 0 <= kind <= 2:
        raise ValueError(f"there is no kind {kind}")
    columns = (3, 9, 6)[kind] * order
    trie: _Trie = _Trie(source, hypothesis, references, rows, order)
    out_array = np.zeros((len(rows) - 1 if kind == SARI else len(references), columns), dtype=np.int64)
    out: cython.longlong[:, ::1] = out_array
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            trie.start(i)
            trie.add_source(i, True)
            for row in range(rows[i], rows[i + 1]):
                trie.add_reference(row, True)
                if kind == GREEN:
                    _green(trie, out[row])
                elif kind != SARI:
                    _inserted_and_deleted(trie, out[row])
            if kind == SARI:
                _sari(trie, out[i], rows[i + 1] - rows[i])
    return out_array


def pooled_counts(
    source, hypothesis, references, rows: cython.longlong[::1], order: cython.longlong, lacking: cython.int
):
    """Statistics against all references together (an n-gram counts as often as any has it), a row a segment.

    Columns: `order` matches, `order` totals, length of the hypothesis, of the closest reference. With
    `lacking` (GLEU of 2015) there are four further groups of `order`: matches that the source lacks, matches
    with the source that the references lack, n-grams that both lack, and the number of n-grams of the
    references that the source lacks. With 1 a text lacks an n-gram that it does not have at all, with 2 also
    the occurrences by which it has fewer. Of two equally close reference lengths the shorter is taken with 0
    (BLEU), otherwise the first.
    """
    segments: cython.longlong = len(rows) - 1
    trie: _Trie = _Trie(source, hypothesis, references, rows, order)
    out_array = np.zeros((segments, (6 if lacking else 2) * order + 2), dtype=np.int64)
    out: cython.longlong[:, ::1] = out_array
    grow: cython.bint = lacking != 0  # matches are n-grams of the hypothesis
    with cython.nogil:
        for i in range(segments):
            length = trie.start(i)
            closest = -1
            if grow:
                trie.add_source(i, True)
            for row in range(rows[i], rows[i + 1]):
                size = trie.add_reference(row, grow)
                farther = abs(size - length) - abs(closest - length)
                if closest < 0 or farther < 0 or (farther == 0 and not grow and size < closest):
                    closest = size
                for node in range(1, trie.nodes + 1):
                    trie.counts[node, ANY] = max(trie.counts[node, ANY], trie.counts[node, REFERENCE])
                    trie.counts[node, REFERENCE] = 0
            for k in range(order):
                out[i, order + k] = max(length - k, 0)
            out[i, 2 * order] = length
            out[i, 2 * order + 1] = closest
            for node in range(1, trie.nodes + 1):
                h = trie.counts[node, HYPOTHESIS]
                s = trie.counts[node, SOURCE]
                r = trie.counts[node, ANY]
                k = trie.depth[node]
                out[i, k] += min(h, r)
                if not grow:
                    continue
                wanted = r - s
                unwanted = s - r
                if lacking == 1:
                    wanted = r if s == 0 else 0
                    unwanted = s if r == 0 else 0
                k += 2 * order + 2
                if wanted > 0:
                    out[i, k] += min(h, wanted)
                    out[i, k + 3 * order] += wanted
                if unwanted > 0:
                    out[i, k + order] += min(h, unwanted)
                if r == 0 and s == 0:
                    out[i, k + 2 * order] += h
    return out_array
