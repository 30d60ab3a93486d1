"""Trigram models of forms, lemmas and tags: their tables, what words cost, and the margins of changes.

Costs are integers, so that both twins agree. The models lie one behind the other in the same arrays, the
unigrams of each beginning where `bounds` says:

- `followers`: the last word and the cost of every bigram, as `word << 8 | cost`; `triples`: of every trigram;
- `unigrams`: where the bigrams that a word begins begin, their context, and the cost of the word;
- `pairs`: the same of the trigrams that a bigram begins, without a cost.

The n-grams of one context lie side by side, in the order of a hash table (`fill`), with empty rows (-1). A
context is a number of 29 bits: a set of last words (16 bits, of 16 classes of words), the logarithm of the
number of rows (5 bits), and the backoff, to which 128 was added. Costs and backoffs are in steps.
"""

import cython

from errata.kernels import _checks, _correction_checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _hashed(word: cython.longlong) -> cython.longlong:
    """Where to begin looking for a word: the lowest bits. Ids have 21 bits, so that nothing overflows."""
    return (cython.cast(cython.longlong, word) * 0x5E3779B1) >> 13


@_checks.checked(_correction_checks.fill)
def fill(
    begun: cython.longlong[::1],
    words: cython.int[::1],
    costs: cython.int[::1],
    rows: cython.longlong[::1],
    table: cython.int[::1],
    places: cython.longlong[::1],
    sets: cython.int[::1],
):
    """Put the last words and costs of n-grams into a table, their rows into `places`, their sets into `sets`.

    Those of the context i are `words[begun[i]:begun[i + 1]]`; they go to the rows `rows[i]:rows[i + 1]`. The
    number of these is a power of two and larger than theirs (or 0). Empty rows are -1.
    """
    with cython.nogil:
        for i in range(begun.shape[0] - 1):
            size = rows[i + 1] - rows[i]
            for k in range(begun[i], begun[i + 1]):
                row = _hashed(words[k]) & (size - 1)
                while table[rows[i] + row] >= 0:
                    row = (row + 1) & (size - 1)
                table[rows[i] + row] = (words[k] << 8) | costs[k]
                places[k] = rows[i] + row
                sets[i] |= 1 << (words[k] & 15)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _find(
    word: cython.longlong, begin: cython.longlong, context: cython.longlong, table: cython.int[::1]
) -> cython.longlong:
    """The row of a word among the n-grams of a context that begin in a row of the table, or -1."""
    mask: cython.longlong = (1 << ((cython.cast(cython.longlong, context) >> 16) & 31)) - 1
    row: cython.longlong = _hashed(word) & mask
    found: cython.longlong
    if (context >> (word & 15)) & 1 == 0:
        return -1
    while True:
        found = table[begin + row]
        if found >> 8 == word:
            return begin + row
        if found < 0:
            return -1
        row = (row + 1) & mask


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _gram(
    u: cython.longlong, v: cython.longlong, w: cython.longlong, first: cython.longlong,
    unigrams: cython.int[:, ::1], followers: cython.int[::1], pairs: cython.int[:, ::1],
    triples: cython.int[::1],
) -> cython.longlong:  # fmt: skip
    """The cost of w after u v in the model whose unigrams begin at `first` (u < 0: nothing precedes v)."""
    cost: cython.longlong = 0
    row: cython.longlong = -1
    if u >= 0:
        row = _find(v, unigrams[first + u, 0], unigrams[first + u, 1], followers)
    if row >= 0:
        found = _find(w, pairs[row, 0], pairs[row, 1], triples)
        if found >= 0:
            return triples[found] & 255
        cost = (pairs[row, 1] >> 21) - 128
    row = _find(w, unigrams[first + v, 0], unigrams[first + v, 1], followers)
    if row >= 0:
        return cost + (followers[row] & 255)
    return cost + (unigrams[first + v, 1] >> 21) - 128 + unigrams[first + w, 2]


@_checks.checked(_correction_checks.margins)
def margins(
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[::1],
    start: cython.longlong,
    stop: cython.longlong,
    best: cython.int[::1],
    found: cython.int[::1],
):
    """How much more each sentence of `start:stop` would cost if one changed token stayed as it was written.

    The arguments are those of `channel.viterbi`. The first choice of a token is to keep it; where `best` has
    that, the margin is 0. The other tokens keep their best choices. Only the token and the next two words can
    cost something else.
    """
    m: cython.longlong
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
                for side in range(2):
                    u = -1
                    v = 1
                    words = 0
                    cost = 0
                    for i in range(offsets[s], offsets[s + 1] + 1):
                        c = best[i] if i < offsets[s + 1] else choices.shape[0] - 1
                        if i == t:
                            c = choice_offsets[kinds[t]] if side == 0 else c
                            cost = choices[c, 2]
                        for part in range(2):
                            w = choices[c, part]
                            if w < 0 or words == 2:
                                continue
                            total = 0
                            for m in range(3 if i >= t else 0):
                                total += weights[m] * _gram(
                                    classes[u, m] if u >= 0 else -1, classes[v, m], classes[w, m], bounds[m],
                                    unigrams, followers, pairs, triples,
                                )  # fmt: skip
                            cost += total >> 8
                            words += i > t
                            u = v
                            v = w
                        if words == 2:
                            break
                    found[t] += cost if side == 0 else -cost


@_checks.checked(_correction_checks.costs)
def costs(
    offsets: cython.longlong[::1],
    words: cython.int[::1],
    known: cython.longlong[::1],
    classes: cython.int[:, ::1],
    bounds: cython.longlong[::1],
    unigrams: cython.int[:, ::1],
    followers: cython.int[::1],
    pairs: cython.int[:, ::1],
    triples: cython.int[::1],
    found: cython.longlong[:, ::1],
):
    """The costs of rows of words by each model, without those of the first `known` words of a row."""
    m: cython.longlong
    u: cython.longlong
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for m in range(3):
                found[s, m] = 0
                for t in range(offsets[s] + known[s], offsets[s + 1]):
                    u = classes[words[t - 2], m] if t - 2 >= offsets[s] else -1
                    found[s, m] += _gram(
                        u, classes[words[t - 1], m], classes[words[t], m], bounds[m], unigrams, followers,
                        pairs, triples,
                    )  # fmt: skip
