"""GoToScorer: the case of another implementation, weights by hand, and the specification transcribed."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, EditedLines, Segment
from errata.errors import DataError
from errata.metrics.batch import Batch
from errata.metrics.gotoscorer import GoToScorer
from errata.metrics.results import Results
from oracles import gotoscorer as oracle


@pytest.mark.parametrize("beta", [0.5, 2])
def test_the_case_of_another_implementation_has_its_scores(golden, beta) -> None:
    case = json.loads((golden / "gotoscorer/case.json").read_text())
    references = list(map(list, zip(*case["references"], strict=True)))
    score = GoToScorer(weights="none", beta=beta).score(case["source"], case["output"], references)
    wanted = case["expected"][f"beta {beta:g}"]
    assert score.value == pytest.approx(wanted["corpus"], abs=1e-15)
    sentences = wanted["sentence (never really asserted upstream)"]
    assert score.sentences.tolist() == pytest.approx(sentences, abs=1e-15)


def test_chunks_are_those_of_the_case(golden) -> None:
    case = json.loads((golden / "gotoscorer/case.json").read_text())
    for source, chunks in zip(case["source"], case["output_chunks"], strict=True):
        edits = [Edit(start, end, text, kind) for start, end, text, kind in chunks if kind]
        wanted = [(start, end, text, bool(kind)) for start, end, text, kind in chunks]
        assert oracle.chunks(source.split(), [(e.start, e.end, e.correction) for e in edits]) == wanted
        corpus = corpus_of((source, edits))
        _, sizes = GoToScorer(references="given", tagger="embedded").chosen(Batch(corpus, [""]))
        assert sizes.tolist() == [len(wanted)]


def corpus_of(*golds: tuple[str, list[Edit]]) -> Corpus:
    return Corpus([Segment(source, (Annotation(source, edits=edits),)) for source, edits in golds])


def lines_of(corpus: Corpus, made: list[list[Edit]]) -> EditedLines:
    texts = [Annotation(s.source, edits=edits).text for s, edits in zip(corpus, made, strict=True)]
    return EditedLines(texts, made)


def test_weights_are_the_share_of_systems_that_fail_at_the_same_span() -> None:
    """The text `x` at another place of the sentence does not count: it is compared with its span."""
    corpus = corpus_of(("a b", [Edit(0, 1, "x", "R:OTHER")]))
    systems = {
        "right": lines_of(corpus, [[Edit(0, 1, "x", "R:OTHER")]]),
        "elsewhere": lines_of(corpus, [[Edit(1, 2, "x", "R:OTHER")]]),
        "nothing": lines_of(corpus, [[]]),
    }
    results = Results.compute(corpus, systems, [GoToScorer(references="given")])
    settled = results.score("right").settled
    # gap, a→x, gap, b, gap: only one of three has the edit, two have b, all have the gaps
    assert settled["weights"].tolist() == pytest.approx([0, 2 / 3, 0, 1 / 3, 0])
    assert settled["systems"] == "right,elsewhere,nothing"
    parts = results.score("elsewhere").parts
    assert [parts[name] for name in ("tp", "fp", "fn")] == pytest.approx([0, 1 / 3, 2 / 3])
    assert results.score("right").value == 1


def test_the_signature_depends_on_the_systems_behind_the_weights() -> None:
    corpus = corpus_of(("a b", [Edit(0, 1, "x", "R:OTHER")]))
    one = lines_of(corpus, [[Edit(0, 1, "x", "R:OTHER")]])
    other = lines_of(corpus, [[]])
    metric = GoToScorer(references="given", tagger="embedded")
    alone = Results.compute(corpus, {"A": one}, [metric]).score("A").signature
    beside = Results.compute(corpus, {"A": one, "B": other}, [metric]).score("A").signature
    assert alone != beside


def random_edits(generator: random.Random, length: int) -> list[Edit]:
    edits, place = [], 0
    while place <= length:
        start = generator.randint(place, length + 2)
        if start > length:
            break
        end = min(length, start + generator.randint(0, 2))
        text = " ".join(generator.choices("abc", k=generator.randint(0 if end > start else 1, 2)))
        edits.append(Edit(start, end, text, "R:OTHER"))
        place = end + 1
    return edits


def test_random_edits_have_the_counts_of_the_specification() -> None:
    generator = random.Random(8)
    plain = lambda edits: [(e.start, e.end, e.correction) for e in edits]  # noqa: E731
    for _ in range(300):
        sources = [" ".join(generator.choices("abcd", k=generator.randint(1, 6))) for _ in range(3)]
        gold = [random_edits(generator, len(source.split())) for source in sources]
        corpus = corpus_of(*zip(sources, gold, strict=True))
        made = {name: [random_edits(generator, len(source.split())) for source in sources] for name in "ABC"}
        results = Results.compute(
            corpus,
            {name: lines_of(corpus, edits) for name, edits in made.items()},
            [GoToScorer(references="given", tagger="embedded")],
        )
        for name in made:
            rows = []
            for i, source in enumerate(sources):
                tokens = source.split()
                wanted = oracle.chunks(tokens, plain(gold[i]))
                systems = [oracle.chunks(tokens, plain(made[other][i])) for other in "ABC"]
                mine = systems["ABC".index(name)]
                rows.append(oracle.counts(wanted, mine, oracle.weights(wanted, systems)))
            assert results.score(name).statistics.values == pytest.approx(np.array(rows), abs=1e-12)


def test_weights_of_another_corpus_are_refused(tmp_path) -> None:
    corpus = corpus_of(("a b", [Edit(0, 1, "x", "R:OTHER")]))
    path = tmp_path / "weights.txt"
    path.write_text("0.5 1 0.5 1 0.5\n")
    score = GoToScorer(references="given", weights=str(path)).score(corpus, lines_of(corpus, [[]]))
    assert score.parts["fn"] == 1
    path.write_text("0.5 1 0.5\n")
    with pytest.raises(DataError, match="do not fit segment 1, which has 5 chunks"):
        GoToScorer(references="given", weights=str(path)).score(corpus, lines_of(corpus, [[]]))
    for text in ("0.5 x", "0.5 nan", "-1"):
        path.write_text(f"1 1\n{text}\n")
        with pytest.raises(DataError, match=r"weights.txt:2"):
            GoToScorer(references="given", weights=str(path)).score(corpus, lines_of(corpus, [[]]))
    path.write_text("0.5 1 0.5 1 0.5\n1\n")
    with pytest.raises(DataError, match="weights of 2 segments for a corpus of 1"):
        GoToScorer(references="given", weights=str(path)).score(corpus, lines_of(corpus, [[]]))
