"""The noisy channel's search: Viterbi over trigrams, and the margins of what it changes.

Costs are integers (1/256 of a natural logarithm), so both twins agree. The models of forms, lemmas and tags
lie one behind the other in the same arrays, the unigrams of each beginning where `bounds` says:

- `unigrams`: the cost and the backoff of every word, where the bigrams that it begins begin and end, and the
  set of their last words;
- `followers`: the last word and the cost of every bigram; `pairs`: its backoff, and the same of its trigrams;
- `triples`: the last word and the cost of every trigram.

The n-grams of one context lie side by side, in the order of a hash table (`fill`), with empty rows (-1).
"""

import cython

from errata.kernels import _checks

_NEVER = cython.declare(cython.longlong, 1 << 60)  # a cost that no history has
_UNSEEN = cython.declare(cython.longlong, -2)  # a bigram that was not looked up
# Columns of states: the numbers of bigrams, their backoffs, where their trigrams begin and end, by model.
_PAIRS = cython.declare(cython.longlong, 6)
_BACKOFFS = cython.declare(cython.longlong, 9)
_FIRST = cython.declare(cython.longlong, 12)
_LAST = cython.declare(cython.longlong, 15)
_SETS = cython.declare(cython.longlong, 18)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _place(word: cython.longlong, size: cython.longlong) -> cython.longlong:
    """Where to begin looking for a word among so many rows; ids have 21 bits, so nothing overflows."""
    hashed: cython.longlong = cython.cast(cython.longlong, word) * 0x5E3779B1
    return (hashed >> 13) & (cython.cast(cython.longlong, size) - 1)


@_checks.checked(_checks.fill)
def fill(
    begun: cython.longlong[::1],
    words: cython.int[::1],
    rows: cython.longlong[::1],
    table: cython.int[:, ::1],
    places: cython.longlong[::1],
    sets: cython.int[::1],
):
    """Put the last words of n-grams into a table, their rows into `places`, and their sets into `sets`.

    Those of the context i are `words[begun[i]:begun[i + 1]]`; they go to the rows `rows[i]:rows[i + 1]`. The
    number of these is a power of two and larger than theirs (or 0). Empty rows are -1. A set has a bit for
    every remainder of a word by 31.
    """
    i: cython.longlong
    k: cython.longlong
    size: cython.longlong
    row: cython.longlong
    with cython.nogil:
        for i in range(begun.shape[0] - 1):
            size = rows[i + 1] - rows[i]
            for k in range(begun[i], begun[i + 1]):
                row = _place(words[k], size)
                while table[rows[i] + row, 0] >= 0:
                    row = (row + 1) & (size - 1)
                table[rows[i] + row, 0] = words[k]
                places[k] = rows[i] + row
                sets[i] |= 1 << (words[k] % 31)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _find(
    word: cython.longlong, begin: cython.longlong, end: cython.longlong, table: cython.int[:, ::1]
) -> cython.longlong:
    """The row `begin:end` of the table with this word, or -1."""
    size: cython.longlong = end - begin
    row: cython.longlong = _place(word, size)
    found: cython.longlong
    if size == 0:
        return -1
    while True:
        found = table[begin + row, 0]
        if found == word:
            return begin + row
        if found < 0:
            return -1
        row = (row + 1) & (size - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _pair(
    v: cython.longlong,
    w: cython.longlong,
    first: cython.longlong,
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
) -> cython.longlong:
    """The number of the bigram v w of the model whose unigrams begin at `first`, or -1."""
    if (unigrams[first + v, 4] >> (w % 31)) & 1 == 0:
        return -1
    return _find(w, unigrams[first + v, 2], unigrams[first + v, 3], followers)


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
    followers: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
) -> cython.longlong:
    """The cost of w after u v; `context` is the number of the bigram u v, `pair` that of v w (-1: none)."""
    cost: cython.longlong = 0
    found: cython.longlong
    if context >= 0:
        found = _find(w, pairs[context, 1], pairs[context, 2], triples)
        if found >= 0:
            return cython.cast(cython.longlong, triples[found, 1])
        cost = pairs[context, 0]
    if pair >= 0:
        return cost + followers[pair, 1]
    return cost + unigrams[first + v, 1] + unigrams[first + w, 0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _remember(
    states: cython.longlong[:, ::1],
    at: cython.longlong,
    weights: cython.int[::1],
    pairs: cython.int[:, ::1],
) -> cython.void:
    """Put the backoffs of a state's bigrams, and where their trigrams begin and end, beside their numbers."""
    m: cython.longlong
    pair: cython.longlong
    for m in range(3):
        pair = states[at, _PAIRS + m] if weights[m] != 0 else -1
        states[at, _BACKOFFS + m] = pairs[pair, 0] if pair >= 0 else 0
        states[at, _FIRST + m] = pairs[pair, 1] if pair >= 0 else 0
        states[at, _LAST + m] = pairs[pair, 2] if pair >= 0 else 0
        states[at, _SETS + m] = pairs[pair, 3] if pair >= 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _extended(
    cost: cython.longlong,
    at: cython.longlong,
    c: cython.longlong,
    row: cython.longlong,
    limit: cython.longlong,
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
    states: cython.longlong[:, ::1],
    memo: cython.longlong[:, ::1],
) -> cython.longlong:
    """The cost of the history `at` with the last word of the choice c behind it, or `_NEVER` above the limit.

    The numbers of the bigram of its last word and this one go to `memo[row]`, and its costs without regard to
    what comes before.
    """
    m: cython.longlong
    v: cython.longlong
    w: cython.longlong
    pair: cython.longlong
    found: cython.longlong
    one: cython.longlong
    total: cython.longlong = 0
    for m in range(3):
        if weights[m] != 0:
            w = choices[c, 5 + m]
            if memo[row, m] == _UNSEEN:
                v = classes[states[at, 1], m]
                pair = -1
                if unigrams[bounds[m] + v, 4] & choices[c, 11 + m]:
                    pair = _find(w, unigrams[bounds[m] + v, 2], unigrams[bounds[m] + v, 3], followers)
                memo[row, m] = pair
                if pair >= 0:
                    memo[row, 3 + m] = followers[pair, 1]
                else:
                    memo[row, 3 + m] = unigrams[bounds[m] + v, 1] + choices[c, 8 + m]
            one = states[at, _BACKOFFS + m] + memo[row, 3 + m]
            if states[at, _SETS + m] & choices[c, 11 + m]:
                found = _find(w, states[at, _FIRST + m], states[at, _LAST + m], triples)
                if found >= 0:
                    one = triples[found, 1]
            total += weights[m] * one
        # Most histories are too dear by their forms alone.
        if m == 0 and cost + ((total + choices[c, 4]) >> 8) > limit:
            return _NEVER
    return cost + (total >> 8)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _parted(
    cost: cython.longlong,
    at: cython.longlong,
    c: cython.longlong,
    spare: cython.longlong,
    row: cython.longlong,
    limit: cython.longlong,
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
    states: cython.longlong[:, ::1],
    memo: cython.longlong[:, ::1],
) -> cython.longlong:
    """The same for a choice of two words, whose last bigram goes to `memo[row]`.

    `spare` is the row of states for the history with the first word, which many choices share: it is made
    again where its last word is another one.
    """
    m: cython.longlong
    v: cython.longlong
    w: cython.longlong
    total: cython.longlong = 0
    if states[spare, 1] != choices[c, 0]:
        for m in range(3):
            if weights[m] != 0:
                v = classes[states[at, 1], m]
                w = classes[choices[c, 0], m]
                states[spare, _PAIRS + m] = _pair(v, w, bounds[m], unigrams, followers)
                total += weights[m] * _gram(
                    states[at, _PAIRS + m], states[spare, _PAIRS + m], v, w, bounds[m], unigrams, followers,
                    pairs, triples,
                )  # fmt: skip
        states[spare, 1] = choices[c, 0]
        states[spare, 2] = total >> 8
        _remember(states, spare, weights, pairs)
    cost += states[spare, 2]
    if cost + choices[c, 14] > limit:
        return _NEVER
    return _extended(
        cost, spare, c, row, limit, choices, weights, classes, bounds, unigrams, followers, pairs, triples,
        states, memo,
    )  # fmt: skip


@_checks.checked(_checks.viterbi)
def viterbi(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
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

    A token of kind k may become any of `choices[choice_offsets[k]:choice_offsets[k + 1]]`. The columns are:

    - up to two words (-1: no word), and the cost of the choice;
    - a bound below what a history costs more with it;
    - of the last word, a bound below the weighted costs of lemma and tag; the form, lemma and tag; what each
      costs without a context; each as a set; and a bound below its weighted cost.

    The words of choices of one word differ. `weights` (of 256) multiply the costs of forms, lemmas and tags;
    `classes` gives these of every word. `states` and `memo` are scratch: `width` states for every token of
    the longest sentence and two more; and `width` + 1 times as many bigrams as a token has choices. The
    columns of `states` are the word before, the word, the cost, the state before, the choice, and the first
    state of the token with the same word; then, by model, the number of the bigram of both words, its
    backoff, where its trigrams begin and end, and their set. Those of `memo` are, by model, the number and
    the cost of a bigram, and then the lowest cost known of a history that ends with it.

    A history is a state if it is among the cheapest `width`, in the order in which they are tried: equal
    histories are one state, and what is no cheaper than the last of a full beam is left out. The costs of any
    `width` different histories are a bound above the cost of what may stay. So the choices are first tried
    for one history of each last word, and what is dearer by a bound from below is never looked at.
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
    same: cython.longlong
    cost: cython.longlong
    total: cython.longlong
    now: cython.longlong
    then: cython.longlong
    count: cython.longlong
    following: cython.longlong
    limit: cython.longlong
    highest: cython.longlong
    worst: cython.longlong
    most: cython.longlong = memo.shape[0] // (width + 1)
    spare: cython.longlong = states.shape[0] - width
    with cython.nogil:
        for s in range(start, stop):
            if offsets[s] == offsets[s + 1]:
                continue
            states[0, 0] = -1
            states[0, 1] = 1
            states[0, 2] = 0
            for m in range(3):
                states[0, _PAIRS + m] = -1
            count = 1
            now = 0
            for t in range(offsets[s], offsets[s + 1]):
                then = now + width
                low = choice_offsets[kinds[t]]
                high = choice_offsets[kinds[t] + 1]
                for c in range(high - low):
                    for m in range(3):
                        memo[width * most + c, m] = _UNSEEN
                # Histories with the same last word share the bigrams that it begins. The first of them gives
                # costs of different histories; the cheapest `width` are kept in order in the next states.
                limit = _NEVER - 1
                following = 0
                for i in range(count):
                    _remember(states, now + i, weights, pairs)
                    states[spare + i, 1] = -1
                    same = 0
                    while states[now + same, 1] != states[now + i, 1]:
                        same += 1
                    states[now + i, 5] = same
                    if same < i:
                        continue
                    for row in range(i * most, i * most + high - low):
                        for m in range(3):
                            memo[row, m] = _UNSEEN
                        memo[row, 6] = _NEVER
                for i in range(count):
                    if states[now + i, 5] < i:
                        continue
                    for c in range(low, high):
                        if choices[c, 0] < 0 or choices[c, 1] >= 0:
                            continue
                        if states[now + i, 2] + choices[c, 3] > limit:
                            continue
                        row = i * most + c - low
                        cost = _extended(
                            states[now + i, 2] + choices[c, 2], now + i, c, row, limit, choices, weights,
                            classes, bounds, unigrams, followers, pairs, triples, states, memo,
                        )  # fmt: skip
                        memo[row, 6] = cost
                        if cost > limit:
                            continue
                        if following < width:
                            following += 1
                        k = following - 1
                        while k > 0 and states[then + k - 1, 2] > cost:
                            states[then + k, 2] = states[then + k - 1, 2]
                            k -= 1
                        states[then + k, 2] = cost
                        if following == width:
                            limit = states[then + width - 1, 2]
                following = 0
                for i in range(count):
                    u = states[now + i, 0]
                    v = states[now + i, 1]
                    same = states[now + i, 5]
                    for c in range(low, high):
                        highest = limit
                        if following == width and states[then + width - 1, 2] <= limit:
                            highest = states[then + width - 1, 2] - 1
                        if states[now + i, 2] + choices[c, 3] > highest:
                            continue
                        a = choices[c, 0]
                        b = choices[c, 1]
                        cost = states[now + i, 2] + choices[c, 2]
                        row = same * most + c - low
                        if a < 0:
                            row = -1
                            a = u
                            b = v
                        elif b < 0:
                            if same == i:
                                cost = memo[row, 6]
                            else:
                                if memo[row, 6] <= highest:
                                    highest = memo[row, 6] - 1
                                    if states[now + i, 2] + choices[c, 3] > highest:
                                        continue
                                cost = _extended(
                                    cost, now + i, c, row, highest, choices, weights, classes, bounds,
                                    unigrams, followers, pairs, triples, states, memo,
                                )  # fmt: skip
                                if cost < memo[row, 6]:
                                    memo[row, 6] = cost
                            b = a
                            a = v
                        else:
                            row = width * most + c - low
                            cost = _parted(
                                cost, now + i, c, spare + i, row, highest, choices, weights, classes, bounds,
                                unigrams, followers, pairs, triples, states, memo,
                            )  # fmt: skip
                        if cost > highest:
                            continue
                        # Equal histories are one state; the beam stays sorted.
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
                            for j in range(_BACKOFFS):
                                states[then + k, j] = states[then + k - 1, j]
                            k -= 1
                        states[then + k, 0] = a
                        states[then + k, 1] = b
                        states[then + k, 2] = cost
                        states[then + k, 3] = i
                        states[then + k, 4] = c
                        for m in range(3):
                            if row >= 0:
                                states[then + k, _PAIRS + m] = memo[row, m]
                            else:
                                states[then + k, _PAIRS + m] = states[now + i, _PAIRS + m]
                if following == 0:  # bounds that are none: go on from somewhere
                    following = 1
                    states[then, 0] = -1
                    states[then, 1] = 1
                    states[then, 2] = 0
                    states[then, 3] = 0
                    states[then, 4] = low
                    for m in range(3):
                        states[then, _PAIRS + m] = -1
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
                            states[now + i, _PAIRS + m],
                            _pair(classes[v, m], classes[2, m], bounds[m], unigrams, followers),
                            classes[v, m], classes[2, m], bounds[m], unigrams, followers, pairs, triples,
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
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
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
                context = _pair(classes[u, m], classes[v, m], bounds[m], unigrams, followers)
            total += weights[m] * _gram(
                context, _pair(classes[v, m], classes[w, m], bounds[m], unigrams, followers),
                classes[v, m], classes[w, m], bounds[m], unigrams, followers, pairs, triples,
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
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
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
                                    u, v, w, weights, classes, bounds, unigrams, followers, pairs, triples
                                )
                                u = v
                                v = w
                                if i > t:
                                    words += 1
                        i += 1
                    found[t] += cost if side == 0 else -cost


@_checks.checked(_checks.costs)
def costs(
    offsets: cython.longlong[::1],
    words: cython.int[::1],
    known: cython.longlong[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[:, ::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[:, ::1],
    found: cython.longlong[:, ::1],
):
    """The costs of rows of words by each model, without those of the first `known` words of a row."""
    s: cython.longlong
    t: cython.longlong
    m: cython.longlong
    v: cython.longlong
    w: cython.longlong
    context: cython.longlong
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for m in range(3):
                found[s, m] = 0
                for t in range(offsets[s] + known[s], offsets[s + 1]):
                    v = classes[words[t - 1], m]
                    w = classes[words[t], m]
                    context = -1
                    if t - 2 >= offsets[s]:
                        context = _pair(classes[words[t - 2], m], v, bounds[m], unigrams, followers)
                    found[s, m] += _gram(
                        context, _pair(v, w, bounds[m], unigrams, followers), v, w, bounds[m], unigrams,
                        followers, pairs, triples,
                    )  # fmt: skip
