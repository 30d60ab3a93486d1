"""CLEME and CLEME2 as their specification tells them, with target positions: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Sequence

Edit = tuple[int, int, str]
COUNTS = ("tp", "fp_ne", "fp_un", "fn", "tn")


def align(tokens: Sequence[str], edits: Sequence[Edit]) -> tuple[list[str], list[int | None]]:
    """The target, and the target position of every source position that lies outside of edits."""
    target: list[str] = []
    position: list[int | None] = [None] * (len(tokens) + 1)
    place = 0
    for start, end, correction in sorted(edits):
        for i in range(place, start):
            position[i] = len(target)
            target.append(tokens[i])
        target += correction.split()
        place = end
    for i in range(place, len(tokens)):
        position[i] = len(target)
        target.append(tokens[i])
    position[len(tokens)] = len(target)
    return target, position


def chunks(source: str, texts: Sequence[Sequence[Edit]]) -> list[tuple[int, list[tuple[tuple, bool]]]]:
    """Per chunk the number of source tokens, and each text's tokens there and whether it changes them."""
    tokens = source.split()
    kept = [edits for edits in texts[1:] if align(tokens, edits)[0]] or [texts[1]]
    texts = [texts[0], *kept]
    intervals: list[list[int]] = []
    for start, end, _ in sorted((edit for edits in texts for edit in edits), key=lambda edit: edit[0]):
        if intervals and start <= intervals[-1][1]:
            intervals[-1][1] = max(intervals[-1][1], end)
        else:
            intervals.append([start, end])
    spans, place = [], 0
    for start, end in intervals:
        spans += [(place, start, False)] if place < start else []
        spans.append((start, end, True))
        place = end
    spans += [(place, len(tokens), False)] if place < len(tokens) else []
    aligned = [align(tokens, edits) for edits in texts]
    out = []
    for a, b, interval in spans:
        row = []
        for edits, (target, position) in zip(texts, aligned, strict=True):
            changed = interval and any(a <= start and end <= b for start, end, _ in edits)
            text = tokens[a:b]
            if changed:
                text = target[0 if a == 0 else position[a - 1] + 1 : position[b]]
            row.append((tuple(text), changed))
        out.append((b - a, row))
    return out


def verdict(ours: tuple[tuple, bool], references: Sequence[tuple[tuple, bool]], independent: bool) -> str:
    text, changed = ours
    if changed:
        if any(text == reference for reference, _ in references):
            return "tp"
        return "fp_ne" if any(changes for _, changes in references) else "fp_un"
    if independent:
        return "fn" if all(changes for _, changes in references) else "tn"
    return "fn" if references[0][0] != text else "tn"


def count(cut, independent: bool, weigh) -> list[dict[str, float]]:
    """Weighted counts per reference, or one for all of them."""
    number = len(cut[0][1]) - 1 if cut else 1
    groups = [range(1, number + 1)] if independent else [[i] for i in range(1, number + 1)]
    out = []
    for group in groups:
        sums = dict.fromkeys(COUNTS, 0.0)
        for length, row in cut:
            name = verdict(row[0], [row[i] for i in group], independent)
            sums[name] += weigh(name, max(length, len(row[0][0])))
        out.append(sums)
    return out


def length_weight(mean: float, scale: float, clips: dict[str, tuple[float, float]]):
    def weigh(name: str, length: int) -> float:
        if name == "tn":
            return 1.0
        exponent = length - mean if name.startswith("fp") else mean - length
        low, high = clips[name[:2]]
        return min(max(scale / (1 + (scale - 1) * math.exp(exponent)), low), high)

    return weigh


def mean_length(cuts) -> float:
    lengths = [
        max(length, len(text)) for cut in cuts for length, row in cut for text, changed in row[1:] if changed
    ]
    return sum(lengths) / len(lengths) if lengths else 0.0


def measures(sums: dict[str, float]) -> tuple[float, float, float, float]:
    """F0.5, precision, recall and accuracy, rounded."""
    tp, fp, fn, tn = sums["tp"], sums["fp_ne"] + sums["fp_un"], sums["fn"], sums["tn"]
    p = tp / (tp + fp) if tp + fp else 1.0
    r = tp / (tp + fn) if tp + fn else 1.0
    f = 1.25 * p * r / (0.25 * p + r) if p + r else 0.0
    every = tp + fp + fn + tn
    accuracy = (tp + tn) / every if every else 1.0
    return round(f, 4), round(p, 4), round(r, 4), round(accuracy, 4)


def rates(sums: dict[str, float], factors: Sequence[float]) -> tuple[float, float, float, float, float]:
    tp, ne, un, fn = (sums[name] for name in COUNTS[:4])
    needed, made = tp + ne + fn, tp + ne + un
    hit, err, und = ((x / needed if needed else 0.0) for x in (tp, ne, fn))
    ove = un / made if made else 0.0
    a, b, c, d = factors
    return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove), hit, err, und, ove


def corpus(rows: Sequence[Sequence[dict[str, float]]], score) -> dict[str, float]:
    """Totals of a run that takes, per sentence, the reference that is best together with the totals."""
    totals = dict.fromkeys(COUNTS, 0.0)
    for options in rows:
        best, chosen = None, totals
        for option in options:
            together = {name: totals[name] + option[name] for name in COUNTS}
            wrong = option["fp_ne"] + option["fp_un"]
            key = (score(together), option["tp"], -wrong, -option["fn"], option["tn"])
            if best is None or key > best:
                best, chosen = key, together
        totals = chosen
    return totals
