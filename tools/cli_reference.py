"""The reference of the command line, made from the commands: `make docs` puts its pages into cli/."""

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


def verbs() -> dict[str, list[str]]:
    """The verbs by section."""
    return {
        section: [verb for verb, (place, *_) in VERBS.items() if place == section] for section in SECTIONS
    }


def reference() -> dict[str, str]:
    """The pages by name: an overview, and one for every verb."""
    root = click.Context(cli, info_name="errata")
    overview = ["# Command line reference\n", "`errata VERB --help-all` prints the same.\n"]
    text_of = {}
    for section, names in verbs().items():
        overview += [f"## {section}\n", "| verb | what it does |", "|---|---|"]
        for verb in names:
            command = cli.get_command(root, verb)
            assert command is not None, verb
            overview.append(f"| [`{verb}`]({verb}.md) | {command.get_short_help_str(200)} |")
            text_of[verb] = "\n".join(pages(command, verb, root, 1)).rstrip() + "\n"
        overview.append("")
    return {"index": "\n".join(overview), **text_of}


if __name__ == "__main__":
    print("\n".join(reference().values()), end="")
