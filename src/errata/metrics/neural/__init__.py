"""Metrics that need a model: language models, encoders and regressors that the user brings."""
