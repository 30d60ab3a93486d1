"""Build a noisy-channel model from texts you have: `python tools/models/build.py --help`.

The lexicon is the most frequent words of the texts and of the `wordfreq` package (if installed); the error
model comes from an M2 file; weights are tuned on another part of it by M² F0.5.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata.corpus.model import Corpus
from errata.correct.error_model import ErrorModel
from errata.correct.language_model import estimate
from errata.correct.noisy_channel import NoisyChannel, Weights
from errata.correct.profile import estimate as estimate_profile
from errata.correct.profile import pairs_of
from errata.correct.rates import confusion_sets
from errata.correct.tokens import sentences, tokenize, tokenize_english


def text_tokens(path: str, english: bool) -> Iterator[list[str]]:
    """Tokenised sentences of a plain text, of CoNLL-U, or of an M2 file's corrections."""
    if ".conllu" in path:
        words: list[str] = []
        inside = 0
        for line in read_lines(path):
            fields = line.split("\t")
            if not line:
                yield words
                words, inside = [], 0
            elif not line.startswith("#") and "." not in fields[0]:
                first, _, last = fields[0].partition("-")
                if last or int(first) > inside:
                    words.append(fields[1].replace(" ", ""))
                inside = int(last) if last else inside
        return
    if path.endswith(".m2"):
        for segment in read_m2(path):
            yield segment.references[0].split()
        return
    split = tokenize_english if english else tokenize
    for line in read_lines(path):
        for sentence in sentences(line):
            yield split(sentence)


def names_of(texts: list[list[str]]) -> list[str]:
    """Words that stand with a capital inside sentences nearly always."""
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for tokens in texts:
        for before, token in itertools.pairwise(tokens):
            if before[-1:].isalnum() or before == ",":
                (capital if token[:1].isupper() and token[1:].islower() else small)[token.lower()] += 1
    return [w for w, n in capital.items() if n >= 5 and n >= 50 * small[w] and len(w) > 2]


def likely_misspelt(score: dict[str, float], counts: Counter[str], ratio: float) -> set[str]:
    """Words of the frequency list alone that have a neighbour so many times as frequent: `recieved`."""
    near = confusion_sets([w for w in sorted(score, key=lambda w: -score[w]) if w.isalpha()][:300_000])
    return {
        word
        for word, others in near.items()
        if len(word) >= 5 and counts[word] < 3 and any(score[o] > ratio * score[word] for o in others)
    }


def f_half(model: NoisyChannel, corpus: Corpus) -> float:
    from errata.metrics import metric

    m2 = metric("m2")
    return float(m2.score(m2.statistics(corpus, model.correct_tokenized(corpus.sources))).value)


def tune(model: NoisyChannel, corpus: Corpus) -> NoisyChannel:
    """Weights by coordinate search on M² F0.5."""
    grid = {
        "change": (-0.5, 0.0, 0.5, 1.0, 2.0, 3.0),
        "language": (0.5, 0.65, 0.8, 1.0, 1.3),
        "comma": (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 30.0),
        "unknown": (0.0, 2.0, 4.0, 8.0, 12.0),
        "capitalize": (0, 1),
    }
    best = f_half(model, corpus)
    for _ in range(2):
        for name, values in grid.items():
            for value in values:
                if value == getattr(model.weights, name):
                    continue
                other = dataclasses.replace(
                    model, weights=dataclasses.replace(model.weights, **{name: value})
                )
                other.__dict__.update({k: v for k, v in model.__dict__.items() if k in _SHARED})
                score = f_half(other, corpus)
                if score > best:
                    best, model = score, other
        print(f"tuned: F0.5 {best:.4f} {model.weights}", flush=True)
    return model


_SHARED = ("trie", "ids", "_language", "_letters", "_pair_set", "_confusions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "texts", nargs="+", help="plain text, .conllu or .m2 (its corrections); may be compressed"
    )
    parser.add_argument("--lang", required=True, help="for wordfreq: cs, en, …")
    parser.add_argument("--output", required=True)
    parser.add_argument("--annotated", help="M2: 90 %% for the error model, 10 %% for tuning, by segment")
    parser.add_argument("--lexicon", type=int, default=250_000, help="most words")
    parser.add_argument(
        "--prune", type=int, nargs=2, default=(2, 3), help="least counts of bigrams, trigrams"
    )
    parser.add_argument("--split", help="file with `train` or `tune` for every segment of --annotated")
    parser.add_argument("--tune-only", action="store_true", help="--annotated sets the weights, nothing else")
    parser.add_argument(
        "--misspelt", type=float, default=0.0, metavar="RATIO",
        help="leave out words of the frequency list with a neighbour so many times as frequent",
    )  # fmt: skip
    parser.add_argument("--weights", nargs="*", default=(), metavar="NAME=VALUE", help="instead of tuning")
    arguments = parser.parse_args()

    texts = [tokens for path in arguments.texts for tokens in text_tokens(path, arguments.lang == "en")]
    tuning: Corpus | None = None
    errors = ErrorModel()
    if arguments.annotated:
        corpus = read_m2(arguments.annotated)
        if arguments.split:
            kind = read_lines(arguments.split)
        else:
            kind = ["tune" if random.Random(i).random() < 0.1 else "train" for i in range(len(corpus))]
        if arguments.tune_only:  # for corpora whose licence allows no more
            kind = ["tune"] * len(corpus)
            errors = ErrorModel(swap=5e-4, drop={",": 0.05}, other=3e-4)
        tuning = corpus.select(i for i, k in enumerate(kind) if k == "tune")
        training = corpus.select(i for i, k in enumerate(kind) if k == "train")
        if len(training):
            errors = ErrorModel.from_profile(estimate_profile(pairs_of(training)))
            texts += [segment.references[0].split() for segment in training] * 3
    names = names_of(texts)
    lowered = [[token.lower() for token in tokens] for tokens in texts if tokens]
    counts = Counter(token for tokens in lowered for token in tokens)
    total = counts.total()
    frequencies: dict[str, float] = {}
    try:
        from wordfreq import get_frequency_dict

        frequencies = get_frequency_dict(arguments.lang, "best")
    except ImportError:
        print("wordfreq is not installed: the lexicon is that of the texts")
    score = {w: n / total for w, n in counts.items() if n >= 2}
    for word, p in frequencies.items():
        if all(c.isalpha() or c in "'’" for c in word):
            score[word] = score.get(word, 0.0) + p
    if arguments.misspelt:
        wrong = likely_misspelt(score, counts, arguments.misspelt)
        score = {word: p for word, p in score.items() if word not in wrong}
        print(f"{len(wrong)} words left out as likely misspelt", flush=True)
    words = sorted(sorted(score, key=lambda w: -score[w])[: arguments.lexicon])
    print(f"{len(texts)} sentences, {total} tokens, {len(words)} words", flush=True)
    model = NoisyChannel.build(
        estimate(lowered, words, prior=frequencies, prune=tuple(arguments.prune)), errors, names, Weights()
    )
    print(f"{len(model.keys[0])} bigrams, {len(model.keys[1])} trigrams", flush=True)
    if arguments.weights:
        given = dict(pair.split("=") for pair in arguments.weights)
        values = {k: type(getattr(Weights, k))(v) for k, v in given.items()}
        model = dataclasses.replace(model, weights=Weights(**values))
    elif tuning is not None:
        model = tune(model, tuning)
    model.save(arguments.output)
    print(f"{arguments.output}: {Path(arguments.output).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
