"""`errata compat ieval` and `m2_to_ixml`: the official arguments and output"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from errata.cli.commands import inputs_kept

if TYPE_CHECKING:
    from errata.metrics.imeasure import IMeasure
    from errata.metrics.statistics import Integers, Statistics

_NONE = "-NONE-"
_RULE = "-" * 117
_COUNTS = ("TP", "TN", "FP", "FN", "FPN")
_SHOWN = ("p", "r", "f", "acc", "wacc_base", "wacc", "wacc_base", "i")
_OPTIONS = {"ref", "hyp", "max", "opt", "b", "w"}
_FLAGS = {"nomix", "per-sent", "v"}
_OPTIMISE = {"sent": "sentence", "corpus": "corpus"}


@click.command(
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
    options_metavar="-ref:FILE -hyp:FILE [-nomix] [-per-sent] [-max:METRIC] [-opt:sent|corpus] "
    "[-b:BETA] [-w:WEIGHT] [-v]",
)  # fmt: skip
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def ieval(arguments: tuple[str, ...]) -> None:
    """The I-measure, with the arguments and the output of the official program.

    -ref: takes I-measure XML (or M2). -max: is c or d (correction, detection) and one of acc, f, i, p, r,
    wacc, tp, tn, fp, fn, fpn. As in the official program, an unknown -max: or -opt: means the default, cwacc
    and sent; a warning says so. Without -nomix the annotators' corrections are combined in every way. What -v
    prints before the results is our own: the alignment of every sentence.
    """
    options, flags = parse(arguments, _OPTIONS, _FLAGS, required=("ref", "hyp"))

    from errata.corpus.files import plain_suffix
    from errata.corpus.formats import read_corpus
    from errata.corpus.parallel import read_aligned
    from errata.metrics.imeasure import MAXIMISE, IMeasure

    metric = IMeasure(
        mix="nomix" not in flags,
        weight=_float(options.get("w", "2.0"), "-w"),
        beta=_float(options.get("b", "1.0"), "-b"),
        maximise=_known("max", options, "cwacc", MAXIMISE),
        optimise=_OPTIMISE[_known("opt", options, "sent", tuple(_OPTIMISE))],
    )
    corpus = read_corpus(options["ref"], format="m2" if plain_suffix(options["ref"]) == ".m2" else "ixml")
    hypotheses = read_aligned(options["hyp"], corpus.sources, options["ref"])
    statistics = metric.statistics(corpus, hypotheses)
    for cut in statistics.cuts:
        click.echo(f"note: {cut}", err=True)
    if "v" in flags:
        from errata.report.explanations import explanation_text

        for segment, hypothesis in zip(corpus, hypotheses, strict=True):
            click.echo(explanation_text(metric.explain(segment, hypothesis)))
    lines = report(metric, statistics, options["hyp"], options["ref"], per_sentence="per-sent" in flags)
    click.echo("\n".join(lines))


def parse(
    arguments: Sequence[str], known: set[str], flags: set[str], *, required: Sequence[str]
) -> tuple[dict[str, str], set[str]]:  # fmt: skip
    """Arguments of the form `-name:value` and `-flag`."""
    options: dict[str, str] = {}
    given: set[str] = set()
    for argument in arguments:
        name, colon, value = argument.removeprefix("-").partition(":")
        if argument.startswith("-") and colon and name in known:
            options[name] = value
        elif argument.startswith("-") and not colon and name in flags:
            given.add(name)
        else:
            raise click.UsageError(f"No such option: {argument}")
    for name in required:
        if not options.get(name):
            raise click.UsageError(f"Missing option '-{name}:FILE'.")
    return options, given


def report(
    metric: IMeasure, statistics: Statistics, hypothesis: str, reference: str, *, per_sentence: bool
) -> Iterator[str]:  # fmt: skip
    """The lines that the official program prints."""
    from errata.metrics.imeasure import ASPECTS

    yield _RULE
    yield f"Hypothesis file    : {hypothesis}"
    yield f"Gold standard file : {reference}"
    yield f"Maximising metric  : {metric.maximise[1:].upper()} - {ASPECTS[metric.maximise[0]].upper()}"
    yield f"Optimise for       : {metric.optimise.upper()}"
    yield f"WAcc weight        : {metric.weight}"
    yield f"F beta             : {metric.beta}"
    yield _RULE
    yield ""
    rows = statistics.values[metric.chosen(statistics)]
    header = "".join(
        f"{name:>8}"
        for name in (*_COUNTS, "P", "R", f"F_{metric.beta:.2f}", "Acc", "Acc_b", "WAcc", "WAcc_b", "I")
    )
    if per_sentence:
        yield "SENTENCE RESULTS"
        yield _RULE
        yield f"{'SID':<8}{'Asp.':<4}{header} "
        yield _RULE
        correction, detection = _cells(metric, rows)
        for index, (c, d) in enumerate(zip(correction, detection, strict=True), start=1):
            yield f"{index:<8}Det {d}"
            yield f"{index:<8}Cor {c}"
        yield ""
    yield "OVERALL RESULTS"
    yield _RULE
    yield f"{'Aspect':<12}{header} "
    yield _RULE
    correction, detection = _cells(metric, rows.sum(axis=0, keepdims=True))
    yield f"{'Detection':<12}{detection[0]}"
    yield f"{'Correction':<12}{correction[0]}"
    yield ""


def _cells(metric: IMeasure, rows: Integers) -> tuple[list[str], list[str]]:
    """Counts and measures of rows, for correction and for detection."""
    cells = "  {:>6.0f}" * len(_COUNTS) + "  {:>6.2f}" * len(_SHOWN)
    shares = [1] * len(_COUNTS) + [100] * len(_SHOWN)
    correction, detection = (
        metric.measures(rows, [aspect + name for name in (*map(str.lower, _COUNTS), *_SHOWN)]).T * shares
        for aspect in "cd"
    )
    return [cells.format(*row) for row in correction], [cells.format(*row) for row in detection]


def _known(name: str, options: dict[str, str], default: str, values: Sequence[str]) -> str:
    """The value of an option, or the default where the official program does not know the value."""
    value = options.get(name, default)
    if value in values:
        return value
    click.echo(
        f"warning: -{name}:{value} is unknown; the official program takes -{name}:{default} then, and so "
        f"does this one (known: {', '.join(values)})",
        err=True,
    )
    return default


def _float(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: needs a number, not {text!r}.") from None


@click.command(
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
    options_metavar="-in:FILE.m2 [-out:FILE.ixml]",
)  # fmt: skip
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def m2_to_ixml(arguments: tuple[str, ...]) -> None:
    """Convert M2 to the I-measure's XML, with the arguments of the official program.

    Like the official program it takes a correction of -NONE- for a word, and warns. `errata corpus convert`
    and the metric take it for an empty correction.
    """
    options, _ = parse(arguments, {"in", "out"}, set(), required=("in",))
    target = options.get("out") or "-"

    from errata.corpus.files import read_bytes
    from errata.corpus.formats import write_corpus
    from errata.corpus.m2 import parse_m2

    lines = read_bytes(options["in"]).split(b"\n")
    words = [_with_word(line) for line in lines]
    changed = sum(a != b for a, b in zip(lines, words, strict=True))
    if changed:
        click.echo(
            f"warning: {changed:,} edits have the correction {_NONE}, which the official program takes for a "
            "word, and so does this one; `errata corpus convert` takes it for a deletion",
            err=True,
        )
    with inputs_kept([options["in"]], [target]):
        write_corpus(parse_m2(b"\n".join(words), options["in"]), target, format="ixml")


def _with_word(line: bytes) -> bytes:
    """An edit line whose first correction is the word -NONE-: with a blank before it, the reader keeps it."""
    fields = line.split(b"|||")
    if not line.startswith(b"A ") or len(fields) < 3 or fields[1] == b"noop":
        return line
    first, *others = fields[2].split(b"||")
    if first != _NONE.encode():
        return line
    return b"|||".join([*fields[:2], b"||".join([b" " + first, *others]), *fields[3:]])
