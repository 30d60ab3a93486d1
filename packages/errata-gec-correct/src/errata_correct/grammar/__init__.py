"""Grammatical errors as candidates of a noisy channel: patterns of a language's textbook errors."""
