"""Train the embedded Czech tagger: tools/taggers/README.md.

python tools/taggers/czech.py --data DATA --out src/errata/edits/models/cs.model
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from czech_words import (
    CLASS_OF_WORD,
    COLLOQUIAL,
    CONTRACTED,
    FUNCTION_LEMMAS,
    PREFIXED,
    PREFIXES,
    adjective_forms,
    variants,
)
from training import Sentence, Words, jackknife, learn, lemma_rules, numbered, predict, treebank

from errata.edits.taggers.lexicon import CAPITALISED, LOWER, Entry, Lexicon, Script, Variant
from errata.edits.taggers.models import Model, pack
from errata.edits.universal import without_diacritics

TRAINING = ("cac-ud-dev", "cac-ud-test", "cltt-ud-train", "cltt-ud-dev", "pud-ud-test", "poetry-ud-test")
TEST = "cltt-ud-test"  # never trained on
TEXTS = ("cs_eltec.txt.xz", "cs_libreoffice_help.txt.xz", "cs_ntrex.txt")
ATTESTED = 3  # times in the texts, for a word that no dictionary has
FREQUENT = 2e-7  # in wordfreq, likewise
DOUBTFUL = 10  # so many times more frequent is a word it may be mistaken for: it is a misspelling
ADJECTIVES = ("ký", "ný", "tý", "vý", "ní", "lý", "rý")
RUNS = 3  # of the perceptron
LEAST = {"upos": 3, "dep": 4}  # smallest weights that are kept, of 63


def dictionary(attested: set[str]) -> tuple[dict[str, str], set[str]]:
    """Forms and their lemmas: simplemma's, and the forms of its adjectives; and forms without a lemma.

    The latter are forms of pronouns and of "být" that the treebanks (`attested`) lack, mostly common Czech.
    They are right, but the official tool's tagger, which learnt from newspapers, does not know them either.
    """
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    found = dict(DefaultDictionaryFactory().get_dictionary("cs"))
    adjectives = {lemma for lemma in found.values() if lemma.endswith(ADJECTIVES)}
    informal = set(COLLOQUIAL | CONTRACTED) | {
        form
        for form, lemma in found.items()
        if lemma in FUNCTION_LEMMAS and form not in CLASS_OF_WORD and form not in attested
    }
    for lemma in sorted(adjectives):
        # a neuter noun (stavení) has not these two forms
        if lemma.endswith("ý") or {lemma + "ho", lemma + "mu"} & found.keys():
            for form in adjective_forms(lemma):
                found.setdefault(form, lemma)
    return {form: lemma for form, lemma in found.items() if form not in informal}, informal


def capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def confusable(word: str) -> str:
    """What is left of a word without what is often misspelt: diacritics, i and y, s and z, mě and mně, js."""
    bare = without_diacritics(word).replace("y", "i").replace("z", "s").replace("mne", "me")
    return re.sub(r"(.)\1", r"\1", bare.removeprefix("j") if bare.startswith("js") else bare)


def build_lexicon(
    sentences: list[Sentence], lemmas: dict[str, str], informal: set[str], data: Path
) -> Lexicon:
    """Classes of words: how they become their lemma, and how the lemma ends; right are attested words."""
    import wordfreq

    frequencies = wordfreq.get_frequency_dict("cs", "best")
    counts: Counter[str] = Counter()
    for name in TEXTS:
        opened = lzma.open if name.endswith(".xz") else open
        with opened(data / "text" / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                counts.update(re.findall(r"\w+", line))
    gold = Counter(token.form for sentence in sentences for token in sentence)
    scripts = Counter(str(Script.between(form, lemma, False)) for form, lemma in lemmas.items())
    most_frequent: dict[str, float] = defaultdict(float)
    for word, frequency in frequencies.items():
        key = confusable(word)
        most_frequent[key] = max(most_frequent[key], frequency)

    def right(word: str) -> bool:
        if word in lemmas or word in informal or gold[word] > 0:
            return True
        lower = word.lower()
        frequency = frequencies.get(lower, 0)
        if most_frequent[confusable(lower)] > DOUBTFUL * frequency:
            return False
        return counts[word] >= ATTESTED or (word == lower and frequency >= FREQUENT)

    candidates = {word.lower() for word in (*lemmas, *informal, *counts, *gold)} | set(frequencies)
    entries: dict[str, Entry] = {}
    for word in sorted(candidates):
        flag = LOWER * right(word) | CAPITALISED * right(capitalised(word))
        if not flag or not word[0].isalpha() or "\n" in word:
            continue
        lemma = lemmas.get(word) or lemmas.get(capitalised(word))
        if lemma is None:
            entries[word] = "", "", flag
            continue
        script = str(Script.between(word, lemma, False))
        proper = "P" if lemma != lemma.lower() else ""
        entries[word] = (script if scripts[script] >= 20 else "other"), proper + lemma[-2:], flag
    for word, upos in CLASS_OF_WORD.items():
        entries[word] = upos, "", entries[word][2] if word in entries else 0
    lexicon = Lexicon(entries, tuple(map(Variant._make, variants())), PREFIXES, PREFIXED)
    return without_regular(lexicon, lemmas, set(gold))


def without_regular(lexicon: Lexicon, lemmas: dict[str, str], attested: set[str]) -> Lexicon:
    """The lexicon without words that are another one with a prefix, unless their lemmas say otherwise."""
    kept = dict(lexicon.entries)
    for word in lexicon.entries:
        for prefix in PREFIXES:
            rest = word.removeprefix(prefix)
            if rest == word or word in CLASS_OF_WORD:
                continue
            if rest in kept and kept[rest][1].endswith(PREFIXED):
                lemma, base = lemmas.get(word), lemmas.get(rest, "")
                if lemma in (base, "ne" + base) or (lemma is None and word not in attested):
                    kept.pop(word, None)
    return replace(lexicon, entries=kept)


def of_one_convention(sentence: Sentence) -> Sentence:
    """ "vše", "všichni" as CAC has them and the treebanks of 2019 had: forms of the determiner "všechen"."""
    return [
        token._replace(lemma="všechen", upos="DET")
        if (token.lemma, token.upos) == ("všechno", "PRON")
        else token
        for token in sentence
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and text/")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sentences = treebank(*(options.data / "ud" / f"cs_{name}.conllu.xz" for name in TRAINING))
    sentences = [of_one_convention(sentence) for sentence in sentences]
    lemmas, informal = dictionary({token.form.lower() for sentence in sentences for token in sentence})
    lexicon = build_lexicon(sentences, lemmas, informal, options.data)
    print(f"lexicon: {len(lexicon.entries):,} words, {len(lexicon.words()):,} of them right", flush=True)

    words = Words([[t.form for t in sentence] for sentence in sentences], lexicon)
    upos, upos_gold = numbered([t.upos for sentence in sentences for t in sentence])
    deps, dep_gold = numbered([t.dep for sentence in sentences for t in sentence])
    guessed = jackknife(words, upos_gold, upos, folds=4, epochs=6)
    print(f"  jackknifed parts of speech: {np.mean(guessed == upos_gold):.4f}", flush=True)
    upos_layer = learn(words, upos_gold, upos, epochs=10, least=LEAST["upos"], runs=RUNS)
    dep_layer = learn(
        words, dep_gold, deps, given=guessed, over="upos", epochs=6, least=LEAST["dep"], runs=RUNS
    )

    lemma_counts: Counter[tuple[str, str, Script]] = Counter()
    for form, lemma in lemmas.items():
        if form.lower() in lexicon.entries:
            lemma_counts["", form.lower(), Script.between(form, lemma, lemma != lemma.lower())] += 1
    for t in (t for sentence in sentences for t in sentence):
        script = Script.between(t.form, t.lemma, t.lemma != t.lemma.lower())
        if script.cut <= 6:
            lemma_counts[t.upos, t.form.lower(), script] += 1
    model = Model({"upos": upos_layer, "dep": dep_layer}, lexicon, lemma_rules(lemma_counts), {})
    packed = pack(model)
    options.out.write_bytes(packed)
    test = treebank(options.data / "ud" / f"cs_{TEST}.conllu.xz")
    test_words = Words([[t.form for t in sentence] for sentence in test], lexicon)
    found = predict(upos_layer, test_words)
    _, wanted = numbered([t.upos for sentence in test for t in sentence], upos)
    print(f"UPOS on {TEST}: {np.mean(found == wanted):.4f}")
    print(f"{options.out}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
