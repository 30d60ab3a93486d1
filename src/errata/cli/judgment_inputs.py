"""How verbs read judgments: from files and campaigns, with filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import option, section
from errata.cli.options import Number

if TYPE_CHECKING:
    from errata.human.judgment_files import JudgmentSource
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars


@dataclass(frozen=True)
class JudgmentInputs:
    """The files of judgments and their filters; `load` reads them."""

    files: tuple[str, ...]
    judges: tuple[str, ...]
    without_judges: tuple[str, ...]
    without_systems: tuple[str, ...]
    min_seconds: float | None
    max_seconds: float | None
    skipped: bool
    controls: str

    def load(self) -> Judgments | Scalars:
        """Read rankings or scores. Skipped items are still among rankings, and marked."""
        from errata.human.scalars import Scalars

        if not self.files:
            raise click.UsageError("Missing argument 'JUDGMENTS...'.")
        judged = read(self.files)
        if isinstance(judged, Scalars):
            if (
                self.without_systems or self.min_seconds or self.max_seconds or self.skipped
                or self.controls != "keep"
            ):  # fmt: skip
                raise click.UsageError("scores can be filtered by judge only")
            return judged.select(self.judges, self.without_judges)
        if self.without_systems:
            judged = judged.without_systems(self.without_systems)
        # Skipped items are kept, marked: statistics count them, everything else asks for `filtered()`.
        kept = judged.filtered(
            judges=self.judges, exclude_judges=self.without_judges, min_seconds=self.min_seconds,
            max_seconds=self.max_seconds, skipped=True, controls=self.controls,
        )  # fmt: skip
        return kept.counting_all() if self.skipped else kept


_filters = section(
    "Input",
    option("--judge", "judges", multiple=True, metavar="NAME", help="Only this judge. Repeat it for more."),
    option("--without-judge", "without_judges", multiple=True, metavar="NAME", help="Leave this judge out."),
    option(
        "--without-system", "without_systems", multiple=True, metavar="NAME", help="Leave this system out.",
    ),
    option(
        "--min-seconds", type=Number(), rare=True, help="Leave out items that were judged faster than this.",
    ),
    option("--max-seconds", type=Number(), rare=True, help="Leave out items that took longer than this."),
    option("--skipped", is_flag=True, rare=True, help="Count skipped and rejected items, too."),
    option(
        "--controls", type=click.Choice(["keep", "drop", "only"]), default="keep", rare=True,
        help="Keep items marked as controls, drop them, or keep only them.",
    ),
)  # fmt: skip


def judgment_inputs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Files of judgments and filters; passes on `judgments`, which the verb loads."""

    @_filters
    @click.argument("files", nargs=-1, metavar="JUDGMENTS...")
    @wraps(function)
    def wrapped(**options: Any) -> Any:
        values = {each.name: options.pop(each.name) for each in fields(JudgmentInputs)}
        return function(judgments=JudgmentInputs(**values), **options)

    return wrapped


human_option = section(
    "Input",
    option(
        "--human", multiple=True, metavar="FILE",
        help="Human rankings of the systems: Appraise XML, CSV, or a campaign (file or URL).",
    ),
)  # fmt: skip


def method_names(text: str) -> list[str]:
    """Methods of ranking, separated by commas; a name that no kind of judgments has is an error."""
    from errata.errors import ErrataError, one_of
    from errata.human.rankings import METHODS
    from errata.human.scalars import METHODS as SCALAR_METHODS

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*METHODS, *SCALAR_METHODS):
            raise ErrataError(f"there is no method {name!r}: {one_of(name, [*METHODS, *SCALAR_METHODS])}")
    return names


def known_methods(names: Sequence[str], methods: Mapping[str, str]) -> Sequence[str]:
    """The names, unless one is a method for the other kind of judgments."""
    for name in names:
        if name not in methods:
            raise click.UsageError(
                f"--method {name} is not for these judgments; there are {', '.join(methods)}"
            )
    return names


def read_rankings(files: tuple[str, ...]) -> Judgments | None:
    """The rankings that `--human` names: files or campaigns; None if there are none."""
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
    import os

    from errata.corpus.files import is_pipe
    from errata.errors import DataError
    from errata.human.judgment_files import detect_judgments, judgment_source, read_judgments, read_scalars

    if any(map(is_pipe, files)):
        raise click.UsageError("judgments are read from files, not from stdin or a pipe")
    real = [os.path.realpath(file) for file in files]
    if twice := next((file for file, path in zip(files, real, strict=True) if real.count(path) > 1), None):
        raise click.UsageError(f"{twice} is given twice: its judgments would count double")
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
