"""Metrics with a first pass, with models (small batches, one process, a cache), and without references."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from errata import DataError, sample
from errata.cli import cli
from errata.corpus.model import Chunk
from errata.engine import open_executor
from errata.metrics import METRICS
from errata.metrics import metric as find_metric
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from errata.metrics.signature import Signature
from toy_metrics import Brevity, Centred, Failing, Logged, Modelled, logged

Run = Callable[..., CompletedProcess[str]]
EN = sample.folder("en")
MADE = sample.load("en")
SEGMENTS = len(MADE.corpus)
SYSTEMS = ("neural", "fluent")
BY_THREADS = (
    "bleu cer chrf emdiff errant:tagger=embedded exact gleu gleu:sampling=all gleu2015 green "
    "ibleu id imeasure imeasure:mix=no length m2 sari sentm2 ter unchanged wer"
)
OUTPUTS = {name: MADE.outputs[name] for name in SYSTEMS}


def halves() -> list[Chunk]:
    rows = [range(SEGMENTS // 2), range(SEGMENTS // 2, SEGMENTS)]
    return [
        Chunk(MADE.corpus.select(some), {name: [OUTPUTS[name][i] for i in some] for name in SYSTEMS})
        for some in rows
    ]


@pytest.mark.parametrize("jobs", [1, 2, 3, 4, 8])
def test_the_first_error_is_the_same_for_any_number_of_threads(jobs: int) -> None:
    outputs = {f"system {i}": OUTPUTS["neural"] for i in range(5)}
    metrics = [Failing(1, "first", "system 4"), Failing(2, "second", "system 0")]
    with pytest.raises(DataError, match="first: system 4"):
        Results.compute(MADE.corpus, outputs, metrics, jobs=jobs)


@pytest.mark.parametrize("name", BY_THREADS.split())
def test_ranges_of_segments_give_the_statistics_of_the_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where threads are more than systems, each computes ranges of the segments."""
    scored = find_metric(name)
    outputs = {"neural": OUTPUTS["neural"]}
    whole = Results.compute(MADE.corpus, outputs, [scored], jobs=1)
    monkeypatch.setattr("errata.metrics.evaluate._RANGE", 7)
    parts = Results.compute(MADE.corpus, outputs, [scored], jobs=3)
    for column in ("values", "offsets", "references"):
        expected = getattr(whole["neural"].statistics, column)
        assert np.array_equal(getattr(parts["neural"].statistics, column), expected, equal_nan=True)
    assert parts["neural"].parts == whole["neural"].parts
    assert parts["neural"].signature == whole["neural"].signature


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_in_a_range_is_that_of_the_whole(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.metrics.evaluate._RANGE", 2)
    references = [["a"], ["b"], [], ["c"], [], []]
    with pytest.raises(DataError, match=r"segment 3 \(and 2 others\) has no reference"):
        find_metric("gleu").score([*"abcdef"], [*"abcdef"], references, jobs=jobs)


# -- the first pass ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["threads", "processes"])
@pytest.mark.parametrize("keep", [True, False])
def test_a_first_pass_sees_all_systems_and_chunks(kind: str, keep: bool) -> None:
    whole = Results.compute(MADE.corpus, OUTPUTS, [Brevity(), Centred()])
    lengths = [len(text) for lines in OUTPUTS.values() for text in lines]
    score = whole["neural", "centred"]
    assert score.settled["mean"] == sum(lengths) / len(lengths)
    with open_executor(kind, jobs=2) as executor:
        pieces = evaluate(halves(), [Brevity(), Centred()], executor, keep=keep)
    for system in SYSTEMS:
        for number in (0, 1):
            ours, theirs = whole.score(system, number), pieces.score(system, number)
            assert ours.parts == theirs.parts
            assert ours.signature == theirs.signature
    alone = Results.compute(MADE.corpus, {"neural": OUTPUTS["neural"]}, [Centred()])["neural"]
    assert alone.value != score.value
    apart = Signature.parse(alone.signature).differences(Signature.parse(score.signature))
    assert [name for name, *_ in apart] == ["first"]
    outputs: tuple[dict[str, Sequence[str]], ...] = (OUTPUTS, {"fluent": OUTPUTS["fluent"]})
    parts = [Results.compute(MADE.corpus, some, [Centred()]) for some in outputs]
    with pytest.raises(DataError, match="centred was computed with another first"):
        Results.joined(parts)


def test_what_a_first_pass_found_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "centred", "toy_metrics:Centred")
    whole = Results.compute(MADE.corpus, OUTPUTS, [Centred()])
    whole.save(tmp_path / "stats.npz")
    record = json.loads(json.dumps(whole.to_dict()))
    for again in (Results.load(tmp_path / "stats.npz"), Results.from_dict(record)):
        score = again["neural"]
        assert score.parts == whole["neural"].parts
        assert score.signature == whole["neural"].signature
        assert set(score.settled) == {"mean", "count", "ends"}
        assert score.settled["mean"] == whole["neural"].settled["mean"]
        assert score.settled["count"] == 2 * SEGMENTS
        assert isinstance(score.settled["ends"], np.ndarray)
        assert score.settled["ends"].tolist() == [0.5, 2.0]
    assert again.interval("neural", samples=50) == whole.interval("neural", samples=50)


def test_a_first_pass_stays_fixed_for_some_of_the_segments() -> None:
    whole = Results.compute(MADE.corpus, OUTPUTS, [Centred()])
    part = whole.select(range(10))
    assert part["neural"].sentences.tolist() == whole["neural"].sentences[:10].tolist()
    assert "|segments:10/60@" in part["neural"].signature
    assert whole.select(range(1, 11))["neural"].signature != part["neural"].signature


def test_a_first_pass_gives_what_can_be_saved() -> None:
    class Odd(Centred):
        def settle(self, observations: Sequence[tuple[int, int]]) -> Mapping[str, Any]:
            return {"mean": 1.0, "words": ["a"]}

    with pytest.raises(TypeError, match="centred: settle gives 'words' as list"):
        Odd().score(MADE.corpus, OUTPUTS["neural"])


def test_what_can_be_read_only_once_has_no_first_pass() -> None:
    with pytest.raises(DataError, match="centred reads all texts twice"):
        evaluate(iter(halves()), [Centred()])


# -- batches and processes --------------------------------------------------------------------------


def test_a_model_gets_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.metrics.evaluate._MODEL_BATCH", 25)
    scored = Modelled(log=str(tmp_path / "log"))
    results = Results.compute(MADE.corpus, OUTPUTS, [scored])
    # a batch of each system, then the next one: a model then knows their sources and references already
    assert [count for _, count in logged(scored.log)] == [25, 25, 25, 25, 10, 10]
    plain = Results.compute(MADE.corpus, OUTPUTS, [Brevity()])
    for system in SYSTEMS:
        assert results[system].parts == {"brevity": plain[system].value}
        assert np.array_equal(results[system].sentences, plain[system].sentences)
    before = len(logged(scored.log))
    scored.statistics(MADE.corpus, OUTPUTS["neural"])
    assert [count for _, count in logged(scored.log)[before:]] == [25, 25, 10]


def test_a_model_stays_in_one_process(tmp_path: Path) -> None:
    metrics = [Logged(log=str(tmp_path / "spread")), Modelled(log=str(tmp_path / "alone"))]
    with open_executor("processes", jobs=2) as executor:
        results = evaluate(halves(), metrics, executor)
    assert {process for process, _ in logged(metrics[1].log)} == {os.getpid()}
    assert os.getpid() not in {process for process, _ in logged(metrics[0].log)}
    for system in SYSTEMS:
        assert np.array_equal(results[system, "logged"].sentences, results[system, "modelled"].sentences)
    assert results.metrics == tuple(metrics)
    with open_executor("processes", jobs=2) as executor:
        only = evaluate(halves(), metrics[1:], executor, keep=False)
    assert only["neural"].parts == results["neural", "modelled"].parts


# -- the cache --------------------------------------------------------------------------------------


def test_a_second_run_computes_nothing(tmp_path: Path) -> None:
    scored = Modelled(log=str(tmp_path / "log"))
    first = Results.compute(MADE.corpus, OUTPUTS, [scored], cache=tmp_path / "cache")
    assert len(logged(scored.log)) == 2
    for again in (
        Results.compute(MADE.corpus, OUTPUTS, [scored], cache=tmp_path / "cache"),
        Results.compute(MADE.corpus, {"other": OUTPUTS["fluent"]}, [scored], cache=tmp_path / "cache"),
    ):
        system = again.systems[-1]
        assert again[system].parts == first["fluent"].parts
    assert len(logged(scored.log)) == 2
    Results.compute(
        MADE.corpus, {"neural": OUTPUTS["neural"]}, [Modelled(2.0, scored.log)], cache=tmp_path / "cache"
    )
    Results.compute(MADE.corpus[:9], {"neural": OUTPUTS["neural"][:9]}, [scored], cache=tmp_path / "cache")
    assert len(logged(scored.log)) == 4  # another parameter, other texts
    Results.compute(MADE.corpus, OUTPUTS, [scored])
    assert len(logged(scored.log)) == 6  # no cache
    plain = Logged(log=scored.log)
    for _ in range(2):
        Results.compute(MADE.corpus, OUTPUTS, [plain], cache=tmp_path / "cache")
    assert len(logged(scored.log)) == 10  # no model


def test_files_of_the_cache_have_the_usual_permissions(tmp_path: Path) -> None:
    scored, outputs = Modelled(log=str(tmp_path / "log")), {"neural": OUTPUTS["neural"]}
    Results.compute(MADE.corpus, outputs, [scored], cache=tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    (tmp_path / "usual").touch()
    assert file.stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "other numbers"])
def test_a_damaged_file_of_the_cache_is_made_anew(tmp_path: Path, damage: str) -> None:
    scored = Modelled(log=str(tmp_path / "log"))
    outputs = {"neural": OUTPUTS["neural"]}
    first = Results.compute(MADE.corpus, outputs, [scored], cache=tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    whole = file.read_bytes()
    if damage == "other numbers":
        np.savez(file, values=np.ones((3, 2)), offsets=np.arange(4), references=np.zeros(3, dtype=np.int64))
    else:
        file.write_bytes({"truncated": whole[: len(whole) // 2], "empty": b"", "text": b"a line\n"}[damage])
    again = Results.compute(MADE.corpus, outputs, [scored], cache=tmp_path / "cache")
    assert len(logged(scored.log)) == 2
    assert again["neural"].parts == first["neural"].parts
    assert len(again) == SEGMENTS
    assert file.read_bytes() == whole


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.metrics.evaluate._MODEL_BATCH", 10)
    log, folder = str(tmp_path / "log"), tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        Results.compute(MADE.corpus, OUTPUTS, [Modelled(log=log, most=7)], cache=folder)
    assert len(logged(log)) == len(list(folder.iterdir())) == 7
    results = Results.compute(MADE.corpus, OUTPUTS, [Modelled(log=log)], cache=folder)
    assert len(logged(log)) == 12  # six batches per system, of which seven were there
    plain = Results.compute(MADE.corpus, OUTPUTS, [Brevity()])
    for system in SYSTEMS:
        assert np.array_equal(results[system].sentences, plain[system].sentences)
    assert {file.suffix for file in folder.iterdir()} == {".npz"}


def test_the_command_line_has_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "modelled", "toy_metrics:Modelled")
    log = str(tmp_path / "log")
    texts = [
        "--m2",
        EN / "gold.m2",
        "--hyp",
        EN / "systems" / "neural.txt",
        "--metric",
        f"modelled:log={log}",
    ]
    for more in ([], [], ["--stream"]):
        done = CliRunner().invoke(cli, ["score", *map(str, [*texts, "--cache", tmp_path / "cache", *more])])
        assert done.exit_code == 0, done.output
    assert len(logged(log)) == 1


# -- without references -----------------------------------------------------------------------------


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    (tmp_path / "source.txt").write_text("\n".join(MADE.corpus.sources) + "\n", encoding="utf-8")
    hyps = [str(EN / "systems" / f"{name}.txt") for name in (*SYSTEMS, "rules")]
    return ["--source", str(tmp_path / "source.txt"), "--hyp", *hyps, "--metric", "unchanged"]


def test_a_metric_without_references_scores_sources_alone(texts: list[str], run: Run, tmp_path: Path) -> None:
    whole = run("score", *texts, "--format", "tsv", "--save", "kept.npz")
    assert whole.returncode == 0, whole.stderr
    gold = ("--m2", EN / "gold.m2", *texts[2:])
    assert run("score", *gold, "--format", "tsv").stdout == whole.stdout
    for more in (("--stream",), ("--engine", "processes", "-j", 2)):
        assert run("score", *texts, "--format", "tsv", *more).stdout == whole.stdout
    assert run("score", "kept.npz", "--format", "tsv").stdout == whole.stdout
    signature = Results.load(tmp_path / "kept.npz")["neural"].signature
    assert "refs:" not in signature
    assert run("score", *texts, "--verify", signature).returncode == 0
    needy = run("score", *texts[:-1], "unchanged,m2")
    assert needy.returncode == 2
    assert "needed by m2" in needy.stderr


def test_other_verbs_do_without_references_too(texts: list[str], run: Run, tmp_path: Path) -> None:
    compared = run("compare", *texts, "--permutations", 200, "--format", "tsv")
    assert compared.returncode == 0, compared.stderr
    assert "neural" in compared.stdout
    report = run("report", *texts, "--output", "report.html")
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "unchanged" in page
    human = tmp_path / "human.tsv"
    human.write_text("system\tscore\nneural\t3\nfluent\t2\nrules\t1\n", encoding="utf-8")
    meta = run("meta", *texts, "--human", human, "--format", "tsv")
    assert meta.returncode == 0, meta.stderr
    assert "unchanged" in meta.stdout
