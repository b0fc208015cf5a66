"""The client of the HTTP server: the library's names and results, from another process.

In: a server on a real socket, and flow tests of the library that know nothing of it. Out: the same
results, the same errors, and calls that are made again only where that cannot do them twice.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from served import served_here

from smartbrain import AdapterError, Conflict, NotFound, SmartBrain, UsageError
from smartbrain.bootstrap.root import Root
from smartbrain.client import AsyncRemoteBrain, RemoteBrain
from smartbrain.client.calls import PAUSES
from smartbrain.domain.result import CommitResult
from smartbrain.entrypoints.rest.app import make_app
from smartbrain.entrypoints.rest.keys import ApiKeys
from smartbrain.entrypoints.wire.verbs import verbs
from smartbrain.testing.clock import FakeClock, seeded

sys.path.append(str(Path(__file__).parents[1] / "flow"))
builders = import_module("flow_builders")
FLOWS = [
    import_module(name)
    for name in (
        "test_flow_notebook",
        "test_flow_fastmemo",
        "test_flow_compose_small",
        "test_flow_said_twice",
        "test_flow_sessions",
        "test_flow_read",
    )
]


@contextmanager
def remote_brain(path: Path, *, seed: int = 1, **config: Any) -> Iterator[RemoteBrain]:
    """Stand for `fake_brain`: the same brain, behind a server on a real socket."""
    clock = FakeClock(builders.START, step=timedelta(seconds=1))
    root = Root(path, config=config, clock=clock, entropy=seeded(seed))
    app = make_app(root, ApiKeys(path, clock))
    with served_here(app) as address, RemoteBrain.open(address, tenant="t") as brain:
        yield brain


@pytest.fixture(autouse=True)
def _through_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for flow in FLOWS:
        if hasattr(flow, "fake_brain"):
            monkeypatch.setattr(flow, "fake_brain", remote_brain)


INSIDE = ("inside(", "._lease", "Marked(", "tmp_path /", ".load(", "type: ignore")
"""What a test does that only the machine of the brain can do."""


def _reaches_from_outside(test: Any) -> bool:
    source = inspect.getsource(test)
    return "fake_brain(" in source and not any(word in source for word in INSIDE)


for _flow in FLOWS:
    _tests = {name: one for name, one in vars(_flow).items() if name.startswith("test_")}
    globals().update({name: one for name, one in _tests.items() if _reaches_from_outside(one)})


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    root = Root(tmp_path / "brain")
    with served_here(make_app(root, ApiKeys(root.path, root.clock))) as found:
        yield found


def use(brain: SmartBrain) -> list[Any]:
    """Use a brain, whichever it is, and return what it gave, without what differs by chance."""
    turn = brain.remember("My sister lives in Turin.", session_id="s")
    sdk = SimpleNamespace(role="assistant", content="好的")
    brain.commit_turn("s", [sdk], turn_id=turn.turn_id)
    found = brain.recall("where does my sister live?", types=("profile",))
    package = brain.compose_context("s", "where does my sister live?")
    kept = brain.memories.get(found[0].id)
    pin = brain.pins.add("path", "t", "s", f"chat:{turn.turn_id}")
    pin = brain.pins.update(pin.id, title="other")
    preview = brain.forget(topic="Turin", preview=True)
    receipt = brain.forget(preview)
    return [
        *(type(turn), [one.type for one in turn.memory_written.items]),
        *([item.text for item in found], package.text(), package.messages("anthropic")),
        *(kept.title, pin.title, len(receipt.items), brain.verify_receipt(receipt)),
        *(brain.tools("s"), brain.tenant_name, brain.sessions.end("s")),
    ]


@pytest.mark.spec("S3")
def test_a_program_is_switched_by_one_line(tmp_path: Path, address: str) -> None:
    """The same program gets the same results from both."""
    with SmartBrain.open(tmp_path / "here") as brain:
        here = use(brain)
    with RemoteBrain.open(address) as brain:
        there = use(brain)
    assert here == there
    assert CommitResult is here[0]


def test_the_same_in_an_event_loop(address: str) -> None:
    """Every verb is awaited, many at once."""

    async def ask() -> None:
        async with await AsyncRemoteBrain.open(address, tenant="another") as brain:
            texts = [f"Box {number} holds letters." for number in range(5)]
            await asyncio.gather(*(brain.remember(text) for text in texts))
            assert 5 == (await brain.status()).rows["turns"]
            assert len(await brain.recall("which box holds letters?")) > 0
            other = await brain.tenant("third")
            assert ("another", "third") == (brain.tenant_name, other.tenant_name)
            assert 0 == (await other.status()).rows["turns"]
            with pytest.raises(NotFound):
                await brain.memories.get("mem_none")
        with pytest.raises(UsageError, match="closed"):
            await brain.status()

    asyncio.run(ask())


def test_errors_are_those_of_the_library(address: str) -> None:
    """Class, code and sentence come over; what is only local says where it is done."""
    with RemoteBrain.open(address) as brain:
        with pytest.raises(NotFound) as caught:
            brain.memories.get("mem_none")
        assert "not_found" == caught.value.code
        with pytest.raises(UsageError) as usage:
            brain.recall("a", since="soon")
        assert "bad_time" == usage.value.code
        brain.commit_turn("s", [{"role": "user", "content": "a"}], idempotency_key="k")
        with pytest.raises(Conflict):
            brain.commit_turn("s", [{"role": "user", "content": "b"}], idempotency_key="k")
        with pytest.raises(TypeError):
            brain.recall()
        with pytest.raises(UsageError, match="where the brain is"):
            brain.state.export("s", path="x")
        with pytest.raises(UsageError, match="on the machine of the brain"):
            brain.export("x")
        with pytest.raises(UsageError, match="read the file"):
            brain.ingest(Path("x"))
        with pytest.raises(AttributeError):
            brain.nothing  # noqa: B018 - that is the test
    with pytest.raises(UsageError, match="closed"):
        brain.status()


def test_tenants_of_any_name_are_reached(address: str) -> None:
    """Names with blanks, slashes and letters of any script."""
    for name in ("租户 一", "../x", "a%20b", "ü"):
        with RemoteBrain.open(address, tenant=name) as brain:
            brain.remember(f"{name} is here")
            assert 1 == brain.status().rows["turns"]
            assert "" == brain.status().path
    with pytest.raises(UsageError):
        RemoteBrain.open(address, tenant="")
    with pytest.raises(UsageError):
        RemoteBrain.open("localhost:1")


def test_a_key_is_sent_and_its_refusal_told(tmp_path: Path) -> None:
    """A wrong key is a mistake of the caller, a right one opens its tenant."""
    root = Root(tmp_path)
    keys = ApiKeys(root.path, root.clock)
    text = keys.add(["a"])[1]
    with served_here(make_app(root, keys)) as address:
        with (
            RemoteBrain.open(address, tenant="a", api_key=text) as brain,
            pytest.raises(UsageError, match="forbidden"),
        ):
            brain.tenant("b")
        for wrong in (None, "sb_no_no"):
            with pytest.raises(UsageError, match="unauthorized"):
                RemoteBrain.open(address, tenant="a", api_key=wrong)


class Flaky(httpx.BaseTransport):
    """A way to a server that breaks before, or after, a call has come through."""

    def __init__(self, breaks: list[str]) -> None:
        self.breaks = breaks
        self.real = httpx.HTTPTransport()
        self.asked: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        how = self.breaks.pop(0) if self.breaks else ""
        if how == "before":
            raise httpx.ConnectError("refused")
        answer = self.real.handle_request(request)
        if not how:
            return answer
        answer.close()
        if how == "after":
            raise httpx.ReadTimeout("timed out")
        return httpx.Response(502, content=b"<html>")

    def close(self) -> None:
        self.real.close()


def test_a_call_is_made_again_where_that_cannot_do_it_twice(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never sent, or sent with a key: again. Otherwise the failure is told, and nothing doubled."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    flaky = Flaky([])
    with RemoteBrain.open(address, transport=flaky) as brain:
        for breaks, turns in ((["before"], 1), (["after"], 2), (["after", "before"], 3)):
            flaky.breaks[:] = breaks
            brain.commit_turn("s", [{"role": "user", "content": f"word {turns}"}])
            assert turns == len(brain.sessions.turns("s"))
        for breaks in (["after"], ["html"]):
            flaky.breaks[:] = breaks
            flaky.asked.clear()
            with pytest.raises(AdapterError):
                brain.remember("once is enough", session_id=breaks[0])
            assert 1 == len(flaky.asked)
            assert 1 == len(brain.sessions.turns(breaks[0]))
        flaky.breaks[:] = ["before"] * 10
        flaky.asked.clear()
        with pytest.raises(AdapterError, match="did not answer"):
            brain.status()
        assert len(PAUSES) + 1 == len(flaky.asked)


def test_every_verb_is_there(address: str) -> None:
    """Each with the signature that the library has."""
    with RemoteBrain.open(address) as brain:
        for verb in verbs().values():
            assert inspect.signature(verb.function) == inspect.signature(verb.bound(brain))
