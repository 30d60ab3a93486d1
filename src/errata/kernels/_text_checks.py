"""What the kernels for texts ask of their arguments: tokens, lines and the M² format."""

from __future__ import annotations

from typing import Any

from errata.kernels import bounds
from errata.kernels._checks import all_offsets, ids, offsets, part, room, shape


def _spans(a: Any, count: int) -> None:
    """Where lines or tokens lie in the data."""
    if len(a.starts) != len(a.ends):
        raise ValueError(f"{len(a.starts)} starts but {len(a.ends)} ends")
    part(count, len(a.starts), len(a.starts))
    if not bounds.apart(a.starts, a.ends, len(a.data)):
        ids(a.starts, len(a.data) + 1)
        ids(a.ends, len(a.data) + 1)
        raise ValueError("a line that ends before it begins")


def _vocabulary(a: Any) -> None:
    room(2, a.state)
    size = int(a.state[0])
    places = len(a.table)
    taken, largest = bounds.entries(a.table)
    if places < 2 or places & (places - 1) or 2 * max(size, taken) > places or not 0 <= largest <= size:
        raise ValueError(f"a table of {places} places for {size} tokens")
    offsets(a.places, 0, size, a.letters.nbytes)


def _known(size: int, table: Any, places: Any, letters: Any) -> None:
    """A vocabulary of which the first tokens are looked up; others may be added to it meanwhile."""
    if len(table) & (len(table) - 1) or 2 * size > len(table) or size < 0:
        raise ValueError(f"a table of {len(table)} places for {size} tokens")
    offsets(places, 0, size, len(letters))


def number_lines(a: Any) -> None:
    _spans(a, a.line)
    _vocabulary(a)
    _known(a.known, a.known_table, a.known_places, a.known_letters)
    room(256, a.classes)
    room(len(a.starts) + 1, a.offsets)
    room(len(a.starts), a.irregular)
    ids(a.offsets[a.line : a.line + 1], len(a.ids) + 1)
    room(int(a.offsets[a.line]) + bounds.tokens(a.starts, a.ends, a.line), a.ids)


def number_tokens(a: Any) -> None:
    _spans(a, a.token)
    _vocabulary(a)
    room(len(a.starts), a.ids)


def renumber(a: Any) -> None:
    part(0, a.first, a.first)
    ids(a.ids, a.first + len(a.numbers))


def apply_edits(a: Any) -> None:
    lengths = all_offsets(a.offsets, len(a.ids))
    rows = len(a.sentences)
    ids(a.sentences, len(lengths))
    room(rows + 1, a.out_offsets, a.edits)
    begin, end = offsets(a.edits, 0, rows, len(a.spans))
    shape(a.spans, end, 2)
    added = all_offsets(a.correction_offsets, len(a.corrections))
    room(end, added)
    room(int(lengths[a.sentences].sum()) + int(added[begin:end].sum()), a.out)


def joined(a: Any) -> None:
    offsets(a.part_offsets, 0, len(a.part_offsets) - 1, len(a.parts))
    offsets(a.offsets, 0, len(a.offsets) - 1, len(a.ids))
    room(bounds.spelled(a.ids, a.part_offsets) + (len(a.ids) if a.between >= 0 else 0), a.out)
    room(len(a.offsets), a.out_offsets)


def fold(a: Any) -> None:
    rows = len(a.offsets) - 1
    offsets(a.offsets, 0, rows, len(a.ids))
    ids(a.ids, len(a.codes), least=-(1 << 31))
    room(rows, a.out)


def digests(a: Any) -> None:
    room(len(a.known), a.out)
    offsets(a.places, len(a.known), len(a.out), len(a.data))


def space_13a(a: Any) -> None:
    _spans(a, 0)
    room(256, a.kinds)
    room(2 * int((a.ends - a.starts).sum()) + 3 * len(a.starts), a.out)
    room(len(a.starts) + 1, a.offsets)


def split_running(a: Any) -> None:
    _spans(a, 0)
    room(2 * int((a.ends - a.starts).sum()), a.out)
    room(len(a.starts) + 1, a.counts)


def places(a: Any) -> None:
    if a.data.dtype.itemsize != 1:
        raise ValueError(f"{a.data.dtype} in place of bytes")


def code_points(a: Any) -> None:
    _spans(a, 0)
    room(len(a.starts) + 1, a.offsets)
    room(bounds.size(a.starts, a.ends), a.out)


def rehash(a: Any) -> None:
    if len(a.table) & (len(a.table) - 1) or len(a.table) < 2 * len(a.old) or a.table.any():
        raise ValueError(f"a table of {len(a.table)} places in place of one of {len(a.old)}")


def parse_m2(a: Any) -> None:
    _spans(a, 0)
    shape(a.sentences, len(a.starts), 2)
    shape(a.found, len(a.starts), 7)
    room(1, a.number)
    room(3, a.counts)


def group_m2(a: Any) -> None:
    count, sentences = len(a.found), len(a.tokens) - 1
    part(0, sentences, sentences)
    shape(a.found, 0, 7)
    ids(a.found[:, 4:], len(a.data) + 1)
    room(sentences + 1, a.rows)
    room(count + sentences + 1, a.annotators, a.edits)
    shape(a.spans, count, 2)
    room(count + 1, a.corrections)
    shape(a.parts, 2, 0)
    shape(a.types, 2, count)
    room(4, a.counts)
