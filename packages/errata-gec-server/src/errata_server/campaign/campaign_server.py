"""The web server of a campaign: the annotators' pages and their data, consent, and crowd sign-up."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.http.asgi import RateLimit
from errata_server.app import App, json_of
from errata_server.application_store import now
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.annotator_service import AnnotatorService, Screen
from errata_server.campaign.answer_validation import REASONS, SEVERITIES
from errata_server.campaign.assignment import Assigner
from errata_server.campaign.campaign_admin import CampaignAdmin
from errata_server.campaign.campaign_settings import consent_version
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.page_templates import to_html
from errata_server.sessions import Session, Subject
from errata_server.validation import read_whole

_PARTICIPANT = re.compile(r"[A-Za-z0-9._@-]{1,100}")
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without similar ones


def _new_code() -> str:
    """A completion code of 80 random bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(16))


class CrowdSignup:
    """The page of the sign-up link, while the admin has opened it."""

    def __init__(self, store: CampaignStore, app: App, assigner: Assigner) -> None:
        self.store = store
        self.app = app
        self.assigner = assigner
        self._by_address = RateLimit(per_second=0.1, burst=10)
        self._by_all = RateLimit(per_second=2, burst=60, names=1)

    def routes(self) -> list[BaseRoute]:
        return [Route("/join", self.page), Route("/join", self.join, methods=["POST"])]

    async def page(self, request: Request) -> Response:
        """Ask for confirmation, so that programs that visit links take no place."""
        language = self.app.language(request)
        key, participant = self._parameters(request.query_params.get)
        mine = await self.app.subject_if_any(request, "annotator")
        if mine and await self.app.read(lambda c: self._number_of(c, participant)) == mine.number:
            return RedirectResponse("/work", 303)
        await self.app.read(lambda c: self._check(c, key, participant))
        return self.app.page(
            "join.html",
            language=language,
            key=key,
            participant=participant,
            parameter=self.store.settings.participant,
        )

    async def join(self, request: Request) -> Response:
        """Take a place, and begin a session."""
        key, participant = self._parameters((await json_of(request)).get)
        # Requests without a link, or from one address, must not exhaust the limit that all share.
        await self.app.read(lambda c: self._check(c, key, participant))
        if not self._by_address.allows(self.app.client(request)) or not self._by_all.allows(""):
            raise HTTPException(429, "too many attempts", headers={"Retry-After": "10"})

        def take(connection: sa.Connection) -> int:
            self._check(connection, key, participant)
            return self.store.add_participant(connection, participant, _new_code())

        response = JSONResponse({"to": "/work"})
        subject = Subject("annotator", await self.app.write(take))
        self.app.set_session(request, response, Session(subject))
        return response

    def _parameters(self, get: Callable[[str], Any]) -> tuple[str, str]:
        """The key and the participant id of a request, from its parameters or its JSON."""
        values = [get(name) for name in ("key", self.store.settings.participant)]
        key, participant = (value if isinstance(value, str) else "" for value in values)
        if not _PARTICIPANT.fullmatch(participant):
            raise HTTPException(400, "this link has no participant id")
        return key, participant

    def _number_of(self, connection: sa.Connection, participant: str) -> int | None:
        """The annotator with this id; the same person could write it in small or capital letters."""
        table = schema.annotators
        same = sa.func.lower(table.c.participant) == participant.lower()
        return connection.scalar(sa.select(table.c.id).where(same))

    def _check(self, connection: sa.Connection, key: str, participant: str) -> None:
        """Refuse a wrong link, a second sign-up, or a sign-up without a free place or work."""
        row = connection.execute(sa.select(schema.campaign)).one()
        if row.sign_up_key is None or not hmac.compare_digest(row.sign_up_key.encode(), key.encode()):
            raise HTTPException(403, "this link is not valid (any more)")
        if row.sign_up != "open" or row.state != "open":
            raise HTTPException(403, "sign-up is closed")
        if self._number_of(connection, participant) is not None:
            raise HTTPException(409, "this participant has signed up already")
        if self.store.taken(connection) >= row.places:
            raise HTTPException(409, "all places are taken")
        if self.assigner.ranking is None and self.assigner.missing <= 0:
            raise HTTPException(409, "all places are taken")


class CampaignServer:
    """One campaign being served."""

    def __init__(self, store: CampaignStore, *, secure: bool = False) -> None:
        self.store = store
        self.app = App(store, "errata_server.campaign", secure=secure, language=store.settings.interface)
        self.service: AnnotatorService = self.app.writer.submit(lambda c: AnnotatorService(store, c)).result()
        self.admin = CampaignAdmin(store, self.app, self.service.assigner)
        self.crowd_signup = CrowdSignup(store, self.app, self.service.assigner)

    async def home(self, request: Request) -> Response:
        signed_in = self.app.cookie_of("annotator") in request.cookies
        return RedirectResponse("/work" if signed_in else "/enter", 303)

    async def _annotator(self, request: Request) -> int:
        return (await self.app.subject(request, "annotator")).number

    async def work(self, request: Request) -> Response:
        person = await self.app.subject_if_any(request, "annotator")
        if person is None:
            return RedirectResponse("/enter", 303)
        annotator, settings = person.number, self.store.settings
        if settings.consent and not await self.app.read(lambda c: self._consented(c, annotator)):
            return RedirectResponse("/consent", 303)
        shown = {
            "task": settings.task, "scale": settings.scale, "style": settings.style, "unit": settings.unit,
            "language": settings.language, "reasons": REASONS, "store": f"{self.app.cookie}-{annotator}",
            "categories": getattr(self.store.task, "categories", ()), "severities": SEVERITIES,
        }  # fmt: skip
        return self.app.page(
            "work.html",
            language=self.app.language(request),
            instructions=to_html(settings.instructions),
            settings=shown,
            consent=bool(settings.consent),
        )

    def _consented(self, connection: sa.Connection, annotator: int) -> bool:
        person = self.store.annotator(connection, annotator)
        return person.withdrawn is None and person.consent == consent_version(self.store.settings)

    async def consent_page(self, request: Request) -> Response:
        annotator = await self._annotator(request)
        person = await self.app.read(lambda c: self.store.annotator(c, annotator))
        settings = self.store.settings
        return self.app.page(
            "consent.html",
            language=self.app.language(request),
            text=to_html(settings.consent),
            text_language=settings.interface,
            version=consent_version(settings),
            person=person,
        )

    async def consent(self, request: Request) -> Response:
        """Keep that an annotator agrees to the text, with its version and the time, does not, or no longer.

        With `delete`, the answers of an annotator who withdraws the consent are left out of all results.
        """
        annotator = await self._annotator(request)
        post = await json_of(request)
        version = consent_version(self.store.settings)
        if not version or post.get("version") != version or not isinstance(post.get("agree"), bool):
            raise HTTPException(400, "this is not the text to agree to")

        def keep(connection: sa.Connection) -> None:
            person = self.store.annotator(connection, annotator)
            if person.withdrawn is not None:
                raise HTTPException(409, "consent was withdrawn")
            if post["agree"]:
                values = {"consent": version, "consented": now()}
                if person.state == "declined":
                    raise HTTPException(409, "the place was given back")
                self.store.set_annotator(connection, annotator, **values)
            elif person.participant is not None and not self.store.answered(connection).get(annotator):
                self.store.set_annotator(connection, annotator, state="declined")  # the place is free again
            elif person.consent is not None:
                erased = post.get("delete") is True
                self.store.set_annotator(connection, annotator, withdrawn=now(), erased=erased)

        await self.app.write(keep)
        return JSONResponse({"to": "/work"})

    async def screen(self, request: Request) -> Response:
        annotator = await self._annotator(request)
        text = request.query_params.get("position")
        position = None if text is None else read_whole(text, 10**8 - 1)
        if text is not None and position is None:
            raise HTTPException(400, "position is a number")
        return JSONResponse(await self.app.write(lambda c: self.service.screen(c, annotator, position)))

    async def judge(self, request: Request) -> Response:
        return await self._post(request, self.service.judge)

    async def draft(self, request: Request) -> Response:
        return await self._post(request, self.service.draft)

    async def _post(
        self, request: Request, action: Callable[[sa.Connection, int, dict[str, Any]], Screen]
    ) -> Response:
        annotator = await self._annotator(request)
        post = await json_of(request)
        return JSONResponse(await self.app.write(lambda c: action(c, annotator, post)))

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.home),
            Route("/work", self.work),
            Route("/api/screen", self.screen),
            Route("/api/judge", self.judge, methods=["POST"]),
            Route("/api/draft", self.draft, methods=["POST"]),
            Route("/consent", self.consent_page),
            Route("/consent", self.consent, methods=["POST"]),
            *self.crowd_signup.routes(),
            *self.admin.routes(),
        ]


def application(store: CampaignStore, *, secure: bool = False) -> Starlette:
    """The ASGI application of a campaign."""
    server = CampaignServer(store, secure=secure)
    return server.app.application(server.routes())
