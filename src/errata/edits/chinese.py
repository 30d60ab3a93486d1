"""Edits of Chinese text as ChERRANT extracts them (Zhang et al. 2022): alignment, merging and types.

The official alignment needs a thesaurus, confusion sets, pinyin and a converter to simplified characters
(`Resources.read`). Without them, fewer substitutions are cheap, and the edits are approximate.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.files import StrPath, display, read_bytes
from errata.corpus.segment import Edit
from errata.errors import DataError, ErrataError

MISSING = "[缺失成分]"  # a mark of annotators for a missing constituent, which is one token
MOST_ALIGNMENTS = 10_000  # of a pair; the official program takes all of them
MOST_CELLS = 1 << 24  # of a pair's table; some 4,000 tokens against as many
_FEW = 10  # if lengths differ by more, one alignment is taken
# That of the official program, to which the full stop 。 does not belong.
_PUNCTUATION = frozenset(
    string.punctuation + "！？｡＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃《》「"
    "」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏．"
)
_TYPES = {"T": "W", "D": "R", "I": "M", "S": "S"}
_FILES = "cilin.txt", "confusion_dict.txt"
_WHERE = "the folder data of ChERRANT, in https://github.com/HillZhang1999/MuCGEC"


class Step(NamedTuple):
    """An operation (M, S, I, D, or T for a transposition) on spans of source and target tokens."""

    operation: str
    start: int
    end: int
    begin: int
    stop: int


class Token(str):
    """A word with its part of speech."""

    tag: str

    def __new__(cls, text: str) -> Token:
        word, _, tag = text.rpartition("/")
        if not word or not tag:
            raise DataError(f"a word without a tag: {text[:40]!r}", hint="expected word/tag, such as 汉语/n")
        token = super().__new__(cls, word)
        token.tag = tag
        return token


def characters(text: str) -> list[str]:
    """The characters without blanks; a missing constituent is one token."""
    first, *others = "".join(text.split()).split(MISSING)
    return [*first, *(token for other in others for token in (MISSING, *other))]


@dataclass(frozen=True)
class Resources:
    """Properties of words and characters that an alignment uses; none by default."""

    codes: Mapping[str, str] = field(default_factory=dict)  # of words in the thesaurus
    similar: Mapping[str, frozenset[str]] = field(default_factory=dict)  # characters that are confused
    digest: str = ""  # of the files; empty for approximate edits

    @classmethod
    def read(cls, folder: StrPath) -> Resources:
        """The official resources: `cilin.txt` (GBK) and `confusion_dict.txt` of a folder."""
        try:
            import opencc  # noqa: F401
            import pypinyin  # noqa: F401
        except ImportError as error:
            raise ErrataError(
                f"the official edits of Chinese need the package {error.name}\n"
                "  hint: pip install 'errata-gec[chinese]'"
            ) from None
        paths = [Path(folder) / name for name in _FILES]
        for path in paths:
            if not path.is_file():
                raise DataError("no such file", path=display(path), hint=f"it is in {_WHERE}")
        thesaurus, confusions = map(read_bytes, paths)
        codes: dict[str, str] = {}
        similar: dict[str, frozenset[str]] = {}
        try:
            for line in thesaurus.decode("gbk").splitlines():
                code, *words = line.split(" ")
                codes.update(dict.fromkeys(words, code))
            for line in confusions.decode("utf-8").splitlines():
                character, *others = line.split()
                similar[character] = frozenset(others)
        except ValueError:
            raise DataError(
                "not a resource of ChERRANT", path=display(folder), hint=f"see {_WHERE}"
            ) from None
        return cls(codes, similar, hashlib.sha256(thesaurus + confusions).hexdigest()[:12])

    def simplified(self, text: str) -> str:
        """The text in simplified characters."""
        return str(_converter().convert(text)) if self.digest else text

    def sounds(self, character: str) -> frozenset[str]:
        """The readings of a character without tones."""
        if not self.digest:
            return frozenset()
        from pypinyin import Style, pinyin

        return frozenset(pinyin(character, style=Style.NORMAL, heteronym=True)[0])


@cache
def _converter() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


class ChineseExtractor:
    """Extracts edits between sequences of characters, or of words that are `Token`s."""

    def __init__(self, resources: Resources | None = None, *, words: bool = False) -> None:
        self.resources, self.words = resources or Resources(), words
        self._similarity = lru_cache(maxsize=1 << 20)(self._uncached_similarity)
        self._sounds = lru_cache(maxsize=1 << 16)(self.resources.sounds)

    def sequences(
        self, source: Sequence[str], target: Sequence[str], *, first: bool = False
    ) -> tuple[list[list[Edit]], bool]:
        """The different sequences of edits of all alignments of least cost, or that of the first one.

        Also returns whether there were no more than `MOST_ALIGNMENTS`, and the sentence is not too long.
        """
        if source == target:
            return [[]], True
        if (len(source) + 1) * (len(target) + 1) > MOST_CELLS:
            return [self._plain_edits(source, target)], False
        step_sequences: dict[tuple[Step, ...], None] = {}
        alignments = self._alignments(source, target)
        for steps in islice(alignments, 1 if first else MOST_ALIGNMENTS):
            step_sequences.setdefault(tuple(self._merged(steps, source, target)))
        sequences = [[self._edit(step, source, target) for step in steps] for steps in step_sequences]
        return sequences, first or next(alignments, None) is None

    def _plain_edits(self, source: Sequence[str], target: Sequence[str]) -> list[Edit]:
        """The edits of a sentence that is too long for the alignment: runs by Levenshtein distance."""
        return [
            Edit(a, b, " ".join(target[c:d]), "M" if a == b else "R" if c == d else "S")
            for a, b, c, d in levenshtein_runs(source, target)
        ]

    def _edit(self, step: Step, source: Sequence[str], target: Sequence[str]) -> Edit:
        old, new = source[step.start : step.end], target[step.begin : step.stop]
        kind = _TYPES[step.operation]
        if self.words and kind != "W":
            tokens = [*(new or old)]
            single = tokens[0].tag if len(tokens) == 1 and isinstance(tokens[0], Token) else "OTHER"
            spelling = len(old) == len(new) == 1 and self._shape(old[0], new[0]) == 0
            kind += ":SPELL" if spelling else f":{single}"
        return Edit(step.start, step.end, " ".join(new), kind)

    # -- alignment ---------------------------------------------------------------------------------

    def _substitution(self, one: str, other: str) -> float:
        if isinstance(one, Token) and isinstance(other, Token):
            category = 0.0 if one.tag == other.tag else 0.499
        else:
            category = (0.25, 0.499, 0.0)[(one in _PUNCTUATION) + (other in _PUNCTUATION)]
        return self._similarity(str(one), str(other)) + category

    def _uncached_similarity(self, one: str, other: str) -> float:
        """The cost of the meanings and the characters of two tokens."""
        codes = self.resources.codes.get(one), self.resources.codes.get(other)
        levels = 1  # an unknown word differs in two of three levels
        if codes[0] is not None and codes[1] is not None:
            levels = sum(codes[0][a:b] == codes[1][a:b] for a, b in ((0, 1), (1, 2), (2, 4)))
        return 2 * (3 - levels) / 6 + self._shape(one, other)

    def _shape(self, one: str, other: str) -> float:
        if not all("\u4e00" <= character <= "\u9fff" for character in one + other):
            return 0.5
        short, long = sorted((one, other), key=len)
        alike = sum(any(self._alike(a, b) for b in long) for a in short)
        return (len(short) - alike) / (2 * len(short))

    def _alike(self, one: str, other: str) -> bool:
        similar = self.resources.similar
        return (
            one == other
            or other in similar.get(one, ())
            or one in similar.get(other, ())
            or not self._sounds(one).isdisjoint(self._sounds(other))
        )

    def _operations(self, source: Sequence[str], target: Sequence[str]) -> list[list[tuple[str, ...]]]:
        """The cheapest operations of every cell, in the order in which they are followed."""
        rows, columns = len(source) + 1, len(target) + 1
        costs = [[0.0] * columns for _ in range(rows)]
        operations: list[list[tuple[str, ...]]] = [[()] * columns for _ in range(rows)]
        for i in range(1, rows):
            costs[i][0], operations[i][0] = float(i), ("D",)
        for j in range(1, columns):
            costs[0][j], operations[0][j] = float(j), ("I",)
        for i in range(1, rows):
            for j in range(1, columns):
                if source[i - 1] == target[j - 1]:
                    costs[i][j], operations[i][j] = costs[i - 1][j - 1], ("M",)
                    continue
                length = _transposed(source, target, costs, i, j)
                choices = {
                    f"T{length}": costs[i - length][j - length] + (length - 1) if length else float("inf"),
                    "S": costs[i - 1][j - 1] + self._substitution(source[i - 1], target[j - 1]),
                    "I": costs[i][j - 1] + 1,
                    "D": costs[i - 1][j] + 1,
                }
                costs[i][j] = least = min(choices.values())
                operations[i][j] = tuple([name for name, cost in choices.items() if cost == least])
        return operations

    def _alignments(self, source: Sequence[str], target: Sequence[str]) -> Iterator[list[Step]]:
        """The alignments of least cost, depth first from the end."""
        operations = self._operations(source, target)
        paths: list[tuple[int, int, Any]] = [(len(source), len(target), None)]  # linked from their beginning
        while paths:
            i, j, path = paths.pop()
            if not i and not j:
                steps = []
                while path:
                    step, path = path
                    steps.append(step)
                yield steps
                if abs(len(source) - len(target)) > _FEW:
                    return
                continue
            for name in reversed(operations[i][j]):
                size = int(name[1:] or 1)
                up, left = i - size * (name != "I"), j - size * (name != "D")
                paths.append((up, left, (Step(name[0], up, i, left, j), path)))

    # -- merging -----------------------------------------------------------------------------------

    def _merged(self, steps: list[Step], source: Sequence[str], target: Sequence[str]) -> list[Step]:
        runs: list[Step] = []
        for kind, group in groupby(steps, key=lambda step: step.operation if step.operation in "MT" else ""):
            run = [*group]
            operations = {step.operation for step in run}
            if kind == "T" or operations == {"D", "I"} or (self.words and operations == {"S"}):
                runs += run
            else:
                runs.append(_joined(run, operations.pop() if len(operations) == 1 else "S"))
        moved = [step for step in _with_moves(runs, source, target) if step.operation != "M"]
        return [
            _shortened(step, source, target)
            for step in moved
            if source[step.start : step.end] != target[step.begin : step.stop]
        ]


def _transposed(
    source: Sequence[str], target: Sequence[str], costs: list[list[float]], i: int, j: int
) -> int:
    """How many tokens up to this cell both sides have in different orders; 0 if there are none."""
    balance: dict[str, int] = {}
    for length in range(1, min(i, j) + 1):
        for token, change in ((source[i - length], 1), (target[j - length], -1)):
            balance[token] = balance.get(token, 0) + change
            if not balance[token]:
                del balance[token]
        if not balance:
            return length
        if length < min(i, j) and costs[i - length][j - length] == costs[i - length - 1][j - length - 1]:
            return 0
    return 0


def _joined(run: Sequence[Step], operation: str) -> Step:
    return Step(operation, run[0].start, run[-1].end, run[0].begin, run[-1].stop)


def _with_moves(steps: Sequence[Step], source: Sequence[str], target: Sequence[str]) -> Iterator[Step]:
    """The steps, where three of them that move a text are one transposition."""
    place = 0
    while place < len(steps):
        three = steps[place : place + 3]
        if len(three) == 3 and _is_move(three, source, target):
            yield _joined(three, "T")
            place += 3
        else:
            yield steps[place]
            place += 1


def _is_move(three: Sequence[Step], source: Sequence[str], target: Sequence[str]) -> bool:
    first, _, last = [
        ("".join(source[step.start : step.end]), "".join(target[step.begin : step.stop])) for step in three
    ]
    pattern = "".join(step.operation for step in three)
    if pattern == "SMS":
        if min(map(len, (*first, *last))) == 1:
            return first == last[::-1]
        return _near(first[0], last[1]) and _near(first[1], last[0])
    if pattern in ("DMI", "DTI"):
        texts = first[0], last[1]
    elif pattern in ("IMD", "ITD"):
        texts = last[0], first[1]
    else:
        return False
    short, long = sorted(texts, key=len)
    if not _PUNCTUATION.isdisjoint(texts) or len(long) - len(short) > 1:
        return False
    return short == long if len(short) == 1 else _near(short, long) or short in 2 * long


def _near(one: str, other: str) -> bool:
    return Levenshtein.distance(one, other) <= 1


def _shortened(step: Step, source: Sequence[str], target: Sequence[str]) -> Step:
    """A substitution without the tokens that both sides begin or end with."""
    operation, start, end, begin, stop = step
    if operation != "S":
        return step
    while start < end and begin < stop and source[start] == target[begin]:
        start, begin = start + 1, begin + 1
    while start < end and begin < stop and source[end - 1] == target[stop - 1]:
        end, stop = end - 1, stop - 1
    return Step("I" if start == end else "D" if begin == stop else "S", start, end, begin, stop)
