"""The audit: which outputs nobody wants a metric rewards."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from errata.corpus.formats import read_corpus
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.meta.audit import (
    audit,
    damaged,
    gaming_table,
    probes,
    robustness,
    score_attacks,
    wrong_corrections,
)
from errata.metrics.gleu import GLEU
from errata.metrics.imeasure import IMeasure
from errata.metrics.m2 import M2
from errata.metrics.results import Results
from errata.metrics.simple_metrics import WER, ExactMatch, Length

SOURCES = [
    "He go to school every day .",
    "She have a dog and cat .",
    "It were nice to meeting you .",
    "All is well .",
]
REFERENCES = [
    "He goes to school every day .", "She has a dog and a cat .", "It was nice to meet you .", "All is well ."
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_lists(SOURCES * 10, REFERENCES * 10)


def test_damage_grows_with_its_rate_and_is_the_same_for_the_same_seed() -> None:
    texts = SOURCES * 5
    assert damaged(texts, 0.0, 1) == texts
    assert damaged(texts, 0.4, 1) == damaged(texts, 0.4, 1) != damaged(texts, 0.4, 2)
    changed = [
        sum(a != b for a, b in zip(texts, damaged(texts, rate, 1), strict=True)) for rate in (0.05, 0.2, 0.8)
    ]
    assert changed == sorted(changed)
    assert changed[0] < changed[2]


def test_every_error_is_found_and_none_corrected() -> None:
    corpus = Corpus.from_lists(SOURCES, REFERENCES)
    assert wrong_corrections(corpus)[0] == "He X to school every day ."
    assert wrong_corrections(corpus)[3] == "All is well ."


def test_m2_rewards_damage_and_the_i_measure_does_not(corpus: Corpus) -> None:
    assert audit(IMeasure(), corpus).faults == 0
    faults = {f.probe.name: f.fault for f in audit(M2(), corpus, [0.1, 0.5]).findings if f.fault}
    assert "X for every sentence" in faults
    assert "tied" in faults["X for every error"]


def test_gleu_rewards_wrong_corrections_of_errors(data: Path) -> None:
    """Chollampatt & Ng (2018) §4: an error replaced by another one scores better than the error."""
    gold = read_corpus(data / "conll14" / "test.m2")
    found = {f.probe.name: f for f in audit(GLEU(sampling="all"), gold).findings}
    assert found["X for every error"].fault.startswith("rewarded")
    assert found["X for every sentence"].fault == ""


def test_a_metric_where_less_is_better_is_read_the_right_way_round(corpus: Corpus) -> None:
    found = audit(WER(), corpus, [0.0, 1.0])
    assert found.reference == 0 < found.source
    by_name = {f.probe.name: f for f in found.findings}
    assert by_name["everything deleted"].fault == ""
    assert by_name["references mixed"].fault == ""
    assert by_name["references mixed"].rank == 1


def test_an_audit_without_references_is_an_error() -> None:
    with pytest.raises(DataError, match="needs references"):
        audit(M2(), Corpus.from_lists(["a"]))


def test_one_sentence_is_enough() -> None:
    made = audit(GLEU(), Corpus.from_lists(["a b c d"], ["a b c e"]))
    assert len(made.findings) == len(probes())


@pytest.mark.slow
def test_audit_on_the_command_line_reproduces_napoles_2015(run: Callable, data: Path, tmp_path: Path) -> None:
    folder = data / "conll14"
    systems = [file for file in sorted((folder / "systems").glob("*.txt")) if file.stem != "INPUT"]
    done = run(
        "meta", "audit", "--m2", folder / "test.m2", "--hyp", *systems, "--metric", "m2", "--format", "tsv",
        "--plot", "audit.svg",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    row = next(
        line.split("\t") for line in done.stdout.splitlines() if line.startswith("X for every sentence")
    )
    assert (round(float(row[1]), 2), row[2]) == (0.28, "6")
    assert (tmp_path / "audit.svg").read_text().startswith("<?xml")


def test_blanks_do_not_matter_and_additions_do_not_help(corpus: Corpus) -> None:
    for metric in (M2(), GLEU(), IMeasure(), WER()):
        assert robustness(metric, corpus).faults == 0
    found = {one.probe.name: one.fault for one in robustness(Length(), corpus).findings}
    assert found["blanks doubled"] == "changed, but must stay the same"
    assert found["everything twice"] == found["an instruction appended"] == "rewarded: above the reference"
    assert found["the first half"] == ""


def test_damage_is_of_four_kinds_in_equal_shares() -> None:
    tokens = [f"w{i}" for i in range(4000)]
    (text,) = damaged([" ".join(tokens)], 0.1, 1)
    found = text.split()
    place = {token: i for i, token in enumerate(tokens)}
    steps = [place[b] - place[a] for a, b in pairwise(found)]
    doubled, missing = steps.count(0), len(tokens) - len(set(found))
    swapped = steps.count(-1)
    deleted = len(tokens) + doubled - len(found)
    replaced = missing - deleted
    for number in (doubled, swapped, deleted, replaced):  # 400 damaged tokens: 100 of each kind are expected
        assert 70 < number < 130


def test_the_best_attack_on_a_metric_its_gain_and_the_systems_below_it() -> None:
    corpus = Corpus.from_lists(["She see him .", "He go ."], [["She sees him ."], ["He goes ."]])
    outputs = {"good": ["She sees him .", "He goes ."], "bad": ["She see she .", "He go ."]}
    metrics = [ExactMatch(), WER()]
    attacked = score_attacks(corpus, metrics, {"attack": ["She sees him . .", "He goes ."]})
    rows = gaming_table(attacked, Results.compute(corpus, outputs, metrics)).rows
    assert rows[0] == ["exact", "attack", 0.0, 0.5, 0.5, 1.0, 0.5, 1]
    assert rows[1] == [
        "wer",
        "attack",
        *(pytest.approx(k / 7) for k in (2, 1, 1)),
        0.0,
        pytest.approx(0.5),
        1,
    ]
    with pytest.raises(DataError, match="an attack cannot be called 'a a a'"):
        score_attacks(corpus, metrics, {"a a a": corpus.sources})
