"""Which language a text is taken for.

In: texts in several scripts. Out: `zh`, `en`, `mixed` or `other`.
"""

from __future__ import annotations

import pytest

from smartbrain.text.language import detect_language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The review is on Thursday.", "en"),
        ("I went to the café near the old bridge.", "en"),
        ("x = 1  # nothing else", "en"),
        ("评审会改到周四下午三点。", "zh"),
        ("用Python写一个导入脚本，周四之前完成", "zh"),
        ("評審會改到週四", "zh"),
        ("The importer fails on large files, 还是先压缩一下再传？", "mixed"),
        ("weekly report 周报", "mixed"),
        ("これは日本語のテキストです", "other"),
        ("한국어 텍스트입니다", "other"),
        ("Привет, мир", "other"),
        ("مرحبا بالعالم", "other"),
        ("שלום עולם", "other"),
        ("où êtes-vous né à l'été", "other"),
        ("", "other"),
        ("  \n", "other"),
        ("2026-03-09 15:00 + 42 %", "other"),
        ("👍🎉", "other"),
    ],
)
def test_a_text_is_of_the_language_most_of_it_is_written_in(text: str, expected: str) -> None:
    """Names in another script do not change it, and neither do figures or signs."""
    assert expected == detect_language(text)


def test_only_the_beginning_is_read() -> None:
    """A very long text is judged by its first characters, whatever follows."""
    assert detect_language("评审会" * 3_000 + "the report " * 10_000) == "zh"
