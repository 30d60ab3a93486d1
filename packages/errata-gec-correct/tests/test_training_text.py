"""Text for training: weights, leakage of test sentences, profiles of confusions."""

from __future__ import annotations

import lzma
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from errata.errors import DataError
from errata_correct.transformer.examples import Texts

TOOLS = Path(__file__).parents[3] / "tools" / "models"


def unpacked(path: Path) -> str:
    return lzma.decompress(path.read_bytes()).decode()


@pytest.fixture(autouse=True)
def _tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))


def test_texts_are_drawn_by_weight_and_evenly_before_any_comes_again() -> None:
    texts = Texts([[f"a{i}" for i in range(100)], [f"b{i}" for i in range(100)]], [1.0, 3.0], 1)
    assert len(texts) == 400
    drawn: Counter[str] = Counter()
    for epoch in range(10):
        part = texts.take(epoch, 40)
        assert Counter(item[0] for item in part) == {"a": 10, "b": 30}
        drawn.update(part)
    assert {drawn[f"a{i}"] for i in range(100)} == {1}
    assert {drawn[f"b{i}"] for i in range(100)} == {3}
    assert texts.take(3, 40) == texts.take(3, 40) != texts.take(4, 40)
    assert texts.take(0, 0) == []


def test_weights_must_be_as_many_as_files() -> None:
    with pytest.raises(DataError, match="2 weights for 1 files"):
        Texts([["a"]], [1.0, 2.0], 1)


def test_weights_of_a_recipe_must_be_numbers(tmp_path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe

    (tmp_path / "recipe.toml").write_text('[data]\nclean = ["a.txt"]\nclean_weights = [2, 0.5]\n')
    assert read_recipe(tmp_path / "recipe.toml").data.clean_weights == (2, 0.5)
    for wrong in ('["2"]', "[-1]", "[nan]", "[true]"):
        (tmp_path / "recipe.toml").write_text(f"[data]\nclean_weights = {wrong}\n")
        with pytest.raises(DataError, match="clean_weights"):
            read_recipe(tmp_path / "recipe.toml")


def test_exact_and_near_duplicates_of_test_sentences_are_found() -> None:
    from leakage import leaked

    kept_out = [
        "Včera večer jsme šli s rodiči do divadla a potom na večeři .",
        "Ano .",
        "Zcela jiná věta o pěstování brambor ve vyšších polohách .",
    ]
    texts = [
        "vcera vecer jsme sli s rodici do divadla a potom na veceri",  # without signs and diacritics
        "Včera večer jsme šli s rodiči do divadla a potom na pivo .",  # another last word
        "Minulý rok jsme nebyli v divadle ani jednou , což je škoda .",
        "Ano !",
        "Ano , to je pravda .",
        "Včera večer jsme doma hráli karty a potom jsme šli spát .",
    ]
    assert leaked(texts, kept_out) == ({0, 3}, {1})
    assert leaked(texts, []) == (set(), set())
    assert leaked([], kept_out) == (set(), set())


def test_near_duplicates_are_found_wherever_they_stand_in_much_text() -> None:
    from leakage import leaked

    filler = [f"Věta číslo {i} mluví o předmětu {i * 7} a o ničem jiném na světě ." for i in range(300)]
    wanted = "Každý žák naší školy má rád přírodu , hory , řeky a hluboké lesy ."
    close = "Každý žák naší školy má rád přírodu , hory , řeky a hluboké lesy u vsi ."
    for place in (0, 150, 300):
        assert leaked([*filler[:place], close, *filler[place:]], [wanted]) == (set(), {place})


def test_the_tool_writes_text_without_test_sentences_and_says_what_it_removed(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text(
        "Dnes je venku krásně . Půjdeme na dlouhou procházku .\nDnes je venku krásně .\n"
    )
    (tmp_path / "pairs.tsv").write_text(
        "Pujdeme ven .\tPůjdeme ven .\nTo je dobrej dům .\tTo je dobrý dům .\n"
    )
    (tmp_path / "test.m2").write_text(
        "S Pudeme na dlouhou prochazku .\nA 0 1|||R|||Půjdeme|||REQUIRED|||-NONE-|||0\n\n"
    )
    (tmp_path / "more.txt").write_text("To je dobrý dům .\n")
    command = [
        sys.executable, str(TOOLS / "texts.py"), str(tmp_path / "web.txt"), str(tmp_path / "pairs.tsv"),
        "--keep-out", str(tmp_path / "test.m2"), str(tmp_path / "more.txt"), "-o", str(tmp_path / "out"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert unpacked(tmp_path / "out" / "web.txt.xz") == "Dnes je venku krásně .\n"
    assert unpacked(tmp_path / "out" / "pairs.tsv.xz") == "Pujdeme ven .\tPůjdeme ven .\n"
    assert (tmp_path / "out" / "pairs.target.txt").read_text() == "Půjdeme ven .\n"
    rows = [line.split("\t") for line in (tmp_path / "out" / "leakage.tsv").read_text().splitlines()]
    assert [row[:6] for row in rows[1:]] == [
        ["web", "3", "2", "2", "1", "0"],
        ["pairs", "2", "2", "2", "1", "0"],
    ]


@pytest.mark.slow
def test_a_profile_of_confusions_has_forms_neighbours_and_schoolbook_errors() -> None:
    from confusion_profile import GRAMMAR, MIXED, build

    lines = [
        "Bydlím v malém městě a bychom šli do školy .",
        "Moje škola stojí ve městě .",
        "Ta školu má rád .",
    ] * 5
    profile = build(lines, "cs")
    assert profile.words["bychom"]["by jsme"] == pytest.approx(0.15)
    assert 0 < profile.words["školy"]["škola"] <= MIXED.forms + 0.02
    assert profile.words[","][""] == pytest.approx(0.28)
    grammar = build([*lines, *["Ženy hrály a muži hráli ."] * 5], "cs", GRAMMAR)
    assert grammar.words["hrály"]["hráli"] >= GRAMMAR.agreement
    assert grammar.characters["š"]["delete"] < profile.characters["š"]["delete"]
    negated = build(["Nikdo to neví ani nezná , zná a ví to zkouška ."] * 5, "cs", GRAMMAR)
    assert negated.words["nezná"]["zná"] >= GRAMMAR.negation
    assert negated.words["nezná"]["ne zná"] == pytest.approx(GRAMMAR.negation / 3)
    assert negated.words["zkouška"]["skouška"] >= GRAMMAR.patterns
    noise = profile.noise(3.0, tokenized=True)
    damaged = noise.apply(lines * 20, 7)
    assert any("by jsme" in line for line in damaged)
    assert sum(a != b for a, b in zip(damaged, lines * 20, strict=True)) > 100
