"""The MCP server as the protocol sees it: its revisions, what it tells unasked, its registry entry.

In: the client of the protocol's own library over stdio and HTTP. Out: the revision that is spoken,
notifications, completions, errors of the protocol. The protocol's own suite is asked by
`make mcp-conformance`.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import httpx
import pytest
from cli_runs import memctl
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import INVALID_PARAMS, PromptReference, ResourceTemplateReference
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from served import served
from test_surface_mcp import ask, http, stdio, talk

from smartbrain import SmartBrain, __version__
from smartbrain.entrypoints.mcp.server import CHANGES, MemoryServer, make_server
from smartbrain.entrypoints.mcp.tools import READS, TOOLS, McpTools

ROOT = Path(__file__).resolve().parents[2]
MEMORIES = "memory://memories"
WAIT = 30.0


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with SmartBrain.open(tmp_path / "brain") as brain:
        yield make_server(brain, "desk")


async def use(client: Client) -> str:
    """Ask for a tool, a resource and a prompt, and return the revision that was spoken."""
    await ask(client, "remember", text="My sister lives in Turin.")
    assert "Turin" in await ask(client, "recall", query="where does my sister live")
    assert "Turin" in (await client.read_resource(MEMORIES)).contents[0].text
    got = await client.get_prompt("review_memory", {"topic": "my sister"})
    assert "Turin" in got.messages[0].content.text
    return client.protocol_version


@pytest.mark.spec("S3")
@pytest.mark.parametrize("transport", [stdio, http])
def test_both_kinds_of_revisions_are_spoken(tmp_path: Path, transport: Any) -> None:
    """A client that shakes hands and one that sends requests alone get the same memory."""

    async def by_each(target: Any) -> list[str]:
        spoken = []
        for mode in ("legacy", "auto", *MODERN_PROTOCOL_VERSIONS):
            async with Client(target, mode=mode) as client:
                spoken.append(await use(client))
        return spoken

    newest = MODERN_PROTOCOL_VERSIONS[-1]
    with transport(tmp_path) as target:
        spoken = asyncio.run(by_each(target))
    assert [HANDSHAKE_PROTOCOL_VERSIONS[-1], newest, *MODERN_PROTOCOL_VERSIONS] == spoken
    assert "2026-07-28" == newest


def test_every_handshake_revision_is_answered(tmp_path: Path) -> None:
    """Whichever revision a client begins with, the server goes on in it."""
    headers = {"accept": "application/json, text/event-stream"}
    client = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with served("mcp", "--http", "--root", tmp_path / "brain", folder=tmp_path) as address:
        for revision in HANDSHAKE_PROTOCOL_VERSIONS:
            params = {"protocolVersion": revision, **client}
            body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            told = httpx.post(f"{address}/mcp", json=body, headers=headers, timeout=WAIT)
            data = next(line for line in told.text.splitlines() if '"result"' in line)
            result = json.loads(data.removeprefix("data: "))["result"]
            assert (revision, "smartbrain") == (
                result["protocolVersion"],
                result["serverInfo"]["name"],
            )


def test_a_listener_is_told_what_a_tool_changed(server: MemoryServer) -> None:
    """On the stateless revision a client listens to a stream, and hears of its documents alone."""

    async def listen() -> str:
        async with (
            Client(server, mode=MODERN_PROTOCOL_VERSIONS[-1]) as client,
            client.listen(resource_subscriptions=[MEMORIES]) as told,
        ):
            await ask(client, "plan", action="add", text="ship it")
            await ask(client, "remember", text="My sister lives in Turin.")
            with anyio.fail_after(WAIT):
                return (await anext(aiter(told))).uri

    assert MEMORIES == asyncio.run(listen())


@pytest.mark.parametrize("transport", [stdio, http])
def test_a_subscriber_is_told_what_a_tool_changed(tmp_path: Path, transport: Any) -> None:
    """With a handshake a client subscribes to an address, until it does so no more."""

    async def subscribe(target: Any) -> list[str]:
        told: list[str] = []
        heard = anyio.Event()

        async def hear(message: Any) -> None:
            told.append(str(message.params.uri))
            heard.set()

        async with Client(target, mode="legacy", message_handler=hear) as client:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                await client.subscribe_resource("memory://plan")
                await ask(client, "plan", action="add", text="ship it")
                with anyio.fail_after(WAIT):
                    await heard.wait()
                await client.unsubscribe_resource("memory://plan")
            await ask(client, "plan", action="check", ids=["1"])
            await ask(client, "plan", action="list")
        return told

    with transport(tmp_path) as target:
        assert ["memory://plan"] == asyncio.run(subscribe(target))


def test_a_client_that_wants_a_log_is_told_of_faults(server: MemoryServer) -> None:
    """A fault is told to the model; and to a client's log, if that was asked for."""

    async def fail(wanted: str | None) -> list[str]:
        told: list[str] = []

        async def log(params: Any) -> None:
            told.append(f"{params.level}: {params.data}")

        async with Client(server, mode="legacy", logging_callback=log) as client:
            if wanted:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", MCPDeprecationWarning)
                    await client.set_logging_level(wanted)
            with patch.object(McpTools, "call", side_effect=RuntimeError("swordfish")):
                answer = await client.call_tool("recall", {"query": "a"})
            assert answer.is_error
            assert "swordfish" not in answer.content[0].text
            await client.list_tools()
        return told

    assert [] == asyncio.run(fail(None))
    (line,) = asyncio.run(fail("warning"))
    assert line.startswith("error: recall: ")
    assert "swordfish" not in line
    assert [] == asyncio.run(fail("emergency"))


def test_ids_are_completed_and_nothing_is_guessed(server: MemoryServer) -> None:
    """A half-written address goes on with an id that is there; prompts are for people to word."""

    async def complete(client: Client) -> None:
        await ask(client, "remember", text="My sister lives in Turin.")
        template = ResourceTemplateReference(type="ref/resource", uri="memory://memory/{id}")
        found = await client.complete(template, {"name": "id", "value": "mem_"})
        assert found.completion.values
        assert all(name.startswith("mem_") for name in found.completion.values)
        none = await client.complete(template, {"name": "id", "value": "x"})
        prompt = PromptReference(type="ref/prompt", name="review_memory")
        other = await client.complete(prompt, {"name": "topic", "value": "s"})
        assert ([], []) == (none.completion.values, other.completion.values)

    talk(server, complete)


@pytest.mark.parametrize("mode", ["legacy", MODERN_PROTOCOL_VERSIONS[-1]])
def test_what_is_not_there_is_an_error_of_the_protocol(server: MemoryServer, mode: str) -> None:
    """An unknown tool, prompt or resource, and a prompt without its argument, are refused."""

    async def mistake() -> None:
        async with Client(server, mode=mode) as client:
            for request in (
                lambda: client.call_tool("recal", {"query": "a"}),
                lambda: client.get_prompt("review_memories", {"topic": "a"}),
                lambda: client.get_prompt("review_memory", {}),
                lambda: client.read_resource("memory://nothing"),
            ):
                with pytest.raises(MCPError) as caught:
                    await request()
                assert INVALID_PARAMS == caught.value.error.code

    asyncio.run(mistake())


def test_every_tool_that_changes_something_says_what() -> None:
    """Tools that only read tell nobody of changes; the others name a document that is offered."""
    assert set(TOOLS) - set(READS) == set(CHANGES)


def test_the_registry_entry_is_that_of_the_package(tmp_path: Path) -> None:
    """Version, name, extra, command and options are those that are installed."""
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = entry["packages"]
    assert {__version__} == {entry["version"], package["version"], project["version"]}
    assert project["name"] == package["identifier"]
    assert project["name"] in project["scripts"]  # what a launcher starts
    (with_extra,) = package["runtimeArguments"]
    assert f"{project['name']}[mcp]" == with_extra["value"]
    assert "mcp" in project["optional-dependencies"]
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")
    command, *options = package["packageArguments"]
    shown = memctl(command["value"], "--help", folder=tmp_path)
    assert 0 == shown.code
    for option in options:
        assert option["name"] in shown.out
    configured = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    documented = configured + (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for variable in package["environmentVariables"]:
        assert variable["name"] in documented
