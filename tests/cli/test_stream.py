"""Scores of streams: the same tables as of whole files, from any format, with errors that name the place."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import click
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import sample
from errata.cli.score import command
from errata.corpus import blocks
from errata.corpus.blocks import BlockReader, count_lines, count_m2, parallel_rows
from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus, write_corpus
from errata.corpus.m2 import read_m2
from errata.corpus.model import Corpus
from errata.corpus.streaming import Stream
from errata.engine import open_executor
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from metric_names import READY
from scale_work import FallenM2

Run = Callable[..., CompletedProcess[str]]
TIMES = 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample some times over in all formats that are streamed, and two systems."""
    place = tmp_path_factory.mktemp("stream")
    made = sample.load("en")
    corpus = Corpus(list(made.corpus) * TIMES)
    for name in ("gold.m2", "gold.jsonl", "gold.tsv", "text.txt"):
        write_corpus(corpus, place / name)
    for system in ("neural", "fluent"):
        text = "\n".join([*made.outputs[system]] * TIMES) + "\n"
        (place / f"{system}.txt").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1 << 13)


# -- blocks -----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.text(st.sampled_from("ab \u2028ů\r"), max_size=12), max_size=30),
    sizes=st.lists(st.integers(0, 7), max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
    bom=st.booleans(),
)
def test_blocks_hold_the_lines_of_the_file(
    lines: list[str],
    sizes: list[int],
    end: str,
    last: bool,
    bom: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    text = "\ufeff" * bom + end.join(lines) + end * (last and bool(lines))
    path.write_bytes(text.encode())
    whole = read_lines(path)
    with pytest.MonkeyPatch.context() as patch, BlockReader(path) as reader:
        patch.setattr(blocks, "BLOCK", 16)
        found: list[str] = []
        for size in sizes:
            block = reader.take(size)
            assert block.line == len(found) + 1 or not block.data
            assert count_lines(block.data) == len(block.lines()) == min(size, len(whole) - len(found))
            found += block.lines()
        while (block := reader.block()).data:
            found += block.lines()
    assert found == whole


def test_m2_blocks_are_whole_and_counted(folder: Path, small_blocks: None, tmp_path: Path) -> None:
    for name, text in {
        "plain": (folder / "gold.m2").read_text(encoding="utf-8"),
        "crlf": (folder / "gold.m2").read_text(encoding="utf-8").replace("\n", "\r\n"),
        "dense": "\nS a\nS\nA 0 0|||X|||y|||REQUIRED|||-NONE-|||0\nS b\n\n\nS c" * 900,
    }.items():
        path = tmp_path / f"{name}.m2"
        path.write_bytes(text.encode())
        with BlockReader(path) as reader:
            found = []
            while (block := reader.m2_block()).data:
                assert reader.line == block.line + block.data.count(b"\n")
                found.append(count_m2(block.data))
        assert len(found) > 1
        assert sum(found) == len(read_m2(path))


# -- scores -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gold.m2", "gold.jsonl", "gold.tsv"])
def test_every_metric_scores_a_stream_as_the_whole(folder: Path, small_blocks: None, name: str) -> None:
    metrics = [metric(each) for each in READY]
    corpus = read_corpus(folder / name)
    hypotheses = read_lines(folder / "neural.txt")
    read = Stream(str(folder / name), hypotheses=[("neural", str(folder / "neural.txt"))])
    scores = evaluate(read, metrics, keep=False)
    for number, scored in enumerate(metrics):
        assert scores.score("neural", number).parts == scored.score(corpus, hypotheses).parts, scored.name


def test_kept_statistics_are_those_of_the_whole(folder: Path, small_blocks: None) -> None:
    hypotheses = [("neural", str(folder / "neural.txt")), ("fluent", str(folder / "fluent.txt"))]
    read = Stream(str(folder / "gold.m2"), hypotheses=hypotheses)
    metrics = [metric("m2"), metric("gleu")]
    results = evaluate(read, metrics)
    assert isinstance(results, Results)
    for number, scored in enumerate(metrics):
        whole = scored.statistics(read_corpus(folder / "gold.m2"), read_lines(folder / "fluent.txt"))
        found = results.statistics["fluent", number]
        for part in ("values", "offsets", "references"):
            assert np.array_equal(getattr(found, part), getattr(whole, part))


@pytest.mark.crash
def test_a_process_that_is_killed_while_scoring_changes_nothing(
    folder: Path, small_blocks: None, tmp_path: Path
) -> None:
    corpus = read_corpus(folder / "gold.m2")
    fallen = FallenM2(source=corpus.sources[33], marker=str(tmp_path / "fallen"))
    read = Stream(str(folder / "gold.m2"), hypotheses=[("neural", str(folder / "neural.txt"))])
    with open_executor("processes", jobs=2) as executor:
        scores = evaluate(read, [fallen], executor, keep=False)
    assert (tmp_path / "fallen").exists()
    whole = metric("m2").score(corpus, read_lines(folder / "neural.txt"), jobs=1)
    assert scores.score("neural", 0).parts == whole.parts


def test_the_command_line_prints_the_same_table(folder: Path, run: Run) -> None:
    texts = ("--m2", folder / "gold.m2", "--hyp", folder / "neural.txt", folder / "fluent.txt")
    whole = run("score", *texts, "--format", "markdown")
    assert run("score", *texts, "--format", "markdown", "--stream").stdout == whole.stdout
    assert run("score", *texts, "-f", "markdown", "--engine", "processes", "-j", 2).stdout == whole.stdout
    more = ("--ci", "--samples", 20, "--sentence", "--format", "tsv")
    kept = run("score", *texts, *more, "--stream", "--save", "kept.npz")
    assert kept.stdout == run("score", "kept.npz", *more).stdout == run("score", *texts, *more).stdout


def test_references_and_sources_beside_the_gold_are_read_too(folder: Path, run: Run) -> None:
    refs = [folder / f"text.ref{a}.txt" for a in (0, 1)]
    for texts in (
        ("--source", folder / "text.txt", "--ref", *refs, "--hyp", folder / "neural.txt"),
        ("-s", folder / "text.txt", "--m2", folder / "gold.m2", "-r", refs[0], "-y", folder / "neural.txt"),
    ):
        streamed = run("score", *texts, "--format", "tsv", "--stream")
        assert streamed.returncode == 0, streamed.stderr
        assert streamed.stdout == run("score", *texts, "--format", "tsv").stdout


def test_compressed_files_marks_and_line_ends_are_read_as_ever(
    folder: Path, run: Run, tmp_path: Path
) -> None:
    gold = (folder / "gold.m2").read_text(encoding="utf-8")
    (tmp_path / "gold.m2.gz").write_bytes(gzip.compress(("\ufeff" + gold.replace("\n", "\r\n")).encode()))
    hyp = (folder / "neural.txt").read_text(encoding="utf-8").rstrip("\n")
    (tmp_path / "neural.txt.xz").write_bytes(lzma.compress(("\ufeff" + hyp.replace("\n", "\r\n")).encode()))
    plain = run("score", "--m2", folder / "gold.m2", "--hyp", folder / "neural.txt", "-f", "tsv")
    packed = run("score", "--m2", "gold.m2.gz", "--hyp", "neural.txt.xz", "-f", "tsv", "--stream")
    assert packed.stdout == plain.stdout
    piped = ("--m2", folder / "gold.m2", "--hyp", "-", "--name", "neural", "-f", "tsv", "--stream")
    assert run("score", *piped, input=hyp).stdout == plain.stdout


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_files_of_other_lengths_are_named_with_the_line(
    folder: Path, run: Run, tmp_path: Path, kind: str
) -> None:
    lines = (folder / "neural.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "short.txt").write_text("".join(lines[:-2]), encoding="utf-8")
    (tmp_path / "long.txt").write_text("".join([*lines, "one\n", "two\n"]), encoding="utf-8")
    count = len(lines)
    short = run(
        "score", "--m2", folder / "gold.m2", "--hyp", "short.txt", "--stream", "--engine", kind, "-j", 1
    )
    assert short.returncode == 1
    assert f"short.txt:{count - 1}: ends after {count - 2} lines" in short.stderr
    long = run(
        "score", "--m2", folder / "gold.m2", "--hyp", "long.txt", "--stream", "--engine", kind, "-j", 1
    )
    assert f"long.txt:{count + 1}: goes on after {count} lines" in long.stderr
    assert f"ends: {count + 2} lines" in long.stderr


def test_errors_in_a_chunk_name_the_line_of_the_file(
    folder: Path, small_blocks: None, tmp_path: Path
) -> None:
    def score(gold: str, hyp: bytes | None = None, name: str = "gold.m2") -> DataError:
        (tmp_path / name).write_text(gold, encoding="utf-8")
        (tmp_path / "hyp.txt").write_bytes(hyp or (folder / "neural.txt").read_bytes())
        read = Stream(str(tmp_path / name), hypotheses=[("h", str(tmp_path / "hyp.txt"))])
        with pytest.raises(DataError) as raised:
            evaluate(read, [metric("m2"), metric("gleu")], keep=False)
        return raised.value

    gold = (folder / "gold.m2").read_text(encoding="utf-8").splitlines()
    place = max(i for i, line in enumerate(gold) if line.startswith("A "))
    wrong = [*gold]
    wrong[place] = "A 0|||x"
    assert score("\n".join(wrong)).line == place + 1
    assert score("this is no M2\n" * 2000).line == 1
    assert "goes on after 0 lines" in str(score("\n\n"))
    hyp = (folder / "neural.txt").read_bytes().splitlines()
    hyp[250] = b"caf\xe9"
    error = score("\n".join(gold) + "\n", b"\n".join(hyp))
    assert (error.line, Path(error.path or "").name) == (251, "hyp.txt")
    rows = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[200] = {"source": "a", "references": []}
    error = score("\n".join(map(json.dumps, rows)), name="gold.jsonl")
    assert "segment 201 has no" in str(error)
    (tmp_path / "other.ixml").write_text("<scripts>", encoding="utf-8")
    with pytest.raises(DataError, match="ixml is not read in chunks"):
        next(iter(Stream(str(tmp_path / "other.ixml"))))


def test_what_a_stream_cannot_do_is_a_usage_error(folder: Path) -> None:
    texts = ("--m2", folder / "gold.m2", "--hyp", folder / "neural.txt", "--stream")
    for arguments in (
        (*texts, "--by", "type"),
        (*texts, "--meta", "x.tsv"),
        (*texts, "--data", "x.jsonl"),
        ("--m2", folder / "gold.m2", "--stream"),
        ("--source", folder / "text.txt", "--hyp", "x", "--stream"),
    ):
        with pytest.raises(click.UsageError):
            command.main([*map(str, arguments)], standalone_mode=False)


def test_rows_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3", encoding="utf-8")
    (tmp_path / "b").write_text("x\ny\nz\n", encoding="utf-8")
    assert list(parallel_rows([tmp_path / "a", tmp_path / "b"])) == [("1", "x"), ("2", "y"), ("3", "z")]


def test_rows_come_from_stdin_and_systems_in_any_order(tmp_path: Path, run: Run) -> None:
    rows = [
        {"source": "a b", "references": ["a c"], "hypothesis:A": "a c", "hypothesis:B": "a b"},
        {"source": "a b", "references": ["a c"], "hypothesis:B": "a c", "hypothesis:A": "a c"},
    ]
    for number, row in enumerate(rows):
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    parts = run("score", "--data", f"{tmp_path}/*.jsonl", "--metric", "m2", "-f", "tsv")
    assert parts.returncode == 0, parts.stderr
    text = "".join(json.dumps(row) + "\n" for row in rows)
    whole = run("score", "--data", "-", "--metric", "m2", "-f", "tsv", input=text)
    assert whole.stdout == parts.stdout, whole.stderr
