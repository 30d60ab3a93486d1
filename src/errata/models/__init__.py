"""Adapters for language models, encoders, regressors and chat models that the user brings."""

from errata.models.loading import (
    causal_model,
    chat_model,
    masked_model,
    regressor,
    sentence_encoder,
    token_encoder,
)
from errata.models.protocols import (
    Answer,
    Chat,
    LanguageModel,
    Likelihood,
    Regressor,
    SentenceEncoder,
    TokenEncoder,
    TokenVectors,
)

__all__ = [
    "Answer", "Chat", "LanguageModel", "Likelihood", "Regressor", "SentenceEncoder", "TokenEncoder",
    "TokenVectors", "causal_model", "chat_model", "masked_model", "regressor", "sentence_encoder",
    "token_encoder",
]  # fmt: skip
