"""`errata corpus tokenize`, `detokenize`, `project` and `clean`: texts changed line by line"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from errata.cli.commands import Command, OutputPath, option, together
from errata.cli.options import note
from errata.text.tokenizers import TOKENIZERS, Tokenizer

_EXAMPLES = 3  # changed lines that are shown
_SHOWN = 90  # characters of a line that are shown

_texts = together(
    click.argument("source", metavar="SOURCE", type=click.Path(allow_dash=True)),
    click.argument("hypotheses", metavar="OUTPUT", type=click.Path(allow_dash=True)),
)
_output_options = together(
    option(
        "--output", "-o", default="-", type=OutputPath(),
        help="File to write to, instead of standard output.",
    ),
    option(
        "--report", type=OutputPath(), metavar="FILE",
        help="Write every changed line, before and after, to this TSV file.",
    ),
)  # fmt: skip


_splitter_options = together(
    option("--tokenizer", "-t", "name", type=click.Choice(TOKENIZERS), default="penn", help="Tokenizer:"),
    option("--lang", default="en", metavar="CODE", help="Language, for moses."),
    option("--model", type=click.Path(), metavar="FILE", help="UDPipe 1 model, for udpipe."),
)  # fmt: skip


@click.command(cls=Command)
@_texts
@_splitter_options
@_output_options
def project(
    source: str, hypotheses: str, name: str, lang: str, model: str | None, output: str, report: str | None
) -> None:  # fmt: skip
    """Give a detokenised output the tokens of its source.

    Text that did not change keeps the tokens of the source; changed text is split by a tokenizer. SOURCE is
    a corpus (M2, …) or text with one sentence per line, OUTPUT is text with as many lines.

    \b
    errata corpus project gold.m2 llm.txt -o llm.tok
    """
    from errata.corpus.parallel import read_aligned
    from errata.text.projection import project as project_texts
    from errata.text.tokenizers import tokenizer

    sources = _sources(source, hypotheses)
    splitter = tokenizer(name, lang=lang, model=model)
    lines = [*read_aligned(hypotheses, sources, source)]
    projected = project_texts(sources, lines, splitter)
    rows = [
        (number, before, after, "tokens")
        for number, (before, after) in enumerate(zip(lines, projected, strict=True), start=1)
        if before != after
    ]
    _write(projected, rows, output, report)
    note(f"{len(rows):,} of {len(lines):,} lines have other tokens now")


@click.command(cls=Command)
@_texts
@_output_options
def clean(source: str, hypotheses: str, output: str, report: str | None) -> None:
    """Remove what a language model added to its corrections.

    Removes introductions, quotation marks and Markdown around the line, numbers, bullets, explanations and
    repetitions of the source. A refusal becomes the source. If OUTPUT has more lines than SOURCE, the line
    that corrects each source is kept. SOURCE is a corpus (M2, …) or text with one sentence per line.

    \b
    errata corpus clean gold.m2 llm.txt -o llm.clean --report changes.tsv
    """
    from collections import Counter

    from errata.corpus.answers import clean_answers, matching_lines
    from errata.corpus.files import read_lines

    sources = _sources(source, hypotheses)
    answers = read_lines(hypotheses)
    lines = matching_lines(sources, answers, hypotheses)
    cleaned = clean_answers(sources, lines)
    rows = [
        (number, line, answer.text, ", ".join(answer.removed) or "spaces")
        for number, (line, answer) in enumerate(zip(lines, cleaned, strict=True), start=1)
        if line != answer.text
    ]
    _write([answer.text for answer in cleaned], rows, output, report)
    if len(answers) > len(lines):
        note(f"{len(answers) - len(lines):,} of {len(answers):,} lines correct no source and are left out")
    kinds = Counter(kind for answer in cleaned for kind in answer.removed)
    details = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
    note(f"{len(rows):,} of {len(lines):,} lines are changed" + (f" ({details})" if details else ""))
    for number, before, after, removed in rows[:_EXAMPLES]:
        click.echo(f"  line {number} ({removed}): {before[:_SHOWN]!r} → {after[:_SHOWN]!r}", err=True)
    if len(rows) > _EXAMPLES and report is None:
        click.echo("  all of them: --report FILE", err=True)


def _sources(source: str, hypotheses: str) -> list[str]:
    from errata.corpus.formats import read_corpus

    if source == hypotheses == "-":
        raise click.UsageError("only one file can be - (stdin)")
    return [" ".join(line.split()) for line in read_corpus(source).sources]


def _write(
    lines: Sequence[str], rows: Sequence[tuple[int, str, str, str]], output: str, report: str | None
) -> None:  # fmt: skip
    """Write the lines, and the report of the changed ones; files appear only when both are complete."""
    from contextlib import ExitStack

    from errata.corpus.files import open_output

    with ExitStack() as stack:
        if report is not None:
            file = stack.enter_context(open_output(report))
            file.write("line\tchange\tbefore\tafter\n")
            for number, before, after, change in rows:
                texts = (text.replace("\\", r"\\").replace("\t", r"\t") for text in (before, after))
                file.write("\t".join((str(number), change, *texts)) + "\n")
        stack.enter_context(open_output(output, whole=True)).writelines(f"{line}\n" for line in lines)


_tokenizer_options = together(
    _splitter_options,
    option(
        "--quotes", type=click.Choice(["keep", "penn"]), default="keep",
        help="Double quotes with penn: keep, or penn (`` and '').",
    ),
    option(
        "--output", "-o", default="-", type=OutputPath(),
        help="File to write to, instead of standard output.",
    ),
    option("--suffix", metavar="TEXT", help="Write a file for each, named FILE plus this suffix: .tok"),
    click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE…"),
)  # fmt: skip


@click.command(cls=Command)
@_tokenizer_options
def tokenize(**settings: Any) -> None:
    """Split text into tokens, line by line: a line stays a line.

    FILE is plain text, possibly compressed; - is standard input. The CoNLL shared tasks use penn, which
    expects one sentence per line; characters is for Chinese and Japanese.

    \b
    errata corpus tokenize -t moses --lang cs essays.txt > essays.tok
    """
    _rewrite(lambda by, line: " ".join(by.tokenize(line)), **settings)


@click.command(cls=Command)
@_tokenizer_options
def detokenize(**settings: Any) -> None:
    """Join tokens to readable text, line by line: a line stays a line.

    FILE is text with blanks between tokens, possibly compressed; - is standard input.
    """
    _rewrite(lambda by, line: by.detokenize(line.split()), **settings)


def _rewrite(
    change: Callable[[Tokenizer, str], str], files: tuple[str, ...], name: str, lang: str,
    model: str | None, quotes: str, output: str, suffix: str | None,
) -> None:  # fmt: skip
    """Change files line by line, each line written before the next is read."""
    from errata.corpus.files import open_output, plain_suffix, stream_lines
    from errata.errors import DataError
    from errata.text.tokenizers import tokenizer

    if suffix is not None and (output != "-" or "-" in files):
        raise click.UsageError(
            "--suffix names a file for each FILE: leave out --output, and give no - (stdin)"
        )
    line_tokenizer = tokenizer(name, lang=lang, model=model, quotes=quotes)
    for path in files:
        if plain_suffix(path) == ".m2":
            hint = "convert it first: errata corpus convert"
            raise DataError("the tokens of M2 cannot be changed, its edits count them", path=path, hint=hint)

    def write(paths: Iterable[str], to: str) -> None:
        lines = (change(line_tokenizer, line) + "\n" for path in paths for line in stream_lines(path))
        if to == "-":
            sys.stdout.buffer.writelines(line.encode("utf-8") for line in lines)
            return
        with open_output(to) as file:
            file.writelines(lines)

    if suffix is None:
        write(files, output)
    else:
        for path in files:
            write([path], path + suffix)
