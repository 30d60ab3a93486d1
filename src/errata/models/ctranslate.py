"""Causal language models converted for CTranslate2: a folder with `model.bin` and `tokenizer.json`.

`ct2-transformers-converter --model NAME --output_dir FOLDER --copy_files tokenizer.json` makes such a folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, needs_extra
from errata.models.batching import NUMBER_BYTES, LRUCache
from errata.models.protocols import Likelihood

_BATCH_TOKENS = 4096  # with padding


def is_converted(name: str) -> bool:
    """Whether the name is a folder with a CTranslate2 model."""
    return (Path(name) / "model.bin").is_file()


class ConvertedModel:
    """The probability of texts: each token given the tokens before it."""

    def __init__(self, name: str, device: str = "auto") -> None:
        with needs_extra("a model for CTranslate2", "models"):
            import ctranslate2
            from tokenizers import Tokenizer
        self.name, folder = name, Path(name)
        if not (folder / "tokenizer.json").is_file():
            hint = "convert it with --copy_files tokenizer.json, or copy the file"
            raise DataError("there is no tokenizer.json", path=name, hint=hint)
        place, _, index = device.partition(":")
        try:
            self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            settings: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
            self.model = ctranslate2.Generator(
                name, device=place, device_index=int(index or 0), compute_type="default"
            )
        except Exception as error:  # the libraries raise exceptions of their own
            reason = str(error).splitlines()[0][:200]
            hint = "is it a causal language model, and is the device right?"
            raise DataError(f"CTranslate2 cannot load it: {reason}", path=name, hint=hint) from None
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self._cache: LRUCache[str, Likelihood] = LRUCache(lambda result: NUMBER_BYTES)
        self.start = settings.get("bos_token") or settings.get("eos_token")
        if not self.start:
            raise DataError("its config.json has no bos_token", path=name)

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The log probability of every text."""
        return self._cache.get_all(texts, self._likelihoods)

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        rows = [encoding.tokens for encoding in encoded]
        filled = [i for i, row in enumerate(rows) if row]
        scored = self.model.score_batch(
            [[self.start, *rows[i]] for i in filled], max_batch_size=_BATCH_TOKENS, batch_type="tokens"
        )
        results = [Likelihood(0.0, 0)] * len(texts)
        for i, result in zip(filled, scored, strict=True):
            logs = result.log_probs
            if len(logs) != len(rows[i]):
                raise DataError(f"{len(logs)} probabilities for {len(rows[i])} tokens", path=self.name)
            results[i] = Likelihood(float(np.sum(logs, dtype=np.float64)), len(rows[i]))
        return results
