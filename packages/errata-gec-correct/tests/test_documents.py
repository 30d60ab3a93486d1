"""Markdown and plain text: the prose is corrected, and all other bytes stay as they were."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.errors import DataError
from errata_correct.corrector import Change, Corrector, Suggestion
from errata_correct.documents import Document, read_document
from errata_correct.review import Question, Quit, review

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


def capitals(text: str) -> list[Suggestion]:
    """A suggestion for every word: the same in capitals."""
    return [Suggestion(m.start(), m.end(), m[0].upper(), 1.0, "spelling") for m in re.finditer(r"\w+", text)]


def markdown(folder: Path, text: str) -> Document:
    (folder / "a.md").write_bytes(text.encode())
    return read_document(str(folder / "a.md"))


def in_capitals(folder: Path, text: str) -> str:
    document = markdown(folder, text)
    assert document.corrected([[] for _ in document.texts]) == text
    return document.corrected([capitals(passage) for passage in document.texts])


def test_markdown_keeps_its_markup_code_and_addresses(tmp_path: Path) -> None:
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
    assert in_capitals(tmp_path, MARKDOWN) == expected
    assert in_capitals(tmp_path, MARKDOWN.replace("\n", "\r\n")) == expected.replace("\n", "\r\n")


@settings(max_examples=150, deadline=None)
@given(st.text("ab*_`[](){}<>&;#|-!\\\"'=/ \n\r\tp1.:>é", max_size=60))
def test_any_text_comes_back_byte_for_byte_where_nothing_is_corrected(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        document = markdown(Path(folder), text)
    assert document.corrected([[] for _ in document.passages]) == text
    for passage in document.passages:
        for piece in passage:
            if not piece.fixed and piece.end - piece.start == len(piece.text):
                assert text[piece.start : piece.end] == piece.text


def test_corrections_across_markup_keep_it_and_never_touch_what_is_fixed(tmp_path: Path) -> None:
    for text, suggestion, expected in (
        ("by **jsme** šli", Suggestion(0, 7, "bychom", 1.0, "words"), "bychom**** šli"),
        ("a `x` b", Suggestion(0, 3, "z", 1.0, "words"), "a `x` b"),
        ("*Vím* že", Suggestion(3, 3, ",", 1.0, "punctuation"), "*Vím,* že"),
        ("a b", Suggestion(0, 1, "*", 1.0, "words"), "\\* b"),
    ):
        assert markdown(tmp_path, text).corrected([[suggestion]]) == expected


def test_documents_that_cannot_be_corrected_are_named(tmp_path: Path, run) -> None:
    (tmp_path / "b.md").write_bytes(b"a\n\xff")
    with pytest.raises(DataError, match=r"b\.md:2: not UTF-8"):
        read_document(str(tmp_path / "b.md"))
    for name in ("a.docx", "a.html", "a.srt"):
        (tmp_path / name).write_text("<p>x</p>")
        done = run("correct", "-m", "en", name, "-o", "out")
        assert done.returncode == 1
        assert name in done.stderr
        assert "pandoc" in done.stderr
        assert not (tmp_path / "out").exists()


def test_a_document_is_corrected_from_the_command_line(run, tmp_path: Path) -> None:
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


@pytest.mark.slow
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
