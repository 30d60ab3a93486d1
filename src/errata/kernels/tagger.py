"""A greedy linear tagger: hashed features, a row of small weights for each, the label with the largest sum.

A layer labels the tokens of a sentence from left to right. It sees the words around a token and the two
labels it gave before; a layer on top of another also sees the labels below on both sides. Words come as
types, each with a row of hashed spellings (`errata.edits.taggers.lexicon`). A feature is a template and
one or two values, mixed into one of 2^k buckets; most buckets have no weights and cost one look.
"""

import cython

from errata.kernels import _checks, _edit_checks

# Typed, since Cython takes long literals for objects. 61 bits are kept, so that the uncompiled twin agrees.
BITS = cython.declare(cython.ulonglong, 0x1FFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 0x1E3779B97F4A7C15)
TWO = cython.declare(cython.ulonglong, 0x3F58476D1CE4E5B9)
THREE = cython.declare(cython.ulonglong, 0x14D049BB133111EB)

START = cython.declare(cython.ulonglong, 1000)  # stands for what is before a sentence
END = cython.declare(cython.ulonglong, 1001)  # and behind
PROBES = cython.declare(cython.int, 64)  # places of a memo that are looked at for a context
LABELS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # four of them
PAIR = cython.declare(cython.ulonglong, 4096)  # two labels in one value: one times this, plus the other

# Columns of the spellings; those in between and behind are features of a word and nothing else.
FORM = cython.declare(cython.int, 0)
LOWER = cython.declare(cython.int, 1)
SUFFIX = cython.declare(cython.int, 4)  # three letters
SHAPE = cython.declare(cython.int, 11)
CLASS = cython.declare(cython.int, 12)
CAPITAL = cython.declare(cython.int, 13)  # 0 no letter, 1 a small one, 2 a capital in front


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _spelling(
    spellings: cython.ulonglong[:, ::1],
    types: cython.int[::1],
    token: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    which: cython.int,
) -> cython.ulonglong:
    if token < start or token >= stop:
        return START if token < start else END
    return cython.cast(cython.ulonglong, int(spellings[types[token], which]))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _label(
    labels: cython.int[::1], token: cython.longlong, start: cython.longlong, stop: cython.longlong
) -> cython.ulonglong:
    if token < start or token >= stop:
        return START if token < start else END
    return cython.cast(cython.ulonglong, int(labels[token]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _capitals(
    start: cython.longlong, stop: cython.longlong, types: cython.int[::1], spellings: cython.ulonglong[:, ::1]
) -> cython.ulonglong:
    """How much of a sentence is capitalised: 0 (at most a quarter of its words) … 3 (nearly all)."""
    words: cython.longlong = 0
    capital: cython.longlong = 0
    for token in range(start, stop):
        kind = spellings[types[token], CAPITAL]
        if kind > 0:
            words += 1
            if kind > 1:
                capital += 1
    if capital * 2 > words:
        return 3 if capital * 10 > words * 9 else 2
    return 1 if capital * 4 > words else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _features(
    token: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    types: cython.int[::1],
    spellings: cython.ulonglong[:, ::1],
    given: cython.int[::1],
    layered: cython.bint,
    alone: cython.bint,
    capitals: cython.ulonglong,
    labels: cython.int[::1],
    mask: cython.ulonglong,
    found: cython.longlong[::1],
) -> cython.int:
    """Fill in the buckets of the features of a token; gives how many. `alone` asks for the word's own too."""
    count: cython.int = 0
    form: cython.ulonglong = _spelling(spellings, types, token, start, stop, FORM)
    lower: cython.ulonglong = _spelling(spellings, types, token, start, stop, LOWER)
    suffix: cython.ulonglong = _spelling(spellings, types, token, start, stop, SUFFIX)
    before: cython.ulonglong = _spelling(spellings, types, token - 1, start, stop, LOWER)
    behind: cython.ulonglong = _spelling(spellings, types, token + 1, start, stop, LOWER)
    last: cython.ulonglong = _label(labels, token - 1, start, stop)
    second: cython.ulonglong = _label(labels, token - 2, start, stop)
    if alone:
        for which in range(cython.cast(cython.int, spellings.shape[1])):
            found[count] = _bucket(which, _spelling(spellings, types, token, start, stop, which), 0, mask)
            count += 1
    found[count] = _bucket(32, before, 0, mask)
    found[count + 1] = _bucket(33, behind, 0, mask)
    found[count + 2] = _bucket(34, _spelling(spellings, types, token - 2, start, stop, LOWER), 0, mask)
    found[count + 3] = _bucket(35, _spelling(spellings, types, token + 2, start, stop, LOWER), 0, mask)
    found[count + 4] = _bucket(36, before, lower, mask)
    found[count + 5] = _bucket(37, lower, behind, mask)
    found[count + 6] = _bucket(38, last, 0, mask)
    found[count + 7] = _bucket(39, last, second, mask)
    found[count + 8] = _bucket(40, last, lower, mask)
    count += 9
    if layered:
        return count + _features_of_layer(
            token, start, stop, given, before, lower, behind, last, second, mask, found[count:]
        )
    shape: cython.ulonglong = _spelling(spellings, types, token, start, stop, SHAPE)
    left_shape: cython.ulonglong = _spelling(spellings, types, token - 1, start, stop, SHAPE)
    right_shape: cython.ulonglong = _spelling(spellings, types, token + 1, start, stop, SHAPE)
    kind: cython.ulonglong = _spelling(spellings, types, token, start, stop, CLASS)
    left_kind: cython.ulonglong = _spelling(spellings, types, token - 1, start, stop, CLASS)
    right_kind: cython.ulonglong = _spelling(spellings, types, token + 1, start, stop, CLASS)
    right2_kind: cython.ulonglong = _spelling(spellings, types, token + 2, start, stop, CLASS)
    found[count] = _bucket(41, _spelling(spellings, types, token - 1, start, stop, SUFFIX), 0, mask)
    found[count + 1] = _bucket(42, _spelling(spellings, types, token + 1, start, stop, SUFFIX), 0, mask)
    found[count + 2] = _bucket(43, right_shape, form, mask)
    found[count + 3] = _bucket(44, left_shape, 0, mask)
    found[count + 4] = _bucket(45, last, suffix, mask)
    found[count + 5] = _bucket(46, last, behind, mask)
    found[count + 6] = _bucket(47, before, behind, mask)
    found[count + 7] = _bucket(48, second, lower, mask)
    found[count + 8] = _bucket(49, shape, left_shape, mask)
    found[count + 9] = _bucket(50, shape, right_shape, mask)
    found[count + 10] = _bucket(51, shape * 8 + capitals, kind, mask)
    found[count + 11] = _bucket(52, left_kind, kind, mask)
    found[count + 12] = _bucket(53, kind, right_kind, mask)
    found[count + 13] = _bucket(54, last, kind, mask)
    found[count + 14] = _bucket(55, right_kind, 0, mask)
    found[count + 15] = _bucket(56, right2_kind, right_kind, mask)
    found[count + 16] = _bucket(57, lower, capitals * 2 + (1 if token == start else 0), mask)
    found[count + 17] = _bucket(58, lower, right_kind, mask)
    found[count + 18] = _bucket(59, suffix, right_kind, mask)
    found[count + 19] = _bucket(60, last * PAIR + second, kind, mask)
    return count + 20


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _features_of_layer(
    token: cython.longlong,
    start: cython.longlong,
    stop: cython.longlong,
    given: cython.int[::1],
    before: cython.ulonglong,
    lower: cython.ulonglong,
    behind: cython.ulonglong,
    last: cython.ulonglong,
    second: cython.ulonglong,
    mask: cython.ulonglong,
    found: cython.longlong[::1],
) -> cython.int:
    """The features that a layer has of the labels below it."""
    here: cython.ulonglong = _label(given, token, start, stop)
    left: cython.ulonglong = _label(given, token - 1, start, stop)
    right: cython.ulonglong = _label(given, token + 1, start, stop)
    left2: cython.ulonglong = _label(given, token - 2, start, stop)
    right2: cython.ulonglong = _label(given, token + 2, start, stop)
    right3: cython.ulonglong = _label(given, token + 3, start, stop)
    found[0] = _bucket(64, here, 0, mask)
    found[1] = _bucket(65, here, lower, mask)
    found[2] = _bucket(66, left, here, mask)
    found[3] = _bucket(67, here, right, mask)
    found[4] = _bucket(68, left * PAIR + here, right, mask)
    found[5] = _bucket(69, left2 * PAIR + left, here, mask)
    found[6] = _bucket(70, here * PAIR + right, right2, mask)
    found[7] = _bucket(71, here, behind, mask)
    found[8] = _bucket(72, here, before, mask)
    found[9] = _bucket(73, last * PAIR + here, right, mask)
    found[10] = _bucket(74, right2 * PAIR + right3, here * PAIR + right, mask)
    found[11] = _bucket(75, second * PAIR + last, here, mask)
    found[12] = _bucket(76, last * PAIR + here, lower, mask)
    found[13] = _bucket(77, last * PAIR + here, right * PAIR + right2, mask)
    return 14


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _type(
    types: cython.int[::1], token: cython.longlong, start: cython.longlong, stop: cython.longlong
) -> cython.ulonglong:
    """The number of a word, from 2 on; 0 before the sentence, 1 behind it."""
    if token < start or token >= stop:
        return 0 if token < start else 1
    return cython.cast(cython.ulonglong, types[token]) + 2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _mixed(mixed: cython.ulonglong, part: cython.ulonglong) -> cython.ulonglong:
    mixed = ((mixed ^ part) * TWO) & BITS
    return mixed ^ (mixed >> 29)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(
    memo: cython.ulonglong[:, ::1],
    one: cython.ulonglong,
    two: cython.ulonglong,
    three: cython.ulonglong,
    four: cython.ulonglong,
    five: cython.ulonglong,
) -> cython.longlong:
    """The place of a context in the memo, or the one it is to have; -1 for none."""
    mask: cython.ulonglong = cython.cast(cython.ulonglong, memo.shape[0] - 1)
    place: cython.ulonglong = _mixed(_mixed(_mixed(_mixed(_mixed(0, one), two), three), four), five) & mask
    for i in range(PROBES):
        if memo[place, 5] == 0 or (
            memo[place, 1] == two
            and memo[place, 0] == one
            and memo[place, 2] == three
            and memo[place, 3] == four
            and memo[place, 4] == five
        ):
            return cython.cast(cython.longlong, place)
        place = (place + 1) & mask
    return -1


@_checks.checked(_edit_checks.own_sums)
def own_sums(
    start: cython.longlong,
    stop: cython.longlong,
    spellings: cython.ulonglong[:, ::1],
    index: cython.int[::1],
    weights: cython.schar[:, ::1],
    out: cython.short[:, ::1],
) -> None:
    """Write the sums of the weights that the words `start:stop` have by themselves, wherever they stand."""
    mask: cython.ulonglong = cython.cast(cython.ulonglong, index.shape[0] - 1)
    with cython.nogil:
        for word in range(start, stop):
            for label in range(weights.shape[1]):
                out[word, label] = 0
            for which in range(spellings.shape[1]):
                row = index[
                    _bucket(which, cython.cast(cython.ulonglong, int(spellings[word, which])), 0, mask)
                ]
                if row != 0:
                    for label in range(weights.shape[1]):
                        out[word, label] = out[word, label] + weights[row, label]


@_checks.checked(_edit_checks.predict)
def predict(
    start: cython.longlong,
    stop: cython.longlong,
    offsets: cython.longlong[::1],
    until: cython.longlong[::1],
    types: cython.int[::1],
    spellings: cython.ulonglong[:, ::1],
    given: cython.int[::1],
    layered: cython.bint,
    index: cython.int[::1],
    weights: cython.schar[:, ::1],
    size: cython.Py_ssize_t,
    own: cython.short[:, ::1],
    sums: cython.short[::1],
    found: cython.longlong[::1],
    labels: cython.int[::1],
    memo: cython.ulonglong[:, ::1],
    filled: cython.longlong[::1],
):
    """Label the tokens of the sentences start … stop with one of `size` labels, each up to a token.

    `memo` keeps the labels of contexts that were seen before, of the same words and layer, so that they are
    not computed again: a table of open addressing, empty at first, with `filled[0]` contexts in it. A table
    without rows keeps nothing.

    `index` gives the row of weights of each bucket, 0 for none; rows may be wider than `size`. `own` has the
    sums of the features that words have by themselves: see `own_sums`. `sums`
    (as wide as a row) and `found` (64) are scratch. No sum leaves 16 bits: 64 weights of 127 at most.
    """
    best: cython.int
    width: cython.Py_ssize_t = weights.shape[1]
    mask: cython.ulonglong = cython.cast(cython.ulonglong, index.shape[0] - 1)
    most: cython.longlong = memo.shape[0] - memo.shape[0] // 4
    # All that the features of a token depend on: words from the second before it to the second behind it, the
    # two labels before it, and for a layer the labels below it, from the second before to the third behind.
    with cython.nogil:
        for sentence in range(start, stop):
            first = offsets[sentence]
            end = offsets[sentence + 1]
            capitals = _capitals(first, end, types, spellings)
            word1 = 0
            word2 = 0
            word3 = _type(types, first, first, end)
            word4 = _type(types, first + 1, first, end)
            last = START
            second = START
            below = capitals  # four labels of 16 bits
            behind = 1  # and two
            if layered:
                below = START << 32 | START << 16 | _label(given, first, first, end)
                behind = _label(given, first + 1, first, end) << 16 | _label(given, first + 2, first, end)
            for token in range(first, until[sentence]):
                word0 = word1
                word1 = word2
                word2 = word3
                word3 = word4
                word4 = _type(types, token + 2, first, end)
                if layered:
                    below = (below << 16 | behind >> 16) & LABELS
                    behind = (behind & 65535) << 16 | _label(given, token + 3, first, end)
                elif token > first:
                    behind = 0
                place = -1
                if memo.shape[0] > 0:
                    place = _place(
                        memo,
                        word0 << 32 | word1,
                        word2 << 32 | word3,
                        word4 << 32 | last << 16 | second,
                        below,
                        behind,
                    )
                if place >= 0 and memo[place, 5] != 0:
                    labels[token] = cython.cast(cython.int, memo[place, 5]) - 1
                    second = last
                    last = cython.cast(cython.ulonglong, int(labels[token]))
                    continue
                count = _features(
                    token, first, end, types, spellings, given, layered, False, capitals, labels, mask, found
                )
                for label in range(width):
                    sums[label] = own[types[token], label]
                for feature in range(count):
                    row = index[found[feature]]
                    if row != 0:
                        for label in range(width):
                            sums[label] = sums[label] + weights[row, label]
                best = 0
                for label in range(1, size):
                    if sums[label] > sums[best]:
                        best = cython.cast(cython.int, label)
                labels[token] = best
                if place >= 0 and filled[0] < most:
                    memo[place, 0] = word0 << 32 | word1
                    memo[place, 1] = word2 << 32 | word3
                    memo[place, 2] = word4 << 32 | last << 16 | second
                    memo[place, 3] = below
                    memo[place, 4] = behind
                    memo[place, 5] = cython.cast(cython.ulonglong, best) + 1
                    filled[0] += 1
                second = last
                last = cython.cast(cython.ulonglong, best)


@_checks.checked(_edit_checks.learn)
def learn(
    offsets: cython.longlong[::1],
    order: cython.longlong[::1],
    types: cython.int[::1],
    spellings: cython.ulonglong[:, ::1],
    given: cython.int[::1],
    layered: cython.bint,
    gold: cython.int[::1],
    weights: cython.float[:, ::1],
    history: cython.double[:, ::1],
    step: cython.double,
    sums: cython.float[::1],
    found: cython.longlong[::1],
    labels: cython.int[::1],
) -> tuple:
    """One pass of the averaged perceptron over the sentences in this order: the new step and the mistakes.

    `history` sums the updates times their step, so that the average is weights - history / step.
    A gold label below 0 teaches nothing.
    """
    best: cython.int
    mistakes: cython.longlong = 0
    size: cython.Py_ssize_t = weights.shape[1]
    mask: cython.ulonglong = cython.cast(cython.ulonglong, weights.shape[0] - 1)
    with cython.nogil:
        for place in range(order.shape[0]):
            sentence = order[place]
            first = offsets[sentence]
            end = offsets[sentence + 1]
            capitals = _capitals(first, end, types, spellings)
            for token in range(first, end):
                count = _features(
                    token, first, end, types, spellings, given, layered, True, capitals, labels, mask, found
                )
                for label in range(size):
                    sums[label] = 0
                for feature in range(count):
                    row = found[feature]
                    for label in range(size):
                        sums[label] += weights[row, label]
                best = 0
                for label in range(1, size):
                    if sums[label] > sums[best]:
                        best = cython.cast(cython.int, label)
                labels[token] = best
                wanted = gold[token]
                step += 1
                if wanted >= 0 and best != wanted:
                    mistakes += 1
                    for feature in range(count):
                        row = found[feature]
                        weights[row, wanted] += 1
                        weights[row, best] -= 1
                        history[row, wanted] += step
                        history[row, best] -= step
    return step, mistakes
