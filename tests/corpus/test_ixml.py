"""I-measure XML: as the official converter writes it, clusters kept, hostile files refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errata import Annotation, Corpus, Edit, Segment, read_corpus, write_corpus
from errata.corpus.edit_clusters import cluster_edits
from errata.corpus.ixml import read_ixml, write_ixml
from errata.errors import DataError


def written(corpus: Corpus) -> str:
    file = io.StringIO()
    write_ixml(corpus, file)
    return file.getvalue()


@pytest.mark.parametrize("example", ["ex1", "ex2"])
def test_the_official_conversion_comes_out_to_the_byte(example: str, golden: Path) -> None:
    corpus = read_corpus(golden / "table4" / f"{example}.m2")
    assert written(corpus) == (golden / "table4" / f"{example}.ixml").read_text()
    assert read_corpus(golden / "table4" / f"{example}.ixml") == corpus


def test_real_gold_survives_reading_and_writing(data: Path, tmp_path: Path) -> None:
    corpus = read_corpus(data / "conll14" / "test.m2")
    write_corpus(corpus, tmp_path / "gold.ixml")
    again = read_corpus(tmp_path / "gold.ixml")
    assert again.sources == corpus.sources
    assert [len(s.annotations) for s in again] == [len(s.annotations) for s in corpus]
    for one, other in zip(corpus, again, strict=True):
        mine, theirs = (
            [
                (
                    cluster.required,
                    [
                        (a, [(e.start, e.end, e.correction) for e in edits])
                        for a, edits in cluster.alternatives
                    ],
                )
                for cluster in cluster_edits(segment)
            ]
            for segment in (one, other)
        )
        assert mine == theirs
    assert written(again) == (tmp_path / "gold.ixml").read_text()


def test_documents_become_scripts_and_markup_is_escaped() -> None:
    segments = [
        Segment("a < b & c", (Annotation("a < b & c", edits=[Edit(0, 1, '"<&', 'T"<')]),), document="one"),
        Segment("d", document="two"),
    ]
    text = written(Corpus(segments))
    assert '<script id="one">' in text
    assert '<sentence id="2" numann="0">' in text


def test_overlapping_edits_share_a_cluster_that_is_required_when_everyone_has_one() -> None:
    source = "a b c d"
    one = Annotation(source, edits=[Edit(0, 2, "x"), Edit(3, 3, "y")], annotator=0)
    two = Annotation(source, edits=[Edit(1, 2, "z"), Edit(2, 2, "w")], annotator=1)
    clusters = cluster_edits(Segment(source, (one, two)))
    assert [(c.required, [a for a, _ in c.alternatives]) for c in clusters] == [
        (True, [0, 1]),
        (False, [1]),
        (False, [0]),
    ]


def test_a_file_keeps_its_own_clusters(tmp_path: Path) -> None:
    (tmp_path / "own.ixml").write_text(
        '<scripts><script id="1"><sentence id="1" numann="1"><text>a b</text><error-list>'
        '<error id="1" req="no"><alt ann="0"><c start="0" end="1">x</c></alt>'
        '<alt ann="0"><c start="0" end="1">y</c></alt></error></error-list></sentence></script></scripts>'
    )
    segment = read_corpus(tmp_path / "own.ixml")[:1][0]
    assert segment.clusters is not None
    assert segment.references == ("x b",)
    from errata.metrics.imeasure_references import candidates

    assert sorted(tokens[0] for _, tokens in candidates(segment, mix=True)) == ["a", "x", "y"]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><scripts>&b;</scripts>'
SENTENCE = (
    '<scripts><script id="1">\n<sentence id="1" numann="{}"><text>a b</text>{}</sentence></script></scripts>'
)
EDIT = '<error-list><error req="yes"><alt ann="{}"><c start="{}" end="{}">x</c></alt></error></error-list>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, ":1: a document type declaration"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><scripts/>', "a document type declaration"),
        ("<scripts>\n<script", ":2: not well-formed XML"),
        ("", "not well-formed XML: no element found"),
        ("<html></html>", "<html> as the first element"),
        ("<scripts><sentence/></scripts>", "<sentence> inside <scripts>"),
        ('<scripts><script id="1"><sentence/></script></scripts>', "needs a number as its 'numann'"),
        ('<scripts><script><sentence numann="0"></sentence></script></scripts>', "without <text>"),
        (SENTENCE.format(1, EDIT.format(0, 0, "x")), ":2: <c> needs a number as its 'end', found 'x'"),
        (SENTENCE.format(1, EDIT.format(0, 0, 3)), "beyond the end of the sentence"),
        (SENTENCE.format(1, EDIT.format(0, 2, 1)), "ends before it starts"),
        (SENTENCE.format(0, EDIT.format(0, 0, 1)), "numann is 0, but 1 annotators have edits"),
        ('<?xml version="1.0" encoding="nonsense"?><scripts/>', "nonsense|encoding"),
    ],
)
def test_bad_files_are_errors_that_say_where(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.ixml").write_text(text)
    with pytest.raises(DataError, match=message):
        read_ixml(tmp_path / "bad.ixml")


def test_a_control_character_cannot_be_written(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text("S a \x01 b\n\n")
    done = run("compat", "m2_to_ixml", "-in:gold.m2", "-out:x.ixml")
    assert done.returncode == 1
    assert "U+0001" in done.stderr
    assert not (tmp_path / "x.ixml").exists()
