"""Events: what happened to memory, numbered, followed from elsewhere, without a word of it (S4).

In: turns, corrections, forgetting through the handle. Out: pages of events, calls of subscribers.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from smartbrain import AsyncSmartBrain, NotFound, SmartBrain, UsageError
from smartbrain.domain.memory_event import EventKind, MemoryEvent

PATIENCE = 600.0


class Heard:
    """A subscriber that remembers what it was told, and can be waited for."""

    def __init__(self, fails: int = 0) -> None:
        self.events: list[MemoryEvent] = []
        self._fails = fails
        self._changed = threading.Condition()

    def __call__(self, event: MemoryEvent) -> None:
        with self._changed:
            if self._fails:
                self._fails -= 1
                raise RuntimeError("my sister lives in Turin")
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Wait until the event of a number was heard."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: any(one.num >= number for one in self.events), PATIENCE
            )


def kinds(events: object) -> set[str]:
    return {one.kind.value.removeprefix("Memory.") for one in events}


@pytest.mark.spec("S4")
def test_what_happens_to_memories_is_told_in_order(tmp_path: Path) -> None:
    """A told fact, its correction, a pin and a run of a tool; every number is there once."""
    with SmartBrain.open(tmp_path / "b") as brain:
        said = brain.remember("我住在上海。", session_id="s")
        first = brain.events(limit=1000)
        assert {"TurnStored", "NodeCreated", "EdgeCreated"} <= kinds(first)
        brain.remember("我搬到北京住了。", session_id="s")
        later = brain.events(first.last, limit=1000)
        assert "Superseded" in kinds(later)
        (moved,) = [one for one in later if one.kind is EventKind.SUPERSEDED]
        assert ("profile", "active>superseded") == (moved.type, moved.code)
        assert brain.memories.get(moved.subject).status.value == "superseded"
        brain.pins.add("conclusion", "SQLite", "It stays.", source=f"chat:{said.turn_id}")
        (pinned,) = brain.events(later.last, "StateChanged")
        assert ("pins", "pins.add") == (pinned.type, pinned.code)
        numbers = [one.num for one in brain.events(limit=1000)]
        assert numbers == list(range(1, len(numbers) + 1))
        pages, last = [], 0
        while page := brain.events(last, limit=3):
            pages += [one.num for one in page]
            last = page.last
        assert numbers == pages
        assert [] == list(brain.events(last))


@pytest.mark.spec("S4", "J7")
def test_nothing_in_events_needs_forgetting(tmp_path: Path) -> None:
    """What was forgotten is told by its ids; no row of events has a word of it."""
    with SmartBrain.open(tmp_path / "b") as brain:
        brain.remember("My locker code is zanzibar4711.", session_id="zanzibar-session")
        before = brain.events(limit=1000)
        receipt = brain.forget(topic=None, session_id="zanzibar-session")
        told = brain.events(before.last, limit=1000)
        gone = {one.subject for one in told if one.kind is EventKind.NODE_FORGOTTEN}
        assert {one.id for one in receipt.items if one.kind == "memory"} <= gone
        assert ["hidden", "erasing", "erased"] == [
            one.code for one in told if one.kind is EventKind.FORGETTING
        ]
        assert "zanzibar" not in str([one.to_dict() for one in brain.events(limit=1000)])
        assert brain.verify_receipt(receipt)


@pytest.mark.spec("S4")
def test_wrong_numbers_and_kinds_are_refused(tmp_path: Path) -> None:
    """One line that says what to do."""
    with SmartBrain.open(tmp_path / "b") as brain:
        with pytest.raises(NotFound, match="begin anew") as gone:
            brain.events(10_000)
        assert "gone" == gone.value.code
        with pytest.raises(UsageError, match=r"Memory\.NodeCreated"):
            brain.events(kinds=["NodeCreate"])
        for wrong in (-1, "1", True):
            with pytest.raises(UsageError, match="since"):
                brain.events(wrong)
        with pytest.raises(UsageError, match="callback"):
            brain.subscribe("no function")


@pytest.mark.spec("S4")
def test_a_subscriber_hears_what_others_write(tmp_path: Path) -> None:
    """From now on or from a number; one that fails hears the same event again."""
    with (
        SmartBrain.open(tmp_path / "b") as brain,
        SmartBrain.open(tmp_path / "b") as other,
    ):
        other.remember("I live in Rome.", session_id="s")
        heard, from_start, failing = Heard(), Heard(), Heard(fails=2)
        subscription = brain.subscribe(heard)
        brain.subscribe(from_start, since=0, kinds="NodeCreated")
        brain.subscribe(failing, since=0)
        other.remember("I play the cello.", session_id="s")
        everything = list(brain.events(limit=1000))
        last = everything[-1].num
        created = [one for one in everything if one.kind is EventKind.NODE_CREATED]
        heard.wait(last)
        failing.wait(last)
        from_start.wait(created[-1].num)
        assert created == from_start.events
        assert everything == failing.events
        assert everything[-len(heard.events) :] == heard.events
        assert len(heard.events) < len(everything)
        subscription.close()
        other.remember("I have a dog.", session_id="s")
        assert last == subscription.last
        assert not subscription.is_running


@pytest.mark.spec("S4")
def test_subscriptions_end_with_their_brain(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """Also where somebody closes it from inside a call; what a callback says is not logged."""
    brain = SmartBrain.open(tmp_path / "b")
    heard = Heard(fails=1)
    running = brain.subscribe(heard, since=0)
    from_inside = brain.subscribe(lambda _: brain.close(), since=0)
    brain.remember("I live in Rome.")
    from_inside._thread.join(PATIENCE)
    brain.close()
    assert (False, False) == (running.is_running, from_inside.is_running)
    assert "Turin" not in caplog.text


@pytest.mark.spec("S4")
def test_an_event_loop_walks_through_events(tmp_path: Path) -> None:
    """`async for` goes on across pages, and ends when the brain is closed."""

    async def follow() -> tuple[list[int], list[int]]:
        async with await AsyncSmartBrain.open(tmp_path / "b") as brain:
            await brain.remember("I live in Rome.")
            known = [one.num for one in await brain.events(limit=1000)]
            found: list[int] = []
            async for event in brain.subscribe(since=0):
                found.append(event.num)
                if event.num == known[-1]:
                    break
            rest = brain.subscribe()
            waiting = asyncio.ensure_future(anext(rest, None))
            await asyncio.sleep(0.3)
        assert await waiting is None
        return known, found

    known, found = asyncio.run(follow())
    assert known == found
