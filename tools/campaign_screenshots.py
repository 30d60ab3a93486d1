"""Make the screenshots of docs/campaign.md from real pages: needs errata-gec[campaign], selenium, Chromium.

python tools/campaign_screenshots.py [docs/images]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from errata.sample import folder
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.create_campaign import make_campaign

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SYSTEMS = ("input", "spellfix", "rules", "overcorrect", "neural", "fluent")
QUALITY = {name: i for i, name in enumerate(SYSTEMS)}
INSTRUCTIONS = """# How to rank

Read the **source**, then rank its corrections from best (1) to worst.

- A correction is better if the text is more correct *and* means the same.
- Equally good texts share a rank.
- If you cannot tell what the writer meant, skip the item.
"""


def browser(width: int, height: int, *, dark: bool = False) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    for flag in (*FLAGS, f"--user-data-dir={tempfile.mkdtemp()}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    made = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    made.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    made.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    return made


class Shown:
    """A campaign of the sample, served on a port of its own."""

    def __init__(self, place: Path, port: int, task: str, language: str = "en", **settings: Any) -> None:
        sample = folder(language)
        values: dict[str, Any] = {
            "name": f"Sample: {task}",
            "task": task,
            "corpus": str(sample / "gold.m2"),
            "meta": [str(sample / "meta.tsv")],
            "instructions": INSTRUCTIONS,
            "annotators": ["Ada", "Boris", "Chiara", "Dan"],
            "language": language,
            **settings,
        }
        if task != "correction":
            values["systems"] = {name: str(sample / "systems" / f"{name}.txt") for name in SYSTEMS}
        self.store, self.tokens, self.admin = make_campaign(settings_from(values), place / f"{port}.db")
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "errata", "campaign", "serve", self.store.place, "--port", str(port)]
        self.process = subprocess.Popen(command)
        for _ in range(200):
            try:
                if httpx.get(f"{self.url}/health", trust_env=False).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)

    def work(self, name: str, count: int, seed: int) -> None:
        """Answer some screens as a noisy judge who knows the systems."""
        random = np.random.default_rng(seed)
        with self.store.read() as connection:
            text_of = {
                " ".join(text.split()): QUALITY[system]
                for segment in self.store.segments(connection)
                for system, text in segment.outputs.items()
            }
        with httpx.Client(base_url=self.url, trust_env=False) as client:
            client.post("/enter", json={"token": self.tokens[name]})
            screen = client.get("/api/screen").json()
            for _ in range(count):
                if screen["state"] != "work":
                    return
                scores = [text_of.get(text, -3) + random.normal(0, 1.2) for text in screen["cards"]]
                ranks = [int(sum(other > score for other in scores)) + 1 for score in scores]
                post = {
                    "key": uuid.uuid4().hex, "assignment": screen["assignment"], "version": screen["version"],
                    "revision": 1, "answer": {"ranks": ranks}, "seconds": float(random.gamma(4, 6)),
                }  # fmt: skip
                screen = client.post("/api/judge", json=post).json()["next"]

    def visit(self, window: webdriver.Chrome, token: str) -> None:
        window.get(f"{self.url}/enter#{token}")
        WebDriverWait(window, 20).until(lambda w: "/enter" not in w.current_url)
        ready = '[data-current="yes"]' if token == self.admin else ".source-block"
        WebDriverWait(window, 60).until(lambda w: w.find_elements(By.CSS_SELECTOR, ready))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.store.close()


def keys(window: webdriver.Chrome, *strokes: str) -> None:
    for stroke in strokes:
        window.switch_to.active_element.send_keys(stroke)
        time.sleep(0.05)


def save(window: webdriver.Chrome, target: Path) -> None:
    """As small as it goes: a palette of 64 colours is enough for a page."""
    from PIL import Image

    time.sleep(0.4)
    window.save_screenshot(str(target))
    with Image.open(target) as image:
        image.convert("RGB").quantize(64).save(target, optimize=True)
    print(target, target.stat().st_size)


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        ranking = Shown(place, 8771, "ranking", controls=0.1, redundancy=2)
        scalars = Shown(place, 8772, "scalars")
        correction = Shown(place, 8773, "correction", style="fluency")
        pairwise = Shown(place, 8774, "pairwise", language="cs")
        spans = Shown(place, 8775, "spans", tokenizer="penn", seed=7)
        try:
            desk = browser(1200, 860)
            ranking.visit(desk, ranking.tokens["Ada"])
            save(desk, target / "campaign-instructions.png")
            keys(desk, Keys.ESCAPE, "2", "1", "4", "3")
            save(desk, target / "campaign-ranking.png")
            scalars.visit(desk, scalars.tokens["Ada"])
            keys(desk, Keys.ESCAPE, "3", Keys.ARROW_DOWN, "7", Keys.ARROW_DOWN, "5", Keys.ARROW_DOWN)
            save(desk, target / "campaign-scalars.png")
            correction.visit(desk, correction.tokens["Ada"])
            keys(desk, Keys.ESCAPE)
            box = desk.find_element(By.ID, "correction")
            better = (folder() / "fluency.txt").read_text(encoding="utf-8").splitlines()[0]
            box.clear()
            box.send_keys(better)
            save(desk, target / "campaign-correction.png")
            spans.visit(desk, spans.tokens["Ada"])
            keys(desk, Keys.ESCAPE, Keys.END, *[Keys.ARROW_LEFT] * 3, "7", Keys.ARROW_UP)
            save(desk, target / "campaign-spans.png")
            for number, name in enumerate(("Boris", "Chiara", "Dan")):
                ranking.work(name, 18 + 4 * number, number)
            ranking.visit(desk, ranking.admin)
            save(desk, target / "campaign-admin.png")
            desk.quit()
            phone = browser(390, 844, dark=True)
            ranking.visit(phone, ranking.tokens["Ada"])
            keys(phone, Keys.ESCAPE, "2", "1")
            save(phone, target / "campaign-phone.png")
            pairwise.visit(phone, pairwise.tokens["Ada"])
            keys(phone, Keys.ESCAPE, "1")
            save(phone, target / "campaign-pairwise.png")
            phone.quit()
        finally:
            for shown in (ranking, scalars, correction, pairwise, spans):
                shown.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
