"""Broken input: a clear error or a corpus, never a traceback, and nothing half-written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata.cli import main
from errata.corpus.formats import FORMATS, read_corpus
from errata.corpus.statistics import count
from errata.errors import DataError

END = b"|||REQUIRED|||-NONE-|||"
GOOD = {
    "m2": b"S This are .\nA 1 2|||R:VERB|||is" + END + b"0\nA -1 -1|||noop|||-NONE-" + END + b"1\n\n"
    b"S k\xc5\xaf\xc5\x88\nA 0 1|||X|||a||b" + END + b"0\n\n",
    "jsonl": b'{"source": "a b", "annotations": [{"annotator": 0, "edits": '
    b'[{"start": 0, "end": 1, "correction": "c"}]}]}\n'
    b'{"source": "k\xc5\xaf \\u00e9", "references": [null, "x"], "meta": {"d": "1"}, "document": "q"}\n',
    "tsv": b"source\treference_0\treference:n\tdocument\tdomain\n"
    b"a b\ta c\t\\N\td1\tx\nk\xc5\xaf\tz\t\td2\ty\n",
    "text": b"a b c\nk\xc5\xaf\xc5\x88\n\nd\n",
    "ua-gec": "Він {є=>:::error_type=F/Calque} тут.\nДруге{\\n=>, :::error_type=P}третє {x}.\n".encode(),
    "ixml": b'<?xml version="1.0" encoding="UTF-8"?>\n<scripts><script id="1"><sentence id="1" numann="2">'
    b"<text>This are k\xc5\xaf .</text>\n<error-list>"
    b'<error id="1" req="yes" type="SVA"><alt ann="0"><c end="2" start="1">is</c></alt>'
    b'<alt ann="1"><c end="2" start="1">was</c></alt></error>'
    b"</error-list></sentence></script></scripts>\n",
    "multigec": b"### essay_id = e 1\n\nThis are k\xc5\xaf .\n\nA second one .\n\n### essay_id = e2\nx\n",
    "geccc": b"S This are .\nA 1 2|||R:VERB|||is" + END + b"0\n\nS x\n\n",
}
SUFFIX = {
    "m2": ".m2",
    "jsonl": ".jsonl",
    "tsv": ".tsv",
    "text": ".txt",
    "ua-gec": ".ann",
    "ixml": ".ixml",
    "multigec": "-orig-dev.md",
    "geccc": ".m2",
}
_SIGNS = [
    "\0",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "|||",
    "{",
    "}",
    "=>",
    ":::",
    '"',
    "\\",
    "\\ud800",
    "-",
    "1e999",
    "null",
]
_BYTES = [
    b"A ",
    b"S ",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc5",
    b"9" * 30,
    b"[" * 2000,
    b"\xe2\x80\xa8",
    b"x" * 5000,
]
JUNK = st.sampled_from([*(sign.encode() for sign in _SIGNS), *_BYTES])


@st.composite
def broken(draw: st.DrawFn, content: bytes) -> bytes:
    """The content cut, with bytes lost, changed or put in."""
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        lost = draw(st.integers(0, 12))
        content = (
            content[:place] + draw(JUNK | st.just(b"") | st.binary(max_size=4)) + content[place + lost :]
        )
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


@pytest.fixture(params=sorted(FORMATS.keys() & GOOD.keys()))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A format and where a file of it goes, with GECCC's side files around."""
    if request.param == "geccc":
        (tmp_path / "meta.tsv").write_text("Filename\tDomain\nd\tx\n")
        (tmp_path / "sentence.meta").write_text("d\nd\n")
    return request.param, tmp_path / f"sentence{SUFFIX[request.param]}"


def test_every_format_is_fuzzed() -> None:
    assert {name for name, format in FORMATS.items() if format.write} <= GOOD.keys()


def test_the_unbroken_files_are_read(place: tuple[str, Path]) -> None:
    name, path = place
    path.write_bytes(GOOD[name])
    assert count(read_corpus(path, format=name)).tokens > 0


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_broken_files_give_a_corpus_or_an_error_that_names_the_file(place: tuple[str, Path], draw) -> None:
    name, path = place
    path.write_bytes(draw.draw(broken(GOOD[name])))
    for format in (name, None):
        try:
            corpus = read_corpus(path, format=format)
            assert len(corpus.sources) == len(list(corpus))
            count(corpus)
        except DataError as error:
            assert error.path is not None, error  # noqa: PT017
            assert str(path.parent) in error.path  # noqa: PT017


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
    "a missing file": ("x.m2", None, "x.m2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_the_command_line_names_file_and_line_and_writes_nothing(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content, place = BROKEN[what]
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    before = sorted(tmp_path.iterdir())
    for arguments in (["stats", name], ["convert", name, "out.tsv"], ["convert", name, "-", "--to", "tsv"]):
        with pytest.raises(SystemExit) as left:
            main(["corpus", *arguments])
        said = capsys.readouterr()
        assert left.value.code == 1
        assert said.err.startswith("error: " + place), said.err
        assert said.out == ""
        assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", sorted(SUFFIX.keys() - {"geccc"}))
def test_line_ends_and_byte_order_marks_do_not_matter(
    tmp_path: Path, name: str, ends: bytes, mark: bytes
) -> None:
    plain, other = tmp_path / f"a{SUFFIX[name]}", tmp_path / f"b{SUFFIX[name]}"
    plain.write_bytes(GOOD[name])
    other.write_bytes(mark + GOOD[name].replace(b"\n", ends))
    first, second = read_corpus(plain), read_corpus(other)
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
    path = tmp_path / f"long{SUFFIX[name]}"
    length = 1_000_000 if piece == b"x" else 250_000
    path.write_bytes(LONG[name](piece * (length // len(piece))))
    try:
        corpus = read_corpus(path)
        assert len(list(corpus)) >= 1
        assert len(corpus.sources[0]) > 1000
    except DataError as error:
        assert error.line  # noqa: PT017
