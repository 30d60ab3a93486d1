"""Scores of corrections at every evaluation of a Hugging Face `Trainer`, and the best checkpoint by them.

    callback = ErrataCallback(sources, references, correct, metrics=("m2", "gleu"))
    arguments = TrainingArguments(..., eval_strategy="epoch", save_strategy="epoch",
                                  load_best_model_at_end=True, metric_for_best_model="eval_m2")
    Trainer(model, arguments, ..., callbacks=[callback]).train()

`correct(model, sources)` generates the corrections, tokenised as the references are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

import errata


class ErrataCallback(TrainerCallback):
    """Corrects the sources after every evaluation and adds `eval_m2` and the like to its metrics."""

    def __init__(
        self,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        correct: Callable[[Any, Sequence[str]], Sequence[str]],
        metrics: Sequence[str] = ("m2",),
    ) -> None:
        self.sources, self.references, self.correct = sources, references, correct
        self.metrics = {name: errata.metric(name) for name in metrics}

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float],
        model: Any = None,
        **kwargs: Any,
    ) -> None:
        """Score what the model makes of the sources now."""
        hypotheses = list(self.correct(model, self.sources))
        scores = {
            f"eval_{name}": metric.score(self.sources, hypotheses, self.references).value
            for name, metric in self.metrics.items()
        }
        metrics.update(scores)  # what `metric_for_best_model` is looked up in
        state.log_history.append({**scores, "epoch": state.epoch, "step": state.global_step})
