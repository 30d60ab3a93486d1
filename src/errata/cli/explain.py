"""`errata explain`"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues

if TYPE_CHECKING:
    from errata.metrics.base import Metric


@click.command(cls=ManyValues)
@click.argument("what", metavar="METRIC|CODE")
@click.option("--source", "-s", help="Source sentences, one a line.")
@click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file an annotator.")
@click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
@click.option("--hyp", "-y", help="A system's output; - is stdin.")
@click.option("--line", "-n", type=click.IntRange(min=1), default=1, show_default=True, help="Which line.")
@click.option(
    "--format", "-f", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Coloured text, or data.",
)  # fmt: skip
def command(
    what: str,
    source: str | None,
    refs: tuple[str, ...],
    gold: str | None,
    hyp: str | None,
    line: int,
    format_: str,
) -> None:
    """Show why a sentence gets its score, or what a finding of `errata corpus check` means.

    METRIC is a metric as `errata score --metric` takes it: m2, m2:beta=1, …

    \b
    errata explain m2 --m2 gold.m2 --hyp system.txt --line 12
    errata explain gleu --source source.txt --ref a.txt b.txt --hyp system.txt
    errata explain W201
    """
    if re.fullmatch(r"[A-Z]\d+", what):
        from errata.corpus.checks.codes import explanation

        click.echo(explanation(what), nl=False)
        return
    from errata.metrics import metric

    chosen = metric(what)
    if hyp is None:
        raise click.UsageError("nothing to explain: give a system's output with --hyp FILE")
    _explain(chosen, source, refs, gold, hyp, line, format_)


def _explain(
    metric: Metric,
    source: str | None,
    refs: tuple[str, ...],
    gold: str | None,
    hyp: str,
    line: int,
    format_: str,
) -> None:
    import json

    from errata.cli.inputs import read_references
    from errata.corpus.files import display
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError

    corpus = read_references(source, refs, gold, metric)
    (lines,) = read_outputs([hyp], corpus).values()
    if line > len(corpus):
        raise DataError(f"there is no line {line}: it has {len(corpus)}", path=display(hyp))
    explanation = metric.explain(corpus[line - 1], lines[line - 1])
    if format_ == "json":
        click.echo(json.dumps(explanation.to_dict(), ensure_ascii=False, indent=1))
        return
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 80, highlight=False).print(explanation)
