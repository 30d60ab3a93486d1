"""ERRANT's counts in a kernel: as those of sets of edits, for all ways to compare them."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import Corpus, Results, sample
from errata.corpus.m2 import parse_m2
from errata.corpus.segment import Edit
from errata.edits.edit_arrays import EditArrays, type_numbers
from errata.edits.pipeline import Extractor
from errata.edits.tagged_sentence import TaggedSentence
from errata.edits.taggers import tagger
from errata.metrics import edit_metric as extraction
from errata.metrics import metric
from errata.metrics.edit_keys import Keys, ReferenceKeys
from errata.metrics.edit_matching import Matching, count
from errata.metrics.errant import ERRANT
from errata.text.lines import Lines
from errata.text.vocabulary import Names, Vocabulary

CORRECTIONS = ["", "a", "b", "a b", "a  b", " a", "b||a"]
edits = st.builds(
    lambda start, length, correction, kind, other: Edit(start, start + length, correction, kind, other),
    st.integers(0, 4), st.integers(0, 3), st.sampled_from(CORRECTIONS),
    st.sampled_from(["R:NOUN", "M:DET", "UNK", "ArtOrDet"]), st.sampled_from([(), ("b",)]),
)  # fmt: skip
rows = st.lists(st.lists(edits, max_size=5), min_size=1, max_size=4)
ways = st.builds(
    Matching, st.sampled_from(["correction", "span", "token"]), st.booleans(),
    st.sampled_from(["", "single", "multi"]), st.sampled_from([frozenset(), frozenset({"R:NOUN"})]),
    st.booleans(),
)  # fmt: skip


@given(ours=rows, theirs=rows, matching=ways)
def test_a_kernel_counts_as_sets_do(
    ours: list[list[Edit]], theirs: list[list[Edit]], matching: Matching
) -> None:
    vocabulary = Vocabulary()
    sides = [Keys.of_objects(matching, some, vocabulary) for some in (ours, theirs)]
    references = ReferenceKeys(sides[1], np.array([0, len(theirs)]), np.arange(len(theirs)), {})
    values, offsets, _ = references.counts(sides[0], np.zeros(len(ours), dtype=np.int64))
    assert offsets.tolist() == [len(theirs) * i for i in range(len(ours) + 1)]
    expected = [count(matching.keys(one), matching.keys(other)) for one in ours for other in theirs]
    assert values.tolist() == [list(row) for row in expected]


GOLD = """S This are a sentence .
A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0
A 2 2|||Um||||||REQUIRED|||-NONE-|||0
A 0 1|||R:DET|||It|||REQUIRED|||-NONE-|||1
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||1

S Nothing wrong .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He go home .
A 1 2|||Vform|||goes|||REQUIRED|||-NONE-|||0
A 1 1|||Vt|||often|||REQUIRED|||-NONE-|||0
"""
OTHERS = {
    "alternatives": GOLD.replace("|||It|||", "|||It||That|||"),
    "overlapping": GOLD.replace("A 1 1|||Vt", "A 1 3|||Vt"),
    "outside": GOLD.replace("A 1 1|||Vt", "A 8 9|||Vt"),
    "irregular": GOLD.replace("|||It|||", "|||It  is|||"),
    "seen in what is corrected": GOLD.replace("A 2 2|||Um", "A 1 3|||Um"),
    "seen around what is corrected": GOLD.replace("A 2 2|||Um", "A 0 3|||Um"),
    "without a type": GOLD.replace("|||SVA|||", "||||||"),
}
LINES = ["This is a sentence .", "Nothing is wrong .", "He often goes home ."]


@pytest.mark.parametrize(
    ("form", "references"),
    [(form, "given") for form in ("plain", *OTHERS)]
    + [(form, how) for form in ("plain", *OTHERS) for how in ("standard", "auto") if form != "outside"],
)
@pytest.mark.parametrize(
    "settings", ["", ",mode=span", ",types=true", ",mode=token,length=single", ",once=yes"]
)
def test_edits_of_a_file_are_counted_as_sets(form: str, references: str, settings: str) -> None:
    chosen = metric(f"errant:tagger=embedded,references={references}{settings}")
    assert isinstance(chosen, ERRANT)
    corpus = parse_m2(OTHERS.get(form, GOLD).encode(), "gold.m2")
    statistics = chosen.statistics(corpus, LINES)
    edits, gold = chosen.hypothesis_edits(corpus, LINES, None), chosen.reference_edits(corpus)
    keys = chosen.matching.keys
    expected = [
        count(keys(hypothesis), keys(row))
        for hypothesis, annotators in zip(edits, gold, strict=True)
        for row in annotators
    ]
    assert statistics.values.tolist() == [list(row) for row in expected]
    assert statistics.references.tolist() == [0, 1, 0, 0]


def test_an_edit_that_is_listed_twice_counts_once_on_request() -> None:
    line = "A 1 2|||R:VERB|||is|||REQUIRED|||-NONE-|||0\n"
    corpus = parse_m2(f"S This are it .\n{line}{line}\n".encode(), "gold.m2")
    for settings, found in (("", (2, 0, 0)), (",once=yes", (1, 0, 0))):
        score = metric(f"errant:tagger=embedded,references=given{settings}").score(corpus, ["This is it ."])
        assert tuple(score.parts[name] for name in ("tp", "fp", "fn")) == found
        assert ("once:yes" in score.signature) == bool(settings)


@pytest.mark.parametrize("name", ["errant", "senterrant", "detection", "peet"])
def test_threads_that_score_systems_side_by_side_change_nothing(name: str) -> None:
    texts = sample.load("en")
    chosen = metric(f"{name}:tagger=embedded")
    assert chosen.computed_by == "native"
    found = []
    for jobs in (1, 2, 3):
        extraction.extractor.cache_clear()
        corpus = Corpus(list(texts.corpus))
        results = Results.compute(corpus, texts.outputs, [chosen], jobs=jobs)
        found.append({key: score.statistics.values.tolist() for key, score in results.scores.items()})
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["errant:tagger=embedded", "detection:tagger=embedded"])
def test_texts_that_are_given_besides_the_edits_do_not_matter(name: str) -> None:
    sources, texts = ["He go home .", "I has a cat ."], ["He goes home .", "I have a cat ."]
    other = ["She went home .", "I had the cat ."]
    alone, besides = (
        Corpus.from_texts(Lines.of(sources), [Lines.of(text) for text in given])
        for given in ([texts], [other, sources])
    )
    outputs = ["She goes home .", "I had a cat ."]
    found = [metric(name).statistics(corpus, outputs) for corpus in (alone, alone.with_rewrites(besides))]
    assert found[0].values.tolist() == found[1].values.tolist()


def test_a_pair_is_extracted_once_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sample.load("en")
    pairs = [
        (s, t) for lines in texts.outputs.values() for s, t in zip(texts.corpus.sources, lines, strict=True)
    ]
    whole = list(Extractor("en", jobs=1).extract_all(pairs))
    for size in (7, 50):
        monkeypatch.setattr("errata.edits.pipeline.BATCH", size)
        assert list(Extractor("en", jobs=2).extract_all(iter(pairs))) == whole
        assert list(Extractor("en", jobs=1).extract_all(iter(pairs))) == whole


def test_no_pairs_have_no_edits() -> None:
    nothing = EditArrays.joined([])
    assert list(nothing.edits([])) == []
    assert list(EditArrays.joined([nothing, nothing]).edits([])) == []
    assert list(Extractor("en").extract_all([])) == []


def test_a_file_without_edits_has_no_types(tmp_path: Path) -> None:
    corpus = parse_m2(b"S a b\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n", "a.m2")
    assert metric("errant:tagger=embedded").score(corpus, ["a c"]).parts["fp"] == 1


class _Alone:
    """A tagger that only one thread may use at a time, as spaCy's."""

    def __init__(self) -> None:
        self.own = tagger("embedded:en")
        self.language, self.name, self.signature = self.own.language, self.own.name, self.own.signature
        self.using = threading.Lock()

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> Sequence[TaggedSentence]:
        assert self.using.acquire(blocking=False)
        time.sleep(0.01)  # so that another thread would come in between
        found = self.own.tag(sentences, jobs)
        self.using.release()
        return found


def test_gold_edits_are_tagged_by_one_thread_where_the_tagger_is_not_made_for_several(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = Extractor("en", _Alone(), jobs=3)
    monkeypatch.setattr(extraction, "extractor", lambda *_: alone)
    gold = "".join(f"S w{i} b c\nA 1 2|||Vform|||q{i}|||REQUIRED|||-NONE-|||0\n\n" for i in range(1200))
    corpus = parse_m2(gold.encode(), "gold.m2")
    outputs = {"A": [f"w{i} r{i} c" for i in range(1200)]}
    results = Results.compute(corpus, outputs, [metric("errant:tagger=embedded")], jobs=3)
    assert results["A"].parts["fn"] == 1200


def test_types_of_gold_edits_do_not_matter_to_peet() -> None:
    type_numbers(["", "U", "Rloc"])
    assert metric("peet:tagger=embedded").score(Corpus.from_lists(["a b"], [["a c"]]), ["a b"]).value > 0


def test_what_an_interrupted_batch_left_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("He go home .", "He goes home ."), ("a dogs", "some dogs")]
    whole = list(Extractor("en", jobs=1).extract_all(pairs))
    interrupted = Extractor("en", jobs=1)
    with monkeypatch.context() as patch:
        patch.setattr(Names, "numbers", _interrupt)  # forms are known then, and what rules ask of them is not
        with pytest.raises(KeyboardInterrupt):
            list(interrupted.extract_all(pairs))
    assert list(interrupted.extract_all(pairs)) == whole


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_pairs_that_come_again_are_extracted_in_one_piece(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, targets = ["He go home .", "It is .", "He go home ."], ["He goes home .", "It is .", "He home ."]
    vocabulary = Vocabulary()
    both = [vocabulary.encode_lines(lines * 400) for lines in (sources, targets)]
    extract = Extractor("en", jobs=jobs)
    aligned: list[int] = []
    edits = extract._edits
    monkeypatch.setattr(
        extract, "_edits", lambda memory, pairs: aligned.append(len(pairs)) or edits(memory, pairs)
    )
    found = [*extract.arrays(vocabulary, *both).edits(targets * 400)]
    assert found == [*Extractor("en").extract_all(zip(sources, targets, strict=True))] * 400
    assert sum(aligned) == 2
