"""Taggers of further languages: trained by one command, found where their packages are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.edits.language import default_tagger
from errata.edits.taggers import tagger
from errata.errors import ErrataError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pack(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack called Slovak, since Czech has a tagger already; the treebank is a small Czech one."""
    folder = tmp_path_factory.mktemp("packs") / "pack"
    files = [data / "ud" / f"cs_cltt-ud-{part}.conllu.xz" for part in ("train", "test")]
    made = subprocess.run(
        [
            sys.executable, str(ROOT / "tools" / "taggers" / "ud.py"), "sk", "--train", str(files[0]),
            "--test", str(files[1]), "--treebank", "UD Czech-CLTT", "--licence", "CC-BY-SA-4.0",
            "--out", str(folder),
        ],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def installed(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds the pack, with what an installer writes besides."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(pack / "src" / "errata_gec_tagger_sk", site / "errata_gec_tagger_sk")
    project = (pack / "pyproject.toml").read_text("utf-8")
    group, line = '[project.entry-points."errata.tagger_models"]', 'sk = "errata_gec_tagger_sk:MODEL"'
    assert f"{group}\n{line}" in project
    about = site / "errata_gec_tagger_sk-1.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: errata-gec-tagger-sk\nVersion: 1.0.0\n")
    (about / "entry_points.txt").write_text("[errata.tagger_models]\nsk = errata_gec_tagger_sk:MODEL\n")
    return site


@pytest.mark.slow
def test_a_treebank_becomes_a_package_with_a_card(pack: Path) -> None:
    card = (pack / "README.md").read_text("utf-8")
    assert "467 sentences with 13,894 words" in card
    assert "CC-BY-SA-4.0" in card
    assert 'license = "CC-BY-SA-4.0"' in (pack / "pyproject.toml").read_text()
    figures = [
        float(word) for word in card.replace("\n", " ").split() if word.count(".") == 1 and word[:2].isdigit()
    ]
    upos, labels, lemmas = figures[:3]
    assert upos > 96
    assert labels > 80
    assert lemmas > 93
    model = tagger(f"embedded:{pack / 'src' / 'errata_gec_tagger_sk' / 'tagger.model'}")
    (found,) = model.tag([["Účetní", "závěrka", "obsahuje", "rozvahu", "."]])
    assert found.upos == ("ADJ", "NOUN", "VERB", "NOUN", "PUNCT")
    assert found.lemmas[1:4] == ("závěrka", "obsahovat", "rozvaha")
    assert model.signature.startswith("embedded:tagger.model-")


def test_an_installed_pack_is_the_default_of_its_language(
    installed: Path, run_process: Callable, data: Path, tmp_path: Path
) -> None:
    path = f"{installed}{os.pathsep}{ROOT / 'src'}"
    (tmp_path / "a.txt").write_text("závěrka obsahuje rozvaha .\n", "utf-8")
    (tmp_path / "b.txt").write_text("závěrka obsahuje rozvahu .\n", "utf-8")
    done = run_process(
        "edits", "extract", "--source", "a.txt", "--ref", "b.txt", "--language", "sk", PYTHONPATH=path
    )
    assert done.returncode == 0, done.stderr
    assert "R:NOUN:INFL|||rozvahu" in done.stdout
    sample = data / "multigec" / "sample"
    essays = run_process(
        "score", "--m2", sample / "cs-natform-orig-dev.md", "--hyp", sample / "cs-natform-ref2-dev.md",
        "-m", "errant:language=sk", "--by", "type", PYTHONPATH=path,
    )  # fmt: skip
    assert essays.returncode == 0, essays.stderr
    assert "tagger:embedded:sk-" in essays.stdout
    assert "NOUN" in essays.stdout


def test_a_language_without_a_pack_has_no_tagger() -> None:
    assert default_tagger("de") == "none"
    with pytest.raises(ErrataError, match="a language pack adds another"):
        tagger("embedded:de")
    with pytest.raises(ErrataError, match=r"nowhere\.model"):
        tagger("embedded:nowhere.model")
