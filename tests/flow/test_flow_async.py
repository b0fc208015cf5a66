"""The asynchronous handle: the same verbs, awaited; many at once, cancelled, failing, closing."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import user

from smartbrain import AsyncSmartBrain, NotFound, SmartBrain, UsageError
from smartbrain.brain.mirror import THREADS
from smartbrain.domain.result import CommitResult

pytestmark = pytest.mark.spec("S1")


class GatedClock:
    """A clock that stops whoever asks it for the time, until it is let go."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = threading.Semaphore(0)
        self.open.set()

    def __call__(self) -> datetime:
        if not self.open.is_set():
            self.waiting.release()
            assert self.open.wait(30)
        return datetime(2026, 5, 1, tzinfo=UTC)

    async def stopped(self, calls: int) -> None:
        """Return when so many calls wait for the time."""
        for _ in range(calls):
            assert await asyncio.to_thread(self.waiting.acquire, timeout=600)


def public(subject: object) -> dict[str, Any]:
    """Return the public names of an object and what a class says they are."""
    kind = type(subject)
    names = {name: inspect.getattr_static(kind, name) for name in dir(kind)}
    return {name: one for name, one in names.items() if not name.startswith("_")}


def plain(method: Any) -> Callable[..., Any]:
    """Return the function behind a method of any kind."""
    function: Callable[..., Any] = getattr(method, "__func__", method)
    return function


def _groups_of(subject: object) -> dict[str, object]:
    return {name: value for name, value in vars(subject).items() if not name.startswith("_")}


def test_every_verb_has_its_twin_with_signature_and_docstring(tmp_path: Path) -> None:
    """Of the handle and of each group; nothing is missing and nothing is added."""

    async def check() -> int:
        brain = await AsyncSmartBrain.open(tmp_path)
        async with brain:
            subject = brain._brain
            groups = _groups_of(subject)
            assert groups.keys() == _groups_of(brain).keys() >= {"memories", "runs", "graph"}
            pairs = [(subject, brain)]
            pairs += [(group, getattr(brain, name)) for name, group in groups.items()]
            return sum(compare(public(one), public(twin)) for one, twin in pairs)

    assert asyncio.run(check()) > 40


def compare(verbs: dict[str, Any], twins: dict[str, Any]) -> int:
    """Hold the twins against the verbs; return how many there are."""
    assert verbs.keys() == twins.keys()
    for name, verb in verbs.items():
        twin = twins[name]
        if name == "subscribe":  # walked, where the other is called
            continue
        if isinstance(verb, property):
            assert isinstance(twin, property)
            continue
        assert type(verb) is type(twin), name
        assert inspect.iscoroutinefunction(plain(twin)), name
        assert not inspect.isgeneratorfunction(plain(verb)), name
        assert inspect.signature(plain(verb)) == inspect.signature(plain(twin)), name
        assert inspect.getdoc(plain(verb)) == inspect.getdoc(plain(twin)), name
        assert inspect.getdoc(plain(twin)), name
    return len(verbs)


def test_two_hundred_tasks_over_twenty_tenants(tmp_path: Path) -> None:
    """In one loop, each tenant ends with its own turns and finds its own words."""

    async def commit(brain: AsyncSmartBrain, number: int) -> CommitResult:
        said = f"Box {number} holds the lantern. 第{number}号箱子里有灯笼。"
        return await brain.commit_turn(f"s{number % 3}", [user(said)])

    async def use() -> None:
        async with await AsyncSmartBrain.open(tmp_path) as root:
            names = [f"租户 {number}" for number in range(20)]
            brains = await asyncio.gather(*map(root.tenant, names))
            assert names == [brain.tenant_name for brain in brains]
            results = await asyncio.gather(
                *(commit(brains[number % 20], number) for number in range(200))
            )
            assert 200 == len({result.turn_id for result in results})
            answers = await asyncio.gather(*(brain.recall("lantern 灯笼") for brain in brains))
            for place, (brain, answer) in enumerate(zip(brains, answers, strict=True)):
                own = {results[number].turn_id for number in range(place, 200, 20)}
                assert {item.source_turn_id for item in answer} <= own
                assert list(answer) != []
                page = await brain.sessions.list()
                turns = [await brain.sessions.turns(one.id) for one in page.items]
                assert own == {turn.id for session in turns for turn in session}

    asyncio.run(use())


def test_a_cancelled_call_is_done_whole_or_not_at_all(tmp_path: Path) -> None:
    """One that a thread has taken ends, one that waits for a thread never begins."""
    clock = GatedClock()

    names = [f"t{number}" for number in range(THREADS)]
    said = [user("I need to renew my passport. 我需要续签护照。")]

    async def cancel() -> None:
        async with await AsyncSmartBrain.open(tmp_path, clock=clock) as brain:
            tenants = [await brain.tenant(name) for name in names]
            clock.open.clear()
            begun = [asyncio.create_task(one.commit_turn("s", said)) for one in tenants]
            await clock.stopped(THREADS)
            queued = asyncio.create_task(brain.commit_turn("s", said))
            await asyncio.sleep(0)
            for task in (*begun, queued):
                task.cancel()
            ended = await asyncio.gather(*begun, queued, return_exceptions=True)
            assert {asyncio.CancelledError} == {type(one) for one in ended}
            clock.open.set()

    asyncio.run(cancel())
    with SmartBrain.open(tmp_path) as brain:
        kept = [len(brain.tenant(name).sessions.turns("s")) for name in (*names, "default")]
        types = {memory.type for memory in brain.tenant("t0").memories.list().items}
    assert [1] * THREADS + [0] == kept
    assert {"episodes", "tasks"} <= types


def test_errors_keep_their_class_code_and_sentence(tmp_path: Path) -> None:
    """Wherever they are raised: in a verb, in a group, while opening."""

    async def use() -> None:
        async with await AsyncSmartBrain.open(tmp_path) as brain:
            with pytest.raises(UsageError, match="blank"):
                await brain.remember(" ")
            with pytest.raises(NotFound) as caught:
                await brain.memories.get("mem_nobody")
            assert "not_found" == caught.value.code
            with pytest.raises(TypeError, match="unexpected keyword"):
                await brain.recall("茶", best=True)
        with pytest.raises(UsageError) as closed:
            await brain.status()
        assert "closed" == closed.value.code
        with pytest.raises(UsageError):
            await AsyncSmartBrain.open(tmp_path, tenant="")

    asyncio.run(use())
    names = [one.name for one in threading.enumerate()]
    assert [] == [name for name in names if name.startswith("smartbrain-async")]


def test_opening_that_nobody_waits_for_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A brain that is opened after its task was cancelled is closed again."""
    entered, go = threading.Event(), threading.Event()
    closed: list[str] = []
    opened, close = SmartBrain.open.__func__, SmartBrain.close

    def slow(cls: type[SmartBrain], *args: Any, **kwargs: Any) -> SmartBrain:
        entered.set()
        assert go.wait(30)
        return opened(cls, *args, **kwargs)

    monkeypatch.setattr(SmartBrain, "open", classmethod(slow))
    monkeypatch.setattr(SmartBrain, "close", lambda self: (closed.append("it"), close(self)))

    async def use() -> None:
        task = asyncio.create_task(AsyncSmartBrain.open(tmp_path))
        assert await asyncio.to_thread(entered.wait, 30)
        task.cancel()
        asyncio.get_running_loop().call_soon(go.set)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(use())
    assert ["it"] == closed


def test_closing_a_tenant_leaves_the_others_open(tmp_path: Path) -> None:
    """Only the handle that opened the brain closes all of it, after the calls that were made."""

    async def use() -> None:
        brain = await AsyncSmartBrain.open(tmp_path)
        other = await brain.tenant("其他")
        await other.close()
        with pytest.raises(UsageError, match="closed"):
            await other.status()
        pending = [asyncio.create_task(brain.remember(f"记住 number {n}")) for n in range(20)]
        await asyncio.sleep(0)
        await brain.close()
        await brain.close()
        assert all([(await one).ok for one in pending])
        assert "AsyncSmartBrain(" in repr(brain)

    asyncio.run(use())
    assert ["default", "其他"] == asyncio.run(AsyncSmartBrain.tenants(tmp_path))
    assert asyncio.run(AsyncSmartBrain.doctor(tmp_path)) == SmartBrain.doctor(tmp_path)
