"""Which model it was: a digest of its files, or the revision of one on the Hugging Face Hub."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

# What decides a model's numbers; a README beside it does not.
_PARTS = {".bin", ".channel", ".gguf", ".json", ".model", ".onnx", ".safetensors", ".txt"}
_BLOCK = 1 << 22


def digest(path: Path) -> str:
    """Twelve hexadecimal digits of the contents of a model's file or folder."""
    files = sorted(f for f in path.iterdir() if f.suffix in _PARTS) if path.is_dir() else [path]
    made = sha256()
    for file in files:
        status = file.stat()
        made.update(f"{file.name if path.is_dir() else ''}\0".encode())
        made.update(bytes.fromhex(_of_file(file, status.st_size, status.st_mtime_ns)))
    return made.hexdigest()[:12]


@lru_cache(maxsize=256)
def _of_file(path: Path, size: int, changed: int) -> str:
    made = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            made.update(block)
    return made.hexdigest()
