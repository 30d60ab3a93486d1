"""The admin's pages: how the campaign stands, every item and judgment, and what can be done about it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.campaign import overview, schema
from errata.campaign.answers import failed_control
from errata.campaign.exporting import FORMATS, SUFFIXES, export_text
from errata.campaign.items import Content
from errata.campaign.store import current_judgments
from errata.campaign.tokens import form_token, same
from errata.errors import DataError
from errata.report.table import Table

if TYPE_CHECKING:
    from errata.campaign.server import CampaignServer

PAGE = 25  # items on a page of the browser
_FRESH_SECONDS = 3.0


class Admin:
    """The pages behind the admin's link."""

    def __init__(self, server: CampaignServer) -> None:
        self.server = server
        self.store = server.store
        self._cache: tuple[float, dict[str, Any]] = (0.0, {})
        self._note = ""

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/admin", self.home),
            Route("/admin/act", self.act, methods=["POST"]),
            Route("/admin/items", self.items),
            Route("/admin/items/{number:int}", self.item),
            Route("/admin/export/{format}", self.export),
        ]

    async def _token(self, request: Request) -> str:
        """The admin's token; 401 for anyone else."""
        token = request.cookies.get(f"{self.server.cookie}-admin", "")
        if not await self.server.read(lambda c: self.store.is_admin(c, token)):
            raise HTTPException(401, "sign in with the admin's link")
        return token

    async def home(self, request: Request) -> Response:
        token = await self._token(request)
        note, self._note = self._note, ""
        return self._page(token, await self._overview(), note=note)

    async def _overview(self) -> dict[str, Any]:
        """The tables, worked out at most every few seconds."""
        when, values = self._cache
        if not values or time.monotonic() - when > _FRESH_SECONDS:
            values = await self.server.read(self._gather)
            self._cache = (time.monotonic(), values)
        return values

    def _gather(self, connection: sa.Connection) -> dict[str, Any]:
        tables = overview.tables(self.store, connection)
        grids = [
            {"title": t.title, "head": [c.name for c in t.columns], "rows": _cells(t), "rules": t.rules}
            for t in tables[1:]
        ]
        people = self.store.annotators(connection)
        rows = list(zip(people, _cells(tables[0]), strict=True))
        return {
            "progress": overview.progress(self.store, connection),
            "grids": grids,
            "people": rows,
            "head": [column.name for column in tables[0].columns],
        }

    def _page(self, token: str, values: dict[str, Any], **others: Any) -> Response:
        return self.server.page(
            "admin.html",
            form=form_token(token),
            formats=FORMATS[self.store.settings.task],
            settings=self.store.settings,
            **values,
            **others,
        )

    async def act(self, request: Request) -> Response:
        """One of the buttons; shows the page again, with the new link where one was made."""
        token = await self._token(request)
        raw = (await request.body()).decode("utf-8", "replace")
        post = {name: values[0] for name, values in parse_qs(raw, max_num_fields=20).items()}
        if not same(post.get("form", ""), form_token(token)):
            raise HTTPException(403, "this form is not from this page")
        try:
            note, link = await self.server.write(lambda c: self._act(c, post))
        except DataError as error:
            raise HTTPException(400, error.message) from None
        self._cache = (0.0, {})
        self.server.forget_links()
        if link is None:
            self._note = note  # shown once, on the page that follows
            return RedirectResponse("/admin", 303)
        address = f"{request.url.scheme}://{request.url.netloc}/enter#{link}"
        return self._page(token, await self._overview(), note=note, link=address)

    def _act(self, connection: sa.Connection, post: dict[str, str]) -> tuple[str, str | None]:
        store, assigner = self.store, self.server.sessions.assigner
        action = post.get("action", "")
        if action in ("open", "paused", "closed"):
            store.set_state(connection, action)
            return f"The campaign is {action}", None
        if action == "extend":
            more = self._number(post, "more", 1, 1000)
            assigner.extend(connection, more)
            return f"Extended by {more}", None
        if action == "add":
            name = " ".join(post.get("name", "").split())[:80]
            if not name or name.startswith("imported:"):
                raise DataError("an annotator needs a name")
            link = store.add_annotator(connection, name)[1]
            if store.settings.assignment == "fixed":
                assigner.deal(connection)
            return "New annotator: the link is shown once", link
        person = self._number(post, "annotator", 1, 2**31 - 1)
        if person not in {row.id for row in store.annotators(connection)}:
            raise DataError("there is no such annotator")
        if action in ("active", "pause"):
            store.set_annotator(connection, person, state="active" if action == "active" else "paused")
            return "Changed", None
        if action == "admit":
            store.set_annotator(connection, person, qualified="passed")
            return "Let in", None
        if action == "link":
            return "New link: it is shown once, the old one is void", store.new_link(connection, person)
        if action == "reassign":
            heir = self._number(post, "heir", 0, 2**31 - 1)
            known = {row.id for row in store.annotators(connection)}
            if heir == person or (heir and heir not in known):
                raise DataError("screens go to another annotator")
            moved = assigner.reassign(connection, person, heir or None)
            return f"{moved} open screens taken away", None
        raise DataError("there is no such action")

    def _number(self, post: dict[str, str], name: str, low: int, high: int) -> int:
        text = post.get(name, "")
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
            raise DataError(f"{name} is a number from {low} to {high}")
        return int(text)

    async def items(self, request: Request) -> Response:
        """A page of the items, with how often each has been judged."""
        await self._token(request)
        text = request.query_params.get("page", "1")
        page = int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 7 else 1
        wanted = request.query_params.get("kind", "")

        def gather(connection: sa.Connection) -> tuple[list[dict[str, Any]], int]:
            table, rows = schema.items, schema.judgments
            count = (
                sa.select(sa.func.count(sa.distinct(rows.c.assignment)))
                .where(rows.c.item == table.c.id)
                .scalar_subquery()
            )
            query = sa.select(table, count.label("judged"))
            total = sa.select(sa.func.count()).select_from(table)
            if wanted:
                query, total = query.where(table.c.kind == wanted), total.where(table.c.kind == wanted)
            found = connection.execute(query.order_by(table.c.id).limit(PAGE).offset((page - 1) * PAGE))
            listed = [{"row": row, "content": Content.from_json(row.content)} for row in found]
            return listed, int(connection.scalar(total) or 0)

        listed, total = await self.server.read(gather)
        return self.server.page(
            "items.html", listed=listed, page=page, pages=max(1, -(-total // PAGE)), kind=wanted, total=total
        )

    async def item(self, request: Request) -> Response:
        """One item with every row that was written about it."""
        await self._token(request)
        number = request.path_params["number"]

        def gather(connection: sa.Connection) -> dict[str, Any] | None:
            table, rows = schema.items, schema.judgments
            row = connection.execute(sa.select(table).where(table.c.id == number)).first()
            if row is None:
                return None
            content = Content.from_json(row.content)
            names = {person.id: person.name for person in self.store.annotators(connection)}
            current = {r.id for r in current_judgments(connection)}
            history = []
            for r in connection.execute(sa.select(rows).where(rows.c.item == number).order_by(rows.c.id)):
                answer = None if r.answer is None else json.loads(r.answer)
                values = None if answer is None else answer.get("ranks") or answer.get("scores")
                history.append(
                    {
                        "row": r,
                        "name": names[r.annotator],
                        "values": values,
                        "text": None if answer is None else answer.get("text"),
                        "counts": r.id in current,
                        "failed": failed_control(content, answer),
                    }
                )
            return {"item": row, "content": content, "history": history}

        found = None if number > 2**31 - 1 else await self.server.read(gather)
        if found is None:
            raise HTTPException(404, "there is no such item")
        return self.server.page("item.html", **found)

    async def export(self, request: Request) -> Response:
        await self._token(request)
        format = request.path_params["format"]
        if format not in FORMATS[self.store.settings.task]:
            raise HTTPException(404, "there is no such format")
        try:
            text = await run_in_threadpool(export_text, self.store, format)
        except DataError as error:
            raise HTTPException(409, error.message) from None
        name = f"judgments.{SUFFIXES.get(format, format)}"
        return Response(
            text,
            media_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _cells(table: Table) -> list[list[str]]:
    """A table's cells as text."""
    shown = []
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row, strict=True):
            if cell is None:
                cells.append("–")
            elif isinstance(cell, float) and column.decimals is not None:
                cells.append(f"{cell:.{column.decimals}f}")
            else:
                cells.append(str(cell))
        shown.append(cells)
    return shown
