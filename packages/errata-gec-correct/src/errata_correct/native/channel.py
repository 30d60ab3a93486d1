"""The noisy channel's search: Viterbi's algorithm with a beam of histories, by weighted trigram models.

Costs are integers. A choice is a row of up to two words (-1: no word) and a cost. The first choice of a token
is to keep it.
"""

import cython
import numpy as np

_WIDTH = cython.declare(cython.longlong, 12)  # histories that are kept
_NEVER = cython.declare(cython.longlong, 1 << 60)  # a cost that no history has
_BEGIN = cython.declare(cython.longlong, 1)
_END = cython.declare(cython.longlong, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _hash(context: cython.longlong, word: cython.longlong) -> cython.longlong:
    """A number for an n-gram."""
    mixed: cython.longlong = cython.cast(cython.longlong, context) * 1640531527
    mixed += cython.cast(cython.longlong, word) * 1103515245
    return mixed ^ (mixed >> 23)


@cython.final
@cython.cclass
class _Ngrams:
    """The n-grams of one length. Those of one context lie side by side, in the order of their last words.

    Most n-grams that are looked up are not in the model. `filter` has a bit for the hash of each one that is.
    """

    starts: cython.longlong[::1]  # by the number of the context
    words: cython.int[::1]
    filter: cython.uchar[::1]
    mask: cython.longlong  # of hashes

    def __init__(self, starts, words):
        self.starts, self.words = starts, words
        size = 8
        while size < 8 * len(words):
            size *= 2
        self.mask = size - 1
        self.filter = np.zeros(size // 8, dtype=np.uint8)
        self._fill()

    @cython.cfunc
    @cython.exceptval(-1)
    def _fill(self) -> cython.int:
        context: cython.longlong
        row: cython.longlong
        with cython.nogil:
            for context in range(self.starts.shape[0] - 1):
                for row in range(self.starts[context], self.starts[context + 1]):
                    bit = _hash(context, self.words[row]) & self.mask
                    self.filter[bit >> 3] |= 1 << (bit & 7)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def find(self, context: cython.longlong, word: cython.longlong) -> cython.longlong:
        """The row of an n-gram, or -1."""
        bit: cython.longlong = _hash(context, word) & self.mask
        if (self.filter[bit >> 3] >> (bit & 7)) & 1 == 0:
            return -1
        low: cython.longlong = self.starts[context]
        high: cython.longlong = self.starts[context + 1]
        end: cython.longlong = high
        while low < high:
            middle = (low + high) >> 1
            if self.words[middle] < word:
                low = middle + 1
            else:
                high = middle
        return low if low < end and self.words[low] == word else -1


@cython.final
@cython.cclass
class Trigrams:
    """A trigram model; the context of a bigram is a word, that of a trigram the row of a bigram."""

    costs: cython.int[::1]  # of words
    backoffs: cython.int[::1]
    pairs: _Ngrams
    pair_costs: cython.uchar[::1]
    pair_backoffs: cython.schar[::1]
    triples: _Ngrams
    triple_costs: cython.uchar[::1]

    def __init__(self, words, pairs, triples):
        self.costs, self.backoffs = words
        starts, last_words, self.pair_costs, self.pair_backoffs = pairs
        self.pairs = _Ngrams(starts, last_words)
        starts, last_words, self.triple_costs = triples
        self.triples = _Ngrams(starts, last_words)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def pair(self, first: cython.longlong, word: cython.longlong) -> cython.longlong:
        """The row of a bigram, or -1."""
        return self.pairs.find(first, word) if first >= 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    def cost(
        self, context: cython.longlong, previous: cython.longlong, word: cython.longlong
    ) -> cython.longlong:
        """The cost of a word; `context` is the row of the bigram before it, which ends with `previous`."""
        total: cython.longlong = 0
        if context >= 0:
            row = self.triples.find(context, word)
            if row >= 0:
                return self.triple_costs[row]
            total = self.pair_backoffs[context]
        row = self.pairs.find(previous, word)
        if row >= 0:
            return total + self.pair_costs[row]
        return total + self.backoffs[previous] + self.costs[word]


@cython.final
@cython.cclass
class WordCosts:
    """The models of forms, lemmas and tags with their weights.

    `classes` has the form, lemma and tag of every word. `bounds` has two lower bounds for every word in any
    context: of its whole cost, and of the weighted cost by lemma and tag. 256 weighted steps are a unit.
    """

    forms: Trigrams
    lemmas: Trigrams
    tags: Trigrams
    classes: cython.int[:, ::1]
    weights: cython.longlong[::1]
    bounds: cython.longlong[:, ::1]
    morphology: cython.bint

    def __init__(self, models, classes, weights, bounds):
        self.forms, self.lemmas, self.tags = models
        self.classes, self.weights, self.bounds = classes, weights, bounds
        self.morphology = bool(weights[1] or weights[2])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    def rest(
        self,
        contexts: cython.longlong[:, ::1],
        row: cython.longlong,
        previous: cython.longlong,
        word: cython.longlong,
    ) -> cython.longlong:
        """The weighted cost of a word by lemma and tag."""
        if not self.morphology:
            return 0
        lemma: cython.longlong = self.lemmas.cost(
            contexts[row, 1], self.classes[previous, 1], self.classes[word, 1]
        )
        tag: cython.longlong = self.tags.cost(
            contexts[row, 2], self.classes[previous, 2], self.classes[word, 2]
        )
        return self.weights[1] * lemma + self.weights[2] * tag

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    def cost(
        self,
        contexts: cython.longlong[:, ::1],
        row: cython.longlong,
        previous: cython.longlong,
        word: cython.longlong,
    ) -> cython.longlong:
        """The cost of a word after a history: its last bigrams (a row of contexts) and its last word."""
        form: cython.longlong = self.forms.cost(contexts[row, 0], previous, word)
        return (self.weights[0] * form + self.rest(contexts, row, previous, word)) >> 8

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def find_contexts(
        self,
        first: cython.longlong,
        word: cython.longlong,
        contexts: cython.longlong[:, ::1],
        row: cython.longlong,
    ) -> cython.int:
        """Put the bigrams of two words into a row of contexts; the first word may be -1 for none."""
        contexts[row, 0] = self.forms.pair(first, word)
        contexts[row, 1] = -1
        contexts[row, 2] = -1
        if self.morphology and first >= 0:
            contexts[row, 1] = self.lemmas.pair(self.classes[first, 1], self.classes[word, 1])
            contexts[row, 2] = self.tags.pair(self.classes[first, 2], self.classes[word, 2])
        return 0


# Columns of a history: its last two words, its cost, its key, the history that it continues, and the choice.
_BEFORE = cython.declare(cython.longlong, 0)
_LAST = cython.declare(cython.longlong, 1)
_COST = cython.declare(cython.longlong, 2)
_KEY = cython.declare(cython.longlong, 3)
_PARENT = cython.declare(cython.longlong, 4)
_CHOICE = cython.declare(cython.longlong, 5)


@cython.final
@cython.cclass
class _Search:
    """A beam of the cheapest histories up to a token, and the one up to the next token.

    A beam is in the order of keys: the cost, then the order of trial. Histories with the same last two words
    are one. The row after a beam is for a history that is tried.
    """

    costs: WordCosts
    choices: cython.int[:, ::1]
    rows: cython.longlong[:, ::1]
    contexts: cython.longlong[:, ::1]
    count: cython.longlong
    now: cython.longlong  # the row at which the beam up to the present token begins
    following: cython.longlong

    def __init__(self, costs, choices):
        self.costs, self.choices = costs, choices
        self.rows = np.zeros((2 * (_WIDTH + 1), 6), dtype=np.int64)
        self.contexts = np.zeros((2 * (_WIDTH + 1), 3), dtype=np.int64)
        self.count = self.now = 0
        self.following = _WIDTH + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Start with the history of the beginning of a sentence."""
        self.count = 1
        self.rows[self.now, _BEFORE] = -1
        self.rows[self.now, _LAST] = _BEGIN
        self.rows[self.now, _COST] = 0
        return self.costs.find_contexts(-1, _BEGIN, self.contexts, self.now)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def step(self, low: cython.longlong, high: cython.longlong) -> cython.int:
        """Continue all histories with the choices `low:high`."""
        i: cython.longlong
        count: cython.longlong = 0
        limit: cython.longlong = _NEVER
        tried: cython.longlong = self.following + _WIDTH
        for choice in range(low, high):
            least = self.least(choice)
            for i in range(self.count):
                if self.rows[self.now + i, _COST] + least > limit:
                    break
                cost = self.extend(self.now + i, choice, limit)
                if cost <= limit:
                    self.rows[tried, _COST] = cost
                    self.rows[tried, _KEY] = (cost * self.count + i) * (high - low) + choice - low
                    self.rows[tried, _PARENT] = i
                    self.rows[tried, _CHOICE] = choice
                    count = self.put(count)
                    if count == _WIDTH:
                        limit = self.rows[tried - 1, _COST]
        for i in range(self.following, self.following + count):
            self.costs.find_contexts(self.rows[i, _BEFORE], self.rows[i, _LAST], self.contexts, i)
        self.count = count
        self.now, self.following = self.following, self.now
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    @cython.inline
    def least(self, choice: cython.longlong) -> cython.longlong:
        """A lower bound of what a choice costs."""
        total: cython.longlong = self.choices[choice, 2]
        if self.choices[choice, 0] >= 0:
            total += self.costs.bounds[self.choices[choice, 0], 0]
        if self.choices[choice, 1] >= 0:
            total += self.costs.bounds[self.choices[choice, 1], 0]
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1000000000)
    def extend(
        self, row: cython.longlong, choice: cython.longlong, limit: cython.longlong
    ) -> cython.longlong:
        """Try the history in a row with a choice; returns the cost, or a number above the limit."""
        tried: cython.longlong = self.following + _WIDTH
        before: cython.longlong = self.rows[row, _BEFORE]
        last: cython.longlong = self.rows[row, _LAST]
        cost: cython.longlong = self.rows[row, _COST] + self.choices[choice, 2]
        for part in range(2):
            word = self.choices[choice, part]
            if word < 0:
                break
            if part == 1:
                row = tried
                self.costs.find_contexts(before, last, self.contexts, row)
            forms = self.costs.weights[0] * self.costs.forms.cost(self.contexts[row, 0], last, word)
            if cost + ((forms + self.costs.bounds[word, 1]) >> 8) > limit:
                return limit + 1
            cost += (forms + self.costs.rest(self.contexts, row, last, word)) >> 8
            before = last
            last = word
        self.rows[tried, _BEFORE] = before
        self.rows[tried, _LAST] = last
        return cost

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def put(self, count: cython.longlong) -> cython.longlong:
        """Put the history that is tried into the next beam of this length, if it fits; returns the length."""
        first: cython.longlong = self.following
        tried: cython.longlong = first + _WIDTH
        at: cython.longlong = first
        while at < first + count and (
            self.rows[at, _LAST] != self.rows[tried, _LAST]
            or self.rows[at, _BEFORE] != self.rows[tried, _BEFORE]
        ):
            at += 1
        if at == first + count and count < _WIDTH:
            count += 1
        else:
            at = min(at, tried - 1)
            if self.rows[at, _KEY] <= self.rows[tried, _KEY]:
                return count
        while at > first and self.rows[at - 1, _KEY] > self.rows[tried, _KEY]:
            self.copy(at - 1, at)
            at -= 1
        self.copy(tried, at)
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def copy(self, source: cython.longlong, target: cython.longlong) -> cython.int:
        for column in range(6):
            self.rows[target, column] = self.rows[source, column]
        return 0


def best_choices(word_costs, lattice):
    """The cheapest choice for every token, and how much more its sentence costs if the token is kept.

    The tokens of sentence s are `lattice.kinds[lattice.sentences[s]:lattice.sentences[s + 1]]`. A token of
    kind k may become any of the choices from `lattice.offsets[k]` to `lattice.offsets[k + 1]`.
    """
    choices: cython.int[:, ::1] = np.concatenate([lattice.choices, [[_END, -1, 0]]], dtype=np.int32)
    sentences: cython.longlong[::1] = lattice.sentences
    kinds: cython.int[::1] = lattice.kinds
    offsets: cython.longlong[::1] = lattice.offsets
    best_array = np.zeros(kinds.shape[0], dtype=np.int32)
    margin_array = np.zeros(kinds.shape[0], dtype=np.int64)
    best: cython.int[::1] = best_array
    margins: cython.longlong[::1] = margin_array
    longest = int(np.diff(lattice.sentences).max(initial=0))
    trail: cython.longlong[:, :, ::1] = np.empty((longest + 1, _WIDTH, 2), dtype=np.int64)
    search: _Search = _Search(word_costs, choices)
    ending: cython.longlong = choices.shape[0] - 1
    s: cython.longlong
    t: cython.longlong
    k: cython.longlong
    begin: cython.longlong
    end: cython.longlong
    with cython.nogil:
        for s in range(sentences.shape[0] - 1):
            begin = sentences[s]
            end = sentences[s + 1]
            search.begin()
            for t in range(begin, end):
                search.step(offsets[kinds[t]], offsets[kinds[t] + 1])
                for k in range(search.count):
                    trail[t - begin, k, 0] = search.rows[search.now + k, _PARENT]
                    trail[t - begin, k, 1] = search.rows[search.now + k, _CHOICE]
            search.step(ending, ending + 1)
            k = search.rows[search.now, _PARENT]
            for t in range(end - 1, begin - 1, -1):
                best[t] = trail[t - begin, k, 1]
                k = trail[t - begin, k, 0]
            for t in range(begin, end):
                if best[t] != offsets[kinds[t]]:
                    margins[t] = _cost_with(search, best[begin:end], t - begin, offsets[kinds[t]])
                    margins[t] -= _cost_with(search, best[begin:end], t - begin, best[t])
    return best_array, margin_array


@cython.cfunc
@cython.nogil
@cython.exceptval(-1000000000)
def _cost_with(
    search: _Search,
    best: cython.int[::1],
    token: cython.longlong,
    choice: cython.longlong,
) -> cython.longlong:
    """The cost of a token with this choice and of the next two words; others cost the same."""
    before: cython.longlong = -1
    last: cython.longlong = _BEGIN
    cost: cython.longlong = search.choices[choice, 2]
    following: cython.longlong = 0
    c: cython.longlong
    for i in range(best.shape[0] + 1):
        c = choice if i == token else best[i] if i < best.shape[0] else search.choices.shape[0] - 1
        for part in range(2):
            word = search.choices[c, part]
            if word < 0 or following == 2:
                continue
            if i >= token:
                search.costs.find_contexts(before, last, search.contexts, 0)
                cost += search.costs.cost(search.contexts, 0, last, word)
            following += i > token
            before = last
            last = word
        if following == 2:
            break
    return cost


def stretch_costs(word_costs, rows, known: cython.longlong[::1]):
    """The costs of rows of words by form and by tag, in steps, without the first `known` words of a row."""
    costs: WordCosts = word_costs
    words: cython.int[::1] = rows.values
    offsets: cython.longlong[::1] = rows.offsets
    total_array = np.zeros((offsets.shape[0] - 1, 2), dtype=np.int64)
    totals: cython.longlong[:, ::1] = total_array
    first: cython.longlong
    tag: cython.longlong
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for t in range(offsets[s] + known[s], offsets[s + 1]):
                first = words[t - 2] if t - 2 >= offsets[s] else -1
                totals[s, 0] += costs.forms.cost(
                    costs.forms.pair(first, words[t - 1]), words[t - 1], words[t]
                )
                tag = costs.classes[words[t - 1], 2]
                first = costs.classes[first, 2] if first >= 0 else -1
                totals[s, 1] += costs.tags.cost(costs.tags.pair(first, tag), tag, costs.classes[words[t], 2])
    return total_array
