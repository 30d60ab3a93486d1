"""Documents of every format: the prose is corrected, and all other bytes stay as they were."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.errors import DataError
from errata_correct.documents import Document, _part, read_document
from errata_correct.review import Question, Quit, review
from errata_correct.corrector import Change, Corrector, Suggestion

MARKDOWN = """---
title: nic se nemění
---

# Nadpis *kurzíva* #

1. 1 jedna `kód x` dva
2. [odkaz](http://a.b/c "title a") a potom **tučné \\* x** &amp; y
   další řádek  \n   po zlomu

> citace <b>html</b> <http://auto.cz> text
> druhá

| a | b \\| c | `x` |
|---|---|---|
| d | e | e |

```
kód beze změny
```

![alt text](img.png) konec a*b
"""
HTML = (
    "<!DOCTYPE html><html><head><title>nadpis</title><style>p{}</style></head>\r\n<body class='a'><p>Jedna "
    "<b>dva</b> tři &amp; čtyři&nbsp;pět <code>kód</code>.<br>Šest</p><pre>nic</pre>"
    '<script>var a="<p>x</p>";</script><ul><li>a < b<li>c <span translate="no">Ne <span>ne</span> ne</span> d'
    '</ul><!-- komentář --><img alt="x"> e'
)
SRT = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Ahoj</i> {\\an8}svete\r\ndruhá\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000\r\nkonec 3\r\n"
)


def capitals(text: str) -> list[Suggestion]:
    """A suggestion for every word: the same in capitals."""
    return [Suggestion(m.start(), m.end(), m[0].upper(), 1.0, "spelling") for m in re.finditer(r"\w+", text)]


def in_capitals(text: str, kind: str) -> str:
    if kind == "markdown":
        pytest.importorskip("markdown_it", reason="markdown-it-py is not installed (extra `documents`)")
    part = _part(text, kind)
    document = Document([part], lambda texts: texts[0].encode())
    assert document.corrected([[] for _ in document.texts]).decode() == text
    return document.corrected([capitals(passage) for passage in document.texts]).decode()


def test_markdown_keeps_its_markup_code_and_addresses() -> None:
    expected = MARKDOWN
    for old, new in (
        ("Nadpis *kurzíva*", "NADPIS *KURZÍVA*"), ("jedna `kód x` dva", "JEDNA `kód x` DVA"),
        ("[odkaz]", "[ODKAZ]"), (" a potom **tučné \\* x**", " A POTOM **TUČNÉ \\* X**"), ("; y", "; Y"),
        ("další řádek", "DALŠÍ ŘÁDEK"), ("po zlomu", "PO ZLOMU"),
        ("citace <b>html</b>", "CITACE <b>HTML</b>"),
        ("> text", "> TEXT"), ("druhá", "DRUHÁ"), ("| a |", "| A |"), ("| d | e | e |", "| D | E | E |"),
        ("konec a*b", "KONEC A*B"),
    ):  # fmt: skip
        assert old in expected
        expected = expected.replace(old, new)
    assert in_capitals(MARKDOWN, "markdown") == expected
    assert in_capitals(MARKDOWN.replace("\n", "\r\n"), "markdown") == expected.replace("\n", "\r\n")


def test_html_keeps_tags_entities_scripts_and_what_is_not_to_be_translated() -> None:
    expected = HTML
    for old, new in (
        ("<title>nadpis", "<title>NADPIS"), ("Jedna <b>dva</b> tři", "JEDNA <b>DVA</b> TŘI"),
        ("čtyři&nbsp;pět", "ČTYŘI&nbsp;PĚT"), ("<br>Šest", "<br>ŠEST"), ("<li>a < b<li>c", "<li>A < B<li>C"),
        ("</span> d", "</span> D"), ('"x"> e', '"x"> E'),
    ):  # fmt: skip
        assert old in expected
        expected = expected.replace(old, new)
    assert in_capitals(HTML, "html") == expected
    part = _part("<p>a b</p>", "html")
    assert part.corrected([[Suggestion(0, 1, "<&", 1.0, "words")]]) == "<p>&lt;&amp; b</p>"


def test_subtitles_keep_numbers_times_tags_and_line_ends() -> None:
    expected = SRT.replace("Ahoj", "AHOJ").replace("svete", "SVETE").replace("druhá", "DRUHÁ")
    assert in_capitals(SRT, "srt") == expected.replace("konec", "KONEC")


def test_a_section_without_a_known_name_is_a_comment() -> None:
    for text in ("<![1", "<![1]>", "a <![1]> b", "a <![x[ c]> b", "<![if x]> b", "<![", "<![CDATA[ a ]]> b"):
        part = _part(text, "html")
        assert part.corrected([[] for _ in part.passages]) == text
    assert in_capitals("a <![1]> b <![x[ c]> d", "html") == "A <![1]> B <![x[ c]> D"


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["markdown", "html", "srt"]),
    st.text("ab*_`[](){}<>&;#|-!\\\"'=/ \n\r\tp1.:>é", max_size=60),
)
def test_any_text_comes_back_byte_for_byte_where_nothing_is_corrected(kind: str, text: str) -> None:
    if kind == "markdown":
        pytest.importorskip("markdown_it", reason="markdown-it-py is not installed (extra `documents`)")
    part = _part(text, kind)
    assert part.corrected([[] for _ in part.passages]) == text
    for passage in part.passages:
        for piece in passage:
            if not piece.fixed and piece.end - piece.start == len(piece.text):
                assert text[piece.start : piece.end] == piece.text


def test_corrections_across_markup_keep_it_and_never_touch_what_is_fixed() -> None:
    part = _part("<p>by <b>jsme</b> šli</p>", "html")
    across = [[Suggestion(0, 7, "bychom", 1.0, "words")]]
    assert part.corrected(across) == "<p>bychom<b></b> šli</p>"
    part = _part("<p>a <code>x</code> b</p>", "html")
    assert part.corrected([[Suggestion(0, 3, "z", 1.0, "words")]]) == part.text
    comma = _part("<p><i>Vím</i> že</p>", "html").corrected([[Suggestion(3, 3, ",", 1.0, "punctuation")]])
    assert comma == "<p><i>Vím,</i> že</p>"


def word_file(path: Path) -> None:
    docx = pytest.importorskip("docx", reason="python-docx is not installed (extra `test`)")
    document = docx.Document()
    document.add_heading("Nadpis & víc", 1)
    paragraph = document.add_paragraph("Ahoj ")
    paragraph.add_run("tučné").bold = True
    paragraph.add_run(" světe <x>\ttab")
    document.add_table(1, 1).cell(0, 0).text = "buňka"
    document.sections[0].header.paragraphs[0].text = "hlavička"
    document.save(path)


def test_word_documents_keep_runs_tables_and_all_other_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    word_file(path)
    document = read_document(path)
    assert document.corrected([[] for _ in document.texts]) == path.read_bytes()
    (tmp_path / "b.docx").write_bytes(document.corrected([capitals(text) for text in document.texts]))
    import docx

    made = docx.Document(tmp_path / "b.docx")
    runs = [[run.text for run in paragraph.runs] for paragraph in made.paragraphs]
    assert runs == [["NADPIS & VÍC"], ["AHOJ ", "TUČNÉ", " SVĚTE <X>\tTAB"]]
    assert made.paragraphs[1].runs[1].bold
    assert made.tables[0].cell(0, 0).text == "BUŇKA"
    assert made.sections[0].header.paragraphs[0].text == "HLAVIČKA"
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(tmp_path / "b.docx") as after:
        assert before.namelist() == after.namelist()
        for name in set(before.namelist()) - {"word/document.xml", "word/header1.xml"}:
            assert before.read(name) == after.read(name)


def test_blanks_at_the_ends_of_a_word_text_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>dva</w:t></w:r></w:p></w:body></w:document>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", body)
    new = read_document(path).corrected([[Suggestion(0, 0, "jedna ", 1.0, "words")]])
    with zipfile.ZipFile(io.BytesIO(new)) as archive:
        assert b'<w:t xml:space="preserve">jedna dva</w:t>' in archive.read("word/document.xml")


def test_broken_documents_are_named(tmp_path: Path, run) -> None:
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04nothing")
    (tmp_path / "b.html").write_bytes(b"<p>\xff</p>")
    bomb = '<!DOCTYPE a [<!ENTITY b "bb">]><w:document xmlns:w="x"/>'
    with zipfile.ZipFile(tmp_path / "c.docx", "w") as archive:
        archive.writestr("word/document.xml", bomb)
    with zipfile.ZipFile(tmp_path / "d.docx", "w") as archive:
        archive.writestr("a.txt", "x")
    with zipfile.ZipFile(tmp_path / "e.docx", "w") as archive:
        archive.writestr("word/document.xml", '<?xml version="1.0" encoding="shift_jis"?><a/>')
    with zipfile.ZipFile(tmp_path / "f.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(range(256)))
    damaged = bytearray((tmp_path / "f.docx").read_bytes())
    damaged[30 + len("word/document.xml")] = 7  # the first byte of the stream: a block of no known type
    (tmp_path / "f.docx").write_bytes(damaged)
    for name, message in (
        ("a.docx", "DOCX"),
        ("b.html", "UTF-8"),
        ("c.docx", "type"),
        ("d.docx", "document.xml"),
        ("e.docx", "encoding shift_jis"),
        ("f.docx", "not a DOCX file: .*invalid block type"),
    ):
        with pytest.raises(DataError, match=message):
            read_document(tmp_path / name)
    done = run("correct", "-m", "en", "a.docx", "-o", "out.docx")
    assert done.returncode == 1
    assert "a.docx" in done.stderr
    assert not (tmp_path / "out.docx").exists()


def test_a_document_is_corrected_from_the_command_line(run, tmp_path: Path) -> None:
    pytest.importorskip("markdown_it", reason="markdown-it-py is not installed (extra `documents`)")
    (tmp_path / "a.md").write_text("# The *goverment*\n\nIt is  `importent` and importent.\n")
    done = run("correct", "-m", "en", "a.md", "-o", "b.md")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "b.md").read_text() == "# The *government*\n\nIt is  `importent` and important.\n"
    assert run("correct", "-m", "en", "b.md").stdout == (tmp_path / "b.md").read_text()
    assert run("correct", "-m", "en", "a.md", "--tokenized").returncode == 2


class Uppercase:
    """A corrector that writes every word in capitals."""

    def changes(self, sentences):
        return [[Change(i, i + 1, (t.upper(),)) for i, t in enumerate(tokens)] for tokens in sentences]


def test_a_review_keeps_all_decisions_until_it_ends() -> None:
    answers = iter(["A", None, "x y", KeyboardInterrupt])

    def ask(question: Question) -> str | None:
        answer = next(answers)
        if answer is KeyboardInterrupt:
            raise KeyboardInterrupt
        return answer

    done = review(["a b", "c d", "e"], Corrector(Uppercase()), ask)
    assert not done.finished
    assert [[one.text for one in found] for found in done.accepted] == [["A"], ["x y"], []]
    assert (done.reviewed, done.changes) == (3, 2)
    for error in (Quit, EOFError):

        def stop(question: Question, error: type[BaseException] = error) -> str | None:
            raise error

        assert review(["a"], Corrector(Uppercase()), stop).changes == 0
    assert review(["a", "b"], Corrector(Uppercase()), lambda question: question.suggestion.text).finished


def converse(folder: Path, keys: list[bytes], interrupt: bool = False) -> tuple[int, str]:
    """Run an interactive correction on a terminal of its own, and give a key at every question."""
    command = [sys.executable, "-m", "errata", "correct", "-m", "en", "-i", "a.txt", "-o", "b.txt"]
    leader, follower = pty.openpty()

    def prepare() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job of a shell ignores it

    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, cwd=folder, start_new_session=True,
        preexec_fn=prepare,
    )  # fmt: skip
    os.close(follower)
    seen, asked, left = b"", 0, list(keys)
    while process.poll() is None or select.select([leader], [], [], 0)[0]:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                seen += os.read(leader, 4096)
            except OSError:  # the other side has ended
                break
        prompts = seen.count(b"quit: ") + seen.count(b"replace by [")
        if prompts > asked:
            asked = prompts
            by_line = seen.rfind(b"replace by [") > seen.rfind(b"quit: ")  # and not a key
            while process.poll() is None and bool(termios.tcgetattr(leader)[3] & termios.ICANON) != by_line:
                time.sleep(0.01)
            if left:
                os.write(leader, left.pop(0))
            elif interrupt:
                os.killpg(process.pid, signal.SIGINT)
                interrupt = False
    os.close(leader)
    return process.wait(120), seen.decode(errors="replace")


def test_suggestions_are_reviewed_on_a_terminal_and_survive_an_interrupt(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The goverment is importent.\n\nThe goverment knows.\n")
    code, seen = converse(tmp_path, [b"a", b"r", b"e", b"state\n"])
    assert code == 0, seen
    assert (tmp_path / "b.txt").read_text() == "The government is importent.\n\nThe state knows.\n"
    assert "spelling" in seen
    code, seen = converse(tmp_path, [b"a"], interrupt=True)
    assert code == 0, seen
    assert (tmp_path / "b.txt").read_text() == "The government is importent.\n\nThe goverment knows.\n"
    assert "stopped" in seen


def test_a_review_needs_a_terminal(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    done = run("correct", "-m", "en", "-i", "a.txt", input="a")
    assert done.returncode == 2
    assert "terminal" in done.stderr
