"""How verbs work on inputs larger than memory: in chunks, on the engine of one's choice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from errata.cli.options import engine_options, progress

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.results import Results
    from errata.metrics.streaming import StreamedScores

Function = TypeVar("Function", bound=Callable[..., Any])
_LARGE = 1 << 30  # bytes of files, some ten times as much in memory


def stream_options(function: Function) -> Function:
    """`--stream`, `--data`, `--engine` and `--address`."""
    function = engine_options(function)
    function = click.option(
        "--data",
        help="Rows with columns source, references, hypothesis:NAME: Parquet, JSONL or TSV shards. Streams.",
    )(function)
    return click.option(
        "--stream", is_flag=True, help="Read in chunks, for inputs larger than memory: files, patterns, URLs."
    )(function)


@dataclass(frozen=True)
class Streaming:
    """What the options say about streams."""

    stream: bool
    data: str | None
    engine: str
    address: str | None
    keep: bool  # statistics of single segments are needed

    @property
    def wanted(self) -> bool:
        """Any option that only a stream has asks for one."""
        return self.stream or self.data is not None or self.engine != "threads" or self.address is not None

    def score(
        self,
        source: str | None,
        refs: tuple[str, ...],
        gold: str | None,
        hyps: tuple[str, ...],
        names: tuple[str, ...],
        metrics: list[Metric],
        jobs: int,
        quiet: bool,
    ) -> Results | StreamedScores:
        """Scores of the texts that the options name."""
        from errata.corpus.chunks import chunks
        from errata.engine import engine
        from errata.metrics.streaming import stream_scores

        if self.data is not None and (source or refs or gold):
            raise click.UsageError(
                "--data has the columns of --source, --ref and --m2: give one or the other"
            )
        corpus = self.data or gold or source
        if corpus is None or not (self.data or gold or refs):
            raise click.UsageError("give --source FILE and --ref FILE…, or --m2 FILE, or --data FILE")
        if not hyps and self.data is None:
            raise click.UsageError("nothing to score: give --hyp FILE…")
        format = "text" if corpus is source else None
        beside = None if corpus is source else source
        read = chunks(corpus, format=format, source=beside, references=refs, hypotheses=_systems(names, hyps))
        workers = engine(self.engine, jobs=jobs, address=self.address)
        with progress(None, "scoring", quiet) as advance:
            return stream_scores(read, metrics, workers, keep=self.keep, advance=advance)


def hint_at_streams(paths: Iterable[str | None], quiet: bool) -> None:
    """Say that there are streams, where files are so large that memory may not hold what becomes of them."""
    size = sum(os.path.getsize(path) for path in paths if path is not None and os.path.isfile(path))
    if size > _LARGE and not quiet:
        click.echo(f"note: {size / 1e9:.1f} GB of text; --stream needs little memory for it", err=True)


def take_options(options: dict[str, Any]) -> Streaming | None:
    """The options of `stream_options`, taken out of those of a verb; None, where it has none."""
    if "stream" not in options:
        return None
    keep = any(options[name] for name in ("by", "sentence", "ci", "save"))
    stream, data = options.pop("stream"), options.pop("data")
    engine, address = options.pop("engine_name"), options.pop("address")
    found = Streaming(stream, data, engine, address, keep)
    if found.wanted and options["by"] == "type":
        raise click.UsageError("--by type needs all texts at once: leave out --stream")
    return found


def _systems(names: tuple[str, ...], hyps: tuple[str, ...]) -> list[tuple[str, str]]:
    """The systems' names and files."""
    from errata.corpus.parallel import unused
    from errata.corpus.shards import shard_name

    if names:
        return list(zip(names, hyps, strict=True))
    found: dict[str, str] = {}
    for path in hyps:
        found[unused(shard_name(path), found)] = path
    return list(found.items())
