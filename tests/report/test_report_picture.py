"""The report looks as it did: small pictures of it are compared with committed ones.

Pictures are shrunk until fonts do not matter. After a change that is meant, write them anew with
`ERRATA_PICTURES=new pytest tests/report/test_report_picture.py`, look at them, and commit them.
"""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import chromium, prefer, resize
from errata import sample
from errata.human.judgment_files import read_judgments
from errata.meta.evaluation import Evaluation
from errata.metrics import metric
from errata.metrics.results import Results
from errata.report.page import build_report
from errata.report.report_data import Heading
from errata.significance.compare import Plan

Image = pytest.importorskip("PIL.Image", reason="needs Pillow")
PICTURES = Path(__file__).parent / "pictures"
CELL = 12  # pixels of the page per pixel of a small picture
HEIGHT = 2400
ALLOWED = 6.0  # mean difference of grey values, of 255


def small_picture(browser: Any, width: int) -> Any:
    clip = {"x": 0, "y": 0, "width": width, "height": HEIGHT, "scale": 1}
    options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
    data = base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", options)["data"])
    grey = Image.open(io.BytesIO(data)).convert("L")
    return grey.resize((width // CELL, HEIGHT // CELL), Image.Resampling.BOX)


def difference(first: Any, second: Any) -> float:
    a, b = (np.asarray(picture, dtype=np.float64) for picture in (first, second))
    return float(np.abs(a - b).mean()) if a.shape == b.shape else 255.0


@pytest.fixture
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def test_the_report_looks_as_it_did(browser: Any, tmp_path: Path) -> None:
    made = sample.load("en")
    results = Results.compute(made.corpus, made.outputs, [metric(name) for name in ("m2", "gleu")])
    judgments = read_judgments(sample.folder("en") / "rankings.xml")
    evaluation = Evaluation(results, judgments, Plan("bootstrap", samples=200))
    page = tmp_path / "report.html"
    page.write_text(build_report(evaluation, Heading(date="2026-01-02", data="gold.m2")), encoding="utf-8")
    for theme in ("light", "dark"):
        prefer(browser, theme)
        for width in (1400, 390):
            resize(browser, width)
            browser.get(page.as_uri())
            picture = small_picture(browser, width)
            path = PICTURES / f"report-{width}-{theme}.png"
            if os.environ.get("ERRATA_PICTURES") == "new":
                path.parent.mkdir(exist_ok=True)
                picture.save(path)
            assert difference(picture, Image.open(path)) < ALLOWED, path.name
    browser.execute_script("document.querySelector('.card').style.display = 'none'")
    changed = small_picture(browser, 390)  # what the test must notice
    assert difference(changed, Image.open(PICTURES / "report-390-dark.png")) > ALLOWED
