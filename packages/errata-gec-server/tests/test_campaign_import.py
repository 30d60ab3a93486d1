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

GOOD = {
    "campaign": "0" * 32,
    "key": "abcdefgh-1",
    "judge": "judge-1",
    "segment": 1,
    "document": "doc-0",
    "kind": "main",
    "item": 3,
    "version": "x",
    "source": SOURCES[1],
    "cards": [
        {"text": SYSTEMS["good"][1], "systems": ["good"]},
        {"text": SYSTEMS["middle"][1], "systems": ["middle"]},
        {"text": SYSTEMS["none"][1], "systems": ["none"]},
    ],
    "answer": {"ranks": [1, 2, 3]},
    "skipped": None,
    "comment": "",
    "seconds": 3.5,
    "shown": [2, 0, 1],
    "position": 1,
    "revision": 1,
    "repeat": False,
    "pass": 1,
    "proofreads": None,
    "current": True,
    "time": "2026-05-31T12:30:00.000Z",
}


def cards(**changes: Any) -> list[dict[str, Any]]:
    """The cards, the first of them changed."""
    first = {**GOOD["cards"][0], **changes}  # type: ignore[index]
    return [first, *GOOD["cards"][1:]]  # type: ignore[index]


HOSTILE: dict[str, dict[str, Any] | str] = {
    "no key": {"key": None},
    "key too short": {"key": "abc"},
    "key too long": {"key": "a" * 65},
    "key with SQL": {"key": "a'; DROP TABLE judgments"},
    "key a number": {"key": 12345678},
    "no judge": {"judge": None},
    "judge empty": {"judge": "  "},
    "judge a list": {"judge": ["x"]},
    "judge with a line break": {"judge": "a\nb"},
    "judge too long": {"judge": "x" * 201},
    "campaign no identifier": {"campaign": "../../etc"},
    "segment unknown": {"segment": 99},
    "segment negative": {"segment": -1},
    "segment a float": {"segment": 1.0},
    "segment true": {"segment": True},
    "segment huge": {"segment": 10**30},
    "segment in other digits": {"segment": "١"},
    "segment missing": {"segment": None},
    "another source": {"source": "Another sentence ."},
    "source a number": {"source": 5},
    "unknown system": {"cards": cards(systems=["unknown"])},
    "another system's text": {"cards": cards(text=SYSTEMS["none"][1])},
    "changed text": {"cards": cards(text="Something nobody wrote .")},
    "system twice": {"cards": cards(systems=["good", "good"])},
    "system on two cards": {"cards": [*cards(), GOOD["cards"][0]], "answer": {"ranks": [1, 2, 3, 1]}},  # type: ignore[index]
    "no system": {"cards": cards(systems=[])},
    "systems a text": {"cards": cards(systems="good")},
    "system a number": {"cards": cards(systems=[5])},
    "system a list": {"cards": cards(systems=[["good"]])},
    "invented control": {"cards": cards(systems=["control:mine"])},
    "control that is not the source": {"cards": cards(systems=["control:source"])},
    "cards an object": {"cards": {"text": "x"}},
    "cards of texts": {"cards": ["a", "b"]},
    "card with more": {"cards": cards(html="<b>")},
    "no cards": {"cards": []},
    "too many cards": {"cards": cards() * 50},
    "no answer": {"answer": None},
    "answer a list": {"answer": [1, 2, 3]},
    "too few ranks": {"answer": {"ranks": [1, 2]}},
    "too many ranks": {"answer": {"ranks": [1, 2, 3, 4]}},
    "rank 0": {"answer": {"ranks": [0, 1, 2]}},
    "rank beyond": {"answer": {"ranks": [1, 2, 4]}},
    "rank 1.5": {"answer": {"ranks": [1, 1.5, 2]}},
    "rank 10^400": {"answer": {"ranks": [1, 2, 10**400]}},
    "rank a text": {"answer": {"ranks": ["1", 2, 3]}},
    "rank true": {"answer": {"ranks": [True, 2, 3]}},
    "rank missing": {"answer": {"ranks": [1, None, 3]}},
    "scores instead": {"answer": {"scores": [1, 2, 3]}},
    "unknown reason to skip": {"skipped": "bored"},
    "skipped true": {"skipped": True},
    "comment a number": {"comment": 7},
    "comment too long": {"comment": "x" * 4001},
    "comment with NUL": {"comment": "a\0b"},
    "seconds negative": {"seconds": -1},
    "seconds a week": {"seconds": 700_000},
    "seconds a text": {"seconds": "3"},
    "seconds 10^400": {"seconds": 10**400},
    "position 0": {"position": 0},
    "position 1.5": {"position": 1.5},
    "position huge": {"position": 2**31},
    "revision 0": {"revision": 0},
    "revision huge": {"revision": 10**9},
    "revision a text": {"revision": "2"},
    "repeat a text": {"repeat": "yes"},
    "shown too short": {"shown": [0, 1]},
    "shown twice": {"shown": [0, 0, 1]},
    "shown of floats": {"shown": [0.0, 1, 2]},
    "shown of booleans": {"shown": [False, True, 2]},
    "proofreads nothing": {"proofreads": "zyxwvuts"},
    "proofreads a number": {"proofreads": 5},
    "time in words": {"time": "yesterday"},
    "time a number": {"time": 5},
    "unknown kind": {"kind": "gold"},
    "unknown pass": {"pass": 3},
    "item a text": {"item": "3"},
    "unknown field": {"admin": True},
    "lone surrogate": json.dumps(GOOD).replace('"comment": ""', '"comment": "\\ud800"'),
    "NaN": json.dumps(GOOD).replace("3.5", "NaN"),
    "infinite": json.dumps(GOOD).replace("3.5", "1e999"),
    "negative infinite": json.dumps(GOOD).replace("3.5", "-Infinity"),
    "not an object": '["a"]',
    "half a line": json.dumps(GOOD)[:100],
    "nested without end": '{"answer": ' + "[" * 100_000,
    "digits without end": '{"key": ' + "9" * 10_000 + "}",
}  # fmt: skip


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


def test_there_are_enough_variants() -> None:
    assert len(HOSTILE) >= 39


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_judgment_is_named_and_nothing_is_stored(name: str, made: Made, tmp_path: Path) -> None:
    change = HOSTILE[name]
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
