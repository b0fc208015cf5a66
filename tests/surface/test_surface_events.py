"""Events over HTTP, through the client and from the command line, each through what users run.

In: `memctl serve` and `memctl events` as processes. Out: streams that go on where they ended.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import httpx
import pytest
from cli_runs import COMMAND, environment, memctl
from served import served, start_server

from smartbrain import NotFound, SmartBrain, UsageError
from smartbrain.client import AsyncRemoteBrain, RemoteBrain
from smartbrain.domain.memory_event import MemoryEvent

PATIENCE = 600.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("followed")
    with served("serve", "--root", folder / "brain", folder=folder) as address:
        yield address, folder / "brain"


def read_blocks(answer: httpx.Response, until: int) -> list[dict[str, str]]:
    """Return the blocks of a stream that tell events, up to a number."""
    found: list[dict[str, str]] = []
    block: dict[str, str] = {}
    for line in answer.iter_lines():
        name, _, value = line.partition(": ")
        block[name] = value
        if not line:
            if "data" in block:
                found.append(block)
            if int(block.get("id", 0)) >= until:
                return found
            block = {}
    raise AssertionError(found)


@pytest.mark.spec("S3", "S4")
def test_the_stream_goes_on_where_it_ended(server: tuple[str, Path]) -> None:
    """It begins after the number that a client knows, has the kinds it wants, and what is new."""
    address, _ = server
    headers = {"SmartBrain-Tenant": "stream"}
    with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE) as client:
        client.post("/v1/remember", json={"text": "I live in Rome."}).raise_for_status()
        known = client.post("/v1/events", json={"limit": 1000}).json()
        last = known["last"]
        with client.stream("GET", "/v1/events", headers={"Last-Event-ID": "0"}) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            found = read_blocks(answer, last)
        assert known["items"] == [json.loads(block["data"]) for block in found]
        assert [str(one["num"]) for one in known["items"]] == [block["id"] for block in found]
        assert [one["kind"] for one in known["items"]] == [block["event"] for block in found]
        with client.stream("GET", "/v1/events?kinds=TurnStored&heartbeat=1") as answer:
            with httpx.Client(base_url=address, headers=headers) as other:
                other.post("/v1/remember", json={"text": "我养了一只猫。"})
            (turn,) = read_blocks(answer, last + 1)
        assert "Memory.TurnStored" == turn["event"]
        for wrong in ("since=x", "kinds=NodeCreate", "heartbeat=-1"):
            refused = client.get(f"/v1/events?{wrong}")
            assert (400, "usage") == (refused.status_code, refused.json()["error"]["code"])
        gone = client.get("/v1/events?since=1000000")
        assert (410, "gone") == (gone.status_code, gone.json()["error"]["code"])


@pytest.mark.spec("S4")
def test_the_client_follows_as_the_library_does(server: tuple[str, Path]) -> None:
    """Pages and subscriptions, in both colours; a refusal ends them with its error."""
    address, _ = server
    heard: Queue[MemoryEvent] = Queue()
    with RemoteBrain.open(address, tenant="客户 client") as brain:
        with brain.subscribe(heard.put, kinds="TurnStored") as subscription:
            turns = [brain.remember(text).turn_id for text in ("I live in Rome.", "我养了猫。")]
            assert turns == [heard.get(timeout=PATIENCE).subject for _ in turns]
            assert subscription.is_running
        assert not subscription.is_running
        everything = brain.events(limit=1000)
        assert turns == [one.subject for one in brain.events(kinds=["TurnStored"])]
        refused = brain.subscribe(heard.put, since=1_000_000)
        refused._thread.join(PATIENCE)
        assert isinstance(refused.error, NotFound)
        with pytest.raises(UsageError, match="no kind"):
            brain.subscribe(heard.put, kinds="Nothing")

    async def follow() -> list[int]:
        async with await AsyncRemoteBrain.open(address, tenant="客户 client") as remote:
            found: list[int] = []
            async for event in remote.subscribe(since=0):
                found.append(event.num)
                if event.num == everything.last:
                    break
            return found

    assert [one.num for one in everything] == asyncio.run(follow())


@pytest.mark.spec("S4")
def test_a_subscription_outlives_its_server(tmp_path: Path) -> None:
    """A server that stops ends its streams at once; the next one goes on with the same numbers."""
    process, address = start_server("serve", "--root", "brain", folder=tmp_path)
    port = address.rpartition(":")[2]
    heard: Queue[MemoryEvent] = Queue()
    brain = RemoteBrain.open(address)
    subscription = brain.subscribe(heard.put, since=0)
    brain.remember("I live in Rome.")
    first = [heard.get(timeout=PATIENCE).num for _ in brain.events(limit=1000)]
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert time.monotonic() - began < 10
    with SmartBrain.open(tmp_path / "brain") as local:
        local.remember("I play the cello.")
    again = subprocess.Popen(
        [*COMMAND, "serve", "--root", "brain", "--port", port],
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=subprocess.DEVNULL,
    )
    try:
        second = [heard.get(timeout=PATIENCE)]
        while second[-1].num < brain.events(None).last:
            second.append(heard.get(timeout=PATIENCE))
        numbers = [*first, *(one.num for one in second)]
        assert list(range(1, len(numbers) + 1)) == numbers
        assert subscription.is_running
    finally:
        brain.close()
        again.kill()
        again.communicate()


@pytest.mark.spec("S2", "S4")
def test_memctl_shows_and_follows_events(tmp_path: Path) -> None:
    """A page for people or programs, and lines as they happen."""
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("I live in Rome.")
        place = ("--root", tmp_path / "brain")
        shown = memctl("events", "--kind", "TurnStored", *place, folder=tmp_path)
        assert (0, 1) == (shown.code, len(shown.out.splitlines()))
        assert "Memory.TurnStored" in shown.out
        read = memctl("events", "--since", 2, "--limit", 3, "--json", *place, folder=tmp_path).json
        assert ([3, 4, 5], 5) == ([one["num"] for one in read["events"]], read["last"])
        command = [*COMMAND, "events", "--follow", "--json", "--since", "0", *map(str, place)]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert 1 == json.loads(process.stdout.readline())["num"]
        last = brain.events(None).last
        brain.remember("我养了一只猫。")
        while (told := json.loads(process.stdout.readline()))["num"] <= last:
            pass
        assert "Memory.TurnStored" == told["kind"]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert (0, b"") == (process.returncode, err)
        assert 2 == memctl("events", "--kind", "None", *place, folder=tmp_path).code


@pytest.mark.spec("S2", "S5")
def test_memctl_prints_figures(tmp_path: Path) -> None:
    """As JSON and as Prometheus reads them, with what is stored."""
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("I live in Rome.")
    place = ("--root", tmp_path / "brain")
    figures = memctl("metrics", "--json", *place, folder=tmp_path).json
    assert figures["active_facts_count"] >= 1
    assert figures["graph_density"] > 0
    text = memctl("metrics", "--dump", *place, folder=tmp_path).out
    assert '# TYPE graph_density gauge\ngraph_density{tenant="default"}' in text


@pytest.mark.spec("S4", "S8")
def test_a_stream_ends_with_its_key(tmp_path: Path) -> None:
    """One for another tenant is refused, and whoever loses the key hears nothing more."""
    place = ("--root", "brain")
    memctl("init", *place, folder=tmp_path)
    made = memctl("key", "create", "--tenant", "mine", "--json", *place, folder=tmp_path).json
    with served("serve", *place, folder=tmp_path) as address:
        headers = {"authorization": f"Bearer {made['key']}", "SmartBrain-Tenant": "mine"}
        with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE) as client:
            client.post("/v1/open", json={}).raise_for_status()
            other = client.get("/v1/events", headers={"SmartBrain-Tenant": "other"})
            assert 403 == other.status_code
            assert 401 == httpx.get(f"{address}/v1/events").status_code
            with client.stream("GET", "/v1/events?heartbeat=1") as answer:
                lines = answer.iter_lines()
                assert next(lines)
                assert 0 == memctl("key", "revoke", made["id"], *place, folder=tmp_path).code
                assert all("data" not in line for line in lines)
