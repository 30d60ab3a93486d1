"""`errata metrics`"""

from __future__ import annotations

import click

from errata.cli.commands import Command
from errata.cli.options import completes, emit, format_option
from errata.errors import ErrataError


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=completes("complete_metrics"))
@format_option
def command(name: str | None, format_: str, output: str) -> None:
    """List all metrics, or the parameters of one metric with their defaults.

    \b
    errata metrics
    errata metrics gleu
    errata metrics mine.py:Jaccard
    """
    from errata.metrics import metric_class
    from errata.metrics.catalogue import metrics_table, parameters_table

    if name is None:
        emit(metrics_table(), format_, output)
        return
    try:
        metric = metric_class(name)
    except ErrataError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from None
    emit(parameters_table(metric, name), format_, output)
