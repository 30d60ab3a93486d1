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

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata_correct.confusions import confused_words, learn, word_pairs, written_words
from errata_correct.error_model import ErrorModel
from errata_correct.noisy_channel import NoisyChannel
from errata_correct.profile import estimate, pairs_of
from errata_correct.error_model import Weights


def learned_errors(corrected: Iterable[tuple[list[str], list[str]]], how: str = "em") -> ErrorModel:
    """The error model of (erroneous, corrected) sentences: letters by counts or by EM, words discounted."""
    pairs = list(corrected)
    errors = ErrorModel.from_profile(estimate(pairs))
    if how == "counts":
        return errors
    written = written_words(pairs)
    letters = learn(word_pairs(written))
    print(f"letters: {len(letters.likelihoods) - 1} rounds, log-likelihood {letters.likelihoods[-1]:.0f}")
    return errors.with_letters(letters).with_words(confused_words(written))


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
