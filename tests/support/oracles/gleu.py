"""GLEU+ as its specification tells it: plain counting, Python's own generator, one corpus after the other."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

Tokens = Sequence[str]


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) + 1 - n))


def numbers(source: Tokens, hypothesis: Tokens, reference: Tokens, variant: str = "code") -> list[int]:
    """Four numerators, four denominators and two lengths of one sentence and reference."""
    numerators, denominators = [], []
    for n in range(1, 5):
        s, h, r = (ngrams(text, n) for text in (source, hypothesis, reference))
        if variant == "code":
            penalty = (h & Counter({gram: count for gram, count in s.items() if gram not in r})).total()
        else:
            penalty = sum(max(0, min(h[gram], s[gram]) - min(h[gram], r[gram])) for gram in h)
        numerators.append(max(0, (h & r).total() - penalty))
        denominators.append(max(0, len(hypothesis) + 1 - n))
    return [*numerators, *denominators, len(hypothesis), len(reference)]


def score(sums: Sequence[float], order: int = 4, brevity: str = "fixed") -> float:
    """The score of summed numbers; lower orders drop columns, and the logarithms are still divided by 4."""
    orders = range(min(order, 4))
    if any(number == 0 for number in [*(sums[place + n] for n in orders for place in (0, 4)), *sums[8:]]):
        return 0.0
    c, r = sums[8:]
    penalty = min(0.0, 1 - r / c) if brevity == "fixed" else min(0.0, 1 - c / r)
    return math.exp(penalty + sum(math.log(sums[n] / sums[4 + n]) for n in orders) / 4)


def moments(scores: Sequence[float]) -> tuple[float, float]:
    mean = sum(scores) / len(scores)
    return mean, math.sqrt(sum((x - mean) ** 2 for x in scores) / len(scores))


def corpus(
    rows: Sequence[Sequence[list[int]]], iterations: int, order: int = 4, brevity: str = "fixed"
) -> tuple[float, float]:
    """Mean and standard deviation over the draws; `rows` are the numbers of every sentence and reference."""
    scores = []
    for iteration in range(iterations if any(len(row) > 1 for row in rows) else 1):
        generator = random.Random(iteration * 101)
        drawn = [row[int(generator.random() * len(row))] for row in rows]
        scores.append(score([sum(column) for column in zip(*drawn, strict=True)], order, brevity))
    return moments(scores)


def sentence(row: Sequence[list[int]], brevity: str = "fixed") -> tuple[float, float]:
    """Mean and standard deviation over the references, numbers of 0 replaced by 1."""
    return moments([score([number or 1 for number in one], 4, brevity) for one in row])
