"""Scores in other people's tables equal errata's own: datasets, evaluate, Spark."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from errata import M2, DataError, ErrataError, sample
from errata.integrations import corpus_score, score_columns
from errata.metrics import metric
from errata.metrics.signature import Signature
from metric_names import READY

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def rows() -> dict[str, list[Any]]:
    """Columns of the sample corpus and a system."""
    made = sample.load("en")
    system = next(iter(made.outputs.values()))
    references = [list(texts) for texts in made.corpus.reference_texts()]
    return {"source": made.corpus.sources, "hypothesis": list(system), "references": references}


def own(name: str, rows: dict[str, list[Any]]) -> Any:
    return metric(name).score(rows["source"], rows["hypothesis"], rows["references"])


@pytest.mark.parametrize("name", READY)
def test_columns_are_the_sentence_scores_and_the_statistics_make_the_corpus_score(
    name: str, rows: dict[str, list[Any]]
) -> None:
    found = score_columns(name, statistics=True)(rows)
    score = own(name, rows)
    assert found[name] == score.sentences.tolist()
    again = corpus_score(name, found[f"{name}_statistics"])
    assert again.parts == score.parts
    assert again.signature == metric(name).signature  # the texts are not known any more
    apart = Signature.parse(again.signature).differences(Signature.parse(score.signature))
    assert {field for field, *_ in apart} <= {"refs", "kind", "data", "first"}


def test_references_in_several_columns_and_missing_ones() -> None:
    batch = {"s": ["a b", "a"], "h": ["a c", "a"], "r0": ["a c", "a"], "r1": [None, "b"]}
    scores = score_columns(
        {"f1": "m2:beta=1", "g": "gleu"}, source="s", hypothesis="h", references=["r0", "r1"]
    )
    assert scores(batch)["f1"] == [1.0, 1.0]
    assert set(scores(batch)) == {"f1", "g"}


def test_mistakes_are_named() -> None:
    scores = score_columns("m2")
    with pytest.raises(DataError, match="no column 'source'"):
        scores({"hypothesis": ["a"]})
    with pytest.raises(DataError, match="row 2 of the batch has None for 'hypothesis'"):
        scores({"source": ["a", "b"], "hypothesis": ["a", None], "references": [["a"], ["b"]]})
    with pytest.raises(ErrataError, match="same column name"):
        score_columns(["m2", "m2:beta=1"])
    with pytest.raises(DataError, match="not statistics of gleu"):
        corpus_score("gleu", [[[1, 2, 3]]])


@pytest.mark.slow
def test_a_batched_map_in_two_processes_equals_errata(rows: dict[str, list[Any]]) -> None:
    import datasets

    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_dict(rows)
    scores = score_columns(["m2", "gleu"], statistics=True)
    mapped = dataset.map(scores, batched=True, batch_size=7, num_proc=2)
    assert list(mapped["m2"]) == own("m2", rows).sentences.tolist()
    assert list(mapped["gleu"]) == own("gleu", rows).sentences.tolist()
    assert corpus_score(M2(), mapped["m2_statistics"]).parts == own("m2", rows).parts


@pytest.mark.parametrize("name", ["m2", "gleu", "errant:tagger=embedded", "ter"])
@pytest.mark.slow
def test_evaluate_adds_batches_and_computes_the_corpus_score(
    name: str, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    from errata.integrations import evaluate

    scorer = evaluate.metric(name, cache_dir=str(tmp_path))
    for start in range(0, len(rows["source"]), 10):
        part = slice(start, start + 10)
        scorer.add_batch(
            sources=rows["source"][part],
            predictions=rows["hypothesis"][part],
            references=rows["references"][part],
        )
    found = scorer.compute()
    score = own(name, rows)
    assert found == {metric(name).name: score.value, **score.parts, "signature": score.signature}


def snippet(page: str, title: str) -> str:
    """The Python code under a heading of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    section = re.split(rf"^##+ {re.escape(title)}$", text, flags=re.M)[1]
    found = re.search(r"```python\n(.*?)```", section, flags=re.S)
    assert found is not None
    return found[1]


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.needs("pyspark")
@pytest.mark.slow
def test_the_spark_recipe_equals_errata(
    rows: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.warehouse.dir", str(tmp_path))
        .getOrCreate()
    )
    try:
        lines = [*zip(*rows.values(), strict=True)]
        frame = spark.createDataFrame(
            [(i, *line) for i, line in enumerate(lines)],
            "number long, source string, hypothesis string, references array<string>",
        ).repartition(2)
        names: dict[str, Any] = {"spark": spark, "frame": frame}
        exec(snippet("integrations.md", "Spark"), names)
        found = {row["number"]: row["m2"] for row in names["scored"].collect()}
        expected = own("m2", rows)
        assert [found[i] for i in range(len(lines))] == expected.sentences.tolist()
        assert names["score"].parts == expected.parts
    finally:
        spark.stop()
