"""The noisy channel: language models, candidates, correction."""

from __future__ import annotations

import dataclasses
import importlib
import math
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from errata.errors import DataError
from errata.models.ngram_model import SPECIAL
from errata_correct.candidates import Lexicon
from errata_correct.corrector import Corrector
from errata_correct.error_model import ErrorModel, Weights
from errata_correct.language_model import OTHER, Morphology, estimate
from errata_correct.letters import without_marks
from errata_correct.native import channel
from errata_correct.noisy_channel import Lattice, NoisyChannel
from errata_correct.tokens import (
    differences,
    replacements,
    rewrite,
    sentences,
    token_spans,
    tokenize,
    tokenize_english,
)
from oracles.arpa import ngram_log, read_arpa, sentence_log
from oracles.beam import best_choices

NAMES, VERBS, THINGS = ("petr", "jana", "eva"), ("vidí", "slyší", "hledá"), ("dům", "koně", "řeku", "vlak")


def rejoin(source: str, tokens: list[str]) -> str:
    """Corrected tokens as running text."""
    changes = differences(tokenize(source), tokens)
    return rewrite(source, replacements(source, token_spans(source), changes))


def text(count: int = 400) -> list[list[str]]:
    draw = random.Random(1)
    return [
        [draw.choice(NAMES), draw.choice(VERBS), draw.choice(THINGS), ",", "protože", draw.choice(VERBS),
         draw.choice(THINGS), "."]
        for _ in range(count)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> NoisyChannel:
    errors = ErrorModel(
        {("í", "i"): 0.1}, words={("koně", "kunie"): 0.5}, drop={",": 0.3}, add={",": 0.01}, other=1e-2
    )
    return NoisyChannel.build(estimate(text()), errors, ["petr"], Weights(change=0.5, comma=0.0))


def test_probabilities_sum_to_one_in_every_context() -> None:
    for prune in ((1, 1), (2, 3)):
        model = estimate(text(60), prune=prune)
        words = [w for w in model.words if w != "<s>"]
        known = {w: i for i, w in enumerate(model.words)}
        for context in ([], ["<s>"], ["jana"], ["jana", "vidí"], ["dům", ","], [".", "petr"]):
            total = sum(math.exp(ngram_log(model, [*(known[w] for w in context), known[w]])) for w in words)
            assert total == pytest.approx(1.0, abs=1e-3), (prune, context)


@pytest.mark.needs("kenlm")
def test_arpa_comes_back_and_other_toolkits_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "tools" / "models"))
    write_arpa = importlib.import_module("arpa").write_arpa
    model = estimate(text(60))
    path = str(tmp_path / "lm.arpa")
    write_arpa(model, path)
    again = read_arpa(path)
    sentence = ["jana", "vidí", "koně", ".", "neznámé"]
    assert sentence_log(again, sentence) == pytest.approx(sentence_log(model, sentence), abs=1e-4)
    import kenlm

    assert kenlm.Model(path).score(" ".join(sentence)) * math.log(10) == pytest.approx(
        sentence_log(model, sentence), abs=1e-3
    )


def test_words_from_elsewhere_get_probability() -> None:
    words = sorted({w for s in text(50) for w in s} | {"auto", "kolo"})
    model = estimate(text(50), words, prior={"auto": 0.1, "kolo": 0.001})
    assert sentence_log(model, ["auto"]) > sentence_log(model, ["kolo"])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text("abčř", min_size=1, max_size=6), min_size=1, max_size=30, unique=True),
    st.text("abčř", min_size=1, max_size=6),
)
def test_the_trie_finds_all_words_within_an_edit(words: list[str], written: str) -> None:
    listed = ["<unk>", "<s>", "</s>", *words]
    model = NoisyChannel.build(estimate([words], listed[3:]), ErrorModel(swap=0.1, other=0.1, marks=0.1))
    rows = np.concatenate(model.candidates.find([written]))
    found = {listed[one] for one, two, _ in rows.tolist() if one > 0 and two < 0}
    edits = min(1 if written in words else 2, (len(written) + 1) // 3)
    near = {
        w for w in words if OSA.distance(without_marks(w), without_marks(written)) <= edits and w != written
    }
    exact = {w for w in near if OSA.distance(w, written) <= edits}
    if len(near) < 8:
        assert exact <= found


def test_a_trie_holds_exactly_its_words() -> None:
    words = ["<unk>", "<s>", "</s>", "b", "a", "ab", "abc", "ba", ",", "č"]
    lexicon = Lexicon(words)
    letters_of, nodes = lexicon.trie.arrays()
    spelled, todo = set(), [(0, "")]
    while todo:
        node, prefix = todo.pop()
        letters, packed = nodes[node].tolist()
        word, ends, children = packed % (1 << 22), packed >> 22 & 0xFFFF, range(*nodes[node:][:2, 1] >> 38)
        below = {len(w) - len(prefix) for w in words[3:] if w != "," and w.startswith(prefix)}
        assert ends == sum(1 << length for length in below)
        assert letters == 1 << 61 | sum(lexicon.sets[letters_of[child]] for child in children)
        if word:
            assert words[word - 1] == prefix
            spelled.add(prefix)
        todo += [(child, prefix + lexicon.alphabet[letters_of[child] - 1]) for child in children]
    assert spelled == {"b", "a", "ab", "abc", "ba", "č"}


def misspellings(word: str) -> list[str]:
    """A word with one error near its beginning, in its middle and near its end."""
    places = [1, len(word) // 2, len(word) - 2]
    deleted = [word[:i] + word[i + 1 :] for i in places]
    inserted = [word[:i] + "q" + word[i:] for i in places]
    replaced = [word[:i] + "q" + word[i + 1 :] for i in places]
    swapped = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in places]
    return [*deleted, *inserted, *replaced, *swapped]


@pytest.mark.parametrize("uncompiled", [False, True])
def test_long_words_are_found_wherever_the_error_is(
    uncompiled: bool, uncompiled_channel: Callable[[], None]
) -> None:
    if uncompiled:
        uncompiled_channel()
    draw = random.Random(4)
    words = ["".join(draw.sample("abcdefghijklmnop", 4) * 7)[:length] for length in range(5, 28)]
    model = NoisyChannel.build(estimate([words], words), ErrorModel(swap=0.1, other=0.1, marks=0.1))
    pairs = [(word, written) for word in words for written in misspellings(word) if len(written) <= 28]
    choices = model.candidates.find([written for _, written in pairs])
    for (word, written), rows in zip(pairs, choices, strict=True):
        assert model.ids[word] in rows[:, 0], (word, written)


def test_a_lexicon_that_is_too_large_is_refused() -> None:
    words = ["<unk>", "<s>", "</s>", "ab", "ac"]
    assert len(Lexicon(words, 4).trie.arrays()[0]) == 4  # the root, a, ab and ac
    with pytest.raises(DataError, match="too large: 3 beginnings of words"):
        Lexicon(words, 3)


@pytest.mark.parametrize("size", range(4, 28))
def test_words_of_any_length_are_found(size: int) -> None:
    word = "".join(chr(ord("a") + place % 26) for place in range(size))
    model = NoisyChannel.build(estimate([[word]], [word]), ErrorModel(other=0.1))
    rows = np.concatenate(model.candidates.find([f"x{word}", word[1:], f"{word[:-1]}x", f"x{word[1:]}"]))
    assert rows[:, 0].tolist().count(3) == 4


def test_words_with_rare_letters_are_found() -> None:
    letters = [chr(code) for code in range(0x430, 0x450)] + [chr(code) for code in range(0x561, 0x587)]
    words = [f"ab{letter}ab" for letter in letters] + ["abab"]
    model = NoisyChannel.build(estimate([words], words), ErrorModel(other=0.1))
    for letter, word in zip(letters, words, strict=False):
        rows = np.concatenate(model.candidates.find([f"xb{letter}ab", f"ab{letter}b", f"ab{letter}abx"]))
        assert rows[:, 0].tolist().count(words.index(word) + 3) == 3, word


def test_spelling_diacritics_commas_and_case_are_corrected(model: NoisyChannel) -> None:
    assert Corrector(model).correct_tokenized(["Jana vidi dum protoze slyší kunie ."]) == [
        "Jana vidí dům , protože slyší koně ."
    ]
    assert Corrector(model).correct(["petr vdií řekku, protože slyší vlak."]) == [
        "Petr vidí řeku, protože slyší vlak."
    ]
    assert Corrector(model).correct_tokenized(["Jana vidí Xyzabc .", "", "12 !"]) == [
        "Jana vidí Xyzabc .",
        "",
        "12 !",
    ]


def test_modes_restore_and_strip(model: NoisyChannel, tmp_path: Path) -> None:
    model.save(tmp_path / "m.channel")
    clean = "Eva slyší koně , protože vidí řeku ."
    stripped = Corrector(NoisyChannel.load(tmp_path / "m.channel", "strip")).correct_tokenized([clean])
    assert stripped == [without_marks(clean)]
    assert Corrector(NoisyChannel.load(tmp_path / "m.channel", "diacritics")).correct_tokenized(stripped) == [
        clean
    ]


def test_a_saved_model_corrects_the_same(model: NoisyChannel, tmp_path: Path) -> None:
    model.save(tmp_path / "m.channel")
    lines = ["jana vydi dum , protoze slisi konne .", "Petr hleda vlaky"]
    again = NoisyChannel.load(tmp_path / "m.channel")
    assert again.weights == model.weights
    assert Corrector(again).correct(lines) == Corrector(model).correct(lines)
    assert ErrorModel.parse(model.errors.lines()) == model.errors


def test_threads_and_uncompiled_kernels_change_nothing(
    model: NoisyChannel, uncompiled_channel: Callable[[], None]
) -> None:
    lines = [" ".join(words).replace("í", "i").replace("ou", "u") for words in text(100)]
    compiled = Corrector(model).correct_tokenized(lines)
    assert compiled == Corrector(model).correct_tokenized(lines)
    uncompiled_channel()
    fresh = NoisyChannel(model.words, model.names, model.forms, model.errors, model.weights)
    assert Corrector(fresh).correct_tokenized(lines[:20]) == compiled[:20]


NOUNS = [f"{a}{b}{c}" for a in "bdkl" for b in "aeo" for c in "rstv"]


@pytest.fixture(scope="module")
def inflecting() -> NoisyChannel:
    """After `s` nouns end in -em, after `k` in -u; of `kat` only the endings are known, not what precedes."""
    draw = random.Random(2)
    lines = []
    for _ in range(1500):
        noun = draw.choice([noun for noun in NOUNS if noun != "kat"])
        lines.append(["jdu", *draw.choice((["s", noun + "em"], ["k", noun + "u"])), "."])
    lines += [["katem"], ["katu"]] * 10
    words = sorted({word for line in lines for word in line})
    cases = {"em": "NOUN-7", "u": "NOUN-3"}
    analyses = {w: (w, w.upper()) for w in words} | {
        noun + ending: (noun, case) for noun in NOUNS for ending, case in cases.items()
    }
    models = [
        estimate([[analyses[w][k] for w in line] for line in lines], [OTHER, *sorted(set(names))])
        for k, names in enumerate(zip(*analyses.values(), strict=True))
    ]
    return NoisyChannel.build(
        estimate(lines, words),
        ErrorModel(other=1e-2),
        weights=Weights(language=0.5, tag=0.5, lemma=0.1, change=0.5, unknown=20.0),
        morphology=Morphology.build([*SPECIAL, *words], analyses, *models),
    )


def test_tags_decide_where_words_were_never_seen_together(inflecting: NoisyChannel) -> None:
    lines = ["jdu s kate .", "jdu k kate ."]
    assert Corrector(inflecting).correct_tokenized(lines) == ["Jdu s katem .", "Jdu k katu ."]
    alone = dataclasses.replace(inflecting, weights=dataclasses.replace(inflecting.weights, tag=0.0))
    one, two = (line.split()[2] for line in Corrector(alone).correct_tokenized(lines))
    assert one == two  # the forms alone cannot tell
    without = dataclasses.replace(alone, morphology=None)
    lemmas_off = dataclasses.replace(alone, weights=dataclasses.replace(alone.weights, lemma=0.0))
    assert Corrector(without).correct_tokenized(lines) == Corrector(lemmas_off).correct_tokenized(lines)


def test_lemmas_and_tags_are_saved_and_searched_alike_uncompiled(
    inflecting: NoisyChannel, tmp_path: Path, uncompiled_channel: Callable[[], None]
) -> None:
    inflecting.save(tmp_path / "m.channel")
    lines = ["jdu s kate .", "jdu k Doru", "bovem jdu s dost", "xyz s xyz ."]
    expected = Corrector(inflecting).correct_tokenized(lines)
    assert Corrector(NoisyChannel.load(tmp_path / "m.channel")).correct_tokenized(lines) == expected
    uncompiled_channel()
    assert Corrector(NoisyChannel.load(tmp_path / "m.channel")).correct_tokenized(lines) == expected


def test_models_with_weights_that_the_search_cannot_use_are_refused(
    inflecting: NoisyChannel, tmp_path: Path
) -> None:
    for weights in (
        Weights(lemma=-0.1), Weights(tag=float("nan")), Weights(edits_known=5), Weights(language=301),
    ):  # fmt: skip
        dataclasses.replace(inflecting, weights=weights).save(tmp_path / "m.channel")
        with pytest.raises(DataError, match=r"m\.channel: .*the weight (lemma|tag|edits_known|language) is"):
            NoisyChannel.load(tmp_path / "m.channel")


def test_broken_models_and_error_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.channel").write_bytes(b"no model")
    with pytest.raises(DataError, match=r"x\.channel"):
        NoisyChannel.load(tmp_path / "x.channel")
    with pytest.raises(DataError, match=r"(?s)e\.tsv:2: .*replace"):
        ErrorModel.parse(["operation\tclean\twritten\tprobability", "replce\ta\tb\t0.1"], "e.tsv")


def test_spaces_come_back_as_they_were() -> None:
    source = 'Řekl: „Myslim ze (snad) prijde" - 3,5 km.'
    assert rejoin(source, tokenize(source)) == source
    assert rejoin("Vim ze jo.", ["Vím", ",", "že", "jo", "."]) == "Vím, že jo."
    assert tokenize_english("I don't, it's") == ["I", "do", "n't", ",", "it", "'s"]
    assert sentences("Prší. Jdu domů! „Ano?“ řekl.") == ["Prší.", "Jdu domů!", "„Ano?“ řekl."]


@given(st.text(max_size=40))
def test_any_line_is_rejoined_without_loss(line: str) -> None:
    line = line.replace("\n", " ").strip()
    assert "".join(rejoin(line, tokenize(line)).split()) == "".join(line.split())


def test_shipped_models_correct_from_the_command_line(run) -> None:
    from errata_correct.loading import models

    assert models() == ["cs", "en"]
    done = run("correct", "--model", "cs", input="Přiliš žluťoučky kůň.\n\nMyslim že prší.\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[1:] == ["", "Myslím, že prší.", ""]
    english = run("correct", "-m", "en", "--tokenized", input="The goverment is importent .\n")
    assert english.stdout == "The government is important .\n"
    missing = run("correct", "--model", "nothing", input="x\n")
    assert missing.returncode == 1
    assert "installed models: cs" in missing.stderr


def test_restoring_diacritics_of_news_is_96_percent_right(data: Path) -> None:
    from errata.corpus.files import read_lines
    from errata_correct.loading import load_model

    lines = [" ".join(tokenize(line)) for line in read_lines(data / "text" / "cs_ntrex.txt")]
    restored = Corrector(load_model("cs", "diacritics")).correct_tokenized(
        [without_marks(line) for line in lines]
    )
    pairs = [
        (one, two)
        for left, right in zip(restored, lines, strict=True)
        for one, two in zip(left.split(), right.split(), strict=True)
        if any(map(str.isalpha, two))
    ]
    assert np.mean([one == two for one, two in pairs]) > 0.96


@settings(max_examples=150)
@given(st.randoms(use_true_random=False), st.booleans(), st.sampled_from([3, 15]))
def test_the_search_finds_what_trying_every_choice_finds(
    inflecting: NoisyChannel, model: NoisyChannel, draw: random.Random, tagged: bool, most: int
) -> None:
    chosen = inflecting if tagged else model
    words = range(len(chosen.words))
    kinds = []
    for _ in range(4):
        size = draw.randint(1, most)
        rows = [(word, -1, draw.randint(-300, 900)) for word in draw.sample(words, size)]
        rows += [(draw.choice(words), draw.choice(words), draw.randint(0, 900)) for _ in range(size // 4)]
        kinds.append(rows + [(-1, -1, draw.randint(0, 900))] * (size > 8))
    tokens = [draw.randrange(4) for _ in range(draw.randint(1, 9))]
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in kinds])])
    choices = np.array([row for rows in kinds for row in rows], dtype=np.int32)
    lattice = Lattice(np.array([0, len(tokens)]), np.array(tokens, np.int32), offsets, choices)
    best, _ = channel.best_choices(chosen.word_costs, lattice)
    expected = best_choices(chosen, [kinds[kind] for kind in tokens])
    assert tuple((best - offsets[tokens]).tolist()) == expected


def test_threads_that_see_new_words_at_once_agree(model: NoisyChannel) -> None:
    lines = [" ".join(words).replace("í", "i") for words in text(300)]
    expected = Corrector(model).correct_tokenized(lines)
    fresh = dataclasses.replace(model)
    fresh.prepare()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda line: Corrector(fresh).correct_tokenized([line]), lines))
    assert [line for [line] in made] == expected
