"""`errata compat errant_m2`: the official arguments and output."""

from __future__ import annotations

import click

from errata.cli.compat.errant import NOOP, edit_lines, extraction_options, make_extractor


@click.command()
@click.argument("m2_file")
@click.option("-auto", is_flag=True, help="Extract edits automatically.")
@click.option("-gold", is_flag=True, help="Use existing edit alignments.")
@click.option("-no_min", is_flag=True, help="Do not minimise edit spans (gold only).")
@click.option("-old_cats", is_flag=True, help="Preserve old error types (gold only).")
@extraction_options
def command(
    m2_file: str, auto: bool, gold: bool, no_min: bool, old_cats: bool,
    out: str, lev: bool, merge: str, lang: str, tagger: str, words: str,
) -> None:  # fmt: skip
    """Automatically extract and/or classify edits in an M2 file."""
    if auto == gold:
        raise click.UsageError("give either -auto or -gold")
    from errata.corpus.files import open_output
    from errata.corpus.m2 import read_m2
    from errata.edits.reannotation import extracted_anew, typed

    click.echo("Loading resources...")
    extractor = make_extractor(lang, tagger, words, merge, lev)
    click.echo("Processing M2 file...")
    corpus = read_m2(m2_file)
    annotated = (
        (segment.source, annotation.edits) for segment in corpus for annotation in segment.annotations
    )
    edits = (
        extracted_anew(extractor, annotated)
        if auto
        else typed(extractor, annotated, minimise=not no_min, keep_types=old_cats)
    )
    with open_output(out) as file:
        for segment in corpus:
            file.write(f"S {segment.source}\n")
            for annotation in segment.annotations:
                found = next(edits)
                if annotation.edits:
                    file.writelines(edit_lines(found, annotation.annotator))
                elif not annotation.implicit:
                    file.write(NOOP.format(annotation.annotator))
            file.write("\n")
