"""errata's metrics as a folder for `evaluate`: evaluate.load("recipes/tracking/errata_gec", "gleu:n=3")"""

from __future__ import annotations

from typing import Any

import errata.integrations.evaluate as integration
from errata.metrics import metric


class ErrataGEC(integration.EvaluateMetric):
    """The configuration names the metric, as `errata score --metric` takes it."""

    def __init__(self, config_name: str | None = None, **options: Any) -> None:
        super().__init__(metric(config_name if config_name not in (None, "default") else "m2"), **options)
