"""Put errors into text by tables of chances, in one pass over code points.

Chances are 32-bit thresholds (p · 2^32), factors 16.16 fixed point. Every line has a random state of its own
(a multiply-with-carry generator), so that the result does not depend on how lines are grouped. All numbers
are integers: compiled and uncompiled code agree.
"""

import cython
import numpy as np

# Columns of the chances for every token
INSERT = cython.declare(cython.longlong, 0)
DELETE = cython.declare(cython.longlong, 1)
SWAP = cython.declare(cython.longlong, 2)
LOWER = cython.declare(cython.longlong, 3)  # of a word that begins with a capital
UPPER = cython.declare(cython.longlong, 4)  # of a word that does not
CAPITALS = cython.declare(cython.longlong, 5)
STRIP = cython.declare(cython.longlong, 6)  # all diacritics of a word
STRIP_LINE = cython.declare(cython.longlong, 7)  # all diacritics of a line
JOIN = cython.declare(cython.longlong, 8)
SPLIT = cython.declare(cython.longlong, 9)
CAPITALS_LINE = cython.declare(cython.longlong, 10)
BOUNDARY = cython.declare(
    cython.longlong, 11
)  # of a sentence within a line: its sign and the capital after it

# What becomes of a character
REPLACE_CHARACTER = cython.declare(cython.longlong, 0)
DELETE_CHARACTER = cython.declare(cython.longlong, 1)
INSERT_CHARACTER = cython.declare(cython.longlong, 2)
SWAP_CHARACTERS = cython.declare(cython.longlong, 3)

# Flags of code points
WORD = cython.declare(cython.longlong, 1)
IS_UPPER = cython.declare(cython.longlong, 2)
IS_LOWER = cython.declare(cython.longlong, 4)
SPACE = cython.declare(cython.longlong, 8)

_PLANE = cython.declare(cython.longlong, 65536)  # tables of characters cover the basic plane
_MOST = cython.declare(cython.longlong, 1048576)  # of a factor
_SUFFIX = cython.declare(cython.longlong, 4)  # characters of a suffix at most


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _low(state: cython.longlong) -> cython.longlong:
    """The lower 32 bits (a mask this long would be a Python object to Cython)."""
    return state - ((state >> 32) << 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _choose(
    cumulative: cython.longlong[::1], begin: cython.longlong, end: cython.longlong, draw: cython.longlong
) -> cython.longlong:
    """The first entry of `begin:end` whose cumulative threshold lies above the draw."""
    end -= 1
    while begin < end:
        middle = (begin + end) >> 1
        if cumulative[middle] > draw:
            end = middle
        else:
            begin = middle + 1
    return begin


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _hash(text: cython.int[::1], first: cython.longlong) -> cython.longlong:
    """A hash of code points (54 bits), with another first one."""
    value: cython.longlong = 5381
    for i in range(text.shape[0]):
        code = cython.cast(cython.longlong, text[i] if i > 0 else first)
        value = ((value - ((value >> 40) << 40)) * 8191 + code) ^ (value >> 40)
    return value + 1


@cython.final
@cython.cclass
class Letters:
    """Tables by code point: flags, lower and upper case, and the character without its diacritics."""

    flags: cython.uchar[::1]
    lower: cython.int[::1]
    upper: cython.int[::1]
    plain: cython.int[::1]

    def __init__(self, flags, lower, upper, plain):
        self.flags, self.lower, self.upper, self.plain = flags, lower, upper, plain

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def has(self, code: cython.longlong, flag: cython.longlong) -> cython.longlong:
        """Whether a character of the basic plane has a flag."""
        return self.flags[code] & flag if code < _PLANE else 0


@cython.final
@cython.cclass
class Units:
    """Words or suffixes with the texts that they may become.

    Unit i becomes one of the texts with numbers `offsets[i]:offsets[i + 1]` by the chance `chances[i]`.
    """

    keys: cython.longlong[::1]  # an open-addressing hash table of the units
    rows: cython.int[::1]
    chances: cython.longlong[::1]
    offsets: cython.longlong[::1]
    cumulative: cython.longlong[::1]
    texts: cython.int[::1]
    text_offsets: cython.longlong[::1]

    def __init__(self, units, chances, offsets, texts, cumulative):
        self.chances, self.offsets, self.cumulative = chances, offsets, cumulative
        self.texts, self.text_offsets = texts.values, texts.offsets
        size = 2
        while size < 2 * (len(units) + 1):
            size *= 2
        self.keys, self.rows = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int32)
        self._fill(units.values, units.offsets)

    @cython.cfunc
    @cython.exceptval(-1)
    def _fill(self, codes: cython.int[::1], offsets: cython.longlong[::1]) -> cython.int:
        i: cython.longlong
        with cython.nogil:
            for i in range(offsets.shape[0] - 1):
                key = _hash(codes[offsets[i] : offsets[i + 1]], codes[offsets[i]])
                slot = self.slot(key)
                if self.keys[slot] == 0:  # the first of two equal keys stays
                    self.keys[slot] = key
                    self.rows[slot] = cython.cast(cython.int, i)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def slot(self, key: cython.longlong) -> cython.longlong:
        """Where a key is in the table, or the empty place for it."""
        mask: cython.longlong = self.keys.shape[0] - 1
        slot: cython.longlong = (key ^ (key >> 21)) & mask
        while self.keys[slot] != 0 and self.keys[slot] != key:
            slot = (slot + 1) & mask
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def find(self, text: cython.int[::1], first: cython.longlong) -> cython.longlong:
        """The number of the unit with these characters, or -1; `first` replaces the first one."""
        slot: cython.longlong = self.slot(_hash(text, first))
        return self.rows[slot] if self.keys[slot] != 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def choose(self, unit: cython.longlong, draw: cython.longlong) -> cython.longlong:
        """The number of the text that a unit becomes."""
        return _choose(self.cumulative, self.offsets[unit], self.offsets[unit + 1], draw)


@cython.final
@cython.cclass
class Tables:
    """All errors: chances for any token, words, suffixes, texts to insert, swaps and joins, and characters.

    The texts to insert are a unit by themselves. Words in `swaps` and `joins` have a chance of their own to
    change places with the next word, or to be written together with it. A character of class i becomes one
    of the `choices` (operation, character) with numbers `offsets[i]:offsets[i + 1]`; class -1 stays.
    """

    chances: cython.longlong[::1]
    words: Units
    suffixes: Units
    inserts: Units
    swaps: Units
    joins: Units
    classes: cython.int[::1]
    class_chances: cython.longlong[::1]
    offsets: cython.longlong[::1]
    choices: cython.longlong[:, ::1]
    cumulative: cython.longlong[::1]

    def __init__(self, chances, words, suffixes, inserts, swaps, joins, characters):
        self.chances, self.words, self.suffixes, self.inserts = chances, words, suffixes, inserts
        self.swaps, self.joins = swaps, joins
        self.classes, self.class_chances, self.offsets, self.choices, self.cumulative = characters


# Columns of tokens: start, end, whether a space precedes, whether it is a word
_START = cython.declare(cython.longlong, 0)
_STOP = cython.declare(cython.longlong, 1)
_SPACED = cython.declare(cython.longlong, 2)
_IS_WORD = cython.declare(cython.longlong, 3)


@cython.final
@cython.cclass
class _Line:
    """One line after the other while it is written with errors."""

    tables: Tables
    letters: Letters
    text: cython.int[::1]
    tokens: cython.longlong[:, ::1]
    out: cython.int[::1]
    used: cython.longlong  # of `out`
    state: cython.longlong
    word_factor: cython.longlong
    character_factor: cython.longlong
    tokenized: cython.bint
    strip: cython.bint  # all diacritics of the line
    capitals: cython.bint  # the whole line
    small: cython.bint  # the next word loses its capital
    joined: cython.bint  # nothing precedes, or no space follows it

    def __init__(self, tables, letters, text, longest, lines, tokenized):
        self.tables, self.letters, self.text = tables, letters, text
        self.tokens = np.empty((longest, 4), dtype=np.int64)
        self.out = np.empty(2 * len(text) + 256 * lines, dtype=np.int32)
        self.used = 0
        self.tokenized = tokenized

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def draw(self) -> cython.longlong:
        """A random number of 32 bits: Marsaglia's multiply-with-carry. States are below 2^62."""
        self.state = 698769069 * _low(self.state) + (self.state >> 32)
        return _low(self.state)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def happens(self, chance: cython.longlong) -> cython.bint:
        """Draw whether a word error with this chance happens."""
        return self.draw() < (chance * self.word_factor) >> 16

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def chance(self, units: Units, token: cython.longlong, column: cython.longlong) -> cython.longlong:
        """The chance that a word has by itself, or that of any token."""
        if token < 0 or units.chances.shape[0] == 0:
            return self.tables.chances[column]
        first: cython.longlong = self.tokens[token, _START]
        code: cython.longlong = self.text[first]
        code = self.letters.lower[code] if code < _PLANE else code
        unit: cython.longlong = units.find(self.text[first : self.tokens[token, _STOP]], code)
        return units.chances[unit] if unit >= 0 else self.tables.chances[column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def factor(self, mean: cython.longlong, deviation: cython.longlong) -> cython.longlong:
        """A draw from a normal distribution (a sum of twelve uniform ones), between 0 and `_MOST`."""
        total: cython.longlong = 0
        for _ in range(12):
            total += self.draw()
        total = mean + ((deviation * ((total >> 12) - 6291456)) >> 20)
        return min(max(total, 0), _MOST)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def put(self, code: cython.longlong) -> cython.int:
        """Write a character."""
        self.out[self.used] = cython.cast(cython.int, code)
        self.used += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def put_text(self, units: Units, number: cython.longlong, capital: cython.bint) -> cython.int:
        """Write one of the texts of units, perhaps with a capital."""
        for i in range(units.text_offsets[number], units.text_offsets[number + 1]):
            code = cython.cast(cython.longlong, units.texts[i])
            if capital and i == units.text_offsets[number] and code < _PLANE:
                code = self.letters.upper[code]
            self.put(code)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def split(self, begin: cython.longlong, end: cython.longlong) -> cython.longlong:
        """Find the tokens of a line; returns their number.

        Tokens are runs of word characters, and single other signs; an apostrophe in a word belongs to it.
        """
        count: cython.longlong = 0
        i: cython.longlong = begin
        space: cython.longlong = 0
        word: cython.bint
        while i < end:
            code = cython.cast(cython.longlong, self.text[i])
            if self.letters.has(code, SPACE):
                space = 1
                i += 1
                continue
            word = code >= _PLANE or self.letters.has(code, WORD) != 0
            j = i + 1
            while word and j < end:
                code = cython.cast(cython.longlong, self.text[j])
                if code >= _PLANE or self.letters.has(code, WORD):
                    j += 1
                elif (
                    (code == 39 or code == 8217) and j + 1 < end and self.letters.has(self.text[j + 1], WORD)
                ):
                    j += 2
                else:
                    break
            self.tokens[count, _START] = i
            self.tokens[count, _STOP] = j
            self.tokens[count, _SPACED] = space
            self.tokens[count, _IS_WORD] = 1 if word else 0
            count += 1
            space = 0
            i = j
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def line(self, begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Write a line, whose factors have been drawn."""
        limit: cython.longlong = self.used + 2 * (end - begin) + 200
        count: cython.longlong = self.split(begin, end)
        swapped: cython.longlong = -1
        k: cython.longlong
        space: cython.bint
        before: cython.longlong = -1
        self.strip = self.happens(self.tables.chances[STRIP_LINE])
        self.capitals = self.tables.chances[CAPITALS_LINE] > 0 and self.happens(
            self.tables.chances[CAPITALS_LINE]
        )
        self.small = False
        self.joined = True
        for t in range(count):
            # The rest always fits as it is: errors are made only with room to spare.
            if self.used + 2 * (end - self.tokens[t, _START]) + 160 > limit:
                self.word_factor = 0
                self.character_factor = 0
                self.strip = self.capitals = False
            if swapped < 0 and self.is_boundary(t, count) and self.happens(self.tables.chances[BOUNDARY]):
                self.small = True
                continue
            k = t
            if swapped >= 0:
                k = swapped
                swapped = -1
            elif t + 1 < count and self.may_swap(t) and self.happens(self.chance(self.tables.swaps, t, SWAP)):
                k = t + 1
                swapped = t
            space = self.tokens[t, _SPACED] != 0 and not self.joined
            if space and self.happens(self.chance(self.tables.joins, before, JOIN)):
                space = False
            space = self.insert(space)
            self.token(k, space)
            self.small = False
            before = k
        return self.put(10)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def is_boundary(self, t: cython.longlong, count: cython.longlong) -> cython.bint:
        """Whether a token is a sign between two sentences, the second with a capital."""
        code: cython.longlong = self.text[self.tokens[t, _START]]
        if self.tables.chances[BOUNDARY] == 0 or t == 0 or t + 1 == count:
            return False
        return (code == 46 or code == 33 or code == 63 or code == 8230) and self.letters.has(
            self.text[self.tokens[t + 1, _START]], IS_UPPER
        ) != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def may_swap(self, t: cython.longlong) -> cython.bint:
        """Whether a token and the next one are short words with a space between them."""
        return (
            self.tokens[t, _IS_WORD] != 0
            and self.tokens[t + 1, _IS_WORD] != 0
            and self.tokens[t + 1, _SPACED] != 0
            and self.tokens[t + 1, _STOP] - self.tokens[t, _START] < 80
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def insert(self, space: cython.bint) -> cython.bint:
        """Perhaps write a further token; returns whether a space comes before the next one."""
        inserts: cython.longlong = self.tables.inserts.text_offsets.shape[0] - 1
        draw: cython.longlong = self.draw()
        if inserts == 0 or draw >= (self.tables.chances[INSERT] * self.word_factor) >> 16:
            return space
        number = self.tables.inserts.choose(0, self.draw())
        code = self.tables.inserts.texts[self.tables.inserts.text_offsets[number]]
        if not self.joined and (self.tokenized or self.letters.has(code, WORD)):
            self.put(32)
        self.put_text(self.tables.inserts, number, False)
        self.joined = False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def token(self, k: cython.longlong, space: cython.bint) -> cython.int:
        """Write a token: another word, no word, or the word with errors in it."""
        first: cython.longlong = self.tokens[k, _START]
        last: cython.longlong = self.tokens[k, _STOP]
        stop: cython.longlong = last
        number: cython.longlong = -1
        if self.replace_word(first, last, space) or self.happens(self.tables.chances[DELETE]):
            return 0
        if self.tokens[k, _IS_WORD] and self.tables.suffixes.chances.shape[0] > 0:
            length = self.suffix(first, last)
            if length > 0:
                unit = self.tables.suffixes.find(self.text[last - length : last], self.text[last - length])
                if self.happens(self.tables.suffixes.chances[unit]):
                    number = self.tables.suffixes.choose(unit, self.draw())
                    stop = last - length
        self.spell(first, last, stop, space, self.tokens[k, _IS_WORD] != 0)
        self.joined = False
        if number >= 0:
            self.put_text(self.tables.suffixes, number, False)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def replace_word(self, first: cython.longlong, last: cython.longlong, space: cython.bint) -> cython.bint:
        """Perhaps write another word, or none, in place of one; returns whether this happened."""
        capital: cython.bint = False
        code: cython.longlong = self.text[first]
        unit: cython.longlong = self.tables.words.find(self.text[first:last], code)
        if unit < 0 and self.letters.has(code, IS_UPPER):
            capital = not self.small
            unit = self.tables.words.find(self.text[first:last], self.letters.lower[code])
        if unit < 0 or not self.happens(self.tables.words.chances[unit]):
            return False
        number = self.tables.words.choose(unit, self.draw())
        if self.tables.words.text_offsets[number] < self.tables.words.text_offsets[number + 1]:
            if space:
                self.put(32)
            self.put_text(self.tables.words, number, capital)
            self.joined = False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def suffix(self, first: cython.longlong, last: cython.longlong) -> cython.longlong:
        """The length of the longest known suffix with at least two characters before it, or 0."""
        length: cython.longlong = _SUFFIX
        while length > 0:
            begin = last - length
            if begin >= first + 2 and self.tables.suffixes.find(self.text[begin:last], self.text[begin]) >= 0:
                return length
            length -= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def spell(
        self,
        first: cython.longlong,
        last: cython.longlong,
        stop: cython.longlong,
        space: cython.bint,
        is_word: cython.bint,
    ) -> cython.int:
        """Write the characters `first:stop` of the token `first:last` with errors."""
        strip: cython.bint = self.strip
        split: cython.longlong = -1
        recase: cython.longlong = -1
        if is_word:
            recase = self.case(self.text[first])
            if self.happens(self.tables.chances[STRIP]):
                strip = True
            if last - first > 1 and self.happens(self.tables.chances[SPLIT]):
                split = first + 1 + ((self.draw() * (last - first - 1)) >> 32)
        if space:
            self.put(32)
        i: cython.longlong = first
        while i < stop:
            code = cython.cast(cython.longlong, self.text[i])
            if i == split:
                self.put(32)
            if code < _PLANE:
                if strip:
                    code = self.letters.plain[code]
                if (recase == LOWER or self.small) and i == first:
                    code = self.letters.lower[code]
                elif recase == CAPITALS or self.capitals or (recase == UPPER and i == first):
                    code = self.letters.upper[code]
                i += self.character(i, code, stop - i, last - first)
            else:
                self.put(code)
                i += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def case(self, code: cython.longlong) -> cython.longlong:
        """Draw the change of case of a word with this first character: LOWER, UPPER, CAPITALS or -1."""
        recase: cython.longlong = -1
        draw: cython.longlong = self.draw()
        if self.letters.has(code, IS_UPPER):
            if draw < (self.tables.chances[LOWER] * self.word_factor) >> 16:
                recase = LOWER
        elif self.letters.has(code, IS_LOWER):
            if draw < (self.tables.chances[UPPER] * self.word_factor) >> 16:
                recase = UPPER
        return CAPITALS if self.happens(self.tables.chances[CAPITALS]) else recase

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def character(
        self, i: cython.longlong, code: cython.longlong, rest: cython.longlong, size: cython.longlong
    ) -> cython.longlong:
        """Write a character, perhaps with an error; returns how many characters of the text it takes.

        `rest` characters of the word are to be written, which has `size` characters.
        """
        row: cython.longlong = self.tables.classes[code]
        taken: cython.longlong = 1
        if row >= 0 and self.draw() < (self.tables.class_chances[row] * self.character_factor) >> 16:
            number = _choose(
                self.tables.cumulative, self.tables.offsets[row], self.tables.offsets[row + 1], self.draw()
            )
            operation = self.tables.choices[number, 0]
            if operation == REPLACE_CHARACTER:
                code = self.tables.choices[number, 1]
            elif operation == DELETE_CHARACTER:
                # A word of one letter keeps it: to lose a word is an error of its own.
                if size > 1:
                    return 1
            elif operation == INSERT_CHARACTER:
                self.put(code)
                code = self.tables.choices[number, 1]
            elif rest > 1:
                self.put(self.text[i + 1])
                taken = 2
        self.put(code)
        return taken


def damage(tables, letters, text, states: cython.longlong[::1], factors: cython.longlong[::1], tokenized):
    """The lines of `text` with errors, as code points; every line ends with a line feed.

    `states` has a random state for every line, `factors` the mean and the deviation of the factors of word
    errors and of character errors.
    """
    codes: cython.int[::1] = text
    ends = np.flatnonzero(text == 10)
    longest = int(np.diff(ends, prepend=-1).max(initial=1))
    line: _Line = _Line(tables, letters, text, longest, len(ends), tokenized)
    end: cython.longlong
    begin: cython.longlong = 0
    with cython.nogil:
        for number in range(states.shape[0]):
            end = begin
            while codes[end] != 10:
                end += 1
            line.state = states[number]
            line.word_factor = line.factor(factors[0], factors[1])
            line.character_factor = line.factor(factors[2], factors[3])
            line.line(begin, end)
            begin = end + 1
    return np.asarray(line.out)[: line.used]
