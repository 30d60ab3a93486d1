"""`errata compat errant_compare`: the official arguments and output."""

from __future__ import annotations

import click

from errata.cli.inputs import ManyValues
from errata.cli.options import Number


@click.command(cls=ManyValues)
@click.option("-hyp", required=True, help="A hypothesis M2 file.")
@click.option("-ref", required=True, help="A reference M2 file.")
@click.option("-b", "--beta", type=Number(), default=0.5, help="Value of beta in F-score. (default: 0.5)")
@click.option("-v", "--verbose", is_flag=True, help="Print verbose output.")
@click.option("-dt", is_flag=True, help="Evaluate Detection in terms of Tokens.")
@click.option("-ds", is_flag=True, help="Evaluate Detection in terms of Spans.")
@click.option("-cs", is_flag=True, help="Evaluate Correction in terms of Spans. (default)")
@click.option("-cse", is_flag=True, help="Evaluate Correction in terms of Spans and Error types.")
@click.option("-single", is_flag=True, help="Only evaluate single token edits; i.e. 0:1, 1:0 or 1:1")
@click.option("-multi", is_flag=True, help="Only evaluate multi token edits; i.e. 2+:n or n:2+")
@click.option("-filt", multiple=True, help="Do not evaluate the specified error types.")
@click.option("-cat", type=click.IntRange(1, 3), help="Show error category scores: 1 R, 2 NOUN, 3 R:NOUN.")
def command(
    hyp: str, ref: str, beta: float, verbose: bool, dt: bool, ds: bool, cs: bool, cse: bool,
    single: bool, multi: bool, filt: tuple[str, ...], cat: int | None,
) -> None:  # fmt: skip
    """Calculate F-scores for error detection and/or correction."""
    if dt + ds + cs + cse > 1:
        raise click.UsageError("give only one of -dt, -ds, -cs and -cse")
    if single and multi:
        raise click.UsageError("no edit is both -single and -multi")
    from errata.metrics.edit_matching import Matching
    from errata.metrics.errant_comparison import Comparison

    mode, title = (
        ("token", "Token-Based Detection")
        if dt
        else ("span", "Span-Based Detection")
        if ds
        else ("correction", "Span-Based Correction + Classification" if cse else "Span-Based Correction")
    )
    length = "single" if single else "multi" if multi else ""
    comparison = Comparison(Matching(mode, cse, length, frozenset(filt)), beta)
    for line in comparison.run(hyp, ref, title, cat, verbose):
        click.echo(line)
