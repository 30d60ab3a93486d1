"""How a misspelt word came about: the character errors that turn the clean word into it."""

from __future__ import annotations


def character_edits(noisy: str, clean: str) -> list[tuple[str, str]]:
    """(clean character, operation) of a cheapest alignment: `replace b`, `delete`, `insert b`, `swap`.

    `insert b` puts b behind the clean character; one put before the whole word counts for its first.
    """
    rows, columns = len(clean) + 1, len(noisy) + 1
    cost = [[i + j if not (i and j) else 0 for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            best = cost[i - 1][j - 1] + (clean[i - 1] != noisy[j - 1])
            best = min(best, cost[i - 1][j] + 1, cost[i][j - 1] + 1)
            if i > 1 and j > 1 and clean[i - 1] == noisy[j - 2] and clean[i - 2] == noisy[j - 1]:
                best = min(best, cost[i - 2][j - 2] + 1)
            cost[i][j] = best
    i, j = rows - 1, columns - 1
    edits: list[tuple[str, str]] = []
    while i or j:
        swapped = i > 1 and j > 1 and clean[i - 1] == noisy[j - 2] and clean[i - 2] == noisy[j - 1]
        if i and j and clean[i - 1] == noisy[j - 1] and cost[i][j] == cost[i - 1][j - 1]:
            i, j = i - 1, j - 1
        elif swapped and cost[i][j] == cost[i - 2][j - 2] + 1:
            edits.append((clean[i - 2], "swap"))
            i, j = i - 2, j - 2
        elif i and j and cost[i][j] == cost[i - 1][j - 1] + 1:
            edits.append((clean[i - 1], f"replace {noisy[j - 1]}"))
            i, j = i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            edits.append((clean[i - 1], "delete"))
            i -= 1
        else:
            if clean:
                edits.append((clean[max(i - 1, 0)], f"insert {noisy[j - 1]}"))
            j -= 1
    return edits[::-1]
