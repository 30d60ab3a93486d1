"""BLEU and TER: sacreBLEU's numbers, and what must hold for any text."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import BLEU, TER, Corpus, DataError
from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata.corpus.parallel import read_parallel
from errata.report.explanations import explanation_text

ORACLE = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
SENTENCE_ORACLE = sacrebleu.BLEU(tokenize="none", effective_order=True)
TER_ORACLE = sacrebleu.TER(case_sensitive=True)


def streams(corpus: Corpus) -> list[list[str | None]]:
    """References as sacreBLEU takes them; None where a segment has fewer than others."""
    most = max(len(segment.annotations) for segment in corpus)
    return [[([*s.references] + [None] * most)[i] for s in corpus] for i in range(most)]


@pytest.fixture(scope="module")
def corpora(data: Path) -> dict[str, Corpus]:
    """Every reference set there is."""
    source = data / "conll14/source.txt"
    found = {"NUCLE": read_parallel(source, [data / f"conll14/refs/nucle{i}.txt" for i in (0, 1)])}
    found["M2"] = read_m2(data / "conll14/test.m2")
    for who in ("expert", "turker"):
        for how in ("fluency", "minimal"):
            found[f"{who} {how}"] = read_parallel(
                source, [data / f"reassess/{who}_{how}{version}.txt" for version in "AB"]
            )
    return found


@pytest.fixture(scope="module")
def outputs(data: Path) -> dict[str, list[str]]:
    return {path.stem: read_lines(path) for path in sorted((data / "conll14/systems").glob("*.txt"))}


@pytest.mark.slow
def test_corpus_bleu_equals_sacrebleu_on_all_systems_and_reference_sets(corpora, outputs) -> None:
    assert len(outputs) == 13
    for number, (name, corpus) in enumerate(corpora.items()):
        # The oracle is slow: all sentences of one set, every fourth of the others.
        chosen = range(number, len(corpus), 1 if name == "NUCLE" else 4)
        part = corpus.select(chosen)
        oracle = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True, references=streams(part))
        for hypotheses in outputs.values():
            lines = [hypotheses[i] for i in chosen]
            expected = oracle.corpus_score(lines, None).score / 100
            assert BLEU().score(part, lines).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_bleu_and_ter_equal_sacrebleu_on_jfleg(part, data) -> None:
    folder = data / "jfleg" / part
    source = read_lines(folder / f"{part}.src")
    references = [read_lines(folder / f"{part}.ref{i}") for i in range(4)]
    corpus = Corpus.from_lists(source, [list(texts) for texts in zip(*references[1:], strict=True)])
    for hypotheses in (source, references[0]):
        score = BLEU().score(corpus, hypotheses)
        expected = ORACLE.corpus_score(hypotheses, references[1:]).score / 100
        assert score.value == pytest.approx(expected, abs=1e-9)
        sentences = [
            SENTENCE_ORACLE.sentence_score(h, segment.references).score / 100
            for h, segment in zip(hypotheses, corpus, strict=True)
        ]
        assert score.sentences == pytest.approx(sentences, abs=1e-9)
        part_of = slice(None, None, 10)  # the oracle is slow
        ours = TER().score(corpus[part_of], hypotheses[part_of])
        theirs = TER_ORACLE.corpus_score(hypotheses[part_of], [texts[part_of] for texts in references[1:]])
        assert ours.value == pytest.approx(theirs.score / 100, abs=1e-12)


@pytest.mark.slow
def test_ter_edits_of_sentences_equal_sacrebleus_on_all_systems(corpora, outputs) -> None:
    # The oracle takes half a minute for one system: each gets other sentences, NTHU its misaligned ones, too.
    for number, (system, hypotheses) in enumerate(outputs.items()):
        for name, step in (("NUCLE", 26), ("turker fluency", 130)):
            misaligned = range(39, 44) if system == "NTHU" and name == "NUCLE" else ()
            chosen = sorted({*range(number, 1312, step), *misaligned})
            corpus = corpora[name].select(chosen)
            lines = [hypotheses[i] for i in chosen]
            edits, lengths = TER().best(TER().statistics(corpus, lines))
            for i, (line, segment) in enumerate(zip(lines, corpus, strict=True)):
                expected = TER_ORACLE.sentence_score(line, segment.references)
                assert (edits[i].sum(), lengths[i]) == (expected.num_edits, expected.ref_length), line


texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=14).map(" ".join)
triples = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))


@settings(max_examples=300, deadline=None)
@given(triples)
def test_any_sentence_gets_sacrebleus_bleu_and_ter(pair) -> None:
    hypothesis, references = pair
    bleu = BLEU().score([""], [hypothesis], [references])
    expected = SENTENCE_ORACLE.sentence_score(hypothesis, references).score / 100
    assert bleu.sentences[0] == pytest.approx(expected, abs=1e-9)
    assert 0 <= bleu.value <= 1 + 1e-12
    ter = TER().score([""], [hypothesis], [references])
    theirs = TER_ORACLE.sentence_score(hypothesis, references)
    assert ter.value == ter.sentences[0] == pytest.approx(theirs.score / 100)
    assert ter.parts["ster"] == theirs.num_edits
    kinds = [ter.parts[kind] for kind in ("insertions", "deletions", "substitutions", "shifts")]
    assert sum(kinds) == theirs.num_edits


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 60))
def test_long_and_uneven_sentences_get_sacrebleus_ter(seed, length, other) -> None:
    generator = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(30)])
    reference = generator.choice(words, length).tolist()
    # A hypothesis that shares blocks with the reference, in another order.
    blocks = [reference[i : i + 6] for i in range(0, length, 6)]
    generator.shuffle(blocks)
    hypothesis = [*chain.from_iterable(blocks), *generator.choice(words, other)][: max(1, other)]
    ours, theirs = " ".join(hypothesis), " ".join(reference)
    expected = TER_ORACLE.sentence_score(ours, [theirs]).num_edits
    score = TER().score([""], [ours], [[theirs]])
    assert score.parts["ster"] == expected
    assert score.explain(0).comparisons[0].numbers["edits"] == expected


def test_very_uneven_lengths_widen_the_beam_as_sacrebleu_does() -> None:
    for hypothesis, reference in [("a", "b " * 200 + "a"), ("a b", "c " * 151), ("c " * 120, "a c")]:
        expected = TER_ORACLE.sentence_score(hypothesis, [reference]).num_edits
        assert TER().score([""], [hypothesis], [[reference]]).parts["ster"] == expected


def test_a_shift_is_one_edit_and_explained() -> None:
    score = TER().score(["x"], ["today I go home ."], [["I go home today ."]])
    assert score.parts["shifts"] == 1
    assert score.parts["ster"] == 1
    explanation = score.explain(0)
    assert "today  [moved from 0 to 4]" in explanation_text(explanation)
    plain = json.loads(json.dumps(asdict(explanation)))["comparisons"][0]
    assert plain["numbers"]["edits"] == 1
    assert [column["label"] for column in plain["alignment"]] == [""] * 5


@settings(max_examples=150, deadline=None)
@given(triples)
def test_ter_explanations_rebuild_the_reference(pair) -> None:
    hypothesis, references = pair
    explanation = TER().score([""], [hypothesis], [references]).explain(0)
    for comparison in explanation.comparisons:
        hypothesis_tokens, reference_tokens = (
            [column.tokens[i] for column in comparison.alignment if column.tokens[i]] for i in (0, 1)
        )
        assert (" ".join(reference_tokens),) == comparison.references
        assert sorted(hypothesis_tokens) == sorted(hypothesis.split())
    assert (
        min(c.numbers["edits"] for c in explanation.comparisons)
        == TER().score([""], [hypothesis], [references]).parts["ster"]
    )


def test_bleu_is_explained_by_its_n_grams() -> None:
    score = BLEU().score(["x"], ["the the cat sat"], [["the cat sat", "the cat the"]])
    comparison = score.explain(0).comparisons[0]
    assert [counts.numerator for counts in comparison.ngrams] == score.statistics.values[0, :4].tolist()
    assert comparison.ngrams[0].rewarded == {"the": 2, "cat": 1, "sat": 1}
    assert score.explain(0).score == pytest.approx(score.sentences[0])


def test_empty_texts_have_a_score() -> None:
    for hypothesis, reference, rate in [("", "", 0.0), ("", "a b", 1.0), ("a", "", 1.0)]:
        assert TER().score([""], [hypothesis], [[reference]]).value == rate
        assert BLEU().score([""], [hypothesis], [[reference]]).value == 0
    for metric in (BLEU(), TER()):
        assert np.isfinite(metric.score(Corpus([]), []).value)
        with pytest.raises(DataError, match="segment 1 has no reference"):
            metric.score(["a"], ["a"], [[None]])


def test_2000_tokens_take_bounded_time() -> None:
    line = [f"w{i * 7919 % 300}" for i in range(2000)]
    other = line[1000:] + line[:1000]
    score = TER().score([""] * 2, [" ".join(line), "the " * 2000], [[" ".join(other)], ["the " * 1500 + "a"]])
    assert score.value > 0


_FEW_WORDS = st.lists(st.sampled_from("abcdefg"), max_size=12)


@given(_FEW_WORDS, _FEW_WORDS)
def test_the_explanation_of_ter_leads_from_the_hypothesis_to_the_reference(
    ours: list[str], theirs: list[str]
) -> None:
    score = TER().score([""], [" ".join(ours)], [[" ".join(theirs)]])
    comparison = score.explain(0).comparisons[0]
    columns = comparison.alignment
    assert [column.tokens[1] for column in columns if column.label != "D"] == theirs
    moved = [column.tokens[0] for column in columns if column.label != "I"]
    for shift in reversed(comparison.shifts):  # back to where each block was
        block = shift.tokens.split()
        place = shift.target - len(block) if shift.target > shift.start + len(block) else shift.target
        place = min(place, len(moved) - len(block))  # a place behind the last word is the end
        assert moved[place : place + len(block)] == block
        del moved[place : place + len(block)]
        moved[shift.start : shift.start] = block
    assert moved == ours
    assert all((column.tokens[0] == column.tokens[1]) == (column.label == "") for column in columns)
