"""A shared task in a real Chromium: a team on its way to the leaderboard, and the organisers' pages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="needs selenium")

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import chromium, console
from errata_server.task.check_submission import Checked
from errata_server.task.submissions import submit
from task_storm import enter_teams
from tasks import GOOD, MIDDLE, Made, RunningTask, lines, make, work_off


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Made, RunningTask]]:
    folder = tmp_path_factory.mktemp("task")
    phases = [{"name": "test", "title": "Test phase", "shows": "own", "after": "leaderboard"}]
    found = make(folder, phases=phases, public=True, description="Correct **English** sentences.")
    running = RunningTask(found.place, "--workers", "1")
    running.start()
    yield found, running
    running.stop()
    found.store.close()


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with chromium(1200, 900) as opened:
        yield opened


def wait(window: Any, condition: Callable[[Any], Any]) -> Any:
    gone = [NoSuchElementException, StaleElementReferenceException]  # while another page is being loaded
    return WebDriverWait(window, 60, poll_frequency=0.1, ignored_exceptions=gone).until(condition)


def shows(window: Any, text: str) -> None:
    wait(window, lambda w: text in w.find_element(By.TAG_NAME, "main").text)


def send(window: Any, path: Path) -> None:
    window.find_element(By.NAME, "file").send_keys(str(path))
    window.find_element(By.CSS_SELECTOR, "#submit button").click()


def press(window: Any, label: str) -> None:
    """Press a button, and say yes where the page asks."""
    wait(window, lambda w: w.find_elements(By.XPATH, f"//button[normalize-space()='{label}']"))
    window.find_element(By.XPATH, f"//button[normalize-space()='{label}']").click()


def test_from_sign_up_to_the_leaderboard(made: tuple[Made, RunningTask], window: Any, tmp_path: Path) -> None:
    task, running = made
    (tmp_path / "broken.txt").write_bytes(lines(GOOD[:-1]))
    (tmp_path / "good.txt").write_bytes(lines(GOOD))
    # A team signs up and waits.
    window.get(f"{running.url}/")
    window.find_element(By.LINK_TEXT, "Sign up a team").click()
    for name, text in (("team", "Alpha"), ("affiliation", "A University"), ("member", "Ann")):
        window.find_element(By.NAME, name).send_keys(text)
    press(window, "Sign up")
    wait(window, lambda w: w.find_element(By.ID, "link").get_attribute("value"))
    window.find_element(By.LINK_TEXT, "Go to my team").click()
    shows(window, "have not decided about your team")
    # The owner approves it.
    window.get(f"{running.url}/enter#{task.owner}")
    shows(window, "A University")
    press(window, "Approve")
    wait(window, lambda w: "active" in w.find_element(By.ID, "teams").text)
    staff = next(cookie for cookie in window.get_cookies() if cookie["name"].endswith("-staff"))
    window.delete_cookie(staff["name"])  # from here on this is the team's browser
    # It sends a broken file, and reads why it is refused.
    window.get(f"{running.url}/team")
    send(window, tmp_path / "broken.txt")
    shows(window, "29 lines, but source.txt has 30 sentences")
    shows(window, "an empty output needs an empty line of its own")
    # It sends a good one, and sees its scores.
    window.get(f"{running.url}/team")
    assert (
        "10 left today, 100 in all"
        in Select(window.find_element(By.NAME, "place")).first_selected_option.text
    )
    send(window, tmp_path / "good.txt")
    wait(window, lambda w: "/team/submissions/" in w.current_url)
    wait(window, lambda w: w.find_element(By.ID, "state").text == "scored")
    shows(window, "GLEU")
    window.get(f"{running.url}/board/main/test")
    shows(window, "each team sees its own scores only")
    assert "Alpha" in window.find_element(By.CSS_SELECTOR, "tr.mine").text
    # The same file again is recognised.
    window.get(f"{running.url}/team")
    send(window, tmp_path / "good.txt")
    shows(window, "has sent this same file before")
    # The organiser closes the phase: now everybody sees the board, without names.
    window.get(f"{running.url}/enter#{task.owner}")
    press(window, "Close")
    wait(window, lambda w: "ended" in w.find_element(By.TAG_NAME, "main").text)
    window.delete_all_cookies()
    window.get(f"{running.url}/board/main/test")
    rows = window.find_elements(By.CSS_SELECTOR, "table.board tbody tr")
    assert len(rows) == 2
    assert "Alpha" not in window.find_element(By.TAG_NAME, "main").text
    assert "1.0000" in rows[0].text
    expected = ("[DOM] Password forms", "status of 422")  # the latter is the answer to the broken file
    assert [text for text in console(window) if not any(part in text for part in expected)] == []


def test_the_board_is_sortable(window: Any, tmp_path: Path) -> None:
    phases = [{"name": "test", "title": "Test phase", "shows": "leaderboard"}]
    found = make(tmp_path, phases=phases, public=True)
    submit_all(found, enter_teams(found.store, 6))
    work_off(found)
    running = RunningTask(found.place, "--workers", "0")
    running.start()
    try:
        window.get(f"{running.url}/board/main/test")
        assert len(ranks(window)) == 7
        before = ranks(window)
        heading = window.find_element(
            By.XPATH, "//table[contains(@class,'board')]//th[contains(., 'BLEU')]//button"
        )
        heading.click()
        column = heading.find_element(By.XPATH, "..")
        assert column.get_attribute("aria-sort") == "descending"
        heading.click()
        assert column.get_attribute("aria-sort") == "ascending"
        assert ranks(window) == before[::-1]
        assert console(window) == []
    finally:
        running.stop()
        found.store.close()


def ranks(window: Any) -> list[str]:
    rows = window.find_elements(By.CSS_SELECTOR, "table.board tbody tr")
    return [row.find_element(By.TAG_NAME, "td").text for row in rows]


def submit_all(found: Made, tokens: dict[str, str]) -> None:
    """Three submissions of each team, without a server."""
    with found.store.write() as connection:
        for place in range(len(tokens)):
            for share in (0, 10, 20):
                data = lines(MIDDLE[: share + place] + GOOD[share + place :])
                checked = Checked("out.txt", "lines", data, hashlib.sha256(data).hexdigest(), ())
                submit(found.store, connection, place + 1, "main", "test", checked)
