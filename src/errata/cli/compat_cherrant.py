"""`errata compat cherrant_parallel` and `cherrant_compare`: the official arguments and output"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import ManyValues, OutputPath, option
from errata.cli.compat_errant import compare_options, compared

if TYPE_CHECKING:
    from errata.edits.chinese import ChineseExtractor


@click.command(cls=ManyValues)
@option("-f", "--file", required=True, help="Lines of id, source and corrections, separated by tabs.")
@option("-o", "--output", type=OutputPath(), required=True, help="M2 file to write.")
@option("-g", "--granularity", type=click.Choice(["char", "word"]), default="char", help="Units of edits.")
@option(
    "-s", "--multi_cheapest_strategy", "strategy", type=click.Choice(["first", "all"]), default="all",
    help="The first alignment of least cost, or all.",
)  # fmt: skip
@option("--segmented", is_flag=True, help="Tokens are separated by blanks; at word level as word/tag.")
@option("--no_simplified", is_flag=True, help="Do not convert corrections to simplified characters.")
@option("--bpe", is_flag=True, hidden=True)
@option("-b", "--batch_size", type=int, hidden=True)
@option("-d", "--device", type=int, hidden=True)
@option("-w", "--worker_num", type=int, hidden=True)
@option("-m", "--merge", is_flag=True, hidden=True)
@option("--resources", help="Folder with cilin.txt and confusion_dict.txt; without it edits are approximate.")
def cherrant_parallel(
    file: str, output: str, granularity: str, strategy: str, segmented: bool, no_simplified: bool,
    resources: str | None, **ignored: Any,
) -> None:  # fmt: skip
    """Extract the edits of Chinese parallel text as ChERRANT's parallel_to_m2 does.

    At word level the official program segments and tags the text with a model of its own; here, it must be
    segmented and tagged (--segmented, with word/tag). -b, -d, -w, -m and --bpe have no effect.
    """
    if granularity == "word" and not segmented:
        raise click.UsageError("-g word needs --segmented, and tokens of the form word/tag")

    from errata.corpus.files import open_output, stream_lines
    from errata.edits.chinese import ChineseExtractor, Resources, Token, characters
    from errata.errors import DataError

    words = granularity == "word"
    extractor = ChineseExtractor(Resources.read(resources) if resources else None, words=words)
    if not resources or words:
        click.echo(
            "note: edits are approximate: "
            + ("words are tagged by another program" if resources else "no thesaurus, no confusion sets and "
            "no pinyin (--resources FOLDER), and no conversion to simplified characters"),
            err=True,
        )  # fmt: skip
    divide = (lambda text: [*map(Token, text.split())]) if words else str.split if segmented else characters
    with open_output(output) as target:
        for number, line in enumerate(stream_lines(file), 1):
            try:
                target.write(
                    _block(extractor, line, divide, first=strategy == "first", simplify=not no_simplified)
                )
            except DataError as error:
                raise DataError(error.message, path=file, line=number, hint=error.hint) from None


def _block(
    extractor: ChineseExtractor, line: str, divide: Callable[[str], Sequence[str]], *, first: bool,
    simplify: bool,
) -> str:  # fmt: skip
    """The M2 block of a line."""
    from errata.corpus.cherrant import (
        UNANNOTATED,
        UNANNOTATED_TYPE,
        UNCHANGED,
        format_answer,
        format_remark,
    )
    from errata.edits.chinese import MOST_ALIGNMENTS
    from errata.errors import DataError

    _, *texts = line.split("\t")
    if len(texts) < 2:
        raise DataError(f"no correction: {line[:60]!r}", hint="expected: id, source, corrections, with tabs")
    source = divide(texts[0])
    lines = [f"S {' '.join(source)}\n"]
    for number, text in enumerate(texts[1:]):
        target = divide(extractor.resources.simplified(text) if simplify else text)
        if "".join(target) == UNANNOTATED:
            lines.append(format_remark(number, UNANNOTATED, UNANNOTATED_TYPE))
            continue
        if "".join(target) in (UNCHANGED, "".join(source)):
            target = source
        sequences, complete = extractor.sequences(source, target, first=first)
        if not complete:
            click.echo(
                f"note: {texts[0][:30]!r} has more than {MOST_ALIGNMENTS:,} alignments; the first ones count",
                err=True,
            )
        lines.append(format_answer(number, " ".join(target), sequences))
    return "".join(lines) + "\n"


@click.command(cls=ManyValues)
@compare_options
@option("--start", type=int, help="Number of the first sentence, from 0; with --end.")
@option("--end", type=int, help="Number of the sentence after the last one.")
@option("--max_answer_num", type=click.IntRange(1, 3), help="Use only the first answers.")
@option("--reference_num", type=int, help="Use only sentences with this number of answers.")
def cherrant_compare(
    start: int | None, end: int | None, max_answer_num: int | None, reference_num: int | None, **given: Any
) -> None:
    """Calculate F-scores of ChERRANT's M2 files as its compare_m2_for_evaluation does."""
    if start is None or end is None:
        start = end = None
    lines = compared(
        **given, cherrant=True, start=start, end=end, answers=max_answer_num, references=reference_num
    )
    for line in lines:
        click.echo(line)
