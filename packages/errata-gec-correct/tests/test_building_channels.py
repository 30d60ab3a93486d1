"""`tools/models/build.py`: a noisy channel from a text and a few corrections, as the guide says."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from errata_correct.corrector import Corrector
from errata_correct.noisy_channel import NoisyChannel
from oracles.arpa import read_arpa, sentence_log

ROOT = Path(__file__).parents[3]
NAMES, VERBS = ("Petr", "Jana", "Eva"), ("vidí", "slyší", "hledá")
THINGS = ("dům", "ženu", "řeku", "vlak", "strýce", "kočku")


def build(folder: Path, *options: str) -> str:
    draw = random.Random(4)
    lines = [
        f"{draw.choice(NAMES)} {draw.choice(VERBS)} {draw.choice(THINGS)} , protože {draw.choice(VERBS)} ."
        for _ in range(600)
    ]
    (folder / "text.txt").write_text("\n".join(lines), "utf-8")
    with open(folder / "dev.m2", "w", encoding="utf-8") as file:
        for line in lines[:120]:
            words = line.split()
            wrong = [
                w.replace("í", "i") if "í" in w and draw.random() < 0.4 else w.replace("ř", "ž")
                for w in words
            ]
            file.write(f"S {' '.join(wrong)}\n")
            for i, (one, two) in enumerate(zip(wrong, words, strict=True)):
                if one != two:
                    file.write(f"A {i} {i + 1}|||SPELL|||{two}|||REQUIRED|||-NONE-|||0\n")
            file.write("\n")
    command = [
        sys.executable, "tools/models/build.py", str(folder / "text.txt"), "--lang", "xx",
        "--annotated", str(folder / "dev.m2"), "--output", str(folder / "xx.channel"), *options,
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.needs("kenlm")
def test_three_language_models_are_estimated_and_weighted(tmp_path: Path) -> None:
    printed = build(tmp_path, "--tagger", "embedded:cs", "--error-model", "em", "--arpa", str(tmp_path))
    assert "log-likelihood" in printed
    model = NoisyChannel.load(tmp_path / "xx.channel")
    assert model.errors.replace["í", "i"] > 0.2
    assert Corrector(model).correct(["Eva slyši řeku , protože vidi ."]) == [
        "Eva slyší řeku , protože vidí ."
    ]
    import kenlm

    for name in ("forms", "lemmas", "tags"):
        path = str(tmp_path / f"{name}.arpa")
        ours = read_arpa(path)
        words = [*ours.words[3:9], "neznámé"]
        assert kenlm.Model(path).score(" ".join(words)) * math.log(10) == pytest.approx(
            sentence_log(ours, words), abs=1e-3
        )


def test_a_language_model_without_weight_is_left_out(tmp_path: Path) -> None:
    build(tmp_path, "--tagger", "embedded:cs", "--weights", "language=0.6", "tag=0.2", "change=0")
    model = NoisyChannel.load(tmp_path / "xx.channel")
    assert model.morphology is not None
    assert len(model.morphology.tags) > 0 == len(model.morphology.lemmas)
    assert Corrector(model).correct(["Eva slyši řeku , protože vidi ."]) == [
        "Eva slyší řeku , protože vidí ."
    ]


def test_a_model_needs_no_tagger(tmp_path: Path) -> None:
    build(tmp_path, "--error-model", "counts", "--weights", "change=0.5")
    model = NoisyChannel.load(tmp_path / "xx.channel")
    assert model.morphology is None
    assert Corrector(model).correct(["Eva slyši ženu ."]) == ["Eva slyší ženu ."]
