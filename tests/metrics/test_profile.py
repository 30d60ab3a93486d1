"""What systems hit, correct wrongly, miss and change without need."""

from __future__ import annotations

import json

import numpy as np
import pytest

from errata import BLEU, sample
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, EditedLines, Segment
from errata.errors import DataError
from errata.meta.breakdowns import SEVERAL, profile
from errata.meta.evaluation import Evaluation
from errata.metrics.cleme import CLEME2
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from errata.report.report_data import Heading, report_data

SOURCE = "a b c d e f g h"
HIT, WRONG, MISSED, UNNECESSARY = range(4)


def edit(place: int, text: str, kind: str = "R:NOUN") -> Edit:
    return Edit(place, place + 1, text, kind)


@pytest.fixture
def results():
    gold = [edit(0, "x"), edit(2, "y", "R:VERB"), edit(4, "z")]
    ours = [edit(0, "x"), edit(2, "w", "R:VERB"), edit(6, "v", "M:DET")]
    segments = [
        Segment(SOURCE, (Annotation(SOURCE, edits=gold),), meta={"domain": "news"}),
        Segment(SOURCE, (Annotation(SOURCE, edits=[]),), meta={"domain": "essays"}),
    ]
    lines = EditedLines([Annotation(SOURCE, edits=ours).text, SOURCE], [ours, []])
    metric = CLEME2(tagger="embedded", references="given", assumption="independent")
    return Results.compute(Corpus(segments), {"A": lines}, [metric])


def test_counts_and_rates_by_hand(results) -> None:
    found = profile(results, labels=["domain"], samples=50)
    whole = found.whole["A"]
    assert whole.counts.tolist() == [1, 1, 1, 1]
    assert whole.rates.tolist() == pytest.approx([1 / 3] * 4)
    assert found.groups["domain"]["news"]["A"].counts.tolist() == [1, 1, 1, 1]
    nothing = found.groups["domain"]["essays"]["A"]
    assert nothing.counts.tolist() == [0, 0, 0, 0]
    assert np.isnan(nothing.rates).all()
    by_type = {kind: systems["A"].counts.tolist() for kind, systems in found.types.items()}
    assert by_type == {"R:NOUN": [1, 0, 1, 0], "M:DET": [0, 0, 0, 1], "R:VERB": [0, 1, 0, 0]}


def test_a_chunk_of_several_types_is_said_to_be_one() -> None:
    gold = [edit(0, "x"), edit(1, "y", "R:VERB")]
    corpus = Corpus([Segment(SOURCE, (Annotation(SOURCE, edits=gold),))])
    metric = CLEME2(tagger="embedded", references="given")
    found = profile(Results.compute(corpus, {"A": EditedLines([SOURCE], [[]])}, [metric]), samples=10)
    assert list(found.types) == [SEVERAL]


def test_the_counts_are_those_of_cleme2_and_types_add_up() -> None:
    loaded = sample.load("en")
    metric = CLEME2(tagger="embedded", assumption="independent")
    results = Results.compute(loaded.corpus, loaded.outputs, [metric])
    found = profile(results, samples=200)
    for system in results.systems:
        parts = results.score(system).parts
        counts = found.whole[system].counts
        assert counts.tolist() == [parts[name] for name in ("tp", "fp_ne", "fn", "fp_un")]
        assert found.whole[system].rates[:3].tolist() == pytest.approx(
            [parts[name] for name in ("hit", "err", "und")], nan_ok=True
        )
        assert sum(systems[system].counts for systems in found.types.values()).tolist() == counts.tolist()
        rates, low, high = (getattr(found.whole[system], name) for name in ("rates", "low", "high"))
        assert ((low <= rates) & (rates <= high))[~np.isnan(rates)].all()
    over = {system: found.whole[system].rates[UNNECESSARY] for system in ("overcorrect", "rules")}
    assert over["overcorrect"] > over["rules"]


def test_the_report_has_the_profile_in_its_data(results) -> None:
    data = report_data(Evaluation(results), Heading())
    assert data["profile"]["whole"][0]["counts"] == [1, 1, 1, 1]
    assert data["profile"]["groups"]["domain"]["essays"][0]["rates"] == [None] * 4
    json.dumps(data, allow_nan=False)


def test_results_without_texts_have_no_profile(results) -> None:
    from errata.corpus.model import Chunk

    chunk = Chunk(results.corpus, dict(results.outputs))
    scores = evaluate([chunk], results.metrics)
    with pytest.raises(DataError, match="needs the texts"):
        profile(scores)
    assert Evaluation(scores).profile is None
    other = Results.compute(results.corpus, results.outputs, [BLEU()])
    assert Evaluation(other).profile is None


def test_the_command_prints_the_profile(run, tmp_path) -> None:
    (tmp_path / "source.txt").write_text("a cat sit here .\nhe go home .\n")
    (tmp_path / "ref.txt").write_text("a cat sits here .\nhe goes home .\n")
    (tmp_path / "hyp.txt").write_text("a cat sits here .\nhe go house .\n")
    done = run(
        "score", "--profile", "--metric", "cleme2:tagger=embedded", "--samples", "20", "--format", "json",
        "--source", "source.txt", "--ref", "ref.txt", "--hyp", "hyp.txt",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout)
    assert "over-correction" in done.stdout
    assert "over-correction by type" in done.stdout
    assert tables
