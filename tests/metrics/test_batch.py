"""Many candidates in one call score as they do one by one, by every metric."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import M2, DataError, Edit, sample
from errata.corpus.model import Corpus
from errata.metrics import metric
from errata.metrics import nbest as many
from errata.metrics.base import Metric
from errata.text.vocabulary import Vocabulary
from metric_names import READY

# Metrics with a first pass take it over the whole batch, so that a candidate's score depends on the others.
ALONE = {name: f"{name}:weights=none" for name in ("cleme", "gotoscorer", "sentcleme")}
SPECIFICATIONS = [
    *(ALONE.get(name, name) for name in READY),
    "errant:tagger=embedded,mode=token",
    "errant:tagger=embedded,types=yes",
    "gleu:variant=paper,n=2",
    "gleu2015:lambda_=0.1",
    "imeasure:mix=yes",
    "chrf:word_order=2",
    "m2:sentence=last",
    "m2:ignore_whitespace_casing=yes",
]
WORDS = st.lists(
    st.sampled_from(["the", "The", "cats", "cat", ",", "sat", "on", "a", "mat", "."]), max_size=7
)
TEXTS = st.builds(lambda words, gap: gap.join(words), WORDS, st.sampled_from([" ", " ", "  ", "\u00a0"]))
GROUPS = st.lists(
    st.tuples(TEXTS, st.lists(TEXTS, max_size=5), st.lists(TEXTS, min_size=1, max_size=3)), max_size=3
)
Groups = list[tuple[str, list[str], list[str]]]


def columns(groups: Groups) -> tuple[list[str], list[list[str]], list[list[str]]]:
    return [g[0] for g in groups], [g[1] for g in groups], [g[2] for g in groups]


def alone(scorer: Metric, source: str, hypothesis: str, references: list[str]) -> float:
    """The slow way: one call for a sentence."""
    return float(scorer.score([source], [hypothesis], [references], jobs=1).sentences[0])


@pytest.mark.parametrize("specification", SPECIFICATIONS)
@given(groups=GROUPS)
@settings(max_examples=8, deadline=None)
def test_a_batch_scores_as_every_candidate_by_itself(specification: str, groups: Groups) -> None:
    scorer = metric(specification)
    sources, candidates, references = columns(groups)
    found = scorer.score_batch(sources, candidates, references, jobs=1)
    slow = [[alone(scorer, s, c, given) for c in some] for s, some, given in groups]
    assert [scores.tolist() for scores in found] == slow


@pytest.mark.parametrize("specification", SPECIFICATIONS)
@given(groups=GROUPS)
@settings(max_examples=6, deadline=None)
def test_all_pairs_score_as_every_pair_by_itself(specification: str, groups: Groups) -> None:
    scorer = metric(specification)
    sources, candidates, references = columns(groups)
    found = scorer.score_pairs(sources, candidates, jobs=1)
    assert [m.tolist() for m in found] == [
        [[alone(scorer, s, hypothesis, [other]) for other in some] for hypothesis in some]
        for s, some, _ in groups
    ]
    found = scorer.score_pairs(sources, candidates, references, jobs=1)
    assert [m.tolist() for m in found] == [
        [[alone(scorer, s, hypothesis, [other]) for other in given] for hypothesis in some]
        for s, some, given in groups
    ]


@pytest.mark.parametrize("name", READY)
def test_real_candidates_in_blocks_and_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sample.load("en")
    scorer = metric(ALONE.get(name, name))
    number = 3 if name == "cherrant" else 20  # alignments of characters take long
    sources = made.corpus.sources[:number]
    candidates = [[lines[i] for lines in made.outputs.values()] for i in range(number)]
    whole = scorer.score_batch(made.corpus[:number], candidates)
    matrices = scorer.score_pairs(sources, candidates)
    for k, lines in enumerate(made.outputs.values()):
        expected = scorer.score(made.corpus[:number], lines[:number]).sentences
        assert [scores[k] for scores in whole] == expected.tolist()
        for j, others in enumerate(made.outputs.values()):
            expected = scorer.score(sources, lines[:number], list(others[:number])).sentences
            assert [matrix[k, j] for matrix in matrices] == expected.tolist()
    monkeypatch.setattr(many, "_BLOCK", 20)
    assert all(map(np.array_equal, whole, scorer.score_batch(made.corpus[:number], candidates, jobs=2)))
    assert all(map(np.array_equal, matrices, scorer.score_pairs(sources, candidates, jobs=1)))


def test_the_tie_goes_to_the_first_candidate() -> None:
    candidates = ["He goes home .", "He went home .", "He goes home ."]
    (choice,) = M2().mbr(["He go home ."], [candidates])
    assert choice == (0, "He goes home .", 2 / 3)
    (choice,) = M2().mbr(["He go home ."], [candidates[1:]])
    assert choice == (0, "He went home .", 0.5)


def test_equal_means_are_equal_in_whatever_order_they_are_added() -> None:
    tenths = np.array([[0.1, 0.2, 0.3, 0.6], [0.6, 0.3, 0.2, 0.1]])
    assert tenths[0].sum() != tenths[1].sum()
    assert many._best(tenths, None, True) == (0, 0.3)
    assert many._best(tenths[::-1], None, True) == (0, 0.3)


def test_weights_are_those_of_the_references() -> None:
    candidates = ["He goes home .", "He went home ."]
    (choice,) = M2().mbr(["He go home ."], [candidates], weights=[[0.25, 0.75]])
    assert choice == (1, "He went home .", 0.75)
    with pytest.raises(DataError, match="weights of source 1"):
        M2().mbr(["He go home ."], [candidates], weights=[[1.0]])


def test_lower_is_better_for_error_rates() -> None:
    candidates = ["a b c", "a b d", "a b d"]
    assert metric("ter").mbr(["a b c"], [candidates])[0].number == 1


def test_references_may_be_edits() -> None:
    edits = [[Edit(1, 2, "goes")], "He went home ."]
    (scores,) = M2().score_batch(["He go home ."], [["He goes home .", "He go home ."]], [edits])
    assert scores.tolist() == [1.0, 0.0]
    scorer = M2().scorer("He go home .", edits)
    assert [scorer("He goes home .").f, scorer("He go home .").f] == scores.tolist()


def test_a_corpus_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_lists(["He go home ."], [["He goes home ."]])
    M2().score_batch(corpus, [["He goes home ."]])
    encoded: list[str] = []
    encode_lines = Vocabulary.encode_lines
    monkeypatch.setattr(
        Vocabulary,
        "encode_lines",
        lambda self, lines: encode_lines(self, [encoded.append(x) or x for x in lines]),
    )
    M2().score_batch(corpus, [["He goes home .", "He went home .", "He goes home ."]])
    assert encoded == ["He goes home .", "He went home ."]


def test_nothing_to_score_gives_nothing() -> None:
    assert M2().score_batch([], [], []) == []
    assert M2().score_pairs([], []) == []
    (scores,) = M2().score_batch(["a"], [[]], [["a"]])
    assert scores.shape == (0,)
    (matrix,) = M2().score_pairs(["a"], [[]])
    assert matrix.shape == (0, 0)
    with pytest.raises(DataError, match="source 1 has no candidate"):
        M2().mbr(["a"], [[]])


def test_one_string_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(DataError, match="hypotheses are one string"):
        M2().score(["a"], "a", [["a"]])
    with pytest.raises(DataError, match="sources are one string"):
        M2().score("a", ["a"], [["a"]])
    with pytest.raises(DataError, match="references are one string"):
        M2().score(["a"], ["a"], "a")
    with pytest.raises(DataError, match="candidates of source 1 are one string"):
        M2().score_batch(["a"], ["a b"], [["a"]])
    with pytest.raises(DataError, match="1 lists of candidates for 2 sources"):
        M2().score_pairs(["a", "b"], [["a"]])


def test_errors_name_the_source_at_fault() -> None:
    sources, good = ["a", "b", "c"], [["a"], ["b"], ["c"]]
    scorer = M2()
    with pytest.raises(DataError, match="the candidates of source 2 are one string"):
        scorer.score_batch(sources, [["a"], "b", ["c"]], good)
    with pytest.raises(DataError, match="the references of source 2 are one string"):
        scorer.score_pairs(sources, good, [["a"], "b", ["c"]])
    with pytest.raises(DataError, match="the references of source 3: entry 1, counted from 0, is None"):
        scorer.score_pairs(sources, good, [["a"], ["b"], ["c", None]])
    with pytest.raises(DataError, match="2 lists of references for 3 sources"):
        scorer.score_pairs(sources, good, good[:2])
    with pytest.raises(DataError, match="source 2 has no candidate to choose from"):
        scorer.mbr(sources, [["a"], [], ["c"]])
    with pytest.raises(DataError, match="source 3 has no reference to compare with"):
        metric("id").mbr(sources, good, [["a"], ["b"], []])
    with pytest.raises(DataError, match="2 lists of weights for 3 sources"):
        scorer.mbr(sources, good, weights=[[1.0], [1.0]])
    for wrong in ([1.0, 1.0], [-1.0], [0.0], [float("nan")]):
        with pytest.raises(DataError, match="the weights of source 2 are not 1 numbers"):
            scorer.mbr(sources, good, weights=[[1.0], wrong, [1.0]])


def test_a_repeated_corpus_is_what_selecting_makes() -> None:
    corpus = sample.load("en").corpus
    numbers = np.array([3, 3, 0, 7, 3])
    repeated, selected = corpus.repeat(numbers), Corpus([corpus[number] for number in numbers.tolist()])
    assert repeated.sources == selected.sources
    assert repeated.reference_texts() == selected.reference_texts()
    assert list(repeated) == list(selected)
    tokens = np.array(corpus.vocabulary.tokens)
    for name in ("source_ids", "reference_ids", "edit_ids"):
        ours, theirs = getattr(repeated, name), getattr(selected, name)
        pairs = {"source_ids": (ours, theirs)}.get(name) or (
            (ours.ids, theirs.ids) if name == "reference_ids" else (ours.tokens, theirs.tokens)
        )
        tokens, others = np.array(corpus.vocabulary.tokens), np.array(selected.vocabulary.tokens)
        assert tokens[pairs[0].values].tolist() == others[pairs[1].values].tolist()
        assert pairs[0].offsets.tolist() == pairs[1].offsets.tolist()
    for field in ("rows", "annotators", "edits", "spans", "corrections"):
        assert np.array_equal(getattr(repeated.edit_ids, field), getattr(selected.edit_ids, field))


def test_the_recipes_run() -> None:
    page = (Path(__file__).parents[2] / "docs" / "candidates.md").read_text(encoding="utf-8")
    recipes = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    assert len(recipes) == 3
    rewards: dict[str, Any] = {}
    exec(recipes[0], rewards)
    assert rewards["rewards"].shape == (len(rewards["corpus"]), len(rewards["data"].outputs))
    assert np.allclose(rewards["advantages"].sum(axis=1), 0)
    chosen: dict[str, Any] = {}
    exec(recipes[2], chosen)
    assert len(chosen["output"]) == len(chosen["sources"])
    assert all(text in some for text, some in zip(chosen["output"], chosen["candidates"], strict=True))
