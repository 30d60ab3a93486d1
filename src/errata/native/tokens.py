"""Text to token ids: splits lines of UTF-8 at white space and numbers the distinct tokens."""

import cython
import numpy as np

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFF)
BASIS = cython.declare(cython.ulonglong, 2166136261)  # FNV-1a, 32 bits
PRIME = cython.declare(cython.ulonglong, 16777619)
PUNCTUATION = cython.declare(cython.int, 1)  # the kinds of bytes in `space_13a`
POINT = cython.declare(cython.int, 2)
DIGIT = cython.declare(cython.int, 3)
DASH = cython.declare(cython.int, 4)
MATCHED_POINT = cython.declare(cython.int, 5)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _blank(
    data: cython.const[cython.uchar][::1], i: cython.longlong, end: cython.longlong, kind: cython.int
) -> cython.int:
    """The number of bytes of the white space at `i`, whose first byte is of this kind; 0 if there is none."""
    if kind != 2:
        return 1 if kind != 0 else 0
    first: cython.int = data[i]
    second: cython.int = data[i + 1] if i + 1 < end else 0
    third: cython.int = data[i + 2] if i + 2 < end else 0
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if first == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE3:
        return 3 if second == 0x80 and third == 0x80 else 0
    if second == 0x81:
        return 3 if third == 0x9F else 0
    if second != 0x80:
        return 0
    return 3 if 0x80 <= third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0


def _total_size(data, starts, ends):
    """The number of bytes of all lines, which must lie in the data."""
    starts, ends = np.asarray(starts), np.asarray(ends)
    if ((starts < 0) | (ends < starts) | (ends > len(data))).any():
        raise IndexError(f"lines outside of {len(data)} bytes")
    return int((ends - starts).sum())


@cython.cclass
class TokenTable:
    """Distinct tokens (byte strings) with their numbers, in the order in which they were added.

    It is a hash table with open addressing: a slot holds 32 bits of a token's hash and its number plus 1, or
    0 if it is empty. At most half of the slots are used. The caller must not use it in two threads at a time.
    """

    slots: cython.longlong[::1]
    offsets: cython.longlong[::1]  # of the tokens in `letters`
    letters: cython.uchar[::1]
    count: cython.longlong
    unicode_blanks = cython.declare(cython.bint, visibility="public")  # a line had white space outside ASCII

    def __init__(self) -> None:
        self.slots = np.zeros(64, dtype=np.int64)
        self.offsets = np.zeros(33, dtype=np.int64)
        self.letters = np.empty(256, dtype=np.uint8)
        self.count = 0
        self.unicode_blanks = False

    def __len__(self):
        return self.count

    def token(self, number: cython.longlong) -> bytes:
        """The token with this number."""
        if not 0 <= number < self.count:
            raise IndexError(f"token {number} of {self.count}")
        return bytes(self.letters[self.offsets[number] : self.offsets[number + 1]])

    def content(self, first: cython.longlong = 0) -> tuple:
        """The bytes of the tokens from this number on, and the offsets of the tokens in them."""
        if not 0 <= first <= self.count:
            raise IndexError(f"token {first} of {self.count}")
        begin = self.offsets[first]
        offsets = np.array(self.offsets[first : self.count + 1])
        return bytes(self.letters[begin : self.offsets[self.count]]), offsets - begin

    def number_lines(
        self,
        data: cython.const[cython.uchar][::1],
        starts: cython.longlong[::1],
        ends: cython.longlong[::1],
        kinds: cython.const[cython.uchar][::1],
    ) -> tuple:
        """The ids of the tokens of each line, their offsets, and which lines have irregular white space.

        `kinds` says for each byte whether it is white space (1: of ASCII, 3: of Unicode only) or may begin
        white space of several bytes (2). White space is irregular unless it is a single space between two
        tokens.
        """
        lines: cython.longlong = starts.shape[0]
        size = (_total_size(data, starts, ends) + lines) // 2  # no more tokens are possible
        id_array = np.empty(size, dtype=np.int32)
        offset_array = np.zeros(lines + 1, dtype=np.int64)
        irregular_array = np.zeros(lines, dtype=np.uint8)
        ids: cython.int[::1] = id_array
        offsets: cython.longlong[::1] = offset_array
        irregular: cython.uchar[::1] = irregular_array
        count: cython.longlong = 0
        i: cython.longlong
        begin: cython.longlong
        previous_end: cython.longlong
        kind: cython.int
        width: cython.int
        hashed: cython.ulonglong
        with cython.nogil:
            for line in range(lines):
                i = starts[line]
                previous_end = -1
                while i < ends[line]:
                    kind = kinds[data[i]]
                    width = 0
                    if kind != 0:
                        width = _blank(data, i, ends[line], kind)
                    if width > 0:
                        if kind != 1:
                            self.unicode_blanks = True
                        i += width
                        continue
                    if previous_end < 0:
                        if i != starts[line]:
                            irregular[line] = 1
                    elif i != previous_end + 1 or data[previous_end] != 32:
                        irregular[line] = 1
                    begin = i
                    hashed = BASIS
                    while i < ends[line]:
                        kind = kinds[data[i]]
                        if kind != 0 and _blank(data, i, ends[line], kind) != 0:
                            break
                        hashed = ((hashed ^ data[i]) * PRIME) & MASK
                        i += 1
                    ids[count] = self._number(data, begin, i, cython.cast(cython.longlong, hashed))
                    count += 1
                    previous_end = i
                if ends[line] > starts[line] and previous_end != ends[line]:
                    irregular[line] = 1
                offsets[line + 1] = count
        return id_array[:count].copy(), offset_array, irregular_array.view(np.bool_)

    def number_tokens(
        self,
        data: cython.const[cython.uchar][::1],
        starts: cython.longlong[::1],
        ends: cython.longlong[::1],
    ):
        """The ids of the tokens `data[starts[i]:ends[i]]`, which may contain anything."""
        id_array = np.empty(starts.shape[0], dtype=np.int32)
        ids: cython.int[::1] = id_array
        hashed: cython.ulonglong
        with cython.nogil:
            for token in range(starts.shape[0]):
                hashed = BASIS
                for i in range(starts[token], ends[token]):
                    hashed = ((hashed ^ data[i]) * PRIME) & MASK
                ids[token] = self._number(
                    data, starts[token], ends[token], cython.cast(cython.longlong, hashed)
                )
        return id_array

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _number(
        self,
        data: cython.const[cython.uchar][::1],
        begin: cython.longlong,
        end: cython.longlong,
        hashed: cython.longlong,
    ) -> cython.int:
        """The number of the token `data[begin:end]` with this hash, which is added if it is new."""
        size: cython.longlong = end - begin
        slot: cython.longlong = hashed & (self.slots.shape[0] - 1)
        number: cython.longlong
        k: cython.longlong
        while self.slots[slot] != 0:
            if self.slots[slot] >> 31 == hashed:
                number = (self.slots[slot] & 0x7FFFFFFF) - 1
                first = self.offsets[number]
                if self.offsets[number + 1] - first == size:
                    k = 0
                    while k < size and data[begin + k] == self.letters[first + k]:
                        k += 1
                    if k == size:
                        return cython.cast(cython.int, number)
            slot = (slot + 1) & (self.slots.shape[0] - 1)
        number = self.count
        first = self.offsets[number]
        if 2 * (number + 1) >= self.slots.shape[0] or first + size > self.letters.shape[0]:
            with cython.gil:
                self._grow(size)
            slot = hashed & (self.slots.shape[0] - 1)
            while self.slots[slot] != 0:
                slot = (slot + 1) & (self.slots.shape[0] - 1)
        for k in range(size):
            self.letters[first + k] = data[begin + k]
        self.offsets[number + 1] = first + size
        self.slots[slot] = (hashed << 31) | (number + 1)
        self.count = number + 1
        return cython.cast(cython.int, number)

    @cython.cfunc
    def _grow(self, size: cython.longlong):
        """Make room for more tokens, and for at least `size` more bytes."""
        old: cython.longlong[::1] = self.slots
        slots: cython.longlong[::1] = np.zeros(max(4 * old.shape[0], 4096), dtype=np.int64)
        mask: cython.longlong = slots.shape[0] - 1
        for i in range(old.shape[0]):
            if old[i] != 0:
                slot = (old[i] >> 31) & mask
                while slots[slot] != 0:
                    slot = (slot + 1) & mask
                slots[slot] = old[i]
        self.slots = slots
        used = self.offsets[self.count]
        offsets = np.zeros(slots.shape[0] // 2 + 1, dtype=np.int64)
        offsets[: self.count + 1] = self.offsets[: self.count + 1]
        letters = np.empty(max(8 * len(offsets), 2 * self.letters.shape[0]) + size, dtype=np.uint8)
        letters[:used] = self.letters[:used]
        self.offsets, self.letters = offsets, letters


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _put(
    out: cython.uchar[::1], first: cython.longlong, count: cython.longlong, byte: cython.int
) -> cython.longlong:
    """Append a byte to the line that begins at `first`, except for a second blank; the new length."""
    if byte == 32 and count > first and out[count - 1] == 32:
        return count
    out[count] = cython.cast(cython.uchar, byte)
    return count + 1


def space_13a(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    kinds: cython.const[cython.uchar][::1],
) -> tuple:
    """Lines with single blanks around the tokens of mteval-v13a: their bytes and their offsets.

    `kinds` gives the kind of each byte. A dash is a token after a digit. Periods and commas are tokens by two
    rules: those that are not after a digit, then those that are not before one. The first rule is a regular
    expression that consumes the character before, so that it skips a period or comma after a match.
    """
    lines: cython.longlong = starts.shape[0]
    out_array = np.empty(3 * (_total_size(data, starts, ends) + lines), dtype=np.uint8)
    offset_array = np.zeros(lines + 1, dtype=np.int64)
    out: cython.uchar[::1] = out_array
    offsets: cython.longlong[::1] = offset_array
    count: cython.longlong = 0
    previous: cython.int
    kind: cython.int
    is_token: cython.bint
    with cython.nogil:
        for line in range(lines):
            first = count
            count = _put(out, first, count, 32)
            previous = 0
            for i in range(starts[line], ends[line]):
                kind = kinds[data[i]]
                is_token = kind == PUNCTUATION
                if kind == POINT:
                    if previous != DIGIT and previous != MATCHED_POINT:
                        kind = MATCHED_POINT
                    is_token = kind == MATCHED_POINT or i + 1 == ends[line] or kinds[data[i + 1]] != DIGIT
                elif kind == DASH:
                    is_token = previous == DIGIT
                if is_token:
                    count = _put(out, first, count, 32)
                count = _put(out, first, count, data[i])
                if is_token:
                    count = _put(out, first, count, 32)
                previous = kind
            count = _put(out, first, count, 32)
            offsets[line + 1] = count
    return out_array[:count].tobytes(), offset_array
