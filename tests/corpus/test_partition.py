"""Splitting, sampling and converting, in the library and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.corpus.formats import read_corpus, write_corpora, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.segment import Segment
from errata.corpus.transforms import sample, split
from errata.errors import DataError


def corpus_of(sizes: list[int]) -> Corpus:
    """Documents of these many segments, in two domains by turns."""
    return Corpus(
        [
            Segment(f"{document} {i}", document=f"d{document}", meta={"domain": "xy"[document % 2]})
            for document, size in enumerate(sizes)
            for i in range(size)
        ]
    )


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=30, max_size=60), st.integers(0, 99), st.booleans())
def test_a_split_keeps_documents_whole_and_sizes_close(sizes: list[int], seed: int, by: bool) -> None:
    corpus = corpus_of(sizes)
    parts = split(corpus, (60, 20, 20), seed=seed, by="domain" if by else None)
    assert sorted(s.source for part in parts for s in part) == sorted(corpus.sources)
    documents = [{s.document for s in part} for part in parts]
    assert sum(map(len, documents)) == len(sizes)
    for part, share in zip(parts, (0.6, 0.2, 0.2), strict=True):
        assert abs(len(part) - share * len(corpus)) <= 2 * max(sizes)
        order = [corpus.sources.index(source) for source in part.sources]
        assert order == sorted(order)
        if by:
            inside = sum(s.meta["domain"] == "x" for s in part)
            whole = sum(s.meta["domain"] == "x" for s in corpus)
            assert abs(inside - share * whole) <= 3 * max(sizes)


def test_the_seed_decides_the_split_and_the_sample() -> None:
    corpus = corpus_of([3] * 40)
    for draw in (
        lambda seed: [part.sources for part in split(corpus, (80, 10, 10), seed=seed)],
        lambda seed: sample(corpus, 10, seed=seed).sources,
    ):
        assert draw(1) == draw(1)
        assert draw(1) != draw(2)
    assert sample(corpus, 10).sources == sample(corpus, 10, seed=1).sources
    assert [part.sources for part in split(corpus, (80, 10, 10))] == [
        part.sources for part in split(corpus, (80, 10, 10), seed=1)
    ]


def test_a_stratified_sample_keeps_the_shares() -> None:
    corpus = Corpus(
        [Segment(str(i), document=str(i), meta={"domain": "x" if i < 30 else "y"}) for i in range(40)]
    )
    for seed in range(5):
        drawn = sample(corpus, 8, by="domain", seed=seed)
        assert [s.meta["domain"] for s in drawn] == ["x"] * 6 + ["y"] * 2
    assert len(sample(corpus_of([2, 3, 4]), 2, unit="document").groups("document")) == 2


@pytest.mark.parametrize(
    ("size", "expected"),
    [(1, [1, 0, 0]), (4, [2, 1, 1]), (7, [4, 2, 1]), (9, [4, 3, 2]), (10, [5, 3, 2])],
)
def test_what_is_left_over_goes_to_the_largest_remainders(size: int, expected: list[int]) -> None:
    domains = "xxxxxyyyzz"
    corpus = Corpus([Segment(str(i), meta={"domain": domain}) for i, domain in enumerate(domains)])
    drawn = [segment.meta["domain"] for segment in sample(corpus, size, by="domain")]
    assert [drawn.count(domain) for domain in "xyz"] == expected


def test_a_document_belongs_to_the_stratum_of_its_first_segment() -> None:
    corpus = Corpus(
        [
            Segment(f"{document} {i}", document=str(document), meta={"domain": domain})
            for document, domains in enumerate(("xx", "xy", "yy", "yx"))
            for i, domain in enumerate(domains)
        ]
    )
    for seed in range(10):
        drawn = sample(corpus, 2, unit="document", by="domain", seed=seed)
        assert [segment.meta["domain"] for segment in drawn[::2]] == ["x", "y"]


def test_impossible_parts_are_refused() -> None:
    with pytest.raises(DataError, match="cannot sample 9 of 3 documents"):
        sample(corpus_of([2, 3, 4]), 9, unit="document")
    with pytest.raises(DataError, match="too few"):
        split(corpus_of([10, 10, 10]), (98, 1, 1))
    with pytest.raises(DataError, match="no segment says which document"):
        split(Corpus.from_lists(["a", "b"]), (1, 1))
    with pytest.raises(DataError, match="no segment has a 'age'"):
        split(corpus_of([1, 1]), (1, 1), by="age")
    with pytest.raises(DataError, match="sizes"):
        split(corpus_of([1, 1]), (1, 0))


def test_split_writes_all_parts_or_none(run: Callable, tmp_path: Path) -> None:
    write_corpus(corpus_of([3] * 20), tmp_path / "all.jsonl")
    done = run("corpus", "split", "all.jsonl", "1.m2", "2.m2", "--sizes", "50/50", "--write-meta")
    assert done.returncode == 0, done.stderr
    again = read_corpus(tmp_path / "1.m2", meta=[tmp_path / "1.m2.meta.tsv"])
    assert len(again) + len(read_corpus(tmp_path / "2.m2")) == 60
    assert again[0].meta["domain"] in "xy"
    before = sorted(tmp_path.iterdir())
    done = run("corpus", "split", "all.jsonl", "3.m2", "nowhere/4.m2")
    assert done.returncode == 1
    assert sorted(tmp_path.iterdir()) == before
    assert run("corpus", "split", "all.jsonl", "3.m2", "4.m2", "--sizes", "1/2/3").returncode == 2
    (tmp_path / "folder.m2").mkdir()
    done = run("corpus", "split", "all.jsonl", "3.m2", "folder.m2")
    assert done.returncode in (1, 2)  # the command line sees the folder already
    with pytest.raises(DataError, match="it is a folder"):
        write_corpora([(corpus_of([1]), tmp_path / "3.m2"), (corpus_of([1]), tmp_path / "folder.m2")])
    assert not (tmp_path / "3.m2").exists()


def test_sample_and_convert_on_the_command_line(run: Callable, tmp_path: Path) -> None:
    m2 = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\nA 1 2|||X|||d|||REQUIRED|||-NONE-|||1\n\n"
    done = run("corpus", "convert", "-", "-", "--to", "m2", "--annotator", "1", input=m2)
    assert done.stdout == "S a b\nA 1 2|||X|||d|||REQUIRED|||-NONE-|||1\n\n"
    done = run("corpus", "convert", "-", "out.txt.gz", input=m2)
    assert done.returncode == 0, done.stderr
    done = run("corpus", "convert", "out.txt.gz", "-", "-r", "out.ref1.txt.gz", "--to", "tsv")
    assert done.stdout == "source\treference_0:out.ref1\na b\ta d\n"
    assert run("corpus", "sample", "-", "-", "-n", "1", "--to", "m2", input=m2).stdout == m2
    done = run("corpus", "convert", "-", "-", "--to", "text", input=m2)
    assert done.returncode == 1
    assert "--sources-only" in done.stderr
    done = run("corpus", "convert", "-", "-", "--to", "text", "--sources-only", input=m2)
    assert done.stdout == "a b\n"
    done = run("corpus", "convert", "-", "x.m2", "--annotator", "7", input=m2)
    assert done.returncode == 1
    assert "there are 0, 1" in done.stderr
    assert not (tmp_path / "x.m2").exists()
