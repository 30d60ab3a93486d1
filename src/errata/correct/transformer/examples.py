"""Sentences as batches of subwords: read, damaged anew in every epoch, bucketed by length."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from errata.correct.transformer.recipe import Data, Recipe
from errata.correct.transformer.reversal import turned
from errata.errors import DataError, MissingExtraError

Pair = tuple[str, str]  # source, target
Item = TypeVar("Item")
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


class Texts(Generic[Item]):
    """Several files of sentences or pairs, each drawn as often as its weight says.

    Epoch after epoch takes the next part of an endless series of permutations of each file, so that every
    sentence has been drawn once before any is drawn again.
    """

    def __init__(self, files: Sequence[list[Item]], weights: Sequence[float], seed: int) -> None:
        if weights and len(weights) != len(files):
            raise DataError(
                f"{len(weights)} weights for {len(files)} files", hint="give a weight per file, or none"
            )
        self.files, self.seed = files, seed
        self.sizes = [
            len(file) * weight for file, weight in zip(files, weights or [1] * len(files), strict=True)
        ]

    def __len__(self) -> int:
        return round(sum(self.sizes))

    def take(self, epoch: int, count: int) -> list[Item]:
        """About so many items: the part of this epoch."""
        found: list[Item] = []
        for number, (file, size) in enumerate(zip(self.files, self.sizes, strict=True)):
            share = round(count * size / max(sum(self.sizes), 1e-9))
            first = epoch * share
            while share:
                turn, start = divmod(first, len(file))
                order = np.random.default_rng([self.seed, number, turn]).permutation(len(file))
                part = order[start : start + share]
                found += [file[i] for i in part]
                first, share = first + len(part), share - len(part)
        return found


class Examples:
    """All that a recipe learns from."""

    def __init__(self, recipe: Recipe) -> None:
        from errata.corpus.files import read_lines

        data, seed = recipe.data, recipe.training.seed
        self.recipe = recipe
        clean = [[line for line in read_lines(recipe.folder / path) if line] for path in data.clean]
        self.clean = Texts(clean, data.clean_weights, seed)
        authentic = [read_pairs(recipe.folder / path) for path in data.authentic]
        if data.reversed:
            authentic = [turned(pairs, number) for number, pairs in enumerate(authentic)]
        self.authentic = Texts(authentic, data.authentic_weights, seed)
        self.translation = [pair for path in data.translation for pair in read_pairs(recipe.folder / path)]
        self.noises: list[Any] = []
        self.translation_noise: Any = None
        if len(self.clean):
            from errata.correct.profile import Profile

            if not data.profiles:
                raise DataError(
                    "clean text needs an error profile",
                    path=recipe.folder,
                    hint='profiles = ["errors.json"] under [data]',
                )
            profiles = [Profile.load(recipe.folder / path) for path in data.profiles]
            self.noises = [profile.noise(data.strength, tokenized=data.tokenized) for profile in profiles]
            if data.translation_strength:
                self.translation_noise = profiles[0].noise(
                    data.translation_strength, tokenized=data.tokenized
                )
        start = recipe.training.start_from
        described = recipe.folder / start / "model.json"
        known = json.loads(described.read_text("utf-8")) if start and described.is_file() else {}
        self._inherited = tuple(known.get("tags", ()))
        if not (len(self.clean) or len(self.authentic)):
            raise DataError("nothing to learn from", hint="give `clean` or `authentic` under [data]")

    @property
    def tags(self) -> tuple[str, ...]:
        """Of the tasks: with translation, or if the model to go on from has them."""
        return self.recipe.data.task_tags if self.translation else self._inherited

    def texts(self) -> list[str]:
        """All texts, for learning subwords."""
        both = [*(pair for file in self.authentic.files for pair in file), *self.translation]
        clean = [line for file in self.clean.files for line in file]
        return [*clean, *(source for source, _ in both), *(target for _, target in both)]

    def pairs(self, epoch: int) -> list[Pair]:
        """The sentences of an epoch: real corrections, and clean text made wrong in the recipe's share."""
        data: Data = self.recipe.data
        seed = self.recipe.training.seed * 1_000_000 + epoch
        share = data.synthetic_share if len(self.authentic) else 1.0
        real = round(data.draw * (1 - share)) if data.draw else len(self.authentic)
        made = len(self.clean)
        if data.draw:
            made = round(data.draw * share) if made else 0
        elif real:
            made = min(round(real * share / max(1 - share, 1e-9)), made)
        corrections = self._synthetic(self.clean.take(epoch, made), seed) + self.authentic.take(epoch, real)
        if not self.tags:
            return corrections
        correct, translate = self.tags
        return [(f"{correct} {source}", target) for source, target in corrections] + [
            (f"{translate} {source}", target) for source, target in self._translations(len(corrections), seed)
        ]

    def _synthetic(self, clean: list[str], seed: int) -> list[Pair]:
        """Clean sentences made wrong, in turn by each profile."""
        found: list[Pair] = []
        for number, noise in enumerate(self.noises):
            part = clean[number :: len(self.noises)]
            found += zip(noise.apply(part, seed), part, strict=True)
        return found

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
        """Batches of an epoch: sentences of similar length together, in random order.

        There are few shapes, for which GPU libraries prepare themselves once: the width decides the number of
        rows, and sources are as wide as targets without BEGIN.
        """
        training, longest = self.recipe.training, self.recipe.model.longest
        pairs = self.pairs(epoch)
        sources = encode(subwords, [source for source, _ in pairs])
        targets = encode(subwords, [target for _, target in pairs])
        lengths = np.array([max(len(s), len(t)) for s, t in zip(sources, targets, strict=True)])
        random = np.random.default_rng(training.seed * 1000 + epoch)
        order = random.permutation(len(lengths))
        order = order[np.argsort(-lengths[order], kind="stable")]
        order = order[(lengths[order] < longest) & (lengths[order] > 0)]
        bounds, start = [], 0
        while start < len(order):  # the longest first: their width tells how many rows fit
            width = -(-(int(lengths[order[start]]) + 1) // 8) * 8
            end = start + max(training.batch_subwords // width, 1)
            bounds.append((start, end, width))
            start = end
        for k in random.permutation(len(bounds)):
            start, end, width = bounds[k]
            chosen = order[start:end]
            yield (
                padded([[*sources[i], 3] for i in chosen], width),
                padded([[2, *targets[i], 3] for i in chosen], width + 1),
            )


def encode(subwords: Any, texts: list[str]) -> list[list[int]]:
    found: list[list[int]] = subwords.encode(texts, num_threads=1)
    return found


def padded(rows: Sequence[Sequence[int]], width: int = 0) -> np.ndarray[Any, Any]:
    """Rows of ids as a matrix of a given width, or the next multiple of 8, which suits GPUs; padding is 0."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    width = width or -(-int(lengths.max()) // 8) * 8
    matrix = np.zeros((len(rows), width), dtype=np.int32)
    flat = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int32, count=int(lengths.sum()))
    matrix[np.arange(width) < lengths[:, None]] = flat
    return matrix
