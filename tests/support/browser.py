"""A real browser for the tests of pages, and what it must never do."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
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
VARIANTS = ((1400, "light"), (1400, "dark"), (390, "light"), (390, "dark"))  # of every page


@contextmanager
def chromium(width: int = 1400, height: int = 900, downloads: Path | None = None) -> Iterator[Any]:
    """Chromium without a window; tests that need it skip where it is absent."""
    from selenium import webdriver

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


def press_tab(browser: Any) -> None:
    """Press the Tab key, without the delays of a driver."""
    key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
    for kind in ("rawKeyDown", "keyUp"):
        browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, **key})


# Elements that the Tab key should reach; after each press, those whose looks did not change with the focus.
_TAB_START = """
const modal = document.querySelector("dialog:modal");
window.toReach = new Set([...document.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.type !== "radio" && !e.closest("[inert]")
    && e.checkVisibility({ visibilityProperty: true }) && (!modal || modal.contains(e))));
const label = (e) => e.nextElementSibling?.matches("label") && e.nextElementSibling;
window.looks = (e) => [e, label(e), e.parentElement, e.parentElement?.parentElement].filter(Boolean)
  .map((x) => {
  const s = getComputedStyle(x);
  return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor];
}).join();
window.unseen = [];
document.activeElement?.blur();
return toReach.size"""
_TAB_STEP = """
if (window.last && document.activeElement !== last && last.isConnected && looks(last) === lastLooks)
  unseen.push(last.outerHTML.slice(0, 120));
window.last = document.activeElement === document.body ? null : document.activeElement;
window.lastLooks = last && looks(last);
toReach.delete(document.activeElement);
return toReach.size"""
_LARGEST_SCRIPT = 200_000


def keyboard_faults(browser: Any) -> list[str]:
    """What the Tab key does not reach on a page, and what does not show that it has the focus."""
    count = browser.execute_script(_TAB_START)
    for _ in range(count + 10):
        press_tab(browser)
        if not browser.execute_script(_TAB_STEP):
            break
    press_tab(browser)
    browser.execute_script(_TAB_STEP)
    missed = browser.execute_script(
        "return [...toReach].filter((e) => e.tabIndex >= 0).map((e) => e.outerHTML.slice(0, 120))"
    )
    unseen = browser.execute_script("return unseen")
    return [f"Tab does not reach {each}" for each in missed] + [f"focus not seen: {each}" for each in unseen]


def faults_of(
    browser: Any, pages: Iterable[Any], more: Callable[[Any, Any, int, str], list[str]] | None = None
) -> list[str]:
    """What is wrong with pages of `product_pages`, in all variants; `more` looks for other faults of each."""
    faults = []
    for page in pages:
        for width, theme in VARIANTS:
            prefer(browser, theme)
            resize(browser, width)
            console(browser), requests(browser)
            page.open(browser)
            found = more(browser, page, width, theme) if more else []
            found += page_faults(browser, page.address, width, theme)
            faults += [f"{page.name} {width} {theme}: {each}" for each in found]
    return faults


def page_faults(browser: Any, address: str, width: int, theme: str) -> list[str]:
    """What is wrong with the open page, for people with and without a mouse, a screen, and a network."""
    faults = [
        f"console: {text}"
        for text in console(browser)
        if not text.startswith(address) and "[DOM]" not in text and "favicon" not in text
    ]
    origin = "file://" if address.startswith("file:") else "/".join(address.split("/")[:3])
    faults += [f"requests {url}" for url in requests(browser) if not url.startswith((origin, "chrome"))]
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    if wide > width:
        faults.append(f"is {wide} pixels wide")
    frame = browser.execute_cdp_cmd("Page.getResourceTree", {})["frameTree"]
    files = (
        each for each in frame["resources"] if each["type"] == "Script" and "search_index" not in each["url"]
    )
    size = sum(each.get("contentSize", 0) for each in files) + browser.execute_script(
        "return [...document.scripts].reduce((n, s) => n + (s.type.includes('json') ? 0 : s.text.length), 0)"
    )
    if size > _LARGEST_SCRIPT:
        faults.append(f"has {size} bytes of script")
    if theme == "light":
        faults += keyboard_faults(browser)
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    return faults + axe_violations(browser, contrast_only=theme == "dark")


def axe_violations(browser: Any, *, contrast_only: bool = False) -> list[str]:
    """What axe finds on the page that is open."""
    from importlib.resources import files

    program = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": program})  # whatever the page's policy is
    browser.set_script_timeout(300)  # a busy machine is slow
    options = {"resultTypes": ["violations"]} | ({"runOnly": ["color-contrast"]} if contrast_only else {})
    run = "axe.run(document, arguments[0]).then((r) => arguments[1](r.violations))"
    found = browser.execute_async_script(run, options)
    return [f"{each['id']}: {[node['html'][:160] for node in each['nodes'][:3]]}" for each in found]
