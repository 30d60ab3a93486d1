"""The noisy channel's search: Viterbi over trigrams, by a beam of histories.

The models are those of `errata.native.trigrams`. All that the search needs at one token lies in one small
array, `work`, in rows of 24 numbers; a row is known by the place where it begins. What has three numbers has
one for each model.

- The first row: the weights (0-2), and what is to be known of the present word: the cost of its choice (3), a
  bound below its own cost (4) and below its weighted costs by lemma and tag (5), its form, lemma and tag
  (6-8), what each costs without a context (9-11), where to begin looking for it (12-14), its sets (15-17).
- `width` rows for the histories up to a token, as many for those up to the next one, and as many for those
  with the first of two words between them: the last word but one (0), the last word (1), the cost (2), a key:
  the cost, then the order in which histories are tried (3), the place in the beam of the history that it
  continues (4), the choice that it continues it with (5), the bigrams of its last two words (6-8), its own
  place in the beam (9), the row of choices that describes its last word (10), the next history of its group,
  or -1 (11), and the contexts of its last two words (12-20).
- `width` + 1 rows for groups of histories that end with the same word and share the bigrams that it begins:
  the word (0), the first history (1), the one found last (2), the bigrams with the present word (3-5), their
  weighted costs (6-8), and the contexts of the word (12-20).

A context is the row where its n-grams begin, the number that describes them, and the weighted backoff. The
last number of the row k of a beam (23) gives the history whose place is k.
"""

import cython

if not cython.compiled:
    prefetch = cython.address  # nothing is gained by asking for memory early: see `channel.pxd`

_NEVER = cython.declare(cython.longlong, 1 << 60)  # a cost that no history has


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
@cython.inline
def _find(
    m: cython.longlong, at: cython.longlong, table: cython.int[::1], work: cython.longlong[::1]
) -> cython.longlong:
    """The row of the present word among the n-grams of the context in a row of `work`, or -1."""
    word: cython.longlong = work[6 + m]
    begin: cython.longlong = work[at + 12 + 3 * m]
    context: cython.longlong = work[at + 13 + 3 * m]
    found: cython.longlong
    if context & work[15 + m] == 0:
        return -1
    mask = (1 << ((context >> 16) & 31)) - 1
    row = work[12 + m] & mask
    while True:
        found = table[begin + row]
        if found >> 8 == word:
            return begin + row
        if found < 0:
            return -1
        row = (row + 1) & mask


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _join(
    m: cython.longlong, group: cython.longlong, followers: cython.int[::1], pairs: cython.int[:, ::1],
    work: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Find the bigram of a group's word and the present one, and what it costs by a model."""
    pair: cython.longlong = _find(m, group, followers, work)
    work[group + 3 + m] = pair
    if pair >= 0:
        if cython.compiled:
            prefetch(cython.address(pairs[pair, 0]))
        work[group + 6 + m] = work[m] * (followers[pair] & 255)
    else:
        work[group + 6 + m] = work[group + 14 + 3 * m] + work[9 + m]
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
@cython.inline
def _cost(
    m: cython.longlong, at: cython.longlong, group: cython.longlong, triples: cython.int[::1],
    work: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """What the present word costs by a model behind a history of a group."""
    found: cython.longlong = _find(m, at, triples, work)
    if found >= 0:
        return work[m] * (triples[found] & 255)
    return work[at + 14 + 3 * m] + work[group + 6 + m]


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
@cython.inline
def _cheapest(
    group: cython.longlong, ordered: cython.bint, limit: cython.longlong, followers: cython.int[::1],
    pairs: cython.int[:, ::1], triples: cython.int[::1], work: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """The least cost of a history of a group with the present word behind it.

    It is `_NEVER` if all cost more than the limit.
    """
    at: cython.longlong = work[group + 1]
    joined: cython.longlong = 0
    best: cython.longlong = _NEVER
    while at >= 0:
        cost = work[at + 2] + work[3]
        if cost + work[4] <= limit:
            if joined == 0:
                _join(0, group, followers, pairs, work)
                joined = 1
            total = _cost(0, at, group, triples, work)
            # Most histories are too dear by their forms alone.
            if cost + ((total + work[5]) >> 8) <= limit:
                if work[1] | work[2] != 0:
                    if joined == 1:
                        _join(1, group, followers, pairs, work)
                        _join(2, group, followers, pairs, work)
                        joined = 2
                    total += _cost(1, at, group, triples, work) + _cost(2, at, group, triples, work)
                cost += total >> 8
                if cost < best and cost <= limit:
                    best = cost
                    limit = cost
                    work[group + 2] = at
                elif cost == best and work[at + 9] < work[work[group + 2] + 9]:
                    work[group + 2] = at
        elif ordered:
            break
        at = work[at + 11]
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _remember(
    at: cython.longlong, found: cython.longlong, pairs: cython.int[:, ::1], work: cython.longlong[::1]
) -> cython.int:
    """Give a history the contexts of its last two words, whose bigrams stand from `found` on."""
    m: cython.longlong
    for m in range(3):
        pair = work[found + m]
        if pair >= 0:
            work[at + 12 + 3 * m] = pairs[pair, 0]
            work[at + 13 + 3 * m] = pairs[pair, 1]
            work[at + 14 + 3 * m] = work[m] * ((pairs[pair, 1] >> 21) - 128)
        else:
            work[at + 13 + 3 * m] = 0
            work[at + 14 + 3 * m] = 0
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _begin(
    group: cython.longlong, first: cython.longlong, shown: cython.longlong, choices: cython.int[:, ::1],
    bounds: cython.longlong[::1], unigrams: cython.int[:, ::1], work: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Begin a group with a history whose last word is described by a row of choices."""
    m: cython.longlong
    work[group] = choices[shown, 4]
    work[group + 1] = first
    for m in range(3):
        work[group + 3 + m] = -1
        work[group + 13 + 3 * m] = 0
        work[group + 14 + 3 * m] = 0
        if work[m] != 0:
            row = bounds[m] + choices[shown, 4 + m]
            work[group + 12 + 3 * m] = unigrams[row, 0]
            work[group + 13 + 3 * m] = unigrams[row, 1]
            work[group + 14 + 3 * m] = work[m] * ((unigrams[row, 1] >> 21) - 128)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _put(
    a: cython.longlong, b: cython.longlong, cost: cython.longlong, key: cython.longlong,
    rank: cython.longlong, c: cython.longlong, found: cython.longlong, shown: cython.longlong,
    anew: cython.bint, then: cython.longlong, end: cython.longlong, last: cython.longlong,
    work: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """Put a history into a sorted beam from `then` to `end`, or to `last` at most; gives where it ends then.

    Equal histories are one; `anew` says that none is equal to this one. Its bigrams stand from `found` on.
    """
    at: cython.longlong = end
    k: cython.longlong = end
    if not anew:
        k = then
        while k < end and (work[work[k + 23] + 1] != b or work[work[k + 23]] != a):
            k += 24
    if k == last:
        k -= 24
    if k < end:
        at = work[k + 23]
        if work[at + 3] < key:
            return end
    else:
        end += 24
    while k > then and work[work[k - 1] + 3] > key:
        work[k + 23] = work[k - 1]
        k -= 24
    work[k + 23] = at
    work[at] = a
    work[at + 1] = b
    work[at + 2] = cost
    work[at + 3] = key
    work[at + 4] = rank
    work[at + 5] = c
    for k in range(3):
        work[at + 6 + k] = work[found + k]
    work[at + 10] = shown
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _fetch(
    m: cython.longlong, at: cython.longlong, low: cython.longlong, high: cython.longlong,
    choices: cython.int[:, ::1], table: cython.int[::1], work: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Ask for the rows in which `_find` will look for the words of choices behind the context in a row."""
    word: cython.longlong
    begin: cython.longlong = work[at + 12 + 3 * m]
    context: cython.longlong = work[at + 13 + 3 * m]
    if context & 0xFFFF == 0:
        return 0
    mask = (1 << ((context >> 16) & 31)) - 1
    for c in range(low, high):
        word = choices[c, 4 + m]
        row = begin + (((word * 0x5E3779B1) >> 13) & mask)
        # Without a branch, which could not be predicted: the first row in place of one that is not needed.
        prefetch(cython.address(table[row & -((context >> (word & 15)) & 1)]))
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _prepare(
    low: cython.longlong, high: cython.longlong, now: cython.longlong, following: cython.longlong,
    first: cython.longlong, heads: cython.longlong, choices: cython.int[:, ::1],
    bounds: cython.longlong[::1], unigrams: cython.int[:, ::1], followers: cython.int[::1],
    triples: cython.int[::1], work: cython.longlong[::1],
) -> cython.int:  # fmt: skip
    """Ask for the memory that a step may need, so that it is waited for once and not for every row.

    What a row holds decides which one is read next, so that the processor cannot read ahead by itself.
    """
    m: cython.longlong
    while high > low and choices[high - 1, 1] >= 0:
        high -= 1
    for m in range(3):
        for at in range(first, heads, 24):
            _fetch(m, at, low, high, choices, followers, work)
        for at in range(now, following, 24):
            _fetch(m, at, low, high, choices, triples, work)
        if work[m] != 0:
            for c in range(low, high):
                prefetch(cython.address(unigrams[bounds[m] + choices[c, 4 + m], 0]))
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _step(
    low: cython.longlong, high: cython.longlong, now: cython.longlong, count: cython.longlong,
    size: cython.longlong, choices: cython.int[:, ::1], bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1], followers: cython.int[::1], pairs: cython.int[:, ::1],
    triples: cython.int[::1], work: cython.longlong[::1],
) -> cython.longlong:  # fmt: skip
    """Continue `count` histories from `now` on with the choices `low:high`; gives how many there are then."""
    turn: cython.longlong
    part: cython.longlong
    others: cython.longlong = 0
    then: cython.longlong = size + 48 - now
    following: cython.longlong = then
    parted: cython.longlong = -1
    limit: cython.longlong = _NEVER - 1
    first: cython.longlong = 3 * size + 24  # of the groups
    spare: cython.longlong = 4 * size + 24  # the group of histories with the first of two words
    heads: cython.longlong = first
    span: cython.longlong = count * (high - low)
    for i in range(count):
        at = work[now + 24 * i + 23]
        work[at + 9] = i
        work[at + 11] = -1
        g = first
        while g < heads and work[g] != work[at + 1]:
            g += 24
        if g == heads:
            heads += 24
            _begin(g, at, work[at + 10], choices, bounds, unigrams, work)
        else:
            work[work[g + 2] + 11] = at
        work[g + 2] = at
    if cython.compiled:
        _prepare(
            low, high, now, now + 24 * count, first, heads, choices, bounds, unigrams, followers, triples,
            work,
        )  # fmt: skip
    least = work[work[now + 23] + 2]
    # First all choices of one word, whose histories are all different.
    for turn in range(2):
        if turn > others:
            break
        for c in range(low, high):
            if (choices[c, 0] < 0 or choices[c, 1] >= 0) != turn:
                others = 1
                continue
            if choices[c, 0] < 0:
                for i in range(count):
                    at = work[now + 24 * i + 23]
                    cost = work[at + 2] + choices[c, 2]
                    if cost <= limit:
                        following = _put(
                            work[at], work[at + 1], cost, cost * span + i * (high - low) + c - low, i, c,
                            at + 6, work[at + 10], False, then, following, then + size, work,
                        )  # fmt: skip
                        if following == then + size:
                            limit = work[work[following - 1] + 2]
                continue
            # The first word of two makes a group of histories, to which the second is added.
            for part in range(2):
                g = first
                end = heads
                d = c
                highest = limit
                if part == 0:
                    d = choices[c, 11]
                    if not turn or d == parted:
                        continue
                    parted = d
                    _begin(spare, -1, d, choices, bounds, unigrams, work)
                    highest = -_NEVER
                    for i in range(low, high):
                        if choices[i, 1] >= 0 and choices[i, 11] == d:
                            cost = limit - cython.cast(cython.longlong, choices[i, 2])
                            highest = max(highest, cost - cython.cast(cython.longlong, choices[i, 10]))
                elif turn:
                    g = spare
                    end = g + 24
                if least + choices[d, 2] + choices[d, 10] > highest:
                    continue
                work[3] = choices[d, 2]
                work[4] = choices[d, 10]
                work[5] = choices[d, 3]
                for i in range(3):
                    work[6 + i] = choices[d, 4 + i]
                    work[9 + i] = choices[d, 7 + i]
                    work[12 + i] = (work[6 + i] * 0x5E3779B1) >> 13
                    work[15 + i] = 1 << (work[6 + i] & 15)
                while g < end:
                    cost = _cheapest(g, g < spare, highest, followers, pairs, triples, work)
                    if cost < _NEVER and part == 0:
                        at = g - size
                        work[at + 2] = cost
                        work[at + 9] = work[work[g + 2] + 9]
                        work[at + 11] = work[spare + 1]
                        _remember(at, g + 3, pairs, work)
                        work[spare + 1] = at
                    elif cost < _NEVER:
                        i = work[work[g + 2] + 9]
                        following = _put(
                            work[g], choices[c, 4], cost, cost * span + i * (high - low) + c - low, i, c,
                            g + 3, c, not turn, then, following, then + size, work,
                        )  # fmt: skip
                        if following == then + size:
                            limit = work[work[following - 1] + 2]
                            highest = limit
                    g += 24
    for at in range(then, following, 24):
        _remember(at, at + 6, pairs, work)
    return (following - then) // 24


def viterbi(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[::1],
    start: cython.longlong,
    stop: cython.longlong,
    width: cython.longlong,
    work: cython.longlong[::1],
    trail: cython.int[:, ::1],
    best: cython.int[::1],
):
    """The cheapest choice for every token of the sentences `start:stop`, by a beam of `width` histories.

    A token of kind k may become any of `choices[choice_offsets[k]:choice_offsets[k + 1]]`. The columns are:

    - up to two words (-1: no word), and the cost of the choice;
    - of the last word, a bound below the weighted costs of lemma and tag; the form, lemma and tag; what each
      costs without a context, weighted; and a bound below what it costs a history;
    - the row that describes the first of two words in the same way.

    The last rows describe the beginning and the end of a sentence. The words of choices of one word differ.
    `weights` multiply the costs of forms, lemmas and tags; 256 of the products are a unit. `trail` is
    scratch: the history before each and its choice, `width` for every token of the longest sentence and one
    more.

    A history stays if it is among the cheapest `width`; of two at the same cost the first is better, in the
    order of histories and then of choices. Equal histories are one. What is dearer by a bound from below than
    the last of a full beam is never looked at. So choices may be tried in any order.
    """
    k: cython.longlong
    ending: cython.longlong = choices.shape[0] - 1
    with cython.nogil:
        for k in range(3):
            work[k] = weights[k]
        for s in range(start, stop):
            now = 24
            count = 1
            work[now] = -1
            work[now + 1] = 1
            work[now + 2] = 0
            for k in range(3):
                work[now + 6 + k] = -1
            work[now + 10] = ending - 1
            work[now + 23] = now
            _remember(now, now + 6, pairs, work)
            at = 0
            for t in range(offsets[s], offsets[s + 1] + 1):
                low = ending
                high = ending + 1
                if t < offsets[s + 1]:
                    low = choice_offsets[kinds[t]]
                    high = choice_offsets[kinds[t] + 1]
                count = _step(
                    low, high, now, count, 24 * width, choices, bounds, unigrams, followers, pairs, triples,
                    work,
                )  # fmt: skip
                now = 24 * width + 48 - now
                for k in range(count):
                    trail[at + k, 0] = work[work[now + 24 * k + 23] + 4]
                    trail[at + k, 1] = work[work[now + 24 * k + 23] + 5]
                at += width
            k = trail[at - width, 0]
            at -= 2 * width
            for t in range(offsets[s + 1] - 1, offsets[s] - 1, -1):
                best[t] = trail[at + k, 1]
                k = trail[at + k, 0]
                at -= width
