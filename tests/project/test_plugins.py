"""Other packages add verbs, metrics, taggers, correctors and judgments through entry points."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from errata import cli
from errata.errors import MissingPackageError
from errata.human.judgment_files import judgment_source
from errata.models.protocols import load_corrector

Run = Callable[..., subprocess.CompletedProcess[str]]

ENTRY_POINTS = """
[errata.verbs]
hello = shouting:hello
[errata.metrics]
shouts = shouting:Shouts
[errata.correctors]
loud = shouting:Loud
[errata.judgments]
notes = shouting
"""
MODULE = """
from dataclasses import dataclass
import click
import numpy as np
from errata import SumMetric
from errata.human.judgments import Judgments

@click.command()
def hello():
    "Greet."
    click.echo("HELLO")

@dataclass(frozen=True)
class Shouts(SumMetric):
    name = "shouts"
    def features(self, batch):
        rows = [[text.isupper(), 1.0] for text in batch.hypotheses]
        return np.array(rows, dtype=float)
    def from_sums(self, sums):
        return {"shouts": sums[..., 0] / sums[..., 1]}

class Loud:
    def correct(self, lines):
        return [line.upper() for line in lines]
    correct_tokenized = correct

def reads(place):
    return place.startswith("notes://")

def read(place):
    from errata import sample
    from errata.human.judgment_files import read_judgments
    return read_judgments([str(sample.folder("en") / "rankings.xml")])
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package of a third party."""
    site = tmp_path / "site"
    about = site / "shouting-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (site / "shouting.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(site))
    return site


def test_a_verb_is_run_and_listed(run_process: Run, plugin: Path) -> None:
    assert run_process("hello", PYTHONPATH=str(plugin)).stdout == "HELLO\n"
    listed = run_process("--help", PYTHONPATH=str(plugin)).stdout
    assert "Installed packages" in listed
    assert "hello" in listed


def test_judgments_of_another_kind_are_ranked(run_process: Run, plugin: Path) -> None:
    ranked = run_process("rank", "notes://anywhere", "--format", "tsv", PYTHONPATH=str(plugin))
    assert ranked.returncode == 0, ranked.stderr
    assert "neural" in ranked.stdout


def test_a_corrector_is_found_by_its_name(plugin: Path) -> None:
    assert load_corrector("loud").correct(["a b"]) == ["A B"]


def test_files_of_judgments_need_no_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: str) -> None:
        raise AssertionError("entry points were searched")

    monkeypatch.setattr("importlib.metadata.entry_points", fail)
    (tmp_path / "judgments.csv").write_text("judge,segment\n")
    assert judgment_source(tmp_path / "judgments.csv") is None


def test_a_campaign_without_the_server_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    (tmp_path / "campaign.db").write_bytes(b"SQLite format 3\0" + bytes(84))
    for place in (str(tmp_path / "campaign.db"), "postgresql://host/name"):
        with pytest.raises(MissingPackageError, match="pip install errata-gec-server"):
            judgment_source(place)


def test_a_corrector_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.models.protocols.entry_points", lambda **_: [])
    with pytest.raises(MissingPackageError, match="pip install errata-gec-correct"):
        load_corrector("en")


def test_a_verb_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli._PACKAGES, "errata-gec-server", "errata_server_that_is_missing")
    with pytest.raises(MissingPackageError, match="pip install errata-gec-server"):
        cli.cli.main(["campaign"], standalone_mode=False)
