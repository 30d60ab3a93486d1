"""Groups of subcommands: defined in one module, or in modules that are loaded when they are called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from errata.errors import capitalised, one_of


class Commands(click.Group):
    """Subcommands in the order in which they were defined; a mistyped one is answered with all there are."""

    word = "command"  # what messages call a subcommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = not args or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if not known and not ctx.resilient_parsing:  # completion asks about half a command line
            names = self.list_commands(ctx)
            ctx.fail(f"No such {self.word} '{args[0]}'. {capitalised(one_of(args[0], names))}.")
        return super().resolve_command(ctx, args)


class LazyGroup(Commands):
    """`table`: subcommands and their help in a line; each is `command` in errata.cli.<prefix><name>."""

    def __init__(self, *args: Any, prefix: str, table: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.prefix = prefix
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        command: click.Command = import_module(f"errata.cli.{self.prefix}{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
