"""The embedded sample is whole, and is what its script builds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from errata import sample


@pytest.mark.parametrize(("language", "sentences", "documents"), [("en", 60, 8), ("cs", 20, 4)])
def test_sample_is_complete(language: str, sentences: int, documents: int) -> None:
    made = sample.load(language)
    assert len(made.corpus) == sentences
    assert len(made.corpus.groups("document")) == documents
    assert len(made.corpus.groups("domain")) == 2
    assert made.corpus.annotators == (0, 1)
    assert len(made.outputs) == 6
    assert list(made.outputs["input"]) == made.corpus.sources
    minimal = (made.folder / "minimal.txt").read_text().splitlines()
    assert made.corpus.references(0) == minimal
    assert (made.folder / "rankings.xml").exists()
    assert (made.folder / "scalars.tsv").exists()


def test_sample_is_what_its_script_builds() -> None:
    script = Path(__file__).parents[2] / "tools" / "sample" / "build.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_demo_copies_the_sample_once(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from errata.cli.demo import command
    from errata.errors import DataError

    target = tmp_path / "files"
    done = CliRunner().invoke(command, ["--copy", str(target), "--language", "cs"])
    assert done.exit_code == 0
    assert (target / "gold.m2").read_bytes() == (sample.folder("cs") / "gold.m2").read_bytes()
    again = CliRunner().invoke(command, ["--copy", str(target)])
    assert isinstance(again.exception, DataError)
