"""Alignment, merging and types: properties, the kernel's twins, and examples a linguist can read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from errata.corpus.apply_edits import apply_edits
from errata.corpus.segment import Edit
from errata.edits import czech
from errata.edits.alignment import Aligner, CostModel, SentenceColumns, TokenTable
from errata.edits.czech import stem as czech_stem
from errata.edits.edit_arrays import PlainEdits
from errata.edits.english import lancaster
from errata.edits.language import Language, WordList, language
from errata.edits.merge import STRATEGIES, Span, Step, changing_steps, merge, merge_by_rules
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import extracted_anew, minimal, place_edits, typed
from errata.edits.tagged_sentence import UNKNOWN_HEAD, TaggedSentence
from errata.edits.taggers import tagger
from errata.edits.taggers.spacy import SpacyTagger
from errata.engine import in_order
from errata.errors import ErrataError
from errata.limits import limited

WORDS = [
    "the",
    "The",
    "cat",
    "cats",
    "Cat",
    "sat",
    ",",
    ".",
    "on",
    "mat",
    "'s",
    "to",
    "eat",
    "eating",
    "a-b",
    "ab",
]
TAGS = {
    "the": "DET",
    "cat": "NOUN",
    "cats": "NOUN",
    "sat": "VERB",
    "eat": "VERB",
    "eating": "VERB",
    "to": "PART",
}
PENN = {
    "'s": "POS",
    "the": "DT",
    "cat": "NN",
    "cats": "NNS",
    "sat": "VBD",
    "eat": "VB",
    "eating": "VBG",
    "to": "TO",
}


class ToyTagger:
    """Looks every word up."""

    name = signature = "toy"

    def tag(self, sentences, jobs=None):  # type: ignore[no-untyped-def]
        made = []
        for forms in sentences:
            low = [form.lower() for form in forms]
            upos = tuple(TAGS.get(word, "PUNCT" if not word.isalnum() else "X") for word in low)
            lemmas = tuple({"cats": "cat", "eating": "eat"}.get(word, word) for word in low)
            tags = tuple(PENN.get(word, "") for word in low)
            made.append(
                TaggedSentence(
                    tuple(forms), lemmas, upos, tags, ("",) * len(forms), (UNKNOWN_HEAD,) * len(forms)
                )
            )
        return made


sentences = st.lists(st.sampled_from(WORDS), max_size=9)
NO_WORDS = WordList("none", frozenset())


@given(source=sentences, target=sentences, merge=st.sampled_from(STRATEGIES), plain=st.booleans(),
       language=st.sampled_from(["en", "cs", "xx"]))  # fmt: skip
def test_applying_the_extracted_edits_gives_the_target(
    source: list[str], target: list[str], merge: str, plain: bool, language: str
) -> None:
    extractor = Extractor(language, ToyTagger(), merge=merge, levenshtein=plain, words=NO_WORDS)
    edits = extractor.extract(" ".join(source), " ".join(target))
    assert apply_edits(source, [(e.start, e.end, e.correction) for e in edits]) == target
    for edit in edits:
        assert edit.type == "UNK" or edit.type[:2] in ("M:", "U:", "R:")
        assert edit.start < edit.end or edit.correction  # something changes
    assert [(e.start, e.end) for e in edits] == sorted((e.start, e.end) for e in edits)


@given(source=sentences, target=sentences)
def test_all_merge_has_no_neighbours_and_all_split_none_longer_than_a_step(
    source: list[str], target: list[str]
) -> None:
    texts = " ".join(source), " ".join(target)
    merged = Extractor("en", ToyTagger(), merge="all-merge", words=NO_WORDS).extract(*texts)
    split = Extractor("en", ToyTagger(), merge="all-split", words=NO_WORDS).extract(*texts)
    assert all(one.end < other.start for one, other in pairwise(merged))
    assert len(split) >= len(merged)


words = st.text("aábcčdeéěiíyýAÁB", min_size=1, max_size=7)


@given(one=words, other=words)
def test_letters_are_compared_as_rapidfuzz_and_difflib_do(one: str, other: str) -> None:
    """A substitution is taken exactly if its cost, from the libraries, is at most that of two steps."""
    tagged = [_word(one, "NOUN"), _word(other, "X")]
    for comparison, letters in (
        (CostModel.EXACT, Indel.normalized_distance(one, other)),
        (CostModel.SIMILAR, 1 - SequenceMatcher(None, one, other).ratio()),
    ):
        aligner = Aligner(comparison, czech.letters())
        (steps,) = changing_steps(aligner.align(columns_of(tagged), np.array([[0, 1]])))
        expected = (
            "M" if one == other else "S" if one.lower() == other.lower() or 0.999 + letters <= 2 else "I"
        )
        assert ("MSID"[steps[-1].operation] if steps else "M") == expected


def columns_of(sentences: Sequence[TaggedSentence]) -> SentenceColumns:
    table = TokenTable()
    return table.columns(table.add_tagged(sentences))


def merged(
    steps: Sequence[Step], source: TaggedSentence, target: TaggedSentence, strategy: str, rules: Language
) -> list[Span]:
    """The edits of an alignment."""

    def merge_run(run: list[Step]) -> list[Span]:
        o, c = run[0].start, run[0].to_start
        words = source.tokens[o : run[-1].end], target.tokens[c : run[-1].to_end]
        spans = merge_by_rules("".join("MSID"[step.operation] for step in run), *words, rules)
        return [(o + start, o + end, c + to_start, c + to_end) for start, end, to_start, to_end in spans]

    return merge(steps, strategy, merge_run)


def _word(form: str, upos: str) -> TaggedSentence:
    return TaggedSentence((form,), (form + upos,), (upos,), ("",), ("",), (UNKNOWN_HEAD,))


def tagged_words(*forms: str, upos: str = "NOUN") -> TaggedSentence:
    count = len(forms)
    blank = ("",) * count
    return TaggedSentence(forms, forms, (upos,) * count, blank, blank, (UNKNOWN_HEAD,) * count)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("i", "in", "SPELL"),
        ("i", "at", None),
        ("in", "is", "SPELL"),
        ("to", "too", "SPELL"),
        ("in", "i", None),
        ("in", "rain", None),
        ("in", "at", None),
        ("off", "of", "SPELL"),
        ("now", "know", "SPELL"),
        ("now", "known", None),
        ("cat", "dog", None),
        ("knew", "new", "SPELL"),
        ("them", "tie", None),  # 4 and 3 letters, not alike enough
        ("baker", "bar", None),  # 5 and 3 letters
        ("then", "than", "SPELL"),
        ("bird", "song", None),
        ("hole", "whole", "SPELL"),
        ("them", "there", None),  # 4 and 5 letters, similarity 0.6
        ("high", "height", "NOUN"),
        ("home", "houses", None),  # 4 and 6 letters, similarity 0.5
        ("where", "were", "SPELL"),
        ("crown", "corn", None),  # 5 and 4 letters, similarity 0.6
        ("quite", "quiet", "SPELL"),
        ("human", "people", "NOUN"),
        ("human", "humane", "NOUN"),
        ("human", "crowd", None),  # 5 letters each, nothing in common
    ],
)
def test_how_alike_two_words_are_decides_their_type(source: str, target: str, expected: str | None) -> None:
    class InTurns(ToyTagger):
        def tag(self, sentences, jobs=None):  # type: ignore[no-untyped-def]
            return [
                tagged_words(*forms, upos=upos)
                for forms, upos in zip(sentences, ("PRON", "NOUN"), strict=True)
            ]

    extractor = Extractor("en", InTurns(), words=WordList("one", frozenset({source})))
    assert extractor.types([((source,), (target,), (0, 1, 0, 1))]) == [f"R:{expected or 'OTHER'}"]


@pytest.mark.parametrize(
    ("source", "target", "edits"),
    [
        ("a big black cat", "a cat", [(1, 3, 1, 1)]),  # deletions in a row are one edit
        ("a cat", "a big black cat", [(1, 1, 1, 3)]),
    ],
)
def test_a_run_of_one_operation_is_one_edit(
    source: str, target: str, edits: list[tuple[int, int, int, int]]
) -> None:
    sentences = tagged_words(*source.split()), tagged_words(*target.split())
    rules = language("en", NO_WORDS)
    (steps,) = changing_steps(rules.aligner().align(columns_of(sentences), np.array([[0, 1]])))
    assert merged(steps, *sentences, "rules", rules) == edits


def reordered(source: tuple[str, ...], target: tuple[str, ...]) -> bool:
    """Whether the Czech rules find the same words in another order."""
    return czech.reordered(tagged_words(*source).tokens, tagged_words(*target).tokens)


@given(source=st.lists(words, min_size=2, max_size=4), data=st.data())
def test_czech_word_order_allows_misspellings(source: list[str], data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(list(permutations(range(len(source))))))
    target = tuple(source[i] for i in order)
    if order[0] != 0 and order[-1] != len(source) - 1:
        assert reordered(tuple(source), target)


def test_czech_word_order_moves_both_ends() -> None:
    words = ("jedna", "dlouhá", "věta")
    assert reordered(words, ("dlouhá", "věta", "jedna"))
    assert not reordered(words, ("jedna", "věta", "dlouhá"))
    assert not reordered(words, ("dlouhá", "jedna", "věta"))


# -- long and strange input -----------------------------------------------------------------------


def test_two_thousand_unrelated_tokens_take_seconds_not_hours() -> None:
    generator = np.random.default_rng(1)
    source, target = (" ".join(generator.choice(WORDS, 2000)) for _ in range(2))
    edits = Extractor("en", ToyTagger(), words=NO_WORDS).extract(source, target)
    assert " ".join(apply_edits(source.split(), [(e.start, e.end, e.correction) for e in edits])) == target


def test_a_pair_beyond_the_limits_has_the_edits_of_a_plain_alignment() -> None:
    extractor = Extractor("en", "none", words=NO_WORDS)
    source, target = ["a", *["b"] * 14_000], ["a", *["c"] * 14_000, "d"]
    edits = extractor.extract(" ".join(source), " ".join(target))
    assert isinstance(edits, PlainEdits)
    assert edits.limit == "memory"
    assert [(e.start, e.end, e.type) for e in edits] == [(1, 14_001, "R:OTHER")]
    with limited(work=1000):
        assert isinstance(extractor.extract("a very long word", "a vary lung ward"), tuple)
        found = extractor.extract("incomprehensibilities " * 3, "incomprehensibility " * 3)
    assert isinstance(found, PlainEdits)
    assert found.limit == "work"


def test_one_endless_word_is_cut_off_too() -> None:
    edits = Extractor("en", "none", words=NO_WORDS).extract("a " + "x" * 100_000, "b " + "y" * 100_000)
    assert isinstance(edits, PlainEdits)


@pytest.mark.parametrize(
    "text", ["", " ", "\N{NO-BREAK SPACE}", "\x00", "Привіт світе !", "你好 世界", "e\u0301"]
)
def test_any_text_goes_through(text: str) -> None:
    for code in ("en", "cs", "uk"):
        extractor = Extractor(code, "none", words=NO_WORDS)
        edits = extractor.extract("one two .", text)
        assert (
            apply_edits(["one", "two", "."], [(e.start, e.end, e.correction) for e in edits]) == text.split()
        )


def test_threads_do_not_change_the_edits() -> None:
    generator = np.random.default_rng(2)
    pairs = [tuple(" ".join(generator.choice(WORDS, 8)) for _ in range(2)) for _ in range(300)]
    one, many = (
        list(Extractor("en", ToyTagger(), words=NO_WORDS, jobs=j).extract_all(pairs)) for j in (1, 4)
    )
    assert one == many


def test_each_sentence_is_tagged_once_and_unchanged_ones_never() -> None:
    asked: list[tuple[str, ...]] = []

    class Counting(ToyTagger):
        def tag(self, sentences, jobs=None):  # type: ignore[no-untyped-def]
            asked.extend(map(tuple, sentences))
            return super().tag(sentences, jobs)

    extractor = Extractor("en", Counting(), words=NO_WORDS)
    list(
        extractor.extract_all(
            [("the cat", "a cat"), ("the cat", "the cat"), ("sat .", "sat ."), ("the cat", "a cat")]
        )
    )
    list(extractor.extract_all([("the cat", "the mat")]))
    assert asked == [("the", "cat"), ("a", "cat"), ("the", "mat")]


# -- edits that are there already -----------------------------------------------------------------


def test_detected_errors_stay_and_leave_the_text_alone() -> None:
    edits = [Edit(0, 1, "a", "ArtOrDet"), Edit(1, 2, "?", "Um")]
    target, placed = place_edits(["the", "cat", "sat"], edits)
    assert target == ("a", "cat", "sat")
    assert [span for _, span in placed] == [(0, 1, 0, 1), (1, 2, 1, 2)]
    extractor = Extractor("en", ToyTagger(), words=NO_WORDS)
    for found in (
        extracted_anew(extractor, [("the cat sat", edits)]),
        typed(extractor, [("the cat sat", edits)]),
    ):
        kinds = [(edit.start, edit.end, edit.correction, edit.type) for edit in next(found)]
        assert kinds[1] == (1, 2, "?", "UNK")


def test_minimal_edits_lose_what_stays() -> None:
    assert minimal(["a", "b", "c"], ["a", "x", "c"], (0, 3, 0, 3)) == (1, 2, 1, 2)


# -- words, stems, taggers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "stem"),
    [("maximum", "maxim"), ("presumably", "presum"), ("multiply", "multiply"), ("provision", "provid"),
     ("owed", "ow"), ("saying", "say"), ("string", "string"), ("cement", "cem")],
)  # fmt: skip
def test_lancaster_stems_as_published(word: str, stem: str) -> None:
    assert lancaster(word) == stem


def test_czech_stems_take_endings_off() -> None:
    assert czech_stem("knihách") == czech_stem("knihami")
    assert czech_stem("Praze") == czech_stem("Praha")
    assert czech_stem("rychlejší") == czech_stem("rychle")
    assert czech_stem("pes") == "pes"
    assert czech_stem("CD-ROM") == "cd-rom"


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [("a", "A", 0.1), ("a", "á", 0.2), ("ě", "é", 0.3), ("i", "y", 0.3), ("a", "b", 1.0)],
)
def test_czech_letters_have_weights(one: str, other: str, cost: float) -> None:
    letters = czech.letters()
    codes = [letters.codes_of.get(letter, len(letters.weights) - 1) for letter in (one, other)]
    assert letters.weights[codes[0], codes[1]] == pytest.approx(cost)


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("kratka", "krátká", "R:DIACR"),
        ("praha", "Praha", "R:ORTH:CASING"),
        ("na příklad", "například", "R:ORTH:WSPACE"),
        ('"', "„", "R:QUOTATION"),
        ("pes .", "pes !", "R:PUNCT"),
        ("mas se dneska", "se dneska máš", "R:WO:SPELL"),
        ("", ",", "M:PUNCT"),
    ],
)
def test_czech_orthography_needs_no_tagger(source: str, target: str, kind: str) -> None:
    extractor = Extractor("cs", "none", words=NO_WORDS, merge="all-merge")
    assert [edit.type for edit in extractor.extract(source, target)] == [kind]


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("ΟΔΟΣ", "οδος", "R:ORTH:CASING"),
        ("ΟΔΟΣ ΜΟΥ", "οδος μου", "R:ORTH:CASING"),
        ("ΟΔΟΣ ΜΟΥ", "ΟΔΟΣΜΟΥ", "R:ORTH:WSPACE"),
        ("Ο ΔΟΣ", "οδος", "R:ORTH"),
        ("οδοσ", "οδος", "R:OTHER"),
        ("οδός", "οδος", "R:DIACR"),
    ],
)
def test_a_final_sigma_is_a_letter_of_its_own(source: str, target: str, kind: str) -> None:
    extractor = Extractor("xx", "none", merge="all-merge")
    assert [edit.type for edit in extractor.extract(source, target)] == [kind]


def test_conllu_gives_the_analyses_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(
        "# text = psa\n1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n1\tpsa\tpes\tNOUN\tNN\t_\t0\troot\t_\t_\n"
        "2\t.\t.\tPUNCT\tZ:\t_\t1\tpunct\t_\t_\n\n"
    )
    found = tagger(f"conllu:{tmp_path / 'a.conllu'}")
    sentence = found.tag([["psa", "."]])[0]
    assert (sentence.lemmas, sentence.heads) == (("pes", "."), (0, 0))
    assert sentence.children == ((1,), ())
    with pytest.raises(ErrataError, match="has no analysis"):
        found.tag([["kočka"]])


@pytest.mark.parametrize("name", ["nothing", "spacy:no_such_pipeline", "udpipe:no-such-file", "none:model"])
def test_a_tagger_that_is_not_there_is_an_error_with_advice(name: str) -> None:
    with pytest.raises(ErrataError, match=r"hint|no model"):
        tagger(name)


def test_no_process_is_forked_beside_threads() -> None:
    found = object.__new__(SpacyTagger)
    found._workers = None
    assert list(in_order(lambda _: found._pool(2), range(3), 2)) == [None, None, None]


@pytest.mark.slow
def test_workers_of_spacy_give_the_same_tags_and_end_without_a_word() -> None:
    """Also where the tagger lives as long as the interpreter."""
    code = (
        "import builtins\n"
        "from errata.edits.taggers import tagger\n"
        "builtins.kept = found = tagger('spacy:en_core_web_sm')\n"
        "sentences = [f'It cost {i} pounds .'.split() for i in range(300)]\n"
        "assert found.tag(sentences, 2) == found.tag(sentences, 1)\n"
    )
    try:
        tagger("spacy:en_core_web_sm")
    except ErrataError:
        pytest.skip("the pipeline is not installed")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_pipeline_is_downloaded_or_set_up() -> None:
    with pytest.raises(ErrataError, match="hint: python -m spacy download no_such_pipeline"):
        tagger("spacy:no_such_pipeline")


def _pipeline(depth: int, window: int, rules: list[tuple], last: tuple[str, ...]):
    """A pipeline with a small random network, rules for attributes, and a lemmatizer."""
    import spacy
    from spacy.lookups import Lookups

    nlp = spacy.blank("en")
    upstream = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "*"}
    embed = {"@architectures": "spacy.MultiHashEmbed.v2", "width": 16, "attrs": ["NORM", "SUFFIX"],
             "rows": [50, 50], "include_static_vectors": False}  # fmt: skip
    encode = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "width": 16, "depth": depth,
              "window_size": window, "maxout_pieces": 2}  # fmt: skip
    network = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    nlp.add_pipe("tok2vec", config={"model": network})
    tags = nlp.add_pipe(
        "tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": upstream}}
    )
    for tag in ("DT", "NN", "VBZ"):
        tags.add_label(tag)
    nlp.initialize()
    for layer in tags.model.walk():
        for name in layer.param_names:
            shape = layer.get_param(name).shape
            layer.set_param(name, np.random.default_rng(1).normal(size=shape).astype(np.float32))
    for name in last:
        component = nlp.add_pipe(name, config={"mode": "lookup"} if name == "lemmatizer" else {})
        if name == "lemmatizer":
            lookups = Lookups()
            lookups.add_table("lemma_lookup", {"runs": "run", "cats": "cat"})
            component.initialize(lookups=lookups)
        for patterns, attributes in rules if name == "attribute_ruler" else ():
            component.add(patterns, attributes)
    return nlp


_RULES = [
    ([[{"LOWER": "the"}]], {"POS": "DET", "MORPH": "Definite=Def"}),
    ([[{"TAG": {"IN": ["NN", "VBZ"]}}], [{"LOWER": "a"}, {"TAG": "NN"}]], {"POS": "NOUN"}),
    ([[{"LOWER": "cats"}]], {"LEMMA": "CAT", "TAG": "NNS"}),
]
_LAST = ("attribute_ruler", "lemmatizer")


@pytest.mark.parametrize(
    ("parts", "remembered"),
    [
        ((4, 1, _RULES, _LAST), (True, True)),
        ((2, 1, [([[{"LENGTH": 3}]], {"POS": "X"})], _LAST), (True, False)),
        ((2, 2, _RULES, _LAST[::-1]), (False, False)),
        ((1, 1, _RULES, _LAST[:1]), (False, False)),
        (None, (False, False)),
    ],
)
def test_other_pipelines_of_spacy_tag_as_they_do_by_themselves(parts, remembered, tmp_path: Path) -> None:
    import spacy as library
    from spacy.tokens import Doc

    from errata.edits.taggers import spacy

    (library.blank("cs") if parts is None else _pipeline(*parts)).to_disk(tmp_path / "pipeline")
    name = str(tmp_path / "pipeline")
    words = ["a", "the", "cats", "runs", "Runs", ".", "'s", " ", "x" * 200, "\U0001f600"]
    generator = np.random.default_rng(2)
    sentences = [generator.choice(words, size).tolist() for size in (0, 1, 2, 5, 9, 40) for _ in range(9)]
    plain = spacy.load_pipeline(name)
    documents = plain.pipe([Doc(plain.vocab, words=sentence) for sentence in sentences])
    expected = [spacy.DocumentReader()(document) for document in documents]
    ours = SpacyTagger(name)
    nlp, columns = spacy._pipelines[name]
    network = nlp.get_pipe("tok2vec").predict if nlp.has_pipe("tok2vec") else None
    assert (isinstance(network, spacy._Windows), columns.replaced == _LAST) == remembered
    for _ in range(2):
        assert ours.tag(sentences, 1) == expected
