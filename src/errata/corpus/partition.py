"""Parts of a corpus: splits that keep documents whole, and samples; stratified, the same for a seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errata.corpus.model import Corpus
from errata.errors import DataError

UNITS = ("document", "paragraph", "segment")


def units(
    corpus: Corpus,
    unit: str,
    remedy: str = "give a side file (--meta meta.tsv), or do without: --unit segment",
) -> list[list[int]]:
    """The indices of what must stay together; a segment without a document (paragraph) is on its own."""
    if unit not in UNITS:
        raise ValueError(f"a unit is one of {', '.join(UNITS)}, not {unit!r}")
    if unit == "segment":
        return [[index] for index in range(len(corpus))]
    groups = corpus.groups(unit)
    alone = [[index] for index in groups.pop("", [])]
    if alone and not groups:
        raise DataError(
            f"no segment says which {unit} it belongs to",
            path=corpus.origin.path if corpus.origin else None,
            hint=remedy,
        )
    return sorted([*groups.values(), *alone], key=lambda group: group[0])


def split(
    corpus: Corpus,
    sizes: Sequence[float],
    *,
    unit: str = "document",
    by: str | None = None,
    seed: int = 1,
) -> list[Corpus]:
    """Parts of sizes in this proportion (of segments), no document in two of them.

    Units come in random order and each goes to the part that still lacks the most segments: which part
    does not depend on how long the document is, and each part ends within a document of its size. With
    `by` (a meta field) the units of each of its values are dealt out in turn, what is lacking carried on.
    """
    if len(sizes) < 2 or any(not size > 0 for size in sizes):
        raise DataError("a split has two or more sizes, all above zero", hint="for example 80/10/10")
    groups = units(corpus, unit)
    if len(groups) < len(sizes):
        raise DataError(f"{len(groups)} {unit}s cannot make {len(sizes)} parts")
    random = np.random.default_rng(seed)
    parts: list[list[int]] = [[] for _ in sizes]
    lacking = np.zeros(len(sizes))
    for stratum in _strata(corpus, groups, by):
        lacking += np.array(sizes) / sum(sizes) * sum(map(len, stratum))
        for place in random.permutation(len(stratum)):
            part = int(np.argmax(lacking))
            lacking[part] -= len(stratum[place])
            parts[part] += stratum[place]
    if not all(parts):
        raise DataError(
            f"{len(groups)} {unit}s are too few: part {parts.index([]) + 1} would be empty",
            hint="ask for fewer or more even parts, or split by a smaller unit: --unit segment",
        )
    return [corpus.select(sorted(part)) for part in parts]


def sample(
    corpus: Corpus, size: int, *, unit: str = "segment", by: str | None = None, seed: int = 1
) -> Corpus:
    """`size` segments (or documents, paragraphs) at random, in the order of the corpus.

    With `by` (a meta field) each of its values keeps its share, rounded to the largest remainder.
    """
    groups = units(corpus, unit)
    if not 0 < size <= len(groups):
        raise DataError(f"cannot sample {size} of {len(groups)} {unit}s")
    random = np.random.default_rng(seed)
    strata = _strata(corpus, groups, by)
    shares = np.array([len(stratum) for stratum in strata]) * size / len(groups)
    quota = np.floor(shares).astype(int)
    rest = np.argsort(quota - shares, kind="stable")[: size - int(quota.sum())]
    quota[rest] += 1
    chosen: list[int] = []
    for stratum, wanted in zip(strata, quota, strict=True):
        for place in random.choice(len(stratum), size=wanted, replace=False):
            chosen += stratum[place]
    return corpus.select(sorted(chosen))


def _strata(corpus: Corpus, groups: Sequence[list[int]], by: str | None) -> list[list[list[int]]]:
    """The units by the label of their first segment, in order of first appearance."""
    found: dict[str, list[list[int]]] = {}
    for group in groups:
        found.setdefault(corpus[group[0]].label(by) if by else "", []).append(group)
    if by and set(found) == {""}:
        raise DataError(
            f"no segment has a {by!r}",
            path=corpus.origin.path if corpus.origin else None,
            hint="give a side file: --meta meta.tsv",
        )
    return list(found.values())
