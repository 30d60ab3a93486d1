"""The documentation is there, whole and up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_command_reference_is_made_from_the_code() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "cli_reference.py", "--check"])
    assert done.returncode == 0, "run: python tools/cli_reference.py"


def test_links_lead_somewhere() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert not broken


def test_every_metric_and_verb_is_documented() -> None:
    from errata.cli import VERBS
    from errata.metrics import METRICS

    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert [name for name in METRICS if f"`{name}`" not in pages] == []
    assert [verb for verb in VERBS if f"errata {verb}" not in pages] == []
