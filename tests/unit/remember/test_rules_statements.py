"""Reading what sentences say happens: predicates, roles, negation, modality, time and causes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_rows import AT, load_rows, read_user

from smartbrain.domain.builtin_types import ENTITY_KINDS, Statements
from smartbrain.domain.claim import Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Statement
from smartbrain.remember.rules.said import read_said
from smartbrain.remember.rules.statements import MAX_STATEMENTS, find_statements
from smartbrain.text.entities import find_entities

A, P, L = "AGENT", "PATIENT", "LOCATION"
WEDNESDAY: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)


def statements(text: str) -> list[Statement]:
    """Returns what a message of the user says happens."""
    return find_statements(read_user(text))


def told(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Returns the predicates, negated ones with a mark, and who plays which role."""
    return [
        (
            f"{'not ' if one.negation else ''}{one.predicate}",
            [(role.role.value, role.name) for role in one.roles],
        )
        for one in statements(text)
    ]


def played(text: str, role: EdgeType) -> list[tuple[str, str]]:
    """Returns what plays a role in a message, with the predicate."""
    return [
        (one.predicate, r.name) for one in statements(text) for r in one.roles if r.role is role
    ]


@pytest.mark.spec("C7")
def test_a_plain_sentence_is_one_statement() -> None:
    """Nouns play the roles that their places give them; what says nothing plain gives nothing."""
    for row in load_rows("statements"):
        roles = [tuple(role) for role in row.get("roles", [])]
        expected = [(row["predicate"], roles)] if "predicate" in row else []
        assert expected == told(row["text"]), row["text"]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("小明在公园里踢足球", {("person", "小明"), ("place", "公园"), ("object", "足球")}),
        (
            "Tom plays soccer in the park",
            {("person", "Tom"), ("place", "park"), ("object", "soccer")},
        ),
    ],
)
def test_the_worked_example_comes_out_as_printed(text: str, entities: set[tuple[str, str]]) -> None:
    """Names and roles together are the entities of the sentence, and one event is told."""
    (one,) = statements(text)
    named = {(entity.kind, entity.canonical) for entity in find_entities(text)}
    assert entities == named | {(role.kind, role.name) for role in one.roles}
    assert ("play_soccer", False, "asserted") == (one.predicate, one.negation, one.modality)
    assert [A, P, L] == [role.role.value for role in one.roles]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("小明在公园踢足球。", "asserted"),
        ("小明在公园踢足球吗？", "asked"),
        ("如果小明去北京，我很高兴。", "supposed"),
        ("小李说小明今天不来。", "reported"),
        ("Tom plays soccer.", "asserted"),
        ("Does Tom play soccer?", "asked"),
        ("If Tom plays soccer, fine.", "supposed"),
        ("Tom said Anna plays chess.", "reported"),
    ],
)
def test_modality_tells_how_it_is_said(text: str, modality: str) -> None:
    """A question, a condition and somebody else's words are told apart from a plain statement."""
    assert [modality] == [one.modality.value for one in statements(text)]


@pytest.mark.spec("C7")
def test_the_one_who_is_quoted_is_not_the_one_who_acts() -> None:
    """What somebody says is about whom they speak of."""
    assert [("not come", [(A, "小明")])] == told("小李说小明今天不来")
    assert [("play_chess", [(A, "Anna"), (P, "chess")])] == told("Tom said Anna plays chess")


@pytest.mark.spec("C7")
def test_a_clause_without_a_subject_goes_on_with_the_last_one() -> None:
    """A Chinese clause after a comma, and an English verb after "and", have the same agent."""
    assert [
        ("go", [(A, "小明"), (L, "公园")]),
        ("play_soccer", [(A, "小明"), (P, "足球")]),
    ] == told("小明昨天去了公园，踢了足球")
    assert [
        ("drive_car", [(A, "Peter"), (P, "car"), (L, "airport")]),
        ("pick_up", [(A, "Peter"), (P, "Anna")]),
    ] == told("Peter drove his car to the airport and picked up Anna")


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "start", "end", "granularity", "words"),
    [
        ("我昨天买了一台电脑", "2026-03-04", "2026-03-05", "day", "昨天"),
        ("Anna went to school yesterday", "2026-03-04", "2026-03-05", "day", "yesterday"),
    ],
)
def test_relative_times_become_dates(
    text: str, start: str, end: str, granularity: str, words: str
) -> None:
    """The time of a statement is absolute, with its precision and the words that said it."""
    (one,) = statements(text)
    midnight = "T00:00:00+00:00"
    expected = {
        "start": start + midnight,
        "end": end + midnight,
        "granularity": granularity,
        "words": words,
    }
    assert expected == one.value("turn_1", 0)["time"]


@pytest.mark.spec("C7")
def test_places_count_from_the_start_of_the_message() -> None:
    """A statement and its roles point at their words."""
    text = "Hello there. Tom plays soccer in the park.\n然后，小明在公园里踢足球。"
    first, second = statements(text)
    assert ["Tom plays soccer in the park.", "小明在公园里踢足球。"] == [
        text[one.offset : one.offset + one.length] for one in (first, second)
    ]
    for role in (*first.roles, *second.roles):
        assert text.startswith(role.name, role.offset)


@pytest.mark.spec("C7")
def test_the_speakers_own_label_is_no_part() -> None:
    """Names before a colon tell who speaks; the lines are read as statements."""
    text = "Anna: I lost my passport in Rome.\n小明：我在上海工作。"
    assert [
        ("lose", [(P, "passport"), (L, "Rome")]),
        ("work", [(L, "上海")]),
    ] == told(text)


def test_a_message_has_at_most_so_many_statements() -> None:
    """A long story is cut off."""
    assert MAX_STATEMENTS == len(statements("Tom plays soccer. " * (MAX_STATEMENTS + 5)))


def test_the_assistants_words_weigh_less() -> None:
    """A statement of the assistant is less sure than one of the user."""
    text = "Tom plays soccer."
    said = read_said(text, source=Source.ASSISTANT, at=AT)
    assert find_statements(said)[0].confidence < statements(text)[0].confidence


_PIECES = st.sampled_from(
    [
        "小明",
        "在",
        "公园",
        "里",
        "踢",
        "足球",
        "，",
        "。",
        "不",
        "被",
        "把",
        "给",
        "的",
        "说",
        "昨天",
        "Tom ",
        "plays ",
        "is ",
        "the ",
        "and ",
        "'s ",
        "by ",
        "park ",
        "not ",
        "to ",
        ", ",
        ". ",
        "用",
        "和",
        "想",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=16).map("".join)))
def test_any_text_gives_statements_that_can_be_stored(text: str) -> None:
    """Every statement has a valid value, lies in the message and has roles of known kinds."""
    kind = Statements()
    for number, one in enumerate(statements(text)):
        value = one.value("turn_1", number)
        kind.complete(kind.key_of(value), value)
        assert one.roles
        assert 0 <= one.offset < one.offset + one.length <= len(text)
        assert all(role.kind in ENTITY_KINDS and role.name for role in one.roles)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    "text",
    [
        "小明在公园里踢足球",
        "小明通过考试",
        "小明用锤子打开盒子",
        "小明在北京买地",
        "我得去北京",
        "小明经常去公园",
        "Tom plays soccer in the park",
        "Tom opened the door with a hammer",
        "Tom solved the hard problem",
        "Tom bought a fast car",
        "The window was broken by Tom",
        "Tom finally called Anna",
        "Anna drove to the park by the lake",
    ],
)
def test_what_is_no_manner_is_left_alone(text: str) -> None:
    """Tools, agents, adjectives, frequencies and places are none."""
    assert [] == played(text, EdgeType.MANNER)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("因为小红打碎了花瓶，所以妈妈批评了她", "criticize", "打碎"),
        ("因为小红打碎了花瓶，妈妈批评了她", "criticize", "打碎"),
        ("妈妈批评了小红，因为她打碎了花瓶", "criticize", "打碎"),
        ("妈妈之所以批评了小红，是因为小红打碎了花瓶", "criticize", "打碎"),
        ("服务器宕机了，所以客户取消了订单", "cancel", "crash"),
        ("服务器宕机了，导致客户取消了订单", "cancel", "crash"),
        ("Tom stayed home because Anna called the doctor", "stay", "call"),
        ("Because Anna called the doctor, Tom left the office", "leave", "call"),
        ("Since Anna left the company, Tom manages the team", "manage", "leave"),
        ("The server crashed, so Tom cancelled the meeting", "cancel", "crash"),
        ("The server crashed, therefore Tom cancelled the meeting", "cancel", "crash"),
        ("服务器宕机了, so Tom cancelled the meeting", "cancel", "crash"),
    ],
)
def test_a_clause_that_tells_the_reason_is_the_cause(text: str, effect: str, cause: str) -> None:
    """Both are statements, and the effect names the clause that its reason stands in."""
    told = {one.predicate: one for one in statements(text)}
    assert {effect, cause} == set(told)
    assert (told[cause].offset, None) == (told[effect].because, told[cause].because)
    assert [] == played(text, EdgeType.CAUSE)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    "text",
    [
        "小明在公园里踢足球，小红看电影",
        "小明去了公园。所以小红很高兴。",
        "Tom plays soccer in the park and Anna reads a book",
        "Tom has lived in Berlin since 2021",
        "Since 2021 Tom lives in Berlin",
        "Tom saved money so that Anna could buy a house",
        "Tom saved money, so Anna could buy a house",
        "Since we last spoke, Tom bought a house",
        "So Tom called Anna",
        "Tom called Anna, so far nobody answered",
        "Tom owes money to Anna",
        "Tom called Anna after the server crashed",
    ],
)
def test_what_only_stands_beside_is_no_cause(text: str) -> None:
    """What comes after, a purpose, or a time since when is no reason."""
    assert [] == played(text, EdgeType.CAUSE)
    assert {None} >= {one.because for one in statements(text)}


@pytest.mark.spec("C7")
def test_a_reason_keeps_the_mood_and_the_denial_of_its_sentence() -> None:
    """A question stays one, and so does what is denied."""
    (asked,) = statements("Was the match cancelled because of the rain?")
    assert ("asked", ["rain"]) == (asked.modality.value, [r.name for r in asked.roles][-1:])
    (denied,) = statements("小明没去学校，因为他病了")
    assert denied.negation


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Tom played soccer on Friday.", "2026-03-06"),
        ("Tom plays soccer on Friday.", "2026-03-13"),
        ("小明周五在公园里踢了足球。", "2026-03-06"),
        ("小明周五在公园里踢足球。", "2026-03-13"),
    ],
)
def test_statements_of_what_has_happened_are_over(text: str, date: str) -> None:
    """The time of a statement in the graph is placed the same way."""
    said = read_said(text, source=Source.USER, at=WEDNESDAY)
    (one,) = find_statements(said)
    assert one.time is not None
    assert date == one.time.start.date().isoformat()


@pytest.mark.spec("C7")
@pytest.mark.parametrize("text", ["E中", "因[b里中上.", "}中", "把中上 b", "被 上b上?]中"])
def test_scraps_state_nothing(text: str) -> None:
    """A word of place behind what is no noun has nothing to be the place of."""
    assert [] == statements(text)
