"""English error types (Bryant, Felice & Briscoe 2017), in the version of errant 3.

The rules ask about words, Penn tags, lemmas and dependency labels, all of which are numbers here;
`errata.edits.english` gives them and names the types. The constants below are the numbers that it reserves.
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

# categories; a class of words is the category CLASSES + class
NOTHING = cython.declare(cython.int, 0)  # no rule applies
OTHER = cython.declare(cython.int, 1)
ORTH = cython.declare(cython.int, 2)
WO = cython.declare(cython.int, 3)
NOUN_POSS = cython.declare(cython.int, 4)
CONTR = cython.declare(cython.int, 5)
VERB_FORM = cython.declare(cython.int, 6)
VERB_TENSE = cython.declare(cython.int, 7)
VERB_SVA = cython.declare(cython.int, 8)
VERB_INFL = cython.declare(cython.int, 9)
NOUN_INFL = cython.declare(cython.int, 10)
MORPH = cython.declare(cython.int, 11)
ADJ_FORM = cython.declare(cython.int, 12)
NOUN_NUM = cython.declare(cython.int, 13)
SPELL = cython.declare(cython.int, 14)
CLASSES = cython.declare(cython.int, 16)

# classes: those below ADJ make uninformative types, those from ADJ to VERB have inflection or derivation
NUM = cython.declare(cython.int, 1)
ADJ = cython.declare(cython.int, 5)
NOUN = cython.declare(cython.int, 7)
VERB = cython.declare(cython.int, 8)
DET = cython.declare(cython.int, 10)
PART = cython.declare(cython.int, 11)
PREP = cython.declare(cython.int, 12)
PRON = cython.declare(cython.int, 13)

# tags
POS = cython.declare(cython.int, 0)
VBG = cython.declare(cython.int, 1)
VBN = cython.declare(cython.int, 2)
VBD = cython.declare(cython.int, 3)
VBZ = cython.declare(cython.int, 4)
NNS = cython.declare(cython.int, 5)

# parts of speech
UPOS_ADV = cython.declare(cython.int, 1)
UPOS_PART = cython.declare(cython.int, 4)
UPOS_PRON = cython.declare(cython.int, 5)

# dependency labels (0 prt, 1 prep, 2 compound:prt, 3 case), and flags of labels
LABEL_PREP = cython.declare(cython.int, 1)
AUXILIARY = cython.declare(cython.int, 1)
AUX = cython.declare(cython.int, 2)  # begins with aux
ADJECTIVE = cython.declare(cython.int, 4)
ARGUMENT = cython.declare(cython.int, 8)
POSSESSOR = cython.declare(cython.int, 16)

# lower-cased words: contractions come first, then ca, sha, wo, and behind them their full forms
FULL_FORMS = cython.declare(cython.int, 7)
BEHIND_FULL_FORMS = cython.declare(cython.int, 10)
WAS = cython.declare(cython.int, 13)
WERE = cython.declare(cython.int, 14)
TO = cython.declare(cython.int, 15)
MOST = cython.declare(cython.int, 16)
MORE = cython.declare(cython.int, 17)

ALPHABETIC = cython.declare(cython.int, 1)  # a flag of forms


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _class(
    token: cython.longlong,
    upos: cython.int[::1],
    tag: cython.int[::1],
    class_of_tag: cython.int[::1],
    class_of_upos: cython.int[::1],
) -> cython.int:
    """The class of a token, as types name it: that of its tag, or of its part of speech where it has none."""
    found: cython.int = class_of_tag[tag[token]]
    return found if found >= 0 else class_of_upos[upos[token]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _one_class(
    start: cython.longlong,
    end: cython.longlong,
    known: cython.int,
    upos: cython.int[::1],
    tag: cython.int[::1],
    class_of_tag: cython.int[::1],
    class_of_upos: cython.int[::1],
) -> cython.int:
    """The class that all tokens and `known` (-1: nothing) share; -2 for PART and VERB, -3 for any others."""
    for token in range(start, end):
        here = _class(token, upos, tag, class_of_tag, class_of_upos)
        if known == -1 or known == here:
            known = here
        elif (here == PART or here == VERB) and (known == PART or known == VERB or known == -2):
            known = -2
        else:
            return -3
    return known


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _one_label(
    start: cython.longlong, end: cython.longlong, known: cython.int, dep: cython.int[::1]
) -> cython.int:
    """The dependency label that all tokens and `known` (-1: nothing) share, or -2."""
    for token in range(start, end):
        if known == -1:
            known = dep[token]
        elif known != dep[token]:
            return -2
    return known


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _auxiliaries(
    start: cython.longlong, end: cython.longlong, dep: cython.int[::1], labels: cython.uchar[::1]
) -> cython.bint:
    """Whether all tokens are auxiliaries by their labels."""
    for token in range(start, end):
        if not labels[dep[token]] & AUXILIARY:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _one_sided(
    start: cython.longlong,
    end: cython.longlong,
    lower: cython.int[::1],
    upos: cython.int[::1],
    tag: cython.int[::1],
    dep: cython.int[::1],
    class_of_tag: cython.int[::1],
    class_of_upos: cython.int[::1],
    labels: cython.uchar[::1],
    class_of_label: cython.int[::1],
) -> cython.int:
    """The category of words that are missing or unnecessary."""
    if end - start == 1:
        if tag[start] == POS:
            return NOUN_POSS
        if lower[start] < FULL_FORMS:
            return CONTR
        if lower[start] == TO and upos[start] == UPOS_PART and dep[start] != LABEL_PREP:
            return VERB_FORM
    if _auxiliaries(start, end, dep, labels):
        return VERB_TENSE
    shared = _one_class(start, end, -1, upos, tag, class_of_tag, class_of_upos)
    if shared >= ADJ:
        return CLASSES + shared
    label: cython.int = _one_label(start, end, -1, dep)
    if label >= 0 and class_of_label[label] >= 0:
        return CLASSES + class_of_label[label]
    return CLASSES + VERB if shared == -2 else OTHER


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
def _similarity(
    one: cython.int,
    other: cython.int,
    offsets: cython.longlong[::1],
    chars: cython.int[::1],
    row: cython.int[::1],
) -> cython.double:
    """One less the Levenshtein distance of two words in lower case, per letter of the longer one."""
    a: cython.longlong = offsets[one]
    b: cython.longlong = offsets[other]
    rows: cython.longlong = offsets[one + 1] - a
    columns: cython.longlong = offsets[other + 1] - b
    diagonal: cython.int
    if rows == 0 and columns == 0:
        return 1.0
    for j in range(columns + 1):
        row[j] = cython.cast(cython.int, j)
    for i in range(rows):
        diagonal = row[0]
        row[0] = row[0] + 1
        for j in range(1, columns + 1):
            above = row[j]
            if chars[a + i] != chars[b + j - 1]:
                diagonal = (diagonal if diagonal < above else above) + 1
                if row[j - 1] + 1 < diagonal:
                    diagonal = row[j - 1] + 1
            row[j] = diagonal
            diagonal = above
    return 1.0 - cython.cast(cython.double, row[columns]) / (rows if rows > columns else columns)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _possessive_or_contraction(
    o: cython.longlong,
    c: cython.longlong,
    lower: cython.int[::1],
    tag: cython.int[::1],
    same_class: cython.bint,
) -> cython.int:
    one: cython.int = lower[o]
    other: cython.int = lower[c]
    if tag[o] == POS or tag[c] == POS:
        return NOUN_POSS
    if (one < FULL_FORMS or other < FULL_FORMS) and same_class:
        return CONTR
    if (FULL_FORMS <= one < BEHIND_FULL_FORMS and other == one + 3) or (
        FULL_FORMS <= other < BEHIND_FULL_FORMS and one == other + 3
    ):
        return CONTR  # ca → can
    if FULL_FORMS <= one < BEHIND_FULL_FORMS or FULL_FORMS <= other < BEHIND_FULL_FORMS:
        return VERB_TENSE  # ca → could
    if (one == WAS and other == WERE) or (one == WERE and other == WAS):
        return VERB_SVA
    return NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _auxiliary_before(
    token: cython.longlong,
    first: cython.longlong,
    upos: cython.int[::1],
    dep: cython.int[::1],
    labels: cython.uchar[::1],
) -> cython.longlong:
    """Without heads: the first of the auxiliaries right before a word, over adverbs, subjects and negation.

    -1 where there is none.
    """
    i: cython.longlong = token - 1
    found: cython.longlong = -1
    while i >= first:
        if labels[dep[i]] & AUXILIARY:
            found = i
        elif upos[i] != UPOS_ADV and upos[i] != UPOS_PART and upos[i] != UPOS_PRON:
            break
        i -= 1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _child(
    parent: cython.longlong,
    flag: cython.int,
    first: cython.longlong,
    end: cython.longlong,
    dep: cython.int[::1],
    head: cython.int[::1],
    labels: cython.uchar[::1],
) -> cython.longlong:
    """The first dependant of a token of the sentence `first:end` whose label has this flag, or -1."""
    for i in range(first, end):
        if head[i] == parent - first and i != parent and labels[dep[i]] & flag:
            return i
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _behind_auxiliary(
    token: cython.longlong,
    as_auxiliary: cython.bint,
    first: cython.longlong,
    end: cython.longlong,
    form: cython.int[::1],
    upos: cython.int[::1],
    dep: cython.int[::1],
    head: cython.int[::1],
    labels: cython.uchar[::1],
) -> cython.bint:
    """Whether an auxiliary stands before the verb; for an auxiliary: whether another word does."""
    if head[token] < 0:
        found = _auxiliary_before(token, first, upos, dep, labels)
    elif as_auxiliary:
        found = _child(first + head[token], AUX, first, end, dep, head, labels)
    else:
        found = _child(token, AUXILIARY, first, end, dep, head, labels)
    return found >= 0 and not (as_auxiliary and form[found] == form[token])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _verb_error(one: cython.int, other: cython.int) -> cython.int:
    """The category of the first tag that decides a verb error and is one of these two."""
    if one == VBG or other == VBG or one == VBN or other == VBN:
        return VERB_FORM
    if one == VBD or other == VBD:
        return VERB_TENSE
    return VERB_SVA if one == VBZ or other == VBZ else NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_lemma(
    o: cython.longlong,
    c: cython.longlong,
    one: cython.int,
    other: cython.int,
    behind: cython.bint,
    tag: cython.int[::1],
    dep: cython.int[::1],
    labels: cython.uchar[::1],
) -> cython.int:
    """Another form of the same word, whose classes on both sides are open."""
    if one == other and one == ADJ:
        return ADJ_FORM
    if one == other and one == NOUN:
        return NOUN_NUM
    if one == other and one == VERB:
        if behind:
            return VERB_FORM  # neither tense nor agreement is on a verb behind an auxiliary
        found = _verb_error(tag[o], tag[c])
        if found:
            return found
        if labels[dep[o]] & labels[dep[c]] & AUX:
            return VERB_TENSE
    if labels[dep[o]] & labels[dep[c]] & ADJECTIVE:
        return ADJ_FORM
    if one == ADJ and tag[c] == NNS:
        return NOUN_NUM  # musical → musicals
    found = _verb_error(tag[c], tag[c])
    return found if found else MORPH


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _of_pair(
    one: cython.int, other: cython.int, stage: cython.int, target: cython.int, pairs: cython.int[:, ::1]
) -> cython.int:
    """The category of two words that have one of their own; -1 in the table stands for `target`."""
    for i in range(pairs.shape[0]):
        if pairs[i, 0] == stage and (
            (pairs[i, 1] == one and pairs[i, 2] == other)
            or (pairs[i, 3] and pairs[i, 1] == other and pairs[i, 2] == one)
        ):
            return pairs[i, 4] if pairs[i, 4] >= 0 else target
    return NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _word_class(
    o: cython.longlong,
    c: cython.longlong,
    one: cython.int,
    other: cython.int,
    lower: cython.int[::1],
    dep: cython.int[::1],
    labels: cython.uchar[::1],
    class_of_label: cython.int[::1],
    pairs: cython.int[:, ::1],
) -> cython.int:
    """Another word of the same class, or of one that is easily confused with it."""
    if labels[dep[o]] & labels[dep[c]] & AUX:
        return VERB_TENSE
    if one == other and one >= ADJ:
        return CLASSES + one
    if dep[o] == dep[c] and class_of_label[dep[o]] >= 0:
        return CLASSES + class_of_label[dep[o]]
    if (one == PART and other == PREP) or (one == PREP and other == PART):
        return CLASSES + PART
    if (dep[o] < 4 or dep[c] < 4) and dep[o] ^ 1 == dep[c]:
        return CLASSES + PART  # a particle for a preposition, by the labels
    if (one == DET and other == PRON) or (one == PRON and other == DET):
        if labels[dep[c]] & ARGUMENT:
            return CLASSES + PRON
        if labels[dep[c]] & POSSESSOR:
            return CLASSES + DET
    if (one == NUM and other == DET) or (one == DET and other == NUM):
        return CLASSES + DET  # a → one
    return _of_pair(lower[o], lower[c], 0, NOTHING, pairs)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_with(
    one: cython.int, other: cython.int, offsets: cython.longlong[::1], chars: cython.int[::1]
) -> cython.bint:
    """Whether one of two forms begins with the other."""
    a: cython.longlong = offsets[one]
    b: cython.longlong = offsets[other]
    while a < offsets[one + 1] and b < offsets[other + 1]:
        if chars[a] != chars[b]:
            return False
        a += 1
        b += 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _alike(
    source: cython.int,
    target: cython.int,
    one: cython.int,
    other: cython.int,
    similarity: cython.double,
    class_of_target: cython.int,
    char_offsets: cython.longlong[::1],
    chars: cython.int[::1],
    pairs: cython.int[:, ::1],
    alike: cython.double[:, ::1],
) -> cython.int:
    """Words of letters only: how much they resemble one another decides."""
    size: cython.longlong = char_offsets[source + 1] - char_offsets[source]
    to_size: cython.longlong = char_offsets[target + 1] - char_offsets[target]
    typed: cython.int = CLASSES + class_of_target if class_of_target >= ADJ else NOTHING
    found: cython.int = _of_pair(one, other, 1, typed, pairs)
    if found:
        return found
    for i in range(alike.shape[0]):
        if alike[i, 0] == size and alike[i, 1] <= to_size <= alike[i, 2]:
            if alike[i, 3] <= similarity <= alike[i, 4]:
                found = cython.cast(cython.int, alike[i, 5])
                found = found if found >= 0 else typed
                if found:
                    return found
    if size > 5 and to_size > 5:
        if similarity >= 0.66 and _begins_with(source, target, char_offsets, chars):
            return MORPH  # health → healthy
        if similarity > 0.8:
            return SPELL  # exiting → exciting
        if similarity < 0.55:
            return typed  # learning → studying
    return NOTHING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _misspelt(
    size: cython.longlong,
    to_size: cython.longlong,
    similarity: cython.double,
    same_lemma: cython.bint,
    one: cython.int,
    other: cython.int,
) -> cython.int:
    """The source has no such word: an impossible inflection, a misspelling, or another word."""
    if same_lemma:
        if one == other and one == NOUN:
            return NOUN_INFL
        return VERB_INFL if one == other and one == VERB else MORPH
    if similarity > 0.55:
        return SPELL
    if size <= 4 and to_size <= 4 and (similarity == 0.5 or 0.3325 < similarity < 0.3335):
        return SPELL
    return CLASSES + other if other >= ADJ else OTHER


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _phrase(
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    lower: cython.int[::1],
    lemma: cython.int[::1],
    upos: cython.int[::1],
    tag: cython.int[::1],
    dep: cython.int[::1],
    class_of_tag: cython.int[::1],
    class_of_upos: cython.int[::1],
    labels: cython.uchar[::1],
    class_of_label: cython.int[::1],
) -> cython.int:
    """Several words on one side or both."""
    same_end: cython.bint = lemma[o_end - 1] == lemma[c_end - 1]
    i: cython.longlong
    if _auxiliaries(o, o_end, dep, labels) and _auxiliaries(c, c_end, dep, labels):
        return VERB_TENSE
    shared = _one_class(o, o_end, -1, upos, tag, class_of_tag, class_of_upos)
    if shared != -3:
        shared = _one_class(c, c_end, shared, upos, tag, class_of_tag, class_of_upos)
    if shared == VERB and same_end:
        return VERB_TENSE  # eat → has eaten
    if shared >= ADJ:
        return CLASSES + shared
    label = _one_label(o, o_end, -1, dep)
    if label >= 0:
        label = _one_label(c, c_end, label, dep)
    if label >= 0 and class_of_label[label] >= 0:
        return CLASSES + class_of_label[label]
    if shared == -2:
        return VERB_FORM if same_end else CLASSES + VERB  # to eat → eating; to eat → consuming
    if lemma[o] == lemma[c]:
        for i in range(2):
            if (
                (o_end - o if i == 0 else c_end - c) == 2
                and _class(o if i == 0 else c, upos, tag, class_of_tag, class_of_upos) == NOUN
                and _class(o + 1 if i == 0 else c + 1, upos, tag, class_of_tag, class_of_upos) == PART
            ):
                return NOUN_POSS  # friends → friend 's
    if (
        (lower[o] == MOST or lower[o] == MORE or lower[c] == MOST or lower[c] == MORE)
        and same_end
        and o_end - o <= 2
        and c_end - c <= 2
    ):
        return ADJ_FORM  # more free → freer
    return OTHER


@_checks.checked(_edit_checks.english_types)
def types(
    start: cython.longlong,
    stop: cython.longlong,
    sentences: cython.longlong[:, ::1],  # of the source and the correction of every edit
    spans: cython.int[:, ::1],
    offsets: cython.longlong[::1],  # of sentences in the columns of tokens
    form: cython.int[::1],
    lower: cython.int[::1],
    lemma: cython.int[::1],
    upos: cython.int[::1],
    tag: cython.int[::1],
    dep: cython.int[::1],
    head: cython.int[::1],  # in its sentence; below 0 where it is not known
    flags: cython.uchar[::1],  # of forms
    words: cython.schar[::1],  # 1 for a form that is a word, 0 for one that is none, -1 not known yet
    stems: cython.int[::1],  # of forms; -1 not known yet
    char_offsets: cython.longlong[::1],  # of forms in their characters
    chars: cython.int[::1],
    lower_offsets: cython.longlong[::1],  # of lower-cased words in their characters
    lower_chars: cython.int[::1],
    class_of_tag: cython.int[::1],
    class_of_upos: cython.int[::1],
    labels: cython.uchar[::1],  # flags of dependency labels
    class_of_label: cython.int[::1],
    pairs: cython.int[:, ::1],  # words with categories of their own: stage, two words, both ways?, category
    alike: cython.double[:, ::1],  # letters, fewest and most, least and greatest similarity, category
    balance: cython.int[::1],  # scratch: lower-cased words, all 0
    row: cython.int[::1],  # scratch: letters of the longest lower-cased word + 1
    out: cython.int[::1],  # the types, written where they are PENDING
) -> None:
    """Classify the edits `start:stop`."""
    o_end: cython.longlong
    c_end: cython.longlong
    as_auxiliaries: cython.bint
    behind: cython.bint
    i: cython.longlong
    with cython.nogil:
        for p in range(start, stop):
            if out[p] != PENDING:
                continue
            first = offsets[sentences[p, 0]]
            second = offsets[sentences[p, 1]]
            o = first + spans[p, 0]
            o_end = first + spans[p, 1]
            c = second + spans[p, 2]
            c_end = second + spans[p, 3]
            out[p] = UNKNOWN
            if o_end - o == c_end - c:
                i = 0
                while i < o_end - o and form[o + i] == form[c + i]:
                    i += 1
                if i == o_end - o:
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
            if o == o_end and c == c_end:
                continue
            if o == o_end or c == c_end:
                out[p] = OPERATION * (MISSING if o == o_end else UNNECESSARY) + _one_sided(
                    c if o == o_end else o, c_end if o == o_end else o_end, lower, upos, tag, dep,
                    class_of_tag, class_of_upos, labels, class_of_label,
                )  # fmt: skip
                continue
            if _same_letters(lower, o, o_end, c, c_end, lower_offsets, lower_chars):
                out[p] = OPERATION * REPLACED + ORTH
                continue
            if _same_words(lower, o, o_end, c, c_end, balance):
                out[p] = OPERATION * REPLACED + WO
                continue
            found = NOTHING
            if o_end - o == 1 and c_end - c == 1:
                one = _class(o, upos, tag, class_of_tag, class_of_upos)
                other = _class(c, upos, tag, class_of_tag, class_of_upos)
                found = _possessive_or_contraction(o, c, lower, tag, one == other)
                if not found and flags[form[o]] & ALPHABETIC and words[form[o]] != 1:
                    if words[form[o]] < 0:
                        out[p] = PENDING
                        continue
                    similarity = _similarity(lower[o], lower[c], lower_offsets, lower_chars, row)
                    found = _misspelt(
                        char_offsets[form[o] + 1] - char_offsets[form[o]],
                        char_offsets[form[c] + 1] - char_offsets[form[c]],
                        similarity,
                        lemma[o] == lemma[c],
                        one,
                        other,
                    )
                if not found and ADJ <= one <= VERB and ADJ <= other <= VERB:
                    if lemma[o] == lemma[c]:
                        as_auxiliaries = (labels[dep[o]] & labels[dep[c]] & AUX) != 0
                        behind = (
                            one == VERB
                            and other == VERB
                            and _behind_auxiliary(
                                o, as_auxiliaries, first, offsets[sentences[p, 0] + 1], form, upos, dep,
                                head, labels,
                            )
                            and _behind_auxiliary(
                                c, as_auxiliaries, second, offsets[sentences[p, 1] + 1], form, upos, dep,
                                head, labels,
                            )
                        )  # fmt: skip
                        found = _same_lemma(o, c, one, other, behind, tag, dep, labels)
                    elif stems[form[o]] < 0 or stems[form[c]] < 0:
                        out[p] = PENDING
                        continue
                    elif stems[form[o]] == stems[form[c]]:
                        found = MORPH
                if not found:
                    found = _word_class(o, c, one, other, lower, dep, labels, class_of_label, pairs)
                if not found:
                    if flags[form[o]] & flags[form[c]] & ALPHABETIC:
                        similarity = _similarity(lower[o], lower[c], lower_offsets, lower_chars, row)
                        found = _alike(
                            form[o], form[c], lower[o], lower[c], similarity, other, char_offsets, chars,
                            pairs, alike,
                        )  # fmt: skip
                    else:
                        found = OTHER
            if not found:
                found = _phrase(
                    o, o_end, c, c_end, lower, lemma, upos, tag, dep, class_of_tag, class_of_upos, labels,
                    class_of_label,
                )  # fmt: skip
            out[p] = OPERATION * REPLACED + found
