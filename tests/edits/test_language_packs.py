"""Taggers of further languages: trained by one command, found where their packages are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from errata.edits.language import default_tagger
from errata.edits.taggers import tagger
from errata.edits.taggers.models import PACKS as PUBLISHED
from errata.errors import ErrataError
from errata.toml import read_toml

ROOT = Path(__file__).parents[2]


PACKS = """
[sk]
name = "Slovak"
train = ["cs_cltt-ud-train"]
test = "cs_cltt-ud-test"
licence = "CC-BY-SA-4.0"
codes = ["hsb"]
dictionary = ""
frequencies = ""
"""


@pytest.fixture(scope="module")
def pack(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack called Slovak, since Czech has a tagger already; the treebank is a small Czech one."""
    folder = tmp_path_factory.mktemp("packs")
    (folder / "packs.toml").write_text(PACKS, "utf-8")
    made = subprocess.run(
        [
            sys.executable, str(ROOT / "tools" / "taggers" / "build_packs.py"), "sk", "--data",
            str(data / "ud"), "--packs", str(folder / "packs.toml"), "--out", str(folder),
        ],
        capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return folder / "errata-gec-lang-sk"


@pytest.fixture(scope="module")
def installed(pack: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds the pack, with what an installer writes besides."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(pack / "src" / "errata_gec_lang_sk", site / "errata_gec_lang_sk")
    project = (pack / "pyproject.toml").read_text("utf-8")
    group, lines = (
        '[project.entry-points."errata.tagger_models"]',
        ('sk = "errata_gec_lang_sk:MODEL"\nhsb = "errata_gec_lang_sk:MODEL"\n'),
    )
    assert f"{group}\n{lines}" in project
    about = site / "errata_gec_lang_sk-1.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: errata-gec-lang-sk\nVersion: 1.0.0\n")
    (about / "entry_points.txt").write_text("[errata.tagger_models]\n" + lines.replace('"', ""))
    return site


@pytest.mark.slow
def test_a_treebank_becomes_a_package_with_a_card(pack: Path) -> None:
    card = (pack / "README.md").read_text("utf-8")
    assert "cs_cltt-ud-train" in card
    assert "There is no word list." in card
    assert 'license = "CC-BY-SA-4.0"' in (pack / "pyproject.toml").read_text()
    header, row = (line.split("\t") for line in (pack.parent / "packs.tsv").read_text("utf-8").splitlines())
    figures = dict(zip(header, row, strict=True))
    assert figures["code"] == "sk"
    assert int(figures["tokens"]) > 13_000
    assert float(figures["upos"]) > 96
    assert float(figures["feats"]) > 75
    assert float(figures["lemma"]) > 93
    model = tagger(f"embedded:{pack / 'src' / 'errata_gec_lang_sk' / 'tagger.model'}")
    (tagged,) = model.tag([["Účetní", "závěrka", "obsahuje", "rozvahu", "."]])
    assert tagged.upos == ("ADJ", "NOUN", "VERB", "NOUN", "PUNCT")
    assert "Case=Acc" in tagged.tags[3]
    assert tagged.lemmas[1:4] == ("závěrka", "obsahovat", "rozvaha")
    assert model.signature.startswith("embedded:tagger.model-")


@pytest.mark.slow
def test_an_installed_pack_is_the_default_of_its_languages(
    installed: Path, run_process: Callable, data: Path, tmp_path: Path
) -> None:
    path = f"{installed}{os.pathsep}{ROOT / 'src'}"
    (tmp_path / "a.txt").write_text("závěrka obsahuje rozvaha .\n", "utf-8")
    (tmp_path / "b.txt").write_text("závěrka obsahuje rozvahu .\n", "utf-8")
    for code in ("sk", "hsb"):
        done = run_process(
            "edits", "extract", "--source", "a.txt", "--ref", "b.txt", "--lang", code, PYTHONPATH=path
        )
        assert done.returncode == 0, done.stderr
        assert "R:NOUN:INFL|||rozvahu" in done.stdout
    sample = data / "multigec" / "sample"
    essays = run_process(
        "score", "--m2", sample / "cs-natform-orig-dev.md", "--hyp", sample / "cs-natform-ref2-dev.md",
        "-m", "errant", "--lang", "sk", "--by", "type", PYTHONPATH=path,
    )  # fmt: skip
    assert essays.returncode == 0, essays.stderr
    assert "tagger:errata-gec-lang-sk-1.0.0-" in essays.stdout  # the pack and its version
    assert "words:none" in essays.stdout
    assert "NOUN" in essays.stdout


def test_a_language_without_its_pack_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.edits.language.packed_languages", tuple)
    with pytest.raises(ErrataError, match="pip install errata-gec-lang-de"):
        default_tagger("de")
    assert default_tagger("sk") == "none"  # no pack is published
    with pytest.raises(ErrataError, match="a language pack adds another"):
        tagger("embedded:sk")
    with pytest.raises(ErrataError, match=r"nowhere\.model"):
        tagger("embedded:nowhere.model")


@pytest.mark.parametrize(
    "folder", sorted((ROOT / "packages").glob("errata-gec-lang-*")), ids=lambda f: f.name
)
def test_a_published_pack_is_small_and_has_its_card_and_licence(folder: Path) -> None:
    project = read_toml(folder / "pyproject.toml")["project"]
    entry = read_toml(ROOT / "tools" / "taggers" / "packs.toml")[folder.name.rpartition("-")[2]]
    (model,) = folder.glob("src/*/tagger.model")
    assert model.stat().st_size < 3_000_000
    assert sha256(model.read_bytes()).hexdigest() in (folder / "README.md").read_text("utf-8")
    assert project["license"] == entry["licence"]
    extras = read_toml(ROOT / "pyproject.toml")["project"]["optional-dependencies"]
    assert (project["name"] in extras["languages"]) == ("NC" not in entry["licence"])
    assert not any(name.startswith("errata-gec-lang") for name in extras["all"])  # they are in `languages`


def test_the_german_pack_types_german_edits(run: Callable, tmp_path: Path) -> None:
    """A whole way, with the pack that tests install; see `test_language_rules.py` for the rules."""
    (tmp_path / "a.txt").write_text("Ich habe der Hund gesehhen und gehe in Schule .\n" * 40, "utf-8")
    (tmp_path / "b.txt").write_text("Ich habe den Hund gesehen und gehe in die Schule .\n" * 40, "utf-8")
    done = run("edits", "extract", "-s", "a.txt", "-r", "b.txt", "--lang", "de")
    assert done.returncode == 0, done.stderr
    edits = [line for line in done.stdout.splitlines() if line.startswith("A")][:3]
    assert [edit.split("|||")[1] for edit in edits] == ["R:DET:FORM", "R:SPELL", "M:DET"]
    scored = run("score", "-s", "a.txt", "-r", "b.txt", "--hyp", "b.txt", "-m", "errant", "--lang", "de")
    assert "tagger:errata-gec-lang-de-1.0.0-" in scored.stdout
    assert "language:de" in scored.stdout


def test_the_published_packs_are_those_that_are_built() -> None:
    packs = read_toml(ROOT / "tools" / "taggers" / "packs.toml")
    assert sorted(code for name, entry in packs.items() for code in (name, *entry.get("codes", ()))) == list(
        PUBLISHED
    )
