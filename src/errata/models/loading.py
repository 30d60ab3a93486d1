"""Models by name; the name or the files of a model determine the library that runs it.

- `en`, `cs` or a `.channel` file: a shipped n-gram language model, which needs no extra;
- a `.onnx` file with a `tokenizer.json` beside it: ONNX Runtime;
- a `.gguf` file: llama.cpp, for chats and sentence vectors;
- an address that begins with `http`: an OpenAI-compatible endpoint, for chats and sentence vectors;
- a folder with `model.bin` and `tokenizer.json`: CTranslate2, for probabilities of texts;
- any other name: a folder, or a name on the Hugging Face Hub, for the `transformers` package.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from errata.corpus.files import file_sha256
from errata.errors import DataError
from errata.models.converted import is_converted
from errata.models.ngram_model import NGramModel, shipped

if TYPE_CHECKING:
    from errata.models.chat import Endpoint
    from errata.models.protocols import LikelihoodModel, Regressor, SentenceEncoder, TokenEncoder


def kind_of(name: str) -> str:
    """The kind of a model: `ngrams`, `onnx`, `gguf`, `endpoint`, `ctranslate2` or `transformers`."""
    if not name:
        raise DataError("no model is given", hint="give a path or a name: model=PATH")
    if name.startswith(("http://", "https://")):
        return "endpoint"
    suffix = Path(name).suffix
    if suffix == ".channel" or shipped(name):
        return "ngrams"
    if is_converted(name):
        return "ctranslate2"
    return {".gguf": "gguf", ".onnx": "onnx"}.get(suffix, "transformers")


def identity(name: str) -> str:
    """The model in a signature: the end of its name, and a digest of its files or its revision."""
    kind = kind_of(name)
    if kind == "endpoint":
        return name
    path = shipped(name) or Path(name)
    if path.exists():
        return f"{path.name}@{digest(path)}"
    if kind != "transformers":
        raise DataError("there is no such model", path=name, hint="give the path of a file that exists")
    from errata.models.huggingface import revision

    return f"{name}@{revision(name)}"


@lru_cache(maxsize=4)
def causal_model(name: str, device: str = "auto", precision: str = "float64") -> LikelihoodModel:
    """A model that predicts each token from the tokens before it."""
    kind = kind_of(name)
    if kind == "ngrams":
        return NGramModel.load(shipped(name) or Path(name))
    _expect(name, kind, "the probability of texts", "transformers", "ctranslate2")
    if kind == "ctranslate2":
        from errata.models.converted import ConvertedModel

        return ConvertedModel(name, device)
    from errata.models.huggingface import CausalModel

    return CausalModel(name, device, precision)


@lru_cache(maxsize=4)
def masked_model(name: str, device: str = "auto", precision: str = "float64") -> LikelihoodModel:
    """A model that predicts each token from all others."""
    _expect(name, kind_of(name), "pseudo-likelihoods", "transformers")
    from errata.models.huggingface import MaskedModel

    return MaskedModel(name, device, precision)


@lru_cache(maxsize=4)
def token_encoder(
    name: str, layer: int = -1, device: str = "auto", precision: str = "float64"
) -> TokenEncoder:
    """An encoder with one vector per token, from one of its layers (−1: the last)."""
    kind = kind_of(name)
    _expect(name, kind, "vectors of tokens", "transformers", "onnx")
    if kind == "onnx":
        if layer != -1:
            raise DataError("an ONNX file has one layer of vectors", path=name, hint="use layer=-1")
        from errata.models.converted import OnnxEncoder

        return OnnxEncoder(name, device)
    from errata.models.huggingface import Encoder

    return Encoder(name, layer, device, precision)


@lru_cache(maxsize=4)
def sentence_encoder(name: str, device: str = "auto", precision: str = "float64") -> SentenceEncoder:
    """An encoder with one vector per text: the mean over its tokens, or the vector of a server."""
    kind = kind_of(name)
    if kind == "endpoint":
        from errata.models.chat import Endpoint

        return Endpoint(name)
    if kind == "gguf":
        from errata.models.chat import LlamaServer

        return LlamaServer(name, embeddings=True)
    from errata.models.protocols import MeanPooled

    return MeanPooled(token_encoder(name, -1, device, precision))


@lru_cache(maxsize=4)
def regressor(name: str, device: str = "auto", precision: str = "float64") -> Regressor:
    """A model with one number per text or pair of texts."""
    _expect(name, kind_of(name), "numbers for texts", "transformers")
    from errata.models.huggingface import SequenceRegressor

    return SequenceRegressor(name, device, precision)


def chat_model(name: str, *, model: str = "") -> Endpoint:
    """A chat model: an OpenAI-compatible address (and the name of a `model` on it) or a GGUF file."""
    kind = kind_of(name)
    _expect(name, kind, "chats", "endpoint", "gguf")
    if kind == "gguf":
        from errata.models.chat import LlamaServer

        return LlamaServer(name)
    from errata.models.chat import Endpoint

    return Endpoint(name, model)


def _expect(name: str, kind: str, what: str, *kinds: str) -> None:
    if kind not in kinds:
        raise DataError(
            f"a model of the kind {kind} does not give {what}",
            path=name,
            hint=f"use a model of the kind {' or '.join(kinds)}",
        )


_HASHED_SUFFIXES = {  # not README.md
    ".bin", ".channel", ".gguf", ".json", ".model", ".onnx", ".safetensors", ".spm", ".txt",
}  # fmt: skip


def digest(path: Path) -> str:
    """Twelve hexadecimal digits of the SHA-256 of a model's file or folder."""
    files = sorted(f for f in path.iterdir() if f.suffix in _HASHED_SUFFIXES) if path.is_dir() else [path]
    hashed = sha256()
    for file in files:
        status = file.stat()
        hashed.update(f"{file.name if path.is_dir() else ''}\0".encode())
        hashed.update(bytes.fromhex(_file_digest(file, status.st_size, status.st_mtime_ns)))
    return hashed.hexdigest()[:12]


@lru_cache(maxsize=256)
def _file_digest(path: Path, size: int, changed: int) -> str:
    """The SHA-256 of a file, cached while its size and time are the same."""
    return file_sha256(path)
