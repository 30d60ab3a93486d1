"""From the leaderboard to people and to the archive."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from campaigns import Running, post_of
from errata_server.campaign.annotator_service import AnnotatorService
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.task.check_submission import check_submission
from errata_server.task.human_ranking import system_names
from errata_server.task.leaderboards import Boards, Viewer
from errata_server.task.submissions import submit
from tasks import GOOD, MIDDLE, Made, RunningTask, lines, make, output, work_off

Run = Callable[..., subprocess.CompletedProcess[str]]


def _submit(made: Made, team: str, content: bytes) -> None:
    from errata_server.task.teams import invite, sign_up

    with made.store.write() as connection:
        token = invite(made.store, connection, "test")
        number = made.store.link_holder(connection, token)[0].subject.number  # type: ignore[index]
        member, _ = sign_up(made.store, connection, {"member": "Ann", "team": team}, number)
        source = _source(made)
        checked = check_submission(content, "output.txt", source, 1 << 20)
        submit(made.store, connection, member, "main", "test", checked, anyway=True)


def _source(made: Made):  # type: ignore[no-untyped-def]
    from errata_server.task.check_submission import Source
    from tasks import SOURCE

    return Source("main", "lines", lines(SOURCE), {})


@pytest.fixture
def played(tmp_path: Path) -> Made:
    """A task with three teams and the unchanged source, all of them scored."""
    made = make(tmp_path / "task")
    for team, content in (
        ("The good, the+best", lines(GOOD)),
        ("Middle", lines(MIDDLE)),
        ("Half", output(0b101010101010)),
    ):
        _submit(made, team, content)
    work_off(made)
    return made


def _judge(place: str) -> int:
    """Everybody judges everything, the first card always as the best."""
    campaign = CampaignStore.open(place)
    count = 0
    with campaign.write() as connection:
        screens = AnnotatorService(campaign, connection)
        for person in campaign.annotators(connection):
            screen = screens.screen(connection, person.id)
            while screen["state"] == "work":
                screen = screens.judge(connection, person.id, post_of(screen, campaign.settings.task))["next"]
                count += 1
    campaign.close()
    return count


def test_people_judge_the_final_submissions_and_join_the_board(
    run: Run, played: Made, tmp_path: Path
) -> None:
    place, people = played.place, tmp_path / "people.db"
    where = ["--track", "main", "--phase", "test"]
    done = run("task", "campaign", place, people, *where, "--sentences", 12, "--annotators", 2, "-f", "tsv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("/enter#") == 3
    assert _judge(str(people)) >= 2
    done = run("task", "people", place, people, *where, "-f", "json")
    assert done.returncode == 0, done.stderr
    ranking, fits = json.loads(done.stdout)
    assert len(ranking["rows"]) == 4
    assert {row["metric"] for row in fits["rows"]} == {"GLEU", "BLEU"}
    with played.store.read() as connection:
        board = Boards(played.store).board(connection, "main", "test", Viewer(staff=True))
        assert all(row["people"]["score"] is not None for row in board["rows"])
        assert board["people"]["items"] > 0
        assert "systems" not in board["people"]  # which would name the submissions of all teams
        public = Boards(played.store).board(connection, "main", "test", Viewer())
        assert public["people"] is None


def test_the_organiser_opens_the_campaign_and_gets_the_tables_in_a_browser(
    run: Run, played: Made, tmp_path: Path
) -> None:
    pytest.importorskip("selenium", reason="needs selenium")
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    from browser import chromium

    place, people = played.place, tmp_path / "people.db"
    where = ["--track", "main", "--phase", "test"]
    links = run("task", "campaign", place, people, *where, "--annotators", 1, "-f", "json").stdout
    secret = json.loads(links)["rows"][0]["secret link"].partition("#")[2]
    campaign, task = Running(str(people)), RunningTask(place, "--workers", "0")
    campaign.start()
    task.start()
    with chromium(1200, 900) as window:
        try:
            window.get(f"{campaign.url}/enter#{secret}")
            WebDriverWait(window, 60).until(lambda w: w.find_elements(By.CSS_SELECTOR, "[data-card], .card"))
            assert "Middle" not in window.page_source  # annotators do not see who wrote what
            campaign.stop()
            assert _judge(str(people)) >= 1
            assert run("task", "people", place, people, *where).returncode == 0
            window.get(f"{task.url}/enter#{played.owner}")
            WebDriverWait(window, 60).until(lambda w: w.find_elements(By.LINK_TEXT, "Tables"))
            window.get(f"{task.url}/board/main/test")
            assert "People and metrics" in window.find_element(By.TAG_NAME, "main").text
            cookies = {cookie["name"]: cookie["value"] for cookie in window.get_cookies()}
            answer = httpx.get(f"{task.url}/admin/overview.html", cookies=cookies, trust_env=False)
            assert answer.headers["content-disposition"].startswith("attachment")
            assert httpx.get(f"{task.url}/admin/overview.html", trust_env=False).status_code == 401
            (tmp_path / "overview.html").write_bytes(answer.content)
            window.get((tmp_path / "overview.html").as_uri())
            text = window.find_element(By.TAG_NAME, "body").text
            assert "The good, the+best" in text
            assert "correlation with people over 4 systems" in text
        finally:
            campaign.stop()
            task.stop()


def test_the_archive_gives_the_same_scores_again(run: Run, played: Made, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    done = run("task", "export", played.place, folder)
    assert done.returncode == 0, done.stderr
    board = json.loads((folder / "boards" / "main-test.json").read_text())
    finals = folder / "final" / "main" / "test"
    texts = folder / "texts" / "main" / "test"
    [reference] = texts.glob("reference-*/ref.txt")
    for row in board["rows"]:
        system = system_names([row["team"]])[0]
        scored = run(
            "score", "-s", texts / "source.txt", "-r", reference, "-y", finals / f"{system}.txt",
            "-m", "gleu", "-f", "json",
        )  # fmt: skip
        assert scored.returncode == 0, scored.stderr
        assert f"{row['scores'][0]['value']!r}" in scored.stdout
    lines_of = (folder / "submissions.jsonl").read_text().splitlines()
    assert len(lines_of) == 4
    assert all((folder / json.loads(line)["file"]).is_file() for line in lines_of)
    assert "\\begin{tabular}" in (folder / "tables" / "results-main-test.tex").read_text()
    assert "participants" in (folder / "overview.html").read_text()
    assert "Middle" in (folder / "tables" / "participants.tsv").read_text()
    again = run("task", "export", played.place, folder)
    assert again.returncode == 1
    assert "exists already" in again.stderr


def test_an_archive_without_gold_has_none(run: Run, played: Made, tmp_path: Path) -> None:
    done = run("task", "export", played.place, tmp_path / "archive", "--no-gold", "--no-latex", "--no-html")
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "archive").rglob("ref.txt"))
    assert not list((tmp_path / "archive").rglob("*.tex"))


def test_a_campaign_needs_two_submissions_and_differences(run: Run, tmp_path: Path) -> None:
    made = make(tmp_path / "task")
    work_off(made)
    done = run("task", "campaign", made.place, tmp_path / "p.db", "--track", "main", "--phase", "test")
    assert done.returncode == 1
    assert "at least two" in done.stderr
    assert not (tmp_path / "p.db").exists()
    done = run("task", "campaign", made.place, tmp_path / "p.db", "--track", "none", "--phase", "test")
    assert "no track" in done.stderr


def test_names_of_systems_are_plain_and_different() -> None:
    assert system_names(["A b", "a_B", "../x", "+,", "naïve"]) == ["A_b", "a_B_2", "x", "team", "naïve"]
