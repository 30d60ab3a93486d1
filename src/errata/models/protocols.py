"""The interfaces of models that metrics and judges use, whichever library runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Schema = dict[str, object]  # a JSON schema
PRECISIONS = ("float64", "float32")  # of what models compute


class Likelihood(NamedTuple):
    """The natural logarithm of a text's probability, and the number of tokens that it is a product over."""

    log: float
    tokens: int


class TokenVectors(NamedTuple):
    """The token ids of a text with special tokens, one vector per token, and which only mark its ends."""

    ids: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32] | npt.NDArray[np.float64]
    special: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """What a chat model answered, and how many tokens it read and wrote.

    `alternatives` has, for each token of the answer, the likeliest tokens in its place with the logarithms of
    their probabilities, the token itself first. It is empty unless it was asked for.
    """

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0
    alternatives: Sequence[Sequence[tuple[str, float]]] = ()


class LikelihoodModel(Protocol):
    """Gives the probability of texts; a masked model gives the pseudo-likelihood of Salazar et al. (2020)."""

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]: ...


class SentenceEncoder(Protocol):
    """Gives one vector per text: texts × dimensions."""

    def embed(self, texts: Sequence[str]) -> Floats: ...


class TokenEncoder(Protocol):
    """Gives one vector per token of every text."""

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]: ...
    def token_ids(self, texts: Sequence[str]) -> list[list[int]]: ...


class Regressor(Protocol):
    """Gives one number per text, or per pair of texts if `others` are given."""

    def predict(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats: ...


class Chat(Protocol):
    """Answers a prompt; the answer should follow the `schema`."""

    name: str

    def ask(
        self, prompt: str, *, schema: Schema | None = None, seed: int = 0, alternatives: bool = False
    ) -> Answer: ...


@dataclass(frozen=True)
class MeanPooled:
    """The mean of all tokens' vectors, special tokens included."""

    encoder: TokenEncoder

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector per text."""
        means = [found.vectors.mean(axis=0, dtype=np.float64) for found in self.encoder.encode(texts)]
        return np.array(means, dtype=np.float64)


def cosines(first: Floats, second: Floats) -> Floats:
    """The cosine of each row of one matrix with that row of the other; 0 where a row is all zeros."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products: Floats = np.einsum("ij,ij->i", first, second)
    found: Floats = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return found
