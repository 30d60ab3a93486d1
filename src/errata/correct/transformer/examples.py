"""Sentences as batches of subwords: read, damaged anew in every epoch, bucketed by length."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.correct.transformer.recipe import Data, Recipe
from errata.errors import DataError, MissingExtraError

Pair = tuple[str, str]  # source, target
Batch = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def sentencepiece() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise MissingExtraError("subwords", "torch") from None
    return sentencepiece


def train_subwords(texts: Sequence[str], size: int, path: Path, tags: Sequence[str]) -> None:
    """Learn subwords (unigram language model); text is kept to the character, unknown ones as bytes."""
    some = texts if len(texts) <= 300_000 else texts[:: len(texts) // 300_000 + 1]
    sentencepiece().SentencePieceTrainer.train(
        sentence_iterator=iter(some), model_writer=path.open("wb"), vocab_size=size, model_type="unigram",
        character_coverage=0.9998, byte_fallback=True, normalization_rule_name="identity",
        pad_id=0, unk_id=1, bos_id=2, eos_id=3, user_defined_symbols=list(tags), hard_vocab_limit=False,
        minloglevel=2,
    )  # fmt: skip


def read_pairs(path: Path) -> list[Pair]:
    """Sources and corrections from M2 (every annotator), or from TSV with two columns."""
    if path.suffix == ".m2":
        from errata.corpus.m2 import read_m2

        return [(segment.source, text) for segment in read_m2(path) for text in segment.references]
    from errata.corpus.files import read_lines

    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        source, tab, target = line.partition("\t")
        if not tab:
            raise DataError("no tab between source and correction", path=path, line=number)
        pairs.append((source, target))
    return pairs


class Examples:
    """All that a recipe learns from."""

    def __init__(self, recipe: Recipe) -> None:
        from errata.corpus.files import read_lines

        data = recipe.data
        self.recipe = recipe
        self.clean = [line for path in data.clean for line in read_lines(recipe.folder / path) if line]
        self.authentic = [pair for path in data.authentic for pair in read_pairs(recipe.folder / path)]
        self.translation = [pair for path in data.translation for pair in read_pairs(recipe.folder / path)]
        self.noise: Any = None
        self.translation_noise: Any = None
        if self.clean:
            from errata.correct.profile import Profile

            if not data.profile:
                raise DataError(
                    "clean text needs an error profile",
                    path=recipe.folder,
                    hint='profile = "errors.json" under [data]',
                )
            profile = Profile.load(recipe.folder / data.profile)
            self.noise = profile.noise(data.strength, tokenized=data.tokenized)
            if data.translation_strength:
                self.translation_noise = profile.noise(data.translation_strength, tokenized=data.tokenized)
        start = recipe.training.start_from
        described = recipe.folder / start / "model.json"
        known = json.loads(described.read_text("utf-8")) if start and described.is_file() else {}
        self._inherited = tuple(known.get("tags", ()))
        self._encoded: list[list[int]] = []  # the clean text, where every epoch has all of it
        if not (self.clean or self.authentic):
            raise DataError("nothing to learn from", hint="give `clean` or `authentic` under [data]")

    @property
    def tags(self) -> tuple[str, ...]:
        """Of the tasks: with translation, or if the model to go on from has them."""
        return self.recipe.data.task_tags if self.translation else self._inherited

    def texts(self) -> list[str]:
        """All texts, for learning subwords."""
        both = [*self.authentic, *self.translation]
        return [*self.clean, *(source for source, _ in both), *(target for _, target in both)]

    def pairs(self, epoch: int) -> list[Pair]:
        """The sentences of an epoch; synthetic ones are a draw of the clean text in the recipe's share."""
        data: Data = self.recipe.data
        seed = self.recipe.training.seed * 1000 + epoch
        clean = self.clean
        if self.authentic and clean:
            share = data.synthetic_share
            count = min(round(len(self.authentic) * share / max(1 - share, 1e-9)), len(clean))
            chosen = np.random.default_rng(seed).choice(len(clean), count, replace=False)
            clean = [clean[i] for i in chosen]
        synthetic = list(zip(self.noise.stream(clean, seed), clean, strict=True)) if clean else []
        corrections = synthetic + self.authentic
        if not self.tags:
            return corrections
        correct, translate = self.tags
        return [(f"{correct} {source}", target) for source, target in corrections] + [
            (f"{translate} {source}", target) for source, target in self._translations(len(corrections), seed)
        ]

    def _translations(self, corrections: int, seed: int) -> list[Pair]:
        """A draw of translations in the recipe's share beside so many corrections."""
        data = self.recipe.data
        random = np.random.default_rng(seed + 1)
        share = data.translation_share
        count = min(round(corrections * share / max(1 - share, 1e-9)), len(self.translation))
        chosen = [self.translation[i] for i in random.choice(len(self.translation), count, replace=False)]
        back = count // 2 if data.translate_back else 0
        forth = [source for source, _ in chosen[back:]]
        if self.translation_noise and forth:
            forth = list(self.translation_noise.stream(forth, seed + 1))
        targets = [target for _, target in chosen[back:]]
        return [(b, a) for a, b in chosen[:back]] + list(zip(forth, targets, strict=True))

    def batches(self, subwords: Any, epoch: int) -> Iterator[Batch]:
        """Batches of an epoch: sentences of similar length together, in random order."""
        training, longest = self.recipe.training, self.recipe.model.longest
        pairs = self.pairs(epoch)
        sources = encode(subwords, [source for source, _ in pairs])
        if self.authentic or self.tags or not self._encoded:
            targets = encode(subwords, [target for _, target in pairs])
            self._encoded = targets
        targets = self._encoded
        lengths = np.array([max(len(s), len(t)) for s, t in zip(sources, targets, strict=True)])
        random = np.random.default_rng(training.seed * 1000 + epoch)
        order = random.permutation(len(lengths))
        order = order[np.argsort(lengths[order], kind="stable")]
        order = order[(lengths[order] < longest) & (lengths[order] > 0)]
        starts, width = [0], 0
        for position, index in enumerate(order):
            width = max(width, int(lengths[index]) + 1)
            if (position - starts[-1] + 1) * width > training.batch_subwords and position > starts[-1]:
                starts.append(position)
                width = int(lengths[index]) + 1
        bounds = list(zip(starts, [*starts[1:], len(order)], strict=True))
        for k in random.permutation(len(bounds)):
            chosen = order[bounds[k][0] : bounds[k][1]]
            if len(chosen):
                yield (
                    padded([sources[i] + [3] for i in chosen]),
                    padded([[2, *targets[i], 3] for i in chosen]),
                )


def encode(subwords: Any, texts: list[str]) -> list[list[int]]:
    found: list[list[int]] = subwords.encode(texts, num_threads=-1)
    return found


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray[Any, Any]:
    """Rows of ids as a matrix; padding is 0. Widths are multiples of 8, which GPUs like."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    width = -(-int(lengths.max()) // 8) * 8
    matrix = np.zeros((len(rows), width), dtype=np.int64)
    flat = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum()))
    matrix[np.arange(width) < lengths[:, None]] = flat
    return matrix
