"""Models of the `transformers` package, from a folder or by name, on CPU or CUDA.

In double precision a text has the same numbers in every batch, since vectors are rounded to single precision
in the end; in single precision the last digits depend on the texts that share its batch.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.errors import DataError, ErrataError, needs_extra
from errata.models.batching import LRUCache, by_length
from errata.models.protocols import PRECISIONS, Floats, Likelihood, TokenVectors

_MOST_TOKENS = {"cpu": 4096, "cuda": 16_384}  # of a batch, with padding
_MOST_LOGITS = 1 << 26  # numbers: 512 MB


_DIGITS = 10  # of a regressor's number
_SMALL = 512  # bytes that a number with its text takes, about


def _import() -> tuple[Any, Any]:
    with needs_extra("a model of the transformers package", "transformers"):
        import torch
        import transformers
    return torch, transformers


def revision(name: str) -> str:
    """The revision of a model on the Hub as it is stored here, or is fetched."""
    _import()
    from transformers.utils.hub import cached_file

    try:
        found = cached_file(name, "config.json")
    except (OSError, ValueError) as error:
        raise _unknown(name, error) from None
    return Path(str(found)).parent.name[:12]


def _unknown(name: str, error: Exception) -> DataError:
    return DataError(
        f"cannot load this model: {str(error).splitlines()[0][:200]}",
        path=name,
        hint="give a folder with config.json, weights and tokenizer, or a name on the Hugging Face Hub",
    )


class _Model:
    """A model with its tokenizer, ready to compute."""

    head = "AutoModel"

    def __init__(
        self, name: str, device: str = "auto", precision: str = PRECISIONS[0], *, labels: int | None = None
    ) -> None:
        self.torch, self.transformers = _import()
        self.name = name
        self._cache: LRUCache[Any, Any] = LRUCache(self._size)  # of texts that were seen lately
        try:
            self.tokenizer = self.transformers.AutoTokenizer.from_pretrained(name)
            loader = getattr(self.transformers, self.head)
            more = {} if labels is None else {"num_labels": labels}
            model = loader.from_pretrained(name, dtype=getattr(self.torch, precision), **more)
        except (OSError, ValueError, KeyError) as error:
            raise _unknown(name, error) from None
        try:
            self.device = self.torch.device(self._chosen(device))
            self.model = model.eval().to(self.device)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0][:200]
            raise ErrataError(f"device={device}: {reason}\n  hint: use auto, cpu or cuda") from None
        self.longest = min(
            int(self.tokenizer.model_max_length),
            int(getattr(model.config, "max_position_embeddings", 0) or 1 << 30),
        )

    @staticmethod
    def _size(found: Any) -> int:
        """The bytes that a result takes, about."""
        return _SMALL

    @property
    def most_tokens(self) -> int:
        """How many tokens are computed together."""
        return _MOST_TOKENS.get(self.device.type, _MOST_TOKENS["cpu"])

    def _chosen(self, device: str) -> str:
        return ("cuda" if self.torch.cuda.is_available() else "cpu") if device == "auto" else device

    def ids(self, texts: Sequence[str], others: Sequence[str] | None = None) -> list[dict[str, list[int]]]:
        """The encoded texts or pairs; a warning says how many had to be shortened."""
        if not texts:
            return []
        columns = [[text.strip() for text in some] for some in (texts, others) if some is not None]
        whole = self.tokenizer(*columns, verbose=False)
        found = [{key: list(values[i]) for key, values in whole.items()} for i in range(len(texts))]
        cut = [i for i, one in enumerate(found) if len(one["input_ids"]) > self.longest]
        for i in cut:
            given = [column[i] for column in columns]
            one = self.tokenizer(*given, truncation=True, max_length=self.longest)
            found[i] = {key: list(value) for key, value in one.items()}
        self.warn(len(cut), len(texts))
        return found

    def warn(self, cut: int, texts: int) -> None:
        """Say that texts were shortened to what the model can read."""
        if cut:
            limit = f"the {self.longest} tokens that {self.name} can read"
            warnings.warn(f"{cut} of {texts} texts were shortened to {limit}", stacklevel=4)

    def batches(
        self, encoded: Sequence[dict[str, list[int]]], most_tokens: int | None = None
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Padded tensors, each with the numbers of its texts."""
        lengths = [len(one["input_ids"]) for one in encoded]
        for numbers in by_length(lengths, most_tokens or self.most_tokens):
            width = len(encoded[numbers[0]]["input_ids"])
            tensors = {}
            for key in encoded[numbers[0]]:
                fill = (self.tokenizer.pad_token_id or 0) if key == "input_ids" else 0
                rows = [encoded[i][key] + [fill] * (width - len(encoded[i][key])) for i in numbers]
                tensors[key] = self.torch.tensor(rows, dtype=self.torch.long, device=self.device)
            yield numbers, tensors


class Encoder(_Model):
    """Vectors of tokens from one layer of an encoder; layer 0 are the embeddings, −1 is the last layer."""

    def __init__(
        self, name: str, layer: int = -1, device: str = "auto", precision: str = PRECISIONS[0]
    ) -> None:
        super().__init__(name, device, precision)
        self.layer = layer
        if self.model.config.model_type in ("gpt2", "roberta"):  # the first word like any other
            self.tokenizer = self.transformers.AutoTokenizer.from_pretrained(name, add_prefix_space=True)
        layers = int(getattr(self.model.config, "num_hidden_layers", 0))
        if layers and not -1 <= layer <= layers:
            raise DataError(f"there is no layer {layer}", path=name, hint=f"the layers are 0 to {layers}")

    @staticmethod
    def _size(found: TokenVectors) -> int:
        return found.vectors.nbytes

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of every text's tokens, with those that mark its ends."""
        return [one["input_ids"] for one in self.ids(texts)]

    def encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        """One vector per token of every text; texts that were seen lately are not computed again."""
        return self._cache.get_all(texts, self._encode)

    def _encode(self, texts: Sequence[str]) -> list[TokenVectors]:
        encoded = self.ids(texts)
        found: dict[int, TokenVectors] = {}
        special = {self.tokenizer.cls_token_id, self.tokenizer.sep_token_id}
        with self.torch.inference_mode():
            for numbers, tensors in self.batches(encoded):
                layers = self.model(**tensors, output_hidden_states=True).hidden_states
                vectors = layers[self.layer].float().cpu().numpy()
                for row, i in enumerate(numbers):
                    ids = np.array(encoded[i]["input_ids"], dtype=np.int64)
                    marks = np.array([token in special for token in encoded[i]["input_ids"]], dtype=np.bool_)
                    found[i] = TokenVectors(ids, vectors[row, : len(ids)].copy(), marks)
        return [found[i] for i in range(len(texts))]


class _Likelihoods(_Model):
    """A language model; texts that were seen lately are not computed again."""

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The logarithm of every text's probability, or its pseudo-likelihood."""
        return self._cache.get_all(texts, self._likelihoods)

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        raise NotImplementedError

    def _logs(self, tensors: dict[str, Any]) -> Any:
        return self.torch.log_softmax(self.model(**tensors).logits.double(), dim=-1)

    @property
    def _most_tokens(self) -> int:
        return max(1, min(self.most_tokens, _MOST_LOGITS // int(self.model.config.vocab_size)))


class CausalModel(_Likelihoods):
    """A model such as GPT-2: each token given those before it, the first one given the start of a text."""

    head = "AutoModelForCausalLM"

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        start = self.tokenizer.bos_token_id
        start = self.tokenizer.eos_token_id if start is None else start
        if start is None:
            raise DataError("its tokenizer has no token for the start of a text", path=self.name)
        encoded, cut = [], 0
        rows = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        for row in rows:
            ids = [start, *row]
            cut += len(ids) > self.longest
            encoded.append(
                {"input_ids": ids[: self.longest], "attention_mask": [1] * min(len(ids), self.longest)}
            )
        self.warn(cut, len(texts))
        found = [Likelihood(0.0, 0)] * len(texts)
        with self.torch.inference_mode():
            for numbers, tensors in self.batches(encoded, self._most_tokens):
                ids = tensors["input_ids"]
                logs = self._logs(tensors)[:, :-1].gather(2, ids[:, 1:, None])[:, :, 0]
                logs = (logs * tensors["attention_mask"][:, 1:]).sum(dim=1)
                for log, i in zip(logs.tolist(), numbers, strict=True):
                    found[i] = Likelihood(log, len(encoded[i]["input_ids"]) - 1)
        return found


class MaskedModel(_Likelihoods):
    """A model such as BERT: each token given all others, one mask at a time (Salazar et al. 2020)."""

    head = "AutoModelForMaskedLM"

    def _likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        mask = self.tokenizer.mask_token_id
        if mask is None:
            raise DataError("its tokenizer has no mask", path=self.name, hint="give a masked language model")
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        masked, places = [], []
        for i, one in enumerate(self.ids(texts)):
            for place, token in enumerate(one["input_ids"]):
                if token not in special:
                    ids = [*one["input_ids"][:place], mask, *one["input_ids"][place + 1 :]]
                    masked.append({**one, "input_ids": ids})
                    places.append((i, place, token))
        sums, counts = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
        with self.torch.inference_mode():
            for numbers, tensors in self.batches(masked, self._most_tokens):
                chosen = [places[k] for k in numbers]
                index = range(len(numbers)), [one[1] for one in chosen], [one[2] for one in chosen]
                logs = self._logs(tensors)[index].tolist()
                for (i, _, _), log in zip(chosen, logs, strict=True):
                    sums[i] += log
                    counts[i] += 1
        return [Likelihood(float(a), int(b)) for a, b in zip(sums, counts, strict=True)]


class SequenceRegressor(_Model):
    """A model with one number per text or pair of texts, as it comes out of its last layer."""

    head = "AutoModelForSequenceClassification"

    def predict(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats:
        """One number per text, or per pair; those that were seen lately are not computed again."""
        given = list(zip(texts, others, strict=True)) if others is not None else [(text,) for text in texts]
        return np.array(self._cache.get_all(given, self._predict), dtype=np.float64)

    def _predict(self, given: Sequence[tuple[str, ...]]) -> list[float]:
        texts = [one[0] for one in given]
        others = [one[1] for one in given] if len(given[0]) > 1 else None
        if self.model.config.num_labels != 1:
            labels = self.model.config.num_labels
            raise DataError(f"it gives {labels} numbers per text, not one", path=self.name)
        found = np.zeros(len(texts), dtype=np.float64)
        with self.torch.inference_mode():
            for numbers, tensors in self.batches(self.ids(texts, others)):
                found[numbers] = self.model(**tensors).logits[:, 0].double().cpu().numpy()
        # the last bits depend on which texts share a batch
        return [float(number) for number in np.round(found, _DIGITS)]
