"""Weights of a CTranslate2 export, read back for training: 8-bit weights become 32-bit ones."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from errata.errors import DataError

_VERSION = 6  # of the file format
_TYPES = ("float32", "int8", "int16", "int32", "float16")
_LAYER = {
    "attention.norm": "self_attention/layer_norm", "attention.inputs": "self_attention/linear_0",
    "attention.output": "self_attention/linear_1", "norm": "ffn/layer_norm", "wide": "ffn/linear_0",
    "narrow": "ffn/linear_1",
}  # fmt: skip
_SOURCE = {
    "source.norm": "attention/layer_norm", "source.inputs": "attention/linear_0",
    "source.memory": "attention/linear_1", "source.output": "attention/linear_2",
}  # fmt: skip


def read_export(path: str | Path, encoder_layers: int, decoder_layers: int) -> dict[str, Tensor]:
    """The state of a `Transformer` from the model.bin of an export."""
    try:
        arrays = _variables(Path(path).read_bytes())
        state = {"embedding.weight": _dense(arrays, "decoder/embeddings/weight")}
        for part, layers in (("encoder", encoder_layers), ("decoder", decoder_layers)):
            state |= _norm(arrays, f"{part}_norm", f"{part}/layer_norm")
            if f"{part}/layer_{layers}/ffn/layer_norm/gamma" in arrays:
                raise ValueError(f"the {part} of the export has more than {layers} layers")
            for number in range(layers):
                for own, official in (_LAYER | (_SOURCE if part == "decoder" else {})).items():
                    name, place = f"{part}.{number}.{own}", f"{part}/layer_{number}/{official}"
                    if own.endswith("norm"):
                        state |= _norm(arrays, name, place)
                    else:
                        state[f"{name}.weight"] = _dense(arrays, f"{place}/weight")
                        state[f"{name}.bias"] = torch.from_numpy(arrays[f"{place}/bias"].astype(np.float32))
    except (LookupError, ValueError, struct.error) as error:
        raise DataError(
            f"not an export of such a Transformer: {error}"[:300], path=path,
            hint="the model's size in the recipe must be that of the export",
        ) from None  # fmt: skip
    return state


def _norm(arrays: dict[str, Any], name: str, place: str) -> dict[str, Tensor]:
    return {
        f"{name}.weight": torch.from_numpy(arrays[f"{place}/gamma"].astype(np.float32)),
        f"{name}.bias": torch.from_numpy(arrays[f"{place}/beta"].astype(np.float32)),
    }


def _dense(arrays: dict[str, Any], name: str) -> Tensor:
    """A matrix of weights; those with 8 bits have a scale per row."""
    values = arrays[name].astype(np.float32)
    if arrays[name].dtype == np.int8:
        scale = arrays[f"{name}_scale"]
        if not (np.isfinite(scale).all() and (scale > 0).all()):
            raise ValueError(f"a scale of {name} is not a positive number")
        values /= scale[:, None]
    elif arrays[name].dtype.kind != "f":
        raise ValueError(f"{name} has weights of type {arrays[name].dtype}, not int8 or floating point")
    return torch.from_numpy(values)


def _variables(data: bytes) -> dict[str, Any]:
    """All arrays of a file by their names."""
    (version,) = struct.unpack_from("<I", data)
    if version != _VERSION:
        raise ValueError(f"version {version} of the format, not {_VERSION}")
    place = 4

    def string() -> str:
        nonlocal place
        (length,) = struct.unpack_from("<H", data, place)
        place += 2 + length
        return data[place - length : place - 1].decode("utf-8")

    def arrays(count: int) -> Iterator[tuple[str, Any]]:
        nonlocal place
        for _ in range(count):
            name = string()
            rank = data[place]
            *shape, kind, size = struct.unpack_from(f"<{rank}IBI", data, place + 1)
            place += 6 + 4 * rank
            dtype = np.dtype(_TYPES[kind])
            yield name, np.frombuffer(data, dtype, size // dtype.itemsize, place).reshape(shape)
            place += size

    string()  # the name of the architecture
    _, count = struct.unpack_from("<II", data, place)
    place += 8
    variables = dict(arrays(count))
    (count,) = struct.unpack_from("<I", data, place)
    place += 4
    for _ in range(count):
        alias, name = string(), string()
        variables[alias] = variables[name]
    return variables
