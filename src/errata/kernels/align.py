"""Token alignment with linguistic costs: Damerau–Levenshtein whose substitutions look at lemma, part of
speech and letters (Felice, Bryant & Briscoe 2016).

Costs are added in the order of the official program, so that its ties are ours: they are ties of doubles.
Memory: 12 bytes a cell of the largest sentence pair (24 with `SIMILAR`), in scratch arrays of the caller.
"""

import cython

from errata.kernels import _checks, _edit_checks

MATCH = cython.declare(cython.int, 0)
SUBSTITUTION = cython.declare(cython.int, 1)
INSERTION = cython.declare(cython.int, 2)
DELETION = cython.declare(cython.int, 3)
# a transposition of k ≥ 2 tokens is the step k + TRANSPOSITION
TRANSPOSITION = cython.declare(cython.int, 2)

# how tokens are compared
PLAIN = cython.declare(cython.int, 0)  # Levenshtein: every substitution costs 1, no transpositions
EXACT = cython.declare(
    cython.int, 1
)  # letters by insertions and deletions; transposed words are the same but for case
SIMILAR = cython.declare(
    cython.int, 2
)  # letters by matching blocks; up to 5 transposed words may be misspelt

LONGEST = cython.declare(cython.longlong, 62)  # letters of a word that fit into one number
BLOCK = cython.declare(cython.int, 10)
IN_BLOCK = cython.declare(cython.int, 1023)
ONE = cython.declare(cython.ulonglong, 1)
LONGEST_SIMILAR = cython.declare(cython.int, 5)
# below a quarter once rounded to single precision, in which the official program compares
QUARTER = cython.declare(cython.double, 0.25 - 2.0**-27)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _common(
    chars: cython.int[::1],
    a: cython.longlong,
    a_end: cython.longlong,
    b: cython.longlong,
    b_end: cython.longlong,
    row: cython.double[::1],
) -> cython.longlong:
    """Length of the longest common subsequence of two words."""
    columns: cython.longlong = b_end - b
    for j in range(columns + 1):
        row[j] = 0
    for i in range(a, a_end):
        diagonal = 0
        for j in range(1, columns + 1):
            above = row[j]
            if chars[i] == chars[b + j - 1]:
                row[j] = diagonal + 1
            elif row[j - 1] > above:
                row[j] = row[j - 1]
            diagonal = above
    return cython.cast(cython.longlong, row[columns])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _places(
    chars: cython.int[::1], a: cython.longlong, a_end: cython.longlong, places: cython.ulonglong[::1]
) -> cython.int:
    """Note where a word has which letter, a bit for each place, by the last ten bits of their codes.

    Gives the bits before these, which must be the same for all letters; -1 if not, or for too long a word.
    """
    if a == a_end or a_end - a > LONGEST:
        return -1
    block = chars[a] >> BLOCK
    for i in range(a, a_end):
        if chars[i] >> BLOCK != block:
            return -1
    for i in range(a, a_end):
        letter = chars[i] & IN_BLOCK
        places[letter] = cython.cast(cython.ulonglong, int(places[letter])) | (ONE << (i - a))
    return block


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _common_bits(
    size: cython.longlong,
    block: cython.int,
    places: cython.ulonglong[::1],
    chars: cython.int[::1],
    b: cython.longlong,
    b_end: cython.longlong,
) -> cython.longlong:
    """As `_common` for a word of which `_places` noted the letters, with all its rows in one number.

    Hyyrö (2004): a bit is 0 where the common subsequence grows.
    """
    full: cython.ulonglong = (ONE << size) - ONE
    rows: cython.ulonglong = full
    shared: cython.longlong = 0
    for j in range(b, b_end):
        if chars[j] >> BLOCK == block:
            matches = rows & cython.cast(cython.ulonglong, int(places[chars[j] & IN_BLOCK]))
            rows = ((rows + matches) | (rows - matches)) & full
    rows = full - rows
    while rows != 0:
        rows = rows & (rows - ONE)
        shared += 1
    return shared


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _blocks(
    chars: cython.int[::1],
    a: cython.longlong,
    a_end: cython.longlong,
    b: cython.longlong,
    b_end: cython.longlong,
) -> cython.longlong:
    """Letters in matching blocks (Ratcliff & Obershelp): the longest block, then left and right of it."""
    best: cython.longlong = 0
    best_a: cython.longlong = a
    best_b: cython.longlong = b
    length: cython.longlong
    if a >= a_end or b >= b_end:
        return 0
    for i in range(a, a_end):
        if a_end - i <= best:
            break
        for j in range(b, b_end):
            if b_end - j <= best:
                break
            length = 0
            while i + length < a_end and j + length < b_end and chars[i + length] == chars[j + length]:
                length += 1
            if length > best:
                best, best_a, best_b = length, i, j
    if best == 0:
        return 0
    return (
        best
        + _blocks(chars, a, best_a, b, best_b)
        + _blocks(chars, best_a + best, a_end, best_b + best, b_end)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weighted(
    codes: cython.int[::1],
    a: cython.longlong,
    a_end: cython.longlong,
    b: cython.longlong,
    b_end: cython.longlong,
    weights: cython.double[:, ::1],
    row: cython.double[::1],
) -> cython.double:
    """Weighted character cost: 2 d / (sum of lengths), d a Levenshtein distance with weights."""
    columns: cython.longlong = b_end - b
    if a == a_end and b == b_end:
        return 0
    for j in range(columns + 1):
        row[j] = j
    for i in range(a, a_end):
        diagonal = row[0]
        row[0] = row[0] + 1
        for j in range(1, columns + 1):
            above = row[j]
            best = above + 1
            if row[j - 1] + 1 < best:
                best = row[j - 1] + 1
            if diagonal + weights[codes[i], codes[b + j - 1]] < best:
                best = diagonal + weights[codes[i], codes[b + j - 1]]
            row[j] = best
            diagonal = above
    return 2 * row[columns] / ((a_end - a) + (b_end - b))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _near(
    codes: cython.int[::1],
    a: cython.longlong,
    a_end: cython.longlong,
    b: cython.longlong,
    b_end: cython.longlong,
    weights: cython.double[:, ::1],
    row: cython.double[::1],
) -> cython.int:
    """Whether the weighted character cost of two words is below a quarter."""
    difference: cython.longlong = (a_end - a) - (b_end - b)
    if difference < 0:
        difference = -difference
    if 8 * difference >= (a_end - a) + (b_end - b):  # so many insertions alone cost a quarter
        return 0
    return 1 if _weighted(codes, a, a_end, b, b_end, weights, row) < QUARTER else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _permuted(
    near: cython.schar[::1],
    corner: cython.longlong,
    width: cython.longlong,
    size: cython.int,
    token: cython.int,
    used: cython.int,
) -> cython.int:
    """Whether the tokens from `token` on can be paired with near ones, the first and the last moved away."""
    if token == size:
        return 1
    for other in range(size):
        if other == token and (token == 0 or token == size - 1):
            continue
        if (
            not (used >> other) & 1
            and near[corner + token * width + other] == 1
            and _permuted(near, corner, width, size, token + 1, used | (1 << other))
        ):
            return 1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh(
    balance: cython.int[::1], word: cython.int, weight: cython.int, unbalanced: cython.longlong
) -> cython.longlong:
    """Put a word on its scale; returns how many words' scales are out of balance now."""
    before: cython.int = balance[word]
    balance[word] = before + weight
    if before == 0:
        return unbalanced + 1
    return unbalanced - 1 if balance[word] == 0 else unbalanced


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _borders(
    o: cython.longlong,
    n: cython.longlong,
    c: cython.longlong,
    m: cython.longlong,
    mark: cython.longlong,
    lower: cython.int[::1],
    cost: cython.double[::1],
    operation: cython.int[::1],
    seen: cython.longlong[:, ::1],
) -> cython.void:
    """Fill the first column and row of the table, and mark the words that each side has."""
    cost[0] = 0
    for i in range(1, n + 1):
        cost[i * (m + 1)] = i
        operation[i * (m + 1)] = DELETION
        seen[0, lower[o + i - 1]] = mark
    for j in range(1, m + 1):
        cost[j] = j
        operation[j] = INSERTION
        seen[1, lower[c + j - 1]] = mark


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _transposed(
    comparison: cython.int,
    o: cython.longlong,
    c: cython.longlong,
    i: cython.longlong,
    j: cython.longlong,
    width: cython.longlong,
    mark: cython.longlong,
    form: cython.int[::1],
    lower: cython.int[::1],
    char_offsets: cython.longlong[::1],
    codes: cython.int[::1],
    weights: cython.double[:, ::1],
    cost: cython.double[::1],
    near: cython.schar[::1],
    balance: cython.int[::1],
    seen: cython.longlong[:, ::1],
    row: cython.double[::1],
) -> cython.longlong:
    """The shortest transposition that ends at two tokens: 2 · steps back, plus 1 if there is one.

    It goes back along the diagonal over what does not match; a word that the other side lacks altogether
    ends the search.
    """
    k: cython.longlong = 1
    exact: cython.int = seen[1, lower[o + i]] == mark and seen[0, lower[c + j]] == mark
    longest: cython.longlong = i if i < j else j
    weighed: cython.longlong = 1 if exact else 0
    unbalanced: cython.longlong = 1
    swap: cython.int = 0
    if exact:
        unbalanced = _weigh(balance, lower[o + i], 1, 0)
        unbalanced = _weigh(balance, lower[c + j], -1, unbalanced)
    while k <= longest:
        if not exact and (comparison == EXACT or k >= LONGEST_SIMILAR):
            break
        if comparison == EXACT:
            if cost[(i - k + 1) * width + j - k + 1] == cost[(i - k) * width + j - k]:
                break
        elif not cost[(i - k + 1) * width + j - k + 1] - cost[(i - k) * width + j - k] > 0:
            break
        if exact:
            if seen[1, lower[o + i - k]] == mark and seen[0, lower[c + j - k]] == mark:
                unbalanced = _weigh(balance, lower[o + i - k], 1, unbalanced)
                unbalanced = _weigh(balance, lower[c + j - k], -1, unbalanced)
                weighed = k + 1
            else:
                exact = 0
        if comparison == EXACT or k >= LONGEST_SIMILAR:
            swap = exact and unbalanced == 0
        else:
            for x in range(i - k, i + 1):
                for y in range(j - k, j + 1):
                    if near[x * width + y] < 0:
                        near[x * width + y] = _near(
                            codes,
                            char_offsets[form[o + x]],
                            char_offsets[form[o + x] + 1],
                            char_offsets[form[c + y]],
                            char_offsets[form[c + y] + 1],
                            weights,
                            row,
                        )
            swap = _permuted(near, (i - k) * width + j - k, width, k + 1, 0, 0)
        if swap:
            break
        k += 1
    for x in range(weighed):
        balance[lower[o + i - x]] = 0
        balance[lower[c + j - x]] = 0
    return 2 * k + 1 if swap else 2 * k


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _trace(
    operation: cython.int[::1],
    n: cython.longlong,
    m: cython.longlong,
    steps: cython.int[::1],
    begin: cython.longlong,
    count: cython.longlong,
) -> cython.longlong:
    """Follow the operations back from the last cell and turn the steps round; returns how many there are."""
    i: cython.longlong = n
    j: cython.longlong = m
    k: cython.longlong
    while i + j > 0:
        step = operation[i * (m + 1) + j]
        steps[begin + count] = step
        count += 1
        if step == DELETION:
            i -= 1
        elif step == INSERTION:
            j -= 1
        else:
            k = 1 if step < DELETION else step - TRANSPOSITION
            i -= k
            j -= k
    i = begin
    j = begin + count - 1
    while i < j:
        step = steps[i]
        steps[i] = steps[j]
        steps[j] = step
        i += 1
        j -= 1
    return count


@_checks.checked(_edit_checks.align)
def align(
    start: cython.longlong,
    stop: cython.longlong,
    comparison: cython.int,
    pairs: cython.longlong[:, ::1],  # sentence of the source, sentence of the correction
    offsets: cython.longlong[::1],  # of sentences in the columns of tokens
    form: cython.int[::1],
    lower: cython.int[::1],
    lemma: cython.int[::1],
    pos: cython.int[::1],  # 0 … 3 are open classes
    char_offsets: cython.longlong[::1],  # of forms in the columns of characters
    chars: cython.int[::1],
    codes: cython.int[::1],  # rows and columns of `weights`
    weights: cython.double[:, ::1],
    cost: cython.double[::1],  # scratch: cells of the largest pair
    operation: cython.int[::1],  # scratch: as many
    near: cython.schar[::1],  # scratch: as many with SIMILAR
    balance: cython.int[::1],  # scratch: lower-cased words, all 0
    seen: cython.longlong[:, ::1],  # scratch: 2 × lower-cased words, all 0
    row: cython.double[::1],  # scratch: letters of the longest word + 1
    places: cython.ulonglong[::1],  # scratch: 1024, all 0
    step_offsets: cython.longlong[::1],
    steps: cython.int[::1],  # the alignments, written
    counts: cython.longlong[::1],  # how many steps each has, written; -1 for one that is given up
    most: cython.longlong,  # cells of words and letters that a pair may take
) -> None:
    """Align the pairs `start:stop`: the cheapest steps from left to right."""
    o: cython.longlong
    c: cython.longlong
    n: cython.longlong
    m: cython.longlong
    count: cython.longlong
    step: cython.int
    swap: cython.int
    block: cython.int = -1
    noted: cython.longlong = 0
    noted_end: cython.longlong = 0
    with cython.nogil:
        for p in range(start, stop):
            o = offsets[pairs[p, 0]]
            n = offsets[pairs[p, 0] + 1] - o
            c = offsets[pairs[p, 1]]
            m = offsets[pairs[p, 1] + 1] - c
            count = 0
            # A match is always taken: the common end needs no table.
            while n > 0 and m > 0 and form[o + n - 1] == form[c + m - 1]:
                steps[step_offsets[p] + count] = MATCH
                count += 1
                n -= 1
                m -= 1
            width = m + 1
            spent = 0
            _borders(o, n, c, m, p + 1, lower, cost, operation, seen)
            if comparison == SIMILAR:
                for cell in range((n + 1) * width):
                    near[cell] = -1
            for i in range(n):
                if spent > most:
                    break
                if comparison == EXACT:
                    for k in range(noted, noted_end):
                        places[chars[k] & IN_BLOCK] = 0
                    noted = char_offsets[form[o + i]]
                    noted_end = char_offsets[form[o + i] + 1]
                    block = _places(chars, noted, noted_end, places)
                for j in range(m):
                    if spent > most:
                        break
                    spent += 1
                    cell = (i + 1) * width + j + 1
                    if form[o + i] == form[c + j]:
                        cost[cell] = cost[cell - width - 1]
                        operation[cell] = MATCH
                        continue
                    # Ties: substitution before insertion before deletion, and a transposition before all.
                    if comparison == PLAIN:
                        best = cost[cell - width - 1] + 1
                    elif lower[o + i] == lower[c + j]:
                        best = cost[cell - width - 1]
                    else:
                        x = char_offsets[form[o + i]]
                        y = char_offsets[form[c + j]]
                        x_end = char_offsets[form[o + i] + 1]
                        y_end = char_offsets[form[c + j] + 1]
                        total = (x_end - x) + (y_end - y)
                        area = (x_end - x) * (y_end - y)
                        if comparison == SIMILAR:  # blocks are looked for again beside the longest
                            area = area * (1 + total // 16)
                        spent += area
                        if spent > most:
                            break
                        if comparison == SIMILAR:
                            letters = 1 - 2.0 * _blocks(chars, x, x_end, y, y_end) / total
                        else:
                            if block >= 0:
                                shared = _common_bits(x_end - x, block, places, chars, y, y_end)
                            else:
                                shared = _common(chars, x, x_end, y, y_end, row)
                            letters = cython.cast(cython.double, total - 2 * shared) / total
                        other = 0 if lemma[o + i] == lemma[c + j] else 0.499
                        if pos[o + i] != pos[c + j]:
                            other = other + (0.25 if pos[o + i] < 4 and pos[c + j] < 4 else 0.5)
                        best = cost[cell - width - 1] + (other + letters)
                    step = SUBSTITUTION
                    if cost[cell - 1] + 1 < best:
                        best = cost[cell - 1] + 1
                        step = INSERTION
                    if cost[cell - width] + 1 < best:
                        best = cost[cell - width] + 1
                        step = DELETION
                    if comparison != PLAIN:
                        k = _transposed(
                            comparison, o, c, i, j, width, p + 1, form, lower, char_offsets, codes, weights,
                            cost, near, balance, seen, row,
                        )  # fmt: skip
                        swap = k & 1
                        k = k >> 1
                        if swap and cost[(i - k) * width + j - k] + k <= best:
                            best = cost[(i - k) * width + j - k] + k
                            step = k + 1 + TRANSPOSITION
                        spent += 4 * k  # a step weighs two words on each side
                    cost[cell] = best
                    operation[cell] = step
            if spent > most:
                counts[p] = -1
                continue
            counts[p] = _trace(operation, n, m, steps, step_offsets[p], count)
