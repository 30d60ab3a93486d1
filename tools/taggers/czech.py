"""Train the embedded Czech tagger: tools/taggers/README.md.

python tools/taggers/czech.py --data DATA --out src/errata/edits/models/cs.model
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from czech_words import CLASS_OF_WORD, CONTRACTED, adjective_forms
from training import Sentence, Words, jackknife, learn, lemma_rules, numbered, predict, treebank

from errata.edits.czech import without_diacritics
from errata.edits.taggers.lemmas import Script
from errata.edits.taggers.lexicon import CAPITALISED, LOWER, Lexicon
from errata.edits.taggers.models import Model, pack

TRAINING = ("cac-ud-dev", "cac-ud-test", "cltt-ud-train", "cltt-ud-dev", "pud-ud-test", "poetry-ud-test")
TEST = "cltt-ud-test"  # never trained on
TEXTS = ("cs_eltec.txt.xz", "cs_libreoffice_help.txt.xz", "cs_ntrex.txt")
ATTESTED = 3  # times in the texts, for a word that no dictionary has
FREQUENT = 2e-7  # in wordfreq, likewise
DOUBTFUL = 10  # so many times more frequent is a word with diacritics: the one without is a misspelling
LEAST = {"upos": 3, "dep": 4}  # smallest weights that are kept, of 63


def dictionary() -> dict[str, str]:
    """Forms and their lemmas: simplemma's, and the forms of its adjectives."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    found = dict(DefaultDictionaryFactory().get_dictionary("cs"))
    adjectives = {
        lemma for lemma in found.values() if lemma.endswith(("cký", "ký", "ný", "tý", "vý", "ní", "lý", "rý"))
    }
    for lemma in sorted(adjectives):
        # a neuter noun (stavení) has not these two forms
        if lemma.endswith("ý") or {lemma + "ho", lemma + "mu"} & found.keys():
            for form in adjective_forms(lemma):
                found.setdefault(form, lemma)
    return found | {word: word for word in CONTRACTED}


def capitalised(word: str) -> str:
    return word[:1].upper() + word[1:]


def build_lexicon(sentences: list[Sentence], lemmas: dict[str, str], data: Path) -> Lexicon:
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
        bare = without_diacritics(word)
        most_frequent[bare] = max(most_frequent[bare], frequency)

    def right(word: str) -> bool:
        if word in lemmas or gold[word] > 0:
            return True
        lower = word.lower()
        frequency = frequencies.get(lower, 0)
        if most_frequent[without_diacritics(lower)] > DOUBTFUL * frequency:
            return False
        return counts[word] >= ATTESTED or (word == lower and frequency >= FREQUENT)

    candidates = {word.lower() for word in (*lemmas, *counts, *gold)} | set(frequencies)
    entries: dict[str, tuple[str, str, int]] = {}
    for word in sorted(candidates):
        flag = LOWER * right(word) | CAPITALISED * right(capitalised(word))
        if not flag or not word[0].isalpha() or "\n" in word:
            continue
        if word in CLASS_OF_WORD:
            entries[word] = CLASS_OF_WORD[word], "", flag
            continue
        lemma = lemmas.get(word) or lemmas.get(capitalised(word))
        if lemma is None:
            entries[word] = "", "", flag
            continue
        script = str(Script.between(word, lemma, False))
        proper = "P" if lemma != lemma.lower() else ""
        entries[word] = (script if scripts[script] >= 20 else "other"), proper + lemma[-2:], flag
    return Lexicon(entries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and text/")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sentences = treebank(*(options.data / "ud" / f"cs_{name}.conllu.xz" for name in TRAINING))
    lemmas = dictionary()
    lexicon = build_lexicon(sentences, lemmas, options.data)
    print(f"lexicon: {len(lexicon.entries):,} words, {len(lexicon.words()):,} of them right", flush=True)

    words = Words([[t.form for t in sentence] for sentence in sentences], lexicon)
    upos, upos_gold = numbered([t.upos for sentence in sentences for t in sentence])
    deps, dep_gold = numbered([t.dep for sentence in sentences for t in sentence])
    guessed = jackknife(words, upos_gold, upos, folds=4, epochs=6)
    print(f"  jackknifed parts of speech: {np.mean(guessed == upos_gold):.4f}", flush=True)
    upos_layer = learn(words, upos_gold, upos, epochs=10, least=LEAST["upos"])
    dep_layer = learn(words, dep_gold, deps, given=guessed, over="upos", epochs=6, least=LEAST["dep"])

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
