"""The documentation is there, whole and up to date."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_command_reference_has_every_verb_and_the_rare_options() -> None:
    from errata.cli import VERBS

    command = [sys.executable, ROOT / "tools" / "cli_reference.py"]
    page = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [verb for verb in VERBS if f"\n# `errata {verb}`\n" not in page] == []
    assert "--address" in page


def test_links_lead_somewhere() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken


def test_no_page_has_marks_of_a_merge_conflict() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        assert not re.search(r"^(<<<<<<<|>>>>>>>) ", page.read_text(encoding="utf-8"), re.MULTILINE), page


def test_the_metrics_of_the_guide_keep_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of docs/own-metric.md are put into a module, as a user would do."""
    from errata.metrics.base import Metric
    from errata.testing import check_metric

    page = (ROOT / "docs" / "own-metric.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "metrics_of_the_guide.py").write_text("\n\n".join(blocks), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("metrics_of_the_guide")  # which calls check_metric itself
    found = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Metric) and each.__module__ == module.__name__
    ]
    assert [each.__name__ for each in found] == ["CommonCharacters", "TokenOverlap", "LengthRatio"]
    for each in found:
        check_metric(each())


def test_every_metric_and_verb_is_documented() -> None:
    from errata.cli import VERBS
    from errata.metrics import METRICS

    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert [name for name in METRICS if f"`{name}`" not in pages] == []
    assert [verb for verb in VERBS if f"errata {verb}" not in pages] == []
