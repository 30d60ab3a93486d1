"""Files without an option: gold edits, outputs or statistics, recognised by content and order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import click

Kind = Literal["saved", "corpus", "text"]


@dataclass(frozen=True)
class FileRoles:
    """The roles of the files without an option."""

    gold: str | None = None
    hyps: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()


def sort_files(
    files: Sequence[str], *, gold: bool = False, complete: bool = False, outputs: bool = False
) -> FileRoles:  # fmt: skip
    """Tell the gold edits from the outputs and from saved statistics.

    The options may have named the `gold` file already, all that references need (`complete`), or the
    `outputs`. Gold edits are expected first; a single M2 file is recognised at any place.
    """
    for file in files:
        _check_is_file(file)
    kinds = {file: kind_of(file) for file in files}
    saved = tuple(file for file in files if kinds[file] == "saved")
    if saved:
        others = [file for file in files if kinds[file] != "saved"]
        if others or gold or complete or outputs:
            raise click.UsageError(
                f"{saved[0]} seems to have saved statistics, which replace texts: give one or the other\n"
                "  hint: an output is a text file with one sentence per line"
            )
        return FileRoles(stats=saved)
    gold_file = None if gold or complete else _gold(files, kinds, outputs)
    rest = tuple(file for file in files if file != gold_file)
    if rest and outputs:
        raise click.UsageError(
            f"is {rest[0]} an output? Give all outputs after --hyp, or none: give one or the other"
        )
    return FileRoles(gold=gold_file, hyps=rest)


def _check_is_file(name: str) -> None:
    """Raise an error if the name of a metric is given in the place of a file."""
    from errata.metrics import METRICS

    if name.partition(":")[0] in METRICS and not os.path.exists(name):
        raise click.UsageError(f"{name} is a metric, not a file\n  hint: --metric {name}")


def _gold(files: Sequence[str], kinds: dict[str, Kind], outputs: bool) -> str | None:
    """The file with gold edits; an output may be an M2 file too, and then the order decides."""
    corpora = [file for file in files if kinds[file] == "corpus"]
    if not corpora:
        if len(files) > 1 and not outputs:
            systems = " ".join(files[2:]) or "FILE"
            raise click.UsageError(
                "none of these files has gold edits, so their roles are unclear\n"
                f"  hint: --source {files[0]} --ref {files[1]} --hyp {systems}, or an M2 file first"
            )
        return None
    if files[0] not in corpora and len(corpora) > 1:
        raise click.UsageError(
            f"{corpora[0]} and {corpora[1]} may both be gold edits\n"
            "  hint: give the gold file first, or with --m2"
        )
    if files[0] not in corpora:
        click.echo(f"note: {corpora[0]} has the gold edits; the other files are outputs", err=True)
    elif len(corpora) > 1:
        click.echo(f"note: {files[0]} has the gold edits; {', '.join(corpora[1:])} are outputs", err=True)
    return corpora[0]


def kind_of(path: str) -> Kind:
    """Whether a file has saved statistics, a corpus with references, or plain text."""
    from errata.corpus.files import peek, plain_suffix
    from errata.corpus.formats import FORMATS, detect_format

    if os.path.isdir(path):
        return "corpus"
    if path.endswith((".npz", ".json")):
        return "saved"
    if any(plain_suffix(path) in format.suffixes for format in FORMATS.values() if format.name != "text"):
        return "corpus"
    if not os.path.exists(path):  # a pattern, an address, standard input, or nothing
        return "text"
    if peek(path, 4) == "PK\x03\x04":
        return "saved"
    return "text" if detect_format(path) in ("text", "geccc") else "corpus"


def check_kinds(source: str | None, refs: Sequence[str], gold: str | None, hyps: Sequence[str]) -> None:
    """Raise an error that names the option where a file with edits is given as a text, or the reverse."""
    from errata.corpus.formats import detect_format
    from errata.errors import DataError

    edits = [file for file in hyps if _is_m2(file)]
    if gold is not None and os.path.isfile(gold) and detect_format(gold) == "text":
        swapped = f"{edits[0]} looks like it: --m2 {edits[0]} --hyp {gold}" if edits else None
        raise DataError(
            "this is plain text, without gold edits",
            path=gold,
            hint=swapped or "give an M2 file with --m2, or texts with --source and --ref",
        )
    for option, file in [("--source", source), *(("--ref", file) for file in refs)]:
        if file is not None and _is_m2(file):
            raise DataError(
                f"this is an M2 file, and {option} takes text with one sentence per line",
                path=file,
                hint=f"give it with --m2 in place of --source and --ref: --m2 {file}",
            )
    for file in edits:
        if not file.endswith(".m2") and ".m2." not in file:
            raise DataError(
                "this is an M2 file, and an output is text with one sentence per line",
                path=file,
                hint="gold edits go with --m2; an output in M2 has a name that ends in .m2",
            )


def _is_m2(path: str) -> bool:
    from errata.corpus.files import peek
    from errata.corpus.formats import FORMATS

    return os.path.isfile(path) and FORMATS["m2"].sniff(path, peek(path))
