"""n-gram counts of (source, hypothesis, reference) over token ids: exact, linear in the text's length.

The n-grams of a segment are the nodes of a trie whose edges (parent, token) lie in an open-addressing
table with their whole keys, so that no two n-grams are ever taken for one. The table is emptied node by
node, never as a whole: scratch memory is about 100 bytes × order × the longest segment of the range.

Clipped matches alone (BLEU) are found without a trie where the references are short: the places where they
have an n-gram are the bits of some words, and the next token moves and masks these bits (Baeza-Yates and
Gonnet 1992).
"""

import cython
import numpy as np

from errata.kernels import _checks, _metric_checks, bounds

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits
FEW = cython.declare(cython.longlong, 8)  # words of places up to which no trie is needed
# The place of a number's only bit, by a product whose upper six bits differ for all of them.
ONE_BIT = cython.declare(cython.ulonglong, 0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    PLACES[((0x03F79D71B4CB0A89 << _bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = _bit
MOST_TOKENS = cython.declare(cython.longlong, 1 << 24)  # that scratch memory has room for


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _child(
    table: cython.longlong[::1],
    mask: cython.longlong,
    slots: cython.longlong[::1],
    parent: cython.longlong,
    token: cython.longlong,
    fresh: cython.longlong,
) -> cython.longlong:
    """The node below `parent` by `token`; if there is none, `fresh` is put there (0: nothing is)."""
    key: cython.longlong = ((parent << 32) | token) + 1
    # Stays below 2^63 for every 32-bit id, so that the uncompiled twin computes the same.
    slot: cython.longlong = parent * 40503 + token * 1640531527
    slot = 2 * ((slot ^ (slot >> 17)) & mask)
    while table[slot] != 0:
        if table[slot] == key:
            return table[slot + 1]
        slot = (slot + 2) & (2 * mask)
    if fresh != 0:
        table[slot] = key
        table[slot + 1] = fresh
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
    table: cython.longlong[::1],
    mask: cython.longlong,
    slots: cython.longlong[::1],
    depth: cython.longlong[::1],
    counts: cython.longlong[::1],
    nodes: cython.longlong,
    grow: cython.longlong,
) -> cython.longlong:
    """Add the n-grams of a text to `counts`; with `grow`, n-grams that are new become nodes."""
    for i in range(begin, end):
        node = 0
        deepest = end - i if end - i < order else order
        for k in range(deepest):
            token = cython.cast(cython.longlong, ids[i + k])
            node = _child(table, mask, slots, node, token, nodes + 1 if grow else 0)
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
def _largest(ids: cython.int[::1], begin: cython.longlong, end: cython.longlong) -> cython.longlong:
    """The largest token of a range; -1 for none."""
    found: cython.longlong = -1
    for i in range(begin, end):
        found = max(found, cython.cast(cython.longlong, ids[i]))
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _words(offsets: cython.longlong[::1], first: cython.longlong, last: cython.longlong) -> cython.longlong:
    """How many words have a bit for every token of these references and one behind each of them."""
    return ((offsets[last] - offsets[first] + last - first) >> 6) + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clipped(
    ids: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
    order: cython.longlong,
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    first: cython.longlong,
    last: cython.longlong,
    words: cython.longlong,
    known: cython.int[::1],
    often: cython.int[::1],
    places: cython.ulonglong[::1],
    ends: cython.ulonglong[::1],
    seen: cython.int[::1],
    place_of: cython.longlong[::1],
    out: cython.longlong[:, ::1],
    segment: cython.longlong,
) -> cython.void:
    """Add the n-grams of a text that the references `first:last` have, each as often as one of them has it.

    `known` gives every token of the references its row in `places`, `words` numbers whose bits say where
    they have it; row 0 is that of all other tokens. A bit is left free behind each reference. `ends` has such
    numbers for every order: where the n-gram that ends at the present token ends in the references.
    """
    row: cython.longlong
    bit: cython.longlong = 0
    again: cython.longlong = 0  # tokens up to this one that the text has more than once: so may their n-grams
    count: cython.int = 0
    one: cython.ulonglong = 1
    repeated: cython.bint = False
    for r in range(first, last):
        for i in range(reference_offsets[r], reference_offsets[r + 1]):
            row = reference_ids[i]
            if known[row] == 0:
                count += 1
                known[row] = count
                often[count] = 0
            place = cython.cast(cython.longlong, known[row]) * words + (bit >> 6)
            places[place] = cython.cast(cython.ulonglong, places[place]) | (one << (bit & 63))
            bit += 1
        bit += 1
    for i in range(begin, end):
        often[known[ids[i]]] += 1
    for i in range(words * order):
        ends[i] = 0
    for i in range(begin, end):
        row = known[ids[i]]
        again = again + 1 if often[row] > 1 else 0
        for k in range(order - 1, -1, -1):
            some = 0
            carried = 0
            for w in range(words):
                word = cython.cast(cython.ulonglong, places[row * words + w])
                if k != 0:
                    word &= ((cython.cast(cython.ulonglong, ends[(k - 1) * words + w]) << 1) & FULL) | carried
                    carried = cython.cast(cython.ulonglong, ends[(k - 1) * words + w]) >> 63
                ends[k * words + w] = word
                some |= word
            if some == 0:
                continue
            if k < again:
                repeated = True
                if not _again(ends, k, words, reference_offsets, first, seen, place_of):
                    continue
            out[segment, k] += 1
    if repeated:
        for place in range(64 * words * order):
            seen[place] = 0
    for place in range((count + 1) * words):
        places[place] = 0
    for i in range(reference_offsets[first], reference_offsets[last]):
        known[reference_ids[i]] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _again(
    ends: cython.ulonglong[::1],
    k: cython.longlong,
    words: cython.longlong,
    offsets: cython.longlong[::1],
    reference: cython.longlong,
    seen: cython.int[::1],
    place_of: cython.longlong[::1],
) -> cython.bint:
    """Count an n-gram in `seen`; whether any of the references, from `reference` on, has it so often.

    `ends` says where it ends in them: the first of these places stands for it.
    """
    here: cython.longlong = 0
    most: cython.longlong = 0
    shown: cython.longlong = -1
    stop: cython.longlong = offsets[reference + 1] - offsets[reference]
    one: cython.ulonglong = 1
    for w in range(words):
        word = cython.cast(cython.ulonglong, ends[k * words + w])
        while word != 0:
            low = ((word & ((FULL ^ word) + one)) * ONE_BIT) & FULL
            place = 64 * w + place_of[cython.cast(cython.longlong, low >> 58)]
            word &= word - one
            if shown < 0:
                shown = 64 * k * words + place
            while place >= stop:
                reference += 1
                stop += 1 + offsets[reference + 1] - offsets[reference]
                here = 0
            here += 1
            most = max(most, here)
    seen[shown] += 1
    return seen[shown] <= most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _table_size(nodes: cython.longlong) -> cython.longlong:
    """A power of two that leaves the table at most half full."""
    size: cython.longlong = 8
    while size < 2 * (nodes + 1):
        size *= 2
    return size


@_checks.checked(_metric_checks.each_reference)
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
    for i in range(start, stop):
        longest = max(longest, hypothesis_offsets[i + 1] - hypothesis_offsets[i])
    most: cython.longlong = longest * order + 1
    size: cython.longlong = _table_size(most)
    table: cython.longlong[::1] = bounds.zeros(2 * size)
    fields: cython.longlong[:, ::1] = bounds.zeros(5 * most).reshape(5, most)
    slots: cython.longlong[::1] = fields[0]
    depth: cython.longlong[::1] = fields[1]
    in_hypothesis: cython.longlong[::1] = fields[2]
    in_source: cython.longlong[::1] = fields[3]
    in_reference: cython.longlong[::1] = fields[4]
    with cython.nogil:
        for i in range(start, stop):
            length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
            mask = min(size, _table_size(4 * length * order)) - 1  # few steps to a free place
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            # n-grams that the hypothesis lacks touch no sum: from here on nothing is added.
            _count(
                source_ids, source_offsets[i], source_offsets[i + 1], order,
                table, mask, slots, depth, in_source, nodes, 0,
            )  # fmt: skip
            for row in range(rows[i], rows[i + 1]):
                _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    table, mask, slots, depth, in_reference, nodes, 0,
                )  # fmt: skip
                for k in range(2 * order):
                    out[row, k] = 0
                for node in range(1, nodes + 1):
                    h = in_hypothesis[node]
                    s = in_source[node]
                    r = in_reference[node]
                    in_reference[node] = 0
                    s = min(h, s)
                    if paper == 0 and r > 0:
                        s = 0  # the program looks at which n-grams there are, not how often
                    r = min(h, r)
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
                table[slots[node]] = 0
                in_hypothesis[node] = 0
                in_source[node] = 0


@_checks.checked(_metric_checks.edited)
def edited(
    source_ids: cython.int[::1],
    source_offsets: cython.longlong[::1],
    hypothesis_ids: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    order: cython.longlong,
    kind: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],
) -> None:
    """What hypothesis and references did to the n-grams of the source, in the segments `start:stop`.

    With the kind 0, one row per reference has GREEN's counts: `order` true positives, `order` false
    positives, `order` false negatives: how often n-grams were kept, deleted and inserted by hypothesis and
    reference alike, and by one of the two alone.

    With 1, one row per segment has SARI's counts over all references: for adding, keeping and deleting, and
    for every order, how many n-grams are right, were changed, and should have been. What was added is counted
    once for every n-gram, the rest as often as it occurs, times the number of references.

    With 2, one row per reference has ID's counts: for inserting and deleting, and for every order, how many
    different n-grams both, the hypothesis and the reference changed. Occurrences are not counted.
    """
    ours: cython.bint
    theirs: cython.bint
    together: cython.bint = kind == 1
    columns: cython.longlong = (3 if kind == 0 else 6) * order
    longest: cython.longlong = 0
    for i in range(start, stop):
        length = source_offsets[i + 1] - source_offsets[i]
        length += hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        length += reference_offsets[rows[i + 1]] - reference_offsets[rows[i]]
        longest = max(longest, length)
    most: cython.longlong = longest * order + 1
    mask: cython.longlong = _table_size(most) - 1
    table: cython.longlong[::1] = bounds.zeros(2 * mask + 2)
    fields: cython.longlong[:, ::1] = bounds.zeros(5 * most).reshape(5, most)
    slots: cython.longlong[::1] = fields[0]
    depth: cython.longlong[::1] = fields[1]
    in_hypothesis: cython.longlong[::1] = fields[2]
    in_source: cython.longlong[::1] = fields[3]
    in_reference: cython.longlong[::1] = fields[4]
    with cython.nogil:
        for i in range(start, stop):
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            nodes = _count(
                source_ids, source_offsets[i], source_offsets[i + 1], order,
                table, mask, slots, depth, in_source, nodes, 1,
            )  # fmt: skip
            for row in range(rows[i], rows[i + 1]):
                nodes = _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    table, mask, slots, depth, in_reference, nodes, 1,
                )  # fmt: skip
                if together:
                    continue
                for k in range(columns):
                    out[row, k] = 0
                for node in range(1, nodes + 1):
                    h = in_hypothesis[node]
                    s = in_source[node]
                    r = in_reference[node]
                    in_reference[node] = 0
                    k = depth[node]
                    if columns > 3 * order:
                        k = 3 * (k if s == 0 else order + k)
                        ours = (h > 0) == (s == 0)  # inserted, or deleted
                        theirs = (r > 0) == (s == 0)
                        out[row, k] += ours and theirs
                        out[row, k + 1] += ours
                        out[row, k + 2] += theirs
                        continue
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
            for k in range(9 * order if together else 0):
                out[i, k] = 0
            for node in range(1, nodes + 1):
                if together:
                    h = in_hypothesis[node] * (rows[i + 1] - rows[i])
                    s = in_source[node] * (rows[i + 1] - rows[i])
                    r = in_reference[node]
                    in_reference[node] = 0
                    k = 3 * depth[node]
                    if s == 0:
                        out[i, k] += h > 0 and r > 0
                        out[i, k + 1] += h > 0
                        out[i, k + 2] += r > 0
                    else:
                        k += 3 * order
                        out[i, k] += min(s, h, r)
                        out[i, k + 1] += min(s, h)
                        out[i, k + 2] += min(s, r)
                        k += 3 * order
                        out[i, k] += s - min(s, max(h, r))
                        out[i, k + 1] += s - min(s, h)
                        out[i, k + 2] += s - min(s, r)
                table[slots[node]] = 0
                in_hypothesis[node] = 0
                in_source[node] = 0


@_checks.checked(_metric_checks.pooled)
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
    longest: cython.longlong = 0
    widest: cython.longlong = 0
    tokens: cython.longlong = 0
    if not with_source:
        tokens = 1 + max(
            _largest(hypothesis_ids, hypothesis_offsets[start], hypothesis_offsets[stop]),
            _largest(reference_ids, reference_offsets[rows[start]], reference_offsets[rows[stop]]),
        )
    simple: cython.bint = 0 < tokens <= MOST_TOKENS
    for i in range(start, stop):
        words = _words(reference_offsets, rows[i], rows[i + 1])
        if simple and words <= FEW:
            widest = max(widest, words * (1 + reference_offsets[rows[i + 1]] - reference_offsets[rows[i]]))
            continue
        length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        if with_source:
            length += source_offsets[i + 1] - source_offsets[i]
            length += reference_offsets[rows[i + 1]] - reference_offsets[rows[i]]
        longest = max(longest, length)
    most: cython.longlong = longest * order + 1
    mask: cython.longlong = _table_size(most) - 1
    table: cython.longlong[::1] = bounds.zeros(2 * mask + 2)
    fields: cython.longlong[:, ::1] = bounds.zeros(6 * most).reshape(6, most)
    slots: cython.longlong[::1] = fields[0]
    depth: cython.longlong[::1] = fields[1]
    in_hypothesis: cython.longlong[::1] = fields[2]
    in_source: cython.longlong[::1] = fields[3]
    in_reference: cython.longlong[::1] = fields[4]
    in_any: cython.longlong[::1] = fields[5]
    known: cython.int[::1] = bounds.zeros(tokens // 2 + 1 if simple else 1).view(np.int32)
    places: cython.ulonglong[::1] = bounds.zeros(widest).view(np.uint64)
    often: cython.int[::1] = bounds.zeros(32 * FEW).view(np.int32)
    ends: cython.ulonglong[::1] = np.empty(FEW * order, dtype=np.uint64)
    seen: cython.int[::1] = bounds.zeros(32 * FEW * order).view(np.int32)
    place_of: cython.longlong[::1] = PLACES
    with cython.nogil:
        for i in range(start, stop):
            length = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
            closest = -1
            for row in range(rows[i], rows[i + 1]):
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
            words = _words(reference_offsets, rows[i], rows[i + 1])
            if simple and words <= FEW:
                _clipped(
                    hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                    reference_ids, reference_offsets, rows[i], rows[i + 1],
                    words, known, often, places, ends, seen, place_of, out, i,
                )  # fmt: skip
                continue
            nodes = _count(
                hypothesis_ids, hypothesis_offsets[i], hypothesis_offsets[i + 1], order,
                table, mask, slots, depth, in_hypothesis, 0, 1,
            )  # fmt: skip
            if with_source:
                nodes = _count(
                    source_ids, source_offsets[i], source_offsets[i + 1], order,
                    table, mask, slots, depth, in_source, nodes, 1,
                )  # fmt: skip
            for row in range(rows[i], rows[i + 1]):
                nodes = _count(
                    reference_ids, reference_offsets[row], reference_offsets[row + 1], order,
                    table, mask, slots, depth, in_reference, nodes, with_source,
                )  # fmt: skip
                for node in range(1, nodes + 1):
                    if in_reference[node] > in_any[node]:
                        in_any[node] = in_reference[node]
                    in_reference[node] = 0
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
                table[slots[node]] = 0
                in_hypothesis[node] = 0
                in_source[node] = 0
                in_any[node] = 0
