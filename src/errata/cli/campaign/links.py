"""The secret links of a new campaign, as a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from errata.cli.options import emit

if TYPE_CHECKING:
    from errata.campaign.store import Store


def show_links(
    store: Store, tokens: Mapping[str, str], admin: str, url: str | None, format_: str, output: str
) -> None:
    """Print the links of the annotators and of the admin; a file with them can be read by its owner only."""
    from errata.tables import Column, Table

    base = url or "http://127.0.0.1:8765"
    rows = [(name, f"{base}/enter#{token}") for name, token in tokens.items()]
    rows.append(("(admin)", f"{base}/enter#{admin}"))
    notes = [f"start it: errata campaign serve {store.place}", "links are shown once; keep them"]
    if store.settings.places:
        notes.append(f"let people sign up: errata campaign sign-up {store.place} --open")
    if store.selection is not None:
        notes.append(store.selection.text())
    table = Table([Column("annotator"), Column("secret link")], rows, store.name, notes)
    before = os.umask(0o077)
    try:
        emit(table, format_, output)
    finally:
        os.umask(before)
