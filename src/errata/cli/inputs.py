"""The inputs of the verbs that score: texts, in memory or as a stream, or saved statistics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import Decorator, OutputPath, option, section, together
from errata.cli.options import (
    checked,
    completes,
    engine_options,
    jobs_option,
    metric_option,
    note,
    parse_metrics,
    progress,
    quiet_option,
)
from errata.errors import DataError, ErrataError

if TYPE_CHECKING:
    from errata.corpus.checks import Finding
    from errata.corpus.model import Corpus
    from errata.corpus.streaming import Stream
    from errata.data.benchmarks import Benchmark
    from errata.metrics.base import Metric
    from errata.metrics.results import Results
    from errata.tables import Table

_METRICS = "m2,gleu"  # the default
_LARGE = 1 << 30  # bytes of text, which need about ten times as much memory
_ERRORS = "errata.errors"


@dataclass(frozen=True)
class Inputs:
    """Options for texts, metrics and execution; `load` reads the texts and scores them."""

    metrics: Sequence[Metric] = ()
    files: tuple[str, ...] = ()  # without an option
    source: str | None = None
    refs: tuple[str, ...] = ()
    gold: str | None = None
    annotators: tuple[str, ...] = ()  # further files with edits of the same sentences
    hyps: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    meta: str | None = None
    stats: tuple[str, ...] = ()
    benchmark: Benchmark | None = None
    cache: str | None = None
    jobs: int = 0
    quiet: bool = False
    stream: bool = False
    data: str | None = None
    engine_name: str = "threads"
    address: str | None = None
    post_edits: tuple[str, ...] = ()
    retokenize: str | None = None
    normalize: tuple[str, ...] | None = None
    language: str | None = None
    strict: bool = False

    @property
    def is_given(self) -> bool:
        """Whether any text or saved statistics were named."""
        return bool(self.files or self.stats or self._has_texts)

    @property
    def name(self) -> str:
        """The name of the data: of the benchmark, or of the files with gold edits, sources or statistics."""
        if self.benchmark is not None:
            return self.benchmark.name
        inputs = self.with_roles()
        files = [path for path in (inputs.gold, inputs.data, inputs.source) if path] or inputs.stats
        return ", ".join(os.path.basename(path) for path in files[: None if inputs.stats else 1])

    @property
    def _has_texts(self) -> bool:
        return bool(self.source or self.refs or self.gold or self.hyps or self.data or self.benchmark)

    @property
    def streams(self) -> bool:
        """Whether an option is set that only streams have."""
        return self.stream or self.engine_name != "threads" or bool(self.data or self.address)

    def _of_runs(self) -> Inputs:
        """The same with the outputs of `errata run` in place of the folders among the files."""
        if not any(map(os.path.isdir, self.files)):
            return self
        from errata.runner.run import FILE, read_run

        folders = [file for file in self.files if os.path.isfile(os.path.join(file, FILE))]
        if not folders:
            return self
        from errata.data.benchmarks import benchmark

        runs = [read_run(folder) for folder in folders]
        of_corpora = {(run.get("benchmark"), run.get("gold")) for run in runs}
        if len(of_corpora) > 1 or (self.benchmark and (self.benchmark.name, None) not in of_corpora):
            raise click.UsageError("these runs are of several benchmarks: give those of one")
        if len(folders) < len(self.files) or self.hyps or self.names or self.gold or self.source:
            raise click.UsageError("folders of runs have their own texts and outputs: give them alone")
        ((name, gold),) = of_corpora
        systems = tuple(run["system"] for run in runs)
        outputs = tuple(run["output"] for run in runs)
        chosen = benchmark(name) if name else None
        return replace(self, files=(), benchmark=chosen, gold=gold, hyps=outputs, names=systems)

    def with_roles(self) -> Inputs:
        """Sort the files without an option into gold edits, outputs and saved statistics."""
        from errata.cli.file_roles import sort_files

        if not self.files:
            return self
        roles = sort_files(
            self.files,
            gold=self.gold is not None,
            complete=bool(self.benchmark or self.data or (self.source and self.refs)),
            outputs=bool(self.hyps),
        )
        return replace(
            self,
            files=(),
            gold=self.gold or roles.gold,
            hyps=self.hyps or roles.hyps,
            stats=self.stats + roles.stats,
        )

    def load(self, *, keep: bool = True, outputs: bool = True) -> Results:
        """Load saved statistics, or score the texts; a stream drops single segments unless `keep`.

        If no outputs are needed and none are given, the results are those of a corpus without systems.
        """
        inputs = self._of_runs().with_roles()._in_language(self.language)
        corpus_given = inputs.gold or (inputs.source and inputs.refs)
        if not outputs and corpus_given and not (inputs.hyps or inputs.data or inputs.stats):
            from errata.metrics.results import Results

            corpus = read_corpus_of(inputs.source, inputs.refs, inputs.gold, inputs.meta)
            return Results.of_corpus(corpus)
        if inputs.benchmark is not None:
            return inputs._on_benchmark(inputs.benchmark, keep)
        if inputs.stats:
            return inputs._saved()
        inputs = replace(inputs, metrics=inputs.metrics or parse_metrics([_METRICS]))
        inputs._check()
        return inputs._streamed(keep) if inputs.streams else inputs._loaded()

    def _in_language(self, language: str | None) -> Inputs:
        """The same with this language for metrics of edits that name none."""
        if language is None:
            return self
        metrics = [
            replace(metric, **{"language": language}) if getattr(metric, "language", None) == "en" else metric
            for metric in self.metrics or ()
        ]
        return replace(self, metrics=metrics)

    def _on_benchmark(self, benchmark: Benchmark, keep: bool) -> Results:
        """Score outputs on the files of a benchmark, by its own metric unless others are chosen."""
        from errata.errors import DataError

        if self.stats or self.source or self.refs or self.gold or self.data or self.meta:
            raise click.UsageError(
                "--benchmark has texts and labels of its own: leave out --source, --ref, --m2, --data, "
                "--meta and --stats"
            )
        if self.streams and benchmark.annotators:
            raise click.UsageError(f"{benchmark.name} joins several files: leave out --stream and --engine")
        gold, source, references = benchmark.files()
        inputs = replace(
            self,
            benchmark=None,
            gold=None if gold is None else str(gold),
            source=None if source is None else str(source),
            refs=() if benchmark.annotators else tuple(map(str, references)),
            annotators=tuple(map(str, references)) if benchmark.annotators else (),
            metrics=self.metrics or parse_metrics([benchmark.metrics]),
        )
        inputs = inputs._in_language(self.language or benchmark.code)
        try:
            results = inputs.load(keep=keep)
        except DataError:
            self._check_lines(benchmark)
            raise
        if benchmark.lines is not None and len(results) != benchmark.lines:
            raise DataError(
                f"this copy of {benchmark.name} has {len(results):,} segments, not {benchmark.lines:,}",
                path=gold or source,
                hint=f"fetch it again: errata data fetch --force {benchmark.dataset}",
            )
        return results.on_benchmark(benchmark.name)

    def _check_lines(self, benchmark: Benchmark) -> None:
        """Raise an error with the likely cause if an output does not have as many lines as the benchmark."""
        from errata.corpus.files import display, read_lines
        from errata.data.benchmarks import likely_cause
        from errata.errors import DataError, plural

        for path in self.hyps:
            if benchmark.lines is None or not os.path.isfile(path):
                continue
            lines = len(read_lines(path))
            if lines != benchmark.lines:
                raise DataError(
                    f"{lines:,} {plural(lines, 'line')}, but {benchmark.title} has {benchmark.lines:,}",
                    path=display(path),
                    hint=likely_cause(benchmark, lines),
                ) from None

    def _saved(self) -> Results:
        if self._has_texts or self.post_edits:
            raise click.UsageError("--stats replaces --source, --ref, --m2 and --hyp: give one or the other")
        if self.streams:
            raise click.UsageError(
                "--stats has been scored: leave out --stream, --data, --engine and --address"
            )
        if self.names or self.meta:
            raise click.UsageError("--stats has names and labels of its own: leave out --name and --meta")
        if self.retokenize or self.normalize:
            raise click.UsageError("--stats has been scored: leave out --retokenize and --normalize")
        from errata.metrics.results import Results

        results = Results.joined([Results.load(path) for path in self.stats])
        return results.only(self.metrics) if self.metrics else results

    def _check(self) -> None:
        """Raise an error for options that contradict each other, or if a metric has no references."""
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
        if self.streams and (self.retokenize or self.normalize):
            raise click.UsageError(
                "--retokenize and --normalize read all at once: leave out --stream, --data, --engine and "
                "--address, or prepare the outputs with `errata corpus project`"
            )
        needing = [metric.name for metric in self.metrics if metric.needs & {"references", "edits"}]
        compared = self.refs or self.post_edits
        if self.data is None and self.gold is None and (self.source is None or (needing and not compared)):
            more = f" (needed by {', '.join(dict.fromkeys(needing))})" if needing else ""
            raise click.UsageError(
                f"give --source FILE and --ref FILE…, an M2 file with gold edits, or --benchmark NAME{more}"
            )

    def _loaded(self) -> Results:
        from errata.cli.file_roles import check_kinds
        from errata.corpus.files import display
        from errata.corpus.formats import read_hypotheses
        from errata.corpus.model import Outputs
        from errata.corpus.multigec import is_essays
        from errata.corpus.parallel import read_aligned
        from errata.errors import DataError
        from errata.metrics.results import Results
        from errata.metrics.suspicions import warn_about, zeros

        check_kinds(self.source, self.refs, self.gold, self.hyps)
        _suggest_stream([*self.refs, *self.hyps, self.source, self.gold], self.quiet)
        corpus = read_corpus_of(self.source, self.refs, self.gold, self.meta)
        if self.annotators:
            from errata.meta.human_performance import join_annotators

            others = [read_corpus_of(None, (), file) for file in self.annotators]
            corpus = join_annotators([corpus, *others])
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
        preprocessing = None
        if self.retokenize or self.normalize:
            from errata.metrics.api import Preprocessing

            preprocessing = Preprocessing(self.retokenize, self.normalize or ())
            outputs = preprocessing.apply(corpus, outputs)

        @cache
        def score() -> Results:
            with progress(len(corpus), "scoring", self.quiet) as advance:
                where = corpus.origin.path if corpus.origin else "the source"
                post_edits = {
                    name: read_aligned(path, corpus.sources, where)
                    for name, path in zip(outputs, self.post_edits, strict=False)
                }
                return Results.compute(
                    corpus, outputs, self.metrics, post_edits=post_edits,
                    jobs=self.jobs, cache=self.cache, advance=advance,
                )  # fmt: skip

        quick = not self.post_edits and all(metric.computed_by != "model" for metric in self.metrics)
        statistics = (lambda system: score().score(system).statistics) if quick else None
        _show_findings(warn_about(corpus, outputs, list(self.metrics), statistics), self.strict)
        results = score()
        _show_findings(zeros(results), self.strict)
        return results.with_signature_fields(prep=preprocessing.label) if preprocessing else results

    def _streamed(self, keep: bool) -> Results:
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
            self._check_first_chunk(stream)
        executors = open_executor(self.engine_name, jobs=self.jobs, address=self.address)
        with executors as executor, progress(None, "scoring", self.quiet) as advance:
            return evaluate(
                stream if stream.rereadable else iter(stream),
                list(self.metrics),
                executor,
                keep=keep,
                jobs=self.jobs or None,
                cache=self.cache,
                advance=advance,
            )

    def _check_first_chunk(self, stream: Stream) -> None:
        """Warn if the texts of the first chunk do not belong together."""
        from errata.corpus.model import Outputs
        from errata.metrics.suspicions import warn_about

        chunk = next(iter(stream), None)
        if chunk is not None:
            texts = chunk.parse()
            findings = warn_about(texts.corpus, Outputs(texts.hypotheses), list(self.metrics))
            _show_findings(findings, self.strict)


def text_options(
    hyp: str = "Outputs of systems, one file each, or a folder of them; - is standard input.",
) -> Decorator:
    """`--source`, `--ref`, `--m2` and `--hyp`."""
    return section(
        "Input",
        option("--source", "-s", metavar="FILE", help="Source sentences, one per line."),
        option(
            "--ref", "-r", "refs", multiple=True, metavar="FILE",
            help="Reference texts, one file per annotator.",
        ),
        option("--m2", "gold", metavar="FILE", help="Gold edits in M2, instead of --source and --ref."),
        option(
            "--hyp", "-y", "hyps", multiple=True, metavar="FILE", help=hyp,
            callback=checked(_files_of_folders),
        ),
    )  # fmt: skip


def _files_of_folders(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The same paths, with the files of a folder in its place, in alphabetical order."""
    files: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        inside = [os.path.join(path, name) for name in sorted(os.listdir(path)) if not name.startswith(".")]
        files += (own := [each for each in inside if os.path.isfile(each)])
        if not own:
            raise DataError(
                "there is no file in this folder", path=path, hint="name files, or another folder"
            )
    return tuple(files)


def checked_splitter(name: str) -> str:
    from errata.metrics.api import parse_splitter

    parse_splitter(name)
    return name


_more_inputs = section(
    "Input",
    option(
        "--benchmark", metavar="NAME", shell_complete=completes("complete_benchmarks"),
        callback=checked("errata.data.benchmarks:benchmark"),
        help="Public test set, instead of --source, --ref and --m2: conll14, jfleg, geccc, …",
    ),
    option(
        "--name", "names", multiple=True, rare=True, metavar="NAME",
        help="Names of the systems. Without it, files give the names.",
    ),
    option("--meta", metavar="FILE", help="TSV with one row per segment: document, domain, …"),
    option(
        "--stats", multiple=True, rare=True, metavar="FILE",
        help="Statistics saved by `errata score --save`, instead of texts. Several files are joined.",
    ),
    option(
        "--language", "--lang", metavar="CODE", callback=checked("errata.edits.language:check_code"),
        help="Language of the texts, for metrics of edits that do not name one: en, cs, de, …",
    ),
    option(
        "--retokenize", rare=True, metavar="[NAME]", is_flag=False, flag_value="penn",
        callback=checked(checked_splitter),
        help="Give detokenised outputs the tokens of their sources. NAME splits changed text: penn (without "
        "NAME), moses, moses:cs, syntok, characters.",
    ),
    option(
        "--normalize", rare=True, metavar="KINDS",
        callback=checked("errata.metrics.api:parse_normalizations"),
        help="Replace characters that sources and references do not use: quotes,dashes,spaces,unicode.",
    ),
    option(
        "--cache", type=OutputPath(file_okay=False, dir_okay=True), rare=True, metavar="FOLDER",
        help="Folder for results of costly metrics. A run that was stopped continues from there.",
    ),
    option(
        "--strict", is_flag=True, rare=True,
        help="Stop with an error if texts look wrong (tokenisation, order, language, …).",
    ),
)  # fmt: skip


def scoring_inputs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options for texts and metrics, or saved statistics; passes on `inputs`, which the verb loads."""

    @together(text_options(), _more_inputs, metric_option(_METRICS), jobs_option, quiet_option)
    @click.argument("files", nargs=-1, metavar="[GOLD.m2] [OUTPUT]...")
    @wraps(function)
    def wrapped(**options: Any) -> Any:
        values = {each.name: options.pop(each.name) for each in fields(Inputs) if each.name in options}
        return function(inputs=Inputs(**values), **options)

    return wrapped


stream_options = together(
    section(
        "Input",
        option(
            "--stream", is_flag=True, rare=True,
            help="Read in chunks, for inputs larger than memory: files, patterns, URLs.",
        ),
        option(
            "--data", rare=True, metavar="FILES",
            help="Parquet, JSONL or TSV with columns source, references, hypothesis:NAME. Read in chunks.",
        ),
    ),
    engine_options,
)  # fmt: skip


def _show_findings(findings: Iterable[Finding], strict: bool) -> None:
    """Print findings as warnings, each with its remedy; if `strict`, raise an error at the end."""
    findings = list(findings)
    errors: dict[str, list[str]] = click.get_current_context().meta.setdefault(_ERRORS, {})
    for finding in findings:
        if finding.is_error:
            errors.setdefault(finding.path, []).append(finding.code)
        place = finding.path + (f":{finding.line}" if finding.line > 1 else "")
        click.echo(f"warning: {place}: {finding.message} ({finding.code})", err=True)
        click.echo(f"  fix: {finding.remedy}", err=True)
    if findings and strict:
        count = "a warning" if len(findings) == 1 else f"{len(findings)} warnings"
        raise ErrataError(f"stopped because of {count}\n  hint: correct the texts, or leave out --strict")


def with_marks(table: Table) -> Table:
    """The table for people to read: systems are marked whose texts had an error before scoring."""
    errors: dict[str, list[str]] = click.get_current_context().meta.get(_ERRORS, {})
    marked = {row[0]: errors[str(row[0])] for row in table.rows if row[0] in errors}
    rows = [[f"{row[0]} †" if row[0] in marked else row[0], *row[1:]] for row in table.rows]
    notes = [
        f"† see the warning about {system}: {', '.join(dict.fromkeys(codes))}"
        for system, codes in marked.items()
    ]
    return replace(table, rows=rows, notes=[*notes, *table.notes])


def read_corpus_of(
    source: str | None, refs: tuple[str, ...], gold: str | None, meta: str | None = None
) -> Corpus:  # fmt: skip
    """The corpus of `--source` and `--ref`, or of `--m2`, to which `--ref` adds texts."""
    from errata.corpus.formats import read_gold

    if gold is None and source is None:
        raise click.UsageError("give --source FILE and --ref FILE…, or --m2 FILE")
    return read_gold(gold, source, refs, meta)


def _suggest_stream(paths: Iterable[str | None], quiet: bool) -> None:
    """Suggest --stream for files that may not fit into memory."""
    size = sum(os.path.getsize(path) for path in paths if path is not None and os.path.isfile(path))
    if size > _LARGE and not quiet:
        click.echo(f"note: {size / 1e9:.1f} GB of text; --stream needs little memory for it", err=True)


def _systems(names: tuple[str, ...], hyps: tuple[str, ...]) -> list[tuple[str, str]]:
    """The name and the file of each system."""
    from errata.corpus.parallel import unused
    from errata.corpus.shards import shard_name

    if names:
        return list(zip(names, hyps, strict=True))
    systems: dict[str, str] = {}
    for path in hyps:
        systems[unused(shard_name(path), systems)] = path
    return list(systems.items())
