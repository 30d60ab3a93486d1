"""`errata compat`: the commands of the official programs, with their arguments and output."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, LazyGroup, ManyValues, inputs_kept, option

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.metrics.gleu import GLEU
    from errata.metrics.imeasure import IMeasure
    from errata.metrics.m2 import M2
    from errata.metrics.score import Score
    from errata.metrics.statistics import Integers, Statistics

PROGRAMS = {  # program -> first line of its help
    "m2scorer": "M², as the official NUS scorer, version 3.2.",
    "compute_gleu": "GLEU+, as the official program of June 2017.",
    "ieval": "The I-measure, as the official program.",
    "m2_to_ixml": "M2 to the XML of the I-measure, as the official program.",
    "errant_compare": "errant 3.0.2: scores of one M2 file against another.",
    "errant_m2": "errant 3.0.2: edits of an M2 file, extracted anew or typed.",
    "errant_parallel": "errant 3.0.2: parallel texts to M2 with error types.",
    "cherrant_compare": "ChERRANT: scores of one M2 file against another.",
    "cherrant_parallel": "ChERRANT: Chinese parallel texts to M2 with error types.",
}
_ELSEWHERE = {name: "compat_errant" for name in PROGRAMS if name.startswith(("errant_", "cherrant_"))}


@click.command(cls=LazyGroup, table=PROGRAMS, module="compat", others=_ELSEWHERE)
def command() -> None:
    """Run as the official programs do: same arguments, same output."""


class Abbreviable(Command):
    """A command whose long options have abbreviations, if these are unique."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names = [
            name for parameter in self.get_params(ctx) for name in parameter.opts if name.startswith("--")
        ]
        whole: list[str] = []
        for i, argument in enumerate(args):
            if argument == "--":
                whole += args[i:]
                break
            name, equals, value = argument.partition("=")
            if len(name) > 2 and name.startswith("--") and name not in names:
                fitting = [other for other in names if other.startswith(name)]
                if len(fitting) > 1:
                    ctx.fail(f"Option {name} is not unique: {', '.join(fitting)}.")
                argument = (fitting[0] if fitting else name) + equals + value
            whole.append(argument)
        return super().parse_args(ctx, whole)


@click.command(cls=Abbreviable, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("system")
@click.argument("gold")
@option(
    "-v", "--verbose", "--very_verbose", is_flag=True,
    help="Show every sentence: its edits, counts and choices.",
)  # fmt: skip
@option("--beta", type=float, default=0.5, help="Weight of recall in F.")
@option(
    "--max_unchanged_words", type=click.IntRange(min=0), default=2,
    help="Unchanged words that an edit may contain.",
)  # fmt: skip
@option("--ignore_whitespace_casing", is_flag=True, help="Leave out edits that change only blanks and case.")
def m2scorer(
    system: str, gold: str, verbose: bool, beta: float, max_unchanged_words: int,
    ignore_whitespace_casing: bool,
) -> None:  # fmt: skip
    """Score SYSTEM (one sentence per line) against GOLD (M2), as the official m2scorer does.

    Prints precision, recall and F with four decimals. With --verbose, the sentences are printed first, in a
    format of errata: every annotator's edits and matches, and which annotator counts. Long options may be
    abbreviated (--max 1).
    """
    from errata.corpus.m2 import read_m2
    from errata.corpus.parallel import read_aligned
    from errata.metrics.m2 import M2

    metric = M2(beta, max_unchanged_words, ignore_whitespace_casing)
    corpus = read_m2(gold)
    score = metric.score(corpus, read_aligned(system, corpus.sources, gold))
    for cut in score.cuts:
        click.echo(f"note: {cut}", err=True)
    if verbose:
        _sentences(metric, corpus, score)
    click.echo(f"Precision   : {score.parts['precision']:.4f}")
    click.echo(f"Recall      : {score.parts['recall']:.4f}")
    click.echo(f"F_{beta:.1f}       : {score.parts['f']:.4f}")


def _sentences(metric: M2, corpus: Corpus, score: Score) -> None:
    from errata.report.explanations import explanation_text

    assert score.hypotheses is not None
    statistics = score.statistics
    chosen = statistics.references[metric.chosen(statistics)].tolist()
    for number, (segment, hypothesis) in enumerate(zip(corpus, score.hypotheses, strict=True), 1):
        click.echo(f"sentence {number}: annotator {chosen[number - 1]} counts")
        text = explanation_text(metric.explain(segment, hypothesis), width=10_000)
        click.echo(text.replace("  (chosen)", ""))


_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@click.command(cls=ManyValues)
@option("-s", "--source", required=True, help="Source sentences, one per line.")
@option("-r", "--reference", "references", multiple=True, required=True, help="Reference files.")
@option("-o", "--hypothesis", "hypotheses", multiple=True, required=True, help="Systems' outputs.")
@option(
    "-n", "order", type=click.IntRange(min=1), default=4,
    help="Maximum order, as the official program takes it: beyond 4 it is 4, below 4 the score still has a "
    "quarter of each logarithm, and sentence scores have four orders.",
)  # fmt: skip
@option("-d", "--debug", is_flag=True, help="Print the score of every sentence, too.")
@option("-l", "--lowercase", is_flag=True, help="Lowercase the letters A to Z everywhere.")
@option("--iter", "iterations", type=click.IntRange(min=1), default=500)
def compute_gleu(
    source: str, references: tuple[str, ...], hypotheses: tuple[str, ...], order: int, debug: bool,
    lowercase: bool, iterations: int,
) -> None:  # fmt: skip
    """Compute and print GLEU+ as the official compute_gleu of June 2017 does.

    \b
    errata compat compute_gleu -s SRC -r REF0 REF1 -o SYSTEM -d
    """
    from pathlib import Path

    from errata.corpus.model import Corpus
    from errata.corpus.parallel import read_aligned, read_parallel
    from errata.metrics.gleu import GLEU

    corpus = read_parallel(source, references)
    lines = corpus.sources
    if lowercase:
        texts = [[text.translate(_ASCII_LOWER) for text in segment.references] for segment in corpus]
        corpus = Corpus.from_lists([line.translate(_ASCII_LOWER) for line in lines], texts)
    metric = GLEU(iterations=iterations)
    if order != 4:
        click.echo(
            f"warning: -n {order} as in the official program: "
            + ("it acts as -n 4" if order > 4 else "the logarithms of the first orders are divided by 4")
            + f"; `errata score --metric gleu:n={order}` divides by {order}",
            err=True,
        )
    for path in hypotheses:
        outputs: Sequence[str] = read_aligned(path, lines, source)
        if lowercase:
            outputs = [line.translate(_ASCII_LOWER) for line in outputs]
        statistics = metric.statistics(corpus, outputs)
        if debug:
            _print_sentences(statistics)
        mean, deviation = overall(metric, statistics, min(order, 4))
        if debug:
            click.echo("\n==== Overall score =====\nMean Stdev 95%CI GLEU")
            click.echo(_row(mean, deviation))
        else:
            click.echo(f"{Path(path).name} {mean:.6f}")


def overall(metric: GLEU, statistics: Statistics, order: int) -> tuple[float, float]:
    """Mean and standard deviation over the draws, with the first orders only."""
    import numpy as np

    if not len(statistics):
        return 0.0, 0.0
    sums = metric.drawn_sums(statistics, np.ones((1, len(statistics)), dtype=np.int64))[0]
    return _moments([_official_score(numbers, order) for numbers in sums.tolist()])


def _official_score(numbers: Sequence[float], order: int = 4) -> float:
    """The score of the ten numbers; of higher orders not even a 0 counts, but a quarter is always taken."""
    length, reference = numbers[8:]
    if not all([length, reference, *numbers[:order], *numbers[4 : 4 + order]]):
        return 0.0
    logarithms = sum([math.log(numbers[k] / numbers[4 + k]) for k in range(order)])
    return math.exp(min(0, 1 - reference / length) + logarithms / 4)


def _moments(scores: Sequence[float]) -> tuple[float, float]:
    import numpy as np

    return float(np.mean(scores)), float(np.std(scores))


def _print_sentences(statistics: Statistics) -> None:
    numbers = statistics.values.clip(1).tolist()
    rows = [
        _row(*_moments([_official_score(numbers[row]) for row in range(start, end)]))
        for start, end in pairwise(statistics.offsets.tolist())
    ]
    click.echo("\n===== Sentence-level scores =====\nSID Mean Stdev 95%CI GLEU")
    click.echo("\n".join(f"{i} {row}" for i, row in enumerate(rows)))


def _row(mean: float, deviation: float) -> str:
    """Mean, standard deviation and normal interval.

    An interval without width is printed as nan, as the official program does. The deviation of equal scores
    is sometimes 1e-17 there and here, and the interval then (x,x).
    """
    from errata.metrics.gleu import NORMAL_95

    margin = NORMAL_95 * deviation if deviation else float("nan")
    return f"{mean:.6f} {deviation:.6f} ({mean - margin:.3f},{mean + margin:.3f})"


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
    and sent; a warning says so. Without -nomix the annotators' corrections are combined in every way. With
    -v, the alignment of every sentence is printed first, in a format of errata.
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
        maximise=_accepted("max", options, "cwacc", MAXIMISE),
        optimise=_OPTIMISE[_accepted("opt", options, "sent", tuple(_OPTIMISE))],
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
    arguments: Sequence[str], names: set[str], flags: set[str], *, required: Sequence[str]
) -> tuple[dict[str, str], set[str]]:  # fmt: skip
    """Arguments of the form `-name:value` and `-flag`."""
    options: dict[str, str] = {}
    chosen_flags: set[str] = set()
    for argument in arguments:
        name, colon, value = argument.removeprefix("-").partition(":")
        if argument.startswith("-") and colon and name in names:
            options[name] = value
        elif argument.startswith("-") and not colon and name in flags:
            chosen_flags.add(name)
        else:
            raise click.UsageError(f"No such option: {argument}")
    for name in required:
        if not options.get(name):
            raise click.UsageError(f"Missing option '-{name}:FILE'.")
    return options, chosen_flags


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


def _accepted(name: str, options: dict[str, str], default: str, values: Sequence[str]) -> str:
    """The value of an option, or the default for a value that the official program ignores."""
    value = options.get(name, default)
    if value in values:
        return value
    click.echo(
        f"warning: -{name}:{value} is unknown; -{name}:{default} is used instead, as in the official program "
        f"(known: {', '.join(values)})",
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

    Like the official program, it reads the correction -NONE- as a word; a warning says so. `errata corpus
    convert` and the metric read it as an empty correction.
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
            f"warning: {changed:,} edits have the correction {_NONE}, which is read as a word, as in the "
            "official program; `errata corpus convert` reads it as a deletion",
            err=True,
        )
    with inputs_kept([options["in"]], [target]):
        write_corpus(parse_m2(b"\n".join(words), options["in"]), target, format="ixml")


def _with_word(line: bytes) -> bytes:
    """The edit line, with a blank before a first correction -NONE-, so that the reader keeps it as a word."""
    fields = line.split(b"|||")
    if not line.startswith(b"A ") or len(fields) < 3 or fields[1] == b"noop":
        return line
    first, *others = fields[2].split(b"||")
    if first != _NONE.encode():
        return line
    return b"|||".join([*fields[:2], b"||".join([b" " + first, *others]), *fields[3:]])
