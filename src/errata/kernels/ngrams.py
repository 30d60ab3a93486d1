"""n-gram counts of (source, hypothesis, reference) over token ids: exact, linear in the text's length.

The n-grams of a segment are the nodes of a trie whose edges (parent, token) lie in an open-addressing
table with their whole keys, so that no two n-grams are ever taken for one. The table is emptied node by
node, never as a whole: scratch memory is about 100 bytes × order × the longest segment of the range.
"""

import cython
import numpy as np

from errata.kernels import _checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _child(
    keys: cython.longlong[::1],
    table: cython.longlong[::1],
    mask: cython.longlong,
    slots: cython.longlong[::1],
    parent: cython.longlong,
    token: cython.longlong,
    fresh: cython.longlong,
) -> cython.longlong:
    """The node below `parent` by `token`; if there is none, `fresh` is put there (0: nothing is)."""
    key: cython.longlong = (parent << 32) | token
    # Stays below 2^63 for every 32-bit id, so that the uncompiled twin computes the same.
    slot: cython.longlong = parent * 40503 + token * 1640531527
    slot = (slot ^ (slot >> 17)) & mask
    while keys[slot] != -1:
        if keys[slot] == key:
            return table[slot]
        slot = (slot + 1) & mask
    if fresh != 0:
        keys[slot] = key
        table[slot] = fresh
        slots[fresh] = slot
    return fresh


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    ids: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
    order: cython.longlong,
    keys: cython.longlong[::1],
    table: cython.longlong[::1],
    mask: cython.longlong,
    slots: cython.longlong[::1],
    depth: cython.longlong[::1],
    counts: cython.longlong[::1],
    nodes: cython.longlong,
    grow: cython.longlong,
) -> cython.longlong:
    """Add the n-grams of a text to `counts`; with `grow`, n-grams that are new become nodes."""
    i: cython.longlong
    k: cython.longlong
    node: cython.longlong
    deepest: cython.longlong
    for i in range(begin, end):
        node = 0
        deepest = end - i if end - i < order else order
        for k in range(deepest):
            node = _child(
                keys,
                table,
                mask,
                slots,
                node,
                cython.cast(cython.longlong, ids[i + k]),
                nodes + 1 if grow else 0,
            )
            if node == 0:
                break  # what is longer is not there either
            if node > nodes:
                nodes = node
                depth[node] = k
            counts[node] += 1
    return nodes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _table_size(nodes: cython.longlong) -> cython.longlong:
    """A power of two that leaves the table at most half full."""
    size: cython.longlong = 8
    while size < 2 * (nodes + 1):
        size *= 2
    return size


@_checks.checked(_checks.each_reference)
def each_reference(
    source_ids: cython.int[::1],
    source_offsets: cython.longlong[::1],
    hypothesis_ids: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    order: cython.longlong,
    paper: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],
) -> None:
    """GLEU+ statistics of the segments `start:stop`, a row for every reference of each.

    Columns: `order` numerators, `order` denominators, length of the hypothesis, of the reference. The
    references of segment i are the rows `rows[i]:rows[i + 1]`. `paper` chooses the penalty of the
    paper's Equation 1 instead of that of the released program.
    """
    longest: cython.longlong = 0
    i: cython.longlong
    for i in range(start, stop):
        longest = max(longest, hypothesis_offsets[i + 1] - hypothesis_offsets[i])
    most: cython.longlong = longest * order + 1
    size: cython.longlong = _table_size(most)
    keys: cython.longlong[::1] = np.full(size, -1, dtype=np.int64)
    table: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    slots: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    depth: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_hypothesis: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_source: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_reference: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    mask: cython.longlong
    nodes: cython.longlong
    node: cython.longlong
    row: cython.longlong
    length: cython.longlong
    h: cython.longlong
    s: cython.longlong
    r: cython.longlong
    k: cython.longlong
    with cython.nogil:
        for i in range(start, stop):
            length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
            mask = _table_size(length * order + 1) - 1
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                keys, table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            # n-grams that the hypothesis lacks touch no sum: from here on nothing is added.
            _count(
                source_ids, source_offsets[i], source_offsets[i + 1], order,
                keys, table, mask, slots, depth, in_source, nodes, 0,
            )  # fmt: skip
            for row in range(rows[i], rows[i + 1]):
                _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    keys, table, mask, slots, depth, in_reference, nodes, 0,
                )  # fmt: skip
                for k in range(2 * order):
                    out[row, k] = 0
                for node in range(1, nodes + 1):
                    h = in_hypothesis[node]
                    s = in_source[node]
                    r = in_reference[node]
                    in_reference[node] = 0
                    if h < s:
                        s = h
                    if paper == 0 and r > 0:
                        s = 0  # the program looks at which n-grams there are, not how often
                    if h < r:
                        r = h
                    k = depth[node]
                    if paper == 0:
                        out[row, k] += r - s
                    else:
                        out[row, k] += r - (s - r if s > r else 0)
                for k in range(order):
                    if out[row, k] < 0:
                        out[row, k] = 0
                    out[row, order + k] = length - k if length > k else 0
                out[row, 2 * order] = length
                out[row, 2 * order + 1] = reference_offsets[row + 1] - reference_offsets[row]
            for node in range(1, nodes + 1):
                keys[slots[node]] = -1
                in_hypothesis[node] = 0
                in_source[node] = 0


@_checks.checked(_checks.edited)
def edited(
    source_ids: cython.int[::1],
    source_offsets: cython.longlong[::1],
    hypothesis_ids: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    order: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],
) -> None:
    """GREEN's counts of the segments `start:stop`, one row for every reference of each.

    Columns: `order` true positives, `order` false positives, `order` false negatives: how often n-grams were
    kept, deleted and inserted by hypothesis and reference alike, and by one of the two alone.
    """
    longest: cython.longlong = 0
    length: cython.longlong
    i: cython.longlong
    row: cython.longlong
    for i in range(start, stop):
        length = source_offsets[i + 1] - source_offsets[i]
        length += hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        length += reference_offsets[rows[i + 1]] - reference_offsets[rows[i]]
        longest = max(longest, length)
    most: cython.longlong = longest * order + 1
    size: cython.longlong = _table_size(most)
    keys: cython.longlong[::1] = np.full(size, -1, dtype=np.int64)
    table: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    slots: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    depth: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_hypothesis: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_source: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_reference: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    mask: cython.longlong = size - 1
    nodes: cython.longlong
    node: cython.longlong
    h: cython.longlong
    s: cython.longlong
    r: cython.longlong
    k: cython.longlong
    both: cython.longlong
    either: cython.longlong
    with cython.nogil:
        for i in range(start, stop):
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                keys, table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            nodes = _count(
                source_ids, source_offsets[i], source_offsets[i + 1], order,
                keys, table, mask, slots, depth, in_source, nodes, 1,
            )  # fmt: skip
            for row in range(rows[i], rows[i + 1]):
                nodes = _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    keys, table, mask, slots, depth, in_reference, nodes, 1,
                )  # fmt: skip
                for k in range(3 * order):
                    out[row, k] = 0
                for node in range(1, nodes + 1):
                    h = in_hypothesis[node]
                    s = in_source[node]
                    r = in_reference[node]
                    in_reference[node] = 0
                    k = depth[node]
                    both = r if r < h else h
                    either = h if r < h else r
                    out[row, k] += both if both < s else s  # kept
                    if s > either:
                        out[row, k] += s - either  # deleted
                    elif both > s:
                        out[row, k] += both - s  # inserted
                    if h < s and h < r:
                        out[row, order + k] += (s if s < r else r) - h  # deleted too much
                    elif h > s and h > r:
                        out[row, order + k] += h - (s if s > r else r)  # inserted too much
                    if r < s and r < h:
                        out[row, 2 * order + k] += (s if s < h else h) - r  # deleted too little
                    elif r > s and r > h:
                        out[row, 2 * order + k] += r - (s if s > h else h)  # inserted too little
            for node in range(1, nodes + 1):
                keys[slots[node]] = -1
                in_hypothesis[node] = 0
                in_source[node] = 0


@_checks.checked(_checks.pooled)
def pooled(
    source_ids: cython.int[::1],
    source_offsets: cython.longlong[::1],
    hypothesis_ids: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    order: cython.longlong,
    with_source: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],
) -> None:
    """Statistics against all references together (the most often any has an n-gram), a row a segment.

    Columns: `order` matches, `order` totals, length of the hypothesis, of the closest reference; and
    `with_source` (GLEU of 2015) four further groups of `order`: matches that the source lacks, matches
    with the source that the references lack, n-grams that both lack, and how many n-grams the
    references have that the source lacks. With 1 a text lacks an n-gram it does not have at all, with 2
    also the occurrences by which it has fewer. Of two reference lengths equally close the shorter is
    taken without the source (BLEU), the first with it.
    """
    i: cython.longlong
    row: cython.longlong
    longest: cython.longlong = 0
    length: cython.longlong
    for i in range(start, stop):
        length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        if with_source:
            length += source_offsets[i + 1] - source_offsets[i]
            length += reference_offsets[rows[i + 1]] - reference_offsets[rows[i]]
        longest = max(longest, length)
    most: cython.longlong = longest * order + 1
    size: cython.longlong = _table_size(most)
    keys: cython.longlong[::1] = np.full(size, -1, dtype=np.int64)
    table: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    slots: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    depth: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_hypothesis: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_source: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_reference: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    in_any: cython.longlong[::1] = np.zeros(most + 1, dtype=np.int64)
    mask: cython.longlong = size - 1
    nodes: cython.longlong
    node: cython.longlong
    closest: cython.longlong
    here: cython.longlong
    distance: cython.longlong
    h: cython.longlong
    s: cython.longlong
    r: cython.longlong
    k: cython.longlong
    wanted: cython.longlong
    unwanted: cython.longlong
    with cython.nogil:
        for i in range(start, stop):
            length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                keys, table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            if with_source:
                nodes = _count(
                    source_ids, source_offsets[i], source_offsets[i + 1], order,
                    keys, table, mask, slots, depth, in_source, nodes, 1,
                )  # fmt: skip
            closest = -1
            for row in range(rows[i], rows[i + 1]):
                nodes = _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    keys, table, mask, slots, depth, in_reference, nodes, with_source,
                )  # fmt: skip
                for node in range(1, nodes + 1):
                    if in_reference[node] > in_any[node]:
                        in_any[node] = in_reference[node]
                    in_reference[node] = 0
                here = reference_offsets[row + 1] - reference_offsets[row]
                distance = abs(here - length) - abs(closest - length)
                if closest < 0 or distance < 0 or (distance == 0 and not with_source and here < closest):
                    closest = here
            for k in range(order):
                out[i, k] = 0
                out[i, order + k] = length - k if length > k else 0
            out[i, 2 * order] = length
            out[i, 2 * order + 1] = closest
            if with_source:
                for k in range(2 * order + 2, 6 * order + 2):
                    out[i, k] = 0
            for node in range(1, nodes + 1):
                h = in_hypothesis[node]
                r = in_any[node]
                s = in_source[node]
                k = depth[node]
                out[i, k] += r if r < h else h
                if with_source:
                    k += 2 * order + 2
                    if with_source == 2:
                        wanted = r - s
                        unwanted = s - r
                    else:
                        wanted = r if s == 0 else 0
                        unwanted = s if r == 0 else 0
                    if wanted > 0:
                        out[i, k] += wanted if wanted < h else h
                        out[i, k + 3 * order] += wanted
                    if unwanted > 0:
                        out[i, k + order] += unwanted if unwanted < h else h
                    if r == 0 and s == 0:
                        out[i, k + 2 * order] += h
                keys[slots[node]] = -1
                in_hypothesis[node] = 0
                in_source[node] = 0
                in_any[node] = 0
