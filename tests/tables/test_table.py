"""One table, every format."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.tables import Column, Estimate, Table, render_all, terminal


@pytest.fixture
def table() -> Table:
    return Table(
        [Column("system"), Column("F", 2, "max"), Column("errors", best="min")],
        [["a_b|c", Estimate(0.5, 0.4, 0.6), 1200], ["<x>", 0.25, 7], ["none", None, float("nan")]],
        title="Scores",
        notes=["signature"],
        rules=frozenset({1}),
    )


def test_terminal_marks_nothing_without_colour_and_fits_the_width(table: Table) -> None:
    text = table.render("table", width=80)
    assert "\x1b" not in text
    assert "0.50 [0.40, 0.60]" in text
    assert "1,200" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_best_values_are_bold(table: Table) -> None:
    assert "**0.50 [0.40, 0.60]**" in table.render("markdown")
    assert "\\textbf{7}" in table.render("latex")
    assert "<strong>7</strong>" in table.render("html")


def test_equal_prints_are_equally_best() -> None:
    table = Table([Column("x", 1, "max")], [[0.501], [0.499], [0.1]])
    assert table.render("markdown").count("**0.5**") == 2


def test_markup_is_escaped(table: Table) -> None:
    assert "a_b\\|c" in table.render("markdown")
    assert "a\\_b|c" in table.render("latex")
    assert "&lt;x&gt;" in table.render("html")


def test_tsv_has_full_precision_and_a_column_for_each_end(table: Table) -> None:
    lines = table.render("tsv").splitlines()
    assert lines[0] == "system\tF\tF_low\tF_high\terrors"
    assert lines[1] == "a_b|c\t0.5\t0.4\t0.6\t1200"
    assert lines[3].startswith("none\t\t\t\t")


def test_no_cell_of_tsv_is_a_formula_of_a_spreadsheet() -> None:
    names = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "=1\r=2", "-1.5e-3", "-", "a=b"]
    table = Table([Column("=name"), Column("value")], [[name, -0.5] for name in names])
    cells = [line.split("\t")[0] for line in table.render("tsv").split("\n")]
    assert cells[:5] == ["'=name", "'=cmd|' /C calc'!A0", "'+1+1", "'-2+3", "'@SUM(A1)"]
    assert cells[5:9] == ["'=1 =2", "-1.5e-3", "-", "a=b"]
    assert all(line.endswith("\t-0.5") for line in table.render("tsv").splitlines()[1:])


def test_json_is_strict_and_keeps_values(table: Table) -> None:
    record = json.loads(table.render("json"), parse_constant=pytest.fail)
    assert record["rows"][0]["F"] == {"value": 0.5, "low": 0.4, "high": 0.6}
    assert record["rows"][2] == {"system": "none", "F": None, "errors": None}
    assert len(json.loads(render_all([table, table], "json"))) == 2


def test_a_row_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="a row of 1 cells under 2 columns"):
        Table([Column("a"), Column("b")], [["x"]])


def test_a_table_too_wide_for_the_terminal_is_continued_below() -> None:
    table = Table([Column("system"), *(Column(f"metric{i}", 4) for i in range(12))], [["name", *[0.5] * 12]])
    text = table.render("table", width=80)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count("name") == 2
    assert text.count("0.5000") == 12


def test_no_number_is_broken_at_80_columns() -> None:
    """Long names are folded, a matrix of cells with stars is continued below."""
    names = [f"a-system-of-a-very-long-name-{i}" for i in range(13)]
    cells = [[f"+0.{i}{j:02}5***" for j in range(13)] for i in range(13)]
    matrix = Table(
        [Column("system"), *map(Column, names)],
        [[name, *row] for name, row in zip(names, cells, strict=True)],
        keys=1,
    )
    pairs = Table(
        [Column("system"), Column("against"), Column("difference", 4), Column("p", 5), Column("needed")],
        [[names[0], names[1], Estimate(-0.0123, -0.1234, 0.1234), 0.00123, 1234567]],
    )
    text = matrix.render("table", width=80) + pairs.render("table", width=80)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert all(cell in text for row in cells for cell in row)
    assert "-0.0123 [-0.1234, 0.1234]" in text
    assert "1,234,567" in text


texts = st.text("ab .–²é≈ß\t漢́1", max_size=8)
cells = st.one_of(st.none(), texts, st.integers(-9, 10**6), st.floats(-1, 1))


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(0, 4), st.sampled_from([12, 25, 80, 10_000]))
def test_a_table_without_rich_is_the_same(data, columns, rows, width) -> None:
    """Where texts fit and every character takes one place, rich is not loaded."""
    names = data.draw(st.lists(texts, min_size=columns, max_size=columns))
    numeric = data.draw(st.lists(st.booleans(), min_size=columns, max_size=columns))
    grid = [[data.draw(st.floats(-1, 100) if number else cells) for number in numeric] for _ in range(rows)]
    rules = frozenset(data.draw(st.lists(st.integers(0, 4), max_size=2)))
    table = Table(
        [Column(name, data.draw(st.integers(0, 4))) for name in names], grid,
        data.draw(texts), data.draw(st.lists(texts, max_size=2)), rules,
    )  # fmt: skip
    assert terminal.render(table, width, color=False) == terminal._with_rich(table, width, color=False)
