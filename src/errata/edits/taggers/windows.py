"""spaCy's convolutional network with the vectors of windows remembered.

A layer of the network makes a token's vector from those of the token and its two neighbours. After four
layers it depends on nine tokens and on nothing else, and sentences that are corrections of each other share
most of these windows. Here each distinct window of a layer is computed once, by spaCy's own layers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.kernels.ragged import Ragged
from errata.text.vocabulary import Vocabulary

_REMEMBERED = 1 << 18  # vectors of all layers: about 100 MB
_FEWEST = 16  # rows: libraries may add up the products of fewer in another order

Rows = npt.NDArray[np.int32]
Vectors = npt.NDArray[np.float32]


def remember_windows(tok2vec: Any) -> None:
    """Make the network of a pipeline remember; one of another form is left as it is."""
    layers = _layers(tok2vec.model)
    if layers is not None:
        tok2vec.predict = _Windows(*layers, tok2vec.model.get_dim("nO"))


def _layers(model: Any) -> tuple[list[str], Any, list[Any]] | None:
    """The names of the features of a token, the layers that embed them, and those over three neighbours."""
    if model.ops.name != "numpy" or [len(part.layers) for part in model.layers] != [5, 1]:
        return None
    (features, _, *embed, _), (encode,) = model.layers[0].layers, model.layers[1].layers
    inner = [layer.layers[0] for layer in encode.layers if layer.name.startswith("residual(")]
    regular = (
        features.name == "extract_features"
        and all(layer.name.startswith("with_array(") for layer in [*embed, model.layers[1]])
        and len(inner) == len(encode.layers) == model.layers[1].attrs["pad"]
        and all(len(layer.layers) == 2 and layer.layers[0].attrs.get("window_size") == 1 for layer in inner)
    )
    return (features.attrs["columns"], embed, [layer.layers[1] for layer in inner]) if regular else None


class _Layer:
    """The vectors that a layer has made, by the numbers of their inputs; number 0 is a vector of zeros."""

    def __init__(self, width: int) -> None:
        self._numbers = Vocabulary()
        self.vectors: Vectors = np.zeros((1, width), dtype=np.float32)
        self.count = 1

    def number(self, inputs: Rows, compute: Callable[[Rows], Vectors]) -> Rows:
        """The number of each row of inputs; the vectors of new ones are computed."""
        size = inputs.shape[1]
        offsets = np.arange(0, inputs.size + 1, size, dtype=np.int64)
        numbers = self._numbers.encode_rows(Ragged(inputs.reshape(-1), offsets)) + 1
        is_new = np.flatnonzero(numbers >= self.count)
        if len(is_new):
            count = int(numbers.max()) + 1
            first = np.empty(count - self.count, dtype=np.int64)
            first[numbers[is_new[::-1]] - self.count] = is_new[::-1]
            self._keep(compute(inputs[np.resize(first, max(len(first), _FEWEST))])[: len(first)])
        return numbers

    def _keep(self, made: Vectors) -> None:
        count = self.count + len(made)
        if count > len(self.vectors):
            more = np.empty((2 * count, made.shape[1]), dtype=np.float32)
            more[: self.count] = self.vectors[: self.count]
            self.vectors = more
        self.vectors[self.count : count] = made
        self.count = count


class _Windows:
    """The vectors of the tokens of documents."""

    def __init__(self, features: list[str], embed: list[Any], layers: list[Any], width: int) -> None:
        self._features, self._embed, self._inner, self._width = features, embed, layers, width
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._tokens, *self._layers = (_Layer(self._width) for _ in range(1 + len(self._inner)))

    def __call__(self, documents: Sequence[Any]) -> list[Vectors]:
        with self._lock:
            if sum(layer.count for layer in (self._tokens, *self._layers)) > _REMEMBERED:
                self._forget()
            try:
                return self._vectors(documents)
            except BaseException:  # numbers may have no vector yet
                self._forget()
                raise

    def _vectors(self, documents: Sequence[Any]) -> list[Vectors]:
        depth = len(self._inner)
        if not any(map(len, documents)):
            return [np.zeros((0, self._width), dtype=np.float32) for _ in documents]
        lengths = np.array([len(document) for document in documents], dtype=np.int64)
        ends = np.cumsum(lengths + depth)  # zeros stand before, between and behind documents, as in spaCy
        is_token = np.zeros(int(lengths.sum()) + depth * (len(lengths) + 1), dtype=np.bool_)
        for start, end in zip((ends - lengths).tolist(), ends.tolist(), strict=True):
            is_token[start:end] = True
        needed = [is_token]  # by a layer and by those that come after it
        for _ in range(depth - 1):
            wider = needed[-1].copy()
            wider[1:] |= needed[-1][:-1]
            wider[:-1] |= needed[-1][1:]
            needed.append(wider)
        numbers = np.zeros(len(is_token), dtype=np.int32)
        features = [document.to_array(self._features) for document in documents if len(document)]
        rows = np.concatenate(features).astype(np.uint64, copy=False).reshape(-1, len(self._features))
        numbers[is_token] = self._tokens.number(rows.view(np.int32), self._embedded)
        before = self._tokens
        for layer, inner, wanted in zip(self._layers, self._inner, needed[::-1], strict=True):
            places = np.flatnonzero(wanted)
            around = numbers[places[:, None] + np.arange(-1, 2)]
            numbers = np.zeros_like(numbers)
            numbers[places] = layer.number(around, partial(_convolved, inner, before.vectors))
            before = layer
        tokens = before.vectors[numbers[is_token]]
        return np.split(tokens, np.cumsum(lengths[:-1]))

    def _embedded(self, features: Rows) -> Vectors:
        found: Vectors = reduce(
            lambda rows, layer: layer.predict(rows), self._embed, features.view(np.uint64)
        )
        return found


def _convolved(inner: Any, vectors: Vectors, rows: Rows) -> Vectors:
    """The vectors that a layer makes of three neighbours each."""
    found = vectors[rows]
    made: Vectors = found[:, 1] + inner.predict(found.reshape(len(rows), -1))
    return made
