"""The tables of a campaign's database."""

from __future__ import annotations

import sqlalchemy as sa

from errata_server.application_store import Schema, head_table, link_columns, numbered_table

metadata = sa.MetaData()

campaign = head_table(  # its state: open, paused, closed
    "campaign",
    metadata,
    *link_columns(),  # of the admin
    sa.Column("secret", sa.Text, nullable=False),  # hexadecimal; determines the order of cards on screens
    sa.Column("selection", sa.Text, nullable=False, server_default="{}"),  # JSON: why segments are left out
    sa.Column("sign_up", sa.Text, nullable=False, server_default="closed"),  # open, closed
    sa.Column("sign_up_key", sa.Text),  # in the link for sign-up; NULL: sign-up was never opened
    sa.Column("places", sa.Integer, nullable=False, server_default="0"),  # for people who sign up
)

annotators = numbered_table(
    "annotators",
    metadata,
    sa.Column("name", sa.Text, nullable=False, unique=True),
    *link_columns(),
    sa.Column("state", sa.Text, nullable=False),  # active, paused, imported, declined (the consent)
    sa.Column("qualified", sa.Text, nullable=False),  # no, waiting (for an expert), passed, failed
    sa.Column("grade", sa.Float),  # of the qualification, from 0 to 1
    sa.Column("quota", sa.Integer),
    sa.Column("participant", sa.Text),  # id on the crowd platform
    sa.Column("code", sa.Text),  # shown to this participant at the end
    sa.Column("consent", sa.Text),  # version of the text that the annotator agreed to
    sa.Column("consented", sa.Text),  # when
    sa.Column("withdrawn", sa.Text),  # when the annotator took the consent back
    sa.Column("erased", sa.Boolean, nullable=False, server_default=sa.false()),  # answers, from all results
    sa.Index("annotators_by_participant", "participant", unique=True),
)

segments = sa.Table(
    "segments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),  # its place in the corpus
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("reference", sa.Text),
    sa.Column("outputs", sa.Text, nullable=False),  # JSON: system -> text
    sa.Column("scores", sa.Text, nullable=False, server_default="{}"),  # JSON: metric -> system -> score
    sa.Column("chosen", sa.Boolean, nullable=False, server_default=sa.true()),  # to be judged
    sa.Index("segments_by_document", "document", "id"),
)

items = numbered_table(
    "items",
    metadata,
    sa.Column("segment", sa.Integer),  # NULL for qualification
    sa.Column("kind", sa.Text, nullable=False),  # main, control, qualification, imported
    sa.Column("content", sa.Text, nullable=False),  # JSON: source, reference, cards, expect, answer
    sa.Column("version", sa.Text, nullable=False),  # random, since annotators see it
    sa.Column("needed", sa.Integer, nullable=False),  # judgments wanted; none of qualification items
    sa.Column("assigned", sa.Integer, nullable=False),  # annotators who have it
    sa.Column("place", sa.Integer, nullable=False),  # items are assigned in this random order
    sa.Index("items_by_segment", "segment"),
    sa.Index("items_by_kind", "kind", "needed"),
)

# The items still to be assigned, in the two orders in which this is done.
_open = items.c.assigned < items.c.needed
sa.Index("items_by_need", items.c.assigned, items.c.place, sqlite_where=_open, postgresql_where=_open)
sa.Index("items_by_place", items.c.place, sqlite_where=_open, postgresql_where=_open)

assignments = numbered_table(
    "assignments",
    metadata,
    sa.Column("annotator", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("repeat", sa.Boolean, nullable=False),
    sa.Column("proposal", sa.Integer),  # second pass: the judgment to proofread
    sa.Column("shown", sa.Text, nullable=False),  # JSON: the cards in the order of the screen
    sa.Column("answered", sa.Boolean, nullable=False),
    sa.UniqueConstraint("annotator", "position"),
    sa.Index("assignments_open", "annotator", "answered", "position"),
    sa.Index("assignments_by_item", "item", "annotator"),
    sa.Index("assignments_by_proposal", "proposal"),
)

judgments = numbered_table(  # append-only: a changed answer is a new row
    "judgments",
    metadata,
    sa.Column("key", sa.Text, nullable=False, unique=True),  # from the page, so that a retry adds no row
    sa.Column("assignment", sa.ForeignKey("assignments.id"), nullable=False),
    sa.Column("annotator", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("version", sa.Text, nullable=False),  # of the item that was shown
    sa.Column("revision", sa.Integer, nullable=False),  # the highest of an assignment counts
    sa.Column("answer", sa.Text),  # JSON, cards in the item's order; NULL where skipped
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("skipped", sa.Text),  # the reason
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("seconds", sa.Float),
    sa.Column("created", sa.Text, nullable=False),
    sa.Index("judgments_by_assignment", "assignment", "revision", "id"),
    sa.Index("judgments_by_annotator", "annotator", "id"),
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("assignment", sa.ForeignKey("assignments.id"), primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
)

SCHEMA = Schema(
    name="campaign",
    tables=metadata,
    version=8,
    head=campaign,
    append_only=["judgments"],
)
