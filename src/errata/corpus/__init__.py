"""Corpora: their data model, readers and writers, checks and statistics."""
