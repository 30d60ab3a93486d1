"""How verbs read judgments: from files and campaigns, with filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from errata.cli.options import Number

if TYPE_CHECKING:
    from errata.human.judgment_files import JudgmentSource
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars


def judgment_inputs(function: Callable[..., Any], instead: str | None = None) -> Callable[..., Any]:
    """The files and their filters; passes on `judged`, which is `Judgments` or `Scalars`.

    Skipped items are still among the judgments, and marked. `instead` is an option of the verb that makes
    judgments unnecessary: `judged` is None where it is given.
    """

    @click.argument("files", nargs=-1, required=instead is None, metavar="JUDGMENTS...")
    @click.option("--judge", "judges", multiple=True, help="Only this judge; may be repeated.")
    @click.option("--without-judge", "without_judges", multiple=True, help="All but this judge.")
    @click.option("--without-system", "without_systems", multiple=True, help="Leave this system out.")
    @click.option("--min-seconds", type=Number(), help="Leave out items judged faster than this.")
    @click.option("--max-seconds", type=Number(), help="Leave out items that took longer than this.")
    @click.option("--skipped", is_flag=True, help="Count skipped and rejected items, too.")
    @click.option(
        "--controls", type=click.Choice(["keep", "drop", "only"]), default="keep", show_default=True,
        help="Items marked as controls.",
    )  # fmt: skip
    @wraps(function)
    def wrapped(
        files: tuple[str, ...], judges: tuple[str, ...], without_judges: tuple[str, ...],
        without_systems: tuple[str, ...], min_seconds: float | None, max_seconds: float | None,
        skipped: bool, controls: str, **others: Any,
    ) -> Any:  # fmt: skip
        from errata.human.scalars import Scalars

        if instead is not None and others.get(instead):
            if files:
                option = "--" + instead.replace("_", "-")
                raise click.UsageError(f"{option} replaces JUDGMENTS: give one or the other")
            return function(judged=None, **others)
        if not files:
            raise click.UsageError("Missing argument 'JUDGMENTS...'.")
        judged = read(files)
        if isinstance(judged, Scalars):
            if without_systems or min_seconds or max_seconds or skipped or controls != "keep":
                raise click.UsageError("scores can be filtered by judge only")
            return function(judged=judged.select(judges, without_judges), **others)
        if without_systems:
            judged = judged.without_systems(without_systems)
        # Skipped items are kept, marked: statistics count them, everything else asks for `filtered()`.
        kept = judged.filtered(
            judges=judges, exclude_judges=without_judges, min_seconds=min_seconds, max_seconds=max_seconds,
            skipped=True, controls=controls,
        )  # fmt: skip
        return function(judged=kept.counting_all() if skipped else kept, **others)

    return wrapped


human_option = click.option(
    "--human", multiple=True,
    help="People's rankings of the systems: Appraise XML, CSV, or a campaign (file or URL).",
)  # fmt: skip


def read_rankings(files: tuple[str, ...]) -> Judgments | None:
    """The rankings that `--human` names: files or campaigns; None where there are none."""
    from errata.errors import DataError
    from errata.human.scalars import Scalars

    if not files:
        return None
    judged = read(files)
    if isinstance(judged, Scalars):
        raise DataError(
            "these are scores of single outputs, and rankings are expected",
            path=files[0],
            hint="`errata meta --human` compares metrics with scores",
        )
    return judged


def read(files: tuple[str, ...]) -> Judgments | Scalars:
    """Rankings from any number of files, or scores from one; a campaign counts as a file, by path or URL."""
    from errata.corpus.files import is_pipe
    from errata.errors import DataError
    from errata.human.judgment_files import detect_judgments, judgment_source, read_judgments, read_scalars

    if any(map(is_pipe, files)):
        raise click.UsageError("judgments are read from files, not from stdin or a pipe")
    sources = [judgment_source(file) for file in files]
    if any(sources):
        return _with_campaigns(files, sources)
    kinds = {file: detect_judgments(file) for file in files}
    scalar = [file for file, kind in kinds.items() if kind == "scalar"]
    if not scalar:
        return read_judgments(files)
    if len(files) > 1:
        raise DataError("scores come in one file", path=scalar[0], hint="join the files first")
    return read_scalars(files[0])


def _with_campaigns(files: tuple[str, ...], sources: Sequence[JudgmentSource | None]) -> Judgments | Scalars:
    from errata.errors import DataError
    from errata.human.judgments import merge
    from errata.human.scalars import Scalars

    sets: list[Judgments] = []
    for file, source in zip(files, sources, strict=True):
        judged = source.read(file) if source else read((file,))
        if isinstance(judged, Scalars):
            if len(files) > 1:
                raise DataError("scores come in one file", path=file, hint="export and join them first")
            return judged
        sets.append(judged)
    return sets[0] if len(sets) == 1 else merge(sets)
