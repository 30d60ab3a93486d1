"""Edits: annotate → align → merge → classify, a module a language, on any tagger."""
