"""Where the words of a memory stand among the bytes of their message."""

from __future__ import annotations

import pytest

from smartbrain.domain.memory import Span
from smartbrain.remember.quotes import spans_at

TEXTS = {
    "en": "I drink tea. " * 400,
    "zh": "我每天喝茶。" * 700,
    "mixed": "早上 coffee, 下午茶 🍵 and so on. " * 150,
}


@pytest.mark.spec("E2")
@pytest.mark.parametrize("language", TEXTS)
def test_the_spans_hold_just_the_words(language: str) -> None:
    """However far into a long message they stand, and whatever came before them."""
    text = TEXTS[language]
    data = text.encode()
    cut = len(data) // 3
    spans = (Span("one", 0, cut), Span("two", 0, len(data) - cut))
    pieces = {"one": data[:cut], "two": data[cut:]}
    for offset in (0, 1, 999, 1_000, 1_001, 2_345, len(text) - 7, len(text)):
        found = spans_at(text, spans, offset, 7)
        shown = b"".join(pieces[s.raw_id][s.offset : s.offset + s.length] for s in found)
        assert text[offset : offset + 7] == shown.decode()
