"""What the site does beyond MkDocs: tutorials are run, and links that leave `docs/` become file names.

Tutorials are Markdown notebooks of jupytext. Their cells, and those of the start page, are run when the
site is built, what they print stands below each cell, and every tutorial offers the notebook for download.
`ERRATA_DOCS_RUN=no` leaves the cells unrun: the tests of the site run them elsewhere.
"""

from __future__ import annotations

import base64
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fences import RUN, fences
from running import Runner

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def on_files(files: Any, *, config: Any) -> Any:
    """Adds the reference of the command line, which is made from the code."""
    from mkdocs.structure.files import File

    sys.path.insert(0, str(Path(__file__).parents[1]))
    from cli_reference import reference

    files.append(File.generated(config, "cli.md", content=reference()))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Runs the cells of tutorials and of the start page, and mends the links of any page."""
    if page.file.abs_src_path is None:  # made by `on_files`
        return markdown
    path = Path(page.file.abs_src_path)
    tutorial = path.parent.name == "tutorials"
    if (tutorial or page.is_homepage) and os.environ.get("ERRATA_DOCS_RUN") != "no":
        markdown = with_outputs(markdown)
    if tutorial:
        markdown = _download(markdown, path)
    return _LINK.sub(lambda link: _inside(link, path, Path(config["docs_dir"])), markdown)


def on_page_content(html: str, **_: Any) -> str:
    """The empty corner of a table is no heading."""
    return re.sub(r"<th( style=[^>]*)?></th>", "<td></td>", html)


def on_post_page(output: str, **_: Any) -> str:
    """The search has a name for screen readers."""
    search = 'data-md-component="search" role="dialog"'
    return output.replace(search, f'{search} aria-label="Search"')


def on_post_build(*, config: Any, **_: Any) -> None:
    """Writes the tutorials as notebooks beside their pages."""
    import jupytext

    for path in Path(config["docs_dir"], "tutorials").glob("*.md"):
        target = Path(config["site_dir"], "tutorials", path.with_suffix(".ipynb").name)
        jupytext.write(jupytext.read(path), target)


def with_outputs(markdown: str) -> str:
    """The page with what each of its cells prints and draws below the cell."""
    written, done = [], 0
    with tempfile.TemporaryDirectory(prefix="errata-docs-") as name:
        runner = Runner(Path(name))
        for fence in fences(markdown):
            if fence.language not in RUN or fence.not_run:
                continue
            before = set(Path(name).rglob("*.svg"))
            printed = runner.run(fence)
            drawn = sorted(set(Path(name).rglob("*.svg")) - before)
            written += [markdown[done : fence.end], _output(printed.replace(name, "~"), drawn)]
            done = fence.end
    return "".join([*written, markdown[done:]])


def _output(printed: str, drawn: list[Path]) -> str:
    parts = []
    if printed.strip():
        parts.append(f"```text\n{printed.rstrip()}\n```")
    for path in drawn:
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(f"![{path.name}](data:image/svg+xml;base64,{data})")
    if not parts:
        return ""
    return '\n\n<div class="output" markdown>\n\n' + "\n\n".join(parts) + "\n\n</div>"


def _download(markdown: str, path: Path) -> str:
    heading, _, rest = markdown.partition("\n\n")
    link = f'<a href="{path.stem}.ipynb" download>Download this page as a notebook</a>'
    return f"{heading}\n\n{link}\n\n{rest}"


def _inside(link: re.Match[str], page: Path, docs: Path) -> str:
    """A link to a file of the repository outside `docs/` is shown as the file's name."""
    text, target = link.groups()
    if re.match(r"[a-z]+:|#", target):
        return link[0]
    place = (page.parent / target.partition("#")[0]).resolve()
    if place.is_relative_to(docs.resolve()):
        return link[0]
    name = place.relative_to(docs.resolve().parent)
    return text if f"`{name}`" == text else f"{text} (`{name}` in the repository)"
