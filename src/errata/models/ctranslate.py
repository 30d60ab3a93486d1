"""Models converted for CTranslate2: a folder with `model.bin` and the `tokenizer.json` of the model.

`ct2-transformers-converter --model NAME --output_dir FOLDER --copy_files tokenizer.json` makes such a folder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, MissingExtraError
from errata.models.batching import by_length
from errata.models.memory import Memory
from errata.models.protocols import Likelihood, TokenVectors

_MOST_TOKENS = 4096  # of a batch, with padding
_SMALL = 512  # bytes that a number with its text takes, about


def is_converted(name: str) -> bool:
    """Whether a name is that of a folder that CTranslate2 can read."""
    return (Path(name) / "model.bin").is_file()


class _Converted:
    """A converted model with its tokenizer; `kind` is what CTranslate2 calls it."""

    kind = ""

    def __init__(self, name: str, device: str = "auto") -> None:
        try:
            import ctranslate2
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtraError("a model for CTranslate2", "ctranslate2") from None
        self.name, folder = name, Path(name)
        if not (folder / "tokenizer.json").is_file():
            hint = "convert it with --copy_files tokenizer.json, or copy the file"
            raise DataError("there is no tokenizer.json", path=name, hint=hint)
        place, _, index = device.partition(":")
        try:
            self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self.settings: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
            make = getattr(ctranslate2, self.kind)
            self.model = make(name, device=place, device_index=int(index or 0), compute_type="default")
        except Exception as error:  # the libraries raise kinds of their own
            reason = str(error).splitlines()[0][:200]
            hint = f"is it a {self.kind.lower()}, and is the device right?"
            raise DataError(f"CTranslate2 cannot load it: {reason}", path=name, hint=hint) from None
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()


class ConvertedCausalModel(_Converted):
    """A causal language model: each token given those before it, the first one given the start of a text."""

    kind = "Generator"

    def __init__(self, name: str, device: str = "auto") -> None:
        super().__init__(name, device)
        self._memory: Memory[str, Likelihood] = Memory(lambda found: _SMALL)
        self.start = self.settings.get("bos_token") or self.settings.get("eos_token")
        if not self.start:
            raise DataError("its config.json has no bos_token", path=name)

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The logarithm of every text's probability."""
        return self._memory.recall(texts, self._likelihoods)

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        rows = [one.tokens for one in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        filled = [i for i, row in enumerate(rows) if row]
        scored = self.model.score_batch(
            [[self.start, *rows[i]] for i in filled], max_batch_size=_MOST_TOKENS, batch_type="tokens"
        )
        found = [Likelihood(0.0, 0)] * len(texts)
        for i, one in zip(filled, scored, strict=True):
            if len(one.log_probs) != len(rows[i]):
                raise DataError(
                    f"{len(one.log_probs)} probabilities for {len(rows[i])} tokens", path=self.name
                )
            found[i] = Likelihood(float(np.sum(one.log_probs, dtype=np.float64)), len(rows[i]))
        return found


class ConvertedEncoder(_Converted):
    """An encoder: vectors of tokens from its last layer."""

    kind = "Encoder"

    def __init__(self, name: str, device: str = "auto") -> None:
        super().__init__(name, device)
        self._memory: Memory[str, TokenVectors] = Memory(lambda found: found.vectors.nbytes)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of every text's tokens, with those that mark its ends."""
        return [one.ids for one in self.tokenizer.encode_batch([text.strip() for text in texts])]

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One vector per token of every text; texts that were seen lately are not computed again."""
        return self._memory.recall(texts, self._encode)

    def _encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        encoded = self.tokenizer.encode_batch([text.strip() for text in texts])
        found: dict[int, TokenVectors] = {}
        for numbers in by_length([len(one.ids) for one in encoded], _MOST_TOKENS):
            output = self.model.forward_batch([encoded[i].ids for i in numbers]).last_hidden_state
            vectors = np.array(output.to_device(_cpu()) if output.device != "cpu" else output)
            for row, i in enumerate(numbers):
                ids = np.array(encoded[i].ids, dtype=np.int64)
                special = np.array(encoded[i].special_tokens_mask, dtype=np.bool_)
                found[i] = TokenVectors(ids, vectors[row, : len(ids)].astype(np.float32), special)
        return [found[i] for i in range(len(texts))]


def _cpu() -> Any:
    import ctranslate2

    return ctranslate2.Device.cpu
