"""Write docs/cli.md from the commands themselves. With --check: only say whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from errata.cli import SECTIONS, VERBS, cli

TARGET = Path(__file__).parents[1] / "docs" / "cli.md"
HEAD = "# Command line reference\n\nMade from the code by `python tools/cli_reference.py`; do not edit.\n"


def pages(command: click.Command, name: str, parent: click.Context | None, depth: int) -> list[str]:
    """The help of a command and of its subcommands."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    path = context.command_path
    text = [f"{'#' * depth} `{path}`\n", "```text", command.get_help(context), "```\n"]
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None, sub
            text += pages(found, sub, context, depth + 1)
    return text


def reference() -> str:
    """The whole page."""
    root = click.Context(cli, info_name="errata")
    text = [HEAD]
    for section in SECTIONS:
        text.append(f"## {section}\n")
        for verb, (place, *_) in VERBS.items():
            if place == section:
                command = cli.get_command(root, verb)
                assert command is not None, verb
                text += pages(command, verb, root, 3)
    return "\n".join(text).rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.exists() and TARGET.read_text() == reference() else "docs/cli.md is out of date")
    TARGET.write_text(reference())
