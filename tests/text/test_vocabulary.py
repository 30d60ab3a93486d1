"""Tokens get one number each, whoever asks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from errata import M2, Corpus
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary


@pytest.fixture
def eager_threads() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("eager_threads")
def test_threads_that_add_tokens_never_share_a_number() -> None:
    vocabulary = Vocabulary()
    texts = [[f"{thread}-{word}" for word in range(500)] for thread in range(8)]
    with ThreadPoolExecutor(8) as pool:
        encoded = list(pool.map(lambda tokens: vocabulary.encode([tokens]).values.tolist(), texts))
    numbers = [number for ids in encoded for number in ids]
    assert sorted(numbers) == list(range(len(vocabulary))) == list(range(4_000))


@pytest.mark.usefixtures("eager_threads")
def test_systems_may_be_scored_on_one_corpus_from_several_threads() -> None:
    sources = [f"a{i} b{i} c{i} d{i}" for i in range(100)]
    corpus = Corpus.from_lists(sources, [f"a{i} x{i} c{i} d{i}" for i in range(100)])
    systems = [[f"a{i} y{system}-{i} c{i} d{i}" for i in range(100)] for system in range(6)]
    with ThreadPoolExecutor(6) as pool:
        values = list(pool.map(lambda hypotheses: M2().score(corpus, hypotheses, jobs=1).parts, systems))
    assert all(parts["correct"] == 0 and parts["proposed"] == 100 for parts in values)


class _ReplacedIds(Lines):
    """Lines whose ids another thread replaces after the first two reads."""

    __slots__ = ("replies",)

    @property
    def ids(self) -> Any:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    @ids.setter
    def ids(self, value: Any) -> None: ...


def test_ids_in_another_vocabulary_are_not_taken_for_those_in_this_one() -> None:
    own, other = Vocabulary(), Vocabulary()
    lines, elsewhere = Lines.of(["a b"]), Lines.of(["x y a b"])
    assert own.encode_lines(lines).values.tolist() == [0, 1]
    other.encode_lines(elsewhere)
    replaced = _ReplacedIds(lines.data, lines.starts, lines.ends)
    replaced.replies = [lines.ids, lines.ids, elsewhere.ids]
    assert own.encode_lines(replaced).values.tolist() == [0, 1]
