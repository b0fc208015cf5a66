"""The MCP server, asked by the client of its own library over stdio and over HTTP.

In: `memctl mcp` as a process. Out: tools, resources and prompts as a client sees them; what
`memctl mcp install` puts into the settings of clients.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tomllib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from cli_runs import COMMAND, environment, memctl
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from served import served

from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.mcp.tools import MOST_TOOLS, TOOLS, tool_schemas
from smartbrain.entrypoints.rest.keys import ApiKeys

MOST_TOKENS = 1100
Talk = Callable[[Client], Awaitable[None]]


@contextmanager
def stdio(folder: Path) -> Iterator[Any]:
    yield StdioServerParameters(
        command=sys.executable,
        args=[*COMMAND[1:], "mcp", "--root", str(folder / "brain")],
        env=environment(folder),
    )


@contextmanager
def http(folder: Path) -> Iterator[Any]:
    with served("mcp", "--http", "--root", folder / "brain", folder=folder) as address:
        yield f"{address}/mcp"


def talk(target: Any, said: Talk) -> None:
    """Connect the real client, and have a conversation."""

    async def connected() -> None:
        async with Client(target) as client:
            await said(client)

    asyncio.run(connected())


async def ask(client: Client, name: str, **given: Any) -> str:
    """Call a tool that has to succeed, and return what a model is told."""
    answer = await client.call_tool(name, given)
    text: str = answer.content[0].text
    assert not answer.is_error, text
    return text


async def everything(client: Client) -> None:
    """Use every tool, a resource and a prompt once, in a sensible order."""
    assert list(TOOLS) == [tool.name for tool in (await client.list_tools()).tools]
    assert "remembered mem_" in await ask(client, "remember", text="My sister lives in Turin.")
    found = await ask(client, "recall", query="where does my sister live", k=3)
    assert "My sister lives in Turin." in found
    ids = [word for word in found.splitlines()[0].split() if word.startswith("mem_")]
    assert "Turin" in await ask(client, "compose", message="where does my sister live?")
    assert "included" in await ask(client, "explain", query="my sister", expect=ids[0])
    pinned = {"type": "path", "title": "notes", "summary": "docs/notes.md"}
    assert "pinned as 1" in await ask(client, "pin", action="add", **pinned)
    assert "docs/notes.md" in await ask(client, "pin", action="list")
    assert "unpinned 1" in await ask(client, "pin", action="remove", ids=["1"])
    assert "added 1." in await ask(client, "plan", action="add", text="ship it")
    assert "[x] ship it" in await ask(client, "plan", action="check", ids=["1"])
    assert "noted as 1" == await ask(client, "note", text="shipped, as asked")
    listed = (await client.read_resource("memory://memories")).contents[0].text
    assert ids[0] in listed
    turn = json.loads(listed)["items"][0]["source_turn_id"]
    read = await ask(client, "artifact", id=f"turn:{turn}")
    assert "My sister lives in Turin." in read
    assert "retracted" in await ask(client, "correct", id=ids[0])


async def forgetting(client: Client) -> None:
    """A preview shows the words that would go; its receipt lets exactly those go, once."""
    await ask(client, "remember", text="我的护照在抽屉里。")
    await ask(client, "remember", text="My sister lives in Turin.")
    preview = await ask(client, "forget", topic="Turin")
    assert "My sister lives in Turin." in preview
    assert "护照" not in preview
    assert "Turin" in await ask(client, "recall", query="sister")
    receipt = preview.split()[-1]
    assert "forgot" in await ask(client, "forget", receipt=receipt)
    assert "Turin" not in await ask(client, "recall", query="my sister Turin 护照")
    again = await client.call_tool("forget", {"receipt": receipt})
    assert again.is_error


async def mistakes(client: Client) -> None:
    """What a model does wrong is told to it in one line; a missing resource is an error."""
    for name, given, sentence in [
        ("recall", {}, "missing required field `query`"),
        ("recall", {"query": "a", "since": "soonish"}, "bad_time"),
        ("correct", {"id": "mem_none"}, "not_found"),
        ("forget", {}, "usage"),
        ("plan", {"action": "remove", "ids": ["7"]}, "7"),
    ]:
        answer = await client.call_tool(name, given)
        assert answer.is_error, name
        assert sentence in answer.content[0].text
    with pytest.raises(MCPError, match="did you mean 'recall'"):
        await client.call_tool("recal", {})
    with pytest.raises(MCPError) as caught:
        await client.read_resource("memory://memory/mem_none")
    assert caught.value.error.data["code"] == "not_found"


async def offers(client: Client) -> None:
    """Resources and prompts are described, and can be read."""
    resources = (await client.list_resources()).resources
    templates = (await client.list_resource_templates()).resource_templates
    prompts = (await client.list_prompts()).prompts
    assert all(one.description for one in [*resources, *templates, *prompts])
    for resource in resources:
        json.loads((await client.read_resource(resource.uri)).contents[0].text)
    await ask(client, "remember", text="I prefer short answers.")
    got = await client.get_prompt("answer_with_memory", {"message": "how do I like answers?"})
    assert "short answers" in got.messages[0].content.text
    got = await client.get_prompt("review_memory", {"topic": "answers"})
    assert "short answers" in got.messages[0].content.text


@pytest.mark.spec("S3")
@pytest.mark.parametrize("transport", [stdio, http])
@pytest.mark.parametrize("said", [everything, forgetting, mistakes, offers])
def test_a_client_uses_memory(tmp_path: Path, transport: Any, said: Talk) -> None:
    """The same conversation over both transports."""
    with transport(tmp_path) as target:
        talk(target, said)


def test_the_tools_are_few_and_short(tmp_path: Path) -> None:
    """A model reads all of them with every request: ten at most, and at most 1,100 tokens."""
    rules = Root(tmp_path).settings.rules
    schemas = json.dumps(tool_schemas(), ensure_ascii=False, separators=(",", ":"))
    assert len(TOOLS) <= MOST_TOOLS
    assert token_counter(rules.policies.composition).count(schemas) <= MOST_TOKENS


@pytest.mark.spec("S8")
def test_http_is_for_this_machine_or_for_keys(tmp_path: Path) -> None:
    """Another address needs a key first; from then on nobody comes in without one of the tenant."""
    run = memctl("mcp", "--http", "--host", "0.0.0.0", folder=tmp_path)
    assert (2, "") == (run.code, run.out)
    root = tmp_path / "brain"
    keys = ApiKeys(Root(root).path, Root(root).clock)
    memctl("init", root, folder=tmp_path)
    mine, other = keys.add(["default"])[1], keys.add(["other"])[1]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with served("mcp", "--http", "--root", root, folder=tmp_path) as address:
        for text, statuses in ((None, {401}), ("sb_x", {401}), (other, {403}), (mine, {200, 400})):
            bearer = {"authorization": f"Bearer {text}"} if text else {}
            accept = {"accept": "application/json, text/event-stream"}
            told = httpx.post(f"{address}/mcp", json=body, headers={**bearer, **accept}, timeout=60)
            assert told.status_code in statuses, told.text


@pytest.mark.spec("S8")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_key_for_some_verbs_has_their_tools(tmp_path: Path, mode: Any) -> None:
    """Each tool, resource and prompt asks a verb; a key without it is told which, in one line."""
    root = Root(tmp_path / "brain")
    keys = ApiKeys(root.path, root.clock)
    memctl("init", root.path, folder=tmp_path)
    verbs = ["recall", "plan.add", "memories.list", "memories.get"]
    bearer = {"authorization": f"Bearer {keys.add(['default'], verbs=verbs)[1]}"}

    async def asked(address: str) -> None:
        async with (
            httpx2.AsyncClient(headers=bearer, timeout=60) as http_client,
            Client(streamable_http_client(address, http_client=http_client), mode=mode) as client,
        ):
            assert list(TOOLS) == [tool.name for tool in (await client.list_tools()).tools]
            assert "nothing is" in await ask(client, "recall", query="where do I live?")
            assert "added 1." in await ask(client, "plan", action="add", text="ship it")
            for name, given, verb in (
                ("remember", {"text": "I live in Turin."}, "remember"),
                ("plan", {"action": "check", "ids": ["1"]}, "plan.check"),
                ("correct", {"id": "mem_none"}, "memories.retract"),
                ("correct", {"id": "mem_none", "value": "x"}, "memories.correct"),
                ("artifact", {"id": "a", "pattern": "x"}, "artifacts.grep"),
                ("compose", {"message": "hi"}, "compose_context"),
                ("pin", {}, "pins.list"),
            ):
                answer = await client.call_tool(name, given)
                assert answer.is_error
                told = f"This API key is for {', '.join(verbs)} alone; this needs {verb}."
                assert f"{told} [forbidden]" == answer.content[0].text
            json.loads((await client.read_resource("memory://memories")).contents[0].text)
            await client.get_prompt("review_memory", {"topic": "answers"})
            with pytest.raises(MCPError, match="no memory"):
                await client.read_resource("memory://memory/mem_none")
            for uri in ("memory://pins", "memory://artifact/x", "memory://memory/a/b"):
                with pytest.raises(MCPError, match="API key"):
                    await client.read_resource(uri)
            with pytest.raises(MCPError, match="compose_context"):
                await client.get_prompt("answer_with_memory", {"message": "hello"})

    with served("mcp", "--http", "--root", root.path, folder=tmp_path) as address:
        asyncio.run(asked(f"{address}/mcp"))


PLACES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
}


@pytest.mark.parametrize("client", PLACES)
def test_a_client_is_shown_its_snippet_before_anything_is_written(
    tmp_path: Path, client: str
) -> None:
    """Without --yes nothing is written; with it the rest of the file stays, and the old one too."""
    path = tmp_path / PLACES[client]
    path.parent.mkdir(exist_ok=True)
    read = tomllib.loads if path.suffix == ".toml" else json.loads
    path.write_text("[a]\nb = 1\n" if path.suffix == ".toml" else '{"a": {"b": 1}}')
    before = path.read_text()
    arguments = ("mcp", "install", "--client", client, "--root", tmp_path / "my brain")
    shown = memctl(*arguments, folder=tmp_path)
    assert (0, before) == (shown.code, path.read_text())
    assert "my brain" in shown.out
    done = memctl(*arguments, "--yes", "--json", folder=tmp_path).json
    after = read(path.read_text())
    servers = next(value for name, value in after.items() if name != "a")
    assert {"b": 1} == after["a"]
    assert str(tmp_path / "my brain") in servers["smartbrain"]["args"]
    assert before == Path(done["kept"]).read_text()
    assert memctl(*arguments, "--yes", "--json", folder=tmp_path).json["kept"] is None
    assert after == read(path.read_text())


def test_a_desktop_client_has_its_own_folder(tmp_path: Path) -> None:
    """The file of the desktop client is made where its system keeps settings."""
    made = memctl(
        *("mcp", "install", "--client", "claude-desktop", "--yes", "--json"), folder=tmp_path
    ).json
    path = Path(made["path"])
    assert tmp_path in path.parents
    assert "smartbrain" in json.loads(path.read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", "// mine\n{}"),
        ("claude-code", "[]"),
        ("codex", "[broken"),
        ("codex", '[mcp_servers.smartbrain]\ncommand = "mine"\n'),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    tmp_path: Path, client: str, text: str
) -> None:
    """Comments, damage and somebody's own entry are told of, and nothing is written."""
    path = tmp_path / PLACES[client]
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    run = memctl("mcp", "install", "--client", client, "--yes", folder=tmp_path)
    assert (2, text) == (run.code, path.read_text())
    assert [path] == [one for one in path.parent.iterdir() if "old" in one.name or one == path]
