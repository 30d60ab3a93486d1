"""Scores of simulated judges, each of whom is milder than the one before."""

from __future__ import annotations

import numpy as np

from errata.human.scalars import Scalars


def scores(judges: int = 3, segments: int = 60, noise: float = 0.5) -> Scalars:
    generator = np.random.default_rng(5)
    rows = []
    for segment in range(segments):
        true = np.arange(4) * 2 + generator.normal(0, 0.5, 4)
        for judge in range(judges):
            for system in range(4):
                value = float(np.clip(true[system] + judge + generator.normal(0, noise), 0, 10))
                rows.append((f"j{judge}", "d", str(segment), "ABCD"[system], value))
    return Scalars.from_rows(rows)
