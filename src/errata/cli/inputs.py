"""What verbs that score take: texts to score now, or statistics saved before."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from errata.cli.options import jobs_option, progress, quiet_option
from errata.cli.streaming import hint_at_streams, take_options

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.metrics.base import Metric
    from errata.metrics.results import Results
    from errata.metrics.streaming import StreamedScores


class ManyValues(click.Command):
    """A command whose repeatable options take several values at once: `--hyp A B C`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        repeatable = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and parameter.multiple
            for name in parameter.opts
        }
        expanded: list[str] = []
        current: str | None = None  # the repeatable option whose further values may follow
        fresh = False
        for i, argument in enumerate(args):
            if argument == "--":
                expanded += args[i:]
                break
            if argument in repeatable:
                current, fresh = argument, True
            elif argument.startswith("-") and argument != "-":
                current = None
            elif current is not None and not fresh:
                expanded.append(current)
            else:
                fresh = False
            expanded.append(argument)
        return super().parse_args(ctx, expanded)


def scoring_inputs(function: Callable[..., Any], instead: str | None = None) -> Callable[..., Any]:
    """Options for source, references, hypotheses and metrics (or `--stats`); passes on `results`.

    `instead` is an option of the verb that makes texts unnecessary: `results` is None where it is given.
    """

    @click.option("--source", "-s", "source", help="Source sentences, one a line.")
    @click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file an annotator.")
    @click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
    @click.option(
        "--hyp", "-y", "hyps", multiple=True, help="Systems' outputs, one file a system; - is stdin."
    )
    @click.option("--name", "names", multiple=True, help="Names of the systems, instead of their files'.")
    @click.option("--meta", help="TSV with a row a segment: document, paragraph, domain, …")
    @click.option(
        "--metric",
        "-m",
        "metric_names",
        multiple=True,
        default=("m2,gleu",),
        show_default=True,
        help="Metrics, comma-separated, with parameters behind a colon: m2:beta=1,gleu",
    )
    @click.option(
        "--stats",
        "stats",
        multiple=True,
        help="Statistics saved with `errata score --save`, instead of texts; those of other systems join in.",
    )
    @click.argument("saved", nargs=-1, metavar="[RESULTS]...")
    @jobs_option
    @quiet_option
    @wraps(function)
    def wrapped(
        source: str | None,
        refs: tuple[str, ...],
        gold: str | None,
        hyps: tuple[str, ...],
        names: tuple[str, ...],
        meta: str | None,
        metric_names: tuple[str, ...],
        stats: tuple[str, ...],
        saved: tuple[str, ...],
        jobs: int,
        quiet: bool,
        **others: Any,
    ) -> Any:
        stats += saved
        results: Results | StreamedScores | None
        streaming = take_options(others)
        if instead is not None and others.get(instead):
            if source or refs or gold or hyps or stats:
                raise click.UsageError(f"--{instead} replaces texts and --stats: give one or the other")
            results = None
        elif stats:
            if source or refs or gold or hyps:
                raise click.UsageError(
                    "--stats replaces --source, --ref, --m2 and --hyp: give one or the other"
                )
            chosen = click.get_current_context().get_parameter_source("metric_names")
            if streaming is not None and streaming.wanted:
                raise click.UsageError(
                    "--stats has been scored: leave out --stream, --data, --engine and --address"
                )
            if names or meta:
                raise click.UsageError("--stats has names and labels of its own: leave out --name and --meta")
            from errata.metrics.results import Results

            results = Results.joined([Results.load(path) for path in stats])
            if chosen is ParameterSource.COMMANDLINE:
                results = results.only(parse_metrics(metric_names))
        elif streaming is not None and streaming.wanted:
            if meta:
                raise click.UsageError("--meta reads all at once: give labels as columns of JSONL or TSV")
            _check_names(source, refs, gold, hyps, names)
            metrics = parse_metrics(metric_names)
            results = streaming.score(source, refs, gold, hyps, names, metrics, jobs, quiet)
        else:
            results = _score(source, refs, gold, hyps, names, meta, metric_names, jobs, quiet)
        return function(results=results, **others)

    return wrapped  # fmt: skip


def _score(
    source: str | None,
    refs: tuple[str, ...],
    gold: str | None,
    hyps: tuple[str, ...],
    names: tuple[str, ...],
    meta: str | None,
    metric_names: tuple[str, ...],
    jobs: int,
    quiet: bool,
) -> Results:
    from errata.corpus.files import display
    from errata.corpus.formats import read_outputs
    from errata.corpus.model import Outputs
    from errata.errors import DataError
    from errata.metrics.results import Results

    if not hyps:
        raise click.UsageError("nothing to score: give --hyp FILE…")
    _check_names(source, refs, gold, hyps, names)
    metrics = parse_metrics(metric_names)
    hint_at_streams([*refs, *hyps, source, gold], quiet)
    corpus, texts = _corpora(source, refs, gold, meta)
    if not len(corpus):
        raise DataError(
            "no sentence to score", path=display(gold or source or "-"), hint="is it the right file?"
        )
    outputs = read_outputs(hyps, corpus)
    if names:
        outputs = Outputs(dict(zip(names, outputs.values(), strict=True)))
    with progress(len(metrics) * len(outputs), "scoring", quiet) as advance:
        return Results.compute(corpus, outputs, metrics, texts=texts, jobs=jobs, advance=advance)


def _check_names(
    source: str | None, refs: tuple[str, ...], gold: str | None, hyps: tuple[str, ...], names: tuple[str, ...]
) -> None:
    if names and len(names) != len(hyps):
        raise click.UsageError(f"{len(names)} names for {len(hyps)} systems")
    if len(set(names)) < len(names):
        raise click.UsageError("two systems cannot have one --name")
    if [*refs, *hyps, source, gold].count("-") > 1:
        raise click.UsageError("only one file can be - (stdin)")


def read_references(source: str | None, refs: tuple[str, ...], gold: str | None, metric: Metric) -> Corpus:
    """The corpus that `--source` and `--ref`, or `--m2`, stand for; of both, what the metric reads."""
    corpus, texts = _corpora(source, refs, gold, None)
    return texts if texts is not None and metric.reads == "texts" else corpus


def _corpora(
    source: str | None, refs: tuple[str, ...], gold: str | None, meta: str | None
) -> tuple[Corpus, Corpus | None]:
    """The corpus, and a second one where the references came both as edits and as texts."""
    from errata.corpus.formats import read_corpus
    from errata.corpus.parallel import check_same_sources, read_parallel, references_for

    if gold is None and (source is None or not refs):
        raise click.UsageError("give --source FILE and --ref FILE…, or --m2 FILE")
    if gold is None:
        assert source is not None
        corpus, texts = read_parallel(source, refs), None
    else:
        corpus = read_corpus(gold, format=None if gold != "-" else "m2")
        texts = references_for(corpus, refs) if refs else None
        if source is not None:
            check_same_sources(corpus, source)
    if meta is not None:
        from errata.corpus.meta import with_meta

        corpus = with_meta(corpus, meta)
    return corpus, texts


def parse_metrics(names: tuple[str, ...]) -> list[Metric]:
    """Metrics from the command line; a comma separates metrics as well as a metric's parameters."""
    from errata.metrics import metric

    specifications: list[str] = []
    for piece in ",".join(names).split(","):
        before = piece.partition(":")[0]
        if "=" in before and specifications:  # a further parameter of the metric before it
            specifications[-1] += ("," if ":" in specifications[-1] else ":") + piece
        elif piece.strip():
            specifications.append(piece.strip())
    if not specifications:
        raise click.UsageError("nothing to score with: give --metric NAME")
    return [metric(specification) for specification in specifications]
