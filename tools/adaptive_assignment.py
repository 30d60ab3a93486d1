"""Simulate adaptive and balanced ranking campaigns: is the estimate unbiased, and how precise is it?

python tools/adaptive_assignment.py DATA [CAMPAIGNS] writes adaptive_savings.tsv in errata_studies/results.
The texts are the outputs of the twelve systems of CoNLL-2014. A simulated judge sees the SARI of a text (as a
z-score), with an opinion about each text that all judges share and with noise of one judgment.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from errata import Results, metric, read_corpus, read_outputs
from errata.array_types import Floats
from errata.human.pairs import Tally
from errata.human.rankings import bradley_terry
from errata.meta.prediction_powered import Observations, estimate
from errata.significance.confidence_sequences import multiplier
from errata.significance.correlations import kendall
from errata_server.campaign.adaptive import AdaptiveRanking
from errata_studies.results import write_rows

CAMPAIGNS = 1000
SCREENS = 400
OPINION, NOISE = 0.5, 0.7  # standard deviations


class World:
    """Segments with the texts of all systems and their true quality."""

    def __init__(self, data: Path) -> None:
        corpus = read_corpus(data / "conll14/test.m2")
        files = sorted(path for path in (data / "conll14/systems").glob("*.txt") if path.stem != "INPUT")
        outputs = read_outputs(files, corpus)
        results = Results.compute(corpus, outputs, [metric("sari")], jobs=1)
        self.systems = tuple(outputs)
        count = len(self.systems)
        scores = np.array([results.score(name).sentences for name in outputs]).T
        lines = [[" ".join(outputs[name][k].split()) for name in outputs] for k in range(len(corpus))]
        self.texts = [
            [[i for i in range(count) if line[i] == text] for text in dict.fromkeys(line)] for line in lines
        ]
        random = np.random.default_rng(0)
        self.quality = (scores - scores.mean()) / scores.std()
        for k, texts in enumerate(self.texts):
            for members in texts:
                self.quality[k, members] += OPINION * random.standard_normal()
        left, right = np.triu_indices(count, 1)
        self.cells = np.zeros((count, count), dtype=np.int64)
        self.cells[left, right] = np.arange(len(left))
        self.differ = np.array(
            [[line[a] != line[b] for a, b in zip(left, right, strict=True)] for line in lines]
        )
        self.contrast = np.zeros((len(left), count))
        self.contrast[np.arange(len(left)), left] = 0.5 / (count - 1)
        self.contrast[np.arange(len(left)), right] = -0.5 / (count - 1)
        apart = (self.quality[:, left] - self.quality[:, right]) / (NOISE * np.sqrt(2))
        outcome = np.where(self.differ, 2 * ndtr(apart) - 1, 0)
        self.truth: Floats = 0.5 + outcome.mean(axis=0) @ self.contrast

    def campaign(self, seed: int, cards: int, *, adaptive: bool) -> tuple[Observations, Tally]:
        """The observations of one campaign, and its wins and ties."""
        random = np.random.default_rng([seed, cards])
        model = AdaptiveRanking(self.systems)
        judged = [k for k in range(len(self.texts)) if len(self.texts[k]) > 1]
        rows = []
        for segment in random.permutation(judged)[:SCREENS].tolist():
            texts = self.texts[segment]
            names = [[self.systems[i] for i in text] for text in texts]
            if adaptive or len(texts) <= cards:
                chosen, chances = model.draw(names, cards, random)
            else:
                chosen = sorted(random.choice(len(texts), cards, replace=False).tolist())
                equal = cards * (cards - 1) / (len(texts) * (len(texts) - 1))
                chances = (equal,) * (cards * (cards - 1) // 2)
            seen = [self.quality[segment, texts[i][0]] + NOISE * random.standard_normal() for i in chosen]
            ranks = [sum(other > each for other in seen) for each in seen]
            if adaptive:
                model.update([names[i] for i in chosen], ranks)
            for (a, b), chance in zip(combinations(range(len(chosen)), 2), chances, strict=True):
                for i in texts[chosen[a]]:
                    for j in texts[chosen[b]]:
                        sign = 1 if i < j else -1
                        value = sign * (1 if ranks[b] > ranks[a] else -1)
                        rows.append((segment, min(i, j), max(i, j), value, chance))
        line, left, right, value, chance = (np.array(column) for column in zip(*rows, strict=True))
        shape = (*self.differ.shape, 0)
        observed = Observations(
            line, self.cells[left, right], np.zeros(len(line), dtype=np.int64), value.astype(np.float64),
            np.zeros(shape), self.differ.astype(np.float64), self.contrast, 0.5, chance=chance,
        )  # fmt: skip
        return observed, Tally.of(self.systems, left, right, value)


def measured(world: World, cards: int, campaigns: int) -> list[list[str]]:
    """Coverage, errors and orders of both kinds of assignment."""
    result = []
    base = 0.0
    for adaptive in (False, True):
        covered: dict[bool, list[Floats]] = {True: [], False: []}
        errors: dict[bool, list[Floats]] = {True: [], False: []}
        orders = []
        for seed in range(campaigns):
            observed, tally = world.campaign(seed, cards, adaptive=adaptive)
            for weighted in (True, False):
                scores = estimate(observed if weighted else replace(observed, chance=None))
                away = scores.scores - world.truth
                covered[weighted].append(np.abs(away) <= multiplier(scores.clusters) * scores.errors)
                errors[weighted].append(away)
            orders.append(float(kendall(bradley_terry(tally).strengths, world.truth)))
        root = float(np.sqrt(np.mean(np.square(errors[True]))))
        base = base or root
        result.append([
            str(cards), "adaptive" if adaptive else "balanced",
            f"{100 * np.mean(covered[True]):.1f}", f"{100 * np.mean(covered[False]):.1f}",
            f"{np.abs(np.mean(errors[True], axis=0)).max():.4f}",
            f"{np.abs(np.mean(errors[False], axis=0)).max():.4f}",
            f"{root:.4f}", f"{100 * (root / base - 1):+.1f} %", f"{np.mean(orders):.3f}",
        ])  # fmt: skip
        print(*result[-1], sep="\t", flush=True)
    return result


def main() -> None:
    world = World(Path(sys.argv[1]))
    campaigns = int(sys.argv[2]) if len(sys.argv) > 2 else CAMPAIGNS
    rows = [row for cards in (2, 5) for row in measured(world, cards, campaigns)]
    fields = ("texts on a screen", "assignment", "coverage, weighted", "coverage, unweighted",
              "bias, weighted", "bias, unweighted", "error of win rates", "against balanced",
              "τ of Bradley–Terry")  # fmt: skip
    write_rows("adaptive_savings.tsv", fields, rows)


if __name__ == "__main__":
    main()
