"""Metrics that are named by a file or module and a class, and what `check_metric` says of mistakes."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from errata.errors import ErrataError
from errata.metrics import ScanMetric, SentenceMetric, SumMetric, metric
from errata.testing import check_metric

Run = Callable[..., subprocess.CompletedProcess[str]]

CODE = '''
from dataclasses import dataclass
from typing import ClassVar

from errata.metrics import SentenceMetric



@dataclass(frozen=True)
class Longer(SentenceMetric):
    """The share of sentences that get longer."""

    by: int = 0

    name: ClassVar[str] = "longer"

    def scores(self, batch):
        return [float(len(h.split()) > len(s.split()) + self.by) for s, h, _ in batch]


class Nameless(SentenceMetric):
    pass


class Unfinished(SentenceMetric):
    name: ClassVar[str] = "unfinished"
'''


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "own_metric_of_a_test.py"
    path.write_text(CODE, "utf-8")
    yield path
    sys.modules.pop(path.stem, None)
    sys.path[:] = [each for each in sys.path if each != str(tmp_path)]


def test_a_class_in_a_file_is_a_metric_for_every_verb(file: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "gold.m2").write_text("S a b\nA 1 1|||M:X|||c|||REQUIRED|||-NONE-|||0\n\nS a\n\n", "utf-8")
    (tmp_path / "A.txt").write_text("a c b\na\n", "utf-8")
    gold, output = tmp_path / "gold.m2", tmp_path / "A.txt"
    for name, value in {f"{file}:Longer": "0.5000", f"{file}:Longer:by=1": "0.0000"}.items():
        done = run("score", gold, output, "--metric", f"{name},m2")
        assert done.returncode == 0, done.stderr
        assert value in done.stdout
        assert "|code:" in done.stdout
    assert "--metric" in run("metrics", f"{file}:Longer").stdout


def test_the_signature_has_a_digest_of_the_file(file: Path) -> None:
    before = metric(f"{file}:Longer").signature
    sys.modules.pop(file.stem)
    file.write_text(CODE.replace("> len", ">= len"), "utf-8")
    after = metric(f"{file}:Longer").signature
    assert before.split("|")[:2] == after.split("|")[:2] == ["longer", "by:0"]
    assert before != after


def test_an_importable_module_will_do(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(file.parent)
    assert metric(f"{file.stem}:Longer:by=2").parameters == {"by": 2}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{file}", "add the class of the metric"),
        ("{file}:Shorter", "Shorter is not there\n  hint: one of Longer"),
        ("{file}:ClassVar", "ClassVar is not a metric"),
        ("{file}:Nameless", "Nameless has no name"),
        ("{file}:Unfinished", "Unfinished does not define scores"),
        ("{file}:Longer:length=2", "has no parameter 'length'"),
        ("missing.py:Longer", "missing.py: there is no such file"),
        ("no_such_module:Longer", "there is no metric and no module 'no_such_module'"),
        ("json:JSONDecoder", "JSONDecoder is not a metric"),
        (":Longer", "there is no metric and no module ''"),
        (".relative:Longer", "there is no metric and no module '.relative'"),
    ],
)
def test_wrong_names(file: Path, name: str, message: str) -> None:
    with pytest.raises(ErrataError, match=message):
        metric(name.format(file=file))


@pytest.mark.parametrize(
    ("code", "message"),
    [("def x(:\n", "SyntaxError.*line 1"), ("a = 1\nb = a / 0\n", "ZeroDivisionError.*line 2")],
)
def test_a_file_with_an_error_names_the_line(file: Path, code: str, message: str) -> None:
    file.write_text(code, "utf-8")
    with pytest.raises(ErrataError, match=f"(?s)cannot be loaded: {message}"):
        metric(f"{file}:Longer")


@pytest.mark.parametrize(("module", "state"), [("random", "loaded"), ("tabnanny", "installed")])
def test_a_file_named_like_another_module(tmp_path: Path, module: str, state: str) -> None:
    file = tmp_path / f"{module}.py"
    file.write_text(CODE, "utf-8")
    with pytest.raises(ErrataError, match=f"a module {module} is {state} already"):
        metric(f"{file}:Longer")


def test_a_class_has_no_name_of_a_metric_of_errata(file: Path) -> None:
    file.write_text(CODE.replace('"longer"', '"m2"'), "utf-8")
    with pytest.raises(ErrataError, match="Longer has the name of another metric, m2"):
        metric(f"{file}:Longer")


def test_two_classes_of_one_name_have_own_columns(file: Path, run: Run) -> None:
    file.write_text(CODE + """

@dataclass(frozen=True)
class AnyLength(SentenceMetric):
    name: ClassVar[str] = "longer"

    def scores(self, batch):
        return [0.25 for _ in batch]
""", "utf-8")  # fmt: skip
    text = file.parent / "a.txt"
    text.write_text("a b\n", "utf-8")
    done = run("score", "-s", text, "-r", text, "--hyp", text, "--metric", f"{file}:Longer,{file}:AnyLength")
    assert done.returncode == 0, done.stderr
    assert "0.2500" in done.stdout
    assert "0.0000" in done.stdout


@dataclass(frozen=True)
class _Scores(SentenceMetric):
    """A metric whose scores a case replaces."""

    name: ClassVar[str] = "case"

    def scores(self, batch: Any) -> Any:
        return [1.0 for _ in batch]


@dataclass(frozen=True)
class _Sums(SumMetric):
    name: ClassVar[str] = "case"
    columns: ClassVar[tuple[str, ...]] = ("a", "b")

    def features(self, batch: Any) -> Any:
        return [[1, 2] for _ in batch]

    def from_sums(self, sums: Any) -> Any:
        return sums[:, :1]


@dataclass(frozen=True)
class _Scan(ScanMetric):
    name: ClassVar[str] = "case"
    columns: ClassVar[tuple[str, ...]] = ("a", "b")

    def counts(self, batch: Any) -> Any:
        return [[1, 2] for _ in batch]

    def from_totals(self, totals: Any) -> Any:
        return totals[:, :1]


@pytest.mark.parametrize(
    ("base", "changes", "message"),
    [
        (_Scores, {"name": "two words"}, "'two words' must be one word"),
        (_Scores, {"name": "gleu"}, "gleu is the name of a metric of errata"),
        (_Scores, {"needs": frozenset({"reference"})}, "not reference"),
        (_Scores, {"scores": lambda self, batch: [1]}, r"shape \(1,\), and should have \(60,\)"),
        (_Scores, {"scores": lambda self, batch: ["x" for _ in batch]}, "could not convert string"),
        (_Scores, {"scores": lambda self, batch: [float("nan") for _ in batch]}, "is not a number"),
        (_Scores, {"scores": lambda self, batch: batch.texts}, "AttributeError: 'Batch' object has no"),
        (_Scores, {"scores": lambda self, batch: [random.random() for _ in batch]}, "must give the same"),
        (_Sums, {"columns": ("a",)}, r"shape \(60, 2\), and should have \(60, 1\)"),
        (_Sums, {"from_sums": lambda self, sums: sums[0]}, r"must have the shape \(2, 1\), not \(2,\)"),
        (_Sums, {"parts": ("f", "p")}, r"the parts f, p must have the shape \(2, 2\)"),
        (_Sums, {"from_sums": lambda self, sums: 1 / 0}, "cannot be computed: ZeroDivisionError"),
        (_Sums, {"features": lambda self, batch: [[i, 1] for i, _ in enumerate(batch)]}, "other segments"),
        (_Scan, {}, r"counts of segment 0 has the shape \(2,\), and should have \(2, 2\)"),
    ],
)
def test_each_mistake_is_explained(base: Any, changes: dict[str, Any], message: str) -> None:
    """A class of this module with a mistake; `_Case` must be found when it is unpickled."""
    cls = type("_Case", (base,), {**changes, "__module__": __name__})
    globals()["_Case"] = cls
    with pytest.raises(AssertionError, match=message):
        check_metric(cls())
