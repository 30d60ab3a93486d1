"""GREEN as its specification tells it, n-gram by n-gram: slow, obvious, and independent of the kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Counts = list[tuple[int, int, int]]  # true positives, false positives, false negatives of every order


def counts(source: Sequence[str], candidate: Sequence[str], reference: Sequence[str], n: int) -> Counts:
    found = []
    for order in range(1, n + 1):
        tables = [_ngrams(text, order) for text in (source, reference, candidate)]
        tp = fp = fn = 0
        for ngram in set().union(*tables):
            s, r, c = (table[ngram] for table in tables)
            tp += max(s - max(r, c), 0) + max(min(r, c) - s, 0) + min(s, r, c)
            fp += max(min(s, r) - c, 0) + max(c - max(s, r), 0)
            fn += max(min(s, c) - r, 0) + max(r - max(s, c), 0)
        found.append((tp, fp, fn))
    return found


def f(totals: Counts, beta: float) -> float:
    precision = recall = 1.0
    for tp, fp, fn in totals:
        precision *= tp / (tp + fp) if tp + fp else 1.0
        recall *= tp / (tp + fn) if tp + fn else 0.0
    precision, recall = precision ** (1 / len(totals)), recall ** (1 / len(totals))
    if precision + recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def best(source, candidate, references, n: int, beta: float) -> tuple[float, Counts]:
    """F of a sentence against its best reference, and the counts of that reference."""
    options = [counts(source, candidate, reference, n) for reference in references]
    keys = [tuple(round(f(option[:k], beta), 12) for k in range(n, 0, -1)) for option in options]
    chosen = options[keys.index(max(keys))]
    return f(chosen, beta), chosen


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
