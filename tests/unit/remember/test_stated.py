"""Statements in words as claims with typed values: types, subjects, slots, days (K1, K3, K11).

In: statements as any reader gives them. Out: claims, or why there are none.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
import pytest

from smartbrain.domain.claim import Claim, ClaimStatus
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.claims import (
    MAX_VALUE,
    ClaimMaker,
    ClaimOrigin,
    SaidWords,
    StatedClaim,
    day_of,
)
from smartbrain.remember.subjects import PEOPLE

pytestmark = pytest.mark.spec("K1", "K3")

AT = datetime.fromisoformat("2026-05-13T10:00:00+08:00")  # a Wednesday


def made(speaker: str = "", **stated: Any) -> Claim | Reason:
    """Return what becomes of a statement of the user."""
    origin = ClaimOrigin(turn_id="t", session_id="s", place=1, said_at=AT, reader="test/1")
    reader = ClaimMaker(origin, BUILTIN_TYPES, Rules())
    words = SaidWords(text="…", message=0, message_id="m", start=0, length=1, speaker=speaker)
    return reader.claim_statement(msgspec.convert(stated, StatedClaim), words)


def claimed(**stated: Any) -> Claim:
    """Return a statement as the claim that it must be."""
    claim = made(**stated)
    assert isinstance(claim, Claim), claim
    return claim


@pytest.mark.parametrize(
    ("stated", "group", "fields"),
    [
        (
            {"type": "profile", "attr": "home", "value": "苏州"},
            "profile:user",
            {"subject": "user", "k": "home", "v": "苏州"},
        ),
        (
            {"type": "preferences", "attr": "answer_language", "value": "中文"},
            "preferences:answer_language",
            {"scope": "writing", "name": "answer_language", "value": "中文"},
        ),
        (
            {"type": "preferences", "attr": "tool", "value": "Figma"},
            "preferences:tool",
            {"scope": "tools", "name": "tool", "value": "Figma"},
        ),
        (
            {"type": "facts", "subject": "the billing API", "relation": "thing", "attr": "port"}
            | {"value": "8080"},
            "facts:billing_api:port",
            {"subject": "billing API", "attribute": "port", "value": "8080"},
        ),
        (
            {"type": "tasks", "value": "renew my passport", "when": "by Friday"},
            "tasks",
            {"project": "general", "title": "renew my passport", "status": "todo"}
            | {"due": "2026-05-15"},
        ),
        (
            {"type": "tasks", "value": "续费", "say": "blocked", "because": "等盖章"},
            "tasks",
            {"project": "general", "title": "续费", "status": "blocked", "notes": ["等盖章"]},
        ),
        (
            {"type": "goals", "value": "read 50 books"},
            "goals",
            {"project": "general", "name": "read 50 books", "status": "active"},
        ),
        (
            {"type": "events", "value": "表哥婚礼", "when": "27号"},
            "events",
            {"scope": "general", "title": "表哥婚礼", "date": "2026-05-27"},
        ),
        (
            {"type": "cases", "problem": "empty answers", "solution": "rebuild", "scope": "rag"},
            "cases:case:rag:empty_answers",
            {"domain": "rag", "problem": "empty answers", "solution": "rebuild"},
        ),
    ],
)
def test_each_type_gets_its_own_value(
    stated: dict[str, Any], group: str, fields: dict[str, Any]
) -> None:
    """The group it is folded in, and the value as its type has it."""
    claim = claimed(**stated)
    assert (group, fields) == (claim.group, dict(claim.fields))


@pytest.mark.spec("K11")
@pytest.mark.parametrize(
    ("attr", "topic", "scope", "expected"),
    [
        ("database", "database", "", "database"),
        ("database", "database module 1", "", "database_module_1"),
        ("database", "模块一", "", "database_模块一"),
        ("host", "host Aurora", "Aurora", "host"),
        ("framework", "framework admin panel", "", "framework_admin_panel"),
        ("other", "毕业旅行", "", "用_vue3"),
    ],
)
def test_the_topic_of_a_decision_is_its_slot_and_the_named_thing(
    attr: str, topic: str, scope: str, expected: str
) -> None:
    """Without a slot it is named by its own words, so that it ends nothing else."""
    claim = claimed(type="decisions", attr=attr, topic=topic, scope=scope, value="用 Vue3")
    assert expected == claim.fields["topic"]


@pytest.mark.spec("K10", "K4")
def test_what_is_said_of_people_is_their_profile_and_of_things_a_fact() -> None:
    """Whatever type a reader calls it; it is never the user's."""
    child = claimed(type="facts", subject="我女儿", relation="child", attr="name", value="朵朵")
    assert ("profile", PEOPLE, "我女儿") == (child.type, child.group, child.subject)
    thing = claimed(type="profile", subject="网关", relation="thing", attr="version", value="v2")
    assert ("facts", "facts:网关:version") == (thing.type, thing.group)
    guessed = claimed(type="profile", subject="my daughter", attr="age", value="8")
    assert "child" == guessed.relation
    moved = claimed(type="facts", attr="allergy", value="eggs")
    assert ("profile", "profile:user") == (moved.type, moved.group)


@pytest.mark.spec("K10")
def test_another_speaker_speaks_of_themselves() -> None:
    """`user` is whoever says it; one speaker's claims never end another's."""
    claim = made("Ann", type="profile", attr="home", value="Leeds")
    assert isinstance(claim, Claim)
    assert "profile:ann" == claim.group
    other = made("Ann", type="preferences", attr="editor", value="vim")
    assert isinstance(other, Claim)
    assert "Ann editor" == other.fields["name"]
    assert claimed(type="preferences", attr="editor", value="vim").group != other.group


@pytest.mark.parametrize("attr", ["shoe_size", "", "名字叫啥"])
def test_a_foreign_attribute_is_other(attr: str) -> None:
    """It is kept under `other`, where it ends nothing."""
    assert "other" == claimed(type="profile", attr=attr, value="43").attribute
    assert "home" == claimed(type="profile", attr="Location", value="Leeds").attribute


@pytest.mark.parametrize(
    ("stated", "code"),
    [
        ({"type": "moods", "value": "sad"}, "bad_type"),
        ({"type": "episodes", "value": "x"}, "bad_type"),
        ({"type": "profile", "attr": "home", "value": " "}, "no_value"),
        ({"type": "profile", "attr": "home", "value": "x", "say": "done"}, "bad_say"),
        ({"type": "facts", "attr": "port", "value": "x" * (MAX_VALUE + 1)}, "long_value"),
        ({"type": "cases", "problem": "slow"}, "bad_value"),
    ],
)
def test_what_claims_nothing_is_refused_with_a_reason(stated: dict[str, Any], code: str) -> None:
    """Each by its own code."""
    refused = made(**stated)
    assert isinstance(refused, Reason)
    assert code == refused.code


@pytest.mark.spec("K6")
def test_what_a_reader_is_not_certain_of_is_a_candidate() -> None:
    """Below a half it is kept, and counts for nothing yet."""
    sure, unsure = (
        claimed(type="profile", attr="home", value="Leeds", certainty=certainty)
        for certainty in (0.5, 0.49)
    )
    assert (ClaimStatus.COUNTED, ClaimStatus.CANDIDATE) == (sure.status, unsure.status)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("周四下午3点", "2026-05-14"),
        ("next Monday", "2026-05-18"),
        ("27号", "2026-05-27"),
        ("the 3rd", "2026-06-03"),
        ("June 9 3pm", "2026-06-09"),
        ("", "2026-05-13"),
    ],
)
def test_the_day_of_an_event_is_the_next_one_that_its_words_name(words: str, day: str) -> None:
    """A bare day of the month is one where a time is expected."""
    assert day == day_of(words, AT).isoformat()
