"""`errata score`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import ManyValues, OutputPath, option, section
from errata.cli.inputs import Inputs, scoring_inputs, stream_options, with_marks
from errata.cli.options import (
    checked,
    conclude,
    emit,
    formats_option,
    gate_options,
    number_options,
    samples_option,
    seed_option,
)
from errata.errors import ErrataError
from errata.tables import SCORE_DECIMALS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from errata.metrics.base import Metric
    from errata.metrics.results import Results
    from errata.metrics.signature import Signature
    from errata.tables import Table

LEVELS = ("merged", "operation", "category", "both")  # of error types, as the metrics number them


def _parse_limits(texts: tuple[str, ...]) -> dict[str, float]:
    """Limits by metric from `m2=0.62` and the like; commas separate several."""
    limits: dict[str, float] = {}
    for setting in filter(None, ",".join(texts).split(",")):
        name, _, number = setting.rpartition("=")
        try:
            limits[name] = float(number)
        except ValueError:
            name = ""
        if not name or limits[name] != limits[name]:
            raise ErrataError(f"{setting}: expected METRIC=VALUE, as in m2=0.62")
    return limits


def _check_limits(limits: Mapping[str, float], metrics: Sequence[Metric]) -> None:
    """Raise an error for a limit of a metric that is not computed, or that seems to be in percent."""
    names = {name for metric in metrics for name in (metric.name, str(metric))}
    for name, limit in limits.items():
        if metrics and name not in names:
            raise click.UsageError(
                f"--fail-under {name}: {name} is not computed\n  hint: add --metric {name}"
            )
        shares = [each for each in metrics if each.decimals == SCORE_DECIMALS and each.higher_is_better]
        if limit > 1 and name in {text for each in shares for text in (each.name, str(each))}:
            raise click.UsageError(
                f"--fail-under {name}={limit:g}: scores are between 0 and 1\n"
                f"  hint: did you mean {name}={limit / 100:g}?"
            )


@click.command(cls=ManyValues)
@scoring_inputs
@section(
    "Input",
    option(
        "--post-edits", multiple=True, metavar="FILE", rare=True,
        help="Corrected versions of the outputs, one file per --hyp. Each system is scored against its own. "
        "With references, also count the edits that the references lack and the post-edits keep.",
    ),
)  # fmt: skip
@section(
    "Metrics",
    option(
        "--by", metavar="LABEL",
        help="Also score each domain, document or other label by itself, or each error type (--by type).",
    ),
    option(
        "--level", type=click.Choice(LEVELS), default="category", rare=True,
        help="Detail of --by type: operation (R), category (NOUN:NUM), both (R:NOUN:NUM), or merged "
        "(parts of speech as one).",
    ),
    option(
        "--profile", "profiled", is_flag=True, rare=True,
        help="Also show which needed corrections were made, made wrongly or missed, and which changes were "
        "unnecessary, with intervals, by error type and by value of --by.",
    ),
    option("--sentence", is_flag=True, help="Also print the score of every sentence."),
    option(
        "--human", is_flag=True, rare=True,
        help="Also print the share of human performance: all are scored against all annotators but one.",
    ),
)  # fmt: skip
@section("Statistics", option("--ci", is_flag=True, help="Show 95 % bootstrap intervals."))
@samples_option(1000, 10)
@section(
    "Output",
    option(
        "--save", type=OutputPath(),
        help="Save the statistics in this .npz file, to compare or report later.",
    ),
    option(
        "--verify", metavar="SIGNATURE", rare=True,
        callback=checked("errata.metrics.signature:Signature.parse"),
        help="Exit with 1 unless a score has this signature.",
    ),
    option(
        "--fail-under", "limits", multiple=True, metavar="METRIC=VALUE", callback=checked(_parse_limits),
        help="Exit with 1 if a system is worse than this: m2=0.62 (for TER and the like: higher).",
    ),
)  # fmt: skip
@gate_options
@seed_option
@stream_options
@number_options
@formats_option("json-full")
def command(
    inputs: Inputs, by: str | None, level: str, profiled: bool, sentence: bool, human: bool, ci: bool,
    samples: int, save: str | None, verify: Signature | None, limits: dict[str, float],
    junit: str | None, summary: str | None, seed: int, percent: bool, digits: int | None,
    format_: str, output: str,
) -> None:  # fmt: skip
    """Score systems with one or many metrics.

    \b
    errata score gold.m2 A.txt B.txt --metric m2,gleu,imeasure
    errata score --benchmark conll14 mine.txt
    errata score --source src.txt --ref ref0.txt ref1.txt --hyp - --ci
    errata score gold.m2 A.txt --fail-under m2=0.62 --junit scores.xml
    errata score --m2 'gold-*.m2' --hyp 'out-*.txt.gz' --engine processes
    """
    if inputs.post_edits and (by == "type" or profiled):
        raise click.UsageError(
            "--by type and --profile compare with shared references: leave out --post-edits"
        )
    if inputs.streams and (by == "type" or human):
        raise click.UsageError("--by type and --human need all texts at once: leave out --stream")
    _check_limits(limits or {}, inputs.metrics)
    results = inputs.load(keep=bool(by or sentence or ci or save))
    _check_limits(limits or {}, results.metrics)  # those that the command chose
    if verify is not None:
        _verify(results, verify)
    checks = []
    if limits or junit is not None:
        from errata.report.gates import score_checks

        checks = score_checks(results, limits or {})
    if save is not None:
        results.save(save)
    draws = samples if ci else None
    tables: list[Table] = [results.table(samples=draws, seed=seed)]
    if by == "type":
        from errata.meta.breakdowns import type_tables

        tables += type_tables(results, LEVELS.index(level))
    elif by is not None:
        tables.append(results.group_table(by, samples=draws, seed=seed))
    if profiled:
        from errata.meta.breakdowns import profile

        labels = () if by in (None, "type") else (by,)
        tables += profile(results, labels=labels, samples=samples, seed=seed).tables()
    if results.has_post_edits and results.has_references:
        from errata.meta.edit_judgments import unmatched_edits

        tables.append(unmatched_edits(results).table())
    if sentence:
        tables.append(results.sentence_table())
    if human:
        from errata.meta.human_performance import human_tables

        tables += human_tables(results, jobs=inputs.jobs or None)
    tables = [table.with_numbers(percent=percent, digits=digits) for table in tables]
    tables += results.cut_tables()
    if format_.startswith("json"):
        tables[0].extra = _summary(results, full=format_ == "json-full")
    if format_ in ("table", "markdown", "html"):
        tables[0] = with_marks(tables[0])
    emit(tables, format_.removesuffix("-full"), output)
    conclude(checks, tables, junit, summary, "errata score")


def _summary(results: Results, *, full: bool) -> dict[str, Any]:
    """What JSON has besides the table: signatures and, if `full`, the statistics of all segments."""
    record: dict[str, Any] = {"segments": len(results), "signatures": results.signatures()}
    if full and results.keeps_statistics:
        record["results"] = results.to_dict()
    return record


def _verify(results: Results, expected: Signature) -> None:
    """Compare a printed signature with those of these scores, and say in which fields they differ."""
    from errata.errors import DataError
    from errata.metrics.signature import Signature

    signatures = [Signature.parse(score.signature) for score in results.scores.values()]
    same = [signature for signature in signatures if signature["metric"] == expected["metric"]]
    if not same:
        names = ", ".join(dict.fromkeys(signature["metric"] for signature in signatures))
        raise DataError(
            f"the signature is of {expected['metric']}, but the metrics here are: {names}",
            hint=f"add --metric {expected['metric']}",
        )
    differences = min((_differences(expected, signature) for signature in same), key=len)
    if differences:
        lines = [f"  {name}: expected {a or 'nothing'}, got {b or 'nothing'}" for name, a, b in differences]
        raise DataError(
            "\n".join(["the signatures differ:", *lines]), hint="docs/signatures.md explains them"
        )
    click.echo(f"the signature matches this {expected['metric']} score", err=True)


def _differences(expected: Signature, actual: Signature) -> list[tuple[str, str | None, str | None]]:
    """The fields in which signatures differ; the same texts may be given as files or as a benchmark."""
    return [
        (name, one, other)
        for name, one, other in expected.differences(actual)
        if name != "benchmark" or (one is not None and other is not None)
    ]
