"""Model files of the embedded taggers: layers of weights, a lexicon and lemma rules.

The core has models for `LANGUAGES`. A language pack, a package of its own, registers its model by an entry
point of the group `errata.tagger_models`, named after the language, whose object is the path of the model's
file. `tools/taggers/build_packs.py` writes such packages; `PACKS` are those that errata publishes.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from errata.corpus import model_file as files
from errata.edits.taggers.lexicon import (
    CAPITALISED,
    LOWER,
    LemmaRules,
    Lexicon,
    Script,
    Variant,
    front_coded,
    front_decoded,
)  # fmt: skip
from errata.errors import DataError

LANGUAGES = ("cs", "en")
GROUP = "errata.tagger_models"  # entry points of language packs
PACKS = (
    "bg", "da", "de", "el", "es", "et", "fi", "fr", "hu", "is", "it", "lv", "nb", "nl", "nn", "no", "pl",
    "pt", "ro", "ru", "sl", "sv", "tr", "uk",
)  # fmt: skip
SUFFIX = ".model"
_NEEDED = {"cs": {"upos", "dep"}, "en": {"tag", "dep", "upos"}}
_MOST_LABELS = 1000  # larger numbers mean places outside the sentence in native code
_MOST_BUCKETS = 1 << 24
_MOST_LETTERS = 1 << 28  # of all words together
Named = TypeVar("Named")
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
    """The parameters of an embedded tagger."""

    layers: Mapping[str, Layer]
    lexicon: Lexicon
    lemmas: LemmaRules
    classes: Mapping[str, str]  # "TAG label word", "TAG label" or "TAG" → UPOS, where no layer gives it
    digest: str = ""


def packed_languages() -> tuple[str, ...]:
    """The languages of the installed packs."""
    return tuple(sorted(entry.name for entry in entry_points(group=GROUP)))


def _entry(language: str) -> EntryPoint:
    return next(entry for entry in entry_points(group=GROUP) if entry.name == language)


def pack_label(language: str) -> str:
    """The name and version of the installed pack of a language; the code of a language of this package."""
    if language in LANGUAGES or language not in packed_languages():
        return f"embedded:{Path(language).name}"
    distribution = _entry(language).dist
    return f"{distribution.name}-{distribution.version}" if distribution else f"embedded:{language}"


def pack_to_install(language: str) -> str:
    """The published pack of a language."""
    return f"errata-gec-lang-{'no' if language == 'nb' else language}"


def load(language: str) -> Model:
    """The model of this package, of an installed language pack, or of a file."""
    if language in LANGUAGES:
        path = Path(str(resources.files("errata.edits") / "models" / f"{language}.model"))
    else:
        path = Path(language if language.endswith(SUFFIX) else _entry(language).load())
    try:
        model = unpack(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=str(path)) from None
    if lacking := _NEEDED.get(language, {"upos"}) - model.layers.keys():
        raise DataError(f"no layer {min(lacking)!r}", path=str(path))
    return model


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
    return files.pack(arrays, _FILTERS)


def unpack(data: bytes, path: str = "model") -> Model:
    """The model of a file's bytes, which are untrusted and checked."""
    arrays = files.unpack(data, path)
    try:
        meta = json.loads(arrays["meta"].tobytes())
        layers = {
            _string(name): _layer(arrays[f"{name}.gaps"], arrays[f"{name}.weights"], about)
            for name, about in meta["layers"].items()
        }
        for name, layer in layers.items():
            if layer.over and (layer.over == name or layers[layer.over].over):
                raise ValueError(f"the layer {name!r} depends on a layer that depends on another one")
        different = [(_string(major), _string(minor), _flag(flag)) for major, minor, flag in meta["entries"]]
        entries = _column(arrays, "lexicon", "entries", different)
        rules = _column(arrays, "lemmas", "scripts", [Script.parse(_string(s)) for s in meta["scripts"]])
        if type(meta["longest"]) is not int or not 0 <= meta["longest"] < 100:
            raise ValueError(f"endings of {meta['longest']!r} letters")
        classes = {_string(key): _string(value) for key, value in meta["classes"].items()}
        lexicon = Lexicon(
            entries,
            tuple(Variant(*map(_string, row)) for row in meta.get("variants", ())),
            tuple(map(_string, meta.get("prefixes", ()))),
            tuple(map(_string, meta.get("prefixed", ()))),
        )
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"not a model of a tagger: {error}"[:300], path=path) from None
    digest = blake2b(files.payload(data), digest_size=4).hexdigest()
    return Model(layers, lexicon, LemmaRules(rules, meta["longest"]), classes, digest)


def _layer(gaps: npt.NDArray[Any], weights: npt.NDArray[Any], about: Mapping[str, Any]) -> Layer:
    """A layer whose buckets, rows and labels fit each other."""
    labels, size = tuple(map(_string, about["labels"])), about["buckets"]
    if not 0 < len(labels) < _MOST_LABELS:
        raise ValueError(f"a layer of {len(labels)} labels")
    if type(size) is not int or not 1 <= size <= _MOST_BUCKETS or size & (size - 1):
        raise ValueError(f"a layer of {size!r} buckets, which is not a power of two")
    files.expect(weights, "i", len(labels), dimensions=2)
    files.expect(gaps, "u", weights.shape[1])
    buckets = files.below(np.cumsum(files.below(gaps, size), dtype=np.int64), size)
    if weights.itemsize != 1 or not (gaps[1:] > 0).all():
        raise ValueError("a layer with two rows for one bucket, or with weights of more than a byte")
    index = np.zeros(size, dtype=np.int32)
    index[buckets] = np.arange(1, len(buckets) + 1)
    return Layer(labels, _string(about["over"]), index, padded(weights.T))


def _column(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, column: str, values: list[Named]
) -> dict[str, Named]:
    """Texts, each with its value, which is given by number."""
    texts = _unpack_texts(arrays, name)
    numbers = files.below(files.expect(arrays[f"{name}.{column}"], "u", len(texts)), len(values))
    return dict(zip(texts, map(values.__getitem__, numbers.tolist()), strict=True))


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} in place of a text"[:80])
    return value


def _flag(value: object) -> int:
    if type(value) is not int or not 0 <= value <= LOWER | CAPITALISED:
        raise ValueError(f"{value!r} in place of a flag"[:80])
    return value


def padded(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Rows of weights after a row of zeros, padded to a multiple of 16."""
    count, labels = rows.shape
    weights = np.zeros((count + 1, -labels // 16 * -16), dtype=np.int8)
    weights[1:, :labels] = rows
    return weights


def _small(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _numbered(values: list[Value]) -> tuple[list[Value], npt.NDArray[Any]]:
    """The distinct values, and the number of each value."""
    different = sorted(set(values))
    numbers = {value: number for number, value in enumerate(different)}
    return different, _small(np.array([numbers[value] for value in values], dtype=np.int64))


def _pack_texts(arrays: dict[str, npt.NDArray[Any]], name: str, texts: list[str]) -> None:
    rest, shared = front_coded(texts)
    arrays[f"{name}.rest"] = np.frombuffer(rest, dtype=np.uint8)
    arrays[f"{name}.shared"] = np.array(shared, dtype=np.uint8)


def _unpack_texts(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> list[str]:
    rest, shared = (files.expect(arrays[f"{name}.{part}"], "u") for part in ("rest", "shared"))
    if rest.itemsize != 1 or int(shared.sum(dtype=np.int64)) + len(rest) > _MOST_LETTERS:
        raise ValueError(f"more than {_MOST_LETTERS:,} letters")
    return front_decoded(rest.tobytes(), shared.tolist())
