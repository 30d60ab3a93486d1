"""Campaigns about a sample of the corpus, and without the sentences that no system changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, Made, export_text, make, post_of, sign_in
from errata.cli import cli
from errata.errors import DataError
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.campaign_server import application
from errata_server.campaign.create_campaign import Selection

# Sentence 1 is left as it is by all systems, sentence 2 is changed by all in the same way.
OUTPUTS = {name: [lines[0], SOURCES[1], SYSTEMS["good"][2], *lines[3:]] for name, lines in SYSTEMS.items()}


def judged(made: Made) -> set[int]:
    with made.store.read() as connection:
        return set(connection.scalars(sa.select(schema.items.c.segment)))


@pytest.mark.parametrize("skip", [False, True])
def test_scores_of_unchanged_sentences_are_left_out_where_asked(skip: bool, tmp_path: Path) -> None:
    made = make(tmp_path, task="scalars", outputs=OUTPUTS, skip_unchanged=skip)
    assert judged(made) == {0, 2, 3, 4, 5} | (set() if skip else {1})
    assert made.store.selection == Selection(6, 5 if skip else 6, unchanged=int(skip))


def test_rankings_leave_out_what_cannot_be_compared_and_count_it(tmp_path: Path) -> None:
    made = make(tmp_path, outputs=OUTPUTS)
    assert judged(made) == {0, 3, 4, 5}
    assert made.store.selection == Selection(6, 4, unchanged=1, identical=1)


@pytest.mark.parametrize("settings", [{}, {"assignment": "adaptive"}, {"task": "correction"}])
def test_a_sample_is_drawn_from_what_can_be_judged(settings: dict[str, str], tmp_path: Path) -> None:
    """The same seed draws the same segments; they keep their numbers, and nothing else is judged."""
    samples = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        made = make(tmp_path / name, copies=5, outputs=OUTPUTS, sample=7, seed=seed, **settings)
        with made.store.read() as connection:
            chosen = {segment.id for segment in made.store.segments(connection, chosen=True)}
            assert len(made.store.segments(connection)) == 30
        samples.append(chosen)
        assert len(chosen) == 7
        assert judged(made) <= chosen
        if settings.get("task") != "correction":
            assert not {number % 6 for number in chosen} & {1, 2}
    assert samples[0] == samples[1] != samples[2]


def test_a_sample_larger_than_the_corpus_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a sample of 5 segments, but only 4 can be judged"):
        make(tmp_path, outputs=OUTPUTS, sample=5)
    assert not (tmp_path / "campaign.db").exists()


def test_exports_and_pages_say_what_was_left_out(tmp_path: Path) -> None:
    made = make(tmp_path, outputs=OUTPUTS, sample=3, controls=0, repeats=0, overlap=0)
    said = (
        "3 of 6 segments are judged; left out: 1 that all systems left unchanged, "
        "1 that all systems changed in the same way, 1 outside of the sample"
    )
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
        screen = client.get("/api/screen").json()
        client.post("/api/judge", json=post_of(screen))
        sign_in(client, made.admin)
        assert said in client.get("/admin").text
    row = json.loads(export_text(made.place, "jsonl"))
    assert row["selection"] == {
        "segments": 6, "judged": 3, "empty": 0, "unchanged": 1, "identical": 1, "unsampled": 1,
    }  # fmt: skip
    made.store.close()
    for verb in (["export", made.place, "-o", str(tmp_path / "x.jsonl")], ["status", made.place]):
        assert " ".join(said.split()) in " ".join(CliRunner().invoke(cli, ["campaign", *verb]).output.split())


def test_flags_of_the_program_make_such_a_campaign(tmp_path: Path) -> None:
    for name, lines in {"source": SOURCES, **OUTPUTS}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    systems = [part for name in OUTPUTS for part in ("--system", f"{name}={tmp_path / name}.txt")]
    place = str(tmp_path / "c.db")
    options = ["--task", "scalars", "--sample", "2", "--seed", "3", "--skip-unchanged"]
    result = CliRunner().invoke(
        cli, ["campaign", "new", place, "--corpus", str(tmp_path / "source.txt"), *systems, *options]
    )
    assert result.exit_code == 0, result.output
    assert "2 of 6 segments are judged" in result.output
