"""ChERRANT's edits: the official files to the byte, and beside a slow transcription."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.edits import chinese
from errata.edits.chinese import _PUNCTUATION, ChineseExtractor, Resources, Token, characters
from errata.errors import DataError
from oracles import cherrant as oracle


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hyp", "ref"])
@pytest.mark.parametrize("strategy", ["first", "all"])
def test_texts_give_the_official_files(
    golden: Path, cherrant_resources: Path, tmp_path: Path, run: Callable, name: str, strategy: str
) -> None:
    folder = golden / "cherrant"
    if not folder.is_dir():
        pytest.skip("the official outputs of ChERRANT are not here")
    arguments = [
        "-f",
        str(folder / f"{name}.para"),
        "-o",
        "out.m2",
        "-s",
        strategy,
        "--resources",
        str(cherrant_resources),
    ]
    done = run("compat", "cherrant_parallel", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out.m2").read_bytes() == (folder / f"{name}.{strategy}.m2").read_bytes()


def differing(seed: int, pairs: int) -> list[tuple[str, str]]:
    """Random pairs whose edits the transcription says otherwise."""
    chance, found = random.Random(seed), []
    codes = {"天": "Aa01A01=", "地": "Aa02B01=", "人": "Ab01A01=", "好": "Aa01C03="}
    similar = {"天": frozenset("大人"), "好": frozenset("子，")}
    extractor = ChineseExtractor(Resources(codes, similar))
    cost = extractor._substitution
    for _ in range(pairs):
        letters = chance.choice(["天地", "天地人好", "天地人好，。a！"])
        source = "".join(chance.choices(letters, k=chance.randint(0, 8)))
        target = [*source]
        for _ in range(chance.randint(0, 3)):
            place = chance.randint(0, len(target))
            if chance.random() < 0.4:  # move a part
                part = target[place : place + 2]
                del target[place : place + 2]
                place = chance.randint(0, len(target))
                target[place:place] = part
            else:
                target[place : place + chance.randint(0, 2)] = chance.choices(letters, k=chance.randint(0, 2))
        text = "".join(target) + chance.choice(["", "", "", "天地人好天地人好天地人好"])
        expected = oracle.sequences(source, text, cost, _PUNCTUATION)
        sequences, complete = extractor.sequences([*source], [*text])
        ours = [[(e.start, e.end, e.correction, e.type) for e in edits] for edits in sequences]
        if ours != expected or not complete:
            found.append((source, text))
    return found


def test_random_pairs_have_the_edits_of_the_specification() -> None:
    assert differing(1, 500) == []


def test_a_missing_constituent_is_one_token() -> None:
    assert characters("我 [缺失成分]好") == ["我", "[缺失成分]", "好"]


def test_the_parts_of_a_substitution() -> None:
    plain = ChineseExtractor()
    assert plain._substitution("天", "地") == 4 / 6 + 0.5 + 0.25
    assert plain._substitution("，", "！") == 4 / 6 + 0.5
    assert plain._substitution("天", "！") == 4 / 6 + 0.5 + 0.499
    known = ChineseExtractor(Resources({"天": "Aa01A01=", "地": "Aa02A01="}, {"天": frozenset("地")}))
    assert known._substitution("天", "地") == 2 / 6 + 0.25
    assert known._substitution(Token("天天/d"), Token("地/n")) == 4 / 6 + 0 + 0.499


def test_words_keep_substitutions_apart_and_have_types() -> None:
    extractor = ChineseExtractor(words=True)
    source, target = (
        [*map(Token, text.split())] for text in ("我/r 喜欢/v 和/c 茶/n", "我/r 爱/v 喝/v 茶/n 。/w")
    )
    ((*edits,),), _ = extractor.sequences(source, target)
    assert [(e.start, e.end, e.correction, e.type) for e in edits] == [
        (1, 2, "爱", "S:v"), (2, 3, "喝", "S:v"), (4, 4, "。", "M:w"),
    ]  # fmt: skip
    with pytest.raises(DataError, match="a word without a tag"):
        Token("我")


def test_many_alignments_and_long_sentences_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [len(edits) for edits in ChineseExtractor().sequences([*"天人"], [*"地"])[0]] == [1]
    monkeypatch.setattr(chinese, "MOST_ALIGNMENTS", 1)
    sequences, complete = ChineseExtractor().sequences([*"天人"], [*"地"])
    assert not complete
    assert len(sequences) == 1
    sequences, complete = ChineseExtractor().sequences(["天"] * 5000, ["地"] * 5000)
    assert not complete
    assert [(edit.start, edit.end) for edit in sequences[0]] == [(0, 5000)]


@pytest.mark.parametrize(
    ("line", "options", "message"),
    [
        ("1\t我好", [], "parallel.txt:1: no correction"),
        ("1\t我\t你", ["-g", "word", "--segmented"], "a word without a tag: '我'"),
        ("1\t我\t你", ["--resources", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_named(
    tmp_path: Path, run: Callable, line: str, options: list[str], message: str
) -> None:
    if "--resources" in options:
        pytest.importorskip("pypinyin")
    (tmp_path / "parallel.txt").write_text(line + "\n")
    done = run("compat", "cherrant_parallel", "-f", "parallel.txt", "-o", "out.m2", *options)
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tmp_path / "out.m2").exists()
    assert run("compat", "cherrant_parallel", "-f", "parallel.txt", "-o", "x", "-g", "word").returncode == 2
