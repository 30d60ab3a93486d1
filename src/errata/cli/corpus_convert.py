"""`errata corpus convert`"""

from __future__ import annotations

import click

from errata.cli.options import corpus_options, to_options


@click.command()
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@corpus_options
@to_options
@click.option(
    "--annotator", "-a", "annotators", multiple=True, type=int,
    help="Keep only this annotator; repeat for more.",
)  # fmt: skip
@click.option("--sources-only", is_flag=True, help="Drop all annotations.")
@click.option(
    "--regroup", type=click.Choice(["paragraph", "document"]), help="Merge the segments of each of these."
)
@click.option(
    "--missing", type=click.Choice(["drop", "source", "first"]), default="drop", show_default=True,
    help="An annotator who is missing from some segments: stays so (left out of merged ones); counts as "
    "having changed nothing; or is completed by the first annotator.",
)  # fmt: skip
def command(
    source: str, target: str, from_: str | None, references: tuple[str, ...], meta: tuple[str, ...],
    to: str | None, write_meta: bool, annotators: tuple[int, ...], sources_only: bool,
    regroup: str | None, missing: str,
) -> None:  # fmt: skip
    """Convert between formats, choose annotators, regroup to paragraphs or documents.

    IN and OUT may be - and may be compressed (.gz .bz2 .xz .zst). Plain text goes to several files:
    the sources to OUT.txt, annotator N's texts to OUT.refN.txt.

    \b
    errata corpus convert gold.m2 gold.jsonl
    errata corpus convert test.src test.m2 -r test.ref0 -r test.ref1
    errata corpus convert geccc/dev/sentence.m2 - --to m2 --regroup document
    """
    from errata.corpus.formats import format_to_write, read_corpus, write_corpora
    from errata.corpus.transforms import completed, only_annotators

    to = to or format_to_write(target)
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    if annotators or sources_only:
        corpus = only_annotators(corpus, () if sources_only else annotators)
    if missing != "drop":
        corpus = completed(corpus, missing)
    if regroup:
        corpus = corpus.regrouped(regroup, missing=missing)
    write_corpora([(corpus, target)], format=to, meta=write_meta)
