"""Metrics as rewards for trainers of TRL, such as `GRPOTrainer`: `reward("gleu")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from errata.errors import DataError
from errata.integrations import score_columns
from errata.metrics.api import as_metric
from errata.metrics.base import Metric

Completion = str | Sequence[Mapping[str, Any]]


def reward(
    metric: str | Metric, *, source: str = "source", references: str | Sequence[str] = "references"
) -> Callable[..., list[float]]:
    """A reward function: the sentence score of every completion.

    `source` and `references` are columns of the training data, as in `score_columns`. Of a chat, the last
    message counts. A metric of which less is better is negated.
    """
    chosen = as_metric(metric)
    columns = score_columns({"reward": chosen}, source=source, references=references)
    sign = 1 if chosen.higher_is_better else -1

    def rewards(prompts: Sequence[Any], completions: Sequence[Completion], **batch: Any) -> list[float]:
        scores = columns({**batch, "hypothesis": [_text(completion) for completion in completions]})
        return [sign * score for score in scores["reward"]]

    rewards.__name__ = chosen.name  # the name in TRL's logs
    return rewards


def _text(completion: Completion) -> str:
    """The text of a completion, in one line."""
    text = completion if isinstance(completion, str) else completion[-1].get("content")
    if not isinstance(text, str):
        raise DataError(f"not the text of a completion: {str(completion)[:80]!r}")
    return " ".join(text.split())
