"""Trigram models of forms, lemmas and tags: their tables, the costs of words, and the margins of changes.

Costs are integers. Several models share the same arrays; the unigrams of model m begin at `bounds[m]`:

- `followers`: the last word and the cost of every bigram, as `word << 8 | cost`; `triples`: of every trigram;
- `unigrams`: the first row of the bigrams that a word begins, their context, and the cost of the word;
- `pairs`: the same for the trigrams that a bigram begins, without a cost.

The n-grams of one context are neighbours, in the order of a hash table (`fill`), with empty rows (-1). A
context is a number of 29 bits: a set of last words (16 bits, of 16 classes of words), the logarithm of the
number of rows (5 bits), and the backoff plus 128. Costs and backoffs are in steps.
"""

import cython
import numpy as np


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
@cython.inline
def _hashed(word: cython.longlong) -> cython.longlong:
    """The row at which a search begins: the lowest bits. Ids have 21 bits, so that nothing overflows."""
    return (cython.cast(cython.longlong, word) * 0x5E3779B1) >> 13


def fill(
    begun: cython.longlong[::1],
    words: cython.int[::1],
    costs: cython.int[::1],
    rows: cython.longlong[::1],
    table: cython.int[::1],
) -> tuple:
    """Put the last words and costs of n-grams into a table; returns their rows and the sets of the contexts.

    Context i has the n-grams `words[begun[i]:begun[i + 1]]`, which go to the rows `rows[i]:rows[i + 1]`.
    Their number is a power of two and larger than that of the n-grams (or 0). Empty rows are -1.
    """
    place_array = np.empty(words.shape[0], dtype=np.int64)
    set_array = np.zeros(begun.shape[0] - 1, dtype=np.int32)
    places: cython.longlong[::1] = place_array
    sets: cython.int[::1] = set_array
    row: cython.longlong
    with cython.nogil:
        for i in range(begun.shape[0] - 1):
            size = rows[i + 1] - rows[i]
            if begun[i + 1] - begun[i] > size:
                raise ValueError("a table without enough empty rows")
            for k in range(begun[i], begun[i + 1]):
                row = _hashed(words[k]) & (size - 1)
                while table[rows[i] + row] >= 0:
                    row = (row + 1) & (size - 1)
                table[rows[i] + row] = (words[k] << 8) | costs[k]
                places[k] = rows[i] + row
                sets[i] |= 1 << (words[k] & 15)
    return place_array, set_array


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
@cython.inline
def _find(
    word: cython.longlong, begin: cython.longlong, context: cython.longlong, table: cython.int[::1]
) -> cython.longlong:
    """The row of a word among the n-grams of a context that begin in a row of the table, or -1."""
    mask: cython.longlong = (1 << ((cython.cast(cython.longlong, context) >> 16) & 31)) - 1
    row: cython.longlong = _hashed(word) & mask
    entry: cython.longlong
    if (context >> (word & 15)) & 1 == 0:
        return -1
    for _ in range(mask + 1):
        entry = table[begin + row]
        if entry >> 8 == word:
            return begin + row
        if entry < 0:
            break
        row = (row + 1) & mask
    return -1


@cython.cclass
class _Models:
    """The classes of every word, and the tables of the models."""

    classes: cython.int[:, ::1]
    bounds: cython.longlong[::1]
    unigrams: cython.int[:, ::1]
    followers: cython.int[::1]
    pairs: cython.int[:, ::1]
    triples: cython.int[::1]

    def __init__(self, classes, bounds, unigrams, followers, pairs, triples):
        self.classes, self.bounds = classes, bounds
        self.unigrams, self.followers = unigrams, followers
        self.pairs, self.triples = pairs, triples

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    def cost(
        self, m: cython.longlong, before: cython.longlong, previous: cython.longlong, word: cython.longlong
    ) -> cython.longlong:
        """The cost of a word after two others in model m (before < 0: nothing precedes the previous word)."""
        first: cython.longlong = self.bounds[m]
        v: cython.longlong = self.classes[previous, m]
        w: cython.longlong = self.classes[word, m]
        cost: cython.longlong = 0
        row: cython.longlong = -1
        triple: cython.longlong
        if before >= 0:
            u = first + self.classes[before, m]
            row = _find(v, self.unigrams[u, 0], self.unigrams[u, 1], self.followers)
        if row >= 0:
            triple = _find(w, self.pairs[row, 0], self.pairs[row, 1], self.triples)
            if triple >= 0:
                return self.triples[triple] & 255
            cost = (self.pairs[row, 1] >> 21) - 128
        v += first
        row = _find(w, self.unigrams[v, 0], self.unigrams[v, 1], self.followers)
        if row >= 0:
            return cost + (self.followers[row] & 255)
        return cost + (self.unigrams[v, 1] >> 21) - 128 + self.unigrams[first + w, 2]


def margins(
    tables,
    offsets: cython.longlong[::1],
    kinds: cython.int[::1],
    choice_offsets: cython.longlong[::1],
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    best: cython.int[::1],
):
    """How much more each sentence would cost if one changed token stayed as it was written.

    `tables` are the classes of words and the models (see `_Models`); the other arguments are those of
    `channel.viterbi`. The first choice of a token is to keep it; its margin is 0. The other tokens keep their
    best choices. Only the costs of the token and of the next two words can differ.
    """
    models: _Models = _Models(*tables)
    margin_array = np.zeros(best.shape[0], dtype=np.int32)
    margins: cython.int[::1] = margin_array
    kept_cost: cython.longlong
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for t in range(offsets[s], offsets[s + 1]):
                keep = choice_offsets[kinds[t]]
                if best[t] == keep:
                    continue
                kept_cost = _cost_with(models, offsets[s], offsets[s + 1], t, keep, choices, weights, best)
                cost = _cost_with(models, offsets[s], offsets[s + 1], t, best[t], choices, weights, best)
                margins[t] = cython.cast(cython.int, kept_cost - cost)
    return margin_array


@cython.cfunc
@cython.nogil
@cython.exceptval(-1000000000)
def _cost_with(
    models: _Models,
    begin: cython.longlong,
    end: cython.longlong,
    token: cython.longlong,
    choice: cython.longlong,
    choices: cython.int[:, ::1],
    weights: cython.int[::1],
    best: cython.int[::1],
) -> cython.longlong:
    """The cost of a token with this choice and of the next two words of its sentence, `best[begin:end]`."""
    before: cython.longlong = -1
    previous: cython.longlong = 1
    following: cython.longlong = 0
    cost: cython.longlong = choices[choice, 2]
    total: cython.longlong
    c: cython.longlong
    for i in range(begin, end + 1):
        c = choice if i == token else best[i] if i < end else choices.shape[0] - 1
        for part in range(2):
            word = choices[c, part]
            if word < 0 or following == 2:
                continue
            total = 0
            for model in range(3 if i >= token else 0):
                total += weights[model] * models.cost(model, before, previous, word)
            cost += total >> 8
            following += i > token
            before = previous
            previous = word
        if following == 2:
            break
    return cost


def costs(tables, offsets: cython.longlong[::1], words: cython.int[::1], known: cython.longlong[::1]):
    """The costs of rows of words by each model, without those of the first `known` words of a row."""
    models: _Models = _Models(*tables)
    cost_array = np.zeros((offsets.shape[0] - 1, 3), dtype=np.int64)
    costs: cython.longlong[:, ::1] = cost_array
    before: cython.longlong
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for m in range(3):
                for t in range(offsets[s] + known[s], offsets[s + 1]):
                    before = words[t - 2] if t - 2 >= offsets[s] else -1
                    costs[s, m] += models.cost(m, before, words[t - 1], words[t])
    return cost_array
