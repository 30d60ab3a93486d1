"""The inputs of the verbs that score: texts to score now, in memory or as a stream, or saved statistics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from errata.cli.findings import show_findings, strict_option
from errata.cli.options import (
    completes,
    engine_options,
    jobs_option,
    keep_inputs,
    note,
    progress,
    quiet_option,
    together,
)

if TYPE_CHECKING:
    from errata.corpus.model import Corpus, Outputs
    from errata.corpus.streaming import Stream
    from errata.data.benchmarks import Benchmark
    from errata.metrics.base import Metric
    from errata.metrics.results import Results

_LARGE = 1 << 30  # bytes of files, which take some ten times as much memory
_NOT_FILES = ("metric_names", "names", "limits")  # options whose values are no files


def _may_follow(option: str, value: str) -> bool:
    """Whether a word belongs to the values of an option before it: a file is no metric, for one."""
    if option not in _NOT_FILES:
        return True
    from errata.metrics import METRICS

    return value.partition(":")[0].partition(",")[0] in METRICS or not os.path.exists(value)


class ManyValues(click.Command):
    """A command whose repeatable options take several values at once: `--hyp A B C`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        repeatable = {
            name: parameter.name or ""
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
            elif current is not None and not fresh and _may_follow(repeatable[current], argument):
                expanded.append(current)
            elif fresh:
                fresh = False
            else:
                current = None  # files without an option begin here
            expanded.append(argument)
        return super().parse_args(ctx, expanded)


@dataclass(frozen=True)
class Inputs:
    """What the options say about texts, metrics and how to work on them."""

    metric_names: tuple[str, ...]
    source: str | None = None
    refs: tuple[str, ...] = ()
    gold: str | None = None
    hyps: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    meta: str | None = None
    stats: tuple[str, ...] = ()
    benchmark: str | None = None
    cache: str | None = None
    jobs: int = 0
    quiet: bool = False
    stream: bool = False
    data: str | None = None
    engine_name: str = "threads"
    address: str | None = None
    post_edits: tuple[str, ...] = ()
    keep: bool = True  # the statistics of single segments, which a stream drops if nothing needs them

    @property
    def has_texts(self) -> bool:
        """Whether any text was named."""
        return bool(self.source or self.refs or self.gold or self.hyps or self.data or self.benchmark)

    @property
    def streams(self) -> bool:
        """Whether an option was given that only a stream has."""
        return self.stream or self.engine_name != "threads" or bool(self.data or self.address)

    def with_files(self, files: tuple[str, ...]) -> Inputs:
        """Take in the files that were given without an option."""
        from errata.cli.positional import sort_files

        if not files:
            return self
        found = sort_files(
            files,
            gold=self.gold is not None,
            complete=bool(self.benchmark or self.data or (self.source and self.refs)),
            outputs=bool(self.hyps),
        )
        return replace(
            self,
            gold=self.gold or found.gold,
            hyps=self.hyps or found.hyps,
            stats=self.stats + found.stats,
        )

    def results(self) -> Results:
        """Load saved statistics, or score the texts."""
        if self.benchmark is not None:
            return self._on_benchmark(self.benchmark)
        if self.stats:
            return self._saved()
        self._check()
        metrics = parse_metrics(self.metric_names)
        self._check_references(metrics)
        return self._streamed(metrics) if self.streams else self._loaded(metrics)

    def _on_benchmark(self, name: str) -> Results:
        """Score outputs on the files of a benchmark, by its own metric unless others are asked for."""
        from errata.data.benchmarks import benchmark
        from errata.errors import DataError

        wanted = benchmark(name)
        if self.stats or self.source or self.refs or self.gold or self.data or self.meta:
            raise click.UsageError(
                "--benchmark has texts and labels of its own: leave out --source, --ref, --m2, --data, "
                "--meta and --stats"
            )
        gold, source, references = wanted.files()
        chosen = click.get_current_context().get_parameter_source("metric_names")
        inputs = replace(
            self,
            benchmark=None,
            gold=None if gold is None else str(gold),
            source=None if source is None else str(source),
            refs=tuple(map(str, references)),
            metric_names=self.metric_names if chosen is ParameterSource.COMMANDLINE else (wanted.metrics,),
        )
        try:
            results = inputs.results()
        except DataError:
            self._check_lines(wanted)
            raise
        if wanted.lines is not None and len(results) != wanted.lines:
            raise DataError(
                f"this copy of {name} has {len(results):,} segments, not {wanted.lines:,}",
                path=gold or source,
                hint=f"fetch it again: errata data fetch --force {wanted.dataset}",
            )
        return results.on_benchmark(name)

    def _check_lines(self, wanted: Benchmark) -> None:
        """Name the likely cause where an output does not have as many lines as the benchmark."""
        from errata.corpus.files import display, read_lines
        from errata.data.benchmarks import likely_cause
        from errata.errors import DataError, plural

        for path in self.hyps:
            if wanted.lines is None or not os.path.isfile(path):
                continue
            lines = len(read_lines(path))
            if lines != wanted.lines:
                raise DataError(
                    f"{lines:,} {plural(lines, 'line')}, but {wanted.title} has {wanted.lines:,}",
                    path=display(path),
                    hint=likely_cause(wanted, lines),
                ) from None

    def _saved(self) -> Results:
        if self.has_texts or self.post_edits:
            raise click.UsageError("--stats replaces --source, --ref, --m2 and --hyp: give one or the other")
        if self.streams:
            raise click.UsageError(
                "--stats has been scored: leave out --stream, --data, --engine and --address"
            )
        if self.names or self.meta:
            raise click.UsageError("--stats has names and labels of its own: leave out --name and --meta")
        from errata.metrics.results import Results

        results = Results.joined([Results.load(path) for path in self.stats])
        chosen = click.get_current_context().get_parameter_source("metric_names")
        if chosen is ParameterSource.COMMANDLINE:
            results = results.only(parse_metrics(self.metric_names))
        return results

    def _check(self) -> None:
        if self.data is not None and (self.source or self.refs or self.gold):
            raise click.UsageError(
                "--data has the columns of --source, --ref and --m2: give one or the other"
            )
        if not self.hyps and self.data is None:
            raise click.UsageError("nothing to score: give the outputs of systems, one file each")
        if self.names and len(self.names) != len(self.hyps):
            raise click.UsageError(f"{len(self.names)} names for {len(self.hyps)} systems")
        if len(set(self.names)) < len(self.names):
            raise click.UsageError("two systems cannot have one --name")
        if self.post_edits and (self.data or len(self.post_edits) != len(self.hyps)):
            raise click.UsageError(
                f"{len(self.post_edits)} files of post-edits for {len(self.hyps)} systems: give one for each "
                "--hyp, in the same order"
            )
        if [*self.refs, *self.hyps, *self.post_edits, self.source, self.gold].count("-") > 1:
            raise click.UsageError("only one file can be - (stdin)")
        if self.streams and self.meta:
            raise click.UsageError("--meta reads all at once: give labels as columns of JSONL or TSV")

    def _check_references(self, metrics: list[Metric]) -> None:
        """References may be missing where no metric needs any."""
        needing = [metric.name for metric in metrics if metric.needs & {"references", "edits"}]
        compared = self.refs or self.post_edits
        if self.data is None and self.gold is None and (self.source is None or (needing and not compared)):
            more = f" ({', '.join(dict.fromkeys(needing))} compares with references)" if needing else ""
            raise click.UsageError(
                f"give --source FILE and --ref FILE…, an M2 file with gold edits, or --benchmark NAME{more}"
            )

    def _loaded(self, metrics: list[Metric]) -> Results:
        from errata.cli.positional import check_kinds
        from errata.corpus.files import display
        from errata.corpus.formats import read_hypotheses
        from errata.corpus.model import Outputs
        from errata.corpus.multigec import is_essays
        from errata.errors import DataError
        from errata.metrics.results import Results
        from errata.metrics.suspicions import warn_about

        check_kinds(self.source, self.refs, self.gold, self.hyps)
        hint_at_streams([*self.refs, *self.hyps, self.source, self.gold], self.quiet)
        corpus = read_corpus_of(self.source, self.refs, self.gold, self.meta)
        if not len(corpus):
            raise DataError(
                "there is no sentence to score",
                path=display(self.gold or self.source or "-"),
                hint="is it the right file?",
            )
        if self.post_edits and is_essays(corpus):
            raise click.UsageError("--post-edits goes with sentences, not with essays")
        corpus, outputs, missing = read_hypotheses(self.hyps, corpus, jobs=self.jobs)
        for name, essays in missing.items():
            if essays:
                note(
                    f"{name} lacks {len(essays)} of {len(corpus)} essays, which are scored as `!`: "
                    f"{essays[0]} …"
                )
        if self.names:
            outputs = Outputs(dict(zip(self.names, outputs.values(), strict=True)))
        show_findings(warn_about(corpus, outputs, metrics))
        with progress(len(corpus), "scoring", self.quiet) as advance:
            post_edits = self._post_edits(corpus, outputs)
            return Results.compute(
                corpus, outputs, metrics,
                post_edits=post_edits, jobs=self.jobs, cache=self.cache, advance=advance,
            )  # fmt: skip

    def _post_edits(self, corpus: Corpus, outputs: Outputs) -> dict[str, Sequence[str]]:
        """The post-edits of every system, one line per segment."""
        from errata.corpus.parallel import read_aligned

        where = corpus.origin.path if corpus.origin else "the source"
        return {
            name: read_aligned(path, corpus.sources, where)
            for name, path in zip(outputs, self.post_edits, strict=False)
        }

    def _streamed(self, metrics: list[Metric]) -> Results:
        from errata.corpus.streaming import Stream
        from errata.engine import open_executor
        from errata.metrics.evaluate import evaluate

        corpus = self.data or self.gold or self.source
        assert corpus is not None
        stream = Stream(
            corpus,
            format="text" if corpus is self.source else None,
            source=None if corpus is self.source else self.source,
            references=self.refs,
            hypotheses=_systems(self.names, self.hyps),
            post_edits=self.post_edits,
        )
        if stream.rereadable:
            self._check_first_chunk(stream, metrics)
        executors = open_executor(self.engine_name, jobs=self.jobs, address=self.address)
        with executors as executor, progress(None, "scoring", self.quiet) as advance:
            return evaluate(
                stream if stream.rereadable else iter(stream),
                metrics,
                executor,
                keep=self.keep,
                jobs=self.jobs or None,
                cache=self.cache,
                advance=advance,
            )

    def _check_first_chunk(self, stream: Stream, metrics: list[Metric]) -> None:
        """Warn about texts that do not fit, as far as the first chunk shows it."""
        from errata.corpus.model import Outputs
        from errata.metrics.suspicions import warn_about

        chunk = next(iter(stream), None)
        if chunk is not None:
            texts = chunk.parse()
            show_findings(warn_about(texts.corpus, Outputs(texts.hypotheses), metrics))


def scoring_inputs(function: Callable[..., Any], instead: str | None = None) -> Callable[..., Any]:
    """Options for source, references, hypotheses and metrics (or `--stats`); passes on `results`.

    `instead` is an option of the verb that makes texts unnecessary: `results` is None where it is given.
    """

    @click.option("--source", "-s", "source", help="Source sentences, one per line.")
    @click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file per annotator.")
    @click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
    @click.option(
        "--benchmark", metavar="NAME", shell_complete=completes("complete_benchmarks"),
        help="Test set of this name, in place of --source, --ref and --m2: conll14, jfleg, geccc, …",
    )  # fmt: skip
    @click.option("--hyp", "-y", "hyps", multiple=True, help="Outputs of systems, one file each; - is stdin.")
    @click.option("--name", "names", multiple=True, help="Names of the systems, instead of their files'.")
    @click.option("--meta", help="TSV with one row per segment: document, paragraph, domain, …")
    @click.option(
        "--metric", "-m", "metric_names", multiple=True, default=("m2,gleu",), show_default=True,
        shell_complete=completes("complete_metrics"),
        help="Metrics, comma-separated, with parameters after a colon: m2:beta=1,gleu",
    )  # fmt: skip
    @click.option(
        "--stats", "stats", multiple=True,
        help="Statistics saved with `errata score --save`, instead of texts; several files are joined.",
    )  # fmt: skip
    @click.option(
        "--cache",
        type=click.Path(file_okay=False),
        help="Folder that keeps the results of costly metrics; a run that was stopped continues from there.",
    )
    @click.argument("files", nargs=-1, metavar="[GOLD.m2] [OUTPUT]...")
    @jobs_option
    @quiet_option
    @strict_option
    @wraps(function)
    def wrapped(**options: Any) -> Any:
        keep_inputs(*(options.get(name) for name in ("output", "save", "junit", "summary")))
        files = options.pop("files")
        taken = {name: options.pop(name) for name in Inputs.__dataclass_fields__ if name in options}
        if "stream" in taken:
            taken["keep"] = any(options[name] for name in ("by", "sentence", "ci", "save"))
        inputs = Inputs(**taken).with_files(files)
        if inputs.streams and options.get("by") == "type":
            raise click.UsageError("--by type needs all texts at once: leave out --stream")
        if instead is not None and options.get(instead):
            if inputs.has_texts or inputs.stats:
                raise click.UsageError(f"--{instead} replaces texts and --stats: give one or the other")
            return function(results=None, **options)
        return function(results=inputs.results(), **options)

    return wrapped  # fmt: skip


stream_options = together(
    click.option(
        "--stream", is_flag=True, help="Read in chunks, for inputs larger than memory: files, patterns, URLs."
    ),
    click.option(
        "--data",
        help="Rows with columns source, references, hypothesis:NAME: Parquet, JSONL or TSV shards. Streams.",
    ),
    engine_options,
)


def read_corpus_of(
    source: str | None, refs: tuple[str, ...], gold: str | None, meta: str | None = None
) -> Corpus:
    """The corpus that `--source` and `--ref`, or `--m2`, stand for; with --m2, --ref gives texts besides."""
    from errata.corpus.formats import read_gold

    if gold is None and source is None:
        raise click.UsageError("give --source FILE and --ref FILE…, or --m2 FILE")
    return read_gold(gold, source, refs, meta)


def hint_at_streams(paths: Iterable[str | None], quiet: bool) -> None:
    """Mention streams where files are so large that memory may not suffice."""
    size = sum(os.path.getsize(path) for path in paths if path is not None and os.path.isfile(path))
    if size > _LARGE and not quiet:
        click.echo(f"note: {size / 1e9:.1f} GB of text; --stream needs little memory for it", err=True)


def _systems(names: tuple[str, ...], hyps: tuple[str, ...]) -> list[tuple[str, str]]:
    """The systems' names and files."""
    from errata.corpus.parallel import unused
    from errata.corpus.shards import shard_name

    if names:
        return list(zip(names, hyps, strict=True))
    systems: dict[str, str] = {}
    for path in hyps:
        systems[unused(shard_name(path), systems)] = path
    return list(systems.items())


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
