"""Which metrics work at once: all but those with a model that the user brings."""

from __future__ import annotations

from pkgutil import iter_modules

import errata.metrics
from errata.errors import ErrataError
from errata.metrics import METRICS, metric
from errata.metrics.model_metric import ModelMetric
from errata.models.ngram_model import shipped


def _is_ready(name: str) -> bool:
    try:
        made = metric(name)
    except ErrataError:  # a module without a metric of its name
        return False
    return not isinstance(made, ModelMetric) or all(shipped(str(made.parameters[m])) for m in made.models)


MODULES = [module.name for module in iter_modules(errata.metrics.__path__) if not module.ispkg]
READY = [name for name in dict.fromkeys([*METRICS, *MODULES]) if _is_ready(name)]
