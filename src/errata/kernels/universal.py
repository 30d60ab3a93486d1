"""Error types of any language with universal parts of speech, and the Czech ones (Náplava et al. 2022).

The rules ask about words, lemmas, parts of speech and dependency labels, all of which are numbers here;
`errata.edits.universal` gives them and names the types. The constants below are the numbers that it reserves.
"""

import cython

from errata.kernels import _checks, _edit_checks

# operations, and what a type is made of: operation · OPERATION + category
UNKNOWN = cython.declare(cython.int, 0)
MISSING = cython.declare(cython.int, 1)
UNNECESSARY = cython.declare(cython.int, 2)
REPLACED = cython.declare(cython.int, 3)
OPERATION = cython.declare(cython.int, 1 << 24)
PENDING = cython.declare(cython.int, -1)  # the stem of a form, or whether it is a word, is not known yet
LETTERS = cython.declare(cython.int, -2)  # whether both sides are spelt alike is not known yet

# categories; a part of speech is CLASSES + 2 · its number, and 1 more for another form of the same word
NOTHING = cython.declare(cython.int, 0)  # no rule applies
OTHER = cython.declare(cython.int, 1)
PUNCT = cython.declare(cython.int, 2)
DIACR = cython.declare(cython.int, 3)
ORTH_WSPACE = cython.declare(cython.int, 4)
ORTH_CASING = cython.declare(cython.int, 5)
ORTH = cython.declare(cython.int, 6)
QUOTATION = cython.declare(cython.int, 7)
WO = cython.declare(cython.int, 8)
WO_SPELL = cython.declare(cython.int, 9)
SPELL = cython.declare(cython.int, 10)
MORPH = cython.declare(cython.int, 11)
CLASSES = cython.declare(cython.int, 16)

# parts of speech, and their flags
VERB = cython.declare(cython.int, 3)
PRON = cython.declare(cython.int, 5)
AUX = cython.declare(cython.int, 6)
DET = cython.declare(cython.int, 7)
RARE = cython.declare(cython.int, 1)  # makes uninformative types
INFLECTED = cython.declare(cython.int, 2)

# what a text looks like: all but the second leave characters out, the last two blanks as well
NO_SIGNS = cython.declare(cython.int, 0)
NO_DIACRITICS = cython.declare(cython.int, 1)
NO_QUOTES = cython.declare(cython.int, 2)
NO_BLANKS = cython.declare(cython.int, 3)

ALPHABETIC = cython.declare(cython.int, 1)  # a flag of forms
LONGEST_MISSPELT_ORDER = cython.declare(cython.longlong, 5)  # words


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _looks_same(
    look: cython.int,
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    form: cython.int[::1],
    offsets: cython.longlong[::1],
    letters: cython.int[::1],
    look_offsets: cython.longlong[:, ::1],
    look_chars: cython.int[::1],
) -> cython.bint:
    """Whether both sides, with blanks between their words, look the same; the letter 0 is a blank."""
    side: cython.int
    letter: cython.int
    token = cython.declare(cython.longlong[2])
    i = cython.declare(cython.longlong[2])  # the next letter of a word, and its end
    i_end = cython.declare(cython.longlong[2])
    x = cython.declare(cython.longlong[2])  # the next character of what a letter looks like, and its end
    x_end = cython.declare(cython.longlong[2])
    for side in range(2):
        token[side] = o if side == 0 else c
        i[side] = offsets[form[token[side]]]
        i_end[side] = offsets[form[token[side]] + 1]
        x[side] = 0
        x_end[side] = 0
    while True:
        for side in range(2):
            while x[side] == x_end[side]:
                if i[side] < i_end[side]:
                    letter = letters[i[side]]
                    i[side] += 1
                else:
                    token[side] += 1
                    if token[side] >= (o_end if side == 0 else c_end):
                        break
                    i[side] = offsets[form[token[side]]]
                    i_end[side] = offsets[form[token[side]] + 1]
                    letter = 0
                x[side] = look_offsets[look, letter]
                x_end[side] = look_offsets[look, letter + 1]
        if x[0] == x_end[0] or x[1] == x_end[1]:
            return x[0] == x_end[0] and x[1] == x_end[1]
        if look_chars[x[0]] != look_chars[x[1]]:
            return False
        x[0] += 1
        x[1] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_letters(
    lower: cython.int[::1],
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    offsets: cython.longlong[::1],
    chars: cython.int[::1],
) -> cython.bint:
    """Whether words in lower case have the same letters behind each other."""
    i: cython.longlong = 0
    i_end: cython.longlong = 0
    j: cython.longlong = 0
    j_end: cython.longlong = 0
    while True:
        while i == i_end and o < o_end:
            i = offsets[lower[o]]
            i_end = offsets[lower[o] + 1]
            o += 1
        while j == j_end and c < c_end:
            j = offsets[lower[c]]
            j_end = offsets[lower[c] + 1]
            c += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end
        if chars[i] != chars[j]:
            return False
        i += 1
        j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_numbers(
    column: cython.int[::1],
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
) -> cython.bint:
    """Whether a column has the same numbers on both sides, in the same order."""
    if o_end - o != c_end - c:
        return False
    for i in range(o_end - o):
        if column[o + i] != column[c + i]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_words(
    lower: cython.int[::1],
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    balance: cython.int[::1],
) -> cython.bint:
    """Whether both sides have the same words in lower case, in any order."""
    same: cython.bint = o_end - o == c_end - c
    if not same:
        return False
    for token in range(o, o_end):
        balance[lower[token]] += 1
    for token in range(c, c_end):
        balance[lower[token]] -= 1
    for token in range(o, o_end):
        same = same and balance[lower[token]] == 0
    for token in range(o, o_end):
        balance[lower[token]] = 0
    for token in range(c, c_end):
        balance[lower[token]] = 0
    return same


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _orthography(
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    form: cython.int[::1],
    lower: cython.int[::1],
    offsets: cython.longlong[::1],
    letters: cython.int[::1],
    look_offsets: cython.longlong[:, ::1],
    look_chars: cython.int[::1],
    lower_offsets: cython.longlong[::1],
    lower_chars: cython.int[::1],
) -> cython.int:
    """The categories that look at letters alone: punctuation, diacritics, blanks, case, quotation marks."""
    if _looks_same(NO_SIGNS, o, o_end, c, c_end, form, offsets, letters, look_offsets, look_chars):
        return PUNCT
    if _looks_same(NO_DIACRITICS, o, o_end, c, c_end, form, offsets, letters, look_offsets, look_chars):
        return DIACR
    if _looks_same(NO_BLANKS, o, o_end, c, c_end, form, offsets, letters, look_offsets, look_chars):
        return ORTH_WSPACE
    if _same_numbers(lower, o, o_end, c, c_end):
        return ORTH_CASING
    if _same_letters(lower, o, o_end, c, c_end, lower_offsets, lower_chars):
        return ORTH
    if _looks_same(NO_QUOTES, o, o_end, c, c_end, form, offsets, letters, look_offsets, look_chars):
        return QUOTATION
    return NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shared(
    column: cython.int[::1],
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
) -> cython.int:
    """The number that a column has for all words of both sides, or -1."""
    found: cython.int = column[o if o < o_end else c]
    for token in range(o, o_end):
        if column[token] != found:
            return -1
    for token in range(c, c_end):
        if column[token] != found:
            return -1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _common_class(
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    upos: cython.int[::1],
    dep: cython.int[::1],
    kinds: cython.uchar[::1],
    class_of_label: cython.int[::1],
) -> cython.int:
    """The part of speech that all words share, or the one that their shared dependency label implies."""
    found: cython.int = _shared(upos, o, o_end, c, c_end)
    if found >= 0 and not kinds[found] & RARE:
        return CLASSES + 2 * found
    found = _shared(dep, o, o_end, c, c_end)
    if found >= 0 and class_of_label[found] >= 0:
        return CLASSES + 2 * class_of_label[found]
    return NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _phrase(
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    lemma: cython.int[::1],
    upos: cython.int[::1],
    dep: cython.int[::1],
    kinds: cython.uchar[::1],
    class_of_label: cython.int[::1],
) -> cython.int:
    """Words on one side alone, or several on one side or both."""
    found: cython.int = _common_class(o, o_end, c, c_end, upos, dep, kinds, class_of_label)
    if found:
        return found
    for token in range(o, o_end):
        if upos[token] != AUX and upos[token] != VERB:
            return OTHER
    for token in range(c, c_end):
        if upos[token] != AUX and upos[token] != VERB:
            return OTHER
    if o < o_end and c < c_end and lemma[o_end - 1] == lemma[c_end - 1]:
        return CLASSES + 2 * VERB + 1
    return CLASSES + 2 * VERB


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _czech_word(
    o: cython.longlong,
    c: cython.longlong,
    form: cython.int[::1],
    lemma: cython.int[::1],
    upos: cython.int[::1],
    dep: cython.int[::1],
    stems: cython.int[::1],
    kinds: cython.uchar[::1],
    class_of_label: cython.int[::1],
    arguments: cython.uchar[::1],
) -> cython.int:
    """A word for another one, neither of them misspelt."""
    one: cython.int = upos[o]
    other: cython.int = upos[c]
    if one == VERB and other == VERB:
        return CLASSES + 2 * VERB
    if lemma[o] == lemma[c]:
        return CLASSES + 2 * one + 1 if one == other and kinds[one] & INFLECTED else MORPH
    if kinds[one] & kinds[other] & INFLECTED:
        if stems[form[o]] < 0 or stems[form[c]] < 0:
            return PENDING
        if stems[form[o]] == stems[form[c]]:
            return MORPH
    found = _common_class(o, o + 1, c, c + 1, upos, dep, kinds, class_of_label)
    if found:
        return found
    if ((one == DET and other == PRON) or (one == PRON and other == DET)) and arguments[dep[c]]:
        return CLASSES + 2 * PRON
    return OTHER


@_checks.checked(_edit_checks.universal_types)
def types(
    start: cython.longlong,
    stop: cython.longlong,
    czech: cython.bint,
    sentences: cython.longlong[:, ::1],  # of the source and the correction of every edit
    spans: cython.int[:, ::1],  # last words that only change case are cut off
    offsets: cython.longlong[::1],  # of sentences in the columns of tokens
    form: cython.int[::1],
    lower: cython.int[::1],
    lemma: cython.int[::1],
    upos: cython.int[::1],
    dep: cython.int[::1],
    flags: cython.uchar[::1],  # of forms
    words: cython.schar[::1],  # 1 for a form that is a word, 0 for one that is none, -1 not known yet
    stems: cython.int[::1],  # of forms; -1 not known yet
    char_offsets: cython.longlong[::1],  # of forms in their letters
    letters: cython.int[::1],
    look_offsets: cython.longlong[:, ::1],  # of letters in what they look like, a row for each way to look
    look_chars: cython.int[::1],
    lower_offsets: cython.longlong[::1],  # of lower-cased words in their characters
    lower_chars: cython.int[::1],
    kinds: cython.uchar[::1],  # flags of parts of speech
    class_of_label: cython.int[::1],  # the part of speech that a dependency label implies, or -1
    arguments: cython.uchar[::1],  # 1 for dependency labels of arguments
    alike: cython.schar[::1],  # of edits: 1 if both sides are spelt alike, 0 if not, -1 not known yet
    balance: cython.int[::1],  # scratch: lower-cased words, all 0
    out: cython.int[::1],  # the types, written where they are PENDING or LETTERS
) -> None:
    """Classify the edits `start:stop`."""
    o_end: cython.longlong
    c_end: cython.longlong
    found: cython.int
    with cython.nogil:
        for p in range(start, stop):
            if out[p] >= 0:
                continue
            first = offsets[sentences[p, 0]]
            second = offsets[sentences[p, 1]]
            o = first + spans[p, 0]
            o_end = first + spans[p, 1]
            c = second + spans[p, 2]
            c_end = second + spans[p, 3]
            out[p] = UNKNOWN
            if _same_numbers(form, o, o_end, c, c_end):
                continue
            # Doctor → The doctor: a last word that only changes case is not what the edit is about.
            while (
                o < o_end
                and c < c_end
                and (o_end - o > 1 or c_end - c > 1)
                and lower[o_end - 1] == lower[c_end - 1]
            ):
                o_end -= 1
                c_end -= 1
            spans[p, 1] = cython.cast(cython.int, o_end - first)
            spans[p, 3] = cython.cast(cython.int, c_end - second)
            if o == o_end and c == c_end:
                continue
            if o == o_end or c == c_end:
                out[p] = OPERATION * (MISSING if o == o_end else UNNECESSARY) + _phrase(
                    o, o_end, c, c_end, lemma, upos, dep, kinds, class_of_label
                )
                continue
            found = _orthography(
                o, o_end, c, c_end, form, lower, char_offsets, letters, look_offsets, look_chars,
                lower_offsets, lower_chars,
            )  # fmt: skip
            if not found and _same_words(lower, o, o_end, c, c_end, balance):
                found = WO
            if not found and o_end - o == 1 and c_end - c == 1:
                if flags[form[o]] & ALPHABETIC and words[form[o]] != 1:
                    if words[form[o]] < 0:
                        found = PENDING
                    elif alike[p] < 0:
                        found = LETTERS
                    elif alike[p]:
                        found = SPELL
                    elif czech and upos[o] == upos[c] and not kinds[upos[o]] & RARE:
                        found = CLASSES + 2 * upos[o]
                    elif czech:
                        found = OTHER
                elif czech:
                    found = _czech_word(o, c, form, lemma, upos, dep, stems, kinds, class_of_label, arguments)
                elif lemma[o] == lemma[c]:
                    found = MORPH
                    if upos[o] == upos[c] and kinds[upos[o]] & INFLECTED:
                        found = CLASSES + 2 * upos[o] + 1
                if not found:
                    found = _common_class(o, o_end, c, c_end, upos, dep, kinds, class_of_label)
                if not found:
                    found = OTHER
            elif not found and czech and o_end - o == c_end - c and o_end - o <= LONGEST_MISSPELT_ORDER:
                if alike[p] < 0:
                    found = LETTERS
                elif alike[p]:
                    found = WO_SPELL
            if not found:
                found = _phrase(o, o_end, c, c_end, lemma, upos, dep, kinds, class_of_label)
            out[p] = OPERATION * REPLACED + found if found > 0 else found
