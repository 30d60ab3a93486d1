"""Train the embedded English tagger: tools/taggers/README.md.

python tools/taggers/english.py --data DATA --distilled distilled.jsonl.xz --out en.model
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from training import Sentence, Token, Words, jackknife, learn, lemma_rules, numbered, predict, treebank

from errata.edits.taggers.embedded import lemma_tag, spelt_as_name
from errata.edits.taggers.lexicon import CAPITALISED, LOWER, Lexicon, Script, common_prefix
from errata.edits.taggers.models import Model, pack

SUFFIXES = ("ing", "ed", "s", "er", "est", "ly")
CASED = frozenset(("NNP", "NNPS", "ADD", "FW", "SYM", "LS", "XX", "NFP", "GW"))  # lemmas keep capitals
LEAST = {"tag": 7, "dep": 10, "upos": 4}  # smallest weights that are kept, of 63
RARE, COMMON = 3e-7, 3e-6  # frequencies in wordfreq


def read_distilled(path: Path) -> dict[str, list[Sentence]]:
    found: dict[str, list[Sentence]] = defaultdict(list)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            found[row["text"]].append([Token(*token) for token in row["tokens"]])
    return found


def build_lexicon(novels: list[Sentence], data: Path) -> Lexicon:
    """Classes of words: the tags spaCy gives them in novels, and what word lists and capitals say."""
    import wordfreq
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    lemmas = DefaultDictionaryFactory().get_dictionary("en")
    frequencies = wordfreq.get_frequency_dict("en", "best")
    counts: Counter[str] = Counter()
    with lzma.open(data / "text" / "en_eltec.txt.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            counts.update(re.findall(r"\w+", line))
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in novels:
        for token in sentence:
            tags[token.form.lower()][token.tag] += 1

    def usual_tags(word: str) -> str:
        seen = tags.get(word, Counter())
        total = seen.total()
        return "|".join(sorted(tag for tag, n in seen.items() if n >= 0.1 * total and n > 1)[:3])

    def ending(word: str) -> str:
        lemma = lemmas.get(word)
        if lemma is None:
            return ""
        if lemma == word:
            return "="
        shared = common_prefix(word, lemma)
        regular = (s for s in SUFFIXES if word.endswith(s) and shared >= len(word) - len(s) - 2)
        return next(regular, "irregular")

    def minor(word: str) -> str:
        frequency = frequencies.get(word, 0)
        band = 0 if not frequency else 1 if frequency < RARE else 2 if frequency < COMMON else 3
        capital, small = counts[word.capitalize()], counts[word]
        both = capital + small
        case = 0 if not both else 1 if capital < 0.3 * both else 3 if capital > 0.9 * both else 2
        return f"{ending(word)} {int(word.capitalize() in lemmas)}{band}{case}"

    def flag(word: str) -> int:
        capital, small = counts[word.capitalize()], counts[word]
        name = capital > 10 * small and capital > 5  # May, but not may
        right = LOWER if (word in lemmas and not name) or small >= 3 else 0
        return right | (CAPITALISED if word.capitalize() in lemmas or name else 0)

    candidates = {word.lower() for word in lemmas} | set(tags) | set(frequencies)
    entries: dict[str, tuple[str, str, int]] = {}
    for word in sorted(candidates):
        listed = word in lemmas or word.capitalize() in lemmas
        attested = word in frequencies or counts[word] or counts[word.capitalize()]
        usual = usual_tags(word)
        if "\n" in word or not (usual or (listed and attested) or frequencies.get(word, 0) >= RARE):
            continue
        entries[word] = usual, minor(word), flag(word)
    return Lexicon(entries)


def universal_classes(sentences: list[Sentence]) -> dict[str, str]:
    """spaCy's part of speech from tag, label and word: only what a shorter key does not say already."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for t in sentence:
            for key in (t.tag, f"{t.tag} {t.dep}", f"{t.tag} {t.dep} {t.form.lower()}"):
                counts[key][t.upos] += 1
    table: dict[str, str] = {}
    for key in sorted(counts, key=lambda key: (key.count(" "), key)):
        upos, count = min(counts[key].items(), key=lambda item: (-item[1], item[0]))
        shorter = key.rpartition(" ")[0]
        while shorter and shorter not in table:
            shorter = shorter.rpartition(" ")[0]
        if not shorter or (table[shorter] != upos and count >= 3):
            table[key] = upos
    return table


def script(form: str, lemma: str, tag: str) -> Script | None:
    """How the form becomes the lemma; None where that is no rule (an abbreviation spelt out)."""
    found = Script.between(spelt_as_name(form, tag), lemma, keep_case=tag in CASED)
    return found if found.cut <= 9 and not found.add[:1].isdigit() else None


def count_scripts(
    gold: list[Sentence], gold_tags: list[str], distilled: dict[str, list[Sentence]]
) -> Counter[tuple[str, str, Script]]:
    """What forms with their tags become: the treebank's lemmas by the tags we give, spaCy's by its own."""
    lemma_counts: Counter[tuple[str, str, Script]] = Counter()
    for t, guess in zip((t for sentence in gold for t in sentence), gold_tags, strict=True):
        tag = lemma_tag(guess, t.upos, t.form)
        if found := script(t.form, t.lemma, tag):
            lemma_counts[tag, t.form.lower(), found] += 5  # a treebank's word is worth five of spaCy's
    for t in (t for name in ("novels", "web") for sentence in distilled[name] for t in sentence):
        if found := script(t.form, t.lemma, t.tag):
            lemma_counts[t.tag, t.form.lower(), found] += 1
    return lemma_counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and text/")
    parser.add_argument("--distilled", type=Path, required=True, help="what distil.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    ud = options.data / "ud"
    gold = treebank(ud / "en_ewt-ud-train.conllu.xz", ud / "en_ewt-ud-dev.conllu.xz")
    distilled = read_distilled(options.distilled)
    lexicon = build_lexicon(distilled["novels"], options.data)
    print(f"lexicon: {len(lexicon.entries):,} words, {len(lexicon.words()):,} of them right")

    taught = [sentence for sentences in distilled.values() for sentence in sentences]
    words = Words([[t.form for t in sentence] for sentence in taught], lexicon)
    tags, tag_gold = numbered([t.tag for sentence in taught for t in sentence])
    deps, dep_gold = numbered([t.dep for sentence in taught for t in sentence])
    guessed = jackknife(words, tag_gold, tags, folds=2, epochs=3)
    print(f"  jackknifed tags: {np.mean(guessed == tag_gold):.4f}")
    tag_layer = learn(words, tag_gold, tags, epochs=5, least=LEAST["tag"])
    dep_layer = learn(words, dep_gold, deps, given=guessed, over="tag", epochs=5, least=LEAST["dep"])

    gold_words = Words([[t.form for t in sentence] for sentence in gold], lexicon)
    upos, upos_gold = numbered([t.upos for sentence in gold for t in sentence])
    upos_layer = learn(gold_words, upos_gold, upos, epochs=10, least=LEAST["upos"])

    gold_tags = [tag_layer.labels[i] for i in predict(tag_layer, gold_words).tolist()]
    model = Model(
        {"tag": tag_layer, "dep": dep_layer, "upos": upos_layer},
        lexicon,
        lemma_rules(count_scripts(gold, gold_tags, distilled)),
        universal_classes(taught),
    )
    packed = pack(model)
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
