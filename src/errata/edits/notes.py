"""Words to the user about sentences whose edits could not be found in full."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from errata.corpus.model import Edit
from errata.edits.arrays import PlainEdits


def plain_edits_note(found: PlainEdits) -> str:
    """What to say of a sentence that went beyond a limit."""
    first = f"{found[0].start} {found[0].end} -> {found[0].correction[:40]!r}"
    return (
        f"a sentence is beyond the limit of {found.limit}; its edits ({len(found):,}, the first {first}) "
        "are those of a Levenshtein alignment, without categories"
    )


def noted(edits: Iterable[tuple[Edit, ...]]) -> Iterator[tuple[Edit, ...]]:
    """The same edits, with a note on stderr for sentences that went beyond a limit."""
    for found in edits:
        if isinstance(found, PlainEdits):
            print(f"note: {plain_edits_note(found)}", file=sys.stderr)
        yield found
