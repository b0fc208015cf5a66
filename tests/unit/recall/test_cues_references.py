"""What "that repo", 上次那个链接 and pronouns stand for in the turns before a message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from smartbrain.domain.recalled import Recent
from smartbrain.recall.cues import TURNS, needs_recent, read_cues

NOW = datetime(2026, 3, 18, tzinfo=UTC)
TURN = Recent(
    "Caroline from Microsoft put https://github.com/acme/rocket and docs/setup.md online,"
    " see https://example.org/guide about Berlin"
)


def referred(text: str, *recent: Recent) -> tuple[str, ...]:
    """Return what a message refers to after these turns; what needs none of them finds nothing."""
    found = read_cues(text, now=NOW, recent=recent).referred
    assert needs_recent(text) or not found
    return found


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("那个仓库怎么样了", ("acme/rocket",)),
        ("what about that repo?", ("acme/rocket",)),
        ("that repo again", ("acme/rocket",)),
        ("does that repo still build?", ("acme/rocket",)),
        ("show me this repository please", ("acme/rocket",)),
        ("那个仓库 build 失败了", ("acme/rocket",)),
        ("这个 repo build 不过", ("acme/rocket",)),
        ("上次那个文件在哪", ("docs/setup.md",)),
        ("之前提到的那份文档", ("docs/setup.md",)),
        ("the file we talked about", ("docs/setup.md",)),
        ("那家公司做什么", ("Microsoft",)),
        ("is that company large?", ("Microsoft",)),
        ("那个地方好玩吗", ("Berlin",)),
        ("how far is this city", ("Berlin",)),
        ("那个人是谁", ("Caroline",)),
        ("do I know that person", ("Caroline",)),
        ("她说了什么", ("Caroline",)),
        ("what did she say", ("Caroline",)),
    ],
)
def test_expressions_stand_for_what_is_of_their_kind(text: str, expected: tuple[str, ...]) -> None:
    """Each kind has its words in both languages."""
    assert expected == referred(text, TURN)


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("蓝牙的错误码 0x8007045D", False),
        ("where do I live?", False),
        ("那個倉庫怎麼樣了", True),
        ("is it done?", True),
    ],
)
def test_turns_before_are_needed_where_a_message_refers_back(text: str, needed: bool) -> None:
    """Most messages name what they are about; nothing is read for them."""
    assert needed == needs_recent(text)


@pytest.mark.spec("R2")
@pytest.mark.parametrize("text", ["上次那个链接", "send me that link", "the link from last time"])
def test_a_link_may_be_the_address_of_a_repository(text: str) -> None:
    """All addresses of the latest turn that has any are candidates."""
    assert {"acme/rocket", "example.org/guide"} == set(referred(text, TURN))


@pytest.mark.spec("R2")
@pytest.mark.parametrize("text", ["那个仓库", "that repo"])
def test_the_latest_turn_answers(text: str) -> None:
    """Of several turns the one spoken last is meant, whatever lies between."""
    turns = (Recent("用 acme/old-one 仓库"), Recent("clone acme/new-one, the repo"), Recent("好的"))
    assert ("acme/new-one",) == referred(text, *turns)


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    [
        "其他人呢",
        "吉他怎么学",
        "the repo is large",
        "it is what it is in the IT department",
        "仓库在哪",
        "这样可以吗",
    ],
)
def test_other_words_refer_to_nothing(text: str) -> None:
    """Words that hold such an expression, or are none, refer to nothing."""
    two_things = Recent("Redis and Kafka with acme/rocket, the repo, by Caroline")
    assert () == referred(text, two_things)


@pytest.mark.spec("R2")
def test_a_pronoun_needs_one_thing_alone() -> None:
    """Two people, or two things, in a turn leave a pronoun open; one is taken."""
    two = Recent("Caroline met Melanie")
    assert () == referred("what did she say", two)
    assert () == referred("她说了什么", two)
    assert ("Redis",) == referred("how fast is it?", Recent("we use Redis"))
    assert ("Redis",) == referred("它快吗", Recent("我们用 Redis"))
    assert () == referred("它快吗", Recent("我们用 Redis 和 Kafka"))


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    ["that repo acme/other on github", "仓库 acme/other 那个仓库", "Melanie says she is fine"],
)
def test_what_a_message_names_itself_is_meant(text: str) -> None:
    """A name of the kind in the message leaves nothing to look up."""
    turn = Recent("clone acme/rocket, the repo; Caroline wrote it")
    assert () == referred(text, turn)


@pytest.mark.spec("R2")
def test_known_names_of_a_turn_count_where_its_words_do_not_say() -> None:
    """The stored names of a turn are read by their form too."""
    assert ("example.org/x",) == referred("那个链接", Recent("就是它", ("example.org/x",)))
    assert ("acme/rocket",) == referred("that repo", Recent("there", ("acme/rocket", "Berlin")))


@pytest.mark.spec("R2")
def test_half_characters_of_a_turn_are_replaced() -> None:
    """A name with half a character in it can be stored after all."""
    assert ("三\ufffd体",) == referred("那本书呢", Recent("在读《三\ud800体》"))


@pytest.mark.spec("R2")
def test_only_so_many_turns_are_looked_at() -> None:
    """What was said long ago is no longer referred to."""
    old = [Recent("see example.org/guide"), *[Recent("ok")] * TURNS]
    assert () == referred("that link", *old)
    assert ("example.org/guide",) == referred("that link", *old[:TURNS])
