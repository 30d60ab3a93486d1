"""SARI, EM-Diff, ID and iBLEU: EditEval's numbers, the specification transcribed, and cases by hand."""

from __future__ import annotations

import random
import unittest.mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import Corpus
from errata.metrics import editing as editing_module
from errata.metrics import metric
from errata.metrics.bleu import BLEU
from errata.metrics.editing import SARI, changes, spaced_13a
from errata.metrics.simple_metrics import ExactMatch
from oracles import editing
from oracles import sari as oracle
from oracles.mteval import tokenize_13a
from seeda import judged, outputs, rows_of, texts

VARIANTS = {
    "sari_default": SARI(),
    "sari_del_precision": SARI(deletion="precision"),
    "sari_paper": SARI(average="paper"),
    "sari_paper_del_precision": SARI(average="paper", deletion="precision"),
}


_ODD = ["a...b", "1.,2", ",,,", "1-2-3", "x.1-", "&amp;lt;", "<skipped>1,.a", "5-\n6", "&quot;.", "a.-1,"]


@pytest.fixture(scope="module")
def corpus(data) -> Corpus:
    return texts(data).select(judged(data))


def test_all_systems_have_editevals_sari_id_and_exact_match(corpus, data, golden) -> None:
    rows = {row["system"]: row for row in rows_of(golden / "sari/system.tsv")}
    systems = outputs(data, "systems_subset")
    assert len(systems) == 15
    for system, lines in systems.items():
        row = {name: float(value) for name, value in rows[system].items() if name != "system"}
        statistics = SARI().statistics(corpus, lines)  # the same for all variants
        for name, variant in VARIANTS.items():
            assert 100 * variant.score(statistics).value == pytest.approx(row[name], abs=1e-10), system
        parts = SARI().score(statistics).parts
        for name in ("add", "keep", "delete"):
            assert 100 * parts[name] == pytest.approx(row[name], abs=1e-10), system
        assert metric("id").score(corpus, lines).value == pytest.approx(row["id"], abs=1e-12), system
        assert ExactMatch().score(corpus, lines).value == pytest.approx(row["em"], abs=1e-12), system


def test_the_sentences_of_t5_have_editevals_scores(corpus, data, golden) -> None:
    rows = rows_of(golden / "sari/sentence_T5.tsv")
    some = corpus.select(range(len(rows)))
    lines = outputs(data, "systems_subset")["T5"][: len(rows)]
    for name, found in {**VARIANTS, "id": metric("id")}.items():
        factor = 1 if name == "id" else 100
        sentences = factor * found.score(some, lines).sentences
        assert sentences.tolist() == pytest.approx([float(row[name]) for row in rows], abs=1e-10), name


def test_em_diff_is_near_editevals(corpus, data, golden) -> None:
    """The rule by which EditEval divides changes is not known in full; this is how far ours agrees."""
    rows = rows_of(golden / "sari/sentence_T5.tsv")
    lines = outputs(data, "systems_subset")
    found = metric("emdiff").score(corpus, lines["T5"]).sentences[: len(rows)]
    same = np.isclose(found, [float(row["em_diff"]) for row in rows], rtol=0, atol=1e-12)
    assert same.sum() >= 54
    for row in rows_of(golden / "sari/system.tsv")[1:]:
        value = metric("emdiff").score(corpus, lines[row["system"]]).value
        assert value == pytest.approx(float(row["em_diff"]), abs=0.011), row["system"]


def test_the_case_that_editeval_asserts() -> None:
    case = (
        ["About 95 species are currently accepted ."],
        ["About 95 you now get in ."],
        [
            [
                "About 95 species are currently known .",
                "About 95 species are now accepted .",
                "95 species are now accepted .",
            ]
        ],
    )
    wanted = (31.350246975246975, 26.95360195360195, 31.882081425971506, 27.10501136227724)
    assert [100 * variant.score(*case).value for variant in VARIANTS.values()] == pytest.approx(wanted)
    assert metric("id").score(*case).value == pytest.approx(0.2833333333333334)


@pytest.mark.parametrize("name", VARIANTS)
def test_random_texts_have_the_sari_of_the_specification(name) -> None:
    generator = random.Random(3)

    def sentence() -> str:
        return " ".join(generator.choices(["A", "b", "c,", "d."], k=generator.randint(0, 7)))

    variant = VARIANTS[name]
    for _ in range(100):
        sources = [sentence() for _ in range(generator.randint(1, 4))]
        lines = [sentence() for _ in sources]
        references = [[sentence() for _ in range(generator.randint(1, 3))] for _ in sources]
        cases = [
            (_tokens(s), _tokens(h), [_tokens(r) for r in rs])
            for s, h, rs in zip(sources, lines, references, strict=True)
        ]
        wanted = oracle.sari(cases, variant.average == "paper", variant.deletion == "precision")
        score = variant.score(sources, lines, references)
        assert list(score.parts.values()) == pytest.approx(wanted, abs=1e-12)
        alone = [oracle.sari([case], variant.average == "paper", variant.deletion == "precision")[0]
                 for case in cases]  # fmt: skip
        assert score.sentences.tolist() == pytest.approx(alone, abs=1e-12)


def _tokens(text: str) -> list[str]:
    return tokenize_13a(text.lower())


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.text("ab19.,-'&;/ \t\né😀<Σ\xa0(" + "lt", max_size=14) | st.sampled_from(_ODD), max_size=4)
)
def test_the_tokens_of_13a_are_those_of_its_regular_expressions(lines) -> None:
    expected = [tokenize_13a(line) for line in lines]
    assert [line.split() for line in spaced_13a(lines)] == expected


def test_changes_are_widened_to_words_and_joined_where_they_touch() -> None:
    assert changes("a lots of", "a lot of") == {("lots", "")}
    assert changes("in his or her", "in their") == {("his or her", "their")}
    assert changes("the cat", "the old cat") == {("", "old ")}
    assert changes("same", "same") == set()


_few = st.text("ab é\t日", max_size=16)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(_few, _few, st.lists(_few, min_size=1, max_size=3)), min_size=1, max_size=3))
def test_em_diff_and_id_are_those_of_strings_and_sets(segments) -> None:
    sources, lines, references = (list(column) for column in zip(*segments, strict=True))
    found = metric("emdiff").score(sources, lines, references).sentences.tolist()
    assert found == [editing.emdiff(*segment) for segment in segments]
    for source, output, _ in segments:
        assert changes(source, output) == editing.changes(source, output)
    found = metric("id").score(sources, lines, references).sentences.tolist()
    assert found == [editing.insert_delete(*segment) for segment in segments]


def test_em_diff_compares_large_texts_word_by_word() -> None:
    """The first segment has a large output, the second a large reference; the third is as usual."""
    sources, lines = ["a b", "a b", "a b"], ["a c b", "a b", "a c"]
    references = [["a c b"], ["a b", "a b x"], ["a c"]]
    whole = metric("emdiff").score(sources, lines, references).sentences.tolist()
    assert whole == [1.0, 0.0, 1.0]
    with unittest.mock.patch.object(editing_module, "_MOST_CELLS", 9):
        assert changes("a b", "a c b") == {("", "c")}
        assert changes("a b", "a c") == {("b", "c")}
        assert metric("emdiff").score(sources, lines, references).sentences.tolist() == whole


def test_id_by_hand() -> None:
    """Output and reference insert 'c' and delete 'b'; their bigrams are the same as well."""
    score = metric("id").score(["a b"], ["a c"], [["a c"]])
    assert score.value == 1
    # unigrams: inserted {c} and {d}: 0, deleted {b} and {b}: 1; bigrams: 0 and 1; trigrams: none, 1 and 1
    assert metric("id").score(["a b"], ["a c"], [["a d"]]).value == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_ibleu_takes_away_a_share_of_bleu_against_the_source() -> None:
    sources, lines = ["a b c d e f"], ["a b c d e g"]
    references = [["a b c d e g"]]
    ours = BLEU().score(sources, lines, references).value
    itself = BLEU().score(sources, lines, [[source] for source in sources]).value
    score = metric("ibleu").score(sources, lines, references)
    assert score.value == pytest.approx(0.9 * ours - 0.1 * itself, abs=1e-15)
    assert metric("ibleu:alpha=0.5").score(sources, lines, references).value == pytest.approx(
        0.5 * (ours - itself), abs=1e-15
    )
