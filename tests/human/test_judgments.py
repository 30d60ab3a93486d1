"""Reading, writing, filtering and pairing human judgments."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.errors import DataError
from errata.human.judgment_files import (
    READERS,
    WRITERS,
    detect_judgments,
    read_judgments,
    read_scalars,
    write_judgments,
    write_scalars,
)
from errata.human.judgments import JudgedItem, Judgments, merge
from errata.human.pairs import expanded_pairs, pairs_of, unexpanded_pairs
from errata.human.scalars import Scalars

ITEM = JudgedItem("ann", "7", (("A", "B"), ("C",), ("D",)), (2, 1, 2), name="1", duration=12.5)
PAIRWISE = "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n"


@st.composite
def rankings(draw: st.DrawFn) -> Judgments:
    items = []
    for number in range(draw(st.integers(1, 5))):
        systems = draw(st.lists(st.sampled_from("ABCDEFG"), min_size=1, max_size=7, unique=True))
        cuts = draw(st.lists(st.booleans(), min_size=len(systems), max_size=len(systems)))
        texts: list[list[str]] = []
        for system, cut in zip(systems, cuts, strict=True):
            if cut or not texts:
                texts.append([])
            texts[-1].append(system)
        ranks = draw(st.lists(st.integers(1, 5), min_size=len(texts), max_size=len(texts)))
        judge = draw(st.sampled_from(["anna", "ben & co", 'c"d']))
        segment = str(draw(st.integers(0, 3)))
        shown = tuple(map(tuple, texts))
        items.append(
            JudgedItem(judge, segment, shown, tuple(ranks), name=str(number), duration=number * 61.5)
        )
    return Judgments.from_items(items)


def written(judgments: Judgments, format: str) -> str:
    file = io.StringIO()
    WRITERS[format](judgments, file)
    return file.getvalue()


@settings(max_examples=40, deadline=None)
@given(rankings(), st.sampled_from(["appraise", "wmt", "mturk"]))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, judgments: Judgments, format: str
) -> None:
    path = tmp_path_factory.mktemp("judgments") / "file"
    write_judgments(judgments, path, format=format)
    assert detect_judgments(path) == format
    read = read_judgments(path)
    assert [(i.judge, i.segment, i.texts, i.ranks) for i in read.items()] == [
        (i.judge, i.segment, i.texts, i.ranks) for i in judgments.items()
    ]
    if format != "wmt":
        assert [i.duration for i in read.items()] == [i.duration for i in judgments.items()]


@settings(max_examples=40, deadline=None)
@given(rankings())
def test_pairwise_csv_keeps_every_expanded_pair(
    tmp_path_factory: pytest.TempPathFactory, judgments: Judgments
) -> None:
    pairs = expanded_pairs(judgments)
    if not len(pairs):
        return
    path = tmp_path_factory.mktemp("judgments") / "pairs.csv"
    write_judgments(judgments, path, format="pairwise")
    read = expanded_pairs(read_judgments(path))
    assert read.ties == pairs.ties
    names = [(pairs.systems[a], pairs.systems[b], o) for a, b, o in _triples(pairs)]
    assert [(read.systems[a], read.systems[b], o) for a, b, o in _triples(read)] == names


def _triples(pairs: object) -> list[tuple[int, int, int]]:
    return list(zip(pairs.left, pairs.right, pairs.outcome, strict=True))  # type: ignore[attr-defined]


@settings(max_examples=60, deadline=None)
@given(rankings(), st.integers(0, 5))
def test_pairs_are_counted_by_hand(judgments: Judgments, seed: int) -> None:
    every, texts = 0, 0
    for item in judgments.items():
        n = sum(map(len, item.texts))
        every += n * (n - 1) // 2
        texts += len(item.texts) * (len(item.texts) - 1) // 2
    expanded, unexpanded = expanded_pairs(judgments), unexpanded_pairs(judgments, seed=seed)
    assert (len(expanded), len(unexpanded)) == (every, texts)
    assert (expanded.left < expanded.right).all()
    assert expanded.tally().pairs == every
    # Which system stands for a text is random; how often texts tie is not.
    assert unexpanded.ties == unexpanded_pairs(judgments, seed=None).ties


def test_rank_one_is_best_and_the_same_text_ties() -> None:
    pairs = expanded_pairs(Judgments.from_items([ITEM]))
    found = {(pairs.systems[a] + pairs.systems[b]): int(o) for a, b, o in _triples(pairs)}
    assert found == {"AB": 0, "AC": -1, "AD": 0, "BC": -1, "BD": 0, "CD": 1}


def test_filters_choose_judges_times_controls_and_drop_skipped_items() -> None:
    items = [
        ITEM,
        JudgedItem("ben", "7", ITEM.texts, ITEM.ranks, duration=2.0),
        JudgedItem("ben", "8", ITEM.texts, ITEM.ranks, control=True),
        JudgedItem("ben", "9", (), (), skipped=True),
    ]
    judgments = Judgments.from_items(items)
    assert len(judgments.filtered()) == 3
    assert len(judgments.filtered(skipped=True)) == 4
    assert len(judgments.filtered(judges=["ben"])) == 2
    assert len(judgments.filtered(exclude_judges=["ben"])) == 1
    assert len(judgments.filtered(min_seconds=5)) == 2  # an unknown duration passes
    assert len(judgments.filtered(max_seconds=5)) == 2
    assert len(judgments.filtered(controls="only")) == 1
    assert len(judgments.filtered(controls="drop")) == 2
    with pytest.raises(DataError, match="no judge 'eve'"):
        judgments.filtered(judges=["eve"])


def test_sets_are_merged_and_systems_left_out() -> None:
    other = Judgments.from_items([JudgedItem("ben", "7", (("A",), ("src",)), (1, 2))])
    merged = merge([Judgments.from_items([ITEM]), other], rename=lambda n: "INPUT" if n == "src" else n)
    assert merged.systems == ("A", "B", "C", "D", "INPUT")
    assert len(expanded_pairs(merged)) == 7
    assert len(expanded_pairs(merged.without_systems(["INPUT"]))) == 6


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ("<appraise-results><ranking-item", "not well-formed XML", 1),
        ("<r>\n<ranking-item id='1'/></r>", "without 'user'", 2),
        (
            "<r>\n<ranking-item id='1' user='a'><translation rank='0' system='A'/></ranking-item></r>",
            "rank",
            2,
        ),
        (
            "<r><ranking-item id='1' user='a'><translation rank='1' system=''/></ranking-item></r>",
            "no system",
            1,
        ),
        (
            "<r><ranking-item id='1' user='a'><translation rank='1' system='A A'/></ranking-item></r>",
            "twice",
            1,
        ),
        ("<r><ranking-item id='1' user='a' duration='soon'></ranking-item></r>", "duration", 1),
        ('<!DOCTYPE r [<!ENTITY a "b">]><r/>', "entity", 1),
        (PAIRWISE + "1,ann,A,1,B\n", "5 fields under 6", 2),
        (PAIRWISE + "1,ann,A,first,B,2\n", "rank 'first'", 2),
        (PAIRWISE + "1,ann,A,1,A,2\n", "twice", 2),
        ("segmentId,judgeID,system1Id,system1rank\n1,ann,A,1\n", "system2Id", 1),
        ("some,thing\n", "cannot tell", 1),
        ("", "cannot tell", 1),
        ("Input.system1,Answer.rank_1\nA,1\n", "Input.sentID", 1),
    ],
)
def test_bad_input_names_the_line(tmp_path: Path, content: str, message: str, line: int) -> None:
    path = tmp_path / "judgments"
    path.write_text(content)
    with pytest.raises(DataError, match=message) as error:
        read_judgments(path)
    assert error.value.line == line


def test_carriage_returns_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (PAIRWISE + "1,ann,A,1,B,2\n").replace("\n", "\r\n").encode())
    assert len(expanded_pairs(read_judgments(path))) == 1


def test_judgments_without_a_pair_are_an_error() -> None:
    with pytest.raises(DataError, match="no pairs"):
        pairs_of(Judgments.from_items([JudgedItem("a", "1", (("A",),), (1,))]), "expanded")


def test_wmt_names_get_short_and_placeholders_go(tmp_path: Path) -> None:
    path = tmp_path / "wmt.csv"
    head = "srclang,trglang,segmentId,judgeId," + ",".join(f"system{n}Id,system{n}rank" for n in range(1, 4))
    path.write_text(head + "\nsrc,trg,5,ann,set.A.src-trg+set.B.src-trg,1,C,2,PLACEHOLDER,-1\n")
    (item,) = read_judgments(path).items()
    assert item.texts == (("A", "B"), ("C",))
    assert item.ranks == (1, 2)


def test_wmt_rows_are_filled_up_with_placeholders() -> None:
    made = Judgments.from_items([JudgedItem("ann", "5", (("A", "B"), ("C",)), (1, 2))])
    head, row = csv.reader(io.StringIO(written(made, "wmt")))
    cells = dict(zip(head, row, strict=True))
    assert [cells[f"system{n}Id"] for n in range(1, 6)] == ["A+B", "C", *["PLACEHOLDER"] * 3]
    assert [cells[f"system{n}rank"] for n in range(1, 6)] == ["1", "2", "-1", "-1", "-1"]
    assert cells["segmentId"] == cells["srcIndex"] == "5"


def test_scores_are_read_back(tmp_path: Path) -> None:
    scalars = Scalars.from_rows([("ann", "d", "1", "A", 7.5), ("ben", "d", "2", "B", 0.0)])
    path = tmp_path / "scores.tsv"
    with path.open("w") as file:
        write_scalars(scalars, file)
    assert detect_judgments(path) == "scalar"
    read = read_scalars(path)
    assert (read.judges, read.segments, read.systems) == (scalars.judges, scalars.segments, scalars.systems)
    assert np.array_equal(read.score, scalars.score)
    with pytest.raises(DataError, match="not rankings"):
        read_judgments(path)


def test_every_format_can_be_read_and_written() -> None:
    assert READERS.keys() == WRITERS.keys()


# -- the published sets ------------------------------------------------------------------------------


def test_grundkiewicz_2015_table_1_is_reproduced(data: Path) -> None:
    judgments = read_judgments(data / "gjg15" / "judgments.xml").filtered()
    expanded, unexpanded = expanded_pairs(judgments), unexpanded_pairs(judgments)
    assert (len(expanded), expanded.ties) == (109_098, 59_117)
    assert (len(unexpanded), unexpanded.ties) == (20_516, 5_694)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["expanded", "unexpanded"])
def test_the_pairs_published_by_chollampatt_and_ng_are_ours(data: Path, kind: str) -> None:
    ours = pairs_of(read_judgments(data / "gjg15" / "judgments.xml").filtered(), kind)
    published = data / "gecmetrics" / "sentence_pairwiseranks_humans" / f"{kind}.csv.gz"
    theirs = expanded_pairs(read_judgments(published))
    assert (len(ours), ours.ties) == (len(theirs), theirs.ties)
    assert ours.systems == theirs.systems
    if kind == "expanded":
        assert np.array_equal(ours.tally().wins, theirs.tally().wins)


def test_napoles_2015_has_28146_pairs_in_both_files(data: Path) -> None:
    table = read_judgments(data / "napoles15" / "all_judgments.csv")
    xml = read_judgments(data / "napoles15" / "all_judgments.xml").filtered(exclude_judges=["non-native"])
    assert len(expanded_pairs(table)) == len(expanded_pairs(xml)) == 28_146
    assert np.array_equal(expanded_pairs(table).tally().wins, expanded_pairs(xml).tally().wins)


@pytest.mark.parametrize(("name", "items", "pairs"), [("Ctrl", 588, 26_265), ("Main", 599, 7_795)])
def test_sakaguchi_2016_counts_approved_rankings_only(data: Path, name: str, items: int, pairs: int) -> None:
    judgments = read_judgments(data / "reassess" / f"{name}_merged.csv").filtered()
    assert len(judgments) == items
    assert len(expanded_pairs(judgments)) == pairs


def test_scores_are_selected_by_their_judges() -> None:
    rows = [("ann", "d", "1", "A", 1.0), ("ben", "d", "1", "A", 2.0), ("cleo", "d", "2", "B", 3.0)]
    scalars = Scalars.from_rows(rows)
    assert scalars.select(["ben", "cleo"]).score.tolist() == [2.0, 3.0]
    assert scalars.select(exclude=["ben"]).score.tolist() == [1.0, 3.0]
    assert scalars.select(["ann", "ben"], exclude=["ann"]).score.tolist() == [2.0]
    with pytest.raises(DataError, match="no judge 'dan'"):
        scalars.select(["dan"])
