"""`errata explain`"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import Inputs, ManyValues
from errata.cli.options import completes, seed_option

if TYPE_CHECKING:
    from errata.corpus.model import Segment
    from errata.metrics.attribution import Attribution, Method
    from errata.metrics.explanation import Explanation


@click.command(cls=ManyValues)
@click.argument("what", metavar="METRIC|CODE", shell_complete=completes("complete_metrics"))
@click.argument("files", nargs=-1, metavar="[GOLD.m2] [OUTPUT]")
@click.option("--source", "-s", help="Source sentences, one per line.")
@click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file per annotator.")
@click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
@click.option("--hyp", "-y", help="Output of a system; - is stdin.")
@click.option("--line", "-n", type=click.IntRange(min=1), default=1, show_default=True, help="Number of the line to explain.")
@click.option(
    "--attribute",
    type=click.Choice(["add", "sub", "shapley"]),
    help="Show the contribution of each edit: applied alone, left out, or its Shapley value. For any metric.",
)
@click.option(
    "--samples", type=click.IntRange(min=2), default=200, show_default=True,
    help="Random orders for Shapley values of more than 12 edits.",
)  # fmt: skip
@seed_option
@click.option(
    "--format", "-f", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Output format.",
)  # fmt: skip
def command(
    what: str, files: tuple[str, ...], source: str | None, refs: tuple[str, ...], gold: str | None,
    hyp: str | None, line: int, attribute: Method | None, samples: int, seed: int, format_: str,
) -> None:  # fmt: skip
    """Show why a sentence gets its score, or what a finding of `errata corpus check` means.

    METRIC is a metric as `errata score --metric` takes it: m2, m2:beta=1, …

    \b
    errata explain m2 gold.m2 system.txt --line 12
    errata explain gleu --source source.txt --ref a.txt b.txt --hyp system.txt
    errata explain green --attribute shapley --m2 gold.m2 --hyp system.txt --line 3
    errata explain W201
    """
    if re.fullmatch(r"[A-Z]\d+", what):
        from errata.corpus.checks import finding_catalog

        click.echo(finding_catalog.explanation(what), nl=False)
        return
    from errata.metrics import metric

    chosen = metric(what)
    named = Inputs((), source, refs, gold, () if hyp is None else (hyp,)).with_files(files)
    if len(named.hyps) != 1:
        raise click.UsageError("nothing to explain: give the gold edits and the output of one system")
    segment, hypothesis = _line(source, refs, named.gold, named.hyps[0], line)
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
) -> tuple[Segment, str]:
    """The segment and the hypothesis on this line (from 1)."""
    from errata.cli.inputs import read_corpus_of
    from errata.corpus.files import display
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError

    corpus = read_corpus_of(source, refs, gold)
    (lines,) = read_outputs([hyp], corpus).values()
    if line > len(corpus):
        raise DataError(f"there is no line {line}: it has {len(corpus)}", path=display(hyp))
    return corpus[line - 1], lines[line - 1]
