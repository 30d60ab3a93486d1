"""Leaderboards: published figures with their verdicts."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from browser import chromium
from errata.errors import DataError
from errata.metrics.results import Results
from errata.significance.compare import Plan
from errata_studies.leaderboard import site
from errata_studies.leaderboard.entries import Benchmark, read_leaderboard
from errata_studies.leaderboard.verdicts import FIGURE_FIELDS, figure_table, verify
from errata_studies.results import read_rows

GOLD = """\
S He go home .
A 1 2|||V|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||V|||went|||REQUIRED|||-NONE-|||1

S She like a tea .
A 1 2|||V|||likes|||REQUIRED|||-NONE-|||0
A 2 3|||D||||||REQUIRED|||-NONE-|||0
A 1 2|||V|||likes|||REQUIRED|||-NONE-|||1

S It are well-known .
A 1 2|||V|||is|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

"""
OUTPUTS = {
    "good": "He goes home .\nShe likes tea .\nIt is well-known .\n",
    "fair": "He went home .\nShe likes a tea .\nIt are well - known .\n",
    "poor": "He goes the home .\nShe likes a tea .\nIt are well-known .\n",
}
HEADER = "name\tyear\tlicence\trepository\tpublished_metric\tpublished_P\tpublished_R\tpublished_F\tnote"
ROWS = {
    "good": "good\t2019\tMIT\tsomebody/good\tM2\t1.0000\t1.0000\t1.0000\t",
    "fair": "fair\t2020\tnone\tsomebody/fair\tM2\t100.0\t100.0\t100.0\tits hyphens are split",
    "poor": "poor\t2021\tMIT\t\tM2\t66.7\t33.3\t99.9\t",
}
SETTINGS = """\
title = "The test"

[[benchmark]]
name = "small"
title = "Three sentences"
gold = "small/gold.m2"
metrics = ["m2", "sari", "exact"]
licence = "CC BY 4.0"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A leaderboard of three systems on three sentences."""
    (tmp_path / "small").mkdir()
    (tmp_path / "leaderboard.toml").write_text(SETTINGS, "utf-8")
    (tmp_path / "small" / "gold.m2").write_text(GOLD, "utf-8")
    (tmp_path / "small" / "systems.tsv").write_text("\n".join([HEADER, *ROWS.values()]) + "\n", "utf-8")
    for name, text in OUTPUTS.items():
        (tmp_path / "small" / f"{name}.txt").write_text(text, "utf-8")
    return tmp_path


def results_of(benchmark: Benchmark) -> Results:
    return Results.compute(benchmark.corpus, benchmark.outputs, benchmark.metrics)


def test_a_cause_is_a_variant_that_gives_all_printed_digits(folder: Path) -> None:
    _, (benchmark,) = read_leaderboard(folder)
    table = figure_table({"small": verify(benchmark, results_of(benchmark))})
    cells = [tuple(map(str, row[1:6])) for row in table.rows]
    assert cells == [
        ("good", "M2 P", "1.0000", "1.0000", "equal"),
        ("good", "M2 R", "1.0000", "1.0000", "equal"),
        ("good", "M2 F", "1.0000", "1.0000", "equal"),
        ("fair", "M2 P", "100.0", "66.67", "named cause"),
        ("fair", "M2 R", "100.0", "100.0", "equal"),
        ("fair", "M2 F", "100.0", "71.43", "named cause"),
        ("poor", "M2 P", "66.7", "66.7", "equal"),
        ("poor", "M2 R", "33.3", "100.00", "unexplained"),
        ("poor", "M2 F", "99.9", "71.43", "unexplained"),
    ]
    causes = [str(row[6]) for row in table.rows]
    assert causes[3] == causes[5]
    assert causes[3] == "scorer: ignore_whitespace_casing=True, or tokenisation: hyphenated words joined"
    assert causes[8].startswith("none of ")


def test_figures_by_domain_and_figures_that_an_output_was_fitted_to(folder: Path) -> None:
    small = folder / "small"
    (small / "meta.tsv").write_text("domain\na\nb\nb\n", "utf-8")
    (folder / "leaderboard.toml").write_text(SETTINGS + 'meta = "small/meta.tsv"\n', "utf-8")
    (small / "scores.tsv").write_text(
        "name\tdomain\tpublished_F\tfitted\ngood\tAll\t1.0000\tyes, .9 before\ngood\ta\t1.00\tno\n", "utf-8"
    )
    _, (benchmark,) = read_leaderboard(folder)
    rows = [each for each in verify(benchmark, results_of(benchmark)) if each.entry.name == "good"]
    assert [each.verdict for each in rows] == ["not testable"] * 3 + ["equal"]
    assert rows[0].cause == "the output was adjusted until it gave this figure (.9 before)"
    assert rows[3].figure.name == "M2 F, a"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("bad/../name\t2019\tMIT\t\t\t\t\t\t", "systems.tsv:5: a system cannot have the name"),
        ("good\t2019\tMIT\t\t\t\t\t\t", "systems.tsv:5: a system cannot have the name 'good'"),
        ("new\tsoon\tMIT\t\t\t\t\t\t", "systems.tsv:5: the year is 'soon'"),
        ("new\t2019\tMIT\t\t\t\t\t\t", "systems.tsv:5: the output of new is missing"),
        ("new\t2019\tMIT", "systems.tsv:5: 3 columns instead of 9"),
        ("poor2\t2019\tMIT\t\tM2\t\t\tabout 60\t", "systems.tsv:5: a published figure is 'about 60'"),
        ("poor2\t2019\tMIT\t\t\t\t\t60\t", "systems.tsv:5: a published figure is '60' of the metric ''"),
    ],
)
def test_an_error_names_the_line(folder: Path, row: str, message: str) -> None:
    shutil.copy(folder / "small" / "poor.txt", folder / "small" / "poor2.txt")
    with (folder / "small" / "systems.tsv").open("a", encoding="utf-8") as file:
        file.write(row + "\n")
    with pytest.raises(DataError) as error:
        read_leaderboard(folder)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it names no benchmark"),
        (SETTINGS + "colour = 3\n", "a benchmark has no setting 'colour'"),
        (SETTINGS + "source = 3\n", "a setting of small is not of its type"),
        (SETTINGS.replace('"small"', '"../small"'), "a benchmark cannot have the name '../small'"),
    ],
)
def test_settings_are_checked(folder: Path, text: str, message: str) -> None:
    (folder / "leaderboard.toml").write_text(text, "utf-8")
    with pytest.raises(DataError) as error:
        read_leaderboard(folder)
    assert message in str(error.value)


def build(folder: Path) -> dict[str, bytes]:
    title, benchmarks = read_leaderboard(folder)
    return dict(site.build(title, benchmarks, Plan(samples=100)))


def test_the_site_is_the_same_again_and_shares_only_what_licences_permit(folder: Path) -> None:
    files = build(folder)
    assert files == build(folder)
    assert sorted(files) == [
        "index.html", "published_figures.tsv", "small/fair.html", "small/good.html", "small/good.txt",
        "small/index.html", "small/poor.html", "small/poor.txt",
    ]  # fmt: skip
    pages = [content.decode() for name, content in files.items() if name.endswith(".html")]
    assert not [page for page in pages if "well - known" in page]


def test_scores_without_outputs_are_a_table_of_the_benchmark(folder: Path) -> None:
    (folder / "leaderboard.toml").write_text(SETTINGS + 'more = { "Others" = "others.tsv" }\n', "utf-8")
    (folder / "others.tsv").write_text("system\tF0.5\n`ours` 1.0\t72.76\n", "utf-8")
    assert '[["ours 1.0","72.76"]]' in build(folder)["small/index.html"].decode()


def test_no_download_if_the_licence_of_the_test_set_forbids_it(folder: Path) -> None:
    text = SETTINGS.replace("CC BY 4.0", "for research")
    (folder / "leaderboard.toml").write_text(text, "utf-8")
    assert not [name for name in build(folder) if name.endswith(".txt")]


@pytest.mark.browser
def test_the_pages_in_a_browser(folder: Path) -> None:
    words = ["leaderboard", "build", str(folder), "-o", str(folder / "site")]
    subprocess.run([sys.executable, "-m", "errata", *words], check=True)
    rows = "return [...document.querySelectorAll(arguments[0])]"
    column = rows + ".map((row) => row.children[arguments[1]].textContent)"
    with chromium(390) as browser:
        browser.get((folder / "site" / "index.html").as_uri())
        browser.find_element("link text", "Three sentences").click()
        assert browser.execute_script(column, "#leaderboard tbody tr", 0) == ["good", "fair", "poor"]
        assert browser.find_elements("css selector", "#years svg")
        attacked = browser.execute_script(column, "#attacks .card:first-child tbody tr", 0)
        assert attacked == [
            "m2",
            "sari",
            "exact",
        ]
        browser.find_element("link text", "fair").click()
        assert browser.title == "fair on Three sentences"
        verdicts = browser.execute_script(column, "#published tbody tr", 4)
        assert verdicts == ["named cause", "equal", "named cause"]


@pytest.mark.slow
def test_the_committed_figures_are_those_of_the_outputs(data: Path) -> None:
    settings = Path(__file__).parents[1] / "leaderboard.toml"
    _, benchmarks = read_leaderboard(data, settings)
    verified = {each.name: verify(each, results_of_first(each)) for each in benchmarks}
    computed = [dict(zip(FIGURE_FIELDS, map(str, row), strict=True)) for row in figure_table(verified).rows]
    assert computed == read_rows("published_figures.tsv")


def results_of_first(benchmark: Benchmark) -> Results:
    return Results.compute(benchmark.corpus, benchmark.outputs, benchmark.metrics[:1])
