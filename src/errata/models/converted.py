"""Models that need no PyTorch: encoders in ONNX Runtime, and causal language models in CTranslate2.

An ONNX model is a `.onnx` file with the `tokenizer.json` of its model beside it. A model for CTranslate2 is a
folder with `model.bin` and `tokenizer.json`, as this command makes it:
`ct2-transformers-converter --model NAME --output_dir FOLDER --copy_files tokenizer.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, needs_extra
from errata.models.protocols import NUMBER_BYTES, Likelihood, LRUCache, TokenVectors, by_length

_BATCH_TOKENS = 4096  # with padding


class OnnxEncoder:
    """Token vectors: the first output of the model that has the shape texts × tokens × dimensions."""

    def __init__(self, name: str, device: str = "auto") -> None:
        with needs_extra("a model in ONNX", "models"):
            import onnxruntime
            from tokenizers import Tokenizer
        path, tokenizer_path = Path(name), Path(name).parent / "tokenizer.json"
        for file in (path, tokenizer_path):
            if not file.is_file():
                raise DataError(
                    "there is no such file", path=file, hint="an ONNX model needs tokenizer.json beside it"
                )
        available = onnxruntime.get_available_providers()
        wanted = ["CUDAExecutionProvider"] if device.startswith("cuda") or device == "auto" else []
        if device.startswith("cuda") and not set(wanted) & set(available):
            raise DataError(
                "ONNX Runtime has no CUDA here", path=name, hint="use device=cpu, or onnxruntime-gpu"
            )
        providers = [*(p for p in wanted if p in available), "CPUExecutionProvider"]
        try:
            self.session = onnxruntime.InferenceSession(str(path), providers=providers)
            self.tokenizer = Tokenizer.from_file(str(tokenizer_path))
        except Exception as error:  # both libraries raise exceptions of their own
            raise DataError(
                f"cannot load this model: {str(error).splitlines()[0][:200]}", path=name
            ) from None
        self.tokenizer.no_padding()
        self._cache: LRUCache[str, TokenVectors] = LRUCache(lambda result: result.vectors.nbytes)
        self.inputs = [node.name for node in self.session.get_inputs()]

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of every text, special tokens included."""
        return [encoding.ids for encoding in self.tokenizer.encode_batch([text.strip() for text in texts])]

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One vector per token of every text."""
        return self._cache.get_all(texts, self._encode)

    def _encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        encoded = self.tokenizer.encode_batch([text.strip() for text in texts])
        results: dict[int, TokenVectors] = {}
        for indices in by_length([len(encoding.ids) for encoding in encoded], _BATCH_TOKENS):
            vectors = self._run([encoded[i] for i in indices])
            for row, i in enumerate(indices):
                ids = np.array(encoded[i].ids, dtype=np.int64)
                special = np.array(encoded[i].special_tokens_mask, dtype=np.bool_)
                results[i] = TokenVectors(ids, vectors[row, : len(ids)].astype(np.float32), special)
        return [results[i] for i in range(len(texts))]

    def _run(self, batch: Sequence[Any]) -> Any:
        width = max(len(encoding.ids) for encoding in batch)
        fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        inputs = {}
        for name in self.inputs:
            if name not in fields:
                raise DataError(f"the ONNX model has an unknown input {name!r}")
            rows = [
                [*getattr(encoding, fields[name]), *[0] * (width - len(encoding.ids))] for encoding in batch
            ]
            inputs[name] = np.array(rows, dtype=np.int64)
        for output in self.session.run(None, inputs):
            if output.ndim == 3:
                return output
        raise DataError("the ONNX model has no vectors per token", hint="export it with last_hidden_state")


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
