"""The finder of entities: whom and what a message names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import Entities
from smartbrain.domain.claim import Source
from smartbrain.domain.turn import Turn
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError
from smartbrain.remember.link import DECLARED, Named, find_names
from smartbrain.remember.rules.said import read_said

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
ENTITIES = Entities()
STEP = Turn(id="t", session_id="s", seq=1, at=AT, created_at=AT)


def named(text: str, source: Source = Source.USER) -> list[Named]:
    """Return the entities that a message names."""
    said = read_said(text, source=source, at=AT)
    return list(find_names([(0, said)], STEP, (), types=BUILTIN_TYPES).by_key.values())


@pytest.mark.spec("C2", "C6")
@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        (
            "Is Postgres 16 out?",
            {
                "kind": "object",
                "canonical": "PostgreSQL",
                "aliases": ["Postgres"],
                "attrs": {"version": "16"},
            },
            "entity:object:PostgreSQL",
        ),
        (
            "我要去厦门。",
            {"kind": "place", "canonical": "Xiamen", "aliases": ["Xiamen"]},
            "entity:place:Xiamen",
        ),
        (
            "Write to Joanna Whitfield.",
            {"kind": "person", "canonical": "Joanna Whitfield"},
            "entity:person:Joanna_Whitfield",
        ),
        ("tag it #travel", {"kind": "topic", "canonical": "travel"}, "entity:topic:travel"),
        (
            "看一下 src/app/main.py 吧",
            {"kind": "file", "canonical": "src/app/main.py"},
            "entity:file:src/app/main.py",
        ),
        (
            "repo willow/harvest 怎么样",
            {"kind": "repo", "canonical": "willow/harvest", "aliases": ["harvest"]},
            "entity:repo:willow/harvest",
        ),
    ],
)
def test_a_name_becomes_an_entity(text: str, value: dict[str, object], key: str) -> None:
    """It has the value of its type, which makes its key."""
    (one,) = named(text)
    assert value == one.value
    assert key == ENTITIES.key_of(one.value)


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    "text", ["What is Docker?", "如果用 Docker 呢？", "He says Docker is slow."]
)
def test_a_question_names_things_too(text: str) -> None:
    """The mood of a sentence does not matter for what it names."""
    assert ["Docker"] == [one.value["canonical"] for one in named(text)]


def test_a_name_said_twice_is_one_entity() -> None:
    """A turn gives each name once."""
    assert 1 == len(named("Docker here, Docker there."))


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("Remember Joanna Whitfield, please.", True),
        ("记住张雅琴这个人。", True),
        ("I met Joanna Whitfield.", False),
        ("我见到了张雅琴。", False),
    ],
)
def test_a_name_to_remember_is_declared(text: str, declared: bool) -> None:
    """What the user asks to remember is marked so."""
    assert [declared] == [one.why == DECLARED for one in named(text)]


def test_the_assistant_declares_nothing() -> None:
    """Only the user can ask to remember somebody."""
    assert [False] == [one.why == DECLARED for one in named("记住张雅琴。", Source.ASSISTANT)]


@pytest.mark.spec("C6")
def test_what_is_only_shown_names_nothing() -> None:
    """Names in code are not named by the user."""
    assert [] == named("What is wrong?\n```\nimport docker; Berlin = 'Oslo'\n```\n")


@given(st.text(max_size=120))
def test_any_text_gives_values_that_fit_their_type(text: str) -> None:
    """Every entity has a valid value; a name without letters is none."""
    for one in named(text):
        try:
            key = ENTITIES.key_of(one.value)
        except UsageError:
            continue
        ENTITIES.complete(key, one.value)
