"""Committed results: they are complete, and pages show them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from errata.errors import ErrataError
from errata_studies.replicate import PAPERS, paper
from errata_studies.replicate.bench import Bench
from errata_studies.replicate.exhibits import VERDICTS
from errata_studies.replicate.tables import cell_texts, verdict_table
from errata_studies.results import (
    CELL_FIELDS,
    FOLDER,
    NOTE_FIELDS,
    NOTES,
    REPLICATIONS,
    read_rows,
    render,
    replication_counts,
    results_table,
)

DOCS = Path(__file__).parents[3] / "docs"


def test_every_file_is_rendered_and_shown_on_a_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    for path in FOLDER.glob("*.tsv"):
        rows = path.read_text("utf-8").splitlines()
        assert len({row.count("\t") for row in rows}) == 1, path.name
        assert render(path.name).count("\n|") == len(rows)
        assert path.name == NOTES or f"results/{path.name}" in pages


def test_replications_are_cells_of_the_exhibits_with_verdicts() -> None:
    exhibits = {(name, exhibit.number) for name in PAPERS for exhibit in paper(name).exhibits}
    rows = read_rows(REPLICATIONS)
    assert tuple(rows[0]) == CELL_FIELDS
    assert {(row["paper"], row["exhibit"]) for row in rows} <= exhibits
    assert {row["verdict"] for row in rows} <= set(VERDICTS)
    assert verdict_table(replication_counts()).rows[-1] == [
        "all",
        "",
        len(rows),
        1053,
        55,
        115,
        52,
        7,
        78,
        None,
    ]
    assert all(row["interval"] for row in rows if row["verdict"] in ("compatible", "not testable"))
    assert all(row["cause"] for row in rows if row["verdict"] == "named cause")
    notes = read_rows(NOTES)
    assert tuple(notes[0]) == NOTE_FIELDS
    assert {(row["paper"], row["exhibit"]) for row in notes} <= exhibits


@pytest.mark.parametrize(
    ("name", "number"), [("napoles2015", "Footnote 3"), ("grundkiewicz2015", "Table 3a")]
)
def test_committed_cells_are_those_of_a_run(data: Path, name: str, number: str) -> None:
    exhibit = next(each for each in paper(name).exhibits if each.number == number)
    computed = [cell_texts(cell) for cell in exhibit.reproduce(Bench(data, runs=100)).cells]
    fields = CELL_FIELDS[2:]
    committed = [row for row in read_rows(REPLICATIONS) if (row["paper"], row["exhibit"]) == (name, number)]
    assert [[row[field] for field in fields] for row in committed] == [
        [texts[field] for field in fields] for texts in computed
    ]


def test_estimates_take_one_column_and_the_best_are_bold() -> None:
    table = results_table("leaderboard_systems.tsv", best=True)
    assert [column.name for column in table.columns][:3] == ["metric", "mean", "seeda, base, edits"]
    text = render("leaderboard_systems.tsv", "best")
    assert "| **0.94 [0.73, 0.99]** |" in text
    assert text.splitlines()[1].startswith("| --- | ---: |")


def test_the_short_table_of_seeda_has_the_numbers_of_the_leaderboard() -> None:
    names = {"SARI": "sari", "EM-Diff": "emdiff", "GLEU": "gleu", "CLEME2": "cleme2", "ERRANT": "errant",
        "SentERRANT": "senterrant", "M²": "m2", "SentM²": "sentm2", "GREEN": "green", "I-measure": "imeasure",
        "BLEU": "bleu", "length of the output": "length"}  # fmt: skip
    by_level = {
        prefix: {row["metric"]: row for row in read_rows(f"leaderboard_{level}.tsv")}
        for prefix, level in (("sentences", "sentences"), ("ρ", "systems"))
    }
    for row in read_rows("metrics_seeda.tsv"):
        for column in list(row)[1:]:
            view = "+fluency" if "+fluency" in column else "base"
            rows = by_level["ρ" if column.startswith("ρ") else "sentences"]
            expected = [rows[names[row["metric"]]][f"seeda, {view}, {by}"] for by in ("edits", "sentences")]
            short = ", ".join(text.replace("0.", ".").replace("-", "−") for text in expected)
            assert row[column].replace("*", "") == short


def test_differences_have_a_folded_table_per_exhibit_without_equal_cells() -> None:
    text = render(REPLICATIONS, "differences")
    assert text.count("<details") == text.count("</details>") > 20
    assert "| equal |" not in text
    assert "from released scores" in text  # the name of the alternative
    assert re.search(r"^- compatible: .* \(differences up to .*; intervals up to ±.*\)$", text, re.MULTILINE)
    assert re.search(r"^- the intervals accept 12 of 12 wrong values$", text, re.MULTILINE)


def test_unknown_files_and_views_are_errors() -> None:
    with pytest.raises(ErrataError, match="no results"):
        render("nothing.tsv")
    with pytest.raises(ErrataError, match="no view"):
        render(REPLICATIONS, "prettier")
