"""Adapters for language models, encoders, regressors and chat models that the user brings."""
