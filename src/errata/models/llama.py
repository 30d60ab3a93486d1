"""Models in GGUF by llama.cpp, which runs in this process behind a local OpenAI-compatible address."""

from __future__ import annotations

from pathlib import Path

from errata.errors import DataError, needs_extra
from errata.models.digests import digest
from errata.models.endpoint import Endpoint

_CONTEXT = 4096


class LlamaServer(Endpoint):
    """A GGUF file, served on a free port of this machine as long as the object lives."""

    def __init__(self, name: str, *, embeddings: bool = False) -> None:
        with needs_extra("a GGUF model", "llama"):
            import xllamacpp
        path = Path(name)
        if not _is_gguf(path):
            raise DataError("not a GGUF file", path=name, hint="give a model in the format of llama.cpp")
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx, parameters.n_parallel = _CONTEXT, 1
        parameters.warmup = False
        parameters.verbosity = -1
        parameters.port = 0
        parameters.embedding = embeddings
        if embeddings:
            parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        try:
            self._server = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise DataError(f"llama.cpp cannot load it: {error}"[:300], path=name) from None
        super().__init__(f"{self._server.listening_address}/v1")
        self.name = f"{path.stem}@{digest(path)}"


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"
