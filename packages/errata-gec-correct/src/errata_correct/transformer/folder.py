"""The files of a trained Transformer's folder, checked as they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from errata.errors import DataError, needs_extra
from errata_correct.transformer.recipe import Model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor

    from errata_correct.transformer.network import Transformer

_HINT = "copy, install or train the model again"


def read_description(folder: Path) -> Model:
    """Read the size of the network from model.json."""
    path = folder / "model.json"
    try:
        settings = json.loads(path.read_bytes())
        if settings.pop("tags", []):
            raise ValueError("it also translates, which was removed")
        settings = {name: value for name, value in settings.items() if name not in ("kind", "beam")}
        model = Model(**settings)
        sizes = {name: getattr(model, name) for name in Model.__annotations__ if name != "dropout"}
        for name, size in sizes.items():
            if type(size) is not int or size < 1:
                raise ValueError(f"{name} is {size!r}")
    except OSError as error:
        raise DataError(f"cannot read it: {error.strerror}", path=path, hint=_HINT) from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        reason = f"not the description of a Transformer: {error}"[:300]
        raise DataError(reason, path=path, hint=_HINT) from None
    return model


def sentencepiece() -> Any:
    """The module of that name."""
    with needs_extra("subwords", "torch", "errata-gec-correct"):
        import sentencepiece
    return sentencepiece


def read_subwords(path: Path) -> Any:
    """The subwords of a model."""
    module = sentencepiece()
    try:
        return module.SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"no subwords can be read from it: {reason}"[:300], path=path, hint=_HINT) from None


def read_weights(path: Path, device: Any = "cpu") -> dict[str, Tensor]:
    """The weights that training saved."""
    import pickle

    import torch

    try:
        state = torch.load(path, map_location=device, weights_only=True)
    except (OSError, RuntimeError, ValueError, LookupError, EOFError, pickle.UnpicklingError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"no weights can be read from it: {reason}"[:300], path=path, hint=_HINT) from None
    if not isinstance(state, dict):
        raise DataError("no weights can be read from it", path=path, hint=_HINT)
    return cast("dict[str, Tensor]", state)


def load_weights(model: Transformer, state: Mapping[str, Tensor], folder: Path, hint: str = _HINT) -> None:
    """Give a network the weights of the model in a folder."""
    try:
        model.load_state_dict(state)
    except RuntimeError as error:  # PyTorch lists every array of another shape
        reason = str(error).splitlines()[-1].strip()
        raise DataError(f"the model has another size: {reason}"[:300], path=folder, hint=hint) from None
