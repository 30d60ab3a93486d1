"""The lexicon of the noisy channel as a trie: how it is built, and the words near a written one.

Trie nodes lie level by level, the children of a node side by side. A row of `nodes` is a node: its first
child, the number of its children, its word (-1: none) and a set of its children's letters modulo 31.
"""

import cython

from errata.kernels import _checks


@_checks.checked(_checks.build)
def build(
    letters: cython.int[::1],
    offsets: cython.longlong[::1],
    words: cython.int[::1],
    levels: cython.longlong[::1],
    path: cython.longlong[::1],
    node_letters: cython.int[::1],
    nodes: cython.int[:, ::1],
) -> cython.longlong:
    """Make a trie of words, which are given by their letters in order, and give the number of its nodes.

    `words` has their ids. `levels` and `path` are scratch, `levels` of zeros, as long as the longest word and
    two more. There are no more nodes than letters and one.
    """
    shared: cython.longlong
    turn: cython.longlong
    total: cython.longlong = 1
    with cython.nogil:
        # The first turn counts the nodes of every level; the second makes them.
        for turn in range(2):
            before = 0
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
                    nodes[node, 0] = 0
                    nodes[node, 1] = 0
                    nodes[node, 2] = -1
                    nodes[node, 3] = 0
                    if nodes[parent, 1] == 0:
                        nodes[parent, 0] = node
                    nodes[parent, 1] += 1
                    nodes[parent, 3] |= 1 << (node_letters[node] % 31)
                if turn == 1 and length > 0:
                    nodes[path[length], 2] = words[i]
            if turn == 0:
                # Where each level begins: behind the root and all levels before it.
                for k in range(1, levels.shape[0]):
                    node = levels[k]
                    levels[k - 1] = total
                    total += node
                node_letters[0] = 0
                nodes[0, 0] = 0
                nodes[0, 1] = 0
                nodes[0, 2] = -1
                nodes[0, 3] = 0
                path[0] = 0
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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


@_checks.checked(_checks.candidates)
def candidates(
    letters: cython.int[::1],
    offsets: cython.longlong[::1],
    limits: cython.int[:, ::1],
    node_letters: cython.int[::1],
    nodes: cython.int[:, ::1],
    replace: cython.int[:, ::1],
    delete: cython.int[::1],
    insert: cython.int[::1],
    swap: cython.longlong,
    same: cython.uchar[:, ::1],
    accepts: cython.int[::1],
    word_cost: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    stack: cython.longlong[:, ::1],
    out_words: cython.int[:, ::1],
    out_costs: cython.int[:, ::1],
    out_counts: cython.int[::1],
):
    """The cheapest words of the lexicon for the written words `start:stop`.

    `letters` are classes of letters. A row of `nodes` is a node of the trie: its first child, the number of
    its children, its word (-1: none) and a set of its children's letters modulo 31, to compare with the set
    of letters that a written letter `accepts` without an edit. `limits` gives the most edits and the highest
    cost of each word; `replace` and `same` have a row for every written letter; replacements marked in `same`
    (diacritics, case) are no edits. The list is ordered by
    the cost of the error plus half the cost of the word itself. `stack` bounds the search: what does not fit
    is left out.
    """
    d: cython.longlong
    letter: cython.longlong
    written: cython.longlong
    child: cython.longlong
    most: cython.longlong
    highest: cython.longlong
    count: cython.longlong
    word: cython.longlong
    after: cython.longlong
    here: cython.longlong
    last: cython.bint
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
                if at == length and nodes[node, 2] >= 0:
                    word = nodes[node, 2]
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
                if edits == most:
                    # Nothing but the letters that `written` accepts can follow.
                    if written < 0 or (nodes[node, 3] & accepts[written]) == 0:
                        continue
                    for child in range(nodes[node, 0], nodes[node, 0] + nodes[node, 1]):
                        letter = node_letters[child]
                        if letter == written:
                            top = _push(stack, top, child, at + 1, cost, edits)
                        elif same[written, letter]:
                            next_cost = cost + replace[written, letter]
                            if next_cost <= highest:
                                top = _push(stack, top, child, at + 1, next_cost, edits)
                        if top >= depth:
                            break
                    continue
                # After the last edit a state is worth keeping only if it ends a word or the next letter fits.
                last = edits + 1 == most
                here = accepts[written] if written >= 0 else 0
                after = accepts[letters[begin + at + 1]] if at + 1 < length else 0
                if written >= 0 and cost + insert[written] <= highest:
                    if (
                        not last
                        or (nodes[node, 3] & after) != 0
                        or (at + 1 == length and nodes[node, 2] >= 0)
                    ):
                        top = _push(stack, top, node, at + 1, cost + insert[written], edits + 1)
                for child in range(nodes[node, 0], nodes[node, 0] + nodes[node, 1]):
                    if top >= depth:
                        break
                    letter = node_letters[child]
                    if letter == written:
                        top = _push(stack, top, child, at + 1, cost, edits)
                    elif written >= 0:
                        # Costs come first: they lie near each other, and nodes do not.
                        next_cost = cost + replace[written, letter]
                        if next_cost <= highest:
                            if same[written, letter]:
                                top = _push(stack, top, child, at + 1, next_cost, edits)
                            elif (
                                not last
                                or (nodes[child, 3] & after) != 0
                                or (at + 1 == length and nodes[child, 2] >= 0)
                            ):
                                top = _push(stack, top, child, at + 1, next_cost, edits + 1)
                    next_cost = cost + delete[letter]
                    if next_cost <= highest:
                        if (
                            not last
                            or (nodes[child, 3] & here) != 0
                            or (at == length and nodes[child, 2] >= 0)
                        ):
                            top = _push(stack, top, child, at, next_cost, edits + 1)
                    if at + 1 < length and letter == letters[begin + at + 1] and cost + swap <= highest:
                        for d in range(nodes[child, 1]):
                            if node_letters[nodes[child, 0] + d] == written:
                                top = _push(stack, top, nodes[child, 0] + d, at + 2, cost + swap, edits + 1)
            out_counts[i] = count
