"""The LanguageTool API: driven by a client library, by hostile requests, and by a browser on the page."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from browser import chromium, console, requests
from errata.errors import ErrataError
from errata_correct.corrector import Change, Corrector, Suggestion
from errata_correct.languagetool import Checked, RequestError, widened, with_spacing
from errata_correct.serving import Limits, application, correctors

TEXT = "😀 The goverment is importent, and teh weather is bad."


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """`errata correct --serve` in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "errata",
        "correct",
        "-m",
        "cs",
        "-m",
        "en",
        "--serve",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            try:
                httpx.get(f"{url}/v2/languages", timeout=5)
                break
            except httpx.TransportError:
                time.sleep(0.2)
        yield url
        assert process.poll() is None, "the server has died"
    finally:
        process.terminate()
        _, written = process.communicate(timeout=60)
        assert b"Traceback" not in written


def applied(text: str, matches: Sequence[dict[str, Any]]) -> str:
    """The text with the first replacement of every match, by offsets in UTF-16 units."""
    units = text.encode("utf-16-le")
    for match in reversed(matches):
        start, end = 2 * match["offset"], 2 * (match["offset"] + match["length"])
        units = units[:start] + match["replacements"][0]["value"].encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le")


def test_a_client_library_of_languagetool_works_with_it(server: str) -> None:
    import language_tool_python as client

    tool = client.LanguageTool("en-US", remote_server=server)
    assert tool.correct("The goverment is importent.") == "The government is important."
    [first, *_] = tool.check("The goverment is importent.")
    assert (first.offset, first.error_length) == (4, 9)
    assert first.replacements == ["government"]
    assert first.category == "TYPOS"
    assert first.rule_issue_type == "misspelling"
    tool.disabled_rules = {"ERRATA_SPELLING"}
    assert tool.check("The goverment is importent.") == []
    assert tool.correct("It is fine.") == "It is fine."


def test_the_answer_has_all_that_languagetool_documents(server: str) -> None:
    answer = httpx.post(f"{server}/v2/check", data={"text": TEXT, "language": "en"}, timeout=60).json()
    assert set(answer) >= {"software", "warnings", "language", "matches", "sentenceRanges"}
    assert answer["language"]["name"] == "English"
    for match in answer["matches"]:
        assert set(match) >= {
            "message", "shortMessage", "replacements", "offset", "length", "context", "sentence", "rule",
        }  # fmt: skip
        assert match["length"] > 0
        assert set(match["rule"]) >= {"id", "description", "issueType", "category"}
        around = match["context"]["text"].encode("utf-16-le")
        start = 2 * match["context"]["offset"]
        covered = around[start : start + 2 * match["context"]["length"]].decode("utf-16-le")
        assert covered in TEXT
        assert 0 <= match["confidence"] <= 1
    assert applied(TEXT, answer["matches"]) == "😀 The government is important, and the weather is bad."
    same = httpx.get(f"{server}/v2/check", params={"text": TEXT, "language": "en-GB"}, timeout=60).json()
    assert same["matches"] == answer["matches"]
    known = httpx.get(f"{server}/v2/languages").json()
    assert {"name": "Czech", "code": "cs", "longCode": "cs"} in known
    assert int(httpx.get(f"{server}/v2/maxtextlength").text) == Limits().characters


def test_the_language_is_detected(server: str) -> None:
    for text, code in (("The goverment is importent", "en"), ("Vlada je duležitá, myslim.", "cs")):
        answer = httpx.post(f"{server}/v2/check", data={"text": text, "language": "auto"}, timeout=60).json()
        assert answer["language"]["code"] == code
        assert answer["language"]["detectedLanguage"]["code"] == code


def test_markup_is_left_out_and_counted(server: str) -> None:
    parts = [{"text": "The "}, {"markup": "<b>"}, {"text": "goverment"}, {"markup": "</b>"}, {"text": " is."}]
    data = json.dumps({"annotation": parts})
    answer = httpx.post(f"{server}/v2/check", data={"data": data, "language": "en"}, timeout=60).json()
    [match] = answer["matches"]
    assert (match["offset"], match["length"]) == (7, 9)
    assert match["replacements"] == [{"value": "government"}]


HOSTILE = (
    {}, {"language": "en"}, {"text": "x"}, {"language": "xx", "text": "x"}, {"language": "en", "data": "{"},
    {"language": "en", "data": "[]"}, {"language": "en", "data": '{"annotation": [{"text": 3}]}'},
    {"language": "en", "data": '{"annotation": {}}'}, {"language": "en", "text": "x", "data": "{}"},
    {"language": "en", "data": "[" * 100_000}, {"language": "../" * 50, "text": "x"},
    {"language": "en", "text": "a " * 60_000},
)  # fmt: skip


def test_hostile_requests_are_refused_and_the_server_lives(server: str) -> None:
    with httpx.Client(base_url=server, timeout=60) as client:
        for fields in HOSTILE:
            answer = client.post("/v2/check", data=fields)
            assert answer.status_code in (400, 413), fields
            assert answer.text.startswith("Error: ")
        assert client.post("/v2/check", content=b"text=\xff&language=en").status_code == 400
        assert client.post("/v2/check", content=b"&" * 100_000).status_code == 400
        json_body = client.post("/v2/check", content=b"{}", headers={"content-type": "application/json"})
        assert json_body.status_code == 415
        assert client.post("/v2/check", content=b"a" * (Limits().bytes + 1)).status_code == 413
        assert client.get("/../../etc/passwd").status_code == 404
        assert client.get("/%2e%2e/serving.py").status_code == 404
        assert client.get("/v2/languages", headers={"host": "evil.example"}).status_code == 400
        for text in ("", "\x00\x01", "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
                     "x" * 49_999, ". " * 20_000, "é́" * 9000, "\u202e,,,,((((" * 500):  # fmt: skip
            answer = client.post("/v2/check", data={"language": "en", "text": text})
            assert answer.status_code == 200, text[:20]
        surrogate = '{"annotation": [{"text": "a \\ud800 goverment"}]}'
        assert client.post("/v2/check", data={"language": "en", "data": surrogate}).status_code == 200
    with socket.create_connection(("127.0.0.1", int(server.rpartition(":")[2]))) as raw:
        raw.sendall(b"POST /v2/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\nx")
        raw.settimeout(30)
        assert b"400" in raw.recv(200)


class Slow:
    """Takes its time, and cannot correct one text."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        self.calls.append(len(sentences))
        time.sleep(0.2)
        if ["fail"] in [list(tokens) for tokens in sentences]:
            raise ValueError("not this one")
        return [[Change(0, 1, ("X",), 9.0)] for _ in sentences]


def test_waiting_requests_are_corrected_together_and_limits_hold() -> None:
    import asyncio

    slow = Slow()
    app = application({"en": Corrector(slow)}, Limits(seconds=5, waiting=8, batch=8))  # type: ignore[arg-type]

    async def work() -> list[tuple[int, str]]:
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://x", timeout=60) as client:
                texts = ["a", "fail", *"bcdefghijklmn"]
                posts = [client.post("/v2/check", data={"language": "en", "text": t}) for t in texts]
                return [(answer.status_code, answer.text) for answer in await asyncio.gather(*posts)]

    answers = asyncio.run(work())
    assert max(slow.calls) > 1  # several at once
    codes = [code for code, _ in answers]
    assert codes.count(503) >= 1  # more than may wait
    assert codes.count(500) <= 1
    assert 200 in codes
    for code, text in answers:
        if code == 503:
            assert "busy" in text


def test_work_that_takes_too_long_is_given_up() -> None:
    import asyncio

    app = application({"en": Corrector(Slow())}, Limits(seconds=0.05))  # type: ignore[arg-type]

    async def work() -> int:
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                return (await client.post("/v2/check", data={"language": "en", "text": "a"})).status_code

    assert asyncio.run(work()) == 503


def test_insertions_take_the_word_beside_them_along() -> None:
    def at(start: int, end: int, text: str) -> Suggestion:
        return Suggestion(start, end, text, 0.9, "punctuation")

    found = list(widened("Vim ze jo", [at(0, 3, "Vím"), at(3, 3, ","), at(4, 6, "že")]))
    assert [(one.start, one.end, one.text) for one in found] == [(0, 3, "Vím,"), (4, 6, "že")]
    assert [one.text for one in widened("house", [at(0, 0, "the ")])] == ["the house"]
    assert [(one.start, one.end, one.text) for one in widened("a b", [at(2, 2, "the ")])] == [
        (0, 2, "a the ")
    ]


def test_spaces_before_punctuation_are_flagged_unless_a_suggestion_covers_them() -> None:
    def spans(text: str, language: str = "en", *others: Suggestion) -> list[tuple[int, int, str]]:
        return [(one.start, one.end, one.text) for one in with_spacing(text, language, others)]

    assert spans("Yes , we can .") == [(3, 5, ","), (12, 14, ".")]
    assert spans("Really ? No ; why", "fr") == []
    assert spans("Wait ... see .5 and .net, or . . .") == [(28, 30, ".")]
    word = Suggestion(0, 5, "Yes,", 0.9, "punctuation")
    assert spans("Yes , we", "en", word) == [(0, 5, "Yes,")]


@pytest.mark.slow
def test_models_need_a_language() -> None:
    with pytest.raises(ErrataError, match="language"):
        correctors(["path/to/model"], None)
    with pytest.raises(ErrataError, match="two models"):
        correctors(["en", "en=en"], None)
    with pytest.raises(ErrataError, match="two models"):
        correctors(["en", "EN=en"], None)
    with pytest.raises(RequestError):
        Checked.read({"text": "x"}, 10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def wait(browser: Any, condition: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda b: b.execute_script(f"return {condition}"))


def checked(browser: Any) -> None:
    """Wait until the marks are those of the text as it stands: a page that is still checking redraws them."""
    wait(browser, "checked === text.value && /suggestion/i.test(state.textContent)")


def mark(browser: Any, word: str) -> Any:
    """The mark on a word of the text."""
    from selenium.webdriver.common.by import By

    marks = browser.find_elements(By.CSS_SELECTOR, "#view button")
    [found] = [one for one in marks if one.find_element(By.TAG_NAME, "del").text == word]
    return found


def test_the_page_shows_suggestions_in_place_and_accepts_them(
    server: str, browser: Any, tmp_path: Path
) -> None:
    from selenium.webdriver.common.by import By

    browser.get(server)
    console(browser), requests(browser)
    wait(browser, "document.getElementById('language').options.length > 2")
    browser.find_element(By.ID, "text").send_keys("The goverment is importent <img src=x onerror=alert(1)>.")
    checked(browser)
    marks = browser.find_elements(By.CSS_SELECTOR, "#view button")
    assert [mark.text for mark in marks][:2] == ["goverment government", "importent important"]
    assert not browser.find_elements(By.CSS_SELECTOR, "#view img")
    marks[0].click()
    assert browser.find_element(By.ID, "new").text == "government"
    assert "%" in browser.find_element(By.ID, "why").text
    browser.find_element(By.ID, "accept").click()
    wait(browser, "document.getElementById('text').value.includes('government')")
    checked(browser)
    mark(browser, "importent").click()
    browser.find_element(By.ID, "ignore").click()
    left = [mark.text for mark in browser.find_elements(By.CSS_SELECTOR, "#view button")]
    assert "importent" not in left
    assert (
        browser.find_element(By.ID, "text").get_attribute("value").startswith("The government is importent")
    )
    assert not [line for line in console(browser) if "favicon" not in line]
    assert all(url.startswith(server) for url in requests(browser))


def test_marks_are_right_while_an_answer_is_on_its_way(server: str, browser: Any) -> None:
    """With a slow server, marks can be opened, accepted and ignored before the next answer comes."""
    from selenium.webdriver.common.by import By

    def value() -> str:
        return str(browser.find_element(By.ID, "text").get_attribute("value"))

    browser.get(server)
    wait(browser, "document.getElementById('language').options.length > 2")
    browser.find_element(By.ID, "text").send_keys("The goverment is importent and teh end.")
    checked(browser)
    browser.execute_script(
        "const answer = window.fetch; window.held = [];"
        "window.fetch = (...asked) => new Promise((go) => held.push(() => go(answer(...asked))));"
    )
    mark(browser, "goverment").click()
    browser.find_element(By.ID, "accept").click()
    assert value() == "The government is importent and teh end."
    mark(browser, "importent").click()  # its place has moved, and the first answer is still missing
    browser.find_element(By.ID, "accept").click()
    assert value() == "The government is important and teh end."
    mark(browser, "teh").click()
    wait(browser, "held.length == 2")
    browser.execute_script("held.forEach((go) => go()); held = [];")
    checked(browser)
    browser.find_element(By.ID, "ignore").click()  # the answer has come while the choice was open
    assert not browser.find_elements(By.CSS_SELECTOR, "#view button")
    browser.find_element(By.ID, "text").send_keys(" Becuase.")
    wait(browser, "held.length == 1")
    browser.execute_script("held.forEach((go) => go()); held = [];")
    checked(browser)
    browser.execute_script(  # at once: the marks are those of a text without the last word
        "text.value += ' More.'; view.querySelector('button').click(); field('accept').click();"
    )
    assert value().endswith("Becuase. More.")


def test_headers_without_end_and_bodies_that_stop_do_no_harm(server: str) -> None:
    place = ("127.0.0.1", int(server.rpartition(":")[2]))
    with socket.create_connection(place, timeout=30) as client:
        sent = 0
        with contextlib.suppress(ConnectionError):
            client.sendall(b"POST /v2/check HTTP/1.1\r\nX-A: ")
            while sent < 1 << 28:
                client.sendall(b"a" * 65536)
                sent += 65536
        assert sent < 1 << 25
    with socket.create_connection(place) as client:
        client.sendall(b"POST /v2/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\nte")
        time.sleep(0.2)
    assert httpx.get(f"{server}/v2/languages").status_code == 200
