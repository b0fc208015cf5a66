"""The finder of entities: candidates of what a sentence names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import Entities
from smartbrain.domain.claim import Candidate, Source
from smartbrain.errors import UsageError
from smartbrain.remember.entities import find_entity_names as find
from smartbrain.remember.rules.said import read_said

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)
ENTITIES = Entities()


def candidates(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the candidates of a message."""
    said = read_said(text, source=source, speaker="somebody", at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


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
            {"kind": "place", "canonical": "厦门", "aliases": ["Xiamen"]},
            "entity:place:厦门",
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
def test_a_name_becomes_a_candidate(text: str, value: dict[str, object], key: str) -> None:
    """The candidate has the value of its type, which makes its key."""
    (one,) = candidates(text)
    assert ("entities", value) == (one.type, dict(one.value))
    assert key == ENTITIES.key_of(one.value)


@pytest.mark.spec("C2")
def test_a_candidate_points_at_its_words() -> None:
    """Offsets count from the start of the message."""
    text = "Hello there. Ask Hannah Brandt in Oslo.\n然后去厦门。"
    assert ["Hannah Brandt", "Oslo", "厦门"] == [
        text[one.offset : one.offset + one.length] for one in candidates(text)
    ]


@pytest.mark.spec("C2")
@pytest.mark.parametrize(
    "text", ["What is Docker?", "如果用 Docker 呢？", "He says Docker is slow."]
)
def test_a_question_names_things_too(text: str) -> None:
    """The mood of a sentence does not matter for what it names."""
    assert ["Docker"] == [one.value["canonical"] for one in candidates(text)]


def test_a_name_said_twice_in_a_sentence_is_one_candidate() -> None:
    """A sentence gives each name once."""
    assert 1 == len(candidates("Docker here, Docker there."))


@pytest.mark.spec("C3")
def test_confidence_follows_who_speaks_and_how() -> None:
    """The user's names are surer than the assistant's, and an address is surer still."""
    assert [0.8] == [one.confidence for one in candidates("I met Hannah Brandt.")]
    assert [0.9] == [one.confidence for one in candidates("see https://acme.io/x")]
    assert [0.6] == [
        one.confidence for one in candidates("see https://acme.io/x", Source.ASSISTANT)
    ]


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
    assert [declared] == [one.declared for one in candidates(text)]


def test_the_assistant_declares_nothing() -> None:
    """Only the user can ask to remember somebody."""
    assert [False] == [one.declared for one in candidates("记住张雅琴。", Source.ASSISTANT)]


@pytest.mark.spec("C6")
def test_what_is_only_shown_names_nothing() -> None:
    """Names in code are not named by the user."""
    assert [] == candidates("What is wrong?\n```\nimport docker; Berlin = 'Oslo'\n```\n")


@given(st.text(max_size=120))
def test_any_text_gives_values_that_fit_their_type(text: str) -> None:
    """Every candidate has a valid value; only a name without letters has no key."""
    for one in candidates(text):
        try:
            key = ENTITIES.key_of(one.value)
        except UsageError:
            continue
        ENTITIES.complete(key, one.value)
