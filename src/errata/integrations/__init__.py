"""Other people's tables: scores as columns for batched maps, and an `evaluate` metric."""

from errata.integrations.columns import ScoreColumns, corpus_score, score_columns

__all__ = ["ScoreColumns", "corpus_score", "score_columns"]
