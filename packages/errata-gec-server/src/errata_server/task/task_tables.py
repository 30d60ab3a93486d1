"""The tables of a task's database."""

from __future__ import annotations

import sqlalchemy as sa

from errata_server.application_store import Schema, head_table, link_columns, numbered_table

metadata = sa.MetaData()

task = head_table("task", metadata)  # its state: open, or closed (all names are shown)

phases = sa.Table(  # decisions of organisers about phases, besides their times
    "phases",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),  # auto (by its times), open, closed
)

texts = numbered_table(  # the hidden gold; only workers read it, never requests
    "texts",
    metadata,
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),  # gold, source, reference, meta, beside (a neighbour of gold)
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

sources = sa.Table(  # the texts for the teams to correct
    "sources",
    metadata,
    sa.Column("track", sa.Text, primary_key=True),
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # lines, essays
    sa.Column("segments", sa.Integer, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

staff = numbered_table(
    "staff",
    metadata,
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),  # owner, organiser, observer
    *link_columns(),
    sa.Column("created", sa.Text, nullable=False),
)

teams = numbered_table(
    "teams",
    metadata,
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("folded", sa.Text, nullable=False, unique=True),  # the name in the form for comparisons
    sa.Column("alias", sa.Text, nullable=False, unique=True),  # the name that others see until the end
    sa.Column("kind", sa.Text, nullable=False),  # team, baseline
    sa.Column("state", sa.Text, nullable=False),  # waiting, active, refused, withdrawn
    sa.Column("affiliation", sa.Text, nullable=False, server_default=""),
    sa.Column("contact", sa.Text, nullable=False, server_default=""),
    sa.Column("created", sa.Text, nullable=False),
)

members = numbered_table(
    "members",
    metadata,
    sa.Column("team", sa.ForeignKey("teams.id"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    *link_columns(),
    sa.Column("created", sa.Text, nullable=False),
)

invitations = numbered_table(
    "invitations",
    metadata,
    *link_columns(),
    sa.Column("team", sa.ForeignKey("teams.id")),  # the team to join; NULL: a new team
    sa.Column("used", sa.Text),  # time of use; an invitation is for one person
    sa.Column("created", sa.Text, nullable=False),
)

files = sa.Table(  # files of teams, unpacked, by their digests
    "files",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

submissions = numbered_table(  # append-only, like the following tables up to events
    "submissions",
    metadata,
    sa.Column("uid", sa.Text, nullable=False, unique=True),  # random, for addresses
    sa.Column("team", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("member", sa.ForeignKey("members.id")),
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("digest", sa.ForeignKey("files.digest")),  # NULL if the file was refused
    sa.Column("name", sa.Text, nullable=False),  # of the file
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("findings", sa.Text, nullable=False),  # JSON: findings of the checks
    sa.Column("created", sa.Text, nullable=False),
    sa.Index("submissions_of_team", "team", "track", "phase", "created"),
)

results = sa.Table(
    "results",
    metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True, autoincrement=False),
    sa.Column("scores", sa.Text, nullable=False),  # JSON, see `errata_server.task.scoring`
    sa.Column("statistics", sa.LargeBinary, nullable=False),  # a file of `errata score --save`
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

choices = numbered_table(  # the final submission of a team; the last row counts
    "choices",
    metadata,
    sa.Column("team", sa.ForeignKey("teams.id"), nullable=False),
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("submission", sa.ForeignKey("submissions.id"), nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

withdrawals = sa.Table(
    "withdrawals",
    metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), primary_key=True, autoincrement=False),
    sa.Column("late", sa.Boolean, nullable=False),  # after the end of the phase: no other one takes its place
    sa.Column("created", sa.Text, nullable=False),
)

people = numbered_table(  # rankings by people; the last row of a track and phase counts
    "people",
    metadata,
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),  # JSON, see `errata_server.task.human_ranking`
    sa.Column("created", sa.Text, nullable=False),
)

events = numbered_table(  # the audit log
    "events",
    metadata,
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),
)

jobs = numbered_table(  # the queue
    "jobs",
    metadata,
    sa.Column("submission", sa.ForeignKey("submissions.id"), unique=True),  # NULL: compute a leaderboard
    sa.Column("track", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # queued, running, done, failed
    sa.Column("worker", sa.Text, nullable=False, server_default=""),
    sa.Column("until", sa.BigInteger, nullable=False, server_default="0"),  # end of the lease, in ms
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("message", sa.Text, nullable=False, server_default=""),  # for the team, if it failed
    sa.Column("problem", sa.Text, nullable=False, server_default=""),  # for the organisers
    sa.Column("started", sa.Text),
)
_waiting = jobs.c.state.in_(("queued", "running"))
sa.Index("jobs_open", jobs.c.state, jobs.c.id, sqlite_where=_waiting, postgresql_where=_waiting)

boards = sa.Table(  # the significance tests of leaderboards, which take longer to compute
    "boards",
    metadata,
    sa.Column("track", sa.Text, primary_key=True),
    sa.Column("phase", sa.Text, primary_key=True),
    sa.Column("view", sa.Text, primary_key=True),  # all, frozen
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

APPEND_ONLY = ("submissions", "results", "choices", "withdrawals", "people", "events", "files")

SCHEMA = Schema(name="task", tables=metadata, version=3, head=task, append_only=APPEND_ONLY)
