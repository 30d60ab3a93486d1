"""ChERRANT: its format, and F over edits of characters, by hand from the published rules."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from errata.cli.compat_errant import cherrant_compare
from errata.corpus.cherrant import format_answer, format_remark
from errata.corpus.formats import detect_format, read_corpus, read_gold, read_outputs, write_corpus
from errata.corpus.model import Corpus
from errata.edits.chinese import ChineseExtractor
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


def test_the_sequences_of_an_answer_are_compared_together(gold: Corpus, tmp_path: Path) -> None:
    (tmp_path / "mine.m2").write_text(OUTPUT, "utf-8")
    outputs = read_outputs([tmp_path / "mine.m2"], gold)
    score = Results.compute(gold, outputs, [metric("cherrant:edits=given")])["mine"]
    # The second answer has three edits, one of them in both sequences: it counts twice.
    assert {name: score.parts[name] for name in ("tp", "fp", "fn")} == {"tp": 4, "fp": 1, "fn": 1}
    assert score.parts["precision"] == pytest.approx(4 / 5)
    assert "|segmenter:as-given|" in score.signature


def test_the_minimal_case_of_the_specification(tmp_path: Path) -> None:
    def edits(*spans: tuple[int, int]) -> str:
        return "".join(f"A {a} {b}|||R|||-NONE-|||REQUIRED|||-NONE-|||0\n" for a, b in spans)

    output = "S a b c d\nT0-A0 b c\n" + edits((0, 1), (3, 4))
    (tmp_path / "gold.m2.char").write_text(output + "T0-A1 b\n" + edits((0, 1), (2, 4)))
    (tmp_path / "mine.m2.char").write_text(output)
    gold = read_gold(tmp_path / "gold.m2.char")
    outputs = read_outputs([tmp_path / "mine.m2.char"], gold)
    assert [*outputs] == ["mine"]
    parts = Results.compute(gold, outputs, [metric("cherrant:edits=given")])["mine"].parts
    assert [parts[name] for name in ("tp", "fp", "fn", "f")] == [3, 0, 1, 0.9375]


def test_an_answer_is_chosen_by_running_totals() -> None:
    made = metric("cherrant")
    # Alone, one right edit with three missed ones (F .625) beats two right and two wrong edits (F .556).
    # Behind forty wrong edits, the second one serves the totals better (.030 against .056).
    rows = [np.array([[0, 40, 0]]), np.array([[1, 0, 3], [2, 2, 0]])]
    accumulator = made.accumulator()
    accumulator.add(Statistics.from_lists(made.columns, rows, [[0], [0, 1]]))
    parts = dict(zip(made.parts, accumulator.parts().tolist(), strict=True))
    assert (parts["tp"], parts["fp"], parts["fn"]) == (2, 42, 0)


@pytest.mark.slow
@pytest.mark.parametrize("hyp", ["first", "all"])
@pytest.mark.parametrize("ref", ["first", "all"])
def test_official_numbers(golden: Path, monkeypatch: pytest.MonkeyPatch, hyp: str, ref: str) -> None:
    folder = golden / "cherrant"
    if not folder.is_dir():
        pytest.skip("the official outputs of ChERRANT are not here")
    monkeypatch.chdir(folder)
    printed = re.split(r"^## (.*)\n", (folder / "compare.txt").read_text(), flags=re.MULTILINE)[1:]
    files = f"-hyp hyp.{hyp}.m2 -ref ref.{ref}.m2"
    official = dict(zip(map(str.strip, printed[::2]), printed[1::2], strict=True))
    cases = {options: text for options, text in official.items() if options.startswith(files)}
    assert len(cases) == 13
    for options, text in cases.items():
        ours = CliRunner().invoke(cherrant_compare, options.split(), catch_exceptions=False).output
        assert ours.strip() == text.strip(), options
    gold = read_gold(folder / f"ref.{ref}.m2")
    outputs = read_outputs([folder / f"hyp.{hyp}.m2"], gold)
    (score,) = Results.compute(gold, outputs, [metric("cherrant:edits=given")]).scores.values()
    counts = "\t".join(str(int(score.parts[name])) for name in ("tp", "fp", "fn"))
    assert f"\n{counts}\t" in official[files]


def test_verbose_output_is_the_official_one(golden: Path) -> None:
    folder = golden / "cherrant"
    if not folder.is_dir():
        pytest.skip("the official outputs of ChERRANT are not here")
    files = ["-hyp", str(folder / "hyp.first.m2"), "-ref", str(folder / "ref.all.m2"), "-v"]
    assert CliRunner().invoke(cherrant_compare, files).output == (folder / "verbose.txt").read_text()


def random_files(seed: int, files: int, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Gold files and files of outputs, some sentences of which nobody could correct."""
    chance, extractor = random.Random(seed), ChineseExtractor()

    def changed(text: str) -> str:
        letters = [*text]
        for _ in range(chance.randint(0, 3)):
            place = chance.randint(0, len(letters))
            letters[place : place + chance.randint(0, 2)] = chance.choices("天地人好", k=chance.randint(0, 2))
        return "".join(letters)

    for _ in range(files):
        gold, mine = "", ""
        for _ in range(chance.randint(1, 6)):
            source = "".join(chance.choices("天地人好", k=chance.randint(1, 9)))
            answers = [changed(source) for _ in range(chance.randint(1, 3))]
            for number, text in enumerate([*answers, chance.choice([*answers, changed(source)])]):
                lines = format_answer(
                    number % len(answers), " ".join(text), extractor.sequences([*source], [*text])[0]
                )
                if not number:
                    gold += f"S {' '.join(source)}\n"
                if number < len(answers):
                    gold += lines
            if chance.random() < 0.1:
                gold = (
                    gold[: gold.rindex("S ")] + f"S {' '.join(source)}\n" + format_remark(0, "无法标注", "NA")
                )
            gold += "\n"
            mine += f"S {' '.join(source)}\n{lines}\n"
        (folder / "gold.m2").write_text(gold)
        (folder / "mine.m2").write_text(mine)
        yield folder / "gold.m2", folder / "mine.m2"


def differing(seed: int, files: int, folder: Path) -> list[str]:
    """The files for which the metric and the official comparison disagree."""
    found = []
    for gold_file, file in random_files(seed, files, folder):
        gold = read_gold(gold_file)
        (score,) = Results.compute(
            gold, read_outputs([file], gold), [metric("cherrant:edits=given")], jobs=1
        ).scores.values()
        counts = "\t".join(str(int(score.parts[name])) for name in ("tp", "fp", "fn"))
        printed = CliRunner().invoke(cherrant_compare, ["-hyp", str(file), "-ref", str(gold_file)]).output
        if f"\n{counts}\t" not in printed:
            found.append(f"{gold_file.read_text()}\n{file.read_text()}\n{printed}{counts}")
    return found


def test_the_metric_counts_as_the_official_comparison(tmp_path: Path) -> None:
    assert differing(3, 100, tmp_path) == []


def test_files_are_written_as_they_were_read(golden: Path, tmp_path: Path) -> None:
    folder = golden / "cherrant"
    if not folder.is_dir():
        pytest.skip("the official outputs of ChERRANT are not here")
    write_corpus(read_corpus(folder / "ref.all.m2"), tmp_path / "out.m2", format="cherrant")
    assert (tmp_path / "out.m2").read_bytes() == (folder / "ref.all.m2").read_bytes()


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
    assert (by["word"]["tp"], by["word"]["fp"], by["word"]["fn"]) == (1, 1, 0)
    assert (by["character"]["tp"], by["character"]["fp"]) == (0, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("S 我\nT0-A0 你\nA 0 1|||S|||他|||REQUIRED|||-NONE-|||0\n", 2, "not the text beside them"),
        ("S 我\nT0-A0 我\nA x\n", 3, "neither an S, a T nor an A line"),
        ("S 我\nT0-A0 我\nS 你\n", 3, "a second S line"),
        ("S 我\nT0-A0 我\nT0-A0 我\n", 3, "a second T0-A0"),
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
    assert "0.8" in done.stdout
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


def test_the_sequences_of_an_answer_are_written_together(tmp_path: Path) -> None:
    block = "T{0}-A{1} 我 们\nA 1 1|||M|||们|||REQUIRED|||-NONE-|||{0}\n"
    for name, order in {"mixed": ((0, 0), (1, 0), (0, 1)), "sorted": ((0, 0), (0, 1), (1, 0))}.items():
        text = "".join(["S 我\n", *(block.format(*numbers) for numbers in order), "\n"])
        (tmp_path / f"{name}.m2.char").write_text(text, "utf-8")
    write_corpus(read_corpus(tmp_path / "mixed.m2.char"), tmp_path / "written.m2.char", format="cherrant")
    assert (tmp_path / "written.m2.char").read_text("utf-8") == (tmp_path / "sorted.m2.char").read_text(
        "utf-8"
    )
