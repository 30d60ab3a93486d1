"""The interfaces of models that metrics and judges use, whichever library runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

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
