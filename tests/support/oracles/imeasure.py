"""The I-measure as its specification tells it: every candidate written out, full tables, no shortcuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from operator import sub

Tokens = tuple[str, ...]
Edit = tuple[int, int, str]  # start, end, correction
Cluster = tuple[list[tuple[int, list[Edit]]], bool]  # the alternatives by annotator; whether one is required
GAP, MISMATCH = 2, 3
MOVES = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))


def overlap(one: Edit, other: Edit) -> bool:
    (a, b), (c, d) = one[:2], other[:2]
    if (a, b) == (c, d):
        return True
    if a == b:
        return c < a < d
    if c == d:
        return a < c < b
    return (b > c and b <= d) or (a >= c and a < d)


def clusters(annotators: Sequence[Sequence[Edit]]) -> list[Cluster]:
    edits = [(number, edit) for number, edits in enumerate(annotators) for edit in edits]
    groups: list[list[tuple[int, Edit]]] = []
    for item in sorted(edits, key=lambda item: -(item[1][1] - item[1][0])):
        group = next((g for g in groups if any(overlap(item[1], other) for _, other in g)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    found = []
    for group in sorted(groups, key=lambda group: group[0][1][:2]):
        who = sorted({number for number, _ in group})
        alternatives = [(number, [edit for other, edit in group if other == number]) for number in who]
        found.append((alternatives, len(who) == len(annotators)))
    return found


def joined(edits: Sequence[Edit]) -> list[Edit]:
    """Edits of the same span as one."""
    spans: dict[tuple[int, int], list[str]] = {}
    for start, end, text in edits:
        spans.setdefault((start, end), []).append(text)
    return [(start, end, " ".join(texts)) for (start, end), texts in spans.items()]


def applied(source: Tokens, edits: Sequence[Edit]) -> Tokens:
    text = source
    for start, end, correction in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        changed = text[:start] + tuple(correction.split()) + text[end:]
        text = changed or text
    return text


def candidates(source: Tokens, annotators: Sequence[Sequence[Edit]], mix: bool) -> list[Tokens]:
    """The texts in the order of a dictionary of Python 2, which the official program visits."""
    if not annotators:
        return [source]
    found = clusters(annotators)
    changing = {who for alternatives, _ in found for who, _ in alternatives}
    texts = [source] if len(changing) < len(annotators) else []
    if mix:
        options = [
            ([] if required else [[]]) + [joined(edits) for _, edits in alternatives]
            for alternatives, required in found
        ]
        for choice in product(*reversed(options)):
            edits = [edit for part in reversed(choice) for edit in part]
            if edits and len({edit[:2] for edit in edits}) == len(edits):
                texts.append(applied(source, edits))
        if all([] in choices for choices in options):
            texts.append(source)
    else:
        for number in map(int, dictionary([str(number) for number in sorted(changing)])):
            parts = [edits for alternatives, _ in found for who, edits in alternatives if who == number]
            texts.append(applied(source, [edit for part in parts for edit in joined(part)]))
    return [tuple(text.split()) for text in dictionary([" ".join(text) for text in texts])]


def dictionary(keys: Sequence[str]) -> list[str]:
    """The distinct keys as a dictionary of Python 2 yields them after they were inserted in this order."""
    table: list[str | None] = [None] * 8
    used = 0

    def insert(key: str) -> bool:
        x = ord(key[0]) << 7 if key else 0
        for character in key:
            x = (1000003 * x & 0xFFFFFFFFFFFFFFFF) ^ ord(character)
        i = perturb = x ^ len(key)
        while (held := table[i & len(table) - 1]) is not None:
            if held == key:
                return False
            i, perturb = (i << 2) + i + perturb + 1, perturb >> 5
        table[i & len(table) - 1] = key
        return True

    for key in keys:
        used += insert(key)
        if used * 3 >= len(table) * 2:
            old = [key for key in table if key is not None]
            size = 8
            while size <= 4 * used:
                size *= 2
            table = [None] * size
            for key in old:
                insert(key)
    return [key for key in table if key is not None]


@cache
def column_cost(column: tuple[str | None, ...]) -> int:
    return sum(0 if x == y else GAP if None in (x, y) else MISMATCH for x, y in combinations(column, 2))


def table_alignment(
    texts: Sequence[Tokens], moves: Sequence[tuple[int, ...]]
) -> list[tuple[str | None, ...]]:
    """The columns of the cheapest alignment of the texts; the first move that explains a cell wins."""
    cost: dict[tuple[int, ...], int] = {}
    step: dict[tuple[int, ...], tuple[tuple[int, ...], tuple[str | None, ...]]] = {}
    for cell in product(*(range(len(text) + 1) for text in texts)):
        cost[cell] = 0 if not any(cell) else 1 << 30
        for move in moves:
            before = tuple(map(sub, cell, move))
            if min(before) < 0:
                continue
            column = tuple([text[c - 1] if m else None for text, c, m in zip(texts, cell, move, strict=True)])
            new = cost[before] + column_cost(column)
            if new < cost[cell]:
                cost[cell], step[cell] = new, (before, column)
    cell = tuple(map(len, texts))
    columns = []
    while any(cell):
        cell, column = step[cell]
        columns.append(column)
    return columns[::-1]


def alignment(source: Tokens, hypothesis: Tokens, reference: Tokens) -> list[tuple[str | None, ...]]:
    """Columns of (source, hypothesis, reference)."""
    pairwise = ((1, 1), (1, 0), (0, 1))
    if source == hypothesis == reference:
        return [(word, word, word) for word in source]
    if source == hypothesis:
        return [(a, a, b) for a, b in table_alignment((source, reference), pairwise)]
    if source == reference:
        return [(a, b, a) for a, b in table_alignment((source, hypothesis), pairwise)]
    if hypothesis == reference:
        return [(b, a, a) for a, b in table_alignment((reference, source), pairwise)]
    return table_alignment((source, hypothesis, reference), MOVES)


@cache
def counts(source: Tokens, hypothesis: Tokens, reference: Tokens) -> tuple[int, ...]:
    """TP, TN, FP, FN, FPN of correction."""
    tp = tn = fp = fn = fpn = 0
    for s, h, r in alignment(source, hypothesis, reference):
        if s == h == r:
            tn += 1
        elif s == h:
            fn += 1
        elif s == r:
            fp += 1
        elif h == r:
            tp += 1
        else:
            fp, fn, fpn = fp + 1, fn + 1, fpn + 1
    return tp, tn, fp, fn, fpn


def measures(row: Sequence[int], base: Sequence[int], weight: float = 2.0) -> dict[str, float]:
    """Measures of one aspect; `base` are the counts of the source as the hypothesis."""

    def accuracy(w: float, tp: int, tn: int, fp: int, fn: int, fpn: int) -> float:
        whole = w * (tp + fp) + tn + fn - (w + 1) * fpn / 2
        return (w * tp + tn) / whole if whole else 1.0

    wacc, start = accuracy(weight, *row), accuracy(weight, *base)
    if wacc == start:
        i = float(math.floor(wacc))
    else:
        i = (wacc - start) / (1 - start) if wacc > start else wacc / start - 1
    tp, tn, fp, fn, fpn = row
    p = tp / (tp + fp) if tp + fp else 1.0
    r = tp / (tp + fn) if tp + fn else 1.0
    return {
        "wacc": wacc, "i": i, "acc": accuracy(1.0, *row),
        "p": p, "r": r, "f": 2 * p * r / (p + r) if p + r else 0.0,
        "tp": tp, "tn": tn, "fp": fp, "fn": fn, "fpn": fpn,
    }  # fmt: skip


def keys(row: Sequence[int], base: Sequence[int], maximise: str = "cwacc") -> tuple[float, ...]:
    """What candidates are compared by."""
    tp, tn, fp, fn, fpn = row
    correction = measures(row, base)
    detection = measures([tp + fpn, tn, fp - fpn, fn - fpn, 0], base)
    order = (correction, detection) if maximise[0] == "c" else (detection, correction)
    return tuple(aspect[name] for aspect in order for name in (maximise[1:], "i", "wacc", "acc"))
