"""Expected words that nobody said so: a memory that means the same, and what comes closest.

In: brains on the real database, told something in other words than those that are expected. Out:
verdicts about the memory that is meant, and none about something else.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from explain_brain import Asked, codes, opened, say

from smartbrain.domain.explanation import Verdict
from smartbrain.recall.verdicts import HINTS

MEANT = [
    ("I moved to Munich.", "I live in Munich", "profile:user"),
    ("I moved to Munich.", "the user's home is Munich", "profile:user"),
    ("我搬到深圳了。", "我住在深圳", "profile:user"),
    ("我搬到深圳了。", "用户的所在地是深圳", "profile:user"),
    ("I'm a data engineer at Stripe.", "works for the company Stripe", "profile:user"),
    ("I'm a data engineer at Stripe.", "my job: data engineer at Stripe", "profile:user"),
    ("我在美团上班。", "我的公司是美团", "profile:user"),
    ("Our standup is every day at 9:30.", "standup time 9:30", "fact:standup:schedule"),
    ("Our standup is every day at 9:30.", "daily standup at 9:30", "fact:standup:schedule"),
    ("I prefer Vim as my editor.", "favourite editor Vim", "pref:tools:editor"),
]
OTHERS = [
    ("I moved to Munich.", "I live in Paris"),
    ("I moved to Munich.", "I do not live in Munich"),
    ("I moved to Munich.", "my boss lives in Munich"),
    ("I moved to Munich.", "I work in Munich"),
    ("我搬到深圳了。", "我住在上海"),
    ("我搬到深圳了。", "我不住在深圳"),
    ("我搬到深圳了。", "我老板住在深圳"),
    ("我搬到深圳了。", "我的职业是深圳"),
    ("I hate cilantro.", "I like cilantro"),
    ("我讨厌香菜。", "我喜欢香菜"),
]


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("said", "words", "key"), MEANT)
def test_a_memory_is_known_by_other_words_of_its_attribute(
    tmp_path: Path, said: str, words: str, key: str
) -> None:
    """Its value is expected, and the rest only names what it is the value of."""
    with opened(tmp_path) as brain:
        turn = say(brain, said)
        memory = brain.memories.get(key)
        missed = Asked(brain).why(words)
        shown = Asked(brain, ranked=[memory.id]).why(words)
    assert (Verdict.NOT_FOUND, key, turn) == (missed.verdict, missed.key, missed.turn_id)
    assert (Verdict.INCLUDED, memory.id) == (shown.verdict, shown.id)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("said", "words"), OTHERS)
def test_something_else_is_not_meant(tmp_path: Path, said: str, words: str) -> None:
    """Another value, another person, another attribute, or the opposite."""
    with opened(tmp_path) as brain:
        say(brain, said)
        told = Asked(brain).why(words)
    assert told.verdict in (Verdict.NEVER_SAID, Verdict.NOT_EXTRACTED)
    assert (None, ()) == (told.key, told.steps)


@pytest.mark.spec("S1", "M4")
@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("I moved to Munich.", "I moved to Berlin.", "I live in Munich"),
        ("我搬到深圳了。", "我搬到上海了。", "我住在深圳"),
    ],
)
def test_what_was_meant_and_replaced_is_superseded(
    tmp_path: Path, first: str, then: str, words: str
) -> None:
    """The turn that shares a word leads to every version of what was made of it."""
    with opened(tmp_path) as brain:
        say(brain, first)
        say(brain, then)
        turns = [one.id for one in brain.memories.list(type="episodes").items]
        asked = Asked(brain)
        asked.search = lambda _words: turns  # an index does not hold what was replaced
        told = asked.why(words)
    assert (Verdict.SUPERSEDED, "profile:user") == (told.verdict, told.key)
    assert "stands" in codes(told)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("said", "near", "far"),
    [
        ("My locker code is 4471.", "my locker code is 9999", "the locker combination"),
        ("储物柜的密码是4471。", "储物柜的密码是9999", "储物柜的颜色很深"),
    ],
)
def test_what_nobody_said_is_told_with_what_comes_closest(
    tmp_path: Path, said: str, near: str, far: str
) -> None:
    """In the hint where most of the words were said; a single common word is nothing."""
    with opened(tmp_path) as brain:
        say(brain, said)
        told, half, nothing = (Asked(brain).why(one) for one in (near, far, "quantum 量子 zebra"))
    assert {Verdict.NEVER_SAID} == {told.verdict, half.verdict, nothing.verdict}
    assert "closest is" in told.reason
    assert "4471" in told.reason
    assert told.hint.startswith("closest is fact:")
    assert HINTS[Verdict.NEVER_SAID] in told.hint
    assert "closest" == codes(told)[-1]
    assert (None, None) == (told.id, told.turn_id)
    assert HINTS[Verdict.NEVER_SAID] == half.hint == nothing.hint
    assert () == nothing.trail
