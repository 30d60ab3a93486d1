"""Sentences as batches of subwords: read, damaged anew in every epoch, several to a row."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from errata.corpus.files import read_lines
from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata_correct.profile import Profile
from errata_correct.transformer.error_sampling import Pair, turned
from errata_correct.transformer.folder import sentencepiece
from errata_correct.transformer.recipe import Data, Recipe

Item = TypeVar("Item")
Ids = np.ndarray[Any, Any]


class Batch(NamedTuple):
    """Matrices of ids: a row has several sentences, one after the other; padding is 0."""

    source: Ids  # each sentence ends with END
    source_places: Ids  # of the subwords within their sentences
    source_sentences: Ids  # their number within their row, from 1; padding has 0
    given: Ids  # the targets, each after BEGIN
    wanted: Ids  # the targets, each followed by END
    target_places: Ids
    target_sentences: Ids
    edited: Ids  # which wanted subwords an edit made


def train_subwords(texts: Sequence[str], size: int, path: Path) -> None:
    """Learn subwords (unigram language model); text is kept to the character, unknown ones as bytes."""
    some = texts if len(texts) <= 300_000 else texts[:: len(texts) // 300_000 + 1]
    sentencepiece().SentencePieceTrainer.train(
        sentence_iterator=iter(some), model_writer=path.open("wb"), vocab_size=size, model_type="unigram",
        character_coverage=0.9998, byte_fallback=True, normalization_rule_name="identity",
        pad_id=0, unk_id=1, bos_id=2, eos_id=3, hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip


def _read_pairs(path: Path) -> list[Pair]:
    """Sources and corrections from M2 (every annotator), or from TSV with two columns."""
    if path.suffix == ".m2":
        return [(segment.source, text) for segment in read_m2(path) for text in segment.references]
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
        items: list[Item] = []
        for number, (file, size) in enumerate(zip(self.files, self.sizes, strict=True)):
            share = round(count * size / max(sum(self.sizes), 1e-9))
            first = epoch * share
            while share:
                turn, start = divmod(first, len(file))
                order = np.random.default_rng([self.seed, number, turn]).permutation(len(file))
                part = order[start : start + share]
                items += [file[i] for i in part]
                first, share = first + len(part), share - len(part)
        return items


class Examples:
    """All that a recipe learns from."""

    def __init__(self, recipe: Recipe) -> None:
        data, seed = recipe.data, recipe.training.seed
        self.recipe = recipe
        clean = [[line for line in read_lines(recipe.folder / path) if line] for path in data.clean]
        self.clean = Texts(clean, data.clean_weights, seed)
        authentic = [_read_pairs(recipe.folder / path) for path in data.authentic]
        if data.reversed:
            authentic = [turned(pairs, number) for number, pairs in enumerate(authentic)]
        self.authentic = Texts(authentic, data.authentic_weights, seed)
        self.noises: list[Any] = []
        if len(self.clean):
            if not data.profiles:
                raise DataError(
                    "clean text needs an error profile",
                    path=recipe.folder,
                    hint='profiles = ["errors.json"] under [data]',
                )
            profiles = [Profile.load(recipe.folder / path) for path in data.profiles]
            self.noises = [profile.noise(data.strength, tokenized=data.tokenized) for profile in profiles]
        if not (len(self.clean) or len(self.authentic)):
            raise DataError("nothing to learn from", hint="give `clean` or `authentic` under [data]")

    def texts(self) -> list[str]:
        """All texts, for learning subwords."""
        both = [pair for file in self.authentic.files for pair in file]
        clean = [line for file in self.clean.files for line in file]
        return [*clean, *(source for source, _ in both), *(target for _, target in both)]

    def pairs(self, epoch: int) -> list[Pair]:
        """The sentences of an epoch: real corrections, and clean text made wrong in the recipe's share."""
        data: Data = self.recipe.data
        seed = self.recipe.training.seed * 1_000_000 + epoch
        share = data.synthetic_share if len(self.authentic) else 1.0
        real = round(data.draw * (1 - share)) if data.draw else len(self.authentic)
        synthetic = len(self.clean)
        if data.draw:
            synthetic = round(data.draw * share) if synthetic else 0
        elif real:
            synthetic = min(round(real * share / max(1 - share, 1e-9)), synthetic)
        return self._synthetic(self.clean.take(epoch, synthetic), seed) + self.authentic.take(epoch, real)

    def _synthetic(self, clean: list[str], seed: int) -> list[Pair]:
        """Clean sentences made wrong, in turn by each profile."""
        pairs: list[Pair] = []
        for number, noise in enumerate(self.noises):
            part = clean[number :: len(self.noises)]
            pairs += zip(noise.apply(part, seed), part, strict=True)
        return pairs

    def batches(self, subwords: Any, epoch: int) -> list[Batch]:
        """Batches of an epoch: rows of sentences in random order, `batch_subwords` with the padding."""
        training, longest = self.recipe.training, self.recipe.model.longest
        pairs = self.pairs(epoch)
        sources = encode(subwords, [source for source, _ in pairs])
        targets = encode(subwords, [target for _, target in pairs])
        lengths = np.array([max(len(s), len(t)) for s, t in zip(sources, targets, strict=True)])
        random = np.random.default_rng(training.seed * 1000 + epoch)
        order = random.permutation(len(lengths))
        order = order[(lengths[order] < longest) & (lengths[order] > 0)]
        width = -(-longest // 8) * 8  # suits GPUs
        rows = [order[row] for row in filled(lengths[order] + 1, width)]
        if not rows:
            raise DataError("no sentence is short enough", hint="raise `longest` under [model]")
        parts = min(max(round(len(rows) * width / training.batch_subwords), 1), len(rows))
        return [
            laid_out([[(sources[i], targets[i]) for i in rows[k]] for k in part], width)
            for part in np.array_split(random.permutation(len(rows)), parts)
        ]


def filled(lengths: Ids, width: int) -> list[list[int]]:
    """Rows of items whose lengths fit into a width: each goes where it leaves the least space."""
    rows: list[list[int]] = []
    by_space: list[list[list[int]]] = [[] for _ in range(width + 1)]
    for item in np.argsort(-lengths, kind="stable").tolist():
        length = int(lengths[item])
        space = next((space for space in range(length, width + 1) if by_space[space]), width)
        if by_space[space]:
            row = by_space[space].pop()
        else:
            row = []
            rows.append(row)
        row.append(item)
        by_space[space - length].append(row)
    return rows


def laid_out(rows: Sequence[Sequence[tuple[list[int], list[int]]]], width: int) -> Batch:
    """Rows of pairs as a batch."""
    row_of = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    pairs = list(itertools.chain.from_iterable(rows))
    number = np.concatenate([np.arange(1, len(row) + 1) for row in rows])
    source = _Side([[*source, 3] for source, _ in pairs], row_of, width)
    given = _Side([[2, *target] for _, target in pairs], row_of, width)
    wanted = np.append(given.ids[1:], 3)
    wanted[np.cumsum(given.lengths) - 1] = 3
    before = np.append(2, source.ids[:-1])
    before[np.cumsum(source.lengths)[:-1]] = 2
    edited = ~np.isin(given.keys(given.ids, wanted), source.keys(before, source.ids), kind="sort")
    shape = (len(rows), width)
    return Batch(
        source.matrix(source.ids, shape), source.matrix(source.places, shape),
        source.matrix(source.spread(number), shape), given.matrix(given.ids, shape),
        given.matrix(wanted, shape), given.matrix(given.places, shape),
        given.matrix(given.spread(number), shape), given.matrix(edited, shape),
    )  # fmt: skip


class _Side:
    """The sources or the targets of a batch, end to end, and where each subword is in the matrix."""

    def __init__(self, texts: Sequence[list[int]], row_of: Ids, width: int) -> None:
        self.lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        ends = np.cumsum(self.lengths)
        self.ids = np.fromiter(itertools.chain.from_iterable(texts), dtype=np.int32, count=int(ends[-1]))
        starts = ends - self.lengths
        self.places = np.arange(len(self.ids)) - self.spread(starts)
        first = np.flatnonzero(np.diff(row_of, prepend=-1))  # the first text of each row
        before = np.repeat(starts[first], np.diff(first, append=len(texts)))
        self.index = self.spread(row_of * width + starts - before) + self.places

    def spread(self, values: Ids) -> Ids:
        """A value per text as one per subword."""
        return np.repeat(values, self.lengths)

    def keys(self, before: Ids, ids: Ids) -> Ids:
        """A number for the text of each subword, the subword before it, and itself."""
        text = self.spread(np.arange(len(self.lengths)))
        return (text << 40) + (before.astype(np.int64) << 20) + ids

    def matrix(self, values: Ids, shape: tuple[int, int]) -> Ids:
        """Values of the subwords as a matrix."""
        filled = np.zeros(shape, dtype=np.int32)
        filled.reshape(-1)[self.index] = values
        return filled


def encode(subwords: Any, texts: list[str]) -> list[list[int]]:
    ids: list[list[int]] = subwords.encode(texts, num_threads=1)
    return ids


def padded(rows: Sequence[Sequence[int]]) -> Ids:
    """Rows of ids as a matrix whose width is a multiple of 8, which suits GPUs; padding is 0."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    width = -(-int(lengths.max()) // 8) * 8
    matrix = np.zeros((len(rows), width), dtype=np.int32)
    flat = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int32, count=int(lengths.sum()))
    matrix[np.arange(width) < lengths[:, None]] = flat
    return matrix
