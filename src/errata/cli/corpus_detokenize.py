"""`errata corpus detokenize`"""

from __future__ import annotations

from typing import Any

import click

from errata.cli.corpus_tokenize import rewrite, tokenizer_options


@click.command()
@tokenizer_options
def command(**settings: Any) -> None:
    """Join tokens to readable text, line by line: a line stays a line.

    FILE is text with blanks between tokens, maybe compressed; - is standard input.
    """
    rewrite(lambda tool, line: tool.detokenize(line.split()), **settings)
