"""`errata explore`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.judgments import human_option, read_rankings
from errata.cli.options import command_line, seed_option, today

if TYPE_CHECKING:
    from errata.metrics.results import Results


@click.command(cls=ManyValues)
@scoring_inputs
@human_option
@click.option("--title", help="Title of the page.")
@seed_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default="a free one", help="On 127.0.0.1."
)
@click.option("--open/--no-open", "open_", default=True, show_default=True, help="Open a browser.")
def command(
    results: Results, human: tuple[str, ...], title: str | None, seed: int, port: int, open_: bool
) -> None:
    """Look at the sentences of a large set in the browser, served on this machine alone.

    The explorer of `errata report` without the plots: sentences are sent when they are looked at, and
    every metric explains its score. Ctrl-C ends it.

    \b
    errata explore --m2 gold.m2 --hyp A.txt B.txt --metric m2,gleu
    """  # fmt: skip
    from errata.errors import DataError
    from errata.meta.evaluation import Evaluation
    from errata.report.report_data import Heading
    from errata.report.server import Explorer, serve
    from errata.significance.compare import Plan

    if results.corpus is None:
        raise click.UsageError("saved statistics have no sentences: give the texts")
    jobs = click.get_current_context().params["jobs"]
    evaluation = Evaluation(results, read_rankings(human), Plan("bootstrap", seed=seed), jobs)
    explorer = Explorer(evaluation, Heading(title or "Sentences", command_line(), today()))
    try:
        server = serve(explorer, port)
    except OSError as error:
        raise DataError(
            f"cannot listen on port {port}: {error.strerror}", hint="take another with --port"
        ) from None
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    click.echo(f"{address}  (Ctrl-C ends it)")
    if open_:
        import webbrowser

        webbrowser.open(address)
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()
