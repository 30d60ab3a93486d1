"""`errata correct`"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, OutputPath
from errata.cli.options import NumberRange, engine_options, jobs_option, note, progress, quiet_option
from errata.text.languages import language_name, misfit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errata_correct.corrector import Corrector
    from errata_correct.review import Question

_AROUND = 60  # characters of context on either side of a suggestion


@click.command(cls=Command)
@click.argument("source", default="-", type=click.Path())
@click.option(
    "--model", "-m", "models", multiple=True,
    help="A model's name, or its file or folder; with --serve one for every language, as LANG=MODEL. "
    "[default: a model for the language of the text]",
)  # fmt: skip
@click.option(
    "--mode", type=click.Choice(("spelling", "diacritics", "strip")), default="spelling", show_default=True,
    help="What a noisy-channel model does: correct, restore diacritics, or remove them.",
)  # fmt: skip
@click.option(
    "--threshold", "-t", type=NumberRange(0, 1),
    help="Make only changes of at least this confidence. [default: the model's own if its confidences "
    "are calibrated, otherwise 0: all]",
)  # fmt: skip
@click.option("--tokenized", is_flag=True, help="The text has blanks between its tokens, as M2 sources do.")
@click.option(
    "--interactive", "-i", is_flag=True,
    help="Ask about every suggestion: accept, reject, edit or quit. All decisions are kept.",
)  # fmt: skip
@click.option(
    "--serve",
    is_flag=True,
    help="Serve the LanguageTool HTTP API and a page, until interrupted; without SOURCE.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on with --serve.")
@click.option("--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="Its port.")
@click.option(
    "--output", "-o", type=OutputPath(), default="-", help="File to write to, instead of standard output."
)
@jobs_option
@engine_options
@quiet_option
def command(
    source: str, models: tuple[str, ...], mode: str, threshold: float | None, tokenized: bool,
    interactive: bool, serve: bool, host: str, port: int, output: str, jobs: int, engine_name: str,
    address: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Correct text line by line: SOURCE is a text file, an .m2 file (its sources), or - for stdin.

    In Markdown (.md), markup does not change. SOURCE may also be a URL, or a quoted pattern of several files.

    \b
    errata correct --model cs letter.txt -o corrected.txt
    errata correct --model en --interactive draft.md -o corrected.md
    errata correct --model cs --model en --serve
    """
    from errata_correct.documents import is_document
    from errata_correct.loading import load_corrector

    if serve and not models:
        raise click.UsageError("--serve needs --model, once for every language")
    if serve:
        from errata_correct.serving import correctors
        from errata_correct.serving import serve as run

        by_language = correctors(models, threshold)
        click.echo(f"{', '.join(by_language)}: http://{host}:{port} (Ctrl+C ends it)", err=True)
        run(by_language, host, port)
        return
    if len(models) > 1:
        raise click.UsageError("several models need --serve; without it give --model once")
    model = _model_for(source, models, quiet)
    if is_document(source) or interactive:
        if tokenized:
            raise click.UsageError("--tokenized is for plain text that is corrected line by line")
        _document(source, output, load_corrector(model, mode, threshold), interactive)
        return
    from errata.corpus.blocks import rewrite
    from errata.engine import open_executor
    from errata_correct.corrector import hidden_note
    from errata_correct.line_work import Correct
    from errata_correct.truncated import truncated_note

    work = Correct(model, mode, tokenized, threshold)
    gc.disable()  # the collector would search many lists of words, which have no cycles
    try:
        if engine_name == "threads":
            work.corrector  # noqa: B018 (a missing model is an error before any file is opened)
        executors = open_executor(engine_name, jobs=jobs, address=address)
        with executors as executor, progress(None, "correcting", quiet) as advance:
            written = rewrite(source, output, work, executor, advance, note)
    finally:
        gc.enable()
    if written.left:
        note(truncated_note(written.left))
    if written.hidden and not quiet:
        note(hidden_note(written.hidden))


def _model_for(source: str, models: Sequence[str], quiet: bool) -> str:
    """The model to use; says so if the user named none, or if the text is in another language."""
    from errata_correct.languages import language_of_model, model_for, sample_of

    sample = sample_of(source)
    if not models:
        model = model_for(sample, source)
        if not quiet:
            note(f"the text is {language_name(language_of_model(model))}: --model {model}")
        return model
    language = language_of_model(models[0])
    other = misfit(language, sample) if language else None
    if other is not None:
        meant = f", but {language_name(other.found)}" if other.found else ""
        note(f"the text does not seem to be {language_name(language)}{meant}: {other.reason}")
    return models[0]


def _document(source: str, output: str, corrector: Corrector, interactive: bool) -> None:
    """Correct a document as a whole, or ask about every suggestion for it."""
    import sys

    from errata.corpus.files import open_binary_output
    from errata_correct.corrector import collect_hidden, hidden_note
    from errata_correct.documents import read_document
    from errata_correct.truncated import collect_truncated, truncated_note

    if interactive and (source == "-" or not sys.stdin.isatty()):
        raise click.UsageError("--interactive asks on the terminal: give a file as SOURCE, not stdin")
    document = read_document(source)
    with collect_truncated() as truncated, collect_hidden() as hidden:
        if interactive:
            from errata_correct.review import review

            done = review(document.texts, corrector, _ask)
            accepted = done.accepted
            if not done.finished:
                note("stopped: the text after the last decision is unchanged")
            note(f"{done.changes} of {done.reviewed} suggestions accepted")
        else:
            accepted = corrector.suggest(document.texts)
    if truncated:
        note(truncated_note([f"{document.texts[number][:40]!r}" for number in sorted(truncated)]))
    if sum(hidden):
        note(hidden_note(sum(hidden)))
    content = document.corrected(accepted).encode("utf-8")
    if output == "-":
        sys.stdout.buffer.write(content)
        return
    with open_binary_output(output) as file:
        file.write(content)


def _ask(question: Question) -> str | None:
    """Show a suggestion; return the replacement, or None to leave the text as it is."""
    from errata_correct.review import Quit

    text, one = question.text, question.suggestion
    before, after = text[max(one.start - _AROUND, 0) : one.start], text[one.end : one.end + _AROUND]
    old = click.style(text[one.start : one.end], fg="red", strikethrough=True)
    new = click.style(one.text, fg="green", bold=True)
    click.echo(f"\n[{question.done + 1}/{question.total}] {one.kind}, {one.confidence:.0%}", err=True)
    click.echo(f"  {before}{old}{new}{after}".replace("\n", " "), err=True)
    while True:
        click.echo("a accept, r reject, e edit, q quit: ", nl=False, err=True)
        key = click.getchar().lower()
        click.echo(key if key.isprintable() else "", err=True)
        if key == "a":
            return one.text
        if key == "r":
            return None
        if key == "e":
            return str(click.prompt("  replace by", default=one.text, err=True))
        if key == "q":
            raise Quit
