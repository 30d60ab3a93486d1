"""`--human` of `meta`, `report`, `plot` and `explore`: a campaign is as good as a file of its judgments."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from campaigns import SYSTEMS, Made, make, post_of
from errata.cli.judgment_inputs import read_rankings
from errata.errors import DataError
from errata_server.campaign.annotator_service import AnnotatorService
from errata_server.campaign.export_judgments import export

Run = Callable[..., subprocess.CompletedProcess[str]]


def _campaign(folder: Path, **settings: Any) -> Made:
    made = make(folder, controls=0, **settings)
    with made.store.write() as connection:
        screens = AnnotatorService(made.store, connection)
        for person in made.store.annotators(connection):
            screen = screens.screen(connection, person.id)
            while screen["state"] == "work":
                screen = screens.judge(connection, person.id, post_of(screen, made.store.settings.task))[
                    "next"
                ]
    return made


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with texts, a campaign about them, and its judgments in a file."""
    folder = tmp_path_factory.mktemp("campaign")
    made = _campaign(folder)
    with (folder / "judgments.xml").open("w", encoding="utf-8") as file:
        export(made.store, file, "appraise")
    return folder


def _inputs(folder: Path) -> list[object]:
    systems = [folder / f"{name}.txt" for name in SYSTEMS]
    return ["-s", folder / "source.txt", "-r", folder / "good.txt", "-y", *systems, "-m", "m2"]


def test_meta_reads_a_campaign(run: Run, judged: Path) -> None:
    tables = []
    for human in ("campaign.db", "judgments.xml"):
        done = run("meta", *_inputs(judged), "--human", judged / human, "-f", "json")
        assert done.returncode == 0, done.stderr
        tables.append(json.loads(done.stdout)[0])
    assert tables[0] == tables[1]


def test_the_report_reads_a_campaign(run: Run, judged: Path, tmp_path: Path) -> None:
    rankings = []
    for human in ("campaign.db", "judgments.xml"):
        done = run("report", *_inputs(judged), "--human", judged / human, "--samples", "100", "-o", "r.html")
        assert done.returncode == 0, done.stderr
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        block = re.search(r'id="data-report">(.*?)</script>', page, re.S)
        assert block is not None
        rankings.append(json.loads(block[1])["human"])
    assert rankings[0]["scores"] == rankings[1]["scores"]


def test_scores_of_single_outputs_are_refused_where_rankings_are_shown(tmp_path: Path) -> None:
    made = _campaign(tmp_path, task="scalars")
    with pytest.raises(DataError, match="rankings are expected"):
        read_rankings((made.place,))
