"""Corpora in many files, here or at a URL: text, JSONL, TSV and Parquet."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from pickle import PicklingError
from subprocess import CompletedProcess
from typing import Any

import pytest

from errata import sample
from errata.corpus.blocks import rewrite
from errata.corpus.files import open_binary_output, open_output, read_lines
from errata.corpus.shards import aligned_shards, shard_name, shards
from errata.corpus.streaming import Stream, row_groups
from errata.edits.pipeline import Extractor
from errata.edits.stream_extraction import extract_to
from errata.engine import map_ordered, open_executor
from errata.errors import DataError, MissingExtraError
from errata.metrics import metric
from errata.metrics.evaluate import evaluate
from errata_correct.line_work import Damage
from errata_correct.noise import Rates

Run = Callable[..., CompletedProcess[str]]
SYSTEMS = ("neural", "fluent")


def nothing(steps: int) -> None:
    pass


def rows() -> list[dict[str, Any]]:
    """The sample as rows: source, references and two systems' hypotheses."""
    made = sample.load("en")
    return [
        {
            "source": segment.source,
            "references": list(segment.references),
            **{f"hypothesis:{system}": made.outputs[system][i] for system in SYSTEMS},
            "document": f"d{i // 30}",
        }
        for i, segment in enumerate(made.corpus)
    ]


def write_rows(path: str, some: list[dict[str, Any]]) -> None:
    if path.endswith(".parquet"):
        import pyarrow.parquet

        with open_binary_output(path) as file:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(some), file)
        return
    with open_output(path) as file:
        if path.endswith(".tsv"):
            file.write(
                "source\treference_0\treference_1\t" + "\t".join(f"hypothesis:{s}" for s in SYSTEMS) + "\n"
            )
            file.writelines(
                "\t".join([row["source"], *row["references"], *(row[f"hypothesis:{s}"] for s in SYSTEMS)])
                + "\n"
                for row in some
            )
        else:
            file.writelines(json.dumps(row) + "\n" for row in some)


def whole_scores(system: str) -> list[dict[str, float]]:
    made = sample.load("en")
    sources, references = made.corpus.sources, [list(s.references) for s in made.corpus]
    return [metric(m).score(sources, made.outputs[system], references).parts for m in ("m2", "gleu")]


def check_rows(pattern: str, kind: str = "threads") -> None:
    with open_executor(kind, jobs=2) as executor:
        scores = evaluate(Stream(pattern), [metric("m2"), metric("gleu")], executor, keep=False)
    assert scores.systems == SYSTEMS
    for system in SYSTEMS:
        assert [scores.score(system, number).parts for number in range(2)] == whole_scores(system)


# -- names ------------------------------------------------------------------------------------------


def test_patterns_and_folders_stand_for_their_files_in_the_order_of_numbers(tmp_path: Path) -> None:
    for name in ("p-10.txt", "p-2.txt", "_SUCCESS", ".hidden", "p-3.txt.123.part"):
        (tmp_path / name).touch()
    expected = [str(tmp_path / "p-2.txt"), str(tmp_path / "p-10.txt")]
    assert shards(f"{tmp_path}/p-*") == shards(str(tmp_path)) == expected
    assert shards("-") == ["-"]
    assert shards("p-2.txt") == ["p-2.txt"]
    with pytest.raises(DataError, match="no file has this name"):
        shards(f"{tmp_path}/q-*")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.txt").touch()
    with pytest.raises(DataError, match=r"1 shards, but .* has 2"):
        aligned_shards([f"{tmp_path}/p-*", f"{tmp_path}/other"])


def test_a_system_is_called_after_what_is_fixed_in_its_pattern() -> None:
    assert shard_name("out/AMU-*.txt") == "AMU"
    assert shard_name("out/AMU/*.txt") == "AMU"
    assert shard_name("out/AMU/") == "AMU"
    assert shard_name("s3://bucket/out/AMU.txt.gz") == "AMU"


# -- rows in ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".tsv", ".parquet"])
def test_rows_in_shards_score_as_the_whole(tmp_path: Path, suffix: str) -> None:
    given = rows()
    for number, start in enumerate(range(0, 60, 25)):
        write_rows(f"{tmp_path}/part-{number}{suffix}", given[start : start + 25])
    check_rows(f"{tmp_path}/part-*{suffix}")
    check_rows(str(tmp_path))
    if suffix == ".parquet":
        check_rows(str(tmp_path), "processes")


def test_rows_are_labelled(tmp_path: Path, run: Run) -> None:
    write_rows(str(tmp_path / "rows.parquet"), rows())
    found = run("score", "--data", "rows.parquet", "--by", "document", "-f", "tsv", "-m", "m2")
    assert found.returncode == 0, found.stderr
    assert [line.split("\t")[:3] for line in found.stdout.splitlines() if line.startswith("d0")] == [
        ["d0", "30", system] for system in SYSTEMS
    ]


def test_rows_that_do_not_fit_are_named(tmp_path: Path) -> None:
    given = rows()
    del given[40]["hypothesis:fluent"]
    write_rows(str(tmp_path / "a.jsonl"), given)
    with pytest.raises(DataError, match=r"a.jsonl:41: hypotheses of neural, before of neural, fluent"):
        check_rows(str(tmp_path / "a.jsonl"))
    given[40]["hypothesis:fluent"] = None
    write_rows(str(tmp_path / "a.parquet"), given)
    with pytest.raises(DataError, match="row 41 has no hypothesis:fluent"):
        check_rows(str(tmp_path / "a.parquet"))
    (tmp_path / "b.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match="arquet"):
        check_rows(str(tmp_path / "b.parquet"))
    write_rows(str(tmp_path / "c.jsonl"), [{"source": "a", "references": ["a"]}])
    with pytest.raises(DataError, match="hypotheses of no system"):
        check_rows(str(tmp_path / "c.jsonl"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"references": ["ab", "c"]}, "a column references of the type string"),
        ({"references": [[["a"]], [["b"]]]}, "a column references of the type list<"),
        (
            {"hypothesis:x": [b"a", b"\xff"]},
            "cannot read it as Parquet: 'utf-8' codec can't decode byte 0xff",
        ),
        ({"SOURCE": ["a", "b"]}, "two columns of the same name"),
    ],
)
def test_parquet_columns_of_other_types_are_refused(
    tmp_path: Path, columns: dict[str, list[Any]], message: str
) -> None:
    import pyarrow.parquet

    table = pyarrow.table({"source": ["a", "b"], **columns})
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(table.rename_columns([name.lower() for name in table.column_names]), path)
    with pytest.raises(DataError, match=message):
        next(row_groups(path)).parse()


def test_parquet_texts_as_bytes_are_decoded(tmp_path: Path) -> None:
    """Some writers of Parquet do not mark texts as such."""
    import pyarrow.parquet

    columns = {"source": ["é".encode(), b"b"], "references": [["é".encode(), None], None], "document": [1, 2]}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    first, second = next(row_groups(tmp_path / "a.parquet")).parse().corpus
    assert (first.source, first.document) == ("é", "1")
    assert [annotation.text for annotation in first.annotations] == ["é"]
    assert not second.annotations


# -- elsewhere --------------------------------------------------------------------------------------


def test_addresses_are_read_and_written_where_they_are(tmp_path: Path) -> None:
    import fsspec

    given = rows()
    for number, start in enumerate(range(0, 60, 30)):
        write_rows(f"memory://errata/rows/part-{number}.parquet", given[start : start + 30])
        write_rows(f"file://{tmp_path}/part-{number}.jsonl.gz", given[start : start + 30])
    assert shards("memory://errata/rows/")[1].endswith("errata/rows/part-1.parquet")
    check_rows("memory://errata/rows/part-*.parquet")
    check_rows(f"file://{tmp_path}/part-*.jsonl.gz")
    with pytest.raises(DataError, match="no such file"):
        check_rows("memory://errata/none.jsonl")
    with contextlib.suppress(KeyboardInterrupt), open_output("memory://errata/half.txt") as file:
        file.write("half")
        raise KeyboardInterrupt
    assert not fsspec.filesystem("memory").exists("/errata/half.txt")


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of an S3 server on this machine."""
    import s3fs
    from moto import server

    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    for name, value in (
        ("AWS_ENDPOINT_URL", f"http://{host}:{port}"), ("AWS_ACCESS_KEY_ID", "testing"),
        ("AWS_SECRET_ACCESS_KEY", "testing"), ("AWS_DEFAULT_REGION", "us-east-1"),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("errata")
    try:
        yield "s3://errata"
    finally:
        running.stop()
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.needs("moto.server", "s3fs")
@pytest.mark.slow
def test_shards_in_s3_are_scored_and_corrected(s3: str, run: Run, tmp_path: Path) -> None:
    """A real server: Parquet rows in shards, read by other processes, and output that goes back."""
    given = rows()
    for number, start in enumerate(range(0, 60, 20)):
        write_rows(f"{s3}/rows/part-{number}.parquet", given[start : start + 20])
    check_rows(f"{s3}/rows/part-*.parquet")
    write_rows(str(tmp_path / "all.jsonl"), given)
    scored = [
        run("score", "--data", data, "--metric", "m2,gleu", "--format", "tsv", *more).stdout
        for data, more in (
            (str(tmp_path / "all.jsonl"), ()), (f"{s3}/rows/", ("--engine", "processes", "--jobs", "2")),
        )
    ]  # fmt: skip
    assert scored[0] == scored[1]
    assert all(system in scored[1] for system in SYSTEMS)
    with open_output(f"{s3}/text/clean.txt") as file:
        file.writelines(row["source"] + "\n" for row in given[:5])
    run("noise", "apply", f"{s3}/text/clean.txt", "-o", f"{s3}/text/noisy.txt")
    assert len(read_lines(f"{s3}/text/noisy.txt")) == 5
    with pytest.raises(DataError, match="no such file"):
        check_rows(f"{s3}/none.jsonl")


def test_an_address_without_fsspec_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[cloud\]"):
        check_rows("s3://bucket/rows.jsonl")


# -- new texts --------------------------------------------------------------------------------------


def test_the_files_of_a_pattern_are_rewritten_as_one_text(tmp_path: Path) -> None:
    sources = sample.load("en").corpus.sources
    for number, start in enumerate(range(0, 60, 25)):
        text = "\n".join(sources[start : start + 25]) + "\n"
        (tmp_path / f"part-{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "part-3.txt").touch()
    work = Damage(Rates().noise([], tokenized=True), seed=4)
    for kind in ("threads", "processes"):
        out = tmp_path / f"{kind}.txt"
        with open_executor(kind, jobs=2) as executor:
            rewrite(f"{tmp_path}/part-*", str(out), work, executor, nothing, nothing)
        assert read_lines(out) == work.noise.apply(sources, 4)
    with pytest.raises(DataError, match="it is a folder"):
        rewrite(f"{tmp_path}/part-*", f"{tmp_path}/new/", work, None, nothing, nothing)


def test_a_file_of_rows_is_not_rewritten(tmp_path: Path) -> None:
    write_rows(f"{tmp_path}/a.jsonl", [{"reference": "a"}])
    work = Damage(Rates().noise([], tokenized=True))
    with pytest.raises(DataError, match=r"a\.jsonl: jsonl is not plain text"):
        rewrite(f"{tmp_path}/a.jsonl", f"{tmp_path}/out.txt", work, None, nothing, nothing)
    assert not Path(f"{tmp_path}/out.txt").exists()


def test_edits_of_rows_and_of_parallel_shards_are_the_same(tmp_path: Path) -> None:
    given = rows()
    write_rows(f"{tmp_path}/rows.parquet", given)
    for name, lines in {
        "src": [row["source"] for row in given],
        "ref": [row["references"][0] for row in given],
        "other": [row["references"][1] for row in given],
    }.items():
        for number in range(2):
            text = "\n".join(lines[number * 30 : number * 30 + 30]) + "\n"
            (tmp_path / f"{name}-{number}.txt").write_text(text, encoding="utf-8")
    extractor = Extractor("en", jobs=1)
    refs = [f"{tmp_path}/ref-*.txt", f"{tmp_path}/other-*.txt"]
    extract_to(extractor, f"{tmp_path}/src-*.txt", refs, f"{tmp_path}/texts.m2", None, nothing, nothing)
    with open_executor("processes", jobs=1) as executor:
        extract_to(
            extractor, f"{tmp_path}/rows.parquet", [], f"{tmp_path}/rows.m2", executor, nothing, nothing
        )
    texts = (tmp_path / "texts.m2").read_text(encoding="utf-8")
    assert (tmp_path / "rows.m2").read_text(encoding="utf-8") == texts
    with pytest.raises(DataError, match="hint: give --ref"):
        extract_to(extractor, f"{tmp_path}/src-0.txt", [], f"{tmp_path}/x.m2", None, nothing, nothing)


def test_empty_row_groups_are_passed_over(tmp_path: Path) -> None:
    import pyarrow.parquet

    schema = pyarrow.schema([("source", pyarrow.string()), ("references", pyarrow.list_(pyarrow.string()))])
    with pyarrow.parquet.ParquetWriter(tmp_path / "x.parquet", schema) as writer:
        for rows in ([{"source": "a", "references": ["b"]}], [], [{"source": "c", "references": ["d"]}]):
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
    assert [group.parse().corpus.sources for group in row_groups(tmp_path / "x.parquet")] == [["a"], ["c"]]


def test_work_that_cannot_be_sent_is_an_error_and_not_a_wait() -> None:
    with open_executor("processes", jobs=1) as executor:
        with pytest.raises((AttributeError, TypeError, PicklingError)):
            list(map_ordered(executor, len, [lambda: 1]))
        with pytest.raises(TypeError, match="cannot pickle"):
            list(map_ordered(executor, open, ["/dev/null"]))
