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
        [user("our API rate limit is 50/min.")],
        [user("our API rate limit is 100/min until tomorrow.")],
        "fact:API:rate_limit",
        "What is our API rate limit?",
        "100/min",
    ),
    (
        [user("停车位是 A12。")],
        [user("停车位是 B7，用到周五为止。")],
        "fact:general:parking",
        "停车位是哪个？",
        "B7",
    ),
    (
        [user("我们的接口限流是 50/分钟。")],
        [user("我们的接口限流是 100/分钟，到明天为止。")],
        "fact:接口:rate_limit",
        "接口限流是多少？",
        "100/分钟",
    ),
    ([user("I live in Rome.")], [user("I live in Oslo until Friday.")], "profile:user", "", "Oslo"),
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
        assert not any(old in shown for old in ("50/min", "A12", "50/分钟", "Rome"))
        with pytest.raises(NotFound, match="is over"):
            brain.memories.get(key)
        statuses = [one.status.value for one in brain.memories.history(key)]
        assert statuses == ["superseded", "expired"]


@pytest.mark.spec("K9")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I will wait until tomorrow. The staging port is 5432.", "5432"),
        ("The staging port is 5432 until further notice.", "5432 until further notice"),
    ],
)
def test_words_that_name_no_time_of_it_end_nothing(tmp_path: Path, text: str, value: str) -> None:
    """Only a time right behind a statement is its own."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", [user(text)])
        clock.advance(days=9)
        (fact,) = [one for one in brain.memories.list("facts").items if "port" in one.key]
        assert (fact.value["value"], fact.valid_until) == (value, None)


@pytest.mark.spec("K3", "K9")
def test_of_a_profile_only_the_fact_whose_time_is_over_goes(tmp_path: Path) -> None:
    """The others stand on in the core memory of a context."""
    brain, clock = brain_of(tmp_path)
    with brain:
        brain.commit_turn("s", [user("My name is Ann.")])
        brain.commit_turn("s", [user("I live in Oslo until Friday.")])
        clock.advance(days=9)
        blocks = [one.text for one in brain.compose_context("o", "Who am I?").system_blocks]
        assert any("Ann" in one for one in blocks)
        assert not any("Oslo" in one for one in blocks)


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
