"""What holds only until a time: after it nothing shows it as standing, and nothing revives (K9)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from flow_builders import START, seeded, user

from smartbrain import NotFound, SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.memory import Status
from smartbrain.testing.clock import FakeClock

NEXT_DAY: Final = (START + timedelta(days=1)).isoformat()
EARLIER: Final = {"key": "fact:api:limit", "value": "50/min", "confirmed": True}
BOUND: Final = {
    "key": "fact:api:limit",
    "value": "100/min",
    "confirmed": True,
    "valid_until": NEXT_DAY,
}
CASES: Final[tuple[tuple[Any, Any, str, str, str], ...]] = (
    (
        {"messages": [], "facts": [EARLIER]},
        {"messages": [], "facts": [BOUND]},
        "fact:api:limit",
        "What is the API limit?",
        "100/min",
    ),
    (
        [user("The API limit is 50/min.")],
        [user("The API limit is 100/min until tomorrow.")],
        "fact:API:limit",
        "What is the API limit?",
        "100/min",
    ),
    (
        [user("服务器的端口是 8001。")],
        [user("服务器的端口是 9002，用到周五为止。")],
        "fact:服务器:port",
        "服务器的端口是多少？",
        "9002",
    ),
    (
        [user("I live in Bergen.")],
        [user("I live in Oslo until Friday.")],
        "profile:user",
        "",
        "Oslo",
    ),
)
"""An earlier value, one that holds until a time, its key, a question, and the value as a word."""


def brain_of(path: Path) -> tuple[SmartBrain, FakeClock]:
    """Open a brain and the clock that it goes by."""
    clock = FakeClock(START, step=timedelta(seconds=1))
    root = Root(path, clock=clock, entropy=seeded(1))
    with root.tenants.lease("t"):
        return SmartBrain(root, "t", owner=True), clock


def standing(brain: SmartBrain, question: str) -> str:
    """Return all that is shown as standing: memories, a packet's facts, a context's core memory."""
    asked = question or "Where do I live?"
    recalled = [one.text for one in brain.recall(asked).items if one.type != "episodes"]
    packet = brain.build_memory_packet("other", asked)
    context = brain.compose_context("other", asked)
    system = [block.text for block in context.system_blocks]
    listed = [str(one.value) for one in brain.memories.list().items if one.type != "episodes"]
    kept = [one for one in listed if "speakers" not in one and "canonical" not in one]
    return "\n".join([*recalled, *(one.text for one in packet.facts), *system, *kept])


@pytest.mark.spec("K9", "M3")
@pytest.mark.parametrize(("earlier", "bound", "key", "question", "value"), CASES)
def test_after_its_time_nothing_shows_it_as_standing(
    tmp_path: Path, earlier: Any, bound: Any, key: str, question: str, value: str
) -> None:
    """Until then it is shown; the value before it stays superseded."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", earlier)
        brain.commit_turn("s", bound)
        assert value in standing(brain, question)
        assert brain.memories.get(key).status is Status.ACTIVE
        clock.advance(days=3)
        shown = standing(brain, question)
        assert value not in shown
        assert not any(old in shown for old in ("50/min", "8001", "Bergen"))
        with pytest.raises(NotFound, match="is over"):
            brain.memories.get(key)
        statuses = [one.status.value for one in brain.memories.history(key)]
        assert statuses == ["superseded", "expired"]


@pytest.mark.spec("K1", "M3")
@pytest.mark.parametrize(
    "text", ["The parking permit is valid until Friday", "记住：停车证可以用到周五为止"]
)
def test_a_value_that_names_its_own_end_is_over_then(tmp_path: Path, text: str) -> None:
    """The words stay in the turn's episode."""
    brain, clock = brain_of(tmp_path)
    with brain:
        kinds = ("facts", "tasks")
        brain.commit_turn("s", [user(text)])
        (stands,) = (one for kind in kinds for one in brain.memories.list(kind).items)
        assert "2001-05-19" == stands.valid_until.date().isoformat()
        clock.advance(days=9)
        assert not any(brain.memories.list(kind).items for kind in kinds)
        assert ["episodes"] == [one.type for one in brain.recall(text).items]


@pytest.mark.spec("K9")
@pytest.mark.parametrize(
    "text",
    [
        "I will wait until tomorrow. The staging port is 5432.",
        "等到明天再说。服务器的端口是 5432。",
    ],
)
def test_words_that_name_no_time_of_it_end_nothing(tmp_path: Path, text: str) -> None:
    """Only a time right behind a statement is its own."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", [user(text)])
        clock.advance(days=9)
        (fact,) = [one for one in brain.memories.list("facts").items if "port" in one.key]
        assert (fact.value["value"], fact.valid_until) == ("5432", None)


@pytest.mark.spec("K3", "K9")
def test_of_a_profile_only_the_fact_whose_time_is_over_goes(tmp_path: Path) -> None:
    """The others stand on in the core memory of a context."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", [user("My name is Ann.")])
        brain.commit_turn("s", [user("I live in Oslo until Friday.")])
        clock.advance(days=9)
        blocks = [one.text for one in brain.compose_context("o", "Who am I?").system_blocks]
        packet = [one.text for one in brain.build_memory_packet("o", "Who am I?").facts]
        found = [one for one in brain.recall("What is Ann's name?").items if one.type == "profile"]
        for shown in (blocks, packet, [f"{one.text} {one.value}" for one in found]):
            assert any("Ann" in one for one in shown)
            assert not any("Oslo" in one for one in shown)


@pytest.mark.spec("M3")
def test_what_is_over_is_listed_as_expired(tmp_path: Path) -> None:
    """Whoever asks for that status finds it, and its id still names it."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", {"messages": [], "facts": [BOUND]})
        clock.advance(days=3)
        (over,) = brain.memories.list(status="expired").items
        assert (over.key, over.status) == ("fact:api:limit", Status.EXPIRED)
        assert brain.memories.get(over.id).status is Status.EXPIRED
