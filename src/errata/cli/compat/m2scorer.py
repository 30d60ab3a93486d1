"""`errata compat m2scorer`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, option

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.metrics.m2 import M2
    from errata.metrics.score import Score


class Abbreviable(Command):
    """A command whose long options may be abbreviated as long as one of them alone begins so."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names = [
            name for parameter in self.get_params(ctx) for name in parameter.opts if name.startswith("--")
        ]
        whole: list[str] = []
        for i, argument in enumerate(args):
            if argument == "--":
                whole += args[i:]
                break
            name, equals, value = argument.partition("=")
            if len(name) > 2 and name.startswith("--") and name not in names:
                fitting = [other for other in names if other.startswith(name)]
                if len(fitting) > 1:
                    ctx.fail(f"Option {name} is not unique: {', '.join(fitting)}.")
                argument = (fitting[0] if fitting else name) + equals + value
            whole.append(argument)
        return super().parse_args(ctx, whole)


@click.command(cls=Abbreviable, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("system")
@click.argument("gold")
@option("-v", "--verbose", is_flag=True, help="Show every sentence: its edits, counts and choices.")
@option("--very_verbose", is_flag=True, help="The same as --verbose.")
@option("--beta", type=float, default=0.5, help="Weight of recall in F.")
@option(
    "--max_unchanged_words", type=click.IntRange(min=0), default=2, help="Unchanged words an edit may hold.",
)  # fmt: skip
@option("--ignore_whitespace_casing", is_flag=True, help="Leave out edits of nothing but blanks and case.")
def m2scorer(
    system: str, gold: str, verbose: bool, very_verbose: bool, beta: float, max_unchanged_words: int,
    ignore_whitespace_casing: bool,
) -> None:  # fmt: skip
    """Score SYSTEM (one sentence a line) against GOLD (M2), as the official m2scorer does.

    Prints precision, recall and F with four decimals, as it does. What --verbose prints before them is
    our own: the sentence, every annotator's edits and matches, and which annotator counts. Long options may
    be abbreviated (--max 1), as there.
    """
    from errata.corpus.m2 import read_m2
    from errata.corpus.parallel import read_aligned
    from errata.metrics.m2 import M2

    metric = M2(beta, max_unchanged_words, ignore_whitespace_casing)
    corpus = read_m2(gold)
    score = metric.score(corpus, read_aligned(system, corpus.sources, gold))
    for cut in score.cuts:
        click.echo(f"note: {cut}", err=True)
    if verbose or very_verbose:
        _sentences(metric, corpus, score)
    click.echo(f"Precision   : {score.parts['precision']:.4f}")
    click.echo(f"Recall      : {score.parts['recall']:.4f}")
    click.echo(f"F_{beta:.1f}       : {score.parts['f']:.4f}")


def _sentences(metric: M2, corpus: Corpus, score: Score) -> None:
    from errata.report.explanations import explanation_text

    assert score.hypotheses is not None
    statistics = score.statistics
    chosen = statistics.references[metric.chosen(statistics)].tolist()
    for number, (segment, hypothesis) in enumerate(zip(corpus, score.hypotheses, strict=True), 1):
        click.echo(f"sentence {number}: annotator {chosen[number - 1]} counts")
        text = explanation_text(metric.explain(segment, hypothesis), width=10_000)
        click.echo(text.replace("  (chosen)", ""))
