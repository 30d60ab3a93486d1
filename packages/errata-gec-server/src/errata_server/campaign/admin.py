"""The admin's pages: how the campaign stands, every item and judgment, and what can be done about it."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import threading
import time
from typing import Any

import sqlalchemy as sa
from markupsafe import escape
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.errors import DataError
from errata.tables import Table, format_cell
from errata_server.campaign import overview, schema
from errata_server.campaign.answers import failed_control
from errata_server.campaign.assignment import Assigner
from errata_server.campaign.exporting import FORMATS, SUFFIXES, export_file, export_text
from errata_server.campaign.figures import Figures
from errata_server.campaign.items import Content
from errata_server.campaign.store import Store, current_judgments
from errata_server.sessions import Subject
from errata_server.site import Site, read_whole

PAGE = 25  # items on a page of the browser
_FRESH_SECONDS = 2.0
_PATIENCE_SECONDS = 0.1  # a page shows the figures it has rather than wait longer for new ones
_PORTION = 50  # judgments taken in without a pause: annotators wait no longer than these take
_PAUSE_SECONDS = 0.01
_FIRST_SECONDS = 0.1  # after which a look for which somebody waits shows the figures it has
_LATER_SECONDS = 1.0  # the same for one in the background
_LARGE = 20_000  # judgments, from which on an export gets a process of its own
_SAVE_ROWS = 5_000  # new judgments after which the figures are stored


class Admin:
    """The pages behind the admin's link."""

    def __init__(self, store: Store, site: Site, assigner: Assigner, figures: Figures) -> None:
        self.store = store
        self.site = site
        self.assigner = assigner
        self.figures = figures
        self._values: dict[str, Any] = {}
        self._text = ""  # the page with these values, with `_form` where the secret of a session belongs
        self._form = secrets.token_hex(16)
        self._base = secrets.token_hex(16)  # the same for the address of the server
        self._when = 0.0
        self._changes = 0  # that the admin made
        self._counting = threading.Lock()
        self._first = asyncio.Lock()
        self._refreshing: asyncio.Task[None] | None = None
        self._note = ""

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/admin", self.home),
            Route("/admin/act", self.act, methods=["POST"]),
            Route("/admin/items", self.items),
            Route("/admin/items/{number:int}", self.item),
            Route("/admin/export/{format}", self.export),
            Route("/admin/annotators", self.annotators),
        ]

    async def _check(self, request: Request) -> None:
        """401 for everybody but the admin."""
        await self.site.subject(request, "admin")

    async def home(self, request: Request) -> Response:
        await self._check(request)
        note, self._note = self._note, ""
        await self._overview()
        if note:
            return self._page(request, note=note)
        text = self._text.replace(self._form, self.site.form_secret(request, "admin"))
        return HTMLResponse(text.replace(self._base, str(escape(self.site.address(request)))))

    async def _overview(self) -> None:
        """The figures. They are brought up to date by one task at a time, for which nobody waits long."""
        if not self._values:
            async with self._first:
                if not self._values:
                    await self._look()
        elif time.monotonic() - self._when > _FRESH_SECONDS:
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.create_task(self._refresh())
            await asyncio.wait({self._refreshing}, timeout=_PATIENCE_SECONDS)

    async def _refresh(self) -> None:
        """Take in new judgments, some at a time so that annotators are not kept waiting."""
        while not await self._look(_LATER_SECONDS):
            if self.figures.upto - self.figures.saved >= _SAVE_ROWS:
                await self.keep_figures()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _look(self, seconds: float = _FIRST_SECONDS) -> bool:
        """Take in some judgments and show the figures; gives whether these were all."""
        changes = self._changes
        complete, values, text = await self.site.report(lambda connection: self._gather(connection, seconds))
        if changes == self._changes:  # otherwise they are from before a change
            self._values, self._text, self._when = values, text, time.monotonic()
        return complete

    async def keep_figures(self) -> None:
        snapshot = self.figures.snapshot()
        await self.site.write(lambda connection: self.figures.keep(connection, snapshot))

    def prepare(self, connection: sa.Connection) -> None:
        """Load what the page needs, and translate its template."""
        self._render(self._form, self._base, self._shown(connection))

    def _gather(self, connection: sa.Connection, seconds: float) -> tuple[bool, dict[str, Any], str]:
        with self._counting:
            complete, values = self._take_in(connection, seconds), self._shown(connection)
        return complete, values, self._render(self._form, self._base, values)

    def _take_in(self, connection: sa.Connection, seconds: float) -> bool:
        """Take in new judgments for about so long; gives whether these were all."""
        end = time.monotonic() + seconds
        while not (complete := self.figures.take_in(connection, _PORTION) < _PORTION):
            if time.monotonic() > end:
                break
            time.sleep(_PAUSE_SECONDS)
        return complete

    def _shown(self, connection: sa.Connection) -> dict[str, Any]:
        """What the page shows."""
        tables = overview.tables(self.store, connection, self.figures)
        grids = [
            {"title": t.title, "head": [c.name for c in t.columns], "rows": _cells(t), "rules": t.rules}
            for t in tables[1:]
        ]
        return {
            "progress": overview.progress(self.store, connection, self.figures),
            "grids": grids,
            "people": list(zip(self.store.annotators(connection), _cells(tables[0]), strict=True)),
            "head": [column.name for column in tables[0].columns],
            "head_row": connection.execute(sa.select(schema.campaign)).one(),
            "taken": self.store.taken(connection),
        }

    def _page(self, request: Request, **others: Any) -> Response:
        secret = self.site.form_secret(request, "admin")
        return HTMLResponse(self._render(secret, self.site.address(request), self._values, **others))

    def _render(self, form: str, base: str, values: dict[str, Any], **others: Any) -> str:
        formats, settings = FORMATS[self.store.settings.task], self.store.settings
        chosen = self.store.selection
        return self.site.pages.render(
            "admin.html",
            form=form,
            formats=formats,
            settings=settings,
            join=self.store.sign_up_link(values["head_row"], base),
            selection="" if chosen is None else chosen.text(),
            **values,
            **others,
        )

    async def act(self, request: Request) -> Response:
        """One of the buttons; shows the page again, with the new link where one was made."""
        await self._check(request)
        post = await self.site.form_of(request, "admin")
        try:
            note, link = await self.site.write(lambda c: self._act(c, post))
        except DataError as error:
            raise HTTPException(400, error.message) from None
        self._changes += 1
        self.site.forget()
        await self._look()
        if link is None:
            self._note = note  # shown once, on the page that follows
            return RedirectResponse("/admin", 303)
        address = f"{self.site.address(request)}/enter#{link}"
        return self._page(request, note=note, link=address)

    def _act(self, connection: sa.Connection, post: dict[str, str]) -> tuple[str, str | None]:
        store, assigner = self.store, self.assigner
        action = post.get("action", "")
        if action in ("open", "paused", "closed"):
            store.set_state(connection, action)
            return f"The campaign is {action}", None
        if action in ("sign-up", "no-sign-up"):
            places = self._number(post, "places", 1, 10_000) if action == "sign-up" else None
            store.set_sign_up(connection, "open" if action == "sign-up" else "closed", places)
            return f"Sign-up is {'open' if action == 'sign-up' else 'closed'}", None
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
        known = {row.id for row in store.annotators(connection)}
        if person not in known:
            raise DataError("there is no such annotator")
        return self._act_on(connection, person, known, post)

    def _act_on(
        self, connection: sa.Connection, person: int, known: set[int], post: dict[str, str]
    ) -> tuple[str, str | None]:
        """An action that concerns one annotator."""
        store, action = self.store, post.get("action", "")
        if action in ("active", "pause"):
            store.set_annotator(connection, person, state="active" if action == "active" else "paused")
            return "Changed", None
        if action == "admit":
            store.set_annotator(connection, person, qualified="passed")
            return "Let in", None
        if action == "sign-out":
            schema.sessions.revoke(connection, Subject("annotator", person))
            return "Signed out everywhere; the link is still valid", None
        if action == "link":
            return "New link: it is shown once, the old one is void", store.new_link(connection, person)
        if action == "reassign":
            heir = self._number(post, "heir", 0, 2**31 - 1)
            if heir == person or (heir and heir not in known):
                raise DataError("screens go to another annotator")
            moved = self.assigner.reassign(connection, person, heir or None)
            return f"{moved} open screens taken away", None
        raise DataError("there is no such action")

    def _number(self, post: dict[str, str], name: str, low: int, high: int) -> int:
        number = read_whole(post.get(name, ""), high)
        if number is None or number < low:
            raise DataError(f"{name} is a number from {low} to {high}")
        return number

    async def items(self, request: Request) -> Response:
        """A page of the items, with how often each has been judged."""
        await self._check(request)
        page = read_whole(request.query_params.get("page", ""), 10**6 - 1) or 1
        wanted = request.query_params.get("kind", "")

        def gather(connection: sa.Connection) -> tuple[list[dict[str, Any]], int]:
            table, given = schema.items, schema.assignments
            count = (
                sa.select(sa.func.count())
                .where(given.c.item == table.c.id, given.c.answered)
                .scalar_subquery()
            )
            query = sa.select(table, count.label("judged"))
            total = sa.select(sa.func.count()).select_from(table)
            if wanted:
                query, total = query.where(table.c.kind == wanted), total.where(table.c.kind == wanted)
            found = connection.execute(query.order_by(table.c.id).limit(PAGE).offset((page - 1) * PAGE))
            listed = [{"row": row, "content": Content.from_json(row.content)} for row in found]
            return listed, int(connection.scalar(total) or 0)

        listed, total = await self.site.report(gather)
        return self.site.page(
            "items.html", listed=listed, page=page, pages=max(1, -(-total // PAGE)), kind=wanted, total=total
        )

    async def item(self, request: Request) -> Response:
        """One item with every row that was written about it."""
        await self._check(request)
        number = request.path_params["number"]

        def gather(connection: sa.Connection) -> dict[str, Any] | None:
            table, rows = schema.items, schema.judgments
            row = connection.execute(sa.select(table).where(table.c.id == number)).first()
            if row is None:
                return None
            content = Content.from_json(row.content)
            names = {person.id: person.name for person in self.store.annotators(connection)}
            current = {r.id for r in current_judgments(connection, number)}
            history = []
            given = schema.assignments
            about = sa.select(rows).join(given, given.c.id == rows.c.assignment).where(given.c.item == number)
            for r in connection.execute(about.order_by(rows.c.id)):
                answer = None if r.answer is None else json.loads(r.answer)
                values = None if answer is None else answer.get("ranks") or answer.get("scores")
                history.append(
                    {
                        "row": r,
                        "name": names[r.annotator],
                        "values": values,
                        "text": None if answer is None else answer.get("text"),
                        "marks": _marks(answer, content),
                        "inexact": answer is not None and answer.get("exact") is False,
                        "counts": r.id in current,
                        "failed": failed_control(content, answer),
                    }
                )
            return {"item": row, "content": content, "history": history}

        found = None if number > 2**31 - 1 else await self.site.report(gather)
        if found is None:
            raise HTTPException(404, "there is no such item")
        return self.site.page("item.html", **found)

    async def annotators(self, request: Request) -> Response:
        """The list of annotators with completion codes, consent and flags, as TSV."""
        await self._check(request)

        def gather(connection: sa.Connection) -> Table:
            with self._counting:
                self.figures.take_in_all(connection)
                return overview.people_table(self.store, connection, self.figures)

        table = await self.site.report(gather)
        lines = [[column.name for column in table.columns], *_cells(table)]
        text = "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in lines)
        headers = {"Content-Disposition": 'attachment; filename="annotators.tsv"'}
        return Response(text, 200, headers, "text/plain; charset=utf-8")

    async def export(self, request: Request) -> Response:
        await self._check(request)
        format = request.path_params["format"]
        if format not in FORMATS[self.store.settings.task]:
            raise HTTPException(404, "there is no such format")
        name = f"judgments.{SUFFIXES.get(format, format)}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        place, kind = self.store.database.place, "text/plain; charset=utf-8"
        try:
            if self.figures.upto < _LARGE:
                return Response(await run_in_threadpool(export_text, place, format), 200, headers, kind)
            file = await self.site.in_child(export_file, place, format)
        except DataError as error:
            raise HTTPException(409, error.message) from None
        return FileResponse(file, 200, headers, kind, background=BackgroundTask(os.unlink, file))


def _marks(answer: dict[str, Any] | None, content: Content) -> str:
    """The marked spans of an answer in words; empty where the task is another one."""
    if answer is None or "spans" not in answer:
        return ""
    found = [
        f"{' '.join(card.text.split()[span['start'] : span['end']])}: {span['category']}, {span['severity']}"
        for card, spans in zip(content.cards, answer["spans"], strict=True)
        for span in spans
    ]
    return "; ".join(found) or "nothing marked"


def _cells(table: Table) -> list[list[str]]:
    """A table's cells as text; whole numbers are for programs, too, and have no separators."""
    return [
        [
            str(cell) if isinstance(cell, int) else format_cell(cell, column.decimals)
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
