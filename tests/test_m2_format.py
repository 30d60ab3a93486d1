"""M2 in and out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from errata.corpus.m2 import read_m2, write_m2
from errata.errors import DataError


def written(corpus) -> bytes:
    buffer = io.StringIO(newline="")
    write_m2(corpus, buffer)
    return buffer.getvalue().encode()


def test_shared_m2_files_come_out_as_they_went_in(data: Path) -> None:
    files = [path for path in data.rglob("*.m2") if not path.name.startswith("scores")]
    assert files
    for path in files:
        assert written(read_m2(path)) == path.read_bytes(), path


def test_a_block_without_edits_is_an_implicit_annotation(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    path.write_text("S All is well .\n\nS He go .\nA 1 2|||SVA|||goes||went|||REQUIRED|||-NONE-|||1\n\n")
    first, second = read_m2(path)
    assert first.annotations[0].implicit
    assert first.references == ("All is well .",)
    assert second.annotations[0].edits[0].corrections == ("goes", "went")
    assert second.references == ("He goes .",)
    assert written(read_m2(path)) == path.read_bytes()


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"S a b\nA 0 1|||X|||c\n", 2, "6 fields"),
        (b"A 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n", 1, "without a sentence"),
        (b"S a\n\nrubbish\n", 3, "neither an S nor an A line"),
        (b"S a\nA x 1|||X|||c|||REQUIRED|||-NONE-|||0\n", 2, "two offsets"),
        (b"S a\nS b\xff\n", 2, "not UTF-8"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    path = tmp_path / "bad.m2"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_m2(path)
    assert caught.value.line == line
