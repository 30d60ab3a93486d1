"""The lexicon of the noisy channel as a trie: how it is built, and the words near a written one.

Trie nodes lie level by level, the children of a node side by side in the order of their letters. A row of
`nodes` is a node; one more row ends the last one's children. It has two numbers:

- the set of its children's letters, in which frequent letters have a bit each, in their order, and rare ones
  share the bit `_RARE`. Every node has the bit `_ANY`, which is no letter's;
- from the lowest bit: its word, counted from 1 (22 bits, 0: none), a set of how many letters further down
  words end (16 bits, the last one for 15 and more), and its first child, which is that of the next node if it
  has none.
"""

import cython

_RARE = cython.declare(cython.longlong, 1 << 62)
_ANY = cython.declare(cython.longlong, 1 << 61)
_CHILD = cython.declare(cython.longlong, 1 << 38)
_ONES = cython.declare(cython.longlong, 0x5555555555555555)
_TWOS = cython.declare(cython.longlong, 0x3333333333333333)
_FOURS = cython.declare(cython.longlong, 0x0F0F0F0F0F0F0F0F)


def build(
    letters: cython.int[::1],
    offsets: cython.longlong[::1],
    words: cython.int[::1],
    sets: cython.longlong[::1],
    levels: cython.longlong[::1],
    path: cython.longlong[::1],
    node_letters: cython.int[::1],
    nodes: cython.longlong[:, ::1],
    most: cython.longlong,
) -> cython.longlong:
    """Make a trie of words, which are given by their letters in order, and give the number of its nodes.

    None are made where that is above `most`, which has 25 bits at most.

    `words` has their ids, and `sets` has each letter as a set. `levels` and `path` are scratch, `levels` of
    zeros, as long as the longest word and two more. There are no more nodes than letters and one.
    """
    shared: cython.longlong
    node: cython.longlong
    turn: cython.longlong
    total: cython.longlong = 1
    with cython.nogil:
        # The first turn counts the nodes of every level; the second makes them.
        for turn in range(2):
            before = 0
            if total > most:
                break
            for i in range(words.shape[0]):
                length = offsets[i + 1] - offsets[i]
                shared = 0
                while shared < before and shared < length:
                    if letters[offsets[i] + shared] != letters[offsets[i - 1] + shared]:
                        break
                    shared += 1
                before = length
                for depth in range(shared, length):
                    if turn == 0:
                        levels[depth + 1] += 1
                        continue
                    node = levels[depth]
                    levels[depth] += 1
                    parent = path[depth]
                    path[depth + 1] = node
                    node_letters[node] = letters[offsets[i] + depth]
                    nodes[node, 0] = _ANY
                    nodes[node, 1] = 0
                    nodes[parent, 0] |= sets[node_letters[node]]
                    nodes[parent, 1] += _CHILD
                if turn == 1 and length > 0:
                    nodes[path[length], 1] |= (words[i] + 1) | (1 << 22)
            if turn == 0:
                # Where each level begins: behind the root and all levels before it.
                for k in range(1, levels.shape[0]):
                    node = levels[k]
                    levels[k - 1] = total
                    total += node
                node_letters[0] = 0
                nodes[0, 0] = _ANY
                nodes[0, 1] = 0
                path[0] = 0
        # Numbers of children become places of first children; then the words below each node are known.
        k = total
        if total <= most:
            nodes[total, 0] = _ANY
            nodes[total, 1] = total * _CHILD
        for node in range(total - 1 if total <= most else -1, -1, -1):
            i = nodes[node, 1] >> 38
            k -= i
            nodes[node, 1] += (k - i) * _CHILD
            for i in range(k, nodes[node + 1, 1] >> 38):
                length = (nodes[i, 1] >> 22) & 0xFFFF
                nodes[node, 1] |= (((length << 1) | (length & 0x8000)) & 0xFFFF) << 22
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _size(letters: cython.longlong) -> cython.longlong:
    """How many letters a set has."""
    letters -= (letters >> 1) & _ONES
    letters = (letters & _TWOS) + ((letters >> 2) & _TWOS)
    letters = (letters + (letters >> 4)) & _FOURS
    letters += letters >> 8
    letters += letters >> 16
    letters += letters >> 32
    return letters & 127


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _ends(rest: cython.longlong, edits: cython.longlong) -> cython.longlong:
    """Where words may end if there are so many letters to come and so many edits left, as a node has it."""
    low: cython.longlong = min(max(rest - edits, 0), 15)
    high: cython.longlong = min(rest + edits, 15)
    found: cython.longlong = 0
    if rest >= 0:
        found = (2 << high) - (1 << low)
    return found << 22


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _push(
    stack: cython.longlong[:, ::1],
    top: cython.longlong,
    node: cython.longlong,
    at: cython.longlong,
    cost: cython.longlong,
    edits: cython.longlong,
) -> cython.longlong:
    """Put a state onto the stack; its new height."""
    stack[top, 0] = node
    stack[top, 1] = at
    stack[top, 2] = cost
    stack[top, 3] = edits
    return top + 1


def candidates(
    letters: cython.int[::1],
    offsets: cython.longlong[::1],
    limits: cython.int[:, ::1],
    node_letters: cython.int[::1],
    nodes: cython.longlong[:, ::1],
    sets: cython.longlong[::1],
    replace: cython.int[:, ::1],
    delete: cython.int[::1],
    insert: cython.int[::1],
    swap: cython.longlong,
    same: cython.uchar[:, ::1],
    accepts: cython.longlong[::1],
    word_cost: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    stack: cython.longlong[:, ::1],
    out_words: cython.int[:, ::1],
    out_costs: cython.int[:, ::1],
    out_counts: cython.int[::1],
):
    """The cheapest words of the lexicon for the written words `start:stop`.

    `letters` are classes of letters; `sets` has each of them as a set, and `accepts` the set of those that
    stand for a written one without an edit. `limits` gives the most edits and the highest cost of each word;
    `replace` and `same` have a row for every written letter; replacements marked in `same` (diacritics, case)
    are no edits. The list is ordered by the cost of the error plus half the cost of the word itself. `stack`
    bounds the search: what does not fit is left out.
    """
    letter: cython.longlong
    written: cython.longlong
    child: cython.longlong
    next_cost: cython.longlong
    most: cython.longlong
    highest: cython.longlong
    count: cython.longlong
    fits: cython.longlong
    best: cython.longlong = out_words.shape[1]
    depth: cython.longlong = stack.shape[0] - 4
    with cython.nogil:
        for i in range(start, stop):
            begin = offsets[i]
            length = offsets[i + 1] - begin
            most = limits[i, 0]
            highest = limits[i, 1]
            count = 0
            top = _push(stack, 0, 0, 0, 0, 0)
            while top > 0:
                top -= 1
                node = stack[top, 0]
                at = stack[top, 1]
                cost = stack[top, 2]
                edits = stack[top, 3]
                word = (nodes[node, 1] & 0x3FFFFF) - 1
                if at == length and word >= 0:
                    rank = cost + (word_cost[word, 0] >> 1)
                    k = 0
                    while k < count and out_words[i, k] != word:
                        k += 1
                    if k < count:
                        if cost < out_costs[i, k]:
                            out_costs[i, k] = cost
                        else:
                            rank = -1
                    elif count < best:
                        out_words[i, count] = word
                        out_costs[i, count] = cost
                        k = count
                        count += 1
                    elif rank < out_costs[i, count - 1] + (word_cost[out_words[i, count - 1], 0] >> 1):
                        k = count - 1
                        out_words[i, k] = word
                        out_costs[i, k] = cost
                    else:
                        rank = -1
                    if rank >= 0:
                        while k > 0 and rank < out_costs[i, k - 1] + (word_cost[out_words[i, k - 1], 0] >> 1):
                            out_words[i, k] = out_words[i, k - 1]
                            out_costs[i, k] = out_costs[i, k - 1]
                            k -= 1
                            out_words[i, k] = word
                            out_costs[i, k] = cost
                if top >= depth:
                    continue
                written = letters[begin + at] if at < length else -1
                ends_next = _ends(length - at - 1, most - edits)
                if edits == most:
                    # Nothing but the letters that `written` accepts can follow.
                    fits = nodes[node, 0] & accepts[written] if written >= 0 else 0
                    if fits != 0 and nodes[node, 0] >= _RARE:
                        fits = 0
                        for child in range(nodes[node, 1] >> 38, nodes[node + 1, 1] >> 38):
                            letter = node_letters[child]
                            next_cost = cost + (replace[written, letter] if letter != written else 0)
                            if (letter == written or same[written, letter]) and next_cost <= highest:
                                top = _push(stack, top, child, at + 1, next_cost, edits)
                            if top >= depth:
                                break
                    while fits > 0 and top < depth:
                        hit = fits & -fits
                        fits -= hit
                        child = (nodes[node, 1] >> 38) + _size(nodes[node, 0] & (hit - 1))
                        next_cost = cost
                        if hit != sets[written]:
                            next_cost += replace[written, node_letters[child]]
                        if next_cost <= highest and nodes[child, 1] & ends_next != 0:
                            top = _push(stack, top, child, at + 1, next_cost, edits)
                    continue
                # After an edit a state is worth keeping only if words of a fitting length follow; after the
                # last edit only if the next letter fits, too.
                ends_here = _ends(length - at, most - edits - 1)
                ends_after = _ends(length - at - 1, most - edits - 1)
                here = accepts[written] if written >= 0 and edits + 1 == most else _ANY
                after = accepts[letters[begin + at + 1]] if at + 1 < length and edits + 1 == most else _ANY
                if written >= 0 and cost + insert[written] <= highest:
                    if nodes[node, 1] & ends_after != 0 and nodes[node, 0] & after != 0:
                        top = _push(stack, top, node, at + 1, cost + insert[written], edits + 1)
                for child in range(nodes[node, 1] >> 38, nodes[node + 1, 1] >> 38):
                    if top >= depth:
                        break
                    letter = node_letters[child]
                    if letter == written:
                        if nodes[child, 1] & ends_next != 0:
                            top = _push(stack, top, child, at + 1, cost, edits)
                    elif written >= 0:
                        # Costs come first: they lie near each other, and nodes do not.
                        next_cost = cost + replace[written, letter]
                        if next_cost <= highest:
                            if same[written, letter]:
                                if nodes[child, 1] & ends_next != 0:
                                    top = _push(stack, top, child, at + 1, next_cost, edits)
                            elif nodes[child, 1] & ends_after != 0 and nodes[child, 0] & after != 0:
                                top = _push(stack, top, child, at + 1, next_cost, edits + 1)
                    next_cost = cost + delete[letter]
                    if next_cost <= highest:
                        if nodes[child, 1] & ends_here != 0 and nodes[child, 0] & here != 0:
                            top = _push(stack, top, child, at, next_cost, edits + 1)
                    if at + 1 < length and letter == letters[begin + at + 1] and cost + swap <= highest:
                        for k in range(nodes[child, 1] >> 38, nodes[child + 1, 1] >> 38):
                            if node_letters[k] == written:
                                top = _push(stack, top, k, at + 2, cost + swap, edits + 1)
            out_counts[i] = count
