"""Scores as columns for batched maps over tables, and metrics for Hugging Face `evaluate`."""

from errata.integrations.columns import ScoreColumns, corpus_score, score_columns

__all__ = ["ScoreColumns", "corpus_score", "score_columns"]
