"""The interfaces of models that metrics and judges use; batches and caches for their adapters; correctors.

Other distributions register correctors as entry points of the group `errata.correctors`. An entry point names
a function without arguments that returns a `Corrector`, or the path of a model in a format of
errata-gec-correct. Its name is what users write.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from errata.errors import MissingPackageError

Floats = npt.NDArray[np.float64]
Schema = dict[str, object]  # a JSON schema
PRECISIONS = ("float64", "float32")  # of the computations of models


class Likelihood(NamedTuple):
    """The natural logarithm of a text's probability, and the number of its tokens."""

    log: float
    tokens: int


class TokenVectors(NamedTuple):
    """The token ids of a text, one vector per token, and which tokens are special."""

    ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32] | npt.NDArray[np.float64]
    special: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """The answer of a chat model, with the numbers of tokens read and written.

    `alternatives`, if requested, has the likeliest tokens at each position of the answer with their log
    probabilities; the token of the answer comes first.
    """

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0
    alternatives: Sequence[Sequence[tuple[str, float]]] = ()


class LikelihoodModel(Protocol):
    """The probability of texts, or the pseudo-likelihood by a masked model (Salazar et al. 2020)."""

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]: ...


class SentenceEncoder(Protocol):
    """One vector per text, as an array of texts × dimensions."""

    def embed(self, texts: Sequence[str]) -> Floats: ...


class TokenEncoder(Protocol):
    """One vector per token of every text."""

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]: ...
    def token_ids(self, texts: Sequence[str]) -> list[list[int]]: ...


class Regressor(Protocol):
    """One number per text, or per pair of texts if there are `others`."""

    def predict(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats: ...


class Chat(Protocol):
    """Answers a prompt; the answer should conform to the `schema`."""

    name: str

    def ask(
        self, prompt: str, *, schema: Schema | None = None, seed: int = 0, alternatives: bool = False
    ) -> Answer: ...


@dataclass(frozen=True)
class MeanPooled:
    """The mean of the vectors of all tokens, special tokens included."""

    encoder: TokenEncoder

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector per text."""
        means = [tokens.vectors.mean(axis=0, dtype=np.float64) for tokens in self.encoder.encode(texts)]
        return np.array(means, dtype=np.float64)


def cosines(first: Floats, second: Floats) -> Floats:
    """The cosine of each row with the same row of the other matrix; 0 if a row is all zeros."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products: Floats = np.einsum("ij,ij->i", first, second)
    result: Floats = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return result


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
NUMBER_BYTES = 512  # approximate size of a text with a number in the cache
_MAX_BYTES = 1 << 28


def by_length(lengths: Sequence[int], max_tokens: int) -> Iterator[list[int]]:
    """Batches of text indices, longest texts first, of at most `max_tokens` tokens including padding.

    A text that is longer than `max_tokens` is in a separate batch.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and (len(batch) + 1) * max(lengths[batch[0]], 1) > max_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


class LRUCache(Generic[Key, Value]):
    """A model's results by text, so that sources, references and equal outputs are computed once.

    The least recently used results are dropped when the cache exceeds `max_bytes`.
    """

    def __init__(self, size: Callable[[Value], int], max_bytes: int = _MAX_BYTES) -> None:
        self._size, self._max_bytes, self._bytes = size, max_bytes, 0
        self._results: OrderedDict[Key, Value] = OrderedDict()

    def get_all(self, keys: Sequence[Key], compute: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The result for every key; missing ones are computed in one call, without repetitions."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._results]
        new = dict(zip(missing, compute(missing), strict=True)) if missing else {}
        results = {key: new[key] if key in new else self._results[key] for key in dict.fromkeys(keys)}
        for key, value in new.items():
            self._results[key] = value
            self._bytes += self._size(value)
        for key in results:
            self._results.move_to_end(key)
        while self._bytes > self._max_bytes:
            _, dropped = self._results.popitem(last=False)
            self._bytes -= self._size(dropped)
        return [results[key] for key in keys]


# -- correctors ---------------------------------------------------------------------------------------------


OPENER = "errata-gec-correct"  # the entry point whose function opens shipped models, files and folders


class Corrector(Protocol):
    """Corrects lines of text; line i of the result belongs to line i of the input."""

    def correct(self, lines: Sequence[str]) -> list[str]:
        """Correct running text."""
        ...

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]:
        """Correct text whose tokens are separated by blanks, and return it in the same form."""
        ...


def load_corrector(name: str) -> Corrector:
    """The corrector of this name, or the one in a file or folder."""
    entries = {entry.name: entry for entry in entry_points(group="errata.correctors")}
    if name in entries and name != OPENER:
        value = entries[name].load()
        if callable(value):
            return cast(Corrector, value())
    if OPENER not in entries:
        raise MissingPackageError(f"the corrector {name!r}", OPENER)
    return cast(Callable[[str], Corrector], entries[OPENER].load())(name)
