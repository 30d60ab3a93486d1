"""The database of a task: its phases, staff and log."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.application_store import ApplicationStore, Row, now
from errata_server.database import Database
from errata_server.sessions import new_token, token_hash
from errata_server.task import task_tables as schema
from errata_server.task.task_settings import Phase, TaskSettings

ROLES = ("owner", "organiser", "observer")
EVENTS = 1000  # on a page of the log


class TaskStore(ApplicationStore):
    """An open task; `row` is its row in the table of that name. `clock` returns the present time."""

    SCHEMA = schema.SCHEMA
    LINKS = {  # noqa: RUF012
        "member": (schema.members, "/team"),
        "staff": (schema.staff, "/admin"),
        "invited": (schema.invitations, "/sign-up"),
    }

    def __init__(self, database: Database, row: Row, clock: Callable[[], str] = now) -> None:
        super().__init__(database, row)
        self.settings = TaskSettings.from_json(row.settings)
        self.clock = clock

    # The task and its phases

    def set_state(self, connection: sa.Connection, state: str, actor: str) -> None:
        connection.execute(sa.update(schema.task).values(state=state))
        self.log(connection, actor, "task", state=state)

    def phase_states(self, connection: sa.Connection) -> dict[str, str]:
        """Every phase with `coming`, `open` or `ended`: by its times, unless an organiser decided."""
        decided = {row.name: row.state for row in connection.execute(sa.select(schema.phases))}
        closed = self.state(connection) == "closed"
        return {phase.name: self._phase_state(phase, decided, closed) for phase in self.settings.phases}

    def _phase_state(self, phase: Phase, decided: dict[str, str], closed: bool) -> str:
        time, decision = self.clock(), decided.get(phase.name, "auto")
        if closed or decision == "closed" or (decision == "auto" and phase.has_ended(time)):
            return "ended"
        return "open" if decision == "open" or phase.has_started(time) else "coming"

    def set_phase(self, connection: sa.Connection, phase: str, state: str, actor: str) -> None:
        """Open or close a phase independently of its times, or let its times decide (`auto`)."""
        self.settings.phase(phase)
        if state not in ("auto", "open", "closed"):
            raise DataError(f"a phase cannot be {state!r}", hint="auto, open or closed")
        table = schema.phases
        changed = connection.execute(sa.update(table).where(table.c.name == phase).values(state=state))
        if not changed.rowcount:
            connection.execute(sa.insert(table).values(name=phase, state=state))
        self.log(connection, actor, "phase", phase=phase, state=state)

    # People

    def add_staff(self, connection: sa.Connection, name: str, role: str, actor: str) -> str:
        """The token of a new owner, organiser or observer."""
        if role not in ROLES:
            raise DataError(f"there is no role {role!r}", hint=f"one of {', '.join(ROLES)}")
        token = new_token()
        values = {"name": name, "role": role, "token_hash": token_hash(token), "created": self.clock()}
        connection.execute(sa.insert(schema.staff).values(values))
        self.log(connection, actor, "staff added", name=name, role=role)
        return token

    # The log

    def log(self, connection: sa.Connection, actor: str, action: str, **details: Any) -> None:
        """Add a line to the audit log."""
        text = json.dumps(details, ensure_ascii=False)
        values = {"time": self.clock(), "actor": actor, "action": action, "details": text}
        connection.execute(sa.insert(schema.events).values(values))

    def events(self, connection: sa.Connection, page: int = 1) -> Sequence[Row]:
        """The events of a page of the log, the latest first."""
        table = schema.events
        query = sa.select(table).order_by(table.c.id.desc()).limit(EVENTS).offset((page - 1) * EVENTS)
        return connection.execute(query).all()
