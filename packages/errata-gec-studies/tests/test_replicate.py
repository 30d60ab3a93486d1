"""Published tables computed again: the verdicts themselves, and what must come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.errors import ErrataError
from errata_studies.replicate import GROUPS, PAPERS, Computation, paper, reproduce
from errata_studies.replicate.bench import Bench, once
from errata_studies.replicate.exhibits import (
    ABSENT,
    COMPATIBLE,
    EQUAL,
    NAMED,
    NOT_TESTABLE,
    UNEXPLAINED,
    Cause,
    Cell,
    Exhibit,
    Paper,
    Reproduction,
    cells,
    count,
    parse_cells,
    ranked,
    verdict_summary,
)
from errata_studies.replicate.tables import exhibit_tables, summary_table

EXHIBITS = [(name, exhibit.number) for name in PAPERS for exhibit in paper(name).exhibits]
# Exhibits in which every cell has to be equal, whatever the random draws
ALL_EQUAL = {
    ("chollampatt2018", "Table 2"), ("chollampatt2018", "§3.3.1"), ("chollampatt2018", "Table 4"),
    ("chollampatt2018", "Figure 2"), ("grundkiewicz2015", "Table 1"), ("grundkiewicz2015", "Table 3d"),
    ("grundkiewicz2015", "Table 6"), ("sakaguchi2016", "Table 4"), ("napoles2016", "§3"),
    ("sakaguchi2016", "Table 5"),
    ("sakaguchi2016", "Table 7"),
}  # fmt: skip
# Cells no cause was found for
UNEXPLAINED_KNOWN = {
    ("bryant2015", "Ratio"): 1,
    ("kobayashi2024", "README"): 11,
    ("naplava2022", "Table 1"): 2,
    ("naplava2022", "Table 5"): 10,
    ("naplava2022", "§3.8"): 1,
    ("naplava2022", "Table 7"): 13,
    ("naplava2022", "Table 8"): 27,
    ("napoles2015", "§2"): 1,
    ("napoles2015", "Table 2"): 9,
    ("napoles2015", "Table 3"): 2,
    ("sakaguchi2016", "Table 6"): 1,
}
# Exhibits whose intervals accept more than a tenth of wrong values
NOT_TESTABLE_KNOWN = {
    ("napoles2015", "Table 1"), ("napoles2015", "Table 2"), ("napoles2015", "Table 3"),
    ("napoles2016", "Table 2"), ("sakaguchi2016", "Table 6"),
}  # fmt: skip


@pytest.fixture(scope="module")
def bench(data: Path) -> Bench:
    return Bench(data, runs=100)


@once
def made(bench: Bench, name: str, number: str) -> Reproduction:
    return next(e for e in paper(name).exhibits if e.number == number).reproduce(bench)


def test_sizes_of_geccc_are_those_of_corpus_stats(bench: Bench, run: Callable, data: Path) -> None:
    """One counting rule: both verbs print the same numbers for the same files."""
    sizes = {(c.row, c.column): c.reproduced for c in made(bench, "naplava2022", "Table 5").cells}
    for split in ("dev", "test"):
        files = {level: data / "geccc" / split / f"{level}.m2" for level in ("sentence", "paragraph")}
        rows = json.loads(run("corpus", "stats", *files.values(), "--format", "json").stdout)["rows"]
        sentence, paragraph = (next(r for r in rows if r["corpus"] == str(f)) for f in files.values())
        assert sizes["Σ", f"{split} sentences"] == sentence["segments"]
        assert sizes["Σ", f"{split} paragraphs"] == paragraph["paragraphs"] == paragraph["segments"]
        assert sizes["Σ", f"{split} docs"] == paragraph["documents"]


@pytest.mark.parametrize(("name", "number"), EXHIBITS)
def test_every_exhibit_runs_and_leaves_no_other_cell_unexplained(
    bench: Bench, name: str, number: str
) -> None:
    found = made(bench, name, number)
    assert found.cells or found.tables
    counts = count(found.cells)
    if (name, number) in ALL_EQUAL:
        assert counts[EQUAL] == len(found.cells)
    assert counts[UNEXPLAINED] <= UNEXPLAINED_KNOWN.get((name, number), 0), [
        (c.row, c.column, c.published, c.reproduced) for c in found.cells if c.verdict == UNEXPLAINED
    ]
    assert (counts[NOT_TESTABLE] > 0) == ((name, number) in NOT_TESTABLE_KNOWN)
    exhibit = next(e for e in paper(name).exhibits if e.number == number)
    assert "\n" in "".join(table.render("markdown") for table in exhibit_tables(paper(name), exhibit, found))


def test_chollampatt_table_3_has_all_12_taus_and_its_pair_counts(bench: Bench) -> None:
    found = {(c.row, c.column): c for c in made(bench, "chollampatt2018", "Table 3").cells}
    taus = [cell for (row, _), cell in found.items() if row in ("GLEU", "I-measure", "M²")]
    assert [cell.verdict for cell in taus] == [EQUAL] * 12
    counts = [found["comparisons", column].reproduced for _, column in list(found)[:4]]
    assert counts == [109_098, 49_981, 20_516, 14_822]
    assert found["comparisons", "unexpanded NoTies"].verdict == NAMED  # 14,584 is printed
    # M² of the best annotator instead of the last, as the golden notes have it
    assert round(float(found["M²", "expanded NoTies"].other or 0), 3) == 0.351
    assert round(float(found["M²", "unexpanded NoTies"].other or 0), 3) == 0.305


def test_sakaguchis_bleu_has_the_inverted_penalty_and_m2_ignores_case(bench: Bench) -> None:
    found = {(c.row, c.column): c for c in made(bench, "sakaguchi2016", "Table 6").cells}
    for row in ("NUCLE", "E-fluency", "E-min.", "N-min."):
        assert found[row, "BLEU ρ"].verdict == EQUAL
    assert found["NUCLE", "M² ρ"].verdict == found["NUCLE", "M² r"].verdict == EQUAL
    assert found["BN15", "M² ρ"].verdict == found["BN15", "M² r"].verdict == EQUAL
    # The correlations of the released scores are the printed ones, in all 56 cells.
    for cell in found.values():
        assert Cell(cell.row, cell.column, cell.published, cell.other).verdict == EQUAL


def test_one_character_for_every_sentence_gets_the_sixth_rank(bench: Bench) -> None:
    found = {c.column: c.reproduced for c in made(bench, "napoles2015", "Footnote 3").cells}
    assert (round(float(found["F"] or 0), 2), found["rank"]) == (0.28, 6)


# -- verdicts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "reproduced", "cause", "verdict"),
    [
        ("0.691", 0.6905, None, EQUAL),
        ("0.691", 0.6915, None, EQUAL),  # a half, rounded down
        ("0.691", 0.6921, None, UNEXPLAINED),
        ("0.691", 0.6921, Cause("random draws", reach=0.001), COMPATIBLE),
        ("0.691", 0.6951, Cause("random draws", reach=0.001), UNEXPLAINED),  # further than the cause reaches
        (".30", 0.307, None, UNEXPLAINED),
        ("−0.25", -0.2496, None, EQUAL),
        ("14584", 14584, None, EQUAL),
        ("14584", 14822, Cause("without GLEU's ties", gives=14584), NAMED),
        ("UFC", "UFC", None, EQUAL),
        ("UFC", "AMU", None, UNEXPLAINED),
        ("UFC", "AMU", Cause("a tie"), UNEXPLAINED),  # words alone explain nothing
        ("UFC", "AMU", Cause("other scores", gives="UFC"), NAMED),
        ("UFC", "AMU", Cause("a tie", outcomes=frozenset({"UFC", "AMU"})), COMPATIBLE),
        ("UFC", "AMU", Cause("a tie", outcomes=frozenset({"IPN", "AMU"})), UNEXPLAINED),
        ("0.691", 0.75, Cause("other scores", gives=0.6912), NAMED),
        ("0.691", 0.75, Cause("other scores", gives=0.6922), UNEXPLAINED),  # it gives something else
        ("0.691", 0.75, Cause("other scores", gives=0.6922, reach=0.001), COMPATIBLE),
        ("0.691", 0.6921, Cause("other scores", gives=0.75, reach=0.05), UNEXPLAINED),
        ("0.691", None, None, UNEXPLAINED),
        ("0.691", None, Cause("random draws", reach=1), UNEXPLAINED),
        ("0.691", None, Cause("not released", absent=True), ABSENT),
        ("0.691", float("nan"), None, UNEXPLAINED),
    ],
)
def test_a_verdict_takes_the_printed_precision_and_the_reach_of_the_cause(
    published: str, reproduced: float | str | None, cause: Cause | None, verdict: str
) -> None:
    assert Cell("row", "column", published, reproduced, cause=cause).verdict == verdict


def test_intervals_that_accept_wrong_values_make_a_table_not_testable() -> None:
    """Each printed figure is replaced by those of the other rows."""
    figures = {"a": 0.51, "b": 0.62, "c": 0.73}

    def reproduction(reach: float) -> Reproduction:
        cause = Cause("random draws", reach=reach)
        return Reproduction([Cell(row, "x", f"{x - 0.02:.2f}", x, cause=cause) for row, x in figures.items()])

    narrow, wide = reproduction(0.03), reproduction(0.1)
    assert narrow.wrong == (0, 6)
    assert [cell.verdict for cell in narrow.cells] == [COMPATIBLE] * 3
    assert wide.wrong == (2, 6)  # the next row's figure is within reach, one way
    assert [cell.verdict for cell in wide.cells] == [NOT_TESTABLE] * 3
    assert wide.cells[0].interval == "±0.100"
    alone = Reproduction([Cell("a", "x", "0.49", 0.51, cause=Cause("random draws", reach=0.03))])
    assert alone.cells[0].verdict == NOT_TESTABLE  # there is no other figure to try
    equal = Reproduction([Cell("a", "x", "0.51", 0.51, cause=Cause("random draws", reach=9))])
    assert equal.cells[0].verdict == EQUAL


def test_printed_rows_become_cells_and_dashes_none() -> None:
    printed = parse_cells("row | x | y\na | 1.0 | –\nb | 2 | .3")
    assert printed == {("a", "x"): "1.0", ("b", "x"): "2", ("b", "y"): ".3"}
    found = cells(printed, {("a", "x"): 1.04, ("b", "x"): 2})
    assert [cell.verdict for cell in found] == [EQUAL, EQUAL, UNEXPLAINED]
    assert verdict_summary(count(found)) == "2 of 3 cells equal, 1 unexplained"
    with pytest.raises(ValueError, match="argument 2"):
        parse_cells("row | x | y\na | 1.0")


def test_rankings_are_compared_place_by_place() -> None:
    found = cells(parse_cells("ranking\nM² | B A C"), ranked("M²", {"A": 2.0, "B": 3.0, "C": 1.0}))
    assert [cell.verdict for cell in found] == [EQUAL] * 3


def test_tables_name_each_cause_once_with_the_largest_difference_and_interval() -> None:
    cause = Cause("random draws", reach=0.05)
    found = [Cell("a", "x", "0.5", 0.56, cause=cause), Cell("b", "x", "0.8", 0.88, 0.7, cause)]
    known = Paper("p", "P 2020", [])
    exhibit = Exhibit("Table 1", "T", lambda bench: Reproduction(found))
    table = exhibit_tables(known, exhibit, Reproduction(found, other="corrected"))[0]
    assert [column.name for column in table.columns][-3:] == ["corrected", "interval", "verdict"]
    assert [note for note in table.notes if "random" in note] == [
        "compatible: random draws (differences up to 0.08; intervals up to ±0.05)"
    ]
    total = summary_table([(known, exhibit, Reproduction(found))]).rows[-1]
    assert list(total[2:]) == [2, 0, 0, 2, 0, 0, 0, None]


def test_a_missing_package_or_corpus_leaves_the_other_papers(
    run: Callable, data: Path, tmp_path: Path
) -> None:
    """Papers that need nothing else are printed, and the others are named."""
    (tmp_path / "data").mkdir()
    for name in ("conll14", "gjg15", "napoles15"):
        (tmp_path / "data" / name).symlink_to(data / name)
    done = run(
        "replicate", "napoles2015", "naplava2022", "-e", "Footnote 3", "-e", "Table 7", "--data", "data",
        "--format", "tsv", ERRATA_DATA=str(tmp_path / "none"),
    )  # fmt: skip
    assert done.returncode == 1
    assert "named cause" in done.stdout
    assert "naplava2022 Table 7" in done.stderr
    assert "napoles2015" not in done.stderr


def test_an_unknown_paper_is_an_error() -> None:
    with pytest.raises(ErrataError, match="there is no replication"):
        paper("nobody1999")


def test_replicate_lists_papers_and_computes_one_table_into_a_page(
    run: Callable, data: Path, tmp_path: Path
) -> None:
    listed = run("replicate", "--format", "tsv")
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == 1 + len(PAPERS)
    done = run(
        "replicate",
        "napoles2015",
        "-e",
        "footnote 3",
        "--data",
        data,
        "--html",
        "page.html",
        "--format",
        "json",
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<html") == 1
    assert "http" not in page.replace("http://www.w3.org", "")  # nothing is loaded from elsewhere
    assert 'class="named"' in page
    assert run("replicate", "napoles2015", "-e", "Table 99", "--data", data).returncode == 2
    assert run("replicate", "nobody").returncode == 1
    assert run("replicate", "--all", "napoles2015").returncode == 2


def test_exhibits_of_two_groups_are_the_same_in_processes_as_in_one(data: Path) -> None:
    for name in EXHIBITS:
        assert sum(name in group for group in GROUPS) <= 1
        assert any(part in group for group in GROUPS for part in (name, (name[0], None)))
    names = [
        ("naplava2022", "Figure 1"), ("grundkiewicz2015", "Table 3d"), ("napoles2016", "§3"),
        ("sakaguchi2016", "Figure 6"), ("sakaguchi2016", "Table 4"),
    ]  # fmt: skip
    found = []
    for jobs in (1, 2):
        steps: list[int] = []
        made = reproduce(names, Computation(data, runs=10, jobs=jobs), steps.append)
        assert sum(steps) == len(names)
        found.append([(one.cells, [table.render("tsv") for table in one.tables]) for one in made])
    assert found[0] == found[1]


def test_the_page_escapes_what_it_shows() -> None:
    from errata_studies.replicate.page import page

    evil = Paper("p<x>", "<script>alert(1)</script>", [], ["<b>"])
    exhibit = Exhibit("<i>", "&", lambda bench: Reproduction())
    found = page([(evil, exhibit, Reproduction([Cell("<u>", "c", "1", 1)]))])
    assert "<script>" not in found
    assert "<u>" not in found
    assert "<i>" not in found
    assert "<b>" not in found


def test_naplava_table_8_follows_from_a_version_that_knew_inflected_verbs(bench: Bench) -> None:
    found = {(c.row, c.column): c for c in made(bench, "naplava2022", "Table 8").cells}
    assert found["ORTH:WSPACE", "#"].verdict == EQUAL
    for row in ("POS", "POS:INFL"):
        cell = found[row, "#"]
        assert isinstance(cell.other, int)
        assert isinstance(cell.reproduced, int)
        assert abs(cell.other - int(cell.published)) < 60 < abs(cell.reproduced - int(cell.published))


def test_scores_with_alternative_answers_are_computed_from_the_shared_tasks_file(bench) -> None:
    from errata_studies.replicate.exhibits import order_of
    from errata_studies.replicate.napoles2015 import TABLE_2, sources

    found = dict(zip(bench.systems, (100 * sources(bench)["M²"]).round(2).tolist(), strict=True))
    assert found["PKU"] == 29.10
    assert found["POST"] == 36.77
    assert sorted(found, key=found.__getitem__, reverse=True) == order_of(TABLE_2, "M²")


def test_two_releases_of_errant_are_as_far_apart_as_the_page_says(golden: Path, data: Path) -> None:
    from errata.corpus.formats import read_corpus, read_outputs
    from errata.corpus.model import Corpus
    from errata.metrics import metric
    from errata_studies.replicate.kobayashi2024 import RELEASES

    old = read_corpus(golden / "cleme" / "inputs" / "conll14.m2.xz")
    texts = [(data / "seeda" / "refs" / f"m2_ann{k}.txt").read_text("utf-8").splitlines() for k in range(2)]
    gold = read_corpus(data / "conll14" / "test.m2")
    new = Corpus.from_lists(
        gold.sources, [[texts[a.annotator][i] or s.source for a in s.annotations] for i, s in enumerate(gold)]
    )
    systems = [path.stem for path in sorted((data / "conll14" / "systems").glob("*.txt"))]
    apart = []
    for name in ("errant:references=given", "senterrant:references=given"):
        for system in systems:
            shipped = golden / "cleme" / "inputs" / f"conll14-{system}.m2.xz"
            scores = []
            for file, corpus in ((golden / "errant" / f"{system}.m2", new), (shipped, old)):
                (lines,) = read_outputs([file], corpus).values()
                scores.append(float(metric(name).score(corpus, lines)))
            apart.append(100 * abs(scores[0] - scores[1]))
    assert len(apart) == 26
    assert round(max(apart), 2) == RELEASES


def test_expected_wins_of_seeda_lie_around_the_exact_ones_as_means_of_resamples_do(bench: Bench) -> None:
    found = [c for c in made(bench, "kobayashi2024", "Table 2").cells if c.column.startswith("EW")]
    # The reach is 3.3 standard errors; a printed figure is rounded besides (1/12 of a thousandth squared).
    reaches = [c.cause.reach for c in found if c.cause is not None]
    squares = [
        (c.difference or 0) ** 2 / ((reach / 3.3) ** 2 + 1e-6 / 12)
        for c, reach in zip(found, reaches, strict=True)
    ]
    assert len(squares) == 30
    assert 15 < sum(squares) < 50  # χ² with 30 degrees of freedom, in 98 of 100 cases
