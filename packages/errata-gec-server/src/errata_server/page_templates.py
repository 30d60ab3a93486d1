"""Pages from templates, in several languages: those of an application, and those that both share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

_SHARED = "errata_server"
DEFAULT = "en"
NAMES = {"en": "English", "cs": "Čeština", "de": "Deutsch", "uk": "Українська"}


def read_messages(*packages: str) -> dict[str, Mapping[str, str]]:
    """The messages of packages by language, in the languages that all of them have.

    A package without messages is written in English.
    """
    merged: dict[str, dict[str, str]] = {language: {} for language in NAMES}
    for package in packages:
        folder = files(package) / "messages"
        for language in list(merged):
            file = folder / f"{language}.json"
            if file.is_file():
                merged[language].update(json.loads(file.read_text(encoding="utf-8")))
            elif language != DEFAULT:
                del merged[language]
    return dict(merged)


class Templates:
    """Renders the templates of a package; all texts are escaped.

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
        self._templates.filters["time"] = to_time

    def render(self, name: str, *, language: str = DEFAULT, **values: Any) -> str:
        """A page in one of the languages; its template finds the messages in `m`."""
        shared = {"m": self._messages[language], "lang": language, "languages": self.languages}
        return self._templates.get_template(name).render({**shared, **values})

    def page(self, name: str, status: int = 200, *, language: str = DEFAULT, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.render(name, language=language, **values), status)

    def static_files(self) -> StaticFiles:
        """The scripts, styles and pictures of the package and the shared ones."""
        return StaticFiles(packages=[(self.package, "static"), (_SHARED, "static")])


def to_time(stored: str, deadline: bool = False) -> Markup:
    """A stored time as a `time` element: 31 May 2026, 12:30 UTC; scripts show it in the reader's zone.

    They add to a deadline how long it is until then.
    """
    time = datetime.fromisoformat(stored.replace("Z", "+00:00"))
    words = f"{time.day} {time:%B %Y, %H:%M} UTC"
    mark = Markup(" data-deadline") if deadline else ""
    return Markup('<time datetime="{}"{}>{}</time>').format(stored, mark, words)


def to_html(text: str) -> Markup:
    """Render Markdown; raw HTML and links with other schemes than http(s) and mailto stay text."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    # html=False escapes whatever is not Markdown, so the result is safe.
    return Markup(markdown.render(text))  # nosec B704
