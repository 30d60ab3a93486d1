"""Markdown as HTML in which nothing but Markdown's own tags can appear."""

from __future__ import annotations

from markupsafe import Markup


def to_html(text: str) -> Markup:
    """Render Markdown; raw HTML and links with other schemes than http(s) and mailto stay text."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # html=False escapes whatever is not Markdown, so the result is safe.
    return Markup(markdown.render(text))  # nosec B704
