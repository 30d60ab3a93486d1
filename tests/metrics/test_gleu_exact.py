"""GLEU+ and its drop-in against a slow transcription of the specification."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from errata import GLEU, Corpus
from errata.cli.compat import overall
from oracles import gleu as oracle

Case = tuple[list[str], list[str], list[list[str]]]  # sources, hypotheses, references of every source


def cases(seed: int, number: int) -> list[Case]:
    """Small corpora whose hypotheses and references are made of their sources; some texts are empty."""
    chance = random.Random(seed)

    def changed(words: list[str]) -> list[str]:
        words = list(words)
        for _ in range(chance.randint(0, 3)):
            place = chance.randint(0, len(words))
            words[place : place + chance.randint(0, 1)] = chance.choices("abcdef", k=chance.randint(0, 2))
        return words

    found = []
    for _ in range(number):
        sources = [
            chance.choices("abcd", k=chance.choice([0, 1, 4, 7, 9])) for _ in range(chance.randint(1, 4))
        ]
        hypotheses = [" ".join(changed(source)) for source in sources]
        references = [[" ".join(changed(source)) for _ in range(chance.randint(1, 3))] for source in sources]
        found.append(([" ".join(source) for source in sources], hypotheses, references))
    return found


def counted(case: Case, variant: str = "code") -> list[list[list[int]]]:
    return [
        [oracle.numbers(source.split(), hypothesis.split(), text.split(), variant) for text in texts]
        for source, hypothesis, texts in zip(*case, strict=True)
    ]


@pytest.mark.parametrize("variant", ["code", "paper"])
@pytest.mark.parametrize("brevity", ["fixed", "inverted"])
def test_gleu_is_what_the_specification_says(variant: str, brevity: str) -> None:
    metric = GLEU(variant=variant, brevity=brevity, iterations=7)  # type: ignore[arg-type]
    for case in cases(len(variant + brevity), 500):
        rows = counted(case, variant)
        statistics = metric.statistics(Corpus.from_lists(case[0], case[2]), case[1], jobs=1)
        assert statistics.values.tolist() == [numbers for row in rows for numbers in row]
        parts = metric.score(statistics).parts
        expected = oracle.corpus(rows, 7, brevity=brevity)
        assert math.isclose(parts["gleu"], expected[0], rel_tol=1e-12, abs_tol=1e-15), case
        assert math.isclose(parts["sd"], expected[1], rel_tol=1e-9, abs_tol=1e-12), case
        expected_scores = [oracle.sentence(row, brevity)[0] for row in rows]
        assert metric.sentence_scores(statistics).tolist() == pytest.approx(expected_scores, rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 6])
def test_the_drop_in_takes_orders_as_the_official_program_does(order: int) -> None:
    metric = GLEU(iterations=5)
    for case in cases(10 + order, 200):
        statistics = metric.statistics(Corpus.from_lists(case[0], case[2]), case[1], jobs=1)
        expected = oracle.corpus(counted(case), 5, order)
        assert overall(metric, statistics, min(order, 4)) == pytest.approx(expected, rel=1e-9, abs=1e-12), (
            case
        )


def test_the_drop_in_prints_what_the_official_program_prints(golden: Path, run, tmp_path: Path) -> None:
    path = golden / "gleu/options/cases.json"
    if not path.is_file():
        pytest.skip("the official outputs with options are not here")
    for case in json.loads(path.read_text())[::2]:
        files = {"s": case["source"], "h": case["hypotheses"]}
        references = {f"r{number}": lines for number, lines in enumerate(case["references"])}
        for name, lines in (files | references).items():
            (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
        done = run("compat", "compute_gleu", *case["options"], "-s", "s", "-r", *references, "-o", "h")
        assert (done.stdout, done.returncode) == (case["output"], case["exit"]), case


def test_the_command_warns_of_orders_and_prints_sentences_with_four(run, tmp_path: Path) -> None:
    texts = {"s": "a b c d e f", "r": "a b x d e f", "h": "a b x d e g"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    row = oracle.numbers(*(texts[name].split() for name in ("s", "h", "r")))
    done = run("compat", "compute_gleu", "-s", "s", "-r", "r", "-o", "h", "-n", 2)
    assert done.stdout == f"h {oracle.score(row, 2):.6f}\n"
    assert done.stderr.count("warning: -n 2") == 1
    assert oracle.score(row, 2) != oracle.score(row, 4)
    for order in (4, 9):
        assert (
            run("compat", "compute_gleu", "-s", "s", "-r", "r", "-o", "h", "-n", order).stdout
            == f"h {oracle.score(row):.6f}\n"
        )
    debug = run("compat", "compute_gleu", "-s", "s", "-r", "r", "-o", "h", "-n", 1, "-d")
    assert f"0 {oracle.sentence([row])[0]:.6f} 0.000000" in debug.stdout
    assert f"{oracle.score(row, 1):.6f} 0.000000 (nan,nan)" in debug.stdout
