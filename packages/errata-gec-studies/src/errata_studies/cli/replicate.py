"""`errata replicate`"""

from __future__ import annotations

from pathlib import Path

import click

from errata.cli.commands import Command, OutputPath
from errata.cli.options import emit, progress, run_options
from errata.errors import ErrataError


@click.command(cls=Command)
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--all", "every", is_flag=True, help="Recompute all papers.")
@click.option("--exhibit", "-e", "exhibits", multiple=True, help="Only this table or figure: 'Table 2'.")
@click.option(
    "--data", type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Folder with conll14, gjg15, …; without it, the data folder.",
)  # fmt: skip
@click.option(
    "--runs", type=click.IntRange(min=2), default=1000, show_default=True,
    help="Number of TrueSkill runs, as in the papers.",
)  # fmt: skip
@click.option("--differences", is_flag=True, help="Leave out cells that are equal.")
@click.option("--summary", is_flag=True, help="Print only the numbers of equal cells.")
@click.option("--html", type=OutputPath(), help="Also write everything as one page with pictures.")
@run_options
def command(
    papers: tuple[str, ...], every: bool, exhibits: tuple[str, ...], data: Path | None, runs: int,
    differences: bool, summary: bool, html: str | None, seed: int, jobs: int, quiet: bool, format_: str,
    output: str,
) -> None:  # fmt: skip
    """Recompute the tables of papers, and compare them with the published figures.

    Papers that share no data are computed in parallel, in up to --jobs processes.

    \b
    errata replicate                        lists the papers
    errata replicate chollampatt2018 -e 'Table 2'
    errata replicate --all --html replications.html
    """
    from errata_studies.replicate import PAPERS, Computation, paper, reproduce
    from errata_studies.replicate.tables import exhibit_tables, paper_table, summary_table

    if every and papers:
        raise click.UsageError("--all is every paper: name none")
    chosen = [paper(name) for name in (PAPERS if every else papers)]
    if not chosen:
        emit(paper_table(map(paper, PAPERS)), format_, output)
        return
    wanted = [
        (each, exhibit)
        for each in chosen
        for exhibit in each.exhibits
        if not exhibits or exhibit.number.casefold() in {name.casefold() for name in exhibits}
    ]
    if not wanted:
        numbers = ", ".join(exhibit.number for each in chosen for exhibit in each.exhibits)
        raise click.UsageError(f"no such exhibit; there are {numbers}")
    names = [(each.name, exhibit.number) for each, exhibit in wanted]
    with progress(len(wanted), "computing", quiet) as advance:
        reproductions = reproduce(names, Computation(data, runs, seed, jobs or None), advance)
    results = [(*pair, result) for pair, result in zip(wanted, reproductions, strict=True)]
    missing = [
        f"{each.name} {exhibit.number}: {result.missing}"
        for each, exhibit, result in results
        if result.missing
    ]
    if len(missing) == len(results):
        raise ErrataError(results[0][2].missing)
    if html is not None:
        from errata_studies.replicate.page import write_page

        write_page(results, html)
    tables = []
    for each, exhibit, reproduction in [] if summary else results:
        tables += exhibit_tables(each, exhibit, reproduction, differences=differences)
    emit([*tables, summary_table(results)], format_, output)
    if missing:
        raise ErrataError("\n".join(["some exhibits were not computed; all others are above", *missing]))
