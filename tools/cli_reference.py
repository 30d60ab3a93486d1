"""The reference of the command line, made from the commands: `make docs` puts it into the site as cli.md."""

from __future__ import annotations

import click

from errata.cli import SECTIONS, VERBS, cli
from errata.cli.commands import SHOW_ALL


def pages(command: click.Command, name: str, parent: click.Context, depth: int) -> list[str]:
    """The help of a command with all options, and of its subcommands."""
    widths = {"max_content_width": 100, "terminal_width": 100}
    context = click.Context(command, parent, name, **{**command.context_settings, **widths})
    context.meta[SHOW_ALL] = True
    text = [f"{'#' * depth} `{context.command_path}`\n", "```text", command.get_help(context), "```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None, name
            text += pages(subcommand, name, context, depth + 1)
    return text


def reference() -> str:
    """The whole page."""
    root = click.Context(cli, info_name="errata")
    text = ["# Command line reference\n"]
    for section in SECTIONS:
        text.append(f"## {section}\n")
        for verb, (place, *_) in VERBS.items():
            if place == section:
                command = cli.get_command(root, verb)
                assert command is not None, verb
                text += pages(command, verb, root, 3)
    return "\n".join(text).rstrip() + "\n"


if __name__ == "__main__":
    print(reference(), end="")
