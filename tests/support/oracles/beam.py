"""The noisy channel's search by its definition: every history is tried with every choice, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.models.ngram_model import BEGIN, BITS, END, STEP, Grams
from errata_correct.noisy_channel import NoisyChannel

WIDTH = 12


class State(NamedTuple):
    """The last two words, the cost, and the choices that led here."""

    before: int
    word: int
    cost: int
    path: tuple[int, ...]


def word_costs(model: NoisyChannel) -> Callable[[int, int, int], int]:
    """A function that gives the weighted cost of a word after two others (-1: nothing)."""
    weights = model.weights
    parts: list[tuple[Grams, int, Callable[[int], int]]] = [
        (model.forms, round(weights.language * 256), lambda word: word)
    ]
    if model.morphology:
        classes = model.morphology.classes.tolist()
        parts.append((model.morphology.lemmas, round(weights.lemma * 256), lambda word: classes[word][0]))
        parts.append((model.morphology.tags, round(weights.tag * 256), lambda word: classes[word][1]))

    def cost(u: int, v: int, w: int) -> int:
        total = 0
        for grams, weight, of in parts:
            total += weight * STEP * steps(grams, of(u) if u >= 0 else -1, of(v), of(w))
        return total >> 8

    return cost


def steps(grams: Grams, u: int, v: int, w: int) -> int:
    """The cost of the word w after u and v, in steps; u < 0 if nothing comes before v."""
    found = 0
    if u >= 0 and (context := _find(grams.keys[0], (u << BITS) | v)) >= 0:
        if (whole := _find(grams.keys[1], (((u << BITS) | v) << BITS) | w)) >= 0:
            return int(grams.costs[2][whole])
        found = int(grams.backoffs[1][context])
    if (pair := _find(grams.keys[0], (v << BITS) | w)) >= 0:
        return found + int(grams.costs[1][pair])
    return found + int(grams.backoffs[0][v]) + int(grams.costs[0][w])


def _find(keys: npt.NDArray[np.int64], key: int) -> int:
    place = int(keys.searchsorted(key))
    return place if place < len(keys) and keys[place] == key else -1


def best_choices(model: NoisyChannel, rows: Sequence[Sequence[tuple[int, int, int]]]) -> tuple[int, ...]:
    """The number of the best choice of every token; `rows` has the choices of each."""
    cost = word_costs(model)
    beam = [State(-1, BEGIN, 0, ())]
    for choices in rows:
        following: list[State] = []
        for state in beam:
            for number, (one, two, price) in enumerate(choices):
                u, v, total = state.before, state.word, state.cost + price
                for word in (one, two):
                    if word >= 0:
                        total += cost(u, v, word)
                        u, v = v, word
                _put(following, State(u, v, total, (*state.path, number)))
        beam = following
    ended = [state.cost + cost(state.before, state.word, END) for state in beam]
    return beam[ended.index(min(ended))].path


def _put(beam: list[State], new: State) -> None:
    """Put a state into a sorted beam; equal histories are one state."""
    if len(beam) == WIDTH and new.cost >= beam[-1].cost:
        return
    for at, old in enumerate(beam):
        if old[:2] == new[:2]:
            if old.cost <= new.cost:
                return
            del beam[at]
            break
    else:
        del beam[WIDTH - 1 :]
    place = len(beam)
    while place and beam[place - 1].cost > new.cost:
        place -= 1
    beam.insert(place, new)
