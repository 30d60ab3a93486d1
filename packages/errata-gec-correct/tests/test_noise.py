"""Synthetic errors: estimated from annotated text, applied to clean text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.errors import DataError
from errata_correct import native
from errata_correct import noise as noise_module
from errata_correct.noise import Errors, Noise, Rates, confusion_sets
from errata_correct.profile import Profile, align, character_edits, estimate

EVERYTHING = Errors(
    chances={
        "insert": 0.1, "delete": 0.05, "swap": 0.1, "lower": 0.2, "upper": 0.1, "capitals": 0.05,
        "strip": 0.2, "strip_line": 0.1, "join": 0.1, "split": 0.1, "capitals_line": 0.1, "boundary": 0.5,
    },
    words={",": {"": 0.5}, "kůň": {"kun": 0.3, "koně": 0.2}},
    suffixes={"y": {"i": 0.3}, "ami": {"ama": 0.5}},
    characters={
        c: {("replace", "x"): 0.05, ("delete", ""): 0.05, ("insert", "y"): 0.05, ("swap", ""): 0.05}
        for c in "abcdefghijklmnopqrstuvwxyzáčďéěíňóřšťúůýž"
    },
    insertions={",": 1.0, "se": 2.0},
    swaps={"a": 0.6, "botami": 0.3},
    joins={"s": 0.7},
)  # fmt: skip
LINES = [
    "Žluťoučký kůň s botami, a také „psi“ – don't!",
    "",
    "   ",
    "Ahoj. Kdo? Já!",
    "数 学 😀 Ω",
    "x" * 300,
] * 20


def test_lines_stay_lines_and_the_number_of_threads_changes_nothing() -> None:
    made = Noise(EVERYTHING, (1.0, 0.5), (1.0, 0.5))
    lines = LINES * 60
    one, three = list(made.stream(lines, seed=5, jobs=1)), list(made.stream(lines, seed=5, jobs=3))
    assert len(one) == len(lines)
    assert one == three
    assert one != list(made.stream(lines, seed=6, jobs=1))


def test_a_line_depends_on_its_number_not_on_its_neighbours() -> None:
    made = Noise(EVERYTHING)
    assert made.apply(LINES, seed=3)[7:9] == made.apply(LINES[7:9], seed=3, first=7)


def test_compiled_and_uncompiled_noise_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = Noise(EVERYTHING, (1.5, 0.5), (2.0, 0.5)).apply(LINES, seed=11)
    monkeypatch.setattr(noise_module, "noising", native.load_pure("noising"))
    monkeypatch.setattr(noise_module, "_letters", noise_module._letters.__wrapped__)  # not cached
    assert Noise(EVERYTHING, (1.5, 0.5), (2.0, 0.5)).apply(LINES, seed=11) == compiled


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])), max_size=8),
    st.integers(0, 9),
)
def test_any_text_survives_any_strength(lines: list[str], seed: int) -> None:
    assert len(Noise(EVERYTHING, (16.0, 4.0), (16.0, 4.0)).apply(lines, seed)) == len(lines)


def test_no_errors_change_nothing_but_runs_of_blanks() -> None:
    assert Noise(Errors()).apply(["Ahoj,  světe !", " a"]) == ["Ahoj, světe !", "a"]


def test_frequencies_come_out_as_they_went_in() -> None:
    made = Noise(Errors(words={"mě": {"mně": 0.2}, ",": {"": 0.4}}))
    text = "\n".join(made.apply(["mě , a"] * 20_000))
    assert text.count("mně") / 20_000 == pytest.approx(0.2, abs=0.01)
    assert text.count(",") / 20_000 == pytest.approx(0.6, abs=0.015)


def test_a_profile_is_estimated_saved_and_makes_the_errors_it_saw(tmp_path: Path) -> None:
    pairs = [
        (["Vim", "ze", "prsi", "."], ["Vím", ",", "že", "prší", "."]),
        (["Vím", ",", "že", "prší", "."],) * 2,
    ] * 10
    pairs += [
        (["jedu", "praha", "do"], ["jedu", "do", "Praha"]),
        (["na", "pří", "klad"], ["na", "příklad"]),
    ] * 10
    profile = estimate(pairs)
    assert profile.words[","][""] == pytest.approx(0.5)
    assert profile.words["že"]["ze"] if "že" in profile.words else profile.chances["strip_line"] > 0
    assert profile.chances["split"] > 0
    profile.save(tmp_path / "errors.json")
    again = Profile.load(tmp_path / "errors.json")
    assert again == profile
    lines = ["Vím , že prší ."] * 300
    assert again.noise(tokenized=True).apply(lines) == profile.noise(tokenized=True).apply(lines)
    damaged = profile.noise(tokenized=True).apply(lines)
    assert 50 < sum("," not in line for line in damaged) < 250
    without = profile.noise(aspects={"punctuation": 0.0}, tokenized=True).apply(lines)
    assert sum("," not in line for line in without) == 0
    assert profile.noise(0.0).apply(lines) == lines


def test_lost_boundaries_capitals_signs_and_words_that_move_or_join_are_learned_and_made() -> None:
    pairs = [
        (["Jdu", "domů", "je", "noc", "."], ["Jdu", "domů", ".", "Je", "noc", "."]),
        (["JDU", "DO", "LESA"], ["Jdu", "do", "lesa"]),
        (["bolela", "mě", "noha", ". . ."], ["mě", "bolela", "noha", "…"]),
        (["šel", "snimi"], ["šel", "s", "nimi"]),
        (["šel", "snámi"], ["šel", "s", "námi"]),
    ]
    pairs = [([token for part in wrong for token in part.split()], right) for wrong, right in pairs] * 5
    profile = estimate(pairs)
    assert profile.chances["boundary"] == 1.0
    assert profile.chances["capitals_line"] == pytest.approx(0.2)
    assert profile.words["…"][". . ."] == pytest.approx(1.0)
    assert profile.swaps == {"mě": pytest.approx(5 / 15)}
    assert profile.joins == {"s": 0.5}  # with ten occurrences added
    assert Noise(Errors({"boundary": 1.0})).apply(["Jdu . Je noc ."]) == ["Jdu je noc ."]
    assert Noise(Errors({"boundary": 1.0}, {"je": {"byla": 1.0}})).apply(["Jdu . Je noc ."]) == [
        "Jdu byla noc ."
    ]
    assert Noise(Errors({"capitals_line": 1.0})).apply(["Jdu do lesa ."]) == ["JDU DO LESA ."]
    assert Noise(Errors(swaps={"mě": 1.0})).apply(["Mě bolela noha ."]) == ["bolela Mě noha ."]
    assert Noise(Errors(joins={"s": 1.0})).apply(["šel s nimi ."]) == ["šel snimi ."]


def test_unknown_aspects_and_broken_profiles_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="spelling"):
        Profile().noise(aspects={"speling": 1.0})
    (tmp_path / "bad.json").write_text("[1")
    with pytest.raises(DataError, match=r"bad\.json"):
        Profile.load(tmp_path / "bad.json")


def test_words_are_aligned_as_people_would() -> None:
    pairs = align(["Myslim", "ze", "on", "jde", "domu"], ["Myslím", ",", "že", "jde", "domů"])
    assert (("Myslim",), ("Myslím",)) in pairs
    assert ((), (",",)) in pairs
    assert (("ze",), ("že",)) in pairs
    assert (("on",), ()) in pairs


@given(st.text("abcě", max_size=6), st.text("abcě", max_size=6))
def test_character_errors_are_none_exactly_for_equal_words(one: str, two: str) -> None:
    edits = character_edits(one, two)
    assert (one == two) == (not edits) or not two
    assert len(edits) <= max(len(one), len(two))


def test_confusion_sets_hold_words_one_edit_away() -> None:
    assert confusion_sets(["cat", "cart", "dog", "act", "bat", "cats"])["cat"] == [
        "cart",
        "cats",
        "bat",
    ] or set(confusion_sets(["cat", "cart", "dog", "act", "bat", "cats"])["cat"]) >= {"cart", "bat", "cats"}
    assert "dog" not in confusion_sets(["cat", "cart", "dog"])
    words = ["cat", "cart", "bat", "the", "them", "then"]
    lines = Rates(words=(0.5, 0.1)).noise(words).apply(["the cat sat on the mat"] * 200)
    assert len(set(lines)) > 50


def test_noise_from_the_command_line(run, tmp_path: Path, data: Path) -> None:
    (tmp_path / "clean.txt").write_text("Vím, že prší.\nAle jdu ven.\n" * 50, encoding="utf-8")
    done = run("noise", "estimate", data / "errant_czech" / "out.m2", "--profile", "p.json")
    assert done.returncode == 0, done.stderr
    one = run("noise", "apply", "clean.txt", "-p", "p.json", "--strength", 2, "--seed", 4, "-j", 1)
    two = run("noise", "apply", "clean.txt", "-p", "p.json", "--strength", 2, "--seed", 4, "-j", 2)
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 100
    assert run("noise", "apply", "clean.txt", "-p", "p.json", "--aspect", "casing").returncode == 2
    assert run("noise", "apply", "missing.txt", "-p", "p.json").returncode == 1
