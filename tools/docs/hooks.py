"""Hooks of MkDocs: tutorials are run, links to data become tables, links that leave `docs/` file names.

Tutorials are Markdown notebooks of jupytext. Their cells, and those of the start page, are run when the site
is built; the output is shown below each cell, and every tutorial can be downloaded as a notebook. A page with
`outputs: committed` in its front matter has its outputs already. `ERRATA_DOCS_RUN=no` runs no cells: the
tests of the site run them elsewhere.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from cli_reference import reference, verbs
from generated import with_classes, with_tables
from outputs import COMMITTED, with_outputs

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def on_files(files: Any, *, config: Any) -> Any:
    """Adds the reference of the command line, which is made from the code."""
    from mkdocs.structure.files import File

    for name, content in reference().items():
        files.append(File.generated(config, f"cli/{name}.md", content=content))
    return files


def on_config(config: Any) -> Any:
    """Puts a page for every verb under Command line."""
    [pages] = [each["Reference"] for each in config["nav"] if "Reference" in each]
    [place] = [each for each in pages if each.get("Command line") == "cli/index.md"]
    by_section: list[Any] = [
        {section: [{verb: f"cli/{verb}.md"} for verb in names]} for section, names in verbs().items()
    ]
    place["Command line"] = [{"Overview": "cli/index.md"}, *by_section]
    return config


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Runs the cells of tutorials and of the start page; makes tables and mends links on any page."""
    if page.file.abs_src_path is None:  # made by `on_files`
        return markdown
    path = Path(page.file.abs_src_path)
    tutorial = path.parent.name == "tutorials"
    committed = COMMITTED.match(path.read_text("utf-8")) is not None
    if (tutorial or page.is_homepage) and not committed and os.environ.get("ERRATA_DOCS_RUN") != "no":
        markdown = with_outputs(markdown)
    markdown = with_classes(with_tables(markdown, path.parent))
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
