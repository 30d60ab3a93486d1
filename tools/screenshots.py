"""Make screenshots of all pages in four variants: python tools/screenshots.py FOLDER [GROUP …]

The groups are those of tests/support/product_pages.py, and `docs` for the site that `make docs` builds.
`python tools/screenshots.py --docs` makes the pictures of the documentation. Needs what the tests need.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [
    str(ROOT / "tests" / "support"),
    str(ROOT / "packages" / "errata-gec-server" / "tests" / "support"),
]

from PIL import Image  # noqa: E402

from browser import VARIANTS, chromium, prefer, resize  # noqa: E402
from product_pages import GROUPS, docs_pages  # noqa: E402

TALLEST = 4000
IN_DOCS = {  # page -> picture in docs/images
    "report": "report", "report-explorer": "explorer", "campaign-ranking": "campaign-ranking",
    "campaign-admin": "campaign-admin", "campaign-spans": "campaign-spans",
}  # fmt: skip


def main(target: Path, groups: list[str], wanted: dict[str, str] | None = None) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        for group in groups:
            folder = ROOT / "build" / "site" if group == "docs" else Path(scratch) / group
            folder.mkdir(exist_ok=True)
            for page in (GROUPS | {"docs": docs_pages})[group](folder, stack):
                for width, theme in VARIANTS:
                    if wanted is None:
                        path = target / f"{page.name}-{width}-{theme}.png"
                    elif page.name in wanted and (width, theme) == (1400, "light"):
                        path = target / f"{wanted[page.name]}.png"
                    else:
                        continue
                    prefer(browser, theme)
                    resize(browser, width if wanted is None else 1100)
                    page.open(browser)
                    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
                    if wanted is None and "#" not in page.address:
                        height = browser.execute_script("return document.documentElement.scrollHeight")
                        resize(browser, width, min(height, TALLEST))
                    data = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
                    with Image.open(BytesIO(base64.b64decode(data))) as image:
                        image.convert("RGB").quantize(64).save(path, optimize=True)
                    print(path, flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--docs"]:
        main(ROOT / "docs" / "images", ["report", "campaign"], IN_DOCS)
    elif len(sys.argv) > 1:
        main(Path(sys.argv[1]), sys.argv[2:] or [*GROUPS, "docs"])
    else:
        sys.exit(__doc__)
