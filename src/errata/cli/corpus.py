"""`errata corpus …`: each subcommand is loaded when it is used."""

from __future__ import annotations

from importlib import import_module

import click

# subcommand -> first line of its help; the command is `command` in errata.cli.corpus_<subcommand>
SUBCOMMANDS = {
    "check": "Find what is wrong with corpus files, before it shows as a wrong score.",
    "stats": "Count segments, documents, tokens, edits, error types; error rates by definition.",
    "convert": "Convert between formats, choose annotators, regroup to paragraphs or documents.",
    "tokenize": "Split text into tokens, line by line.",
    "detokenize": "Join tokens to readable text, line by line.",
    "split": "Split by document into parts of given sizes, stratified, the same for a seed.",
    "sample": "Draw segments or documents at random, stratified, the same for a seed.",
    "agreement": "Compare annotators' corrections: identical share, sTER, edits; acceptance.",
}


class Subcommands(click.Group):
    """Loads a subcommand's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = import_module(f"errata.cli.corpus_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command(cls=Subcommands)
def command() -> None:
    """Check, count, convert, tokenise, split and sample corpora."""
