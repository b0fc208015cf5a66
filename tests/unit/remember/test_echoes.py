"""Echoes: sentences are known again however they are set, and only the assistant has any."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from smartbrain.domain.audience import NOTHING_SHOWN, Shown
from smartbrain.domain.turn import ECHOES, Message, Role
from smartbrain.remember.read_turn import sentence_mark, shown_sentences, with_echoes
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
    assert [sentence_mark(said)] == echoes(said, Shown(texts=[f"Before. 之前。\n\n{shown}"]))


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("We use Redis for the cache, and it is fast.", "It is fast."),
        ("我们决定用 Redis 做缓存。", "我们决定用 Redis。"),
        ("Redis is fast. We like it.", "It is like Redis."),
        ("缓存用 Redis。数据库用 MySQL。", "数据库用 Redis。"),
    ],
)
def test_the_words_of_a_sentence_are_no_sentence(shown: str, said: str) -> None:
    """A part of what was shown, or its words in another order, is the assistant's own."""
    assert [] == echoes(said, Shown(texts=[shown]))
    assert [] == echoes(said, Shown(marks=frozenset(shown_sentences([shown]))))


def echoes(said: str, shown: Shown) -> list[str]:
    """Return the marks that an answer gets."""
    answer = Message(id="m", role=Role.ASSISTANT, content=said)
    (marked,) = with_echoes(replace(builders.turn(), messages=(answer,)), shown).messages
    return list(marked.meta.get(ECHOES, ()))


@pytest.mark.spec("C11")
def test_marks_tell_nothing_of_the_words() -> None:
    """What is kept is short and cannot be read; what has no words has no mark."""
    marks = shown_sentences(["We use Redis.", "…", "我们用 Redis。"])
    assert [8, 8] == [len(one) for one in marks]
    assert "" == sentence_mark("— …")


@pytest.mark.spec("C11")
@pytest.mark.parametrize("at_hand", [True, False])
def test_only_the_assistant_echoes(*, at_hand: bool) -> None:
    """The user's sentence is an assertion, though it was shown."""
    texts = ["We use Redis. 我们用缓存。"]
    shown = Shown(texts=texts) if at_hand else Shown(marks=frozenset(shown_sentences(texts)))
    turn = builders.turn()
    message = Message(id="m", role=Role.USER)
    texts = ["We use Redis. Yes.", "Nothing new.", "我们用缓存。We use Redis."]
    told = [replace(message, role=Role.ASSISTANT, content=text) for text in texts]
    asked = replace(message, content=texts[0])
    marked = with_echoes(replace(turn, messages=(asked, *told)), shown)
    assert [None, 1, None, 2] == [
        len(one.meta[ECHOES]) if ECHOES in one.meta else None for one in marked.messages
    ]
    assert turn is with_echoes(turn, NOTHING_SHOWN)
