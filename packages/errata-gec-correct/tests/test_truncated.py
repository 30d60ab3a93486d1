"""Lines whose correction exceeds the length limit: they stay as they are, and the caller is told."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from typing import Any

import pytest

from errata_correct.corrector import Change, Corrector
from errata_correct.truncated import collect_truncated, report_truncated, truncated_note


class Endless:
    """Finds no end for sentences that begin with "Never" and replaces the first word of the others."""

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        report_truncated(number for number, tokens in enumerate(sentences) if tokens[0] == "Never")
        return [[] if tokens[0] == "Never" else [Change(0, 1, ("X",), 9.0)] for tokens in sentences]


CORRECTOR = Corrector(Endless())  # type: ignore[arg-type]


def test_a_warning_names_the_lines() -> None:
    lines = ["One. Two.", "One. Never ends. Two.", "Never mind."]
    with pytest.warns(UserWarning, match="^2 lines exceeded the length limit.*: line 2, line 3$"):
        assert CORRECTOR.correct(lines) == ["X. X.", "X. Never ends. X.", "Never mind."]
    with pytest.warns(UserWarning, match="^1 line exceeded the length limit.*: line 2$"):
        assert CORRECTOR.correct_tokenized(["One .", "Never ."]) == ["X .", "Never ."]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CORRECTOR.correct(lines[:1]) == ["X. X."]


def test_lines_are_collected_instead_and_only_by_the_innermost() -> None:
    with collect_truncated() as outer:
        with collect_truncated() as inner:
            CORRECTOR.suggest(["Never.", "One.", "Never."])
        report_truncated([7])
    assert (outer, inner) == ({7}, {0, 2})


def test_the_note_names_the_first_places() -> None:
    note = truncated_note([f"a.txt:{number}" for number in range(1, 2001)])
    assert note.endswith("a.txt:1, a.txt:2, a.txt:3, a.txt:4, a.txt:5, …")
    assert "2,000 lines" in note


def test_a_review_counts_over_all_texts() -> None:
    from errata_correct.review import review

    with collect_truncated() as found:
        review(["One."] * 150 + ["Never."], CORRECTOR, lambda question: None)
    assert found == {150}


def test_the_server_says_that_results_are_incomplete() -> None:
    import httpx

    from errata_correct.serving import application

    app = application({"en": CORRECTOR})

    async def work() -> list[Any]:
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://x", timeout=60) as client:
                posts = [
                    client.post("/v2/check", data={"language": "en", "text": text})
                    for text in ("One.", "Never.")
                ]
                return [answer.json()["warnings"] for answer in await asyncio.gather(*posts)]

    assert asyncio.run(work()) == [{"incompleteResults": False}, {"incompleteResults": True}]
