"""The documentation site builds without warnings and requests nothing; its pages have their shapes."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("mkdocs", "material", "mkdocstrings_handlers", "jupytext"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed (extra `docs`)")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={
            "PATH": "",
            "ERRATA_DOCS_RUN": "no",
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONPATH": str(ROOT / "src"),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout + done.stderr == ""
    return folder


class Links(HTMLParser):
    """The addresses a page loads, the addresses it links to, and the anchors it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if "src" in values:
            self.loads.append(values["src"])
        if tag == "link" and values.get("rel") not in ("prev", "next", "canonical"):
            self.loads.append(values.get("href", ""))


def pages_of(site: Path) -> Iterator[tuple[Path, Links]]:
    for page in sorted(site.rglob("*.html")):
        if page.name != "404.html":  # its links begin at the root of a server
            yield page, Links(page)


def test_pages_load_only_files_of_the_site(site: Path) -> None:
    for page, found in pages_of(site):
        for address in found.loads:
            if not address.startswith("data:"):
                assert (page.parent / address.partition("?")[0]).exists(), f"{page.name} loads {address}"


def test_links_between_pages_lead_to_pages_and_anchors(site: Path) -> None:
    known = {page.resolve(): found for page, found in pages_of(site)}
    broken = []
    for page, found in known.items():
        for link in found.links:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or path == ".":
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and target in known and anchor not in known[target].anchors):
                broken.append(f"{page.name}: {link}")
    assert broken == []


def test_search_works_without_a_server(site: Path) -> None:
    """The index is a script that pages opened as files can load, and so is the worker's stand-in."""
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index = ")
    assert "MaxMatch" in index
    assert "assets/iframe-worker.js" in (site / "index.html").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    import errata

    reference = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    names = set(errata.__all__) - {"__version__", "data"}
    assert sorted(name for name in names if f'id="errata.{name}"' not in reference) == []


def test_tutorials_can_be_downloaded_as_notebooks(site: Path) -> None:
    import jupytext

    for page in (DOCS / "tutorials").glob("*.md"):
        notebook = jupytext.read(site / "tutorials" / page.with_suffix(".ipynb").name)
        assert notebook.metadata["kernelspec"]["name"] == "python3"
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert cells
        assert not any(cell.startswith("errata ") for cell in cells), "shell cells begin with %%sh"


def test_pages_of_metrics_name_every_metric_and_parameter() -> None:
    from errata.metrics import METRICS, metric_class

    index = (DOCS / "metrics" / "index.md").read_text(encoding="utf-8")
    for name in METRICS:
        row = re.search(rf"^\|[^|]*`{name}`.*$", index, re.MULTILINE)
        assert row is not None, f"{name} is not in docs/metrics/index.md"
        texts = [
            (DOCS / "metrics" / page).read_text() for page in re.findall(r"\(([a-z0-9-]+\.md)\)", row[0])
        ]
        for each in fields(metric_class(name)):
            assert any(re.search(rf"`([a-z0-9]+:)?{each.name}[`=]", text) for text in texts), (
                name,
                each.name,
            )


@pytest.mark.browser
def test_pages_are_for_everybody_and_search_finds_a_metric(site: Path) -> None:
    """Pages are opened as files, as a reader does who has no server."""
    from browser import chromium, faults_of
    from product_pages import docs_pages

    with chromium() as browser:
        faults = faults_of(browser, docs_pages(site))
        assert not faults, "\n".join(faults)
        browser.get((site / "index.html").as_uri())
        query = browser.find_element("css selector", "[data-md-component=search-query]")
        query.send_keys("MaxMatch")
        for _ in range(200):
            results = browser.find_elements("css selector", ".md-search-result__article h1")
            if results:
                break
            time.sleep(0.1)
        assert any("M²" in each.get_attribute("textContent") for each in results)
