"""Files from elsewhere: what is broken, hostile or far too large gives an error that names the file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from errata import read_corpus, read_outputs
from errata.corpus.files import open_binary, read_bytes, read_lines, stream_lines
from errata.corpus.ixml import read_ixml
from errata.corpus.parallel import read_parallel
from errata.errors import DataError, visible
from errata.human.judgment_files import read_judgments
from errata.metrics import metric
from errata.metrics.results import Results
from errata.tables import Column, Table
from fuzz_targets import READERS

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TEXT = b"one line\nand another\n" * 5000
PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def packed(suffix: str, data: bytes) -> bytes:
    if suffix == ".zst":
        return bytes(zstandard.ZstdCompressor().compress(data))
    return PACKED[suffix](data)


@pytest.mark.parametrize("suffix", [*PACKED, ".zst"])
def test_compressed_files_are_read_whole_or_not_at_all(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.txt{suffix}"
    data = packed(suffix, TEXT)
    path.write_bytes(data + data)  # several streams or frames are one file
    assert read_bytes(path) == TEXT * 2
    assert "\n".join(stream_lines(path)) + "\n" == (TEXT * 2).decode()
    for end in range(1, len(data), max(1, len(data) // 20)):
        path.write_bytes(data[:end])
        for read in (read_bytes, read_lines, lambda path: list(stream_lines(path))):
            with pytest.raises(DataError, match=r"x\.txt\.[a-z0-9]+: cannot read it"):
                read(path)


@pytest.mark.parametrize("suffix", [*PACKED, ".zst"])
def test_a_small_file_does_not_fill_the_memory(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(packed(suffix, bytes(70 << 20)))
    with pytest.raises(DataError, match="unpacks to more than 250 times its size") as error:
        read_bytes(path)
    assert "ERRATA_LIMIT_RATIO=" in str(error.value)
    monkeypatch.setenv("ERRATA_LIMIT_RATIO", "1M")
    assert len(read_bytes(path)) == 70 << 20
    monkeypatch.setenv("ERRATA_LIMIT_UNPACKED", "1M")
    with pytest.raises(DataError, match="unpacks to more than 1,048,576 bytes"), open_binary(path) as file:
        file.read()


@pytest.mark.parametrize("gold", ["gold.m2", "reference.txt"])
def test_texts_stay_what_they_were_when_a_file_is_truncated(gold: str, tmp_path: Path) -> None:
    source, hypothesis, reference = (tmp_path / name for name in ("source.txt", "system.txt", gold))
    source.write_bytes(b"This are a cat .\n" * 5000)
    hypothesis.write_bytes(b"This is a cat .\n" * 5000)
    if gold == "gold.m2":
        reference.write_bytes(
            b"S This are a cat .\nA 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0\n\n" * 5000
        )
        corpus = read_corpus(reference)
    else:
        reference.write_bytes(hypothesis.read_bytes())
        corpus = read_parallel(source, [reference])
    outputs = read_outputs([hypothesis], corpus)
    for path in (source, hypothesis, reference):
        os.truncate(path, 1)
    metrics = [metric("m2")] if gold == "gold.m2" else [metric("gleu"), metric("exact")]
    results = Results.compute(corpus, outputs, metrics)
    assert {score.value for score in results.scores.values()} == {1.0}


def test_zstandard_is_tokenised(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "x.txt.zst"
    path.write_bytes(packed(".zst", b"Hello, world.\n"))
    assert run("corpus", "tokenize", path).stdout == "Hello , world .\n"


IXML = (
    '<scripts><script id="1"><sentence id="1" numann="{}"><text>a b</text><error-list>{}</error-list>'
    "</sentence></script></scripts>"
)


@pytest.mark.parametrize(
    ("annotators", "errors"),
    [
        ("1000000000", ""),
        ("9" * 5000, ""),
        ("2", '<error id="1" req="yes"><alt ann="999999999"><c start="0" end="1">x</c></alt></error>'),
        ("2", f'<error id="1" req="yes"><alt ann="0"><c start="0" end="{"9" * 30}">x</c></alt></error>'),
    ],
)
def test_numbers_in_an_xml_file_do_not_cost_memory(annotators: str, errors: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ixml"
    path.write_text(IXML.format(annotators, errors))
    with pytest.raises(DataError, match=r"x\.ixml:1: .*out of all bounds"):
        read_ixml(path)


ITEM = '<ranking-item id="1" user="u"{}>{}</ranking-item>'
MTURK = "WorkerId,Input.sentID,Input.system1,Answer.rank_1,WorkTimeInSeconds{}\nw,s,A,1,{}\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("endless.xml", ITEM.format(f' duration="{"9" * 5000}:00:01"', "")),
        ("nested.xml", "<x>" + ITEM.format("", ITEM.format("", "")) + "</x>"),
        ("encoding.xml", '<?xml version="1.0" encoding="nonsense"?>' + ITEM.format("", "")),
        ("superscript.xml", ITEM.format(' duration="0:0:²"', "")),
        ("seconds.csv", MTURK.format("", "9" * 400)),
    ],
)
def test_broken_judgments_are_errors(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=name):
        read_judgments(tmp_path / name)


def test_a_number_that_is_no_digit_is_no_head(tmp_path: Path) -> None:
    from errata.edits.taggers.external import sentences

    row = "1\ta\ta\tNOUN\tNN\t_\t²\troot\t_\t_"
    [found] = sentences([row, row.replace("1\t", "²\t")])
    assert found.forms == ("a",)
    with pytest.raises(DataError, match="outside the sentence"):
        list(sentences([row.replace("²", "7")]))


DEEP = {
    "results.json": ("score", '{"results":' * 50_000),
    "number.json": (
        "score",
        '{"results": {"metrics": [], "systems": 1, "labels": {}, "statistics": 9}}',
    ),
    "task.json": ("campaign", '{"a":' * 50_000),
    "task.toml": ("campaign", "a = " + "[" * 50_000),
    "many.toml": ("campaign", "annotators = 1000000000000"),
    "profile.json": ("noise", '{"a":' * 50_000),
    "chances.json": ("noise", '{"words": 5}'),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nests_and_wild_values_are_errors(name: str, tmp_path: Path, run: Run) -> None:
    verb, content = DEEP[name]
    path = tmp_path / name
    path.write_text(content)
    arguments = {
        "score": ["score", str(path)],
        "campaign": ["campaign", "new", str(path), "-o", str(tmp_path / "c.db")],
        "noise": ["noise", "apply", "-", "--profile", str(path)],
    }[verb]
    done = run(*arguments)
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("error: "), done.stderr


def test_control_characters_do_not_reach_the_terminal() -> None:
    hostile = "a\x1b[2J\x07\u202eb"
    table = Table([Column(hostile)], [[hostile]], title=hostile, notes=[hostile])
    for text in (str(table), visible(hostile)):
        assert not any(char in text for char in "\x1b\x07\u202e")
        assert "a\\x1b[2J" in text
    assert visible("ů\t字\n") == "ů\t字\n"


def test_a_stream_names_the_line_that_is_not_utf8(tmp_path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"a\nb\xff\n")
    with pytest.raises(DataError) as caught:
        list(stream_lines(path))
    assert (caught.value.path, caught.value.line) == (str(path), 2)


END = b"|||REQUIRED|||-NONE-|||"
BROKEN = {
    "a truncated line": ("x.m2", b"S a b\nA 0 1|||X|||c|||REQ", "x.m2:2:"),
    "offsets outside the sentence": ("x.m2", b"S a b\n\nS a b\nA 1 7|||X|||c" + END + b"0\n", "x.m2:3:"),
    "reversed offsets": ("x.m2", b"S a b\nA 2 1|||X|||c" + END + b"0\n", "x.m2:1:"),
    "endless offsets": ("x.m2", b"S a\nA 0 " + b"9" * 5000 + b"|||X|||c" + END + b"0\n", "x.m2:2:"),
    "binary junk in M2": ("x.m2", bytes(range(256)), "x.m2"),
    "binary junk": ("x.bin", b"\0\1\2\xff" * 99, "x.bin"),
    "Latin-1": ("x.txt", "příliš\nžluťoučký\n".encode("cp1250"), "x.txt:1:"),
    "UTF-16": ("x.tsv", "source\treference\n".encode("utf-16"), "x.tsv:1:"),
    "half an object": ("x.jsonl", b'{"source": "a"}\n{"source": "a", "ann', "x.jsonl:2:"),
    "half a surrogate pair": ("x.jsonl", b'{"source": "\\ud800"}\n', "x.jsonl:1:"),
    "a deep nest": ("x.jsonl", b'{"source": ' + b"[" * 100_000 + b"\n", "x.jsonl:1:"),
    "offsets outside in JSONL": (
        "x.jsonl", b'{"source": "", "annotations": [{"edits": [{"start": 3, "end": 4, "correction": ""}]}]}',
        "x.jsonl:1:",
    ),
    "an endless annotator": (
        "x.jsonl", b'{"source": "", "annotations": [{"annotator": 1e5, "edits": []}]}', "x.jsonl:1:",
    ),
    "a row too short": ("x.tsv", b"source\treference\na\n", "x.tsv:2:"),
    "an empty table": ("x.tsv", b"", "x.tsv"),
    "an open annotation": ("x.ann", "Так\n{є=>:::error_type=F".encode(), "x.ann:2:"),
    "a gzip that is none": ("x.m2.gz", b"S a\n\n", "x.m2.gz"),
    "a cut gzip": ("x.m2.gz", bytes.fromhex("1f8b08000000000000ff0b5648"), "x.m2.gz"),
    "an empty gzip": ("x.m2.gz", b"", "x.m2.gz"),
    "an empty zst": ("x.m2.zst", b"", "x.m2.zst"),
    "a missing file": ("x.m2", None, "x.m2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_the_command_line_names_file_and_line_and_writes_nothing(what: str, tmp_path: Path, run: Run) -> None:
    name, content, place = BROKEN[what]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    for arguments in (["stats", name], ["convert", name, "out.tsv"], ["convert", name, "-", "--to", "tsv"]):
        done = run("corpus", *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: " + place), done.stderr
        assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["m2", "jsonl", "tsv", "text", "ua-gec", "ixml", "multigec"])
def test_line_ends_and_byte_order_marks_do_not_matter(
    tmp_path: Path, name: str, ends: bytes, mark: bytes
) -> None:
    target = READERS[name]
    path = tmp_path / target.name
    path.write_bytes(target.content())
    first = read_corpus(path)
    path.write_bytes(mark + target.content().replace(b"\n", ends))
    second = read_corpus(path)
    assert [s.source for s in first] == second.sources
    assert [s.annotations for s in first] == [s.annotations for s in second]


LONG = {
    "m2": lambda text: b"S " + text + b"\nA 0 1|||X|||c" + END + b"0\n\n",
    "jsonl": lambda text: b'{"source": "' + text + b'", "references": ["c"]}\n',
    "tsv": lambda text: b"source\treference\n" + text + b"\tc\n",
    "text": lambda text: text + b"\n",
    "ua-gec": lambda text: text + b"{a=>" + text + b":::x=}\n",
}


@pytest.mark.parametrize("piece", [b"x", b"x ", b"=>", b"{a=>b", b":::"])
@pytest.mark.parametrize("name", sorted(LONG))
def test_a_very_long_line_is_read_or_refused_with_its_number(tmp_path: Path, name: str, piece: bytes) -> None:
    path = tmp_path / READERS[name].name
    length = 1_000_000 if piece == b"x" else 250_000
    path.write_bytes(LONG[name](piece * (length // len(piece))))
    try:
        corpus = read_corpus(path)
        assert len(list(corpus)) >= 1
        assert len(corpus.sources[0]) > 1000
    except DataError as error:
        assert error.line  # noqa: PT017
