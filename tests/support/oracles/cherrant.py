"""ChERRANT's edits of characters as its specification tells them: every path by recursion, no shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

Step = tuple[str, int, int, int, int]  # operation (T, S, I, D, M), spans of source and target
Cost = Callable[[str, str], float]


def distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    return row[-1]


def alignments(source: str, target: str, cost: Cost) -> Iterator[list[Step]]:
    table = {(0, 0): (0.0, [])}
    for i in range(len(source) + 1):
        for j in range(len(target) + 1):
            if not i or not j:
                table[i, j] = (float(i + j), [("D", 1, 0)] if i else [("I", 0, 1)] if j else [])
            elif source[i - 1] == target[j - 1]:
                table[i, j] = (table[i - 1, j - 1][0], [("M", 1, 1)])
            else:
                choices = [
                    (table[i - 1, j - 1][0] + cost(source[i - 1], target[j - 1]), ("S", 1, 1)),
                    (table[i, j - 1][0] + 1, ("I", 0, 1)),
                    (table[i - 1, j][0] + 1, ("D", 1, 0)),
                ]
                k = 1
                while k < i and k < j and table[i - k, j - k][0] != table[i - k - 1, j - k - 1][0]:
                    if sorted(source[i - k - 1 : i]) == sorted(target[j - k - 1 : j]):
                        choices.insert(0, (table[i - k - 1, j - k - 1][0] + k, ("T", k + 1, k + 1)))
                        break
                    k += 1
                least = min(value for value, _ in choices)
                table[i, j] = (least, [move for value, move in choices if value == least])
    few = abs(len(source) - len(target)) > 10

    def back(i: int, j: int, steps: list[Step]) -> Iterator[list[Step]]:
        if not i and not j:
            yield steps
        for name, up, left in table[i, j][1][: 1 if few else None]:
            yield from back(i - up, j - left, [(name, i - up, i, j - left, j), *steps])

    return back(len(source), len(target), [])


def merged(steps: list[Step], source: str, target: str, punctuation: frozenset[str]) -> list[Step]:
    def joined(run: list[Step], name: str) -> Step:
        return name, run[0][1], run[-1][2], run[0][3], run[-1][4]

    runs: list[Step] = []
    for name, group in groupby(steps, key=lambda step: step[0] if step[0] in ("M", "T") else None):
        run = list(group)
        names = {step[0] for step in run}
        if name == "T" or names == {"D", "I"}:
            runs += run
        else:
            runs.append(joined(run, run[0][0] if len(names) == 1 else "S"))
    moved: list[Step] = []
    while runs:
        pattern = "".join(step[0] for step in runs[:3])
        old = [source[step[1] : step[2]] for step in runs[:3]]
        new = [target[step[3] : step[4]] for step in runs[:3]]
        is_move = False
        if pattern == "SMS":
            crosswise = [(old[0], new[2]), (new[0], old[2])]
            single = any(len(text) == 1 for pair in crosswise for text in pair)
            is_move = all(a == b if single else distance(a, b) <= 1 for a, b in crosswise)
        elif pattern in ("DMI", "DTI", "IMD", "ITD"):
            a, b = (old[0], new[2]) if pattern[0] == "D" else (new[0], old[2])
            if a not in punctuation and b not in punctuation and abs(len(a) - len(b)) <= 1:
                if min(len(a), len(b)) == 1:
                    is_move = a == b
                else:
                    long, short = (a, b) if len(a) >= len(b) else (b, a)
                    is_move = distance(a, b) <= 1 or short in long + long
        if is_move:
            moved.append(joined(runs[:3], "T"))
            del runs[:3]
        else:
            moved.append(runs.pop(0))
    edits = []
    for name, a, b, c, d in moved:
        if name == "M" or source[a:b] == target[c:d]:
            continue
        while name == "S" and a < b and c < d and source[a] == target[c]:
            a, c = a + 1, c + 1
        while name == "S" and a < b and c < d and source[b - 1] == target[d - 1]:
            b, d = b - 1, d - 1
        if name == "S":
            name = "I" if a == b else "D" if c == d else "S"
        edits.append((name, a, b, c, d))
    return edits


def sequences(
    source: str, target: str, cost: Cost, punctuation: frozenset[str]
) -> list[list[tuple[int, int, str, str]]]:
    """The different sequences of edits: spans, corrections and types."""
    if source == target:
        return [[]]
    found: list[list[Step]] = []
    for steps in alignments(source, target, cost):
        edits = merged(steps, source, target, punctuation)
        if edits not in found:
            found.append(edits)
    types = {"T": "W", "D": "R", "I": "M", "S": "S"}
    return [[(a, b, " ".join(target[c:d]), types[name]) for name, a, b, c, d in edits] for edits in found]
