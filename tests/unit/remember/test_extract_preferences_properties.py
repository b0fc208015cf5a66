"""What holds for preferences, profile and declarations in any text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import BUILTIN
from smartbrain.domain.candidate import Source
from smartbrain.remember.extract import declarations, preferences, profile
from smartbrain.remember.extract.said import read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
TYPES: Final = {kind.name: kind() for kind in BUILTIN}
FINDERS: Final = (declarations.find, preferences.find, profile.find)
WORDS: Final = (
    *(
        "I ",
        "I'm ",
        "a ",
        "nurse ",
        "at ",
        "prefer ",
        "like ",
        "don't ",
        "use ",
        "vim ",
        "my ",
        "is ",
    ),
    *(
        "always ",
        "never ",
        "from now on ",
        "please ",
        "call me ",
        "Sam ",
        "remember ",
        "that ",
        ", ",
    ),
    *(
        "favourite ",
        "live in ",
        "Lyon ",
        "in my ",
        "drafts ",
        "every time ",
        "? ",
        ". ",
        ": ",
        "\n",
    ),
    *(
        "我",
        "是",
        "在",
        "一名",
        "老师",
        "喜欢",
        "不",
        "用",
        "以后",
        "都",
        "请",
        "每次",
        "先",
        "别再",
        "了",
    ),
    *(
        "住",
        "叫",
        "的",
        "有",
        "两个",
        "孩子",
        "记住",
        "，",
        "。",
        "：",
        "“",
        "”",
        "茶",
        "中文",
        "回答",
        "😀",
    ),
    *("\u0000", "\u200b", "%", "' ", '"', "- ", "```\n", "如果", "if "),
)
TEXTS: Final = st.one_of(
    st.text(st.characters(), max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join),
)


@pytest.mark.spec("C6", "M1", "M2")
@given(TEXTS)
def test_any_text_gives_only_valid_candidates(text: str) -> None:
    """Nothing raises; what is found has a valid key, a complete value and a place in the text."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    for sentence in said.sentences:
        for find in FINDERS:
            for one in find(sentence, said):
                kind = TYPES[one.type]
                kind.complete(kind.key_of(one.value), one.value)
                assert sentence.offset <= one.offset
                assert one.offset + one.length <= sentence.offset + len(sentence.text)
                assert one.length > 0
                assert one.text
                assert one.confidence >= 0.8
