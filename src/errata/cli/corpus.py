"""`errata corpus …`: each subcommand is loaded when it is used."""

from __future__ import annotations

import click

from errata.cli.groups import LazyGroup

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


@click.command(cls=LazyGroup, prefix="corpus_", table=SUBCOMMANDS)
def command() -> None:
    """Check, count, convert, tokenise, split and sample corpora."""
