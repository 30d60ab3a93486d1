"""`errata score`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from errata.cli.gating import conclude, gate_options, parse_limits
from errata.cli.inputs import ManyValues, scoring_inputs, stream_options
from errata.cli.options import emit, formats_option, seed_option

if TYPE_CHECKING:
    from errata.metrics.results import Results
    from errata.metrics.signature import Signature
    from errata.report.gates import Check
    from errata.tables import Table

LEVELS = ("merged", "operation", "category", "both")  # of error types, as the metrics number them


@click.command(cls=ManyValues)
@scoring_inputs
@click.option(
    "--post-edits", multiple=True, metavar="FILE",
    help="Corrected versions of the outputs, one file per --hyp: each system is scored against its own. With "
    "references, also tell how many edits they lack that the post-edits keep.",
)  # fmt: skip
@click.option("--by", help="Also score each domain, document or other label by itself, or each error type.")
@click.option(
    "--level", type=click.Choice(LEVELS), default="category", show_default=True,
    help="Detail of --by type: M, R, U; NOUN:NUM; R:NOUN:NUM; or with all parts of speech as one.",
)  # fmt: skip
@click.option(
    "--profile", "profiled", is_flag=True,
    help="Also tell what was hit, corrected wrongly, missed and changed without need, with intervals; per "
    "error type, and per value of --by.",
)  # fmt: skip
@click.option("--sentence", is_flag=True, help="Also print the score of every sentence.")
@click.option("--ci", is_flag=True, help="95 % bootstrap intervals.")
@click.option(
    "--samples",
    type=click.IntRange(min=10),
    default=1000,
    show_default=True,
    help="Number of bootstrap samples.",
)
@click.option("--save", type=click.Path(dir_okay=False), help="Keep the statistics in this .npz file.")
@click.option("--verify", metavar="SIGNATURE", help="Exit with 1 unless a score has this signature.")
@click.option(
    "--fail-under", "limits", multiple=True, metavar="METRIC=VALUE",
    help="Exit with 1 if a system is worse than this: m2=0.62 (for TER and the like: if it is above).",
)  # fmt: skip
@gate_options
@seed_option
@stream_options
@formats_option("json-full")
def command(
    results: Results, by: str | None, level: str, profiled: bool, sentence: bool, ci: bool, samples: int,
    save: str | None, verify: str | None, limits: tuple[str, ...], junit: str | None,
    summary: str | None, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Score systems with one or many metrics.

    \b
    errata score gold.m2 A.txt B.txt --metric m2,gleu,imeasure
    errata score --benchmark conll14 mine.txt
    errata score --source src.txt --ref ref0.txt ref1.txt --hyp - --ci
    errata score gold.m2 A.txt --fail-under m2=0.62 --junit scores.xml
    errata score --m2 'gold-*.m2' --hyp 'out-*.txt.gz' --metric m2 --stream --engine processes
    """
    from errata.metrics.score_tables import by_group_table, cut_table, score_table, sentence_table

    if results.has_post_edits and (by == "type" or profiled):
        raise click.UsageError(
            "--by type and --profile compare with shared references: leave out --post-edits"
        )
    if verify is not None:
        _verify(results, verify)
    checks: list[Check] = []
    if limits or junit is not None:
        from errata.report.gates import score_checks

        checks = score_checks(results, parse_limits(limits))
    bootstrap = (samples, seed) if ci else None
    tables: list[Table] = [score_table(results, bootstrap)]
    if results.benchmark is not None:
        from errata.report.breakdown_tables import paper_notes

        tables[0].notes += paper_notes(results, results.benchmark)
    if save is not None:
        results.save(save)
    if by == "type":
        from errata.report.breakdown_tables import by_type_tables

        tables += by_type_tables(results, LEVELS.index(level))
    elif by is not None:
        tables.append(by_group_table(results, by, bootstrap))
    if profiled:
        from errata.meta.breakdowns import profile
        from errata.report.breakdown_tables import profile_tables

        labels = () if by in (None, "type") else (by,)
        tables += profile_tables(profile(results, labels=labels, samples=samples, seed=seed))
    if results.has_post_edits and _has_gold(results):
        from errata.meta.edit_judgments import unmatched_edits
        from errata.report.breakdown_tables import unmatched_table

        tables.append(unmatched_table(unmatched_edits(results)))
    if sentence:
        tables.append(sentence_table(results))
    beyond = cut_table(results)
    if beyond is not None:
        tables.append(beyond)
    if format_.startswith("json"):
        tables[0].extra = _summary(results, full=format_ == "json-full")
    emit(tables, format_.removesuffix("-full"), output)
    conclude(checks, tables, junit, summary, "errata score")


def _summary(results: Results, *, full: bool) -> dict[str, Any]:
    """What JSON has besides the table: signatures, and in full the statistics of all segments."""
    from errata.metrics.score_tables import metric_names, signatures

    named = dict(zip(metric_names(results.metrics), signatures(results), strict=True))
    record: dict[str, Any] = {"segments": len(results), "signatures": named}
    if full and results.keeps_statistics:
        record["results"] = results.to_dict()
    return record


def _has_gold(results: Results) -> bool:
    """Whether there are references besides the post-edits; texts that were streamed are not at hand."""
    return results.corpus is not None and any(segment.annotations for segment in results.corpus)


def _verify(results: Results, given: str) -> None:
    """Compare a printed signature with those of these scores, and say in which fields they differ."""
    from errata.errors import DataError
    from errata.metrics.signature import Signature

    wanted = Signature.parse(given)
    found = [Signature.parse(score.signature) for score in results.scores.values()]
    same = [signature for signature in found if signature["metric"] == wanted["metric"]]
    if not same:
        names = ", ".join(dict.fromkeys(signature["metric"] for signature in found))
        raise DataError(
            f"the signature is of {wanted['metric']}, and this is {names}",
            hint=f"add --metric {wanted['metric']}",
        )
    apart = min((_apart(wanted, signature) for signature in same), key=len)
    if apart:
        lines = [f"  {name}: given {a or 'nothing'}, here {b or 'nothing'}" for name, a, b in apart]
        raise DataError(
            "\n".join(["the signatures differ:", *lines]), hint="docs/signatures.md explains them"
        )
    click.echo(f"the signature is that of this {wanted['metric']} score", err=True)


def _apart(wanted: Signature, found: Signature) -> list[tuple[str, str | None, str | None]]:
    """The fields in which signatures differ; the same texts may be given as files or as a benchmark."""
    return [
        (name, ours, theirs)
        for name, ours, theirs in wanted.differences(found)
        if name != "benchmark" or (ours is not None and theirs is not None)
    ]
