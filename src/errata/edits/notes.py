"""Words to the user about sentences whose edits could not be found in full."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from errata.corpus.model import Edit
from errata.edits.pipeline import PlainEdits


def noted(edits: Iterable[tuple[Edit, ...]]) -> Iterator[tuple[Edit, ...]]:
    """The same edits, with a note on stderr for sentences that went beyond a limit."""
    for found in edits:
        if isinstance(found, PlainEdits):
            first = f"{found[0].start} {found[0].end} -> {found[0].correction[:40]!r}"
            print(
                f"note: a sentence is beyond the limit of {found.limit}; its {len(found):,} edits, the first "
                f"{first}, are those of a Levenshtein alignment, without categories",
                file=sys.stderr,
            )
        yield found
