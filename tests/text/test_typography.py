"""Typography: characters that sources and references do not use are replaced by those that they use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.errors import ErrataError
from errata.text.typography import NORMALIZATIONS, Typography

ASCII = Typography.of(['He said " it \'s fine - really " .'])
CZECH = Typography.of(["Řekl : „ Ne – nikdy “ a šel ."])


@pytest.mark.parametrize(
    ("text", "kind", "normalized"),
    [
        ("He said “ it ’s fine ” .", "quotes", 'He said " it \'s fine " .'),
        ("`` Yes '' , he said .", "quotes", '" Yes " , he said .'),
        ("fine – really — yes", "dashes", "fine - really - yes"),
        ("well‐known", "dashes", "well-known"),
        ("a\u00a0b\u200bc\u3000d", "spaces", "a bc d"),
        ("&amp; &quot;", "unicode", '& "'),
        ("a，b！", "unicode", "a,b!"),
        ("cafe\u0301", "unicode", "café"),
        ("&#10;", "unicode", " "),  # a line stays a line
    ],
)
def test_foreign_characters_are_replaced(text: str, kind: str, normalized: str) -> None:
    assert ASCII.normalize(text, [kind]) == normalized
    assert dict(ASCII.foreign(text))[kind] == normalized
    others = [name for name in NORMALIZATIONS if name != kind and name not in dict(ASCII.foreign(text))]
    assert ASCII.normalize(text, others) == text


def test_characters_in_use_stay() -> None:
    for text in ("Řekl : „ Ne – nikdy “ .", "a – b"):
        assert CZECH.normalize(text, NORMALIZATIONS) == text
    assert CZECH.normalize('Řekl " Ne " .', NORMALIZATIONS) == "Řekl „ Ne “ ."
    penn = Typography.of(["`` Yes ''", "& &amp;", "cafe\u0301", "，"])
    for text in ("`` No ''", "&amp;", "e\u0301", "，"):
        assert penn.normalize(text, NORMALIZATIONS) == text


def test_without_any_usual_character_nothing_is_replaced() -> None:
    plain = Typography.of(["He goes"])
    assert plain.normalize("“ He ” – goes", ["quotes", "dashes"]) == "“ He ” – goes"


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(ErrataError, match="no normalization 'quote'"):
        ASCII.normalize("a", ["quote"])


TEXT = st.text(
    st.sampled_from("ab \"'“”„‟«»`´’‘-–—−\u00a0\u200b！；&amp;#x39e\u0301\u1fef\u2000"), max_size=30
)


@given(st.lists(TEXT, max_size=3), TEXT)
def test_normalization_is_idempotent_and_keeps_the_used_text(used: list[str], text: str) -> None:
    typography = Typography.of(used)
    normalized = typography.normalize(text, NORMALIZATIONS)
    assert typography.normalize(normalized, NORMALIZATIONS) == normalized
    assert len(normalized.splitlines()) <= max(1, len(text.splitlines()))
    if not used:
        return
    assert typography.normalize(used[0], NORMALIZATIONS) == used[0]
