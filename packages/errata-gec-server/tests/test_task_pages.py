"""The pages of a shared task: times, refusals, scores, and what an organiser still has to do."""

from __future__ import annotations

import re
from pathlib import Path

from tasks import GOOD, MIDDLE, lines, make, served, submit, work_off


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_times_are_written_for_people_and_deadlines_are_marked(tmp_path: Path) -> None:
    phases = [{"name": "test", "shows": "leaderboard", "ends": "2099-05-31T12:30:00Z"}]
    with served(make(tmp_path, phases=phases, public=True)) as task:
        page = task.client().get("/").text
        assert '<time datetime="2099-05-31T12:30:00.000Z" data-deadline>31 May 2099, 12:30 UTC</time>' in page
        owner = task.owner()
        for path in ("/admin", "/admin/log", "/admin/submissions", "/admin/checklist", "/team"):
            assert not re.search(r"\d{4}-\d\d-\d\dT", text_of(owner.get(path).text)), path


def test_the_list_says_why_a_file_was_refused(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        team = task.team("Alpha")
        assert submit(team, lines(GOOD[:-1])).status_code == 422
        for client, path in ((team, "/team"), (task.owner(), "/admin/submissions")):
            assert "29 lines, but source.txt has 30 sentences" in text_of(client.get(path).text)


def test_the_board_has_compact_cells_a_plot_and_the_history_of_a_team(tmp_path: Path) -> None:
    task_made = make(tmp_path, public=True)
    with served(task_made) as task:
        team = task.team("Alpha")
        for output in (MIDDLE, GOOD):
            assert submit(team, lines(output)).status_code == 201
        work_off(task_made)
        board = text_of(task.client().get("/board/main/test").text)
        assert re.search(r"1 Team \w+ 1\.0000 cluster 1 \[1\.0000, 1\.0000\]", board)
        assert "GLEU with intervals" in board
        assert "GLEU in the order of 2 submissions, first 0." in text_of(team.get("/team").text)


def test_the_checklist_says_what_is_missing(tmp_path: Path) -> None:
    phases = [
        {"name": "test", "starts": "2020-01-01T00:00:00Z", "ends": "2099-05-31T12:00:00Z"},
        {"name": "final", "starts": "2099-06-01T12:00:00Z"},
    ]
    task_made = make(tmp_path, phases=phases, description="Correct sentences.")
    with served(task_made) as task:
        owner = task.owner()

        def missing() -> set[str]:
            page = owner.get("/admin/checklist").text
            items = re.findall(r'<li class="missing">.*?</span> <span.*?</span>(.*?)<br>', page)
            assert f"{len(items)} points are missing" in page
            return set(items)

        assert missing() == {
            "Two people can decide", "A team takes part", "main: 0 of 1 baselines are scored",
            "It has an end", "main has texts of its own",
        }  # fmt: skip
        task.team("Alpha")
        work_off(task_made)
        assert missing() == {"Two people can decide", "It has an end", "main has texts of its own"}
        assert task.client().get("/admin/checklist").status_code in (303, 401)
