"""Models of the `transformers` package, from a folder or by name, on CPU or CUDA.

In double precision the numbers of a text do not depend on its batch, since vectors are finally rounded to
single precision. In single precision their last digits depend on the other texts of the batch.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, ErrataError, needs_extra
from errata.models.protocols import (
    NUMBER_BYTES,
    PRECISIONS,
    Floats,
    Likelihood,
    LRUCache,
    TokenVectors,
    by_length,
)

_BATCH_TOKENS = {"cpu": 4096, "cuda": 16_384}  # with padding
_MAX_LOGITS = 1 << 26  # 512 MB
_DECIMALS = 10  # of the numbers of a regressor


def _import() -> tuple[Any, Any]:
    with needs_extra("a model of the transformers package", "transformers"):
        import torch
        import transformers
    return torch, transformers


def revision(name: str) -> str:
    """The revision of a model on the Hub; its configuration is fetched unless it is in the local cache."""
    _import()
    from transformers.utils.hub import cached_file

    try:
        path = cached_file(name, "config.json")
    except (OSError, ValueError) as error:
        raise _cannot_load(name, error) from None
    return Path(str(path)).parent.name[:12]


def _cannot_load(name: str, error: Exception) -> DataError:
    return DataError(
        f"cannot load this model: {str(error).splitlines()[0][:200]}",
        path=name,
        hint="give a folder with config.json, weights and tokenizer, or a name on the Hugging Face Hub",
    )


class _Model:
    """A model with its tokenizer; results of recent texts are cached."""

    head = "AutoModel"

    def __init__(
        self, name: str, device: str = "auto", precision: str = PRECISIONS[0], *, labels: int | None = None
    ) -> None:
        self.torch, self.transformers = _import()
        self.name = name
        self._cache: LRUCache[Any, Any] = LRUCache(self._size)
        try:
            self.tokenizer = self.transformers.AutoTokenizer.from_pretrained(name)
            loader = getattr(self.transformers, self.head)
            options = {} if labels is None else {"num_labels": labels}
            model = loader.from_pretrained(name, dtype=getattr(self.torch, precision), **options)
        except (OSError, ValueError, KeyError) as error:
            raise _cannot_load(name, error) from None
        try:
            if device == "auto":
                device = "cuda" if self.torch.cuda.is_available() else "cpu"
            self.device = self.torch.device(device)
            self.model = model.eval().to(self.device)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0][:200]
            raise ErrataError(f"device={device}: {reason}\n  hint: use auto, cpu or cuda") from None
        self.longest = min(
            int(self.tokenizer.model_max_length),
            int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30),
        )

    @staticmethod
    def _size(result: Any) -> int:
        """The approximate size of a result in bytes."""
        return NUMBER_BYTES

    @property
    def batch_tokens(self) -> int:
        """The maximal number of tokens of a batch."""
        return _BATCH_TOKENS.get(self.device.type, _BATCH_TOKENS["cpu"])

    def ids(self, texts: Sequence[str], others: Sequence[str] | None = None) -> list[dict[str, list[int]]]:
        """The encoded texts or pairs of texts; a warning says how many were truncated."""
        if not texts:
            return []
        columns = [[text.strip() for text in column] for column in (texts, others) if column is not None]
        whole = self.tokenizer(*columns, verbose=False)
        encoded = [{key: list(values[i]) for key, values in whole.items()} for i in range(len(texts))]
        too_long = [i for i, fields in enumerate(encoded) if len(fields["input_ids"]) > self.longest]
        for i in too_long:
            pair = [column[i] for column in columns]
            truncated = self.tokenizer(*pair, truncation=True, max_length=self.longest)
            encoded[i] = {key: list(value) for key, value in truncated.items()}
        self.warn_truncated(len(too_long), len(texts))
        return encoded

    def warn_truncated(self, truncated: int, texts: int) -> None:
        """Warn that texts exceed the model's limit."""
        if truncated:
            limit = f"the {self.longest} tokens that {self.name} can read"
            warnings.warn(f"{truncated} of {texts} texts were shortened to {limit}", stacklevel=4)

    def batches(
        self, encoded: Sequence[dict[str, list[int]]], max_tokens: int | None = None
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Batches of padded tensors, each with the indices of its texts."""
        lengths = [len(fields["input_ids"]) for fields in encoded]
        for indices in by_length(lengths, max_tokens or self.batch_tokens):
            width = len(encoded[indices[0]]["input_ids"])
            tensors = {}
            for key in encoded[indices[0]]:
                padding = (self.tokenizer.pad_token_id or 0) if key == "input_ids" else 0
                rows = [encoded[i][key] + [padding] * (width - len(encoded[i][key])) for i in indices]
                tensors[key] = self.torch.tensor(rows, dtype=self.torch.long, device=self.device)
            yield indices, tensors


class Encoder(_Model):
    """Token vectors from one layer of an encoder; layer 0 has the embeddings, −1 is the last layer."""

    def __init__(
        self, name: str, layer: int = -1, device: str = "auto", precision: str = PRECISIONS[0]
    ) -> None:
        super().__init__(name, device, precision)
        self.layer = layer
        if self.model.config.model_type in ("gpt2", "roberta"):  # encode the first word like any other
            self.tokenizer = self.transformers.AutoTokenizer.from_pretrained(name, add_prefix_space=True)
        layers = int(getattr(self.model.config, "num_hidden_layers", 0))
        if layers and not -1 <= layer <= layers:
            raise DataError(f"there is no layer {layer}", path=name, hint=f"the layers are 0 to {layers}")

    @staticmethod
    def _size(result: TokenVectors) -> int:
        return result.vectors.nbytes

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of every text, special tokens included."""
        return [fields["input_ids"] for fields in self.ids(texts)]

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One vector per token of every text."""
        return self._cache.get_all(texts, self._encode)

    def _encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        encoded = self.ids(texts)
        results: dict[int, TokenVectors] = {}
        special = {self.tokenizer.cls_token_id, self.tokenizer.sep_token_id}
        with self.torch.inference_mode():
            for indices, tensors in self.batches(encoded):
                layers = self.model(**tensors, output_hidden_states=True).hidden_states
                vectors = layers[self.layer].float().cpu().numpy()
                for row, i in enumerate(indices):
                    ids = np.array(encoded[i]["input_ids"], dtype=np.int64)
                    marks = np.array([token in special for token in encoded[i]["input_ids"]], dtype=np.bool_)
                    results[i] = TokenVectors(ids, vectors[row, : len(ids)].copy(), marks)
        return [results[i] for i in range(len(texts))]


class _LanguageModel(_Model):
    """A language model, causal or masked."""

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The log probability of every text, or its pseudo-log-likelihood."""
        return self._cache.get_all(texts, self._likelihoods)

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        raise NotImplementedError

    def _logs(self, tensors: dict[str, Any]) -> Any:
        return self.torch.log_softmax(self.model(**tensors).logits.double(), dim=-1)

    @property
    def _max_tokens(self) -> int:
        """The size of a batch whose logits fit into memory."""
        return max(1, min(self.batch_tokens, _MAX_LOGITS // int(self.model.config.vocab_size)))


class CausalModel(_LanguageModel):
    """A model such as GPT-2: the probability of each token given the tokens before it."""

    head = "AutoModelForCausalLM"

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        start = self.tokenizer.bos_token_id
        start = self.tokenizer.eos_token_id if start is None else start
        if start is None:
            raise DataError("its tokenizer has no token for the start of a text", path=self.name)
        rows = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        tokens = [[start, *row][: self.longest] for row in rows]
        self.warn_truncated(sum(len(row) + 1 > self.longest for row in rows), len(texts))
        encoded = [{"input_ids": ids, "attention_mask": [1] * len(ids)} for ids in tokens]
        results = [Likelihood(0.0, 0)] * len(texts)
        with self.torch.inference_mode():
            for indices, tensors in self.batches(encoded, self._max_tokens):
                ids = tensors["input_ids"]
                logs = self._logs(tensors)[:, :-1].gather(2, ids[:, 1:, None])[:, :, 0]
                logs = (logs * tensors["attention_mask"][:, 1:]).sum(dim=1)
                for log, i in zip(logs.tolist(), indices, strict=True):
                    results[i] = Likelihood(log, len(tokens[i]) - 1)
        return results


class MaskedModel(_LanguageModel):
    """A model such as BERT: each token is masked and predicted from all others (Salazar et al. 2020)."""

    head = "AutoModelForMaskedLM"

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        mask = self.tokenizer.mask_token_id
        if mask is None:
            raise DataError("its tokenizer has no mask", path=self.name, hint="give a masked language model")
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        masked, targets = [], []
        for i, fields in enumerate(self.ids(texts)):
            tokens = fields["input_ids"]
            for position, token in enumerate(tokens):
                if token not in special:
                    ids = [*tokens[:position], mask, *tokens[position + 1 :]]
                    masked.append({**fields, "input_ids": ids})
                    targets.append((i, position, token))
        sums, counts = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
        with self.torch.inference_mode():
            for indices, tensors in self.batches(masked, self._max_tokens):
                numbers, positions, masked_tokens = zip(*(targets[k] for k in indices), strict=True)
                logs = self._logs(tensors)[range(len(indices)), positions, masked_tokens].tolist()
                for i, log in zip(numbers, logs, strict=True):
                    sums[i] += log
                    counts[i] += 1
        return [Likelihood(float(total), int(count)) for total, count in zip(sums, counts, strict=True)]


class SequenceRegressor(_Model):
    """A model with one output: a number per text or pair of texts."""

    head = "AutoModelForSequenceClassification"

    def predict(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats:
        """One number per text or pair of texts."""
        inputs = list(zip(texts, others, strict=True)) if others is not None else [(text,) for text in texts]
        return np.array(self._cache.get_all(inputs, self._predict), dtype=np.float64)

    def _predict(self, inputs: Sequence[tuple[str, ...]]) -> list[float]:
        texts = [texts[0] for texts in inputs]
        others = [texts[1] for texts in inputs] if len(inputs[0]) > 1 else None
        if self.model.config.num_labels != 1:
            labels = self.model.config.num_labels
            raise DataError(f"it gives {labels} numbers per text, not one", path=self.name)
        results = np.zeros(len(texts), dtype=np.float64)
        with self.torch.inference_mode():
            for indices, tensors in self.batches(self.ids(texts, others)):
                results[indices] = self.model(**tensors).logits[:, 0].double().cpu().numpy()
        # the last bits depend on the other texts of a batch
        return [float(number) for number in np.round(results, _DECIMALS)]
