"""`errata corpus project` and `errata corpus clean`: outputs as models write them become outputs to score"""

from __future__ import annotations

from collections.abc import Sequence

import click

from errata.cli.commands import Command, OutputPath, option, together
from errata.cli.options import note
from errata.text.tokenizers import TOKENIZERS

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


@click.command(cls=Command)
@_texts
@option(
    "--tokenizer",
    "-t",
    "name",
    type=click.Choice(TOKENIZERS),
    default="penn",
    help="Rules for text that has changed:",
)
@option("--lang", default="en", metavar="CODE", help="Language, for moses.")
@option("--model", type=click.Path(), metavar="FILE", help="UDPipe 1 model, for udpipe.")
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
