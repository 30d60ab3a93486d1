"""Pages from templates: an application's own, and those that all applications share."""

from __future__ import annotations

from typing import Any

import jinja2
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

_SHARED = "errata.server"


class Pages:
    """Renders the templates of a package; texts are escaped, whatever they contain."""

    def __init__(self, package: str, **names: Any) -> None:
        self.package = package
        self._templates = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in (package, _SHARED)]),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals.update(names)

    def render(self, name: str, **values: Any) -> str:
        return self._templates.get_template(name).render(values)

    def page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.render(name, **values), status)

    def static_files(self) -> StaticFiles:
        """The scripts, styles and pictures of the package and the shared ones."""
        return StaticFiles(packages=[(self.package, "static"), (_SHARED, "static")])
