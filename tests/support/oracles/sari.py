"""SARI as its specification tells it, n-gram by n-gram: slow, obvious, and independent of the metric."""

from __future__ import annotations

from collections.abc import Sequence


def sari(cases: Sequence[tuple[list[str], list[str], list[list[str]]]], paper: bool, precision: bool):
    """SARI, add, keep and delete of tokenised (source, output, references), between 0 and 1."""
    measured = {name: [_order(cases, n, name) for n in range(1, 5)] for name in ("add", "keep", "delete")}
    parts = []
    for name, orders in measured.items():
        if precision and name == "delete":
            parts.append(sum(p for p, _ in orders) / 4)
        elif paper:
            parts.append(_f1(sum(p for p, _ in orders) / 4, sum(r for _, r in orders) / 4))
        else:
            parts.append(sum(_f1(p, r) for p, r in orders) / 4)
    return sum(parts) / 3, *parts


def _order(cases, n: int, name: str) -> tuple[float, float]:
    """Precision and recall of one operation for one order, from sums over the corpus."""
    right = made = wanted = 0
    for source, output, references in cases:
        texts = [_list(text, n) for text in (source, output, *references)]
        k = len(references)
        for ngram in {gram for text in texts for gram in text}:
            s, o = (k * text.count(ngram) for text in texts[:2])
            r = sum(text.count(ngram) for text in texts[2:])
            if name == "add":
                ours, theirs = int(o > 0 and s == 0), int(r > 0 and s == 0)
            elif name == "keep":
                ours, theirs = min(s, o), min(s, r)
            else:
                ours, theirs = max(s - o, 0), max(s - r, 0)
            right, made, wanted = right + min(ours, theirs), made + ours, wanted + theirs
    return right / made if made else 0.0, right / wanted if wanted else 0.0


def _f1(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p and r else 0.0


def _list(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
