"""Every page in `tests/support/product_pages.py` in Chromium, on a desk and a phone, light and dark.

Small pictures of some pages are compared with committed ones, in which fonts do not matter. After a change
that is meant, write them anew with `ERRATA_PICTURES=new`, look at them, and commit them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import chromium, faults_of, page_faults, resize
from product_pages import GROUPS, Page

Image = pytest.importorskip("PIL.Image", reason="needs Pillow")
PICTURES = Path(__file__).parent / "pictures"
PICTURED = ("report", "task-board", "campaign-correction")
CELL = 12  # pixels of the page per pixel of a small picture
HEIGHT = 1800
ALLOWED = 6.0  # mean difference of grey values, of 255
WITHOUT_STYLES = "document.querySelectorAll('style, [rel=stylesheet]').forEach((each) => each.remove())"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("group", GROUPS)
def test_pages_are_for_everybody(browser: Any, tmp_path: Path, group: str) -> None:
    """Axe finds nothing, Tab reaches everything, nothing comes from elsewhere or scrolls sideways."""
    with ExitStack() as stack:
        faults = faults_of(browser, GROUPS[group](tmp_path, stack), picture_faults)
    assert not faults, "\n".join(faults)


def picture_faults(browser: Any, page: Page, width: int, theme: str) -> list[str]:
    """Whether the page looks as it did, and looks otherwise without its styles."""
    if page.name not in PICTURED:
        return []
    resize(browser, width, HEIGHT)
    picture = small_picture(browser)
    path = PICTURES / f"{page.name}-{width}-{theme}.png"
    if os.environ.get("ERRATA_PICTURES") == "new":
        path.parent.mkdir(exist_ok=True)
        picture.save(path)
    expected = Image.open(path)
    faults = [f"does not look like {path.name}"] if difference(picture, expected) > ALLOWED else []
    browser.execute_script(WITHOUT_STYLES)
    if difference(small_picture(browser), expected) <= ALLOWED:
        faults.append("looks the same without its styles")
    resize(browser, width)
    page.open(browser)
    return faults


def small_picture(browser: Any) -> Any:
    grey = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("L")
    return grey.resize((grey.width // CELL, grey.height // CELL), Image.Resampling.BOX)


def difference(first: Any, second: Any) -> float:
    a, b = (np.asarray(picture, dtype=np.float64) for picture in (first, second))
    return float(np.abs(a - b).mean()) if a.shape == b.shape else 255.0


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
