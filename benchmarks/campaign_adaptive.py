"""How many judgments adaptive assignment saves: simulated judges, systems of known quality.

    python benchmarks/campaign_adaptive.py [--runs 60] [--plot docs/images/campaign-adaptive.svg]

A screen shows some of the systems; the judge ranks them by quality plus noise, near ones tie. Every few
screens the systems are ordered by Bradley-Terry over all pairs seen so far (for both policies alike). A run
ends when the order has been exactly right five times in a row. `random` deals the systems of a screen by
chance, `adaptive` is `errata_server.campaign.adaptive.AdaptiveRanking`, as the server uses it.
"""

from __future__ import annotations

import argparse

import numpy as np

from errata_server.campaign.adaptive import AdaptiveRanking

SETTINGS = ((2, 8, 2000), (5, 12, 800))  # cards on a screen, systems, most screens
STAYS = 5  # times in a row


def qualities(systems: int) -> np.ndarray:
    """Unevenly spaced, as in shared tasks: a few far ahead or behind, a crowd in between."""
    from scipy.special import ndtri

    return ndtri((np.arange(systems) + 0.5) / systems)


def strengths(wins: np.ndarray) -> np.ndarray:
    """Bradley-Terry by minorisation-maximisation, half a tie to each side and a light prior."""
    games = wins + wins.T + 0.2
    scores = wins.sum(axis=1) + 0.1 * (len(wins) - 1)
    strength = np.ones(len(wins))
    np.fill_diagonal(games, 0)
    for _ in range(60):
        strength = scores / (games / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength /= strength.mean()
    return strength


def simulate(adaptive: bool, systems: int, cards: int, noise: float, seed: int, limit: int) -> float:
    """Screens until the order is right and stays so; infinite if the limit comes first."""
    random = np.random.default_rng(seed)
    true = qualities(systems)[random.permutation(systems)]
    right = np.argsort(true)
    model = AdaptiveRanking([str(i) for i in range(systems)])
    wins = np.zeros((systems, systems))
    in_a_row = 0
    step = max(1, limit // 200)
    for screen in range(1, limit + 1):
        if adaptive:
            chosen = [int(name) for name in model.preference(random)[:cards]]
        else:
            chosen = random.permutation(systems)[:cards].tolist()
        seen = true[chosen] + random.normal(0, noise, cards)
        # Texts the judge cannot tell apart tie: the performance is cut into steps.
        levels = (-np.round(seen / (0.5 * noise))).astype(int).tolist()
        ranks = [1 + sum(other < level for other in levels) for level in levels]
        for a in range(cards):
            for b in range(a):
                i, j = chosen[a], chosen[b]
                wins[i, j] += 0.5 * (ranks[a] == ranks[b]) + (ranks[a] < ranks[b])
                wins[j, i] += 0.5 * (ranks[a] == ranks[b]) + (ranks[b] < ranks[a])
        if adaptive:
            model.update([[str(i)] for i in chosen], ranks)
        if screen % step == 0:
            in_a_row = in_a_row + 1 if (np.argsort(strengths(wins)) == right).all() else 0
            if in_a_row == STAYS:
                return screen - (STAYS - 1) * step
    return float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    found = {}
    print("screens until the ranking is right: mean (95 % interval), median")
    for cards, systems, limit in SETTINGS:
        means = []
        for adaptive in (False, True):
            runs = np.array(
                [simulate(adaptive, systems, cards, arguments.noise, s, limit) for s in range(arguments.runs)]
            )
            found[cards, adaptive] = runs
            counted = np.minimum(runs, limit)
            half = 1.96 * counted.std(ddof=1) / np.sqrt(len(runs))
            means.append(counted.mean())
            print(
                f"{systems} systems, {cards} a screen  {'adaptive' if adaptive else 'random':8}  "
                f"{counted.mean():6.0f} (± {half:.0f})  {np.median(counted):6.0f}   "
                f"not within {limit}: {int(np.isinf(runs).sum())}",
                flush=True,
            )
        print(f"{systems} systems, {cards} a screen  saved: {1 - means[1] / means[0]:.0%}")
    if arguments.plot:
        plot(found, arguments.plot)


def plot(found: dict[tuple[int, bool], np.ndarray], target: str) -> None:
    """The share of runs whose ranking is right, by the number of screens."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "errata"
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, (cards, systems, limit) in zip(axes, SETTINGS, strict=True):
        for adaptive, colour, style in ((False, "#b85c00", "--"), (True, "#1d57b0", "-")):
            runs = np.sort(found[cards, adaptive])
            share = np.arange(1, len(runs) + 1) / len(runs)
            axis.step(
                runs, share, style, where="post", color=colour, label="adaptive" if adaptive else "random"
            )
        axis.set_title("pairs" if cards == 2 else f"rankings of {cards}")
        axis.set_xlabel(f"screens judged, {systems} systems")
        axis.grid(alpha=0.3)
        axis.set_xlim(0, limit)
    axes[0].set_ylabel("share of runs with the right ranking")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
