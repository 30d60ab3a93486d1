"""A real browser for the tests of pages, and what it must never do."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium(width: int = 1400, height: int = 900, downloads: Path | None = None) -> Iterator[Any]:
    """Chromium without a window; tests that need it skip where it is absent."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("Chromium and its driver are not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        if downloads is not None:
            options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            resize(opened, width, height)
            prefer(opened, "light")
            yield opened
        finally:
            opened.quit()


def resize(browser: Any, width: int, height: int = 900) -> None:
    """The size of what is seen of the page, which windows keep above 500 pixels."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(browser: Any, theme: str) -> None:
    """What the system asks for: `light` or `dark`."""
    features = [
        {"name": "prefers-color-scheme", "value": theme},
        {"name": "prefers-reduced-motion", "value": "reduce"},  # no click misses a page that is gliding
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def console(browser: Any) -> list[str]:
    """What the page wrote to the console since last asked: errors and refusals among it."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser: Any) -> list[str]:
    """The addresses asked for since last asked, other than the page's own file and data it made itself."""
    found = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if not url.startswith(("data:", "blob:")):
                found.append(url)
    return found
