"""ChERRANT: its format, and F over edits of characters, by hand from the published rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from errata.corpus.formats import detect_format, read_corpus, read_gold, read_outputs
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.results import Results
from errata.metrics.statistics import Statistics

GOLD = """S 他 们 昨 天 去 了 学 校 学 习 汉 字 。
T0-A0 昨 天 他 们 去 了 学 校 学 习 汉 字 。
A 0 4|||W|||昨 天 他 们|||REQUIRED|||-NONE-|||0
T1-A0 他 们 昨 天 去 学 校 学 汉 字 。
A 5 6|||R|||-NONE-|||REQUIRED|||-NONE-|||1
A 9 10|||R|||-NONE-|||REQUIRED|||-NONE-|||1
T1-A1 他 们 昨 天 去 学 校 学 汉 字 。
A 5 6|||R|||-NONE-|||REQUIRED|||-NONE-|||1
A 8 10|||S|||学|||REQUIRED|||-NONE-|||1

S 我 很 喜 欢 和 茶 。
T0-A0 我 很 喜 欢 喝 茶 。
A 4 5|||S|||喝|||REQUIRED|||-NONE-|||0

S 天 气 很 好 。
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""
OUTPUT = """S 他 们 昨 天 去 了 学 校 学 习 汉 字 。
T0-A0 他 们 昨 天 去 学 校 学 汉 字 。
A 5 6|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 8 10|||S|||学|||REQUIRED|||-NONE-|||0

S 我 很 喜 欢 和 茶 。
T0-A0 我 喜 欢 喝 茶 。
A 1 2|||R|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 5|||S|||喝|||REQUIRED|||-NONE-|||0

S 天 气 很 好 。
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture
def gold(tmp_path: Path) -> Corpus:
    path = tmp_path / "gold.m2"
    path.write_text(GOLD, "utf-8")
    assert detect_format(path) == "cherrant"
    return read_corpus(path)


def test_every_sequence_of_edits_is_an_annotation(gold: Corpus) -> None:
    assert [len(segment.annotations) for segment in gold] == [3, 1, 1]
    assert gold.sources[:2] == ["他 们 昨 天 去 了 学 校 学 习 汉 字 。", "我 很 喜 欢 和 茶 。"]
    assert [a.annotator for a in gold[0].annotations] == [0, 1, 2]
    assert [(e.start, e.end, e.correction, e.type) for e in gold[0].annotations[2].edits] == [
        (5, 6, "", "R"),
        (8, 10, "学", "S"),
    ]
    assert gold[0].annotations[1].text == gold[0].annotations[2].text == "他 们 昨 天 去 学 校 学 汉 字 。"
    assert gold[2].annotations[0].edits == ()
    assert not gold[2].annotations[0].implicit


def test_given_edits_are_compared_with_the_best_sequence(gold: Corpus, tmp_path: Path) -> None:
    (tmp_path / "mine.m2").write_text(OUTPUT, "utf-8")
    outputs = read_outputs([tmp_path / "mine.m2"], gold)
    score = Results.compute(gold, outputs, [metric("cherrant:edits=given")])["mine"]
    # The third sequence has both edits of the first sentence; in the second, one edit is right and one wrong.
    assert {name: score.parts[name] for name in ("tp", "fp", "fn")} == {"tp": 3, "fp": 1, "fn": 0}
    assert score.parts["precision"] == pytest.approx(3 / 4)
    assert score.value == pytest.approx(1.25 * 0.75 / (0.25 * 0.75 + 1))
    assert score.sentences.tolist() == pytest.approx([1, 1.25 * 0.5 / (0.25 * 0.5 + 1), 1])


def test_a_sequence_is_chosen_by_the_f_of_its_sentence_not_by_running_totals() -> None:
    made = metric("cherrant")
    # Alone, one right edit with three missed ones (F .625) beats two right and two wrong edits (F .556).
    # Behind forty wrong edits, running totals would choose the second (.030 against .056).
    rows = [np.array([[0, 40, 0]]), np.array([[1, 0, 3], [2, 2, 0]])]
    accumulator = made.accumulator()
    accumulator.add(Statistics.from_lists(made.columns, rows, [[0], [0, 1]]))
    parts = dict(zip(made.parts, accumulator.parts().tolist(), strict=True))
    assert (parts["tp"], parts["fp"], parts["fn"]) == (1, 40, 3)


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("昨天他们去了学校学习汉字。", (1, 0, 0)),  # the first answer: the words in another order
        ("他们昨天去学校学汉字。", (2, 0, 0)),
        ("他们昨天去了学校学习汉语。", (0, 1, 1)),
        ("他们昨天去了学校学习汉字。", (0, 0, 1)),
    ],
)
def test_texts_are_divided_into_characters(gold: Corpus, output: str, counts: tuple[int, ...]) -> None:
    score = Results.compute(gold.select([0]), {"mine": [output]}, [metric("cherrant")])["mine"]
    assert tuple(int(score.parts[name]) for name in ("tp", "fp", "fn")) == counts


def test_words_are_compared_on_request() -> None:
    corpus = Corpus.from_lists(["我 喜欢 和 茶"], [["我 喜欢 喝 茶"]])
    by = {
        unit: Results.compute(corpus, {"x": ["我 爱 喝 茶"]}, [metric(f"cherrant:unit={unit}")])["x"].parts
        for unit in ("character", "word")
    }
    assert (by["word"]["tp"], by["word"]["fp"], by["word"]["fn"]) == (0, 1, 1)  # neighbours are one edit
    assert (by["character"]["tp"], by["character"]["fp"]) == (0, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("S 我\nT0-A0 你\nA 0 1|||S|||他|||REQUIRED|||-NONE-|||0\n", 2, "not the text beside them"),
        ("S 我\nT0-A0 我\nA x\n", 3, "neither an S, a T nor an A line"),
        ("S 我\nT0-A0 我\nS 你\n", 3, "a second S line"),
        ("S 我\nT0 x\n\nT0 我\n", 4, "begins with an S line"),
        ("S 我\nT0 x\n\nS 我\nA 0 1|||S|||他|||REQUIRED|||-NONE-|||0\n", 5, "without a correction"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_corpus(path)
    assert f"gold.m2:{line}" in str(caught.value)


def test_the_program_scores_files_and_asks_for_edits_where_they_are_needed(
    run: Callable, tmp_path: Path
) -> None:
    (tmp_path / "gold.m2").write_text(GOLD, "utf-8")
    (tmp_path / "mine.m2").write_text(OUTPUT.replace("。", "｡", 1).replace("。", "｡", 1), "utf-8")
    done = run(
        "score", "--m2", "gold.m2", "--hyp", "mine.m2", "-m", "cherrant:edits=given", "--format", "tsv"
    )
    assert done.returncode == 0, done.stderr  # the width of a sign is not another source
    assert "0.75" in done.stdout
    (tmp_path / "mine.txt").write_text("他们\n我\n天气\n", "utf-8")
    refused = run("score", "--m2", "gold.m2", "--hyp", "mine.txt", "-m", "cherrant:edits=given")
    assert refused.returncode == 1
    assert "is a text, not edits" in refused.stderr
    approximate = run("score", "--m2", "gold.m2", "--hyp", "mine.txt", "-m", "cherrant")
    assert "approximate:yes" in approximate.stdout


@pytest.mark.parametrize("texts", [False, True])
def test_edits_without_a_text_are_named_by_file_and_line(tmp_path: Path, texts: bool) -> None:
    gold, reference = tmp_path / "gold.m2", tmp_path / "reference.txt"
    edits = [f"A {span}|||R|||x|||REQUIRED|||-NONE-|||0" for span in ("0 2", "1 2")]
    lines = ["S a b", "", "S c d", *edits]
    gold.write_text("\n".join(lines) + "\n\n")
    reference.write_text("a b\nx\n")
    corpus = read_gold(gold, references=[reference] if texts else [])
    with pytest.raises(DataError, match=r"gold\.m2:3: the edit .* overlaps"):
        metric("cherrant").score(corpus, ["a b", "x y"])
