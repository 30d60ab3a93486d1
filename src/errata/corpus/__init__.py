"""Corpora: what they are made of, and how they are read, written, checked and counted."""
