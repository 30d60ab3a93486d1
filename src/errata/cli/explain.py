"""`errata explain`"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, option, section
from errata.cli.inputs import Inputs, read_corpus_of, text_options
from errata.cli.options import completes, seed_option
from errata.errors import ErrataError

if TYPE_CHECKING:
    from errata.corpus.segment import Segment
    from errata.metrics.attribution import Attribution, Method
    from errata.metrics.explanation import Explanation


@click.command(cls=ManyValues)
@click.argument("what", metavar="METRIC|CODE", shell_complete=completes("complete_metrics"))
@click.argument("files", nargs=-1, metavar="[GOLD.m2] [OUTPUT]")
@text_options("Output of a system; - is standard input.")
@section(
    "Input",
    option("--line", "-n", type=click.IntRange(min=1), default=1, help="Number of the line to explain."),
)  # fmt: skip
@section(
    "Metrics",
    option(
        "--attribute", type=click.Choice(["add", "sub", "shapley"]),
        help="Show the contribution of each edit, for any metric: add (the edit alone), sub (all but the "
        "edit) or shapley.",
    ),
    option(
        "--samples", type=click.IntRange(min=2), default=200, rare=True,
        help="Random orders for Shapley values of more than 12 edits.",
    ),
)  # fmt: skip
@seed_option
@section(
    "Output",
    option(
        "--format", "-f", "format_", type=click.Choice(["text", "json"]), default="text", metavar="FORMAT",
        help="Output format:",
    ),
)  # fmt: skip
def command(
    what: str, files: tuple[str, ...], source: str | None, refs: tuple[str, ...], gold: str | None,
    hyps: tuple[str, ...], line: int, attribute: Method | None, samples: int, seed: int, format_: str,
) -> None:  # fmt: skip
    """Show how a metric scores a sentence, or what a code of `errata corpus check` means.

    METRIC is a metric as `errata score --metric` takes it: m2, m2:beta=1, …

    \b
    errata explain m2 gold.m2 system.txt --line 12
    errata explain gleu --source source.txt --ref a.txt b.txt --hyp A.txt
    errata explain green gold.m2 system.txt --line 3 --attribute shapley
    errata explain W201
    """
    if re.fullmatch(r"[A-Z]\d+", what):
        from errata.corpus.checks import finding_catalog

        click.echo(finding_catalog.explanation(what), nl=False)
        return
    from errata.metrics import metric

    try:
        chosen = metric(what)
    except ErrataError as error:
        raise click.BadParameter(str(error), param_hint="METRIC") from None
    inputs = Inputs([chosen], files, source, refs, gold, hyps=hyps).with_roles()
    if len(inputs.hyps) != 1:
        raise click.UsageError("nothing to explain: give the gold edits and the output of one system")
    segment, hypothesis = _line(source, refs, inputs.gold, inputs.hyps[0], line)
    result: Explanation | Attribution
    if attribute is None:
        result = chosen.explain(segment, hypothesis)
        explanation = result
    else:
        from errata.metrics.attribution import attribute as compute_attribution

        result = compute_attribution(chosen, segment, hypothesis, attribute, samples=samples, seed=seed)
        explanation = result.explanation()
    if format_ == "json":
        click.echo(json.dumps(asdict(result), ensure_ascii=False, indent=1))
        return
    from rich.console import Console

    from errata.report.explanations import print_explanation

    width = None if sys.stdout.isatty() else 80
    print_explanation(explanation, Console(width=width, highlight=False))


def _line(
    source: str | None, refs: tuple[str, ...], gold: str | None, hyp: str, line: int
) -> tuple[Segment, str]:  # fmt: skip
    """The segment and the hypothesis on this line (from 1)."""
    from errata.corpus.files import display
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError

    corpus = read_corpus_of(source, refs, gold)
    (lines,) = read_outputs([hyp], corpus).values()
    if line > len(corpus):
        raise DataError(f"there is no line {line}: it has {len(corpus)}", path=display(hyp))
    return corpus[line - 1], lines[line - 1]
