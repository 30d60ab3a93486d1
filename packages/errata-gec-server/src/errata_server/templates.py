"""Pages from templates: an application's own, and those that all applications share."""

from __future__ import annotations

from typing import Any

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from errata_server.i18n import DEFAULT, NAMES, read_messages

_SHARED = "errata_server"


class Templates:
    """Renders the templates of a package; texts are escaped, whatever they contain.

    `languages` are the languages in which the package has messages, with their own names.
    """

    def __init__(self, package: str, **names: Any) -> None:
        self.package = package
        self._templates = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (package, _SHARED)]),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._messages = read_messages(_SHARED, package)
        self.languages = {code: NAMES[code] for code in self._messages}
        self._templates.globals.update(names)

    def render(self, name: str, *, language: str = DEFAULT, **values: Any) -> str:
        """A page in one of the languages; its template finds the messages in `m`."""
        said = {"m": self._messages[language], "lang": language, "languages": self.languages}
        return self._templates.get_template(name).render({**said, **values})

    def page(self, name: str, status: int = 200, *, language: str = DEFAULT, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.render(name, language=language, **values), status)

    def static_files(self) -> StaticFiles:
        """The scripts, styles and pictures of the package and the shared ones."""
        return StaticFiles(packages=[(self.package, "static"), (_SHARED, "static")])


def to_html(text: str) -> Markup:
    """Render Markdown; raw HTML and links with other schemes than http(s) and mailto stay text."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # html=False escapes whatever is not Markdown, so the result is safe.
    return Markup(markdown.render(text))  # nosec B704
