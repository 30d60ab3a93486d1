"""The noisy channel's loops: candidates from a trie of the lexicon, Viterbi over trigrams, and margins.

Costs are integers (1/256 of a natural logarithm), so both twins agree. Trie nodes lie level by level, the
children of a node side by side. The models of forms, lemmas and tags lie one behind the other in the same
arrays, each beginning where `bounds` says:

- `bounds[m]`: the first unigram, the first slot of the table of bigrams, the table's size less one, and a
  bound below the cost of any word (backoffs may be negative);
- `unigrams`: cost and backoff; `table`: keys and numbers of bigrams by open addressing, key 0 where empty;
- `pairs`: the cost and the backoff of every bigram, and its first trigram, with one more row at the end;
- `triples`: the last word and the cost of every trigram, those of a bigram side by side in order.
"""

import cython

from errata.kernels import _checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _place(v: cython.longlong, w: cython.longlong) -> cython.longlong:
    """Where to begin looking for a bigram; word ids have 21 bits, so nothing overflows."""
    return (cython.cast(cython.longlong, v) * 0x5E3779B1 + cython.cast(cython.longlong, w) * 0x45EBCA77) >> 11


@_checks.checked(_checks.fill)
def fill(keys: cython.longlong[::1], table: cython.longlong[:, ::1], first: cython.longlong):
    """Put every key into the table, numbered from `first` on; the size of a table is a power of two."""
    mask: cython.longlong = table.shape[0] - 1
    i: cython.longlong
    slot: cython.longlong
    with cython.nogil:
        for i in range(keys.shape[0]):
            slot = _place(keys[i] >> 21, keys[i] & 0x1FFFFF) & mask
            while table[slot, 0] != 0:
                slot = (slot + 1) & mask
            table[slot, 0] = keys[i]
            table[slot, 1] = first + i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _pair(
    v: cython.longlong,
    w: cython.longlong,
    m: cython.longlong,
    bounds: cython.longlong[:, ::1],
    table: cython.longlong[:, ::1],
) -> cython.longlong:
    """The number of the bigram v w of model m, or -1."""
    key: cython.longlong = (cython.cast(cython.longlong, v) << 21) | w
    mask: cython.longlong = bounds[m, 2]
    begin: cython.longlong = bounds[m, 1]
    slot: cython.longlong = _place(v, w) & mask
    while table[begin + slot, 0] != 0:
        if table[begin + slot, 0] == key:
            return table[begin + slot, 1]
        slot = (slot + 1) & mask
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _gram(
    context: cython.longlong,
    pair: cython.longlong,
    v: cython.longlong,
    w: cython.longlong,
    first: cython.longlong,
    unigrams: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
) -> cython.longlong:
    """The cost of w after u v; `context` is the number of the bigram u v, `pair` that of v w (-1: none)."""
    cost: cython.longlong = 0
    low: cython.longlong
    high: cython.longlong
    middle: cython.longlong
    if context >= 0:
        low = pairs[context, 2]
        high = pairs[context + 1, 2]
        while low < high:
            middle = (low + high) >> 1
            if triples[middle, 0] < w:
                low = middle + 1
            else:
                high = middle
        if low < pairs[context + 1, 2] and triples[low, 0] == w:
            return cython.cast(cython.longlong, triples[low, 1])
        cost = pairs[context, 1]
    if pair >= 0:
        return cost + pairs[pair, 0]
    return cost + unigrams[first + v, 1] + unigrams[first + w, 0]


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
    i: cython.longlong
    k: cython.longlong
    d: cython.longlong
    begin: cython.longlong
    length: cython.longlong
    top: cython.longlong
    node: cython.longlong
    at: cython.longlong
    cost: cython.longlong
    edits: cython.longlong
    letter: cython.longlong
    written: cython.longlong
    child: cython.longlong
    next_cost: cython.longlong
    most: cython.longlong
    highest: cython.longlong
    count: cython.longlong
    word: cython.longlong
    rank: cython.longlong
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


@_checks.checked(_checks.viterbi)
def viterbi(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[:, ::1],
    unigrams: cython.int[:, ::1],
    table: cython.longlong[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    width: cython.longlong,
    states: cython.longlong[:, ::1],
    memo: cython.longlong[:, ::1],
    best: cython.int[::1],
):
    """The cheapest choice for every token of the sentences `start:stop`, by a beam of `width` histories.

    A token of kind k may become any of `choices[choice_offsets[k]:choice_offsets[k + 1]]`: up to two words
    (-1: no word) and the cost of the choice. `weights` (of 256) multiply the costs of forms, lemmas and tags;
    `classes` gives these of every word. `states` and `memo` are scratch: `width` states for every token of
    the longest sentence and one more, and `width` + 1 times as many bigrams as a token has choices. The
    columns of `states` are the word before, the word, the cost, the state before, the choice, and the
    numbers of the bigram of both words in the three models.
    """
    s: cython.longlong
    t: cython.longlong
    i: cython.longlong
    j: cython.longlong
    k: cython.longlong
    m: cython.longlong
    c: cython.longlong
    u: cython.longlong
    v: cython.longlong
    a: cython.longlong
    b: cython.longlong
    low: cython.longlong
    high: cython.longlong
    row: cython.longlong
    second: cython.longlong
    same: cython.longlong
    cost: cython.longlong
    total: cython.longlong
    now: cython.longlong
    then: cython.longlong
    count: cython.longlong
    following: cython.longlong
    worst: cython.longlong
    most: cython.longlong = memo.shape[0] // (width + 1)
    least: cython.longlong = weights[1] * bounds[1, 3] + weights[2] * bounds[2, 3]
    with cython.nogil:
        for s in range(start, stop):
            if offsets[s] == offsets[s + 1]:
                continue
            states[0, 0] = -1
            states[0, 1] = 1
            states[0, 2] = 0
            for m in range(3):
                states[0, 5 + m] = -1
            count = 1
            now = 0
            for t in range(offsets[s], offsets[s + 1]):
                then = now + width
                following = 0
                low = choice_offsets[kinds[t]]
                high = choice_offsets[kinds[t] + 1]
                second = width * most
                for c in range(high - low):
                    memo[second + c, 0] = -2
                for i in range(count):
                    u = states[now + i, 0]
                    v = states[now + i, 1]
                    # Histories with the same last word share the bigrams that it begins.
                    same = 0
                    while states[now + same, 1] != v:
                        same += 1
                    if same == i:
                        for c in range(high - low):
                            memo[i * most + c, 0] = -2
                    for c in range(low, high):
                        a = choices[c, 0]
                        b = choices[c, 1]
                        cost = states[now + i, 2] + choices[c, 2]
                        if following == width and cost >= states[then + width - 1, 2]:
                            continue
                        row = same * most + c - low
                        if a >= 0:
                            if memo[row, 0] == -2:
                                for m in range(3):
                                    memo[row, m] = _pair(classes[v, m], classes[a, m], m, bounds, table)
                            total = weights[0] * _gram(
                                states[now + i, 5], memo[row, 0], classes[v, 0], classes[a, 0],
                                bounds[0, 0], unigrams, pairs, triples,
                            )  # fmt: skip
                            # Most histories are too dear by their forms alone.
                            if following == width and b < 0:
                                if cost + ((total + least) >> 8) >= states[then + width - 1, 2]:
                                    continue
                            for m in range(1, 3):
                                if weights[m] != 0:
                                    total += weights[m] * _gram(
                                        states[now + i, 5 + m], memo[row, m], classes[v, m], classes[a, m],
                                        bounds[m, 0], unigrams, pairs, triples,
                                    )  # fmt: skip
                            cost += total >> 8
                            if b >= 0:
                                k = second + c - low
                                if memo[k, 0] == -2:
                                    for m in range(3):
                                        memo[k, m] = _pair(classes[a, m], classes[b, m], m, bounds, table)
                                total = 0
                                for m in range(3):
                                    if weights[m] != 0:
                                        total += weights[m] * _gram(
                                            memo[row, m], memo[k, m], classes[a, m], classes[b, m],
                                            bounds[m, 0], unigrams, pairs, triples,
                                        )  # fmt: skip
                                cost += total >> 8
                                row = k
                            else:
                                b = a
                                a = v
                        else:
                            row = -1
                            a = u
                            b = v
                        # Equal histories are one state; the beam stays sorted.
                        if following == width and cost >= states[then + width - 1, 2]:
                            continue
                        k = 0
                        while k < following and (states[then + k, 1] != b or states[then + k, 0] != a):
                            k += 1
                        if k < following:
                            if states[then + k, 2] <= cost:
                                continue
                        elif following < width:
                            following += 1
                        else:
                            k = width - 1
                        while k > 0 and states[then + k - 1, 2] > cost:
                            for j in range(8):
                                states[then + k, j] = states[then + k - 1, j]
                            k -= 1
                        states[then + k, 0] = a
                        states[then + k, 1] = b
                        states[then + k, 2] = cost
                        states[then + k, 3] = i
                        states[then + k, 4] = c
                        for m in range(3):
                            states[then + k, 5 + m] = memo[row, m] if row >= 0 else states[now + i, 5 + m]
                count = following
                now = then
            j = 0
            worst = -1
            for i in range(count):
                v = states[now + i, 1]
                total = 0
                for m in range(3):
                    if weights[m] != 0:
                        total += weights[m] * _gram(
                            states[now + i, 5 + m], _pair(classes[v, m], classes[2, m], m, bounds, table),
                            classes[v, m], classes[2, m], bounds[m, 0], unigrams, pairs, triples,
                        )  # fmt: skip
                cost = states[now + i, 2] + (total >> 8)
                if worst < 0 or cost < worst:
                    worst = cost
                    j = i
            t = offsets[s + 1] - 1
            while t >= offsets[s]:
                best[t] = states[now + j, 4]
                j = states[now + j, 3]
                now -= width
                t -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _word(
    u: cython.longlong,
    v: cython.longlong,
    w: cython.longlong,
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[:, ::1],
    unigrams: cython.int[:, ::1],
    table: cython.longlong[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
) -> cython.longlong:
    """The weighted cost of the word w after u v by all models (u < 0: nothing comes before v)."""
    m: cython.longlong
    context: cython.longlong
    total: cython.longlong = 0
    for m in range(3):
        if weights[m] != 0:
            context = -1
            if u >= 0:
                context = _pair(classes[u, m], classes[v, m], m, bounds, table)
            total += weights[m] * _gram(
                context, _pair(classes[v, m], classes[w, m], m, bounds, table),
                classes[v, m], classes[w, m], bounds[m, 0], unigrams, pairs, triples,
            )  # fmt: skip
    return total >> 8


@_checks.checked(_checks.margins)
def margins(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[:, ::1],
    unigrams: cython.int[:, ::1],
    table: cython.longlong[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    best: cython.int[::1],
    found: cython.int[::1],
):
    """How much more each sentence of `start:stop` would cost if one changed token stayed as it was written.

    The first choice of a token is to keep it; where `best` has that, the margin is 0. The other tokens keep
    their best choices. Only the token and the next two words can cost something else.
    """
    s: cython.longlong
    t: cython.longlong
    i: cython.longlong
    c: cython.longlong
    u: cython.longlong
    v: cython.longlong
    first_u: cython.longlong
    first_v: cython.longlong
    w: cython.longlong
    side: cython.longlong
    part: cython.longlong
    words: cython.longlong
    cost: cython.longlong
    with cython.nogil:
        for s in range(start, stop):
            for t in range(offsets[s], offsets[s + 1]):
                found[t] = 0
                if best[t] == choice_offsets[kinds[t]]:
                    continue
                first_v = -2
                first_u = -2
                i = t - 1
                while i >= offsets[s] and first_u == -2:
                    for part in range(2):
                        w = choices[best[i], 1 - part]
                        if w >= 0 and first_v == -2:
                            first_v = w
                        elif w >= 0 and first_u == -2:
                            first_u = w
                    i -= 1
                if first_v == -2:
                    first_v = 1
                    first_u = -1
                elif first_u == -2:
                    first_u = 1
                for side in range(2):
                    u = first_u
                    v = first_v
                    words = 0
                    cost = 0
                    i = t
                    while i <= offsets[s + 1] and (i == t or words < 2):
                        c = best[i] if i < offsets[s + 1] else -1
                        if i == t and side == 0:
                            c = choice_offsets[kinds[t]]
                        if i == t:
                            cost += choices[c, 2]
                        for part in range(2):
                            if c >= 0:
                                w = choices[c, part]
                            else:
                                w = 2 if part == 0 else -1
                            if w >= 0 and (i == t or words < 2):
                                cost += _word(
                                    u, v, w, weights, classes, bounds, unigrams, table, pairs, triples
                                )
                                u = v
                                v = w
                                if i > t:
                                    words += 1
                        i += 1
                    found[t] += cost if side == 0 else -cost
