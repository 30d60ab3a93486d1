"""Which corrector suits a text: by the language of its first lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from glob import glob
from io import BufferedReader
from itertools import islice
from pathlib import Path

from errata.corpus.files import is_address, open_binary, plain_suffix
from errata.errors import DataError, ErrataError
from errata.text.languages import CODES, recognised
from errata_correct.loading import models

_LINES = 300
_BYTES = 1 << 16


def language_of_model(name: str) -> str:
    """The language with which the name of a model begins (`cs-transformer`), or nothing."""
    code = name.partition("-")[0]
    return code if code in CODES and not Path(name).exists() else ""


def sample_of(source: str) -> Sequence[str]:
    """The first lines of a text file or of standard input, which stay to be read; none of other inputs."""
    if source == "-":
        stream = sys.stdin.buffer
        data = stream.peek(_BYTES) if isinstance(stream, BufferedReader) else b""
        return data.decode("utf-8", "replace").splitlines()[:_LINES]
    if not Path(source).is_file() or plain_suffix(source) in (".jsonl", ".parquet"):
        return ()
    with open_binary(source) as file:
        lines = [line.decode("utf-8", "replace").rstrip("\n") for line in islice(file, _LINES)]
    is_m2 = plain_suffix(source) == ".m2"
    return [line[2:] for line in lines if line.startswith("S ")] if is_m2 else lines


def model_for(sample: Sequence[str], source: str) -> str:
    """The model for the language of a text; a Transformer is preferred where it is installed."""
    by_language = {language_of_model(name): name for name in sorted(models(), key=len)}
    by_language.pop("", None)
    language = recognised(sample, by_language)
    if language is None:
        if not (sample or source == "-" or is_address(source) or glob(source)):
            raise DataError("there is no such file", path=source, hint="check the path")
        names = ", ".join(sorted(models()))
        raise ErrataError(
            f"{source}: cannot tell the language of the text\n  hint: name a model with --model: {names}"
        )
    return by_language[language]
