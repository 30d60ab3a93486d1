"""The I-measure against a slow transcription of its specification, with and without mixing."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from errata import Annotation, Corpus, Edit, IMeasure, Segment
from errata.metrics.imeasure import MAXIMISE
from errata.metrics.imeasure_references import TooManyCandidatesError
from oracles import imeasure as oracle

Case = tuple[oracle.Tokens, oracle.Tokens, list[list[oracle.Edit]]]  # source, hypothesis, edits by annotator


def cases(seed: int, number: int, annotators: int = 3) -> list[Case]:
    """Sentences of few words; hypotheses that follow some annotator's edits, and change other words."""
    chance = random.Random(seed)
    found: list[Case] = []
    for _ in range(number):
        source = tuple(chance.choices("abcd", k=chance.choice([1, 2, 3, 3, 4, 6])))
        gold: list[list[oracle.Edit]] = []
        for _ in range(chance.randint(0, annotators)):
            edits: list[oracle.Edit] = []
            place = 0
            while chance.random() < 0.6:
                start = chance.randint(place, len(source))
                end = min(start + chance.choice([0, 1, 1, 2]), len(source))
                edits.append((start, end, " ".join(chance.choices("abcde", k=chance.choice([0, 1, 1, 2])))))
                place = end + (start == end)
                if place > len(source):
                    break
            if edits and chance.random() < 0.1:  # the same span twice
                edits.append((*edits[-1][:2], "f"))
            gold.append(edits)
        hypothesis = source
        if gold and chance.random() < 0.7:
            spans = {edit[:2]: edit for edit in chance.choice(gold)}
            hypothesis = oracle.applied(
                source, chance.sample([*spans.values()], k=chance.randint(0, len(spans)))
            )
        words = list(hypothesis)
        for _ in range(chance.randint(0, 2)):
            place = chance.randint(0, len(words))
            words[place : place + chance.randint(0, 1)] = chance.choices("abcdex", k=chance.randint(0, 1))
        found.append((source, tuple(words), gold))
    return found


def segment(source: oracle.Tokens, annotators: list[list[oracle.Edit]]) -> Segment:
    text = " ".join(source)
    annotations = tuple(
        Annotation(text, edits=[Edit(*edit) for edit in edits], annotator=number)
        for number, edits in enumerate(annotators)
    )
    return Segment(text, annotations or (Annotation(text, edits=(), implicit=True),))


def rows_of(case: Case, mix: bool) -> list[list[int]]:
    """The counts of every candidate and, behind them, TN and FN of the source against it."""
    source, hypothesis, annotators = case
    rows = []
    for reference in oracle.candidates(source, annotators, mix):
        base = oracle.counts(source, source, reference)
        rows.append([*oracle.counts(source, hypothesis, reference), base[1], base[3]])
    return rows


def best(rows: list[list[int]], maximise: str = "cwacc") -> list[int]:
    return max(rows, key=lambda row: oracle.keys(row[:5], [0, row[5], 0, row[6], 0], maximise))


@pytest.mark.slow
@pytest.mark.parametrize("mix", [False, True])
def test_counts_and_choices_are_what_the_specification_says(mix: bool) -> None:
    several = cases(1 + mix, 2000, 3 - mix)
    metric = IMeasure(mix=mix)
    corpus = Corpus([segment(source, annotators) for source, _, annotators in several])
    statistics = metric.statistics(corpus, [" ".join(case[1]) for case in several], jobs=1)
    chosen = statistics.values[metric.chosen(statistics)].tolist()
    for i, case in enumerate(several):
        expected = rows_of(case, mix)
        ours = statistics.values[statistics.offsets[i] : statistics.offsets[i + 1]].tolist()
        assert sorted(ours) == sorted(expected), case
        assert chosen[i] == best(expected), case
    total = np.sum(chosen, axis=0).tolist()
    expected_i = oracle.measures(total[:5], [0, total[5], 0, total[6], 0])["i"]
    assert metric.score(statistics).value == pytest.approx(expected_i, rel=1e-12)


@pytest.mark.parametrize("maximise", MAXIMISE)
def test_references_are_chosen_by_every_measure_and_count(maximise: str) -> None:
    several = [case for case in cases(5, 300) if len(case[2]) > 1]
    metric = IMeasure(maximise=maximise)
    corpus = Corpus([segment(source, annotators) for source, _, annotators in several])
    statistics = metric.statistics(corpus, [" ".join(case[1]) for case in several], jobs=1)
    chosen = statistics.values[metric.chosen(statistics)].tolist()
    for case, row in zip(several, chosen, strict=True):
        assert row == best(rows_of(case, False), maximise), case


def test_mixing_without_writing_out_the_references_gives_the_same_rows() -> None:
    done = 0
    for case in cases(9, 500):
        source, hypothesis, annotators = case
        corpus = Corpus([segment(source, annotators)])
        try:
            found = IMeasure(mix=True, max_candidates=2).statistics(corpus, [" ".join(hypothesis)], jobs=1)
        except TooManyCandidatesError:
            continue
        rows = rows_of(case, True)
        done += len(rows) > 2
        assert sorted(map(tuple, found.values.tolist())) == sorted(set(map(tuple, rows))) or len(rows) <= 2
    assert done > 3


def test_the_signature_names_the_release_whose_tokenisation_is_followed() -> None:
    assert "|retokenize:nltk3.4.5|" in IMeasure().signature
    assert "|retokenize:no|" in IMeasure(retokenize=False).signature


# -- the drop-ins -----------------------------------------------------------------------------------

M2 = (
    "S a b c\nA 1 2|||X|||-NONE-|||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
)


def test_m2_to_ixml_keeps_none_as_a_word_and_warns(run, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(M2)
    done = run("compat", "m2_to_ixml", "-in:gold.m2", "-out:gold.ixml")
    assert done.returncode == 0
    assert "1 edits have the correction -NONE-" in done.stderr
    assert '<c end="2" start="1">-NONE-</c>' in (tmp_path / "gold.ixml").read_text()
    assert run("corpus", "convert", "gold.m2", "ours.ixml").returncode == 0
    assert '<c end="2" start="1"></c>' in (tmp_path / "ours.ixml").read_text()


def test_ieval_falls_back_with_a_warning_and_shows_alignments(run, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(M2)
    (tmp_path / "hyp").write_text("a c\n")
    arguments = ("compat", "ieval", "-ref:gold.m2", "-hyp:hyp", "-nomix")
    plain = run(*arguments)
    assert "Maximising metric  : WACC - CORRECTION" in plain.stdout
    for wrong in ("-max:zz", "-max:", "-opt:all"):
        done = run(*arguments, wrong)
        assert (done.returncode, done.stdout) == (0, plain.stdout)
        assert f"warning: {wrong} is unknown" in done.stderr
    counted = run(*arguments, "-max:dfp")
    assert "Maximising metric  : FP - DETECTION" in counted.stdout
    assert not counted.stderr
    verbose = run(*arguments, "-v").stdout
    assert verbose.endswith(plain.stdout)
    assert len(verbose) > len(plain.stdout)
