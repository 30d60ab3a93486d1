"""M² as its specification tells it, arc by arc: slow, obvious, and independent of the kernel.

Floating point, repeated relaxation over the whole arc list, the copies in that list and its order are
kept, so that the accidents of the official program happen here too (`spec/m2.md` numbers them).
"""

from __future__ import annotations

from collections.abc import Sequence

EPSILON = 0.001
Vertex = tuple[int, int]
Arc = tuple[Vertex, Vertex]
Gold = tuple[int, int, tuple[str, ...]]  # start, end, corrections that count
NOOP, INS, DEL, SUB = "noop", "ins", "del", "sub"


def basic_edges(source: Sequence[str], hypothesis: Sequence[str], substitution: int) -> dict[Arc, str]:
    """The edges on some optimal path of one Levenshtein table."""
    n, m = len(source), len(hypothesis)
    cost = [[i + j for j in range(m + 1)] for i in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diagonal = 0 if source[i - 1] == hypothesis[j - 1] else substitution
            cost[i][j] = min(cost[i - 1][j - 1] + diagonal, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    edges: dict[Arc, str] = {}
    seen, stack = {(n, m)}, [(n, m)]
    while stack:
        i, j = here = stack.pop()
        steps: list[tuple[Vertex, str]] = []
        if i and j:
            equal = source[i - 1] == hypothesis[j - 1]
            if cost[i - 1][j - 1] + (0 if equal else substitution) == cost[i][j]:
                steps.append(((i - 1, j - 1), NOOP if equal else SUB))
        if i and cost[i - 1][j] + 1 == cost[i][j]:
            steps.append(((i - 1, j), DEL))
        if j and cost[i][j - 1] + 1 == cost[i][j]:
            steps.append(((i, j - 1), INS))
        for before, kind in steps:
            edges[before, here] = kind
            if before not in seen:
                seen.add(before)
                stack.append(before)
    return edges


def lattice(
    source: Sequence[str], hypothesis: Sequence[str], max_unchanged: int
) -> tuple[list[Arc], dict[Arc, int], set[Arc]]:
    """The arc list with all copies, the arcs' lengths, and those that are unchanged text."""
    one, two = basic_edges(source, hypothesis, 1), basic_edges(source, hypothesis, 2)
    arcs = sorted([*one, *two])
    both = {**one, **two}
    vertices = sorted({v for arc in both for v in arc})
    length = dict.fromkeys(both, 1)
    unchanged = {arc: int(kind == NOOP) for arc, kind in both.items()}
    into: dict[Vertex, set[Vertex]] = {v: set() for v in vertices}
    out: dict[Vertex, set[Vertex]] = {v: set() for v in vertices}
    for u, w in both:
        out[u].add(w)
        into[w].add(u)
    for v in vertices:
        for u in sorted(into[v]):
            for w in sorted(out[v]):
                new = length[u, v] + length[v, w]
                words = unchanged[u, v] + unchanged[v, w]
                if words <= max_unchanged and new < length.get((u, w), 1 << 60):
                    arcs.append((u, w))  # accident 1: every time
                    length[u, w], unchanged[u, w] = new, words
                    out[u].add(w)
                    into[w].add(u)
    silent = {arc for arc in length if unchanged[arc] == length[arc]}
    kept = []
    skip = False  # accident 4: what follows a removed arc is not looked at
    for arc in arcs:
        skip = not skip and arc in silent and arc not in both
        if not skip:
            kept.append(arc)
    return kept, length, silent


def weights(
    source: Sequence[str],
    hypothesis: Sequence[str],
    arcs: list[Arc],
    length: dict[Arc, int],
    silent: set[Arc],
    gold: Sequence[Gold],
) -> dict[Arc, float]:
    """What every arc costs for one annotator."""
    cost = {arc: float(length[arc]) for arc in arcs}
    rows: dict[int, list[Arc]] = {}
    for arc in arcs:
        (i, j), (k, e) = arc
        if i == k:
            rows.setdefault(i, []).append(arc)
        elif any(g[0] == i and g[1] == k and " ".join(hypothesis[j:e]) in g[2] for g in gold):
            cost[arc] = -float(len(arcs))  # accident 2: unchanged text too
        elif arc not in silent:
            cost[arc] += EPSILON
    for i, row in rows.items():
        _insertions(sorted(row), hypothesis, [g for g in gold if g[0] == g[1] == i], cost, len(arcs))
    return cost


def _insertions(
    row: list[Arc], hypothesis: Sequence[str], gold: list[Gold], cost: dict[Arc, float], size: int
) -> None:
    """Accident 3: two pointers into the arcs of one place, and a window of gold insertions."""
    low, high, left = 0, len(row) - 1, True
    first, last = 0, len(gold) - 1
    while low <= high:
        forwards = left or low == high
        arc = row[low] if left else row[high]
        text = " ".join(hypothesis[arc[0][1] : arc[1][1]])
        window = range(first, last + 1) if forwards else range(last, first - 1, -1)
        found = next((g for g in window if text in gold[g][2]), None)
        if found is None:
            cost[arc] += EPSILON
            low, high = (low + 1, high) if left else (low, high - 1)
            left = not left
            continue
        cost[arc] = -float(size)
        if forwards:
            first = found + 1
        else:
            last = found - 1
        if forwards:
            low += 1
            while low < len(row) and row[low][0] != arc[1]:
                cost[row[low]] += EPSILON
                low += 1
        else:
            high -= 1
            while high >= 0 and row[high][1] != arc[0]:
                cost[row[high]] += EPSILON
                high -= 1


def best_path(arcs: list[Arc], cost: dict[Arc, float], end: Vertex) -> list[Arc]:
    """Bellman–Ford: strict relaxations over the arc list until nothing changes."""
    distance = {(0, 0): 0.0}
    before: dict[Vertex, Vertex] = {}
    changed = True
    while changed:
        changed = False
        for u, w in arcs:
            if u in distance:
                new = distance[u] + cost[u, w]
                if new < distance.get(w, float("inf")):
                    distance[w] = new
                    before[w] = u
                    changed = True
    path = []
    while end != (0, 0):
        path.append((before[end], end))
        end = before[end]
    return path[::-1]


def edits(
    source: Sequence[str], hypothesis: Sequence[str], gold: Sequence[Gold], max_unchanged: int = 2
) -> list[tuple[int, int, str]]:
    """The system's edits for one annotator."""
    arcs, length, silent = lattice(source, hypothesis, max_unchanged)
    cost = weights(source, hypothesis, arcs, length, silent, gold)
    path = best_path(arcs, cost, (len(source), len(hypothesis)))
    return [(i, k, " ".join(hypothesis[j:e])) for (i, j), (k, e) in path if ((i, j), (k, e)) not in silent]


def counts(
    source: Sequence[str],
    hypothesis: Sequence[str],
    gold: Sequence[Gold],
    max_unchanged: int = 2,
    ignore_whitespace_casing: bool = False,
) -> tuple[int, int, int]:
    """Correct, proposed, gold for one annotator; gold edits outside the sentence are dropped first."""
    gold = [g for g in gold if 0 <= g[0] <= len(source) and 0 <= g[1] <= len(source)]
    found = edits(source, hypothesis, gold, max_unchanged)
    if ignore_whitespace_casing:
        found = [e for e in found if "".join(source[e[0] : e[1]]).lower() != e[2].replace(" ", "").lower()]
    correct = pointer = 0
    for start, end, text in found:
        begin = pointer
        for index in range(begin, len(gold)):
            g = gold[index]
            if g[0] == start and g[1] == end and text in g[2]:
                correct += 1
                pointer = index + 1
    return correct, len(found), len(gold)
