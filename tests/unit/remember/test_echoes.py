"""Echoes: sentences are known again however they are set, and only the assistant has any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smartbrain.domain.turn import ECHOES, Message, Role
from smartbrain.remember.echoes import sentence_mark, shown_sentences, with_echoes
from smartbrain.testing import builders


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("- We use Redis.", "we use  REDIS!"),
        ("2026-01-02, user: We use Redis. It is fast.", "It is fast."),
        ("2026-01-02, user: We use Redis. It is fast.", "We use Redis"),
        ("[E1] chat — turn:1\nuser: 我们决定用 Redis 做缓存。", "我们决定用Redis做缓存"),
        ("住在成都。喜欢吃苹果！", "喜欢吃苹果。"),
        ("ＦａｓｔＡＰＩ is used.", "FastAPI is used."),
    ],
)
def test_a_sentence_is_known_again(shown: str, said: str) -> None:
    """Case, width, blanks, punctuation, bullets and who said it make no difference."""
    assert sentence_mark(said) in shown_sentences([shown])


@pytest.mark.spec("C11")
def test_marks_tell_nothing_of_the_words() -> None:
    """What is kept is short and cannot be read; what has no words has no mark."""
    marks = shown_sentences(["We use Redis.", "…", "我们用 Redis。"])
    assert [16, 16] == [len(one) for one in marks]
    assert "" == sentence_mark("— …")


@pytest.mark.spec("C11")
def test_only_the_assistant_echoes() -> None:
    """The user's sentence is an assertion, though it was shown."""
    shown = frozenset(shown_sentences(["We use Redis. 我们用缓存。"]))
    turn = builders.turn()
    message = Message(id="m", role=Role.USER)
    texts = ["We use Redis. Yes.", "Nothing new.", "我们用缓存。We use Redis."]
    told = [replace(message, role=Role.ASSISTANT, content=text) for text in texts]
    asked = replace(message, content=texts[0])
    marked = with_echoes(replace(turn, messages=(asked, *told)), shown)
    assert [None, 1, None, 2] == [
        len(one.meta[ECHOES]) if ECHOES in one.meta else None for one in marked.messages
    ]
    assert turn is with_echoes(turn, frozenset())
