"""Fixtures of the tests of errata-gec-correct."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def uncompiled_channel(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that makes the noisy channel use its native modules uncompiled."""
    from errata import native as core_native
    from errata_correct import beam, candidates, language_model, native, trie

    def use() -> None:
        for module, name, package in (
            (beam, "channel", native),
            (beam, "trigrams", core_native),
            (language_model, "trigrams", core_native),
            (candidates, "lexicon", native),
            (trie, "lexicon", native),
        ):
            monkeypatch.setattr(module, name, package.load_pure(name))

    return use
