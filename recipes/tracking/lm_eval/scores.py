"""Corpus scores for lm-evaluation-harness: sentences are collected, and scored as a whole at the end."""

from __future__ import annotations

from typing import Any

import errata

Item = tuple[str, str, list[str]]  # source, hypothesis, references


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Item]:
    """What every metric needs of a sentence."""
    item = (doc["source"], results[0].strip(), doc["references"])
    return {"m2": item, "gleu": item}


def m2(items: list[Item]) -> float:
    """M² F0.5 of all sentences."""
    return _score("m2", items)


def gleu(items: list[Item]) -> float:
    """GLEU of all sentences."""
    return _score("gleu", items)


def _score(name: str, items: list[Item]) -> float:
    sources, hypotheses, references = (list(column) for column in zip(*items, strict=True))
    return errata.metric(name).score(sources, hypotheses, references).value
