"""Signatures: one line that identifies a number, in the manner of sacreBLEU.

`m2|beta:0.5|…|refs:2|kind:edits|data:3f9c1a2b|version:0.2.0` names the metric, the parameters that change the
number, how many references there were and in which form, a digest of sources and references, and the version.
`docs/signatures.md` documents every field.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata import __version__
from errata.errors import ErrataError

_DIGITS = 8  # of a digest


@dataclass(frozen=True)
class Signature(Mapping[str, str]):
    """The fields of a signature by name, in the order in which they are printed; `metric` comes first."""

    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, metric: str, settings: Mapping[str, object], **others: object) -> Signature:
        """Make a signature from a metric's name, its settings and further fields; empty ones are left out."""
        given = {**settings, **{k: v for k, v in others.items() if v not in ("", None)}}
        pairs = [(name, setting(value)) for name, value in given.items()]
        return cls((("metric", metric), *pairs, ("version", __version__)))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature that was printed."""
        name, *rest = text.strip().split("|")
        pairs = []
        for piece in rest:
            key, colon, value = piece.partition(":")
            if not colon or not key:
                raise ErrataError(
                    f"{text!r} is not a signature: {piece!r} is not NAME:VALUE\n"
                    "  hint: copy the whole line that `errata score` printed, in quotes"
                )
            pairs.append((key, value))
        return cls((("metric", name), *pairs))

    def __getitem__(self, name: str) -> str:
        for key, value in self.fields:
            if key == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        (_, metric), *rest = self.fields
        return "|".join([metric, *(f"{name}:{value}" for name, value in rest)])

    def adding(self, **others: object) -> Signature:
        """The same with further fields before the version; empty ones are left out."""
        *before, version = self.fields
        more = [(name, setting(value)) for name, value in others.items() if value not in ("", None)]
        return Signature((*before, *more, version))

    def of_some(self, indices: npt.NDArray[np.int64], whole: int) -> Signature:
        """The signature of a score on some of the segments; `whole` counts those of this signature.

        A digest of the numbers of the segments tells one part from another part of the same size.
        """
        known = self.get("segments")
        if known:
            whole = int(known.partition("/")[2].partition("@")[0])
        chosen = digest_of({"of": known or "", "indices": indices})
        kept = Signature(tuple(pair for pair in self.fields if pair[0] != "segments"))
        return kept.adding(segments=f"{len(indices)}/{whole}@{chosen}")

    def differences(self, other: Signature) -> list[tuple[str, str | None, str | None]]:
        """The fields in which two signatures differ, with both values; None stands for a missing field."""
        names = dict.fromkeys([*self, *other])
        pairs = [(name, self.get(name), other.get(name)) for name in names]
        return [(name, ours, theirs) for name, ours, theirs in pairs if ours != theirs]


class Digest:
    """A digest of segments that come in order, the same for any chunks."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *codes: np.ndarray) -> None:
        """Take in the next segments: arrays with a 64-bit code per segment, in parallel."""
        both = codes[0] if len(codes) == 1 else np.stack(codes, axis=1)
        self._hash.update(np.ascontiguousarray(both, dtype="<u8").data)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:_DIGITS]


def digest_of(values: Mapping[str, Any]) -> str:
    """A digest of named numbers, texts and arrays, such as the result of a first pass."""
    found = hashlib.sha256()
    for name in sorted(values):
        value = values[name]
        if isinstance(value, np.ndarray):
            found.update(f"{name!r}:{value.dtype.str}{value.shape}".encode())
            found.update(np.ascontiguousarray(value).tobytes())
        else:
            found.update(f"{name!r}:{value!r};".encode())
    return found.hexdigest()[:_DIGITS] if values else ""


def count_range(counts: Sequence[int]) -> str:
    """How many references the segments have: `2`, or `1-2` where the number differs."""
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low}-{high}"


def setting(value: object) -> str:
    """A parameter's value as signatures and the command line write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if isinstance(value, float) and float(f"{value:g}") == value:
        text = f"{value:g}"
    return text.replace("|", "/").replace("\n", " ")
