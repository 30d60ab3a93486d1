"""Counting corpora, and Table 5 of the GECCC paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from corpora import corpora
from errata.corpus.formats import read_corpus
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.corpus.statistics import ANNOTATORS, DEFAULT_ERROR_RATE, ERROR_RATES, CorpusStatistics, count
from errata.errors import DataError

DOMAINS = ("Natives Formal", "Natives Web Informal", "Romani", "Second Learners")
# Náplava et al. 2022, Table 5: development, test
SENTENCES = {"dev": (1952, 2465, 1254, 2807), "test": (1684, 2166, 1260, 2797)}
PARAGRAPHS = {"dev": (859, 1294, 574, 865), "test": (669, 1256, 561, 756)}
PAPER_DOCUMENTS = {"dev": (87, 1291, 173, 167), "test": (76, 1256, 169, 170)}
PAPER_ERROR_RATE = (5.81, 15.61, 26.21, 25.16, 18.19)


@pytest.fixture(scope="module")
def geccc(data: Path) -> dict[tuple[str, str], CorpusStatistics]:
    return {
        (part, level): count(read_corpus(data / "geccc" / part / f"{level}.m2"))
        for part in ("dev", "test")
        for level in ("sentence", "paragraph")
    }


@pytest.mark.slow
@pytest.mark.parametrize("part", ["dev", "test"])
def test_geccc_has_the_sentences_and_paragraphs_of_the_paper(geccc: dict, part: str) -> None:
    sentences, paragraphs = (geccc[part, level].groups("domain") for level in ("sentence", "paragraph"))
    assert tuple(len(sentences[domain].segments) for domain in DOMAINS) == SENTENCES[part]
    assert tuple(len(paragraphs[domain].segments) for domain in DOMAINS) == PARAGRAPHS[part]
    assert tuple(paragraphs[domain].paragraphs for domain in DOMAINS) == PARAGRAPHS[part]


@pytest.mark.slow
def test_geccc_sentences_lie_in_fewer_paragraphs_than_the_release_has(geccc: dict) -> None:
    """The release filtered sentences and paragraphs separately."""
    sentences = [geccc[part, "sentence"] for part in ("dev", "test")]
    assert [(each.paragraphs, each.without_paragraph) for each in sentences] == [(3572, 155), (3212, 105)]


@pytest.mark.parametrize("part", ["dev", "test"])
def test_geccc_documents_differ_from_the_paper_by_a_few_at_most(geccc: dict, part: str) -> None:
    found = tuple(geccc[part, "paragraph"].groups("domain")[domain].documents for domain in DOMAINS)
    assert found == {"dev": (88, 1291, 179, 173), "test": (76, 1256, 173, 177)}[part]
    assert all(0 <= ours - paper <= 7 for ours, paper in zip(found, PAPER_DOCUMENTS[part], strict=True))


def test_geccc_error_rates_and_the_definition_closest_to_the_paper(geccc: dict) -> None:
    whole = CorpusStatistics.together([geccc["dev", "sentence"], geccc["test", "sentence"]])
    groups = whole.groups("domain")

    def rates(definition: str, annotators: str) -> list[float]:
        parts = [*(groups[domain] for domain in DOMAINS), whole]
        return [round(100 * (part.error_rate(definition, annotators) or 0), 2) for part in parts]

    assert rates("source-tokens-in-edits", "pooled") == [5.96, 14.36, 23.79, 25.43, 17.84]
    assert rates("corrected-tokens-in-edits", "last") == [5.82, 14.65, 26.16, 25.35, 18.20]
    distance = {
        (definition, annotators): sum(
            abs(ours - paper)
            for ours, paper in zip(rates(definition, annotators), PAPER_ERROR_RATE, strict=True)
        )
        for definition in ERROR_RATES
        for annotators in ANNOTATORS
        if annotators != "any" or definition == DEFAULT_ERROR_RATE
    }
    assert min(distance, key=distance.__getitem__) == ("corrected-tokens-in-edits", "last")


def small() -> Corpus:
    source = "a b c d"
    first = Annotation(source, edits=[Edit(0, 1, "x y z", "R"), Edit(4, 4, "!", "M")])
    second = Annotation(source, edits=[Edit(0, 2, "", "U")], annotator=1)
    return Corpus(
        [
            Segment(source, (first, second), "d1", "0", {"domain": "x"}),
            Segment("e f", (Annotation("e f", edits=[]),), "d1", "1", {"domain": "y"}),
            Segment("g", (), "d2"),
        ]
    )


def test_a_small_corpus_is_counted() -> None:
    found = count(small())
    assert (len(found.segments), found.paragraphs, found.documents) == (3, 2, 2)
    assert found.without_paragraph == 1
    assert found.of([2]).without_paragraph == 0  # none has a paragraph
    assert (found.tokens, found.annotated_tokens, found.annotations, found.edits) == (7, 10, 3, 3)
    assert found.references_per_segment == {0: 1, 1: 1, 2: 1}
    assert found.types == {"R": 1, "M": 1, "U": 1}
    assert found.lengths == {(1, 3): 1, (0, 1): 1, (2, 0): 1}
    assert found.changed == pytest.approx(2 / 3)
    assert len(repr(found)) < 100  # not the whole corpus


@pytest.mark.parametrize(
    ("definition", "annotators", "rate"),
    [
        ("source-tokens-in-edits", "pooled", 3 / 10),
        ("source-tokens-in-edits", "mean", 1.5 / 6),
        ("source-tokens-in-edits", "first", 1 / 6),
        ("source-tokens-in-edits", "last", 2 / 6),
        ("source-tokens-in-edits", "any", 2 / 6),
        ("corrected-tokens-in-edits", "pooled", 4 / (7 + 2 + 2)),
        ("touched-tokens", "first", 2 / 6),
        ("edits-per-token", "pooled", 3 / 10),
        ("longer-side", "pooled", 6 / 10),
        ("changed-tokens", "first", 4 / 6),
        ("changed-tokens", "last", 2 / 6),
    ],
)
def test_error_rates_are_as_defined(definition: str, annotators: str, rate: float) -> None:
    assert count(small()).error_rate(definition, annotators) == pytest.approx(rate)


def test_any_goes_with_source_tokens_only() -> None:
    with pytest.raises(DataError, match="any"):
        count(small()).error_rate("edits-per-token", "any")


@settings(deadline=None, max_examples=40)
@given(corpora())
def test_the_parts_add_up_to_the_whole(corpus: Corpus) -> None:
    whole = count(corpus)
    parts = [count(corpus[:2]), count(corpus[2:])]
    again = CorpusStatistics.together(parts)
    for statistics in (again, whole.of(range(len(corpus)))):
        assert (statistics.tokens, statistics.edits) == (whole.tokens, whole.edits)
        assert statistics.types == whole.types
        for annotators in ANNOTATORS:
            assert statistics.error_rate(annotators=annotators) == whole.error_rate(annotators=annotators)


def test_the_command_prints_tables(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"source": "a b", "references": ["a c"], "domain": "x"}\n')
    (tmp_path / "b.tsv").write_text("source\treference\tdomain\nd\td\ty\n")
    done = run(
        "corpus", "stats", "a.jsonl", "b.tsv", "--by", "domain", "--types", "--lengths", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    overview, types, _, references = json.loads(done.stdout)
    assert [(row["corpus"], row["domain"], row["error rate %"]) for row in overview["rows"]] == [
        ("a.jsonl", "x", 50.0), ("b.tsv", "y", 0.0),
        ("all", "x", 50.0), ("all", "y", 0.0), ("all", "all", pytest.approx(100 / 3)),
    ]  # fmt: skip
    assert types["rows"][0]["type"] == "UNK"
    assert references["rows"][0]["1 reference"] == 1


@pytest.mark.slow
def test_the_command_reproduces_the_paragraphs_of_the_paper(run: Callable, data: Path) -> None:
    files = [data / "geccc" / part / "paragraph.m2" for part in PARAGRAPHS]
    done = run("corpus", "stats", *files, "--by", "domain", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    for file, expected in zip(files, PARAGRAPHS.values(), strict=True):
        found = {row["domain"]: row["paragraphs"] for row in rows if row["corpus"] == str(file)}
        assert tuple(found[domain] for domain in DOMAINS) == expected


def test_an_unknown_field_or_definition_is_named(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"source": "a b", "references": ["a c"], "genre": "x"}\n')
    done = run("corpus", "stats", "a.jsonl", "--by", "domain")
    assert done.returncode == 1
    assert "there are genre" in done.stderr
    done = run("corpus", "stats", "a.jsonl", "--error-rate", "nonsense")
    assert done.returncode == 2
    assert "source-tokens-in-edits" in done.stderr
    assert run("corpus", "stats", "a.jsonl", "--error-rate", "all").returncode == 0
