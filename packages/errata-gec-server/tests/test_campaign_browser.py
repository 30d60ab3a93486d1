"""The annotators' and the admin's pages in a real Chromium, by keyboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="needs selenium")

import sqlalchemy as sa
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import chromium, resize
from campaigns import SOURCES, Made, Running, make, rows
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.export_judgments import corrections_of, scalars_of

Serve = Callable[[Made], Running]


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Any]:
    with chromium(1200, 900, tmp_path / "downloads") as opened:
        yield opened
        problems = [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"]
    # A server that is killed on purpose shows as failed requests; anything else is a fault of the page.
    assert [p for p in problems if "net::ERR" not in p["message"]] == []


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[Running] = []

    def start(made: Made) -> Running:
        running = Running(made.place)
        started.append(running)
        running.start()
        return running

    yield start
    for running in started:
        running.kill()


def wait(window: Any, condition: Callable[[Any], Any]) -> Any:
    return WebDriverWait(window, 20, poll_frequency=0.05).until(condition)


def press(window: Any, *keys: str) -> None:
    for key in keys:
        window.switch_to.active_element.send_keys(key)


def enter(window: Any, running: Running, token: str) -> None:
    window.get(f"{running.url}/enter#{token}")
    wait(window, lambda w: w.current_url.endswith(("/work", "/admin")))


def start_work(window: Any, running: Running, token: str) -> None:
    enter(window, running, token)
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, "#instructions[open]"))
    press(window, Keys.ENTER)  # closes the instructions
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, ".source-block"))
    wait(window, lambda w: not w.find_elements(By.CSS_SELECTOR, "dialog[open]"))


def count(window: Any) -> str:
    return str(window.find_element(By.ID, "count").text)


def until_count(window: Any, done: int) -> None:
    wait(window, lambda w: count(w).startswith(f"{done} "))


def texts(window: Any, selector: str) -> list[str]:
    return [part.text for part in window.find_elements(By.CSS_SELECTOR, selector)]


def test_a_ranking_session_by_keyboard_alone(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path / "c", annotators=["ann"], controls=0, repeats=0, assignment="fixed")
    start_work(window, serve(made), made.tokens["ann"])
    assert window.find_elements(By.CSS_SELECTOR, ".card ins")  # changes are marked …
    press(window, "d")
    assert not window.find_elements(By.CSS_SELECTOR, ".card ins")  # … until one does not want them
    press(window, "d", "?")
    assert "rank the marked text" in texts(window, "#keys")[0]
    press(window, Keys.ESCAPE, Keys.ENTER)
    assert "Text A has no rank" in window.find_element(By.ID, "problem").text
    press(window, "c")
    press(window, *"hm", Keys.ESCAPE)
    for done in range(6):
        until_count(window, done)
        n = len(window.find_elements(By.CSS_SELECTOR, ".card"))
        if done == 5:
            press(window, "s")
            press(window, "1")  # a reason
            break
        press(window, *[str(n - i) for i in range(n)], Keys.ARROW_UP, "1", Keys.ENTER)
    wait(window, lambda w: "All done" in w.find_element(By.ID, "stage").text)
    press(window, Keys.PAGE_UP)  # back, and change the last answer
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, ".card"))
    n = len(window.find_elements(By.CSS_SELECTOR, ".card"))
    press(window, *["1"] * n, Keys.ENTER)
    wait(window, lambda w: "All done" in w.find_element(By.ID, "stage").text)
    found = rows(made)
    assert len(found) == 7
    assert found[0]["comment"] == "hm"
    assert [row["skipped"] for row in found] == [None] * 5 + ["unclear", None]
    assert found[-1]["revision"] == 2
    assert set(found[-1]["answer"]["ranks"]) == {1}
    assert all(0 < row["seconds"] < 60 for row in found[:5])


def test_scores_in_the_context_of_the_document(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path / "c", task="scalars", annotators=["ann"], controls=0, repeats=0)
    start_work(window, serve(made), made.tokens["ann"])
    document = texts(window, ".context")[0]
    assert all(source in document for source in SOURCES[:3])
    assert texts(window, ".context mark") == [SOURCES[0]]
    n = len(window.find_elements(By.CSS_SELECTOR, ".card"))
    for _ in range(n):
        press(window, "1", "0", Keys.ARROW_DOWN)
    press(window, Keys.ARROW_LEFT, Keys.ENTER)
    until_count(window, 1)
    with made.store.read() as connection:
        assert sorted(set(scalars_of(made.store, connection).score)) == [9, 10]


def test_a_correction_with_its_changes_shown_live(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path / "c", task="correction", annotators=["ann"])
    start_work(window, serve(made), made.tokens["ann"])
    box = window.find_element(By.ID, "correction")
    box.clear()
    box.send_keys("He goes to school every day with a friend .")
    assert texts(window, ".preview ins") == ["goes", "a"]
    assert texts(window, ".preview del") == ["go", "his"]
    press(window, Keys.ENTER)
    until_count(window, 1)
    with made.store.read() as connection:
        corpus = corrections_of(made.store, connection)
    assert corpus[0].references == ("He goes to school every day with a friend .",)


def test_pairs_are_chosen_with_one_key(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path / "c", task="pairwise", annotators=["ann"], controls=0, repeats=0)
    start_work(window, serve(made), made.tokens["ann"])
    for done, key in enumerate(("1", Keys.ARROW_RIGHT, "0")):
        until_count(window, done)
        press(window, key, Keys.ENTER)
    until_count(window, 3)
    shown = [[row["answer"]["ranks"][i] for i in row["shown"]] for row in rows(made)]
    assert shown == [[1, 2], [2, 1], [1, 1]]


def test_texts_are_accepted_with_one_key(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path, task="acceptance", annotators=["ann"], controls=0, quota=2)
    start_work(window, serve(made), made.tokens["ann"])
    page = window.find_element(By.TAG_NAME, "main").text
    assert "Is this text correct?" in page
    press(window, Keys.ENTER)
    wait(window, lambda w: "Choose whether" in w.find_element(By.ID, "problem").text)
    press(window, "1", Keys.ENTER)
    until_count(window, 1)
    press(window, "2", Keys.ENTER)
    until_count(window, 2)
    assert [row["answer"] for row in rows(made)] == [{"accepted": [True]}, {"accepted": [False]}]


def test_nothing_is_lost_when_the_server_dies_or_the_page_is_closed(tmp_path: Path, serve: Serve) -> None:
    made = make(tmp_path / "c", annotators=["ann"], controls=0, repeats=0)
    running = serve(made)
    with chromium() as window:
        start_work(window, running, made.tokens["ann"])
        running.kill()
        n = len(window.find_elements(By.CSS_SELECTOR, ".card"))
        press(window, *["1"] * n, Keys.ENTER)
        wait(window, lambda w: "kept on this device: 1" in w.find_element(By.ID, "saved").text)
        running.start()  # the page tries again by itself
        until_count(window, 1)
        press(window, "2")  # half an answer …
        time.sleep(1.6)
    with chromium() as other:  # … is there on another device
        start_work(other, running, made.tokens["ann"])
        assert count(other).startswith("1 ")
        assert [b.text for b in other.find_elements(By.CSS_SELECTOR, ".rank[aria-pressed=true]")] == ["2"]
    assert len(rows(made)) == 1


def test_the_admin_exports_and_texts_cannot_run(tmp_path: Path, window: Any, serve: Serve) -> None:
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script> שלום עולם'
    outputs = {"a": [evil], "b": [evil + " !"]}
    made = make(tmp_path / "c", sources=[evil], outputs=outputs, annotators=["ann"], controls=0, name="<b>N")
    running = serve(made)
    start_work(window, running, made.tokens["ann"])
    assert texts(window, ".source")[0] == evil
    assert window.title == "<b>N"
    press(window, "1", "2", Keys.ENTER)
    wait(window, lambda w: "All done" in w.find_element(By.ID, "stage").text)
    enter(window, running, made.admin)
    wait(window, lambda w: "Expected Wins" in w.page_source)  # the page follows the statistics by itself
    window.find_element(By.ID, "export-appraise").click()
    file = tmp_path / "downloads" / "judgments.xml"
    wait(window, lambda w: file.exists())
    assert 'system="a"' in file.read_text(encoding="utf-8")
    window.get(f"{running.url}/admin/items/1")
    assert evil in window.find_element(By.TAG_NAME, "main").text
    assert window.title == "<b>N: item 1"


def test_a_pause_keeps_the_answer_on_the_device(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(tmp_path / "c", annotators=["ann"], controls=0, repeats=0)
    start_work(window, serve(made), made.tokens["ann"])
    with made.store.write() as connection:
        made.store.set_state(connection, "paused")
    n = len(window.find_elements(By.CSS_SELECTOR, ".card"))
    press(window, *["1"] * n, Keys.ENTER)
    wait(window, lambda w: "Paused; kept on this device: 1" in w.find_element(By.ID, "saved").text)
    assert rows(made) == []
    with made.store.write() as connection:
        made.store.set_state(connection, "open")
    until_count(window, 1)  # sent by itself when work goes on
    assert len(rows(made)) == 1
    window.get_log("browser")  # the refusals are meant to be there
    window.find_element(By.CSS_SELECTOR, "button[data-leave]").click()
    wait(window, lambda w: w.current_url.endswith("/enter"))
    window.get(window.current_url.replace("/enter", "/work"))
    wait(window, lambda w: w.current_url.endswith("/enter"))


def test_a_participant_from_the_sign_up_to_the_code(tmp_path: Path, window: Any, serve: Serve) -> None:
    """Czech pages, natural text: sign up, agree, mark spans by mouse and by keyboard, get the code."""
    made = make(
        tmp_path / "c", task="spans", annotators=[], places=1, quota=2, interface="cs", tokenizer="penn",
        consent="# Souhlas\n\nUkládáme vaše odpovědi.", controls=0, repeats=0,
        sources=["He do n't know , he go ."] * 2, outputs={"a": ["He do n't know , he goes ."] * 2},
    )  # fmt: skip
    with made.store.write() as connection:
        made.store.set_sign_up(connection, "open")
        row = connection.execute(sa.select(schema.campaign)).one()
    running = serve(made)
    window.get(str(made.store.sign_up_link(row, running.url)).replace("=ID", "=worker7"))
    assert window.find_element(By.TAG_NAME, "html").get_attribute("lang") == "cs"
    window.find_element(By.CSS_SELECTOR, "#join button").click()
    wait(window, lambda w: w.current_url.endswith("/consent"))
    assert "Ukládáme" in texts(window, ".prose")[0]
    window.find_element(By.CSS_SELECTOR, "[data-agree=yes]").click()
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, "#instructions[open]"))
    press(window, Keys.ENTER)
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, ".token.selected"))
    wait(window, lambda w: not w.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    assert texts(window, ".tokens") == ["He don't know, he goes."]
    # By keyboard: the second and third token, grammar (4), major.
    press(window, Keys.ARROW_RIGHT)
    ActionChains(window).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    press(window, "4", Keys.ARROW_UP)
    # By mouse: from `know` to the comma, another category, and its severity in the list.
    tokens = window.find_elements(By.CSS_SELECTOR, ".token")
    ActionChains(window).click_and_hold(tokens[3]).move_to_element(tokens[4]).release().perform()
    window.find_elements(By.CSS_SELECTOR, ".category")[8].click()
    assert texts(window, ".marks li > .text") == ["don't", "know,"]
    Select(window.find_elements(By.CSS_SELECTOR, ".marks select")[3]).select_by_visible_text("kritická")
    severities = [token.get_attribute("data-severity") for token in tokens[:5]]
    assert severities == ["", "major", "major", "critical", "critical"]
    window.find_element(By.ID, "submit").click()
    until_count(window, 1)
    press(window, "1", Keys.DELETE)  # a mark that is taken back
    press(window, Keys.ENTER)
    code = wait(window, lambda w: w.find_elements(By.ID, "code"))[0].text
    with made.store.read() as connection:
        (person,) = made.store.annotators(connection)
    assert (person.participant, person.code) == ("worker7", code)
    answers = [[tuple(span.values()) for span in row["answer"]["spans"][0]] for row in rows(made)]
    assert answers == [[(1, 3, "grammar", "major"), (3, 5, "style", "critical")], []]
    Select(window.find_element(By.CSS_SELECTOR, "select[data-language]")).select_by_value("uk")
    wait(window, lambda w: w.find_element(By.TAG_NAME, "html").get_attribute("lang") == "uk")
    wait(window, lambda w: "Ваш код завершення" in w.page_source)


def test_a_phone_has_one_row_of_tools_a_question_and_instructions(
    window: Any, serve: Any, tmp_path: Path
) -> None:
    resize(window, 390, 800)
    try:
        for instructions in ("", "Rank the texts."):
            made = make(tmp_path / f"c{len(instructions)}", annotators=["ann"], instructions=instructions)
            enter(window, serve(made), made.tokens["ann"])
            wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, ".source-block"))
            [dialog] = window.find_elements(By.CSS_SELECTOR, "dialog[open]")
            assert (instructions or "A good correction has no errors") in dialog.text
        press(window, Keys.ESCAPE)
        assert texts(window, ".question") == ["How good is each text? Rank them all."]
        assert window.execute_script("return document.querySelector('header').offsetHeight") < 64
        assert not window.find_element(By.ID, "show-keys").is_displayed()
        window.find_element(By.CSS_SELECTOR, "#tools > summary").click()
        window.find_element(By.ID, "show-keys").click()
        assert window.find_elements(By.CSS_SELECTOR, "#keys[open]")
    finally:
        resize(window, 1200, 900)


def test_labels_of_edits_by_keyboard_and_mouse(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(
        tmp_path / "c", task="edits", annotators=["ann"], controls=0, repeats=0, tokenizer="penn",
        sources=["He do n't knows , he go to home"] * 2,
        outputs={"a": ["He does n't know , he to home ."] * 2},
    )  # fmt: skip
    start_work(window, serve(made), made.tokens["ann"])
    assert texts(window, ".edits del") == ["do", "knows", "go"]
    assert texts(window, ".edits ins") == ["does", "know", "."]
    press(window, "1", Keys.ENTER)  # the first is useful; the others have no label yet
    assert "Change 2 has no label" in window.find_element(By.ID, "problem").text
    press(window, "2", Keys.ARROW_RIGHT, "1")  # and on to the one without a label
    window.find_elements(By.CSS_SELECTOR, ".choice")[1].click()
    edits = window.find_elements(By.CSS_SELECTOR, ".edit")
    assert [edit.get_attribute("data-label") for edit in edits] == ["useful", "useless", "useless", "useful"]
    assert edits[0].get_attribute("aria-label") == "Change 1: do → does, Useful"
    edits[1].click()
    press(window, "1", Keys.ENTER)
    until_count(window, 1)
    assert [row["answer"]["labels"] for row in rows(made)] == [[[True, True, False, True]]]
    press(window, Keys.PAGE_UP)
    wait(window, lambda w: w.find_elements(By.CSS_SELECTOR, ".edit[data-label=useless]"))


def test_error_spans_with_a_score_by_keyboard(tmp_path: Path, window: Any, serve: Serve) -> None:
    made = make(
        tmp_path / "c", task="esa", annotators=["ann"], controls=0, repeats=0, scale=100, prefill="b",
        sources=["He go home now ."], outputs={"a": ["He go home now ."], "b": ["He goes home now ."]},
    )  # fmt: skip
    start_work(window, serve(made), made.tokens["ann"])
    while texts(window, ".tokens") != ["He go home now ."]:  # the other text has no first marks
        press(window, "g", "9", "0", Keys.ENTER)
        until_count(window, 1)
        wait(window, lambda w: texts(w, ".tokens"))
    assert texts(window, ".marks li > .text") == ["go"]
    press(window, Keys.ENTER)
    assert "no score yet" in window.find_element(By.ID, "problem").text
    press(window, "6", "5", Keys.ARROW_LEFT)
    window.find_elements(By.CSS_SELECTOR, ".token")[3].click()
    press(window, "1", Keys.ARROW_UP)
    assert texts(window, ".marks li > .text") == ["go", "now"]
    press(window, Keys.ENTER)
    wait(
        window,
        lambda w: (
            "All done" in w.find_element(By.ID, "stage").text or w.find_elements(By.CSS_SELECTOR, ".token")
        ),
    )
    (answer,) = [row["answer"] for row in rows(made) if row["cards"][0]["systems"] == ["a"]]
    assert answer["scores"] == [64]
    assert [(mark["start"], mark["severity"]) for mark in answer["spans"][0]] == [(1, "minor"), (3, "major")]
