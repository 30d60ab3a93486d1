"""Every page in `tests/support/product_pages.py` in Chromium, on a desk and a phone, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from browser import chromium, faults_of, page_faults
from product_pages import GROUPS


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("group", GROUPS)
def test_pages_are_for_everybody(browser: Any, tmp_path: Path, group: str) -> None:
    """Axe finds nothing, Tab reaches everything, nothing comes from elsewhere or scrolls sideways."""
    with ExitStack() as stack:
        faults = faults_of(browser, GROUPS[group](tmp_path, stack))
    assert not faults, "\n".join(faults)


def test_a_page_with_faults_has_them_all(browser: Any, tmp_path: Path) -> None:
    """The checks notice what they are for."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html><body><script>/*" + "x" * 200_000 + "*/</script><p style='color: #ccc'>pale</p>"
        "<img src='http://127.0.0.1:9/a.png'><div style='width: 2000px'>wide</div>"
        "<a href='#a' style='outline: 0'>link</a><button onkeydown='event.preventDefault()'>trap</button>"
        "<button>never</button></body></html>"
    )
    browser.get(path.as_uri())
    faults = "\n".join(page_faults(browser, path.as_uri(), 1400, "light"))
    for part in (
        "requests http://127.0.0.1:9", "pixels wide", "of script", "focus not seen: <a", "color-contrast",
        "does not reach <button>never",
    ):  # fmt: skip
        assert part in faults
