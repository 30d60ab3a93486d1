"""The admin's pages: progress and statistics, all items and judgments, and actions."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from typing import Any

import sqlalchemy as sa
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.errors import DataError
from errata.tables import Table, format_cell
from errata_server.app import App
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.assignment import Assigner
from errata_server.campaign.campaign_statistics import (
    Statistics,
    annotator_table,
    last_judgment,
    people_table,
    progress,
    statistics_of,
)
from errata_server.campaign.campaign_store import CampaignStore, current_judgments
from errata_server.campaign.export_judgments import SUFFIXES, export_file
from errata_server.campaign.items import Content
from errata_server.sessions import Subject
from errata_server.validation import name_form, read_whole

PAGE = 25  # items on a page of the browser
_NOT_DESCRIBED = {"values": None, "text": None, "marks": "", "inexact": False}  # see AnnotationTask.describe
_PAUSE_SECONDS = 2.0  # between two computations of statistics, at least


class CampaignAdmin:
    """The pages behind the admin's link.

    Counts and states on the overview are read for every page. Statistics need all judgments, so another
    process computes them when a page is opened after answers have changed.
    """

    def __init__(self, store: CampaignStore, app: App, assigner: Assigner) -> None:
        self.store = store
        self.app = app
        self.assigner = assigner
        self._statistics: Statistics | None = None
        self._computing: asyncio.Task[None] | None = None
        self._not_before = 0.0  # when statistics may be computed again
        self._note = ""

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/admin", self.home),
            Route("/admin/act", self.act, methods=["POST"]),
            Route("/admin/items", self.items),
            Route("/admin/items/{number}", self.item),
            Route("/admin/export/{format}", self.export),
            Route("/admin/qualification/{number}", self.qualification),
            Route("/admin/annotators", self.annotators),
        ]

    async def _check(self, request: Request) -> None:
        """401 unless the admin is signed in."""
        await self.app.subject(request, "admin")

    async def home(self, request: Request) -> Response:
        await self._check(request)
        note, self._note = self._note, ""
        return await self._page(request, note=note)

    async def _page(self, request: Request, **others: Any) -> Response:
        address = self.app.address(request)
        last, text = await self.app.report(lambda c: self._render(c, base=address, **others))
        if self._statistics is None or self._statistics.last_judgment != last:
            self._compute_soon()
        return HTMLResponse(text)

    def _compute_soon(self) -> None:
        """Start computing statistics, unless this is running or has just ended."""
        running = self._computing is not None and not self._computing.done()
        if not running and time.monotonic() >= self._not_before:
            self._computing = asyncio.create_task(self._compute())

    async def _compute(self) -> None:
        began = time.monotonic()
        try:
            self._statistics = await self._fresh_statistics()
        except Exception as error:  # the next page tries again
            print(f"errata: no statistics: {error}", file=sys.stderr, flush=True)
        ended = time.monotonic()
        self._not_before = ended + max(_PAUSE_SECONDS, ended - began)

    async def _fresh_statistics(self) -> Statistics:
        place = self.store.database.place
        return await self.app.in_child(statistics_of, place)

    def _render(self, connection: sa.Connection, *, base: str, **values: Any) -> tuple[int, str]:
        """The number of the last judgment, and the overview."""
        store, statistics, last = self.store, self._statistics, last_judgment(connection)
        table = annotator_table(store, connection, statistics)
        campaign = connection.execute(sa.select(schema.campaign)).one()
        return last, self.app.templates.render(
            "admin.html",
            formats=store.task.formats,
            settings=store.settings,
            progress=progress(store, connection),
            pace=None if statistics is None else statistics.pace,
            computed=None if statistics is None else statistics.computed,
            current=statistics is not None and statistics.last_judgment == last,
            grids=[(t, _cells(t)) for t in (() if statistics is None else statistics.tables)],
            people=list(zip(store.annotators(connection), _cells(table), strict=True)),
            head=[column.name for column in table.columns],
            head_row=campaign,
            taken=store.taken(connection),
            join=store.sign_up_link(campaign, base),
            selection=store.selection.text(),
            **values,
        )

    async def act(self, request: Request) -> Response:
        """Run the action of a button; show the page again, with the new link if there is one."""
        await self._check(request)
        note, link = await self.app.act(request, self._act)
        if link is None:
            self._note = note  # shown once, on the page that follows
            return RedirectResponse("/admin", 303)
        return await self._page(request, note=note, link=self.app.link(request, link))

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
            if not name.isprintable() or not name_form(name) or name.startswith("imported:"):
                raise DataError("an annotator needs a name of printable characters")
            if name_form(name) in [name_form(row.name) for row in store.annotators(connection)]:
                raise DataError("there is an annotator of this name, or of one that looks like it")
            link = store.add_annotator(connection, name)[1]
            if store.settings.assignment == "fixed":
                assigner.deal(connection)
            return "New annotator: the link is shown once", link
        person = self._number(post, "annotator", 1, 2**31 - 1)
        people = {row.id for row in store.annotators(connection)}
        if person not in people:
            raise DataError("there is no such annotator")
        return self._act_on(connection, person, people, post)

    def _act_on(
        self, connection: sa.Connection, person: int, people: set[int], post: dict[str, str]
    ) -> tuple[str, str | None]:
        """An action that concerns one annotator."""
        store, action = self.store, post.get("action", "")
        if action in ("active", "pause"):
            store.set_annotator(connection, person, state="active" if action == "active" else "paused")
            return "Changed", None
        if action == "admit":
            store.set_annotator(connection, person, qualified="passed")
            return "Let in", None
        if action == "grade":
            if store.annotator(connection, person).qualified != "waiting":
                raise DataError("this annotator does not wait for a grade")
            answers = self._qualification(connection, person)
            percents = [self._number(post, f"grade-{entry['item']}", 0, 100) for entry in answers]
            grade = sum(percents) / len(percents) / 100
            passed = store.set_grade(connection, person, grade)
            return f"Grade {grade:.2f}: {'passed' if passed else 'failed'}", None
        if action == "sign-out":
            store.end_sessions(connection, Subject("annotator", person))
            return "Signed out everywhere; the link is still valid", None
        if action == "link":
            return "New link: it is shown once, the old one is invalid", store.new_link(
                connection, Subject("annotator", person)
            )
        if action == "reassign":
            heir = self._number(post, "heir", 0, 2**31 - 1)
            if heir == person or (heir and heir not in people):
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
            table, assigned = schema.items, schema.assignments
            count = (
                sa.select(sa.func.count())
                .where(assigned.c.item == table.c.id, assigned.c.answered)
                .scalar_subquery()
            )
            query = sa.select(table, count.label("judged"))
            total = sa.select(sa.func.count()).select_from(table)
            if wanted:
                query, total = query.where(table.c.kind == wanted), total.where(table.c.kind == wanted)
            rows = connection.execute(query.order_by(table.c.id).limit(PAGE).offset((page - 1) * PAGE))
            listed = [{"row": row, "content": Content.from_json(row.content)} for row in rows]
            return listed, int(connection.scalar(total) or 0)

        listed, total = await self.app.report(gather)
        return self.app.page(
            "items.html", listed=listed, page=page, pages=max(1, -(-total // PAGE)), kind=wanted, total=total
        )

    async def item(self, request: Request) -> Response:
        """One item with all its judgments."""
        await self._check(request)
        number = read_whole(request.path_params["number"], 2**31 - 1)

        def gather(connection: sa.Connection) -> dict[str, Any] | None:
            table, rows = schema.items, schema.judgments
            row = connection.execute(sa.select(table).where(table.c.id == number)).first()
            if row is None:
                return None
            content = Content.from_json(row.content)
            names = {person.id: person.name for person in self.store.annotators(connection)}
            current = {r.id for r in current_judgments(connection, number)}
            history = []
            assigned = schema.assignments
            joined = sa.select(rows).join(assigned, assigned.c.id == rows.c.assignment)
            about = joined.where(assigned.c.item == number)
            for r in connection.execute(about.order_by(rows.c.id)):
                answer = None if r.answer is None else json.loads(r.answer)
                described = {} if answer is None else self.store.task.describe(answer, content)
                failed = self.store.task.failed_control(content, answer)
                shown = {"row": r, "name": names[r.annotator], "counts": r.id in current, "failed": failed}
                history.append({**_NOT_DESCRIBED, **described, **shown})
            return {"item": row, "content": content, "history": history}

        details = None if number is None else await self.app.report(gather)
        if details is None:
            raise HTTPException(404, "there is no such item")
        return self.app.page("item.html", **details)

    async def qualification(self, request: Request) -> Response:
        """An annotator's answers to the qualification, for an expert's grades."""
        await self._check(request)
        number = read_whole(request.path_params["number"], 2**31 - 1)

        def gather(connection: sa.Connection) -> dict[str, Any] | None:
            people = {row.id: row for row in self.store.annotators(connection)}
            if number is None or number not in people:
                return None
            return {"person": people[number], "answers": self._qualification(connection, number)}

        details = await self.app.report(gather)
        if details is None:
            raise HTTPException(404, "there is no such annotator")
        return self.app.page("qualification.html", **details)

    def _qualification(self, connection: sa.Connection, annotator: int) -> list[dict[str, Any]]:
        """The answers of an annotator to the items of the qualification."""
        contents, listed = self.store.contents(connection), []
        for row in current_judgments(connection, annotator=annotator):
            item, content = contents[row.item]
            if item.kind == "qualification":
                answer = None if row.answer is None else json.loads(row.answer)
                described = {} if answer is None else self.store.task.describe(answer, content)
                listed.append(
                    {**_NOT_DESCRIBED, **described, "item": row.item, "content": content, "row": row}
                )
        return listed

    async def annotators(self, request: Request) -> Response:
        """The list of annotators with completion codes, consent and flags, as TSV."""
        await self._check(request)

        statistics = await self._fresh_statistics()
        table = await self.app.report(lambda c: people_table(self.store, c, statistics))
        headers = {"Content-Disposition": 'attachment; filename="annotators.tsv"'}
        return Response(table.render("tsv"), 200, headers, "text/plain; charset=utf-8")

    async def export(self, request: Request) -> Response:
        await self._check(request)
        format = request.path_params["format"]
        if format not in self.store.task.formats:
            raise HTTPException(404, "there is no such format")
        name = f"judgments.{SUFFIXES.get(format, format)}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        place, kind = self.store.database.place, "text/plain; charset=utf-8"
        descriptor, file = tempfile.mkstemp(prefix="errata-export-")  # only its owner can read it
        os.close(descriptor)
        try:
            await self.app.in_child(export_file, place, format, file)
        except BaseException as error:
            os.unlink(file)
            if isinstance(error, DataError):
                raise HTTPException(409, error.message) from None
            raise
        return FileResponse(file, 200, headers, kind, background=BackgroundTask(os.unlink, file))


def _cells(table: Table) -> list[list[str]]:
    """A table's cells as text; whole numbers have no separators, so that programs can read them."""
    return [
        [
            str(cell) if isinstance(cell, int) else format_cell(cell, column.decimals)
            for column, cell in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
