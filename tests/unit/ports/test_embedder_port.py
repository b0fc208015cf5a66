"""What the embedder port itself decides: texts that can be embedded, and language codes."""

from __future__ import annotations

import pytest

from smartbrain.errors import UsageError
from smartbrain.ports.embedder import embeddable, language_codes


@pytest.mark.parametrize("text", ["text", "文本", "\u200b", "🎉", " kept \n as it is\0 "])
def test_ordinary_text_is_kept(text: str) -> None:
    """Nothing is stripped or normalised here."""
    assert text == embeddable(text)


def test_halves_of_characters_are_joined_or_replaced() -> None:
    """Two halves that belong together are one character; a lone one becomes the usual mark."""
    assert embeddable("a\ud83d\ude00b\ud83dc") == "a😀b\ufffdc"


@pytest.mark.parametrize("blank", ["", " ", "\t\r\n", "\u3000\u2003"])
def test_blank_text_is_refused(blank: str) -> None:
    """White space of any script says nothing."""
    with pytest.raises(UsageError, match="blank"):
        embeddable(blank)


def test_languages_become_short_codes() -> None:
    """Regions and scripts are dropped, case is lowered, repetitions go, order stays."""
    assert language_codes(["zh-Hans-CN", "EN_us", " zh ", "yue"]) == ("zh", "en", "yue")
    assert language_codes([]) == ()


@pytest.mark.parametrize("wrong", ["", "中文", "z", "chinese", "zh CN", "en,zh", "e1"])
def test_what_is_no_language_is_refused(wrong: str) -> None:
    """Names of languages and lists in one text are not codes."""
    with pytest.raises(UsageError, match="is no language; write codes such as 'zh'"):
        language_codes([wrong])
