"""Model files of the embedded taggers: layers of weights, a lexicon and lemma rules, packed small."""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from errata.edits.taggers.lemmas import LemmaRules, Script
from errata.edits.taggers.lexicon import Lexicon, Variant
from errata.edits.taggers.spelling import front_coded, front_decoded

LANGUAGES = ("cs", "en")
Value = TypeVar("Value", str, tuple[str, str, int])
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0}]


@dataclass(frozen=True)
class Layer:
    """A layer of the tagger: its labels, the row of weights of every bucket (0: none), the rows (padded)."""

    labels: tuple[str, ...]
    over: str  # the layer whose labels it sees, or ""
    index: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int8]


@dataclass(frozen=True)
class Model:
    """All that an embedded tagger of a language knows."""

    layers: Mapping[str, Layer]
    lexicon: Lexicon
    lemmas: LemmaRules
    classes: Mapping[str, str]  # "TAG label word", "TAG label" or "TAG" → UPOS, where no layer gives it
    digest: str = ""


def load(language: str) -> Model:
    """The model that comes with the package."""
    path = resources.files("errata.edits") / "models" / f"{language}.model"
    return unpack(path.read_bytes())


def pack(model: Model) -> bytes:
    """A model as the bytes of its file; the same model gives the same bytes."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    meta: dict[str, Any] = {"layers": {}, "classes": dict(model.classes), "longest": model.lemmas.longest}
    for name, layer in model.layers.items():
        buckets = np.flatnonzero(layer.index)
        assert (layer.index[buckets] == np.arange(1, len(buckets) + 1)).all(), (
            "rows in order of their buckets"
        )
        meta["layers"][name] = {"labels": layer.labels, "over": layer.over, "buckets": len(layer.index)}
        arrays[f"{name}.gaps"] = _small(np.diff(buckets, prepend=0))
        arrays[f"{name}.weights"] = np.ascontiguousarray(
            layer.weights[1:, : len(layer.labels)].T
        )  # label by label
    lexicon = model.lexicon
    meta["variants"], meta["prefixes"], meta["prefixed"] = (
        lexicon.variants,
        lexicon.prefixes,
        lexicon.prefixed,
    )
    words = sorted(lexicon.entries)
    _pack_texts(arrays, "lexicon", words)
    meta["entries"], arrays["lexicon.entries"] = _numbered([lexicon.entries[word] for word in words])
    endings = sorted(model.lemmas.rules)
    _pack_texts(arrays, "lemmas", endings)
    column = [str(model.lemmas.rules[ending]) for ending in endings]
    meta["scripts"], arrays["lemmas.scripts"] = _numbered(column)
    text = json.dumps(meta, ensure_ascii=False, sort_keys=True).encode("utf-8")
    arrays["meta"] = np.frombuffer(text, dtype=np.uint8)
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    return lzma.compress(packed.getvalue(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def unpack(data: bytes) -> Model:
    """The model of a file's bytes."""
    with np.load(io.BytesIO(lzma.decompress(data))) as arrays:
        meta = json.loads(arrays["meta"].tobytes())
        layers = {}
        for name, about in meta["layers"].items():
            rows = arrays[f"{name}.weights"]
            buckets = np.cumsum(arrays[f"{name}.gaps"], dtype=np.int64)
            index = np.zeros(about["buckets"], dtype=np.int32)
            index[buckets] = np.arange(1, len(buckets) + 1)
            layers[name] = Layer(tuple(about["labels"]), about["over"], index, padded(rows.T))
        words = _unpack_texts(arrays, "lexicon")
        different = list(map(tuple, meta["entries"]))
        entries = dict(
            zip(words, map(different.__getitem__, arrays["lexicon.entries"].tolist()), strict=True)
        )
        scripts = list(map(Script.parse, meta["scripts"]))
        endings = _unpack_texts(arrays, "lemmas")
        rules = dict(zip(endings, map(scripts.__getitem__, arrays["lemmas.scripts"].tolist()), strict=True))
    lemmas = LemmaRules(rules, meta["longest"])
    digest = blake2b(data, digest_size=4).hexdigest()
    lexicon = Lexicon(
        entries,
        tuple(Variant(*row) for row in meta.get("variants", ())),
        tuple(meta.get("prefixes", ())),
        tuple(meta.get("prefixed", ())),
    )
    return Model(layers, lexicon, lemmas, meta["classes"], digest)


def padded(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Rows of weights behind one of zeros, in a width that whole registers hold."""
    count, labels = rows.shape
    found = np.zeros((count + 1, -labels // 16 * -16), dtype=np.int8)
    found[1:, :labels] = rows
    return found


def _small(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _numbered(values: list[Value]) -> tuple[list[Value], npt.NDArray[Any]]:
    """The different values, and the number of each."""
    different = sorted(set(values))
    numbers = {value: number for number, value in enumerate(different)}
    return different, _small(np.array([numbers[value] for value in values], dtype=np.int64))


def _pack_texts(arrays: dict[str, npt.NDArray[Any]], name: str, texts: list[str]) -> None:
    rest, shared = front_coded(texts)
    arrays[f"{name}.rest"] = np.frombuffer(rest, dtype=np.uint8)
    arrays[f"{name}.shared"] = np.array(shared, dtype=np.uint8)


def _unpack_texts(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> list[str]:
    return front_decoded(arrays[f"{name}.rest"].tobytes(), arrays[f"{name}.shared"].tolist())
