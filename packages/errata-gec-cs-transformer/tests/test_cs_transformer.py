"""The package errata-gec-cs-transformer: installed from here, it corrects Czech on a CPU, offline."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from textbook import clean_sentences, corrected_share

pytestmark = pytest.mark.needs("ctranslate2", "sentencepiece")


ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "packages" / "errata-gec-cs-transformer"
MODEL = PACKAGE / "src" / "errata_gec_cs_transformer" / "model"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the package, without looking at any index."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    built = tmp_path_factory.mktemp("build")
    copied = subprocess.run(["cp", "-r", str(PACKAGE), str(built)], capture_output=True, text=True)
    assert copied.returncode == 0, copied.stderr
    done = subprocess.run(
        [*command, "--target", str(folder), str(built / PACKAGE.name)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_weights_are_those_of_the_checksums_and_small_enough() -> None:
    lines = (PACKAGE / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split() for line in lines)}
    files = {path.name: path.read_bytes() for path in MODEL.iterdir()}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == sums
    assert sum(map(len, files.values())) < 45e6


def test_the_installed_package_corrects_by_its_name(site: Path, run_process: Any, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("Myslim že by jsme meli jit domu.\nMám rád knihy.\n")
    paths = str(site)
    result = run_process("correct", "--model", "cs-transformer", str(tmp_path / "text.txt"), PYTHONPATH=paths)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "Myslím, že bychom měli jít domů.\nMám rád knihy.\n"


def test_without_the_package_the_error_says_what_to_install(run: Any) -> None:
    result = run("correct", "--model", "cs-transformer", "-")
    assert result.returncode == 1
    assert "pip install errata-gec-cs-transformer" in result.stderr


def test_signs_that_the_subwords_lack_are_kept_and_long_sentences_corrected() -> None:
    from errata_correct.corrector import Corrector
    from errata_correct.loading import load_corrector

    suggester = load_corrector(str(MODEL))
    strange = "中文 je tezke , Привет , ☻Situace se zlepši ."
    long = (
        "Včera jsme vyšli z domu , protože svítilo slunce , a na cestě k řece jsme potkali souseda s velkým "
        "psem , který štěkal na všechny kolemjdoucí , potom jsme se posadili na lavičku u starého mlýna a "
        "dívali se , jak děti pouštějí po vodě malé lodičky z kůry , zatímco jejich rodiče rozdělávali oheň "
        "a opékali buřty , chleba a jablka , k večeru se ale zatáhlo a začalo pršet , takže jsme se schovali "
        "pod střechu staré stodoly , kde už seděl nějaký pocestný a hrál na harmoniku písničky , které jsme "
        "znali ještě ze školy , a když déšť konečně přestal , vyšli jsme znovu na silnici , "
        "ale nikdo nevi , kam jdeme ."
    )
    transformer: Any = suggester.model
    assert len(transformer.subwords.encode(long)) > transformer.room
    bytewise = "😀" * 50 + " ale nikdo nevi , kam jdeme ."  # few characters, many subwords
    for corrector in (suggester, Corrector(suggester.model)):
        first, second, third = corrector.correct_tokenized([strange, long, bytewise])
        assert first.startswith("中文 je těžké , Привет , ☻Situace")
        assert second.endswith("ale nikdo neví , kam jdeme .")
        assert third.startswith("😀" * 50 + " ")
        assert third.endswith(" ale nikdo neví , kam jdeme .")


@pytest.mark.filterwarnings("ignore:1 line exceeded the length limit")
def test_a_sentence_that_repeats_itself_keeps_its_words() -> None:
    from errata_correct.corrector import Corrector
    from errata_correct.loading import load_corrector

    suggester = load_corrector(str(MODEL))
    names = ("Petr", "Pavel", "Jana", "Eva", "Jan", "Karel", "Tomáš", "Marie", "Anna", "Lucie", "Martin")
    liking = " , ".join(f"{one} ma rad psy" for one in names)
    lines = [" ".join(["Mam se dobre ."] * 30), " ".join(["dobrý den"] * 30) + " .", liking]
    for corrector in (suggester, Corrector(suggester.model)):
        first, second, third = corrector.correct_tokenized(lines)
        assert first == " ".join(["Mám se dobře ."] * 30)
        assert second.lower().replace(" ,", "") == lines[1]
        assert tuple(word for word in third.split() if word in names) == names


def test_a_sentence_with_a_long_run_of_dashes_is_corrected_around_it(recwarn: Any) -> None:
    import errata_correct

    dashes = " ".join("-" * 62)
    line = f"chtějí vyvázat se z královských povinností {dashes} tak je hlavně vyvázat i z výplatní pásky ."
    [corrected] = errata_correct.load(str(MODEL)).correct([line])
    assert corrected == line.replace("chtějí", "Chtějí")
    assert not [warning for warning in recwarn if "length limit" in str(warning.message)]


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_note_names_the_lines_whose_correction_does_not_end(run: Any, tmp_path: Path, engine: str) -> None:
    endless = " ".join(["ha", "ho"] * 50)  # the decoder does not end, in parts neither
    (tmp_path / "text.txt").write_text(f"Mám rád knihy.\n{endless}\n\n{endless}\n")
    result = run("correct", "--model", str(MODEL), "text.txt", "--engine", engine)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"Mám rád knihy.\n{endless}\n\n{endless}\n"
    assert result.stderr.count("note:") == 1
    assert "2 lines exceeded the length limit" in result.stderr
    assert "text.txt:2, text.txt:4" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("model.json", "{", "not the description of a Transformer"),
        ("model.json", "[" * 100_000, "not the description of a Transformer"),
        ("model.json", '{"tags": [], "longest": -1}', "longest is -1"),
        ("model.json", '{"tags": [], "wings": 2}', "wings"),
        ("subwords.model", "no subwords", "no subwords can be read"),
        ("model.bin", "no weights", "CTranslate2 cannot load the model"),
    ],
)
def test_a_damaged_model_is_named(run: Any, tmp_path: Path, name: str, content: str, reason: str) -> None:
    for path in MODEL.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / name).unlink()
    (tmp_path / name).write_text(content)
    result = run("correct", "--model", str(tmp_path), "-", input="Ahoj.\n")
    assert result.returncode == 1
    assert reason in result.stderr
    assert "Traceback" not in result.stderr


def test_textbook_errors_are_corrected_and_clean_sentences_stay() -> None:
    from errata_correct.loading import load_corrector

    sentences = clean_sentences("cs")

    def changed(threshold: float | None) -> float:
        found = load_corrector(str(MODEL), threshold=threshold).correct(sentences)
        return sum(a != b for a, b in zip(sentences, found, strict=True)) / len(sentences)

    share, failed = corrected_share(load_corrector(str(MODEL)), "cs")
    assert share >= 0.8, failed
    assert changed(None) <= 0.02
    share, failed = corrected_share(load_corrector(str(MODEL), threshold=0.0), "cs")
    assert share >= 0.83, failed
    assert changed(0.6) <= 0.01
