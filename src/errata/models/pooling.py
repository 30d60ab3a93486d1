"""One vector per text from vectors per token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errata.models.protocols import Floats, TokenEncoder


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
