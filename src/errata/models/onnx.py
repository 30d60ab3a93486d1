"""Encoders in ONNX Runtime: a `.onnx` file with the `tokenizer.json` of its model beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, needs_extra
from errata.models.batching import by_length
from errata.models.memory import Memory
from errata.models.protocols import TokenVectors

_MOST_TOKENS = 4096  # of a batch, with padding


class OnnxEncoder:
    """Vectors of tokens: the first output of the model that is texts × tokens × dimensions."""

    def __init__(self, name: str, device: str = "auto") -> None:
        with needs_extra("a model in ONNX", "models"):
            import onnxruntime
            from tokenizers import Tokenizer
        path, tokens = Path(name), Path(name).parent / "tokenizer.json"
        for file in (path, tokens):
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
            self.tokenizer = Tokenizer.from_file(str(tokens))
        except Exception as error:  # both raise bare exceptions of their own
            raise DataError(
                f"cannot load this model: {str(error).splitlines()[0][:200]}", path=name
            ) from None
        self.tokenizer.no_padding()
        self._memory: Memory[str, TokenVectors] = Memory(lambda found: found.vectors.nbytes)
        self.inputs = [one.name for one in self.session.get_inputs()]

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
            vectors = self._run([encoded[i] for i in numbers])
            for row, i in enumerate(numbers):
                ids = np.array(encoded[i].ids, dtype=np.int64)
                special = np.array(encoded[i].special_tokens_mask, dtype=np.bool_)
                found[i] = TokenVectors(ids, vectors[row, : len(ids)].astype(np.float32), special)
        return [found[i] for i in range(len(texts))]

    def _run(self, some: Sequence[Any]) -> Any:
        width = max(len(one.ids) for one in some)
        fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        given = {}
        for name in self.inputs:
            if name not in fields:
                raise DataError(f"the ONNX model wants an input {name!r} that is not known")
            rows = [[*getattr(one, fields[name]), *[0] * (width - len(one.ids))] for one in some]
            given[name] = np.array(rows, dtype=np.int64)
        for output in self.session.run(None, given):
            if output.ndim == 3:
                return output
        raise DataError("the ONNX model has no vectors per token", hint="export it with last_hidden_state")
