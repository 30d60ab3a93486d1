"""A greedy linear tagger: hashed features, a row of small weights for each, the label with the largest sum.

A layer labels the tokens of a sentence from left to right. It sees the words around a token and the two
labels it gave before; a layer on top of another also sees the labels below on both sides. Words come as
types, each with a row of hashed spellings (`errata.edits.taggers.lexicon`). A feature is a template and
one or two values, mixed into one of 2^k buckets; most buckets have no weights and cost one look-up.
"""

from typing import Any

import cython
import numpy as np

# Typed, because Cython takes long literals for objects. 61 bits are kept, so that uncompiled code agrees.
BITS = cython.declare(cython.ulonglong, 0x1FFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 0x1E3779B97F4A7C15)
TWO = cython.declare(cython.ulonglong, 0x3F58476D1CE4E5B9)
THREE = cython.declare(cython.ulonglong, 0x14D049BB133111EB)

START = cython.declare(cython.ulonglong, 1000)  # stands for what is before a sentence
END = cython.declare(cython.ulonglong, 1001)  # and after it
PROBES = cython.declare(cython.int, 64)  # places of a memo that are searched for a context
LABELS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # four of them
PAIR = cython.declare(cython.ulonglong, 4096)  # two labels in one value: one times this, plus the other
MOST_FEATURES = 64  # of a token

# Columns of the spellings; those in between and after them are features of a word and nothing else.
FORM = cython.declare(cython.int, 0)
LOWER = cython.declare(cython.int, 1)
SUFFIX = cython.declare(cython.int, 4)  # three letters
SHAPE = cython.declare(cython.int, 11)
CLASS = cython.declare(cython.int, 12)
CAPITAL = cython.declare(cython.int, 13)  # 0 no letter, 1 a small one, 2 begins with a capital


def own_sums(spellings: cython.ulonglong[:, ::1], layer: Any) -> Any:
    """The sums of the weights that words have by themselves, wherever they stand."""
    index: cython.int[::1] = layer.index
    weights: cython.schar[:, ::1] = layer.weights
    sums = np.zeros((spellings.shape[0], weights.shape[1]), dtype=np.int16)
    out: cython.short[:, ::1] = sums
    mask: cython.ulonglong = _mask(index.shape[0])
    with cython.nogil:
        for word in range(spellings.shape[0]):
            for which in range(spellings.shape[1]):
                spelling = cython.cast(cython.ulonglong, int(spellings[word, which]))
                row = index[_bucket(which, spelling, 0, mask)]
                if row != 0:
                    for label in range(weights.shape[1]):
                        out[word, label] = out[word, label] + weights[row, label]
    return sums


def predict(
    sentences: Any,  # Ragged types of words
    until: cython.longlong[::1],  # where the labelled tokens of each sentence end
    spellings: Any,
    below: Any,  # labels of the layer below, or None
    layer: Any,  # index: the row of weights of each bucket, 0 for none; rows may be wider than the labels
    own: Any,  # see `own_sums`
    memo: Any,  # table of contexts and their labels, and how many are filled; or None
) -> Any:
    """Label the tokens of sentences.

    The memo keeps the labels of contexts that were seen before, of the same words and layer, so that they are
    not computed again: a table of open addressing, empty at first.
    """
    labels = np.zeros(len(sentences.values), dtype=np.int32)
    tagger: Tagger = Tagger(sentences, spellings, below, labels, layer.weights.shape[1], len(layer.index))
    tagger.index, tagger.weights, tagger.own = layer.index, layer.weights, own
    if own.shape[1] != layer.weights.shape[1]:
        raise IndexError(f"sums of {own.shape[1]} labels for weights of {layer.weights.shape[1]}")
    size: cython.Py_ssize_t = len(layer.labels)
    tagger.memo = np.zeros((0, 6), dtype=np.uint64) if memo is None else memo.table
    tagger.filled = 0 if memo is None else memo.filled
    tagger.most = len(tagger.memo) - len(tagger.memo) // 4
    if len(tagger.memo) & (len(tagger.memo) - 1):
        raise ValueError(f"a memo of {len(tagger.memo)} places, which is no power of two")
    with cython.nogil:
        for sentence in range(until.shape[0]):
            tagger.begin(sentence)
            tagger.label_sentence(until[sentence], size)
    if memo is not None:
        memo.filled = tagger.filled
    return labels


def learn(
    sentences: Any,
    order: cython.longlong[::1],
    spellings: Any,
    below: Any,
    gold: cython.int[::1],
    weights: cython.float[:, ::1],
    history: cython.double[:, ::1],
    step: cython.double,
) -> tuple:
    """One pass of the averaged perceptron over the sentences in this order: the new step and the mistakes.

    `history` sums the updates times their step, so that the average is weights - history / step.
    A gold label below 0 teaches nothing.
    """
    mistakes: cython.longlong = 0
    labels = np.zeros(len(sentences.values), dtype=np.int32)
    tagger: Tagger = Tagger(sentences, spellings, below, labels, weights.shape[1], weights.shape[0])
    sums: cython.float[::1] = np.empty(weights.shape[1], dtype=np.float32)
    best: cython.int
    with cython.nogil:
        for place in range(order.shape[0]):
            tagger.begin(order[place])
            for token in range(tagger.first, tagger.end):
                tagger.find_features(token, True)
                sums[:] = 0
                for feature in range(tagger.count):
                    row = tagger.found[feature]
                    for label in range(weights.shape[1]):
                        sums[label] += weights[row, label]
                best = 0
                for label in range(1, weights.shape[1]):
                    if sums[label] > sums[best]:
                        best = cython.cast(cython.int, label)
                tagger.labels[token] = best
                wanted = gold[token]
                step += 1
                if wanted >= 0 and best != wanted:
                    mistakes += 1
                    for feature in range(tagger.count):
                        row = tagger.found[feature]
                        weights[row, wanted] += 1
                        weights[row, best] -= 1
                        history[row, wanted] += step
                        history[row, best] -= step
    return step, mistakes


@cython.final
@cython.cclass
class Tagger:
    """The words and labels around a token, its features, and the sums of their weights."""

    offsets: cython.longlong[::1]
    types: cython.int[::1]
    spellings: cython.ulonglong[:, ::1]
    layered: cython.bint
    below: cython.int[::1]
    labels: cython.int[::1]
    index: cython.int[::1]
    weights: cython.schar[:, ::1]
    own: cython.short[:, ::1]
    memo: cython.ulonglong[:, ::1]
    filled: cython.longlong
    most: cython.longlong  # contexts of the memo
    mask: cython.ulonglong
    first: cython.longlong  # token of the sentence
    end: cython.longlong
    capitals: cython.ulonglong
    count: cython.Py_ssize_t  # of features
    found: cython.longlong[::1]  # their buckets
    sums: cython.short[::1]  # no sum leaves 16 bits: 64 weights of 127 at most
    key: cython.ulonglong[::1]  # the context of a token

    def __init__(
        self, sentences: Any, spellings: Any, below: Any, labels: Any, width: cython.Py_ssize_t, buckets: Any
    ) -> None:
        self.offsets, self.types, self.spellings = sentences.offsets, sentences.values, spellings
        self.layered = below is not None
        self.below = labels if below is None else below
        self.labels = labels
        self.mask = _mask(buckets)
        self.found = np.empty(MOST_FEATURES, dtype=np.int64)
        self.sums = np.empty(width, dtype=np.int16)
        self.key = np.zeros(5, dtype=np.uint64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def begin(self, sentence: cython.longlong) -> cython.int:
        """Go to a sentence, and see how much of it is capitalised: 0 (at most a quarter) … 3 (nearly all)."""
        words: cython.longlong = 0
        capital: cython.longlong = 0
        self.first = self.offsets[sentence]
        self.end = self.offsets[sentence + 1]
        for token in range(self.first, self.end):
            kind = self.spellings[self.types[token], CAPITAL]
            if kind > 0:
                words += 1
                if kind > 1:
                    capital += 1
        self.capitals = 1 if capital * 4 > words else 0
        if capital * 2 > words:
            self.capitals = 3 if capital * 10 > words * 9 else 2
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def label_sentence(self, until: cython.longlong, size: cython.Py_ssize_t) -> cython.int:
        """Label the tokens of the sentence before `until`."""
        place: cython.longlong
        for token in range(self.first, until):
            place = -1
            if self.memo.shape[0] > 0:
                place = self._look_up(token)
            if place >= 0 and self.memo[place, 5] != 0:
                self.labels[token] = cython.cast(cython.int, self.memo[place, 5]) - 1
                continue
            self.find_features(token, False)
            self.labels[token] = self._best(self.types[token], size)
            if place >= 0 and self.filled < self.most:
                for k in range(5):
                    self.memo[place, k] = self.key[k]
                self.memo[place, 5] = cython.cast(cython.ulonglong, int(self.labels[token])) + 1
                self.filled += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _best(self, word: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """The label with the largest sum of weights."""
        best: cython.int = 0
        for label in range(self.sums.shape[0]):
            self.sums[label] = self.own[word, label]
        for feature in range(self.count):
            row = self.index[self.found[feature]]
            if row != 0:
                self._add(row)
        for label in range(1, size):
            if self.sums[label] > self.sums[best]:
                best = cython.cast(cython.int, label)
        return best

    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)  # the hottest loop: both arrays have the same width, and the row is checked
    @cython.exceptval(-1)
    def _add(self, row: cython.Py_ssize_t) -> cython.int:
        if not 0 <= row < self.weights.shape[0]:
            with cython.gil:
                raise IndexError(f"row {row} of {self.weights.shape[0]}")
        for label in range(self.weights.shape[1]):
            self.sums[label] = self.sums[label] + self.weights[row, label]
        return 0

    # -- features ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _spelling(self, token: cython.longlong, which: cython.int) -> cython.ulonglong:
        if token < self.first or token >= self.end:
            return START if token < self.first else END
        return cython.cast(cython.ulonglong, int(self.spellings[self.types[token], which]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _label(self, token: cython.longlong) -> cython.ulonglong:
        if token < self.first or token >= self.end:
            return START if token < self.first else END
        return cython.cast(cython.ulonglong, int(self.labels[token]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _label_below(self, token: cython.longlong) -> cython.ulonglong:
        if token < self.first or token >= self.end:
            return START if token < self.first else END
        return cython.cast(cython.ulonglong, int(self.below[token]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _put(self, template: cython.ulonglong, a: cython.ulonglong, b: cython.ulonglong) -> cython.int:
        """Add a feature."""
        self.found[self.count] = _bucket(template, a, b, self.mask)
        self.count += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def find_features(self, token: cython.longlong, alone: cython.bint) -> cython.int:
        """Find the buckets of the features of a token; `alone` asks for the word's own as well."""
        which: cython.int
        lower: cython.ulonglong = self._spelling(token, LOWER)
        before: cython.ulonglong = self._spelling(token - 1, LOWER)
        behind: cython.ulonglong = self._spelling(token + 1, LOWER)
        last: cython.ulonglong = self._label(token - 1)
        second: cython.ulonglong = self._label(token - 2)
        self.count = 0
        if alone:
            for which in range(cython.cast(cython.int, self.spellings.shape[1])):
                self._put(which, self._spelling(token, which), 0)
        self._put(32, before, 0)
        self._put(33, behind, 0)
        self._put(34, self._spelling(token - 2, LOWER), 0)
        self._put(35, self._spelling(token + 2, LOWER), 0)
        self._put(36, before, lower)
        self._put(37, lower, behind)
        self._put(38, last, 0)
        self._put(39, last, second)
        self._put(40, last, lower)
        if self.layered:
            return self._layer_features(token, before, lower, behind, last, second)
        suffix: cython.ulonglong = self._spelling(token, SUFFIX)
        shape: cython.ulonglong = self._spelling(token, SHAPE)
        left_shape: cython.ulonglong = self._spelling(token - 1, SHAPE)
        right_shape: cython.ulonglong = self._spelling(token + 1, SHAPE)
        kind: cython.ulonglong = self._spelling(token, CLASS)
        right_kind: cython.ulonglong = self._spelling(token + 1, CLASS)
        self._put(41, self._spelling(token - 1, SUFFIX), 0)
        self._put(42, self._spelling(token + 1, SUFFIX), 0)
        self._put(43, right_shape, self._spelling(token, FORM))
        self._put(44, left_shape, 0)
        self._put(45, last, suffix)
        self._put(46, last, behind)
        self._put(47, before, behind)
        self._put(48, second, lower)
        self._put(49, shape, left_shape)
        self._put(50, shape, right_shape)
        self._put(51, shape * 8 + self.capitals, kind)
        self._put(52, self._spelling(token - 1, CLASS), kind)
        self._put(53, kind, right_kind)
        self._put(54, last, kind)
        self._put(55, right_kind, 0)
        self._put(56, self._spelling(token + 2, CLASS), right_kind)
        self._put(57, lower, self.capitals * 2 + (1 if token == self.first else 0))
        self._put(58, lower, right_kind)
        self._put(59, suffix, right_kind)
        self._put(60, last * PAIR + second, kind)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _layer_features(
        self,
        token: cython.longlong,
        before: cython.ulonglong,
        lower: cython.ulonglong,
        behind: cython.ulonglong,
        last: cython.ulonglong,
        second: cython.ulonglong,
    ) -> cython.int:
        """The features that a layer has of the labels below it."""
        here: cython.ulonglong = self._label_below(token)
        left: cython.ulonglong = self._label_below(token - 1)
        right: cython.ulonglong = self._label_below(token + 1)
        left2: cython.ulonglong = self._label_below(token - 2)
        right2: cython.ulonglong = self._label_below(token + 2)
        right3: cython.ulonglong = self._label_below(token + 3)
        self._put(64, here, 0)
        self._put(65, here, lower)
        self._put(66, left, here)
        self._put(67, here, right)
        self._put(68, left * PAIR + here, right)
        self._put(69, left2 * PAIR + left, here)
        self._put(70, here * PAIR + right, right2)
        self._put(71, here, behind)
        self._put(72, here, before)
        self._put(73, last * PAIR + here, right)
        self._put(74, right2 * PAIR + right3, here * PAIR + right)
        self._put(75, second * PAIR + last, here)
        self._put(76, last * PAIR + here, lower)
        self._put(77, last * PAIR + here, right * PAIR + right2)
        return 0

    # -- contexts ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _type(self, token: cython.longlong) -> cython.ulonglong:
        """The number of a word, from 2 on; 0 before the sentence, 1 after it."""
        if token < self.first or token >= self.end:
            return 0 if token < self.first else 1
        return cython.cast(cython.ulonglong, self.types[token]) + 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def _look_up(self, token: cython.longlong) -> cython.longlong:
        """The place of a token's context in the memo, or the one it is to have; -1 for none.

        The context is all that the features depend on: words from the second before the token to the second
        after it, the two labels before it, and for a layer the labels below it, from the second before to the
        third after.
        """
        self.key[0] = self._type(token - 2) << 32 | self._type(token - 1)
        self.key[1] = self._type(token) << 32 | self._type(token + 1)
        self.key[2] = self._type(token + 2) << 32 | self._label(token - 1) << 16 | self._label(token - 2)
        self.key[3] = self.capitals
        self.key[4] = 1 if token == self.first else 0
        if self.layered:
            self.key[3] = (
                self._label_below(token - 2) << 48
                | self._label_below(token - 1) << 32
                | self._label_below(token) << 16
                | self._label_below(token + 1)
            )
            self.key[4] = self._label_below(token + 2) << 16 | self._label_below(token + 3)
        mask: cython.ulonglong = cython.cast(cython.ulonglong, self.memo.shape[0] - 1)
        place: cython.ulonglong = 0
        for k in range(5):
            place = ((place ^ cython.cast(cython.ulonglong, int(self.key[k]))) * TWO) & BITS
            place = place ^ (place >> 29)
        place = place & mask
        for _ in range(PROBES):
            if self.memo[place, 5] == 0 or (
                self.memo[place, 1] == self.key[1]
                and self.memo[place, 0] == self.key[0]
                and self.memo[place, 2] == self.key[2]
                and self.memo[place, 3] == self.key[3]
                and self.memo[place, 4] == self.key[4]
            ):
                return cython.cast(cython.longlong, place)
            place = (place + 1) & mask
        return -1


@cython.cfunc
@cython.exceptval(-1, check=True)
def _mask(buckets: cython.longlong) -> cython.ulonglong:
    """The bits of a bucket's number."""
    if buckets < 1 or buckets & (buckets - 1):
        raise ValueError(f"{buckets} buckets, which is no power of two")
    return cython.cast(cython.ulonglong, buckets - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _bucket(
    template: cython.ulonglong, a: cython.ulonglong, b: cython.ulonglong, mask: cython.ulonglong
) -> cython.longlong:
    """The bucket of a feature."""
    mixed: cython.ulonglong = ((template + 1) * ONE) & BITS
    mixed = ((mixed ^ a) * TWO) & BITS
    mixed ^= mixed >> 29
    mixed = ((mixed ^ b) * THREE) & BITS
    mixed ^= mixed >> 32
    return cython.cast(cython.longlong, mixed & mask)
