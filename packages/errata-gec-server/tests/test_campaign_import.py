"""Judgments from elsewhere: whatever is wrong with one is named, and nothing of the file is stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from campaigns import SOURCES, SYSTEMS, Made, make
from errata.errors import DataError
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.import_judgments import import_file

GOOD: dict[str, Any] = {
    "campaign": "0" * 32, "key": "abcdefgh-1", "judge": "judge-1", "segment": 1, "document": "doc-0",
    "kind": "main", "item": 3, "version": "x", "source": SOURCES[1],
    "cards": [{"text": SYSTEMS[name][1], "systems": [name]} for name in SYSTEMS],
    "answer": {"ranks": [1, 2, 3]}, "skipped": None, "comment": "", "seconds": 3.5, "shown": [2, 0, 1],
    "position": 1, "revision": 1, "repeat": False, "pass": 1, "proofreads": None, "current": True,
    "time": "2026-05-31T12:30:00.000Z",
}  # fmt: skip


def cards(**changes: Any) -> list[dict[str, Any]]:
    """The cards, the first of them changed."""
    first = {**GOOD["cards"][0], **changes}
    return [first, *GOOD["cards"][1:]]


def ranks(*values: Any) -> dict[str, Any]:
    return {"ranks": list(values)}


# Wrong values of single fields. The first judgment of the file is GOOD, the second one has the wrong value.
WRONG: dict[str, list[Any]] = {
    "key": [None, "abc", "a" * 65, "a'; DROP TABLE judgments", 12345678],
    "judge": [None, "  ", ["x"], "a\nb", "x" * 201],
    "campaign": ["../../etc"],
    "segment": [99, -1, 1.0, True, 10**30, "١", None],
    "source": ["Another sentence .", 5],
    "cards": [
        cards(systems=["unknown"]), cards(text=SYSTEMS["none"][1]), cards(text="Something nobody wrote ."),
        cards(systems=["good", "good"]), cards(systems=[]), cards(systems="good"), cards(systems=[5]),
        cards(systems=[["good"]]), cards(systems=["control:mine"]), cards(systems=["control:source"]),
        {"text": "x"}, ["a", "b"], cards(html="<b>"), [], cards() * 50,
    ],
    "answer": [
        None, [1, 2, 3], ranks(1, 2), ranks(1, 2, 3, 4), ranks(0, 1, 2), ranks(1, 2, 4), ranks(1, 1.5, 2),
        ranks(1, 2, 10**400), ranks("1", 2, 3), ranks(True, 2, 3), ranks(1, None, 3), {"scores": [1, 2, 3]},
    ],
    "skipped": ["bored", True],
    "comment": [7, "x" * 4001, "a\0b"],
    "seconds": [-1, 700_000, "3", 10**400],
    "position": [0, 1.5, 2**31],
    "revision": [0, 10**9, "2"],
    "repeat": ["yes"],
    "shown": [[0, 1], [0, 0, 1], [0.0, 1, 2], [False, True, 2]],
    "proofreads": ["zyxwvuts", 5],
    "time": ["yesterday", 5],
    "kind": ["gold"],
    "pass": [3],
    "item": ["3"],
    "admin": [True],  # no such field
}  # fmt: skip
HOSTILE: list[dict[str, Any] | str] = [
    *({field: value} for field, values in WRONG.items() for value in values),
    {"cards": [*cards(), GOOD["cards"][0]], "answer": ranks(1, 2, 3, 1)},  # a system on two cards
    json.dumps(GOOD).replace('"comment": ""', '"comment": "\\ud800"'),
    *(json.dumps(GOOD).replace("3.5", number) for number in ("NaN", "1e999", "-Infinity")),
    '["a"]', json.dumps(GOOD)[:100], '{"answer": ' + "[" * 100_000, '{"key": ' + "9" * 10_000 + "}",
]  # fmt: skip


def counts(made: Made) -> list[int]:
    with made.store.read() as connection:
        return [
            connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for table in (schema.judgments, schema.annotators, schema.items, schema.assignments)
        ]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("hostile"))


def lines(*values: dict[str, Any] | str) -> str:
    return "".join(f"{value if isinstance(value, str) else json.dumps(value)}\n" for value in values)


@pytest.mark.parametrize("change", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_judgment_is_named_and_nothing_is_stored(change: Any, made: Made, tmp_path: Path) -> None:
    bad = change if isinstance(change, str) else {**GOOD, "key": "abcdefgh-2", "position": 2, **change}
    file = tmp_path / "judgments.jsonl"
    file.write_text(lines(GOOD, bad), encoding="utf-8")
    before = counts(made)
    with pytest.raises(DataError) as caught:
        import_file(made.store, file)
    assert (caught.value.line, counts(made)) == (2, before)


def test_the_good_judgment_is_taken_in_as_it_is(tmp_path: Path) -> None:
    made = make(tmp_path)
    file = tmp_path / "judgments.jsonl"
    file.write_text(lines(GOOD), encoding="utf-8")
    assert import_file(made.store, file) == (1, 0)
    assert import_file(made.store, file) == (0, 1)
    with made.store.read() as connection:
        row = connection.execute(sa.select(schema.judgments)).one()
        names = [person.name for person in made.store.annotators(connection)]
    assert json.loads(row.answer) == GOOD["answer"]
    assert json.loads(row.shown) == [2, 0, 1]
    assert names[-1] == "imported:judge-1@00000000"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": {"ranks": [3, 2, 1]}}, "belongs to another judgment"),
        ({"key": "abcdefgh-9", "segment": 2, "source": SOURCES[2], "cards": None,
          "systems": [["good", "middle"], ["none"]], "answer": {"ranks": [1, 2]}, "shown": [0, 1]},
         "judged something else at position 1"),
    ],
)  # fmt: skip
def test_judgments_that_contradict_each_other_are_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    made = make(tmp_path)
    file, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    both = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    file.write_text(lines(GOOD, both), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        import_file(made.store, file)
    file.write_text(lines(GOOD), encoding="utf-8")
    other.write_text(lines(both), encoding="utf-8")
    assert import_file(made.store, file) == (1, 0)
    with pytest.raises(DataError, match=message):
        import_file(made.store, other)
    assert counts(made)[0] == 1


def test_judges_of_different_campaigns_stay_apart(tmp_path: Path) -> None:
    made = make(tmp_path)
    file = tmp_path / "both.jsonl"
    other = {**GOOD, "campaign": "f" * 32, "key": "abcdefgh-2", "answer": {"ranks": [3, 2, 1]}}
    file.write_text(lines(GOOD, other), encoding="utf-8")
    assert import_file(made.store, file) == (2, 0)
    with made.store.read() as connection:
        names = [person.name for person in made.store.annotators(connection)]
    assert names[-2:] == ["imported:judge-1@00000000", "imported:judge-1@ffffffff"]


@pytest.mark.parametrize(
    ("task", "bad"),
    [
        ("pairwise", {}),
        ("correction", {"answer": {"text": "x"}}),
        ("scalars", {"answer": {"scores": [1, 2, 11]}}),
        ("scalars", {"answer": {"scores": [1, 2, "3"]}}),
    ],
)
def test_judgments_of_another_task_are_refused(task: str, bad: dict[str, Any], tmp_path: Path) -> None:
    made = make(tmp_path, task=task)
    file = tmp_path / "judgments.jsonl"
    file.write_text(lines({**GOOD, **bad}), encoding="utf-8")
    with pytest.raises(DataError, match="judgment 1"):
        import_file(made.store, file)


def test_repeated_scores_are_screens_of_their_own(tmp_path: Path, run: Callable[..., Any]) -> None:
    made = make(tmp_path, task="scalars", controls=0)
    file = tmp_path / "scores.tsv"
    entries = [("A", "none", 1), ("A", "good", 9), ("A", "none", 3), ("A", "good", 8)]
    rows = [f"{judge}\tdoc-0\t1\t{system}\t{score}" for judge, system, score in entries]
    file.write_text("judge\tdocument\tsegment\tsystem\tscore\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert import_file(made.store, file) == (2, 0)
    assert import_file(made.store, file) == (0, 2)


def test_skipped_items_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    """Appraise writes a skipped item without translations."""
    made = make(tmp_path)
    first, second = list(SYSTEMS)[:2]
    shown = f'<translation rank="1" system="{first}"/><translation rank="2" system="{second}"/>'
    item = '<ranking-item doc-id="d" duration="00:00:09" id="{}" src-id="0" user="Ada"{}>{}</ranking-item>'
    items = item.format(1, ' skipped="true"', "") + item.format(2, "", shown)
    file = tmp_path / "rankings.xml"
    file.write_text(f"<appraise-results><ranking-result>{items}</ranking-result></appraise-results>")
    assert import_file(made.store, file) == (1, 0)
