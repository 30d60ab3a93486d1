"""Teams and their members: invitations, sign-up, approval, withdrawal."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from starlette.exceptions import HTTPException

from errata.errors import DataError
from errata_server.application_store import Row, inserted
from errata_server.sessions import Subject, new_token, token_hash
from errata_server.task import task_tables as schema
from errata_server.task.task_store import TaskStore
from errata_server.validation import name_form

STATES = ("waiting", "active", "refused", "withdrawn")
_MOST_WAITING = 500  # teams that nobody invited or admitted
_MOST_MEMBERS = 50
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # of aliases: without vowels, so that they form no words


def invite(store: TaskStore, connection: sa.Connection, actor: str, team: int | None = None) -> str:
    """The token of an invitation for one person, who creates a new team or joins this one."""
    if team is not None:
        if team_row(connection, team).state != "active":
            raise HTTPException(403, "the organisers have not admitted your team")
        table = schema.invitations
        unused = sa.select(sa.func.count()).where(table.c.team == team, table.c.used.is_(None))
        if int(connection.scalar(unused) or 0) >= _MOST_MEMBERS:
            raise HTTPException(409, f"a team has at most {_MOST_MEMBERS} members")
    token = new_token()
    values = {"token_hash": token_hash(token), "team": team, "created": store.clock()}
    connection.execute(sa.insert(schema.invitations).values(values))
    store.log(connection, actor, "invitation", team=team)
    return token


def invitation(connection: sa.Connection, number: int) -> Row:
    """An unused invitation."""
    table = schema.invitations
    row = connection.execute(sa.select(table).where(table.c.id == number)).first()
    if row is None or row.used is not None:
        raise HTTPException(409, "this invitation has been used")
    return row


def sign_up(
    store: TaskStore, connection: sa.Connection, post: dict[str, Any], invited: int | None = None
) -> tuple[int, str]:
    """A new team with its first member, or a new member of a team; returns the member's number and token.

    With an invitation a team takes part at once, otherwise it waits for approval.
    """
    person = _name(post.get("member"), "your name")
    invited_by = None if invited is None else invitation(connection, invited)
    if invited_by is not None:
        used = sa.update(schema.invitations).where(schema.invitations.c.id == invited)
        connection.execute(used.values(used=store.clock()))
    elif store.settings.sign_up != "approval":
        raise HTTPException(403, "teams take part by invitation only")
    if invited_by is not None and invited_by.team is not None:
        team, name = int(invited_by.team), str(team_row(connection, invited_by.team).name)
    else:
        name = _name(post.get("team"), "the team's name")
        state = "waiting" if invited_by is None else "active"
        others = {key: _line(post.get(key, ""), key, 200) for key in ("affiliation", "contact")}
        team = add_team(store, connection, name, state=state, **others)
    count = sa.select(sa.func.count()).where(schema.members.c.team == team)
    if int(connection.scalar(count) or 0) >= _MOST_MEMBERS:
        raise HTTPException(409, f"a team has at most {_MOST_MEMBERS} members")
    token = new_token()
    values = {"team": team, "name": person, "token_hash": token_hash(token), "created": store.clock()}
    number = inserted(connection, schema.members, **values)
    store.log(connection, f"{name}: {person}", "signed up", team=team)
    return number, token


def add_team(
    store: TaskStore, connection: sa.Connection, name: str, *, state: str, kind: str = "team", **others: str
) -> int:
    """A new team's number; an error if the name is taken, even if it is written in another way."""
    table = schema.teams
    if _is_taken(connection, name):
        raise HTTPException(409, "there is a team of this name, or of one that looks like it")
    if state == "waiting":  # strangers cannot keep out those who are invited
        count = sa.select(sa.func.count()).where(table.c.state.in_(("waiting", "refused")))
        if int(connection.scalar(count) or 0) >= _MOST_WAITING:
            raise HTTPException(409, "too many teams are waiting: ask the organisers for an invitation")
    taken = set(connection.scalars(sa.select(table.c.alias)))
    alias = name
    while kind == "team" and (alias == name or alias in taken):
        alias = "Team " + "".join(secrets.choice(_LETTERS) for _ in range(4))
    return inserted(
        connection, table, name=name, folded=name_form(name), alias=alias, kind=kind, state=state,
        created=store.clock(), **others,
    )  # fmt: skip


def _is_taken(connection: sa.Connection, name: str) -> bool:
    """Whether a team has this name, or one that looks like it."""
    same = sa.select(schema.teams.c.id).where(schema.teams.c.folded == name_form(name))
    return connection.scalar(same) is not None


def team_row(connection: sa.Connection, number: int) -> Row:
    row = connection.execute(sa.select(schema.teams).where(schema.teams.c.id == number)).first()
    if row is None or row.kind != "team":
        raise HTTPException(404, "there is no such team")
    return row


def member_row(connection: sa.Connection, number: int) -> Row:
    """A member with the name, alias and state of the team."""
    teams, members = schema.teams, schema.members
    query = sa.select(
        members, teams.c.name.label("team_name"), teams.c.alias, teams.c.state.label("team_state")
    ).join(teams, teams.c.id == members.c.team)
    row = connection.execute(query.where(members.c.id == number)).first()
    if row is None or row.token_hash is None:
        raise HTTPException(401, "sign in with your link")
    return row


def set_team(store: TaskStore, connection: sa.Connection, team: int, state: str, actor: str) -> None:
    """Approve, refuse, withdraw or readmit a team."""
    if state not in STATES:
        raise DataError(f"a team cannot be {state!r}", hint=f"one of {', '.join(STATES)}")
    row = team_row(connection, team)
    values = {"state": state}
    if state == "refused":
        values["folded"] = f"refused {team}"  # another team may have the name
    elif row.state == "refused":
        if _is_taken(connection, row.name):
            raise DataError(f"another team has the name {row.name!r} by now")
        values["folded"] = name_form(row.name)
    connection.execute(sa.update(schema.teams).where(schema.teams.c.id == team).values(values))
    store.log(connection, actor, "team", team=row.name, state=state)


def new_link(store: TaskStore, connection: sa.Connection, member: int, actor: str) -> str:
    """Replace a member's token; the old one becomes invalid, and sessions end."""
    row = member_row(connection, member)
    store.log(connection, actor, "new link", member=row.name, team=row.team_name)
    return store.new_link(connection, Subject("member", member))


def _name(value: object, what: str) -> str:
    name = _line(value, what, 60)
    if not name_form(name):
        raise HTTPException(400, f"{what} is missing")
    return name


def _line(value: object, what: str, most: int) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else None
    if text is None or len(text) > most or not text.isprintable():
        raise HTTPException(400, f"{what} is a text of at most {most} characters")
    return text


def find_team(connection: sa.Connection, name: str) -> int:
    """The number of the team with this name."""
    table = schema.teams
    same = sa.or_(table.c.folded == name_form(name), table.c.name == name)
    query = sa.select(table.c.id).where(same, table.c.kind == "team").order_by(table.c.state == "refused")
    number = connection.scalar(query)
    if number is None:
        names = connection.scalars(sa.select(table.c.name).where(table.c.kind == "team")).all()
        raise DataError(f"there is no team {name!r}", hint=f"the teams are {', '.join(names) or 'none'}")
    return int(number)
