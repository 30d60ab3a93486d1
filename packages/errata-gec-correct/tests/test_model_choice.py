"""`errata correct` without --model, with text in another language, and with uncertain suggestions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import errata_correct
from errata import sample
from errata.errors import ErrataError
from errata.text.languages import recognised
from errata_correct.languages import language_of_model, model_for

Run = Callable[..., subprocess.CompletedProcess[str]]

CZECH = "Tohle je věta která se mi nelíbí a je to škoda pro nás všechny.\n" * 10
ENGLISH = "This are a sentence that I do not like , and it is a pity for all of us .\n" * 10


@pytest.mark.parametrize(("text", "language"), [(CZECH, "Czech"), (ENGLISH, "English")])
def test_the_language_of_the_text_chooses_the_model(
    run: Run, tmp_path: Path, text: str, language: str
) -> None:
    (tmp_path / "text.txt").write_text(text, "utf-8")
    from_file = run("correct", "text.txt")
    assert from_file.returncode == 0, from_file.stderr
    name = from_file.stderr.partition("--model ")[2].split()[0]
    assert f"the text is {language}: --model {name}" in from_file.stderr
    assert (
        from_file.stdout
        == run("correct", "--model", name, "text.txt").stdout
        == run("correct", input=text).stdout
    )
    assert "the text is" not in run("correct", "--quiet", "text.txt").stderr


def test_the_sources_of_m2_are_examined(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(
        "S To je věta a to se mi na tom líbí .\nA 1 2|||X|||the of and to in is|||REQUIRED|||-NONE-|||0\n\n",
        "utf-8",
    )
    assert "the text is Czech" in run("correct", "gold.m2").stderr


def test_a_language_that_is_not_clear_is_an_error(run: Run) -> None:
    for text in ("", "12 34\n", "Das ist ein Test und nicht mehr als das.\n"):
        done = run("correct", input=text)
        assert done.returncode == 1
        assert "cannot tell the language of the text\n  hint: name a model with --model: cs" in done.stderr


def test_text_in_another_language_is_told(run: Run) -> None:
    done = run("correct", "--model", "en", input=CZECH)
    assert "does not seem to be English, but Czech" in done.stderr
    assert "does not seem" not in run("correct", "--model", "cs", input=CZECH).stderr


def test_hidden_suggestions_are_counted(run: Run, tmp_path: Path) -> None:
    made = errata_correct.load("en")
    lines = list(sample.load("en").corpus.sources[:10])
    every = errata_correct.load("en", threshold=0)
    hidden = sum(len(each) for each in every.suggest(lines)) - sum(len(each) for each in made.suggest(lines))
    assert hidden > 0
    (tmp_path / "text.md").write_text("\n\n".join(lines), "utf-8")
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n", "utf-8")
    for name in ("text.md", "text.txt"):
        note = f"{hidden} uncertain suggestion{'s' * (hidden > 1)} hidden; --threshold 0 shows them"
        assert note in run("correct", "--model", "en", name).stderr
        assert "hidden" not in run("correct", "--model", "en", "--threshold", 0, name).stderr


def test_serving_needs_a_model(run: Run) -> None:
    done = run("correct", "--serve")
    assert (done.returncode, "--serve needs --model" in done.stderr) == (2, True)


def test_languages_of_models_and_of_short_texts() -> None:
    assert [language_of_model(name) for name in ("cs", "cs-transformer", "quire")] == ["cs", "cs", ""]
    assert recognised(["The cat is on the mat and it is happy"], ["cs", "en"]) == "en"
    assert recognised(["xyzzy"], ["cs", "en"]) is None
    assert recognised(["Der Hund und die Katze sind nicht hier"], ["cs", "en"]) is None
    with pytest.raises(ErrataError, match="cannot tell the language"):
        model_for(["xyzzy"], "a.txt")
