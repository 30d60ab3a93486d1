"""The taggers in the package: how good they are, and that nothing upsets them."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from errata import sample
from errata.corpus.m2 import read_m2
from errata.corpus.segment import Edit
from errata.edits.language import word_list
from errata.edits.pipeline import Extractor
from errata.edits.tagged_sentence import TaggedSentence, Tagger
from errata.edits.taggers import embedded, tagger
from errata.edits.taggers.embedded import EmbeddedTagger
from errata.edits.taggers.lexicon import (
    CAPITALISED,
    LOWER,
    LemmaRules,
    Lexicon,
    Script,
    Variant,
    front_coded,
    front_decoded,
)
from errata.edits.taggers.models import Layer, Model, pack, padded, unpack
from errata.errors import ErrataError

LARGEST = 3_000_000  # bytes of a model
STRANGE = [
    (),
    ("",),
    ("слово", "για", "言葉", "שלום", "🙂", "\u0000", "a" * 500, "ﬁ"),
    ("\ud800",),
    ("word",) * 2000,
]


def treebank(path: Path) -> list[list[list[str]]]:
    found: list[list[list[str]]] = [[]]
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            columns = line.rstrip("\n").split("\t")
            if columns[0].isdigit():
                found[-1].append(columns)
            elif not line.strip() and found[-1]:
                found.append([])
    return found[:-1]


def accuracy(found: Iterable[tuple[str, ...]], gold: list[list[list[str]]], column: int) -> float:
    pairs = [
        (mine, token[column])
        for row, sentence in zip(found, gold, strict=True)
        for mine, token in zip(row, sentence, strict=True)
    ]
    return sum(mine == wanted for mine, wanted in pairs) / len(pairs)


def corrected(source: str, edits: tuple[Edit, ...]) -> str:
    tokens = source.split()
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        tokens[edit.start : edit.end] = edit.correction.split()
    return " ".join(tokens)


def agreement(extractor: Extractor, paths: Iterable[Path]) -> tuple[float, float]:
    """F1 of spans, and of spans with types, of extracting anew what M2 files hold."""
    counts: Counter[str] = Counter()
    for path in paths:
        annotations = [(s.source, a.edits) for s in read_m2(path) for a in s.annotations]
        pairs = [(source, corrected(source, edits)) for source, edits in annotations]
        for (_, edits), found in zip(annotations, extractor.extract_all(pairs), strict=True):
            wanted = {(e.start, e.end, e.correction): e.type for e in edits}
            mine = {(e.start, e.end, e.correction): e.type for e in found}
            counts["edits"] += len(wanted) + len(mine)
            counts["spans"] += len(wanted.keys() & mine.keys())
            counts["types"] += len(wanted.items() & mine.items())
    return 2 * counts["spans"] / counts["edits"], 2 * counts["types"] / counts["edits"]


@pytest.fixture(scope="module")
def english() -> EmbeddedTagger:
    return EmbeddedTagger("en")


@pytest.fixture(scope="module")
def czech() -> EmbeddedTagger:
    return EmbeddedTagger("cs")


def test_english_reaches_95_percent_upos_and_97_percent_lemmas_on_ewt_test(data: Path) -> None:
    gold = treebank(data / "ud" / "en_ewt-ud-test.conllu.xz")
    found = EmbeddedTagger("en-ud").tag([[token[1] for token in sentence] for sentence in gold])
    assert accuracy((s.upos for s in found), gold, 3) >= 0.95
    assert accuracy((s.lemmas for s in found), gold, 2) >= 0.97


def test_czech_reaches_98_percent_upos_on_the_held_out_treebank(data: Path, czech: EmbeddedTagger) -> None:
    gold = treebank(data / "ud" / "cs_cltt-ud-test.conllu.xz")
    found = czech.tag([[token[1] for token in sentence] for sentence in gold])
    assert accuracy((s.upos for s in found), gold, 3) >= 0.98


SYSTEMS = ["AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC"]


@pytest.mark.slow
def test_english_edits_are_those_of_errant_with_spacy(golden: Path, english: EmbeddedTagger) -> None:
    extractor = Extractor("en", english, words="en")
    spans, types = agreement(extractor, [golden / "errant" / f"{system}.m2" for system in SYSTEMS])
    assert spans >= 0.99
    assert types >= 0.94


@pytest.mark.slow
def test_english_ranks_the_systems_as_errant_with_spacy_does(golden: Path, english: EmbeddedTagger) -> None:
    extractor = Extractor("en", english)

    def scores(anew: bool) -> list[float]:
        def edits(name: str) -> list[list[set[tuple[int, int, str]]]]:
            segments = list(read_m2(golden / "errant" / f"{name}.m2"))
            kept = [[a.edits for a in s.annotations] for s in segments]
            if anew:
                pairs = [
                    (s.source, corrected(s.source, e))
                    for s, rows in zip(segments, kept, strict=True)
                    for e in rows
                ]
                found = extractor.extract_all(pairs)
                kept = [[next(found) for _ in rows] for rows in kept]
            return [[{(e.start, e.end, e.correction) for e in row} for row in rows] for rows in kept]

        references = edits("ref.auto")
        return [f_half(edits(system), references) for system in SYSTEMS]

    assert spearmanr(scores(anew=False), scores(anew=True)).statistic >= 0.98


def f_half(
    hypotheses: list[list[set[tuple[int, int, str]]]], references: list[list[set[tuple[int, int, str]]]]
) -> float:
    """F0.5 with the annotator of each sentence who agrees most."""
    hit = proposed = wanted = 0
    for (mine, *_), rows in zip(hypotheses, references, strict=True):
        best = max(rows, key=lambda row: (len(mine & row), -len(row)))
        hit, proposed, wanted = hit + len(mine & best), proposed + len(mine), wanted + len(best)
    return 1.25 * hit / (0.25 * wanted + proposed) if hit else 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("part", "floor"), [("dev", 0.93), ("test", 0.92)])
def test_czech_edits_are_those_of_geccc(part: str, floor: float, data: Path, czech: EmbeddedTagger) -> None:
    spans, types = agreement(Extractor("cs", czech), [data / "geccc" / part / "sentence.m2"])
    assert spans >= 0.98
    assert types >= floor


def test_the_czech_demo_comes_out_as_published(data: Path, czech: EmbeddedTagger) -> None:
    assert agreement(Extractor("cs", czech), [data / "errant_czech" / "out.m2"]) == (1, 1)


@pytest.mark.parametrize("language", ["en", "cs"])
def test_models_stay_under_three_megabytes_and_are_those_of_the_card(language: str) -> None:
    path = resources.files("errata.edits") / "models" / f"{language}.model"
    packed = path.read_bytes()
    assert len(packed) <= LARGEST
    card = (Path(__file__).parents[2] / "docs" / "tagger.md").read_text(encoding="utf-8")
    assert f"| `{language}.model` | {len(packed):,} | `{sha256(packed).hexdigest()}` |" in card


@pytest.mark.parametrize("name", ["embedded:en", "embedded:en-ud", "embedded:cs"])
def test_strange_sentences_are_tagged_token_by_token(name: str) -> None:
    made = tagger(name)
    assert isinstance(made, Tagger)
    assert made.name == name
    assert " " not in made.signature
    for sentence, found in zip(STRANGE, made.tag(STRANGE), strict=True):
        assert found.forms == sentence
        columns = (found.lemmas, found.upos, found.tags, found.deps, found.heads)
        assert {len(column) for column in columns} == {len(sentence)}
    assert made.tag([]) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.text(min_size=1, max_size=12), max_size=8), max_size=5))
def test_any_text_is_tagged_the_same_alone_and_in_company(sentences: list[list[str]]) -> None:
    made = tagger("embedded:en")
    assert made.tag(sentences, jobs=2) == [
        one for sentence in sentences for one in made.tag([sentence], jobs=1)
    ]


@pytest.mark.parametrize("language", sample.LANGUAGES)
def test_contexts_that_were_seen_before_get_the_labels_that_they_get_anew(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs of several systems differ in single words, so most contexts come again, and some nearly."""
    texts = [text.split() for lines in sample.load(language).outputs.values() for text in lines]
    predict = embedded._predict
    remembered = tagger(f"embedded:{language}").tag(texts, jobs=1)
    monkeypatch.setattr(embedded, "_predict", lambda *arguments: predict(*arguments[:-1], None))
    assert tagger(f"embedded:{language}").tag(texts, jobs=1) == remembered


def test_english_lemmas_and_tags_are_those_a_grammar_gives(english: EmbeddedTagger) -> None:
    found: TaggedSentence = english.tag([["He", "has", "gone", "to", "better", "houses", "."]])[0]
    assert found.lemmas[:3] == ("he", "have", "go")
    assert found.tags[:3] == ("PRP", "VBZ", "VBN")
    assert found.upos[:3] == ("PRON", "AUX", "VERB")
    assert found.deps[:2] == ("nsubj", "aux")


def test_numbers_lose_their_commas_as_lemmas(english: EmbeddedTagger) -> None:
    found = english.tag([["1,000", "of", "12,000", "3RD", "hats"]])[0]
    assert found.lemmas[:4] == ("1000", "of", "12000", "3rd")


@pytest.mark.parametrize("argument", ["sk", "en-penn", "cs-ud", ""])
def test_an_unknown_model_is_an_error_that_names_those_there_are(argument: str) -> None:
    with pytest.raises(ErrataError, match="en-ud"):
        EmbeddedTagger(argument)


def test_word_lists_know_words_and_not_misspellings() -> None:
    english, czech = word_list("en"), word_list("cs")
    assert all(word in english for word in ["house", "went", "Children", "London", "colour", "color"])
    assert not any(word in english for word in ["hous", "recieve", "london", "beleive"])
    assert all(word in czech for word in ["dům", "šla", "velkého", "velkýho", "Praha"])
    assert not any(word in czech for word in ["dum", "velky", "příklat", "zapoměl", "spůsob"])


def test_regular_czech_forms_need_no_entry_in_the_word_list() -> None:
    czech = word_list("cs")
    regular = ["nezakopnul", "krásnejch", "ženama", "chutnaj", "vlkovy", "levnějc", "KRÁSNEJCH"]
    assert all(word in czech for word in regular)
    assert not any(word.lower() in czech.words for word in regular)
    assert not any(word in czech for word in ["", "kočkejch", "nejkrk", "xxej"])


def test_a_prefix_changes_neither_class_nor_lemma(czech: EmbeddedTagger) -> None:
    found = czech.tag([["Nepotřebuje", "nejkrásnější", "dům", "."], ["Potřebuje", "krásnější", "dům", "."]])
    assert found[0].lemmas == found[1].lemmas
    assert found[0].upos == found[1].upos


def test_scripts_and_texts_survive_packing() -> None:
    for form, lemma in [
        ("went", "go"),
        ("Cats", "cat"),
        ("London", "London"),
        ("i", "I"),
        ("ran", "run"),
        ("nejkrásnějšími", "krásný"),
    ]:
        script = Script.between(form, lemma, keep_case=form == "London")
        assert script.apply(form) == lemma
        assert Script.parse(str(script)) == script
    words = sorted(["", "a", "ab", "abc", "b", "ž" * 300, "ž" * 301])
    rest, shared = front_coded(words)
    assert front_decoded(rest, shared) == words
    assert front_decoded(*front_coded([])) == []
    layer = Layer(
        ("A", "B"), "", np.array([0, 1, 0, 2], dtype=np.int32), padded(np.array([[1, -2], [3, 4]], np.int8))
    )
    lexicon = Lexicon(
        {"a": ("X", "", LOWER), "b": ("", "y", CAPITALISED)}, (Variant("ej", "ý", "ý"),), ("ne",), ("t", "ý")
    )
    model = Model({"upos": layer}, lexicon, LemmaRules({"A ": Script(False, 0, "")}, 5), {"A": "B"})
    again = unpack(pack(model))
    assert again.lexicon == lexicon
    assert again.lexicon.words() == {"a", "B"}
    assert re.fullmatch("[0-9a-f]{8}", again.digest)
    assert again.lemmas == model.lemmas
    assert again.classes == model.classes
    assert (again.layers["upos"].index == layer.index).all()
    assert (again.layers["upos"].weights == layer.weights).all()


def test_a_prefix_is_taken_off_only_words_without_an_entry() -> None:
    entries = dict.fromkeys(("může", "nemůže"), ("V", "moct", LOWER))
    lexicon = Lexicon(entries, (), ("ne",), ("t",))
    assert lexicon.without_prefix("nemůže") == "nemůže"
    assert Lexicon({"může": entries["může"]}, (), ("ne",), ("t",)).without_prefix("nemůže") == "může"
    assert lexicon.without_prefix("neznámý") == "neznámý"


def test_a_form_that_no_rule_knows_is_its_own_lemma() -> None:
    rules = LemmaRules({"NOUN s": Script.between("cats", "cat", keep_case=False)}, 1)
    assert rules.lemma("Cats", "NOUN") == "cat"
    assert rules.lemma("Fish", "NOUN") == "fish"
    assert rules.lemma("Runs", "VERB") == "runs"
