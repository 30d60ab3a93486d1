"""`errata run`: real commands, a real HTTP server and Python functions; answers, errors, resumption."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from errata.errors import DataError, ErrataError
from errata.runner import ChatSystem, Command, LanguageTool, read_run, run
from errata.runner.systems import _without_overlaps

GOLD = """\
S He go home , does n't he ?
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0

S It is fine .

S 😀 They is here .
A 2 3|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
"""
TEXTS = ["He go home, doesn't he?", "It is fine.", "😀 They is here."]
RIGHT = ["He goes home , does n't he ?", "It is fine .", "😀 They are here ."]
CORRECT = 'print(line.replace(" go ", " goes ").replace(" is here", " are here"))'
READ = "for line in map(str.rstrip, sys.stdin):"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.m2"
    path.write_text(GOLD, encoding="utf-8")
    return path


def program(*lines: str, before: str = "") -> list[str]:
    """A command that handles every line of its input."""
    body = "\n".join(f"    {line}" for line in lines or [CORRECT])
    return [sys.executable, "-c", f"import os, sys, pathlib, time\n{before}\n{READ}\n{body}"]


def correct(texts: Sequence[str]) -> list[str]:
    return [text.replace(" go ", " goes ").replace(" is here", " are here") for text in texts]


def test_a_command_gets_text_and_its_answers_get_the_tokens_of_the_sources(
    gold: Path, tmp_path: Path
) -> None:
    finished = run(gold, Command(program()), tmp_path / "run", name="rules")
    assert finished.results["rules"].value == 1
    assert finished.output.read_text("utf-8").splitlines() == RIGHT
    answers = [json.loads(line) for line in (tmp_path / "run/answers.jsonl").read_text("utf-8").splitlines()]
    assert [answer["text"] for answer in answers[1:]] == TEXTS
    record = read_run(tmp_path / "run")
    assert record["scores"]["m2"]["score"] == 1
    assert record["unchanged"] == 1
    assert record["steps"]["as they came"] < record["steps"]["with the tokens of the sources"] == 1


def test_tokens_are_sent_and_returned_as_they_are(gold: Path, tmp_path: Path) -> None:
    received: list[str] = []

    def join(texts: list[str]) -> list[str]:
        received.extend(texts)
        return [text.replace(" go ", " goes ").replace("does n't", "doesn't") for text in texts]

    finished = run(gold, join, tmp_path / "run", send="tokens")
    assert received == [line[2:] for line in GOLD.splitlines() if line.startswith("S ")]
    assert finished.output.read_text("utf-8").startswith("He goes home , doesn't he ?\n")


def test_the_verbs_that_score_read_the_folder(gold: Path, tmp_path: Path, run: Any) -> None:
    done = run("run", "--m2", gold, "-o", "one", "--name", "rules", "--", *program())
    assert done.returncode == 0, done.stderr
    assert "with the tokens of the sources 1.0000" in done.stderr
    assert (
        run("run", "--m2", gold, "-o", "two", "--name", "none", "--", *program("print(line)")).returncode == 0
    )
    done = run("score", "one", "two", "--format", "tsv")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["system", "rules", "none"]
    assert run("report", "one", "two", "-o", "report.html").returncode == 0
    assert "rules" in (tmp_path / "report.html").read_text("utf-8")
    done = run("score", "one", gold)
    assert done.returncode == 2
    assert "give them alone" in done.stderr


def test_a_run_that_was_killed_continues(gold: Path, tmp_path: Path, run_process: Any) -> None:
    killed = tmp_path / "killed"
    kill = [f"if 'fine' in line and not os.path.exists({str(killed)!r}):",
            f"    pathlib.Path({str(killed)!r}).touch(); os.kill(os.getppid(), 9)"]  # fmt: skip
    log = f"open({str(tmp_path / 'log')!r}, 'a').write(line + chr(10))"
    command = ["run", "--m2", gold, "-o", "run", "--batch", "1", "--", *program(log, *kill, CORRECT)]
    assert run_process(*command).returncode not in (0, 1)
    answers = tmp_path / "run/answers.jsonl"
    assert len(answers.read_text("utf-8").splitlines()) == 2
    assert not (tmp_path / "run/run.json").exists()
    with answers.open("a", encoding="utf-8") as file:
        file.write('{"text": "It is')  # as if the disk had been full
    done = run_process(*command)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "log").read_text("utf-8").splitlines() == [TEXTS[0], TEXTS[1], *TEXTS[1:]]
    assert len(answers.read_text("utf-8").splitlines()) == 4


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["if 'fine' in line: sys.exit('too difficult')", CORRECT],
            r"sentence 2 .*exit code 1: too difficult",
        ),
        (["if 'fine' not in line: print(line)"], "sentence 2 .*wrote 0 lines for 1 sentence"),
        (["if 'fine' in line: os.kill(os.getpid(), 9)", CORRECT], "sentence 2 .*killed by signal 9"),
        ([r"sys.stdout.buffer.write(b'\xff\n')"], "sentence 1 .*not UTF-8"),
        (["time.sleep(60)"], "sentences 1 to 3: .*no answer within 1 s"),
    ],
)
def test_errors_of_a_command_name_the_sentence(
    lines: list[str], message: str, gold: Path, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        run(gold, Command(program(*lines), timeout=1 if "sleep" in lines[0] else 60), tmp_path / "run")
    assert not (tmp_path / "run/run.json").exists()


def test_a_command_that_does_not_exist_is_an_error(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(ErrataError, match="cannot start 'no-such-program'"):
        run(gold, Command(["no-such-program"]), tmp_path / "run")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda texts: "one text", "return a list of texts"),
        (lambda texts: [None for _ in texts], "return a list of texts"),
        (lambda texts: correct(texts)[1:], r"sentence 1 .*returned 0 answers for 1"),
        (lambda texts: [1 / 0], r"sentence 1 .*ZeroDivisionError"),
    ],
)
def test_errors_of_a_function_are_explained(function: Any, message: str, gold: Path, tmp_path: Path) -> None:
    with pytest.raises(ErrataError, match=message):
        run(gold, function, tmp_path / "run")


def test_answers_that_are_damaged_or_of_another_system_are_refused(gold: Path, tmp_path: Path) -> None:
    run(gold, correct, tmp_path / "run")
    with pytest.raises(DataError, match=r"answers of another run: command, function, kind differs"):
        run(gold, Command(program()), tmp_path / "run")
    with (tmp_path / "run/answers.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"text": "a", "answer": 1}\n')
    with pytest.raises(DataError, match=r"answers.jsonl:5: not an answer"):
        run(gold, correct, tmp_path / "run")
    (tmp_path / "run/run.json").write_text('{"system": "a", "output": "../a", "gold": "b"}')
    with pytest.raises(DataError, match="not the record of a run"):
        read_run(tmp_path / "run")


# -- servers --------------------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    """Answers as LanguageTool and as a chat server; the first request fails with a temporary error."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.matches: list[dict[str, Any]] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/v2/check":
            request: dict[str, Any] = {key: value[0] for key, value in parse_qs(body).items()}
            response: dict[str, Any] = {"matches": self.matches(request["text"])}
        else:
            request = json.loads(body)
            text = request["messages"][0]["content"].removeprefix("Fix: ")
            content = f"Sure, here is the corrected sentence:\n\n{correct([text])[0]}"
            response = {"choices": [{"message": {"content": content}}]}
            response["usage"] = {"prompt_tokens": 10, "completion_tokens": 5}
        self.server.requests.append(request)
        self.send_response(503 if len(self.server.requests) == 1 else 200)
        self.end_headers()
        self.wfile.write(json.dumps(response).encode())

    def matches(self, text: str) -> list[dict[str, Any]]:
        if self.server.matches is not None:
            return self.server.matches
        return [
            {
                "offset": len(text[: text.index(word)].encode("utf-16-le")) // 2,
                "length": len(word),
                "replacements": [{"value": new}, {"value": "?"}],
            }
            for word, new in (("go ", "goes "), ("is here", "are here"))
            if word in text
        ]

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def test_matches_of_languagetool_are_applied(server: Server, gold: Path, tmp_path: Path) -> None:
    finished = run(gold, LanguageTool(f"{server.url}/v2/", "en"), tmp_path / "run")
    assert finished.output.read_text("utf-8").splitlines() == RIGHT
    assert [each["text"] for each in server.requests] == [TEXTS[0], *TEXTS]  # the first one twice
    assert {each["language"] for each in server.requests} == {"en-US"}


@pytest.mark.parametrize(
    "match",
    [
        {"offset": 999, "length": 1, "replacements": [{"value": "x"}]},
        {"offset": 0},
        7,
        {"replacements": [{}]},
    ],
)
def test_unusable_matches_are_errors(match: Any, server: Server, gold: Path, tmp_path: Path) -> None:
    server.matches = [match]
    with pytest.raises(DataError, match=r"sentence 1 .*unexpected answer"):
        run(gold, LanguageTool(f"{server.url}/v2"), tmp_path / "run")


def test_of_overlapping_edits_the_first_is_kept() -> None:
    edits = [(3, 2, "c"), (0, 4, "a"), (5, 0, "d"), (5, 2, "e")]
    assert _without_overlaps(edits) == [(0, 4, "a"), (5, 0, "d")]


def test_answers_of_a_chat_model_are_cleaned_and_counted(
    server: Server, gold: Path, tmp_path: Path, run: Any
) -> None:
    command = ["run", "--m2", gold, "-o", "run", "--url", f"{server.url}/v1", "--model-name", "m",
               "--temperature", "0.5", "--price", "1", "2", "--parallel", "2"]  # fmt: skip
    done = run(*command, "--prompt", "Fix: {text}")
    assert done.returncode == 0, done.stderr
    assert "removed from answers: other lines 3" in done.stderr
    assert (tmp_path / "run/m.txt").read_text("utf-8").splitlines() == RIGHT
    record = json.loads((tmp_path / "run/run.json").read_text("utf-8"))
    assert record["tokens"] == [30, 15]
    assert record["cost"] == pytest.approx(60e-6)
    provenance = {
        "kind": "chat",
        "model": "m",
        "temperature": 0.5,
        "max_tokens": 512,
        "prompt": "Fix: {text}",
    }
    assert record["provenance"] == provenance
    assert server.requests[0]["temperature"] == 0.5
    assert server.requests[0]["model"] == "m"
    done = run(*command, "--prompt", "Mend: {text}")
    assert done.returncode == 1
    assert "prompt differs" in done.stderr


def test_a_server_that_is_not_there_is_an_error(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"sentence 1 .*no answer"):
        run(gold, LanguageTool("http://127.0.0.1:9/v2"), tmp_path / "run")


def test_a_prompt_needs_a_place_for_the_sentence() -> None:
    from errata.models.chat import Endpoint

    with pytest.raises(ErrataError, match=r"add \{text\}"):
        ChatSystem(Endpoint("http://127.0.0.1:9/v1"), "Correct this.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --benchmark NAME, or --m2 FILE"),
        (["--m2", "gold.m2"], "give the system"),
        (["--m2", "gold.m2", "--url", "http://localhost/v2", "--", "cat"], "give the system"),
        (["--m2", "gold.m2", "--url", "http://localhost"], "LanguageTool or a chat model"),
        (["--m2", "gold.m2", "--prompt", "x", "--", "cat"], "are for chat models"),
    ],
)
def test_options_are_checked(arguments: list[str], message: str, run: Any) -> None:
    done = run("run", "-o", "run", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_command_that_never_answered_may_be_corrected(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(ErrataError, match=r"cannot start 'nosuchprogram'.*\n  hint: is it installed"):
        run(gold, Command(["nosuchprogram"]), tmp_path / "run")
    assert run(gold, Command(program()), tmp_path / "run", name="rules").results["rules"].value == 1
