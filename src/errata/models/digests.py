"""Which model it was: a digest of its files, or the revision of one on the Hugging Face Hub."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from errata.corpus.files import file_sha256

# What decides a model's numbers; a README beside it does not.
_PARTS = {".bin", ".channel", ".gguf", ".json", ".model", ".onnx", ".safetensors", ".txt"}


def digest(path: Path) -> str:
    """Twelve hexadecimal digits of the contents of a model's file or folder."""
    files = sorted(f for f in path.iterdir() if f.suffix in _PARTS) if path.is_dir() else [path]
    made = sha256()
    for file in files:
        status = file.stat()
        made.update(f"{file.name if path.is_dir() else ''}\0".encode())
        made.update(bytes.fromhex(_known(file, status.st_size, status.st_mtime_ns)))
    return made.hexdigest()[:12]


@lru_cache(maxsize=256)
def _known(path: Path, size: int, changed: int) -> str:
    return file_sha256(path)
