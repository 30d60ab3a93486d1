"""Commands and their help: options in sections, rare ones behind --help-all, subcommands loaded when used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import click

from errata.errors import capitalised, one_of

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

SHOW_ALL = "errata.help-all"  # in `Context.meta`: whether the help has the rare options
_NAME_WIDTH = 24  # columns for the names of options; longer names get a line of their own
_NOT_FILES = ("metrics", "names", "limits", "figures")  # options whose values are no files


class Option(click.Option):
    """An option in a section of the help; a rare one is shown by --help-all only.

    The help shows the default, and lists the values of a choice if its text ends with a colon.
    """

    def __init__(self, *args: Any, rare: bool = False, **settings: Any) -> None:
        kind = settings.get("type")
        if settings.get("default") not in (None, "", "-", ()):
            settings.setdefault("show_default", True)
        if isinstance(kind, click.Choice):
            settings.setdefault("metavar", "NAME")
            if settings["help"].endswith(":"):
                *others, last = map(str, kind.choices)
                settings["help"] += f" {', '.join(others)} or {last}."
        elif isinstance(kind, click.types.IntParamType | click.types.FloatParamType) or kind is int:
            settings.setdefault("metavar", "N")
        super().__init__(*args, **settings)
        self.rare = rare
        self.section = ""

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)  # an error names the range
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default  # without parentheses
        return extra


option = partial(click.option, cls=Option)


class OutputPath(click.Path):
    """A file to write (or a folder, or `NAME=FILE`), which a `Command` never replaces if it reads it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"dir_okay": False, "allow_dash": True} | settings)


@contextmanager
def inputs_kept(inputs: Sequence[str], outputs: Sequence[str]) -> Iterator[None]:
    """Stop before an output replaces an input; what is written in this context cannot replace one, either.

    An input may name several files, and something else before them: `NAME=FILE,FILE`, `udpipe:FILE`.
    """
    from errata.corpus.atomic_write import protected

    names = {each for text in inputs for each in (text, text.rpartition(":")[2], *_after_equals(text))}
    existing = [name for name in names if os.path.isfile(name) or os.path.isdir(name)]
    real = [os.path.realpath(each) for each in outputs if each not in ("-", os.devnull)]
    twice = [os.path.relpath(each) for each in real if real.count(each) > 1]
    if twice:
        raise click.UsageError(f"{min(twice)} is given twice to write to")
    for output in (name for text in outputs for name in {text, *_after_equals(text)}):
        if os.path.exists(output) and any(os.path.samefile(output, name) for name in existing):
            kind = "folder" if os.path.isdir(output) else "file"
            raise click.UsageError(
                f"{output} is a {kind} that this command reads: give another one to write to"
            )
    with protected(existing):
        yield


def _after_equals(text: str) -> list[str]:
    return text.rpartition("=")[2].split(",")


def together(*options: Decorator) -> Decorator:
    """Combine options into one decorator; the help shows them in this order."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(options):
            function = decorator(function)
        return function

    return decorated


def section(title: str, *options: Decorator) -> Decorator:
    """Show these options in a section of the help: Input, System, Metrics, Statistics or Output."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        before = len(getattr(function, "__click_params__", ()))
        function = together(*options)(function)
        for parameter in getattr(function, "__click_params__", [])[before:]:
            if isinstance(parameter, Option):
                parameter.section = title
        return function

    return decorated


SECTIONS = ("Input", "System", "Metrics", "Statistics", "Output", "")


def _show_all(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[SHOW_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_help_all = Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
    help="Show all options, with the rare ones.",
)  # fmt: skip


class Command(click.Command):
    """A command whose help has sections."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        parameters = super().get_params(ctx)
        rare = any(isinstance(each, Option) and each.rare for each in parameters)
        return [*parameters, _help_all] if rare else parameters

    def invoke(self, ctx: click.Context) -> Any:
        inputs: list[str] = []
        outputs: list[str] = []
        for parameter in self.params:
            value = ctx.params.get(parameter.name or "")
            values = value if isinstance(value, tuple) else (value,)
            texts = [os.fspath(each) for each in values if isinstance(each, str | os.PathLike)]
            (outputs if isinstance(parameter.type, OutputPath) else inputs).extend(texts)
        with inputs_kept(inputs, outputs):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, Option) and parameter.rare and not ctx.meta.get(SHOW_ALL):
                continue
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                rows[getattr(parameter, "section", "")].append(record)
        longest = max(len(name) for records in rows.values() for name, _ in records)
        width = min(longest, _NAME_WIDTH)
        if sum(map(bool, rows.values())) <= 2:  # too few for sections
            rows = {"Options": [record for records in rows.values() for record in records]}
        for title, records in rows.items():
            if records:
                records[0] = (records[0][0].ljust(width), records[0][1])  # all sections have one margin
                with formatter.section(title or "Other"):
                    formatter.write_dl(records, col_max=_NAME_WIDTH)


class ManyValues(Command):
    """A command whose repeatable options take several values at once: `--hyp A B C`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        repeatable = {
            name: parameter.name or ""
            for parameter in self.params
            if isinstance(parameter, click.Option) and parameter.multiple
            for name in parameter.opts
        }
        optional = {
            name: value
            for parameter in self.params
            if isinstance(parameter, click.Option)
            and not parameter.is_flag
            and isinstance(value := parameter.flag_value, str)
            for name in parameter.opts
        }
        args = _with_default_values(args, optional)
        return super().parse_args(ctx, _with_repeated_options(args, repeatable))


def _with_default_values(args: list[str], optional: Mapping[str, str]) -> list[str]:
    """The arguments with a value for each option that may lack one: a file after it is not its value."""
    if not optional.keys() & set(args):
        return args
    completed: list[str] = []
    for argument, following in pairwise([*args, "--"]):
        lacks_value = argument in optional and (
            following.startswith("-") or "." in following or os.path.exists(following)
        )
        completed.append(f"{argument}={optional[argument]}" if lacks_value else argument)
    return completed


def _with_repeated_options(args: list[str], repeatable: Mapping[str, str]) -> list[str]:
    """The arguments with the name of a repeatable option before each of its values."""
    expanded: list[str] = []
    current: str | None = None  # the repeatable option whose further values may follow
    fresh = False
    for i, argument in enumerate(args):
        if argument == "--":
            return expanded + args[i:]
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
    return expanded


def _may_follow(name: str, value: str) -> bool:
    """Whether a word is a further value of the option before it; a file is not a metric, for example."""
    if name not in _NOT_FILES:
        return True
    from errata.metrics import METRICS

    return value.partition(":")[0].partition(",")[0] in METRICS or not os.path.exists(value)


class Commands(click.Group):
    """Subcommands in the order of their definition; the error for a mistyped name lists all of them."""

    command_class = Command
    noun = "command"  # what messages call a subcommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        exists = not args or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if not exists and not ctx.resilient_parsing:  # completion parses an unfinished command line
            ctx.fail(f"No such {self.noun} '{args[0]}'. {self.suggestion(ctx, args[0])}")
        return super().resolve_command(ctx, args)

    def suggestion(self, ctx: click.Context, name: str) -> str:
        """The subcommand that was probably meant, or a list of all."""
        return capitalised(one_of(name, self.list_commands(ctx))) + "."


class LazyGroup(Commands):
    """Subcommands that are imported when used.

    `table` has the first line of the help of each. They are defined in `module`, or in one of `others`.
    """

    def __init__(
        self, *args: Any, table: Mapping[str, str], module: str, others: Mapping[str, str], **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.table = table
        self.module = module
        self.others = others

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module = import_module(f"errata.cli.{self.others.get(cmd_name, self.module)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
