"""`errata metrics`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command
from errata.cli.options import checked, completes, emit, format_option

if TYPE_CHECKING:
    from errata.metrics import Metric


@click.command(cls=Command)
@click.argument(
    "metric", metavar="[NAME]", required=False, callback=checked("errata.metrics:metric_class"),
    shell_complete=completes("complete_metrics"),
)  # fmt: skip
@format_option
def command(metric: type[Metric] | None, format_: str, output: str) -> None:
    """List all metrics, or the parameters of one metric with their defaults.

    \b
    errata metrics
    errata metrics gleu
    """
    from errata.metrics.catalogue import metrics_table, parameters_table

    emit(metrics_table() if metric is None else parameters_table(metric), format_, output)
