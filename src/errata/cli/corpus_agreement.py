"""`errata corpus agreement`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, option, section
from errata.cli.options import emit, format_option

if TYPE_CHECKING:
    from errata.human.corrections import Acceptance, Texts
    from errata.tables import Table


@click.command(cls=Command)
@click.argument("sets", nargs=-1, metavar="[NAME=]FILE[,FILE...]...")
@section(
    "Input",
    option(
        "--source", "-s", metavar="FILE",
        help="Uncorrected sentences, to show the changes of every set, too.",
    ),
    option("--leave-out", metavar="FILE", help="File with numbers of lines to leave out, from 1."),
    option(
        "--missing", type=click.Choice(["leave-out", "source", "other"]), default="leave-out",
        help="If an annotator of an M2 file lacks sentences: leave-out, source (count them as unchanged) or "
        "other (take the first annotator's).",
    ),
    option(
        "--second-pass", metavar="FILE",
        help="TSV with the columns first, second, accepted (0 or 1): second annotators accept or reject "
        "corrections of first ones.",
    ),
)  # fmt: skip
@section("Statistics", option("--case", is_flag=True, help="Make sTER case-sensitive."))
@format_option
def agreement(
    sets: tuple[str, ...], source: str | None, leave_out: str | None, missing: str, case: bool,
    second_pass: str | None, format_: str, output: str,
) -> None:  # fmt: skip
    """Compare the corrections of annotators: identical share, sTER, edits, acceptance.

    A set has the corrected texts of one or more annotators, one file each, or one M2 file. Agreement is
    shown within every set and between every two sets, over all pairs of annotators.

    \b
    errata corpus agreement -s orig.txt experts=e1.txt,e2.txt crowd=c1.txt
    """
    from errata.human.corrections import agreements, changes, differences_table

    if not sets and second_pass is None:
        raise click.UsageError("give two or more annotators' files, or --second-pass")
    tables: list[Table] = []
    if sets:
        texts, sources = _read(sets, source, missing)
        texts, sources = _leave_out(leave_out, texts, sources)
        if sources is not None:
            changed = changes(sources, texts, lowercase=not case)
            tables.append(differences_table(changed, "Changes of the source", share="changed %"))
        pairs = agreements(texts, lowercase=not case)
        if not pairs and sources is None:
            raise click.UsageError(
                "agreement needs two annotators: give the corrections of another, or --source"
            )
        if pairs:
            tables.append(differences_table(pairs, "Agreement on corrections", share="identical %"))
    if second_pass is not None:
        tables.append(_acceptance(second_pass).table())
    emit(tables, format_, output)


def _read(
    sets: tuple[str, ...], source: str | None, missing: str
) -> tuple[dict[str, list[Texts]], list[str] | None]:  # fmt: skip
    """The texts of every set, and the sources if there are any."""
    from errata.corpus.files import read_lines
    from errata.corpus.parallel import system_name, unused

    sources = None if source is None else read_lines(source)
    texts: dict[str, list[Texts]] = {}
    for text in sets:
        name, _, files = text.rpartition("=")
        names = files.split(",")
        annotators = [each for file in names for each in _annotators(file, missing)]
        texts[unused(name or system_name(names[0]), texts)] = annotators
    lengths = {len(annotator) for annotators in texts.values() for annotator in annotators}
    if sources is not None:
        lengths.add(len(sources))
    if len(lengths) > 1:
        from errata.errors import DataError

        raise DataError(
            f"the texts have {' and '.join(str(n) for n in sorted(lengths))} lines",
            hint="give parallel texts",
        )
    return texts, sources


def _annotators(file: str, missing: str) -> list[Texts]:
    from errata.corpus.files import plain_suffix, read_lines
    from errata.corpus.formats import read_corpus

    if plain_suffix(file) != ".m2":
        return [read_lines(file)]
    corpus = read_corpus(file)
    columns: list[Texts] = [corpus.references(annotator) for annotator in corpus.annotators]
    if missing == "leave-out":
        return columns
    filled: list[Texts] = []
    for column in columns:
        others = corpus.sources if missing == "source" or not filled else filled[0]
        filled.append([other if text is None else text for text, other in zip(column, others, strict=True)])
    return filled


def _leave_out(
    line_numbers: str | None, texts: dict[str, list[Texts]], sources: list[str] | None
) -> tuple[dict[str, list[Texts]], list[str] | None]:  # fmt: skip
    """The texts and sources without the lines that a file names."""
    if line_numbers is None:
        return texts, sources
    from errata.corpus.files import read_lines
    from errata.errors import DataError

    dropped = set()
    for line, text in enumerate(read_lines(line_numbers), start=1):
        if text.strip() and not text.strip().isdecimal():
            raise DataError(f"not the number of a line: {text[:40]!r}", path=line_numbers, line=line)
        if text.strip():
            dropped.add(int(text) - 1)
    kept: dict[str, list[Texts]] = {
        name: [[text for i, text in enumerate(one) if i not in dropped] for one in annotators]
        for name, annotators in texts.items()
    }
    return kept, sources and [text for i, text in enumerate(sources) if i not in dropped]


def _acceptance(path: str) -> Acceptance:
    from errata.errors import DataError
    from errata.human.corrections import acceptance
    from errata.human.judgment_files import read_table

    rows = []
    for line, row in read_table(path, delimiter="\t"):
        if not {"first", "second", "accepted"} <= row.keys():
            raise DataError("expected the columns first, second, accepted", path=path, line=1)
        if row["accepted"] not in ("0", "1"):
            raise DataError(f"accepted is {row['accepted']!r}", path=path, line=line, hint="write 0 or 1")
        rows.append((row["first"], row["second"], row["accepted"] == "1"))
    if not rows:
        raise DataError("no judgments in it", path=path)
    return acceptance(rows)
