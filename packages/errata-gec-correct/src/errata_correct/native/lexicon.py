"""The lexicon of the noisy channel as a trie, and the search for words near a written one.

Trie nodes lie level by level, the children of a node side by side in the order of their letters. A row of
`nodes` is a node; one more row ends the last one's children. It has two numbers:

- the set of its children's letters, in which frequent letters have a bit each, in their order, and rare ones
  share the bit `_RARE`. Every node has the bit `_ANY`, which is no letter's;
- from the lowest bit: its word, counted from 1 (22 bits, 0: none), a set of how many letters further down
  words end (16 bits, the last one for 15 and more), and its first child, which is that of the next node if it
  has none.
"""

import cython
import numpy as np

MOST_NODES = (1 << 25) - 1
_RARE = cython.declare(cython.longlong, 1 << 62)
_ANY = cython.declare(cython.longlong, 1 << 61)
_CHILD = cython.declare(cython.longlong, 1 << 38)
_ONES = cython.declare(cython.longlong, 0x5555555555555555)
_TWOS = cython.declare(cython.longlong, 0x3333333333333333)
_FOURS = cython.declare(cython.longlong, 0x0F0F0F0F0F0F0F0F)
_STACK = cython.declare(cython.longlong, 4096)  # states of a search; what does not fit is left out


@cython.final
@cython.cclass
class Trie:
    """A trie of words, which are given by their letters and in their order.

    `ids` are the numbers of the words, and `sets` has every letter as a set.
    """

    letters: cython.int[::1]
    nodes: cython.longlong[:, ::1]
    sets: cython.longlong[::1]

    def __init__(self, words, ids, sets, most=MOST_NODES):
        self.sets = sets
        longest = int(words.lengths.max(initial=0))
        # Shared beginnings have one node each.
        starts: cython.longlong[::1] = np.zeros(longest + 2, dtype=np.int64)
        shared: cython.longlong[::1] = np.zeros(len(words), dtype=np.int64)
        size = self._count(words.values, words.offsets, starts, shared)
        if size > most:
            raise ValueError(f"{size - 1:,} beginnings of words, where at most {most - 1:,} are possible")
        self.letters = np.zeros(size, dtype=np.int32)
        nodes = np.zeros((size + 1, 2), dtype=np.int64)
        nodes[:, 0] = _ANY
        self.nodes = nodes
        self._fill(words.values, words.offsets, ids, starts, shared)
        self._place_children()

    def arrays(self):
        """The letter of every node, and the nodes."""
        return np.asarray(self.letters), np.asarray(self.nodes)

    @cython.cfunc
    @cython.exceptval(-1)
    def _count(
        self,
        letters: cython.int[::1],
        offsets: cython.longlong[::1],
        starts: cython.longlong[::1],
        shared: cython.longlong[::1],
    ) -> cython.longlong:
        """Find the node at which each level begins, and the letters that words share; returns the size."""
        k: cython.longlong
        total: cython.longlong = 1
        with cython.nogil:
            for i in range(shared.shape[0]):
                k = 0
                length = offsets[i + 1] - offsets[i]
                while i > 0 and k < length and k < offsets[i] - offsets[i - 1]:
                    if letters[offsets[i] + k] != letters[offsets[i - 1] + k]:
                        break
                    k += 1
                shared[i] = k
                for depth in range(k, length):
                    starts[depth + 1] += 1
            for depth in range(1, starts.shape[0]):
                k = starts[depth]
                starts[depth] = total
                total += k
        return total

    @cython.cfunc
    @cython.exceptval(-1)
    def _fill(
        self,
        letters: cython.int[::1],
        offsets: cython.longlong[::1],
        ids: cython.int[::1],
        starts: cython.longlong[::1],
        shared: cython.longlong[::1],
    ) -> cython.int:
        """Make the nodes, with the number of children in the place of the first child."""
        path: cython.longlong[::1] = np.zeros(starts.shape[0], dtype=np.int64)
        node: cython.longlong
        with cython.nogil:
            for i in range(ids.shape[0]):
                length = offsets[i + 1] - offsets[i]
                for depth in range(shared[i], length):
                    node = starts[depth + 1]
                    starts[depth + 1] += 1
                    path[depth + 1] = node
                    self.letters[node] = letters[offsets[i] + depth]
                    self.nodes[path[depth], 0] |= self.sets[self.letters[node]]
                    self.nodes[path[depth], 1] += _CHILD
                if length > 0:
                    self.nodes[path[length], 1] |= (ids[i] + 1) | (1 << 22)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _place_children(self) -> cython.int:
        """Turn numbers of children into places of first children, and collect where words end below nodes."""
        size: cython.longlong = self.letters.shape[0]
        first: cython.longlong = size
        count: cython.longlong
        ends: cython.longlong
        with cython.nogil:
            self.nodes[size, 1] = size * _CHILD
            for node in range(size - 1, -1, -1):
                count = self.nodes[node, 1] >> 38
                first -= count
                self.nodes[node, 1] += (first - count) * _CHILD
                for child in range(first, self.nodes[node + 1, 1] >> 38):
                    ends = (self.nodes[child, 1] >> 22) & 0xFFFF
                    self.nodes[node, 1] |= (((ends << 1) | (ends & 0x8000)) & 0xFFFF) << 22
        return 0


@cython.final
@cython.cclass
class LetterCosts:
    """The costs of letter errors. `replace` and `same` have a row for every written letter.

    Replacements marked in `same` (diacritics, case) are no edits; `accepts` has the set of letters that stand
    for a written one without an edit.
    """

    replace: cython.int[:, ::1]
    same: cython.uchar[:, ::1]
    delete: cython.int[::1]
    insert: cython.int[::1]
    swap: cython.longlong
    accepts: cython.longlong[::1]

    def __init__(self, replace, same, delete, insert, swap, accepts):
        self.replace, self.same = replace, same
        self.delete, self.insert, self.swap = delete, insert, swap
        self.accepts = accepts


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _size(letters: cython.longlong) -> cython.longlong:
    """The number of letters in a set."""
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
    """Where words may end with `rest` written letters to come and `edits` left, as a node has it."""
    low: cython.longlong = min(max(rest - edits, 0), 15)
    high: cython.longlong = min(rest + edits, 15)
    ends: cython.longlong = 0
    if rest >= 0:
        ends = (2 << high) - (1 << low)
    return ends << 22


@cython.final
@cython.cclass
class _Lookup:
    """The search for one written word after the other.

    States on the stack are a node, the number of letters read, the cost and the edits so far.
    """

    nodes: cython.longlong[:, ::1]  # of the trie
    letters: cython.int[::1]
    sets: cython.longlong[::1]
    costs: LetterCosts
    word_costs: cython.int[::1]
    words: cython.int[:, ::1]  # the results, a row for every written word
    prices: cython.int[:, ::1]
    stack: cython.longlong[:, ::1]
    top: cython.longlong
    count: cython.longlong  # of the present word's results
    most: cython.longlong  # edits
    highest: cython.longlong  # cost

    def __init__(self, trie: Trie, costs, word_costs, words, prices):
        self.nodes, self.letters, self.sets = trie.nodes, trie.letters, trie.sets
        self.costs, self.word_costs = costs, word_costs
        self.words, self.prices = words, prices
        self.stack = np.empty((_STACK, 4), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def push(
        self, node: cython.longlong, at: cython.longlong, cost: cython.longlong, edits: cython.longlong
    ) -> cython.int:
        """Put a state onto the stack."""
        self.stack[self.top, 0] = node
        self.stack[self.top, 1] = at
        self.stack[self.top, 2] = cost
        self.stack[self.top, 3] = edits
        self.top += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def find(self, i: cython.longlong, written: cython.int[::1]) -> cython.int:
        """Find the candidates for the written word with number i."""
        length: cython.longlong = written.shape[0]
        self.count = self.top = 0
        self.push(0, 0, 0, 0)
        while self.top > 0:
            self.top -= 1
            node = self.stack[self.top, 0]
            at = self.stack[self.top, 1]
            cost = self.stack[self.top, 2]
            edits = self.stack[self.top, 3]
            word = (self.nodes[node, 1] & 0x3FFFFF) - 1
            if at == length and word >= 0:
                self.take(i, word, cost)
            if self.top >= _STACK - 4:
                continue
            if edits < self.most:
                self.branch(written, node, at, cost, edits)
            elif at < length:
                self.follow(written, node, at, cost)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def rank(self, i: cython.longlong, k: cython.longlong) -> cython.longlong:
        """The order of a result: the cost of the error and half the cost of the word itself."""
        return self.prices[i, k] + (self.word_costs[self.words[i, k]] >> 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def take(self, i: cython.longlong, word: cython.longlong, cost: cython.longlong) -> cython.int:
        """Put a word into its place among the cheapest ones."""
        rank: cython.longlong = cost + (self.word_costs[word] >> 1)
        k: cython.longlong = 0
        while k < self.count and self.words[i, k] != word:
            k += 1
        if k < self.count:
            if cost >= self.prices[i, k]:
                return 0
        elif self.count < self.words.shape[1]:
            self.count += 1
        else:
            k = self.count - 1
            if rank >= self.rank(i, k):
                return 0
        while k > 0 and rank < self.rank(i, k - 1):
            self.words[i, k] = self.words[i, k - 1]
            self.prices[i, k] = self.prices[i, k - 1]
            k -= 1
        self.words[i, k] = word
        self.prices[i, k] = cost
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def follow(
        self, word: cython.int[::1], node: cython.longlong, at: cython.longlong, cost: cython.longlong
    ) -> cython.int:
        """Go on without further edits: to the letters that the written one accepts."""
        written: cython.longlong = word[at]
        child: cython.longlong
        next_cost: cython.longlong
        first: cython.longlong = self.nodes[node, 1] >> 38
        ends: cython.longlong = _ends(word.shape[0] - at - 1, 0)
        fits: cython.longlong = self.nodes[node, 0] & self.costs.accepts[written]
        if fits != 0 and self.nodes[node, 0] >= _RARE:
            for child in range(first, self.nodes[node + 1, 1] >> 38):
                letter = self.letters[child]
                next_cost = cost + (self.costs.replace[written, letter] if letter != written else 0)
                if (letter == written or self.costs.same[written, letter]) and next_cost <= self.highest:
                    self.push(child, at + 1, next_cost, self.most)
                if self.top >= _STACK - 4:
                    break
            return 0
        while fits > 0 and self.top < _STACK - 4:
            hit = fits & -fits
            fits -= hit
            child = first + _size(self.nodes[node, 0] & (hit - 1))
            next_cost = cost
            if hit != self.sets[written]:
                next_cost += self.costs.replace[written, self.letters[child]]
            if next_cost <= self.highest and self.nodes[child, 1] & ends != 0:
                self.push(child, at + 1, next_cost, self.most)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def branch(
        self,
        word: cython.int[::1],
        node: cython.longlong,
        at: cython.longlong,
        cost: cython.longlong,
        edits: cython.longlong,
    ) -> cython.int:
        """Go on with all letters, with or without an edit.

        After an edit a state is kept only if words of a fitting length follow, and after the last edit only
        if the next letter fits, too.
        """
        next_cost: cython.longlong
        length: cython.longlong = word.shape[0]
        written: cython.longlong = word[at] if at < length else -1
        second: cython.longlong = word[at + 1] if at + 1 < length else -1
        left: cython.longlong = self.most - edits
        last: cython.bint = left == 1
        ends_next: cython.longlong = _ends(length - at - 1, left)
        ends_here: cython.longlong = _ends(length - at, left - 1)
        ends_after: cython.longlong = _ends(length - at - 1, left - 1)
        here: cython.longlong = self.costs.accepts[written] if written >= 0 and last else _ANY
        after: cython.longlong = self.costs.accepts[second] if second >= 0 and last else _ANY
        if written >= 0 and cost + self.costs.insert[written] <= self.highest:
            if self.nodes[node, 1] & ends_after != 0 and self.nodes[node, 0] & after != 0:
                self.push(node, at + 1, cost + self.costs.insert[written], edits + 1)
        for child in range(self.nodes[node, 1] >> 38, self.nodes[node + 1, 1] >> 38):
            if self.top >= _STACK - 4:
                break
            letter = self.letters[child]
            if letter == written:
                if self.nodes[child, 1] & ends_next != 0:
                    self.push(child, at + 1, cost, edits)
            elif written >= 0:
                # Costs come first: they lie near each other, and nodes do not.
                next_cost = cost + self.costs.replace[written, letter]
                if next_cost <= self.highest:
                    if self.costs.same[written, letter]:
                        if self.nodes[child, 1] & ends_next != 0:
                            self.push(child, at + 1, next_cost, edits)
                    elif self.nodes[child, 1] & ends_after != 0 and self.nodes[child, 0] & after != 0:
                        self.push(child, at + 1, next_cost, edits + 1)
            next_cost = cost + self.costs.delete[letter]
            if next_cost <= self.highest:
                if self.nodes[child, 1] & ends_here != 0 and self.nodes[child, 0] & here != 0:
                    self.push(child, at, next_cost, edits + 1)
            if letter == second and cost + self.costs.swap <= self.highest:
                for k in range(self.nodes[child, 1] >> 38, self.nodes[child + 1, 1] >> 38):
                    if self.letters[k] == written:
                        self.push(k, at + 2, cost + self.costs.swap, edits + 1)
        return 0


def candidates(trie, costs, word_costs, written, limits: cython.int[:, ::1], most):
    """The words of the lexicon near written words: up to `most` words for each, their costs and numbers.

    `limits` has the most edits and the highest cost for each written word. Words are in the order of the cost
    of the error plus half the cost of the word itself.
    """
    word_array = np.zeros((len(written), most), dtype=np.int32)
    price_array = np.zeros_like(word_array)
    count_array = np.zeros(len(written), dtype=np.int32)
    counts: cython.int[::1] = count_array
    letters: cython.int[::1] = written.values
    offsets: cython.longlong[::1] = written.offsets
    lookup: _Lookup = _Lookup(trie, costs, word_costs, word_array, price_array)
    i: cython.longlong
    with cython.nogil:
        for i in range(counts.shape[0]):
            lookup.most = limits[i, 0]
            lookup.highest = limits[i, 1]
            lookup.find(i, letters[offsets[i] : offsets[i + 1]])
            counts[i] = cython.cast(cython.int, lookup.count)
    return word_array, price_array, count_array
