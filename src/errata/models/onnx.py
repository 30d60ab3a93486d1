"""Encoders in ONNX Runtime: a `.onnx` file with the `tokenizer.json` of its model beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, needs_extra
from errata.models.batching import LRUCache, by_length
from errata.models.protocols import TokenVectors

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
