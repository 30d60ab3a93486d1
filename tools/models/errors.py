"""Learn the error model of a noisy channel anew; its language models stay.

    python tools/models/errors.py MODEL --annotated dev.m2 --parallel SOURCE TARGET -o MODEL
    python tools/models/errors.py MODEL --parallel SOURCE TARGET --weights change=0 tag=0.3 -o MODEL

SOURCE and TARGET are parallel tokenised texts, one sentence per line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from confusions import confused_words, learn, word_pairs, written_words

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata_correct.error_model import ErrorModel, Weights
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.profile import Profile, estimate, pairs_of


def learned_errors(corrected: Iterable[tuple[list[str], list[str]]], how: str = "em") -> ErrorModel:
    """The error model of (erroneous, corrected) sentences: letters by counts or by EM, words discounted."""
    pairs = list(corrected)
    errors = errors_of_profile(estimate(pairs))
    if how == "counts":
        return errors
    written = written_words(pairs)
    letters = learn(word_pairs(written))
    print(f"letters: {len(letters.likelihoods) - 1} rounds, log-likelihood {letters.likelihoods[-1]:.0f}")
    return replace(
        errors, replace=letters.replace, delete=letters.delete, insert=letters.insert,
        swap=letters.swap or errors.swap, words=confused_words(written),
    )  # fmt: skip


def errors_of_profile(profile: Profile) -> ErrorModel:
    """The letters', words' and commas' part of an error profile, without regard to case."""
    replaced: dict[tuple[str, str], float] = {}
    delete: dict[str, float] = {}
    insert: dict[str, float] = {}
    swaps = []
    for char, operations in profile.characters.items():
        clean = char.lower()
        for operation, p in operations.items():
            kind, _, written = operation.partition(" ")
            written = written.lower()
            if kind == "replace" and clean != written:
                replaced[clean, written] = max(p, replaced.get((clean, written), 0.0))
            elif kind == "delete":
                delete[clean] = max(p, delete.get(clean, 0.0))
            elif kind == "insert":
                insert[written] = insert.get(written, 0.0) + p / max(len(profile.characters), 1)
            elif kind == "swap":
                swaps.append(p)
    words: dict[tuple[str, str], float] = {}
    for clean, texts in profile.words.items():
        for written, p in texts.items():
            if written and clean.lower() != written.lower() and clean[:1].isalpha() and written[:1].isalpha():
                words[clean.lower(), written.lower()] = p
    tokens = sum(profile.insertions.values()) or 1.0
    added = profile.chances.get("insert", 0.0) * profile.insertions.get(",", 0.0) / tokens
    return ErrorModel(
        replaced, delete, insert, sum(swaps) / max(len(swaps), 1) or 1e-4, words,
        {",": profile.words.get(",", {}).get("", 0.0)}, {",": added},
    )  # fmt: skip


def with_weights(weights: Weights, given: Iterable[str]) -> Weights:
    """The weights with those that are given as NAME=VALUE."""
    pairs = dict(pair.split("=") for pair in given)
    return replace(weights, **{name: type(getattr(Weights, name))(value) for name, value in pairs.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--annotated", nargs="*", default=[], metavar="M2", help="every annotator counts")
    parser.add_argument("--parallel", nargs=2, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--weights", nargs="*", default=(), metavar="NAME=VALUE", help="instead of its own")
    parser.add_argument("--output", "-o", required=True)
    options = parser.parse_args()
    pairs = [pair for path in options.annotated for pair in pairs_of(read_m2(path))]
    if options.parallel:
        texts = [[line.split() for line in read_lines(path)] for path in options.parallel]
        pairs += zip(*texts, strict=True)
    model = NoisyChannel.load(options.model)
    weights = with_weights(model.weights, options.weights)
    errors = learned_errors(pairs)
    print(f"{len(pairs):,} sentences, {len(errors.words):,} confusions of words")
    replace(model, errors=errors, weights=weights).save(options.output)
    print(f"{options.output}: {Path(options.output).stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
