"""M2 in and out."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path

import pytest

from errata import ERRANT, GLEU, M2, Corpus
from errata.corpus.blocks import BlockReader, count_m2
from errata.corpus.checks import check
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.statistics import count
from errata.errors import DataError


def written(corpus) -> bytes:
    buffer = io.StringIO(newline="")
    write_m2(corpus, buffer)
    return buffer.getvalue().encode()


@pytest.mark.slow
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
        (b"S a\nA 0 1|||X|||c|||REQUIRED|||-NONE-||||0\n", 2, "annotator's number"),
        (b"S a\nA 0 1|||X|||c|||REQUIRED|||0\n", 2, "this one 5"),
        (b"S a\nA 0|||X|||c|||REQUIRED|||-NONE-|||0\n", 2, "two offsets"),
        (b"S a\n \nS b\n", 2, "nothing but blanks"),
        (b"I a\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n", 2, "without a sentence"),
        (b"S a\nS b\xff\n", 2, "not UTF-8: byte 0xff in column 4"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    path = tmp_path / "bad.m2"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_m2(path)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("line", "corrections"),
    [
        ("A 1 2 |||SVA|||goes|||REQUIRED|||-NONE-|||0", ("goes",)),
        ("A  1   2|||SVA|||goes|||REQUIRED|||-NONE-|||0", ("goes",)),
        ("A 1 2 3|||SVA|||goes|||REQUIRED|||-NONE-|||0", ("goes",)),
        ("A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0  ", ("goes",)),
        ("A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0|||seen|||twice", ("goes",)),
        ("A 1 2|||SVA||| goes |||REQUIRED|||-NONE-|||0", ("goes",)),
        ("A 1 2|||SVA|||goes || went||-NONE-|||REQUIRED|||-NONE-|||0", ("goes", "went", "")),
        ("A 1 2|||SVA||| -NONE-|||REQUIRED|||-NONE-|||0", ("-NONE-",)),
        ("I note\nA 1 2|||SVA|||goes|||REQUIRED||||||0\r", ("goes",)),
    ],
)
def test_what_the_official_scorer_reads_is_read_alike(
    tmp_path: Path, line: str, corrections: tuple[str, ...]
) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(f"I head\nS He go .\n{line}\n\nS b\n", newline="")
    corpus = read_m2(path)
    [edit] = corpus[0].annotations[0].edits
    assert (edit.start, edit.end, edit.type, edit.corrections) == (1, 2, "SVA", corrections)
    assert corpus.sources == ["He go .", "b"]
    assert len(corpus.edit_ids.annotators) == 2
    score = M2().score(corpus, [f"He {corrections[0]} .", "b"])
    assert score.statistics.values.tolist() == [[1, 1, 1], [0, 0, 0]]


def test_sentences_of_one_block_share_its_edits(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    # Both sentences have two tokens: the first gets the edits within two, the second those within four.
    path.write_text(
        "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n"
        "S a d\nA 1 2|||X|||e|||REQUIRED|||-NONE-|||0\nA 3 4|||X|||f|||REQUIRED|||-NONE-|||0\n"
        "A 0 5|||X|||f|||REQUIRED|||-NONE-|||0\n\nS g\n"
    )
    corpus = read_m2(path)
    assert corpus.sources == ["a b", "a d", "g"]
    assert corpus.lines.tolist() == [1, 3, 8]
    # The words 1 2 of the block are `b`: the second edit of the second sentence matches nothing there.
    values = M2().score(corpus, ["c e", "c e", "g"]).statistics.values
    assert values.tolist() == [[2, 2, 2], [1, 2, 3], [0, 0, 0]]
    again = Corpus(list(corpus))
    assert M2().score(again, ["c e", "c e", "g"]).statistics.values.tolist() == values.tolist()
    assert corpus[0].references == ("c e",)
    with pytest.raises(DataError, match="shares its M2 block") as caught:
        corpus.reference_texts()
    assert caught.value.line == 3


def test_an_insertion_at_the_start_belongs_to_all_sentences_of_a_block(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    path.write_text("S a b\nS c\nA 0 0|||X|||x|||REQUIRED|||-NONE-|||0\n")
    corpus = read_m2(path)
    values = M2().score(corpus, ["x a b", "x c"]).statistics.values
    assert values.tolist() == [[1, 1, 1], [1, 1, 1]]


_PARTS = ["S", "A", "I", " ", "  ", "|||", "||", "|", "0", "1", "2", "-1", "x", "noop", "-NONE-", "REQUIRED",
          "\t", "\r", "\n", "\n\n", "S a b\n", "A 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n", "é", "\ufeff",
          "\x00", "\x0b", "\u2028", "99999999999"]  # fmt: skip


def test_mutated_files_are_read_or_refused_with_a_line(tmp_path: Path, data: Path) -> None:
    whole = (data / "conll14/test.m2").read_text(encoding="utf-8").split("\n\n")
    chance = random.Random(5)
    read = 0
    for number in range(800):
        text = "\n\n".join(chance.sample(whole, 3)) + "\n"
        for _ in range(chance.randint(1, 4)):
            place = chance.randint(0, len(text))
            text = text[:place] + chance.choice([*_PARTS, ""]) + text[place + chance.choice([0, 0, 1, 3]) :]
        path = tmp_path / f"{number % 10}.m2"
        path.write_bytes(text.encode())
        codes = {finding.code for finding in check([path])}
        if {"E201", "E202", "E203"} & codes:
            with pytest.raises(DataError) as caught:
                read_m2(path)
            assert caught.value.line, text
            continue
        read += 1
        corpus = read_m2(path)
        if len(corpus):
            with BlockReader(path) as reader:
                assert count_m2(reader.m2_block().data) == len(corpus)
            M2().score(corpus, corpus.sources)
            ERRANT(tagger="embedded", references="given").score(corpus, corpus.sources)
            Corpus(list(corpus))
            with contextlib.suppress(DataError):  # overlapping edits
                count(corpus)
                GLEU().score(corpus, corpus.sources)
    assert read > 150
