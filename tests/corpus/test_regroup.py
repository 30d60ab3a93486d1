"""Sentences to paragraphs to documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from corpora import corpora
from errata.corpus.formats import read_corpus
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.corpus.transforms import members
from errata.errors import DataError
from errata.sample import load


def joined(texts: list[str]) -> list[str]:
    return [token for text in texts for token in text.split()]


@settings(deadline=None, max_examples=50)
@given(corpora(min_size=1))
def test_merged_edits_make_the_joined_references(corpus: Corpus) -> None:
    for level in ("paragraph", "document"):
        if not any(segment.label(level) for segment in corpus):
            continue
        groups = members(corpus, level)
        assert sorted(index for group in groups for index in group) == list(range(len(corpus)))
        for missing in ("drop", "source", "first"):
            merged = corpus.regrouped(level, missing=missing)
            assert len(merged) == len(groups)
            for segment, group in zip(merged, groups, strict=True):
                parts = [corpus[index] for index in group]
                assert segment.tokens == joined([part.source for part in parts])
                for annotation in segment.annotations:
                    said = [part.annotation(annotation.annotator) for part in parts]
                    if missing == "drop":
                        assert None not in said
                    if None not in said:
                        assert annotation.text.split() == joined([a.text for a in said if a])


def test_an_annotator_who_is_missing_is_dropped_or_completed() -> None:
    first = Segment("a b", (Annotation("a b", edits=[Edit(0, 1, "x")]),), "d")
    second = Segment(
        "c", (Annotation("c", edits=[Edit(1, 1, "!")]), Annotation("c", edits=[], annotator=1)), "d"
    )
    corpus = Corpus([first, second])

    def said(missing: str) -> list[tuple[int, str]]:
        return [(a.annotator, a.text) for a in corpus.regrouped("document", missing=missing)[0].annotations]

    assert said("drop") == [(0, "x b c !")]
    assert said("source") == [(0, "x b c !"), (1, "a b c")]
    assert said("first") == [(0, "x b c !"), (1, "x b c")]


def test_only_the_meta_fields_that_agree_are_kept() -> None:
    corpus = Corpus(
        [Segment("a", document="d", meta={"x": "1", "y": "1"}), Segment("b", document="d", meta={"x": "1"})]
    )
    assert corpus.regrouped("document")[0].meta == {"x": "1"}


def test_a_corpus_that_does_not_know_its_documents_cannot_be_regrouped() -> None:
    with pytest.raises(DataError, match="no segment says which document"):
        Corpus.from_lists(["a", "b"]).regrouped("document")
    with pytest.raises(ValueError, match="sentence"):
        Corpus.from_lists(["a", "b"]).regrouped("sentence")


def test_paragraphs_are_those_of_their_documents() -> None:
    corpus = load("en").corpus
    paragraphs, documents = corpus.regrouped("paragraph"), corpus.regrouped("document")
    assert len(corpus) > len(paragraphs) > len(documents) > 1
    assert paragraphs.regrouped("document") == documents
    assert documents[0].annotations[0].text == " ".join(
        annotation.text for segment in corpus if segment.document == documents[0].document
        for annotation in segment.annotations[:1]
    )  # fmt: skip


@pytest.mark.slow
def test_geccc_sentences_make_geccc_paragraphs(data: Path) -> None:
    """Where the release's two levels hold the same text, regrouping gives the release's paragraphs."""
    sentences = read_corpus(data / "geccc" / "dev" / "sentence.m2")
    paragraphs = {(s.document, s.paragraph): s for s in read_corpus(data / "geccc" / "dev" / "paragraph.m2")}
    regrouped = [s for s in sentences.regrouped("paragraph") if s.paragraph is not None]
    assert len(regrouped) == 3572
    same = references = 0
    for segment in regrouped:
        release = paragraphs[segment.document, segment.paragraph]
        if segment.tokens != release.source.replace("࿄", "").split():
            continue
        same += 1
        texts = [text.replace("࿄", "").split() for text in release.references]
        references += [text.split() for text in segment.references] == texts
    assert same == 3508
    assert references > 0.98 * same
