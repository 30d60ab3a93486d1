"""Fixtures of the tests of errata-gec-correct."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def uncompiled_channel(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that makes the noisy channel use its native modules uncompiled."""
    from errata_correct import candidates, language_model, native, noisy_channel

    def use() -> None:
        channel = native.load_pure("channel")
        for module in (language_model, noisy_channel):
            monkeypatch.setattr(module, "channel", channel)
        monkeypatch.setattr(candidates, "native_lexicon", native.load_pure("lexicon"))

    return use
