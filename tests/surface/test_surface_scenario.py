"""One scenario through every surface: the library, the command, HTTP, gRPC and MCP.

In: a table of steps, each a verb with its arguments. Out: what each step comes to, the same on
every surface: the texts of a recall, the text of a context, a verdict, the code of an error.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from cli_runs import memctl
from grpc_calls import GrpcRefusedError, grpc_calls
from mcp import Client
from served import served

from smartbrain import SmartBrain
from smartbrain.entrypoints.wire.verbs import read_result, verbs
from smartbrain.errors import SmartBrainError

SESSION = "s"


class Step(NamedTuple):
    """A verb with its arguments, and what is compared of what it gives."""

    verb: str
    given: dict[str, Any]
    outcome: Callable[[Any], Any] = lambda plain: None


def recall(query: str) -> Step:
    given = {"query": query, "k": 8, "budget_tokens": 1500}
    return Step("recall", given, lambda plain: [item["text"] for item in plain["items"]])


def compose(message: str) -> Step:
    given = {"session_id": SESSION, "user_message": message, "token_limit": 2000}
    verb = verbs()["compose_context"]
    return Step("compose_context", given, lambda plain: undated(read_result(verb, plain).text()))


def undated(text: str) -> str:
    """Return a context without its dates and times, which go on while surfaces are asked."""
    return re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "DATE", text)


def explain(query: str, expect: str) -> Step:
    return Step("explain", {"query": query, "expect": expect}, lambda plain: plain["verdict"])


STEPS = [
    Step("remember", {"text": "My sister lives in Turin.", "session_id": SESSION}),
    Step("remember", {"text": "我的护照在抽屉里。", "session_id": SESSION}),
    Step("remember", {"text": "I prefer short answers.", "session_id": SESSION}),
    recall("where does my sister live?"),
    recall("我的护照在哪里？"),
    recall("what is the boiling point of lead"),
    compose("Where does my sister live, and how should you answer?"),
    compose("我的护照在哪里？"),
    explain("where does my sister live?", "Turin"),
    explain("where does my sister live?", "Lisbon"),
    Step("recall", {"query": "a", "k": 0, "budget_tokens": 1500}),
    Step("compose_context", {"session_id": SESSION, "user_message": "a", "token_limit": 1}),
    Step("forget", {"topic": "nothing of that name"}),
    Step("forget", {"topic": "Turin"}),
    recall("where does my sister live?"),
    recall("我的护照在哪里？"),
    explain("where does my sister live?", "Turin"),
]
Ask = Callable[[Step], Any]


@contextmanager
def through_library(folder: Path) -> Iterator[Ask]:
    """Each verb as a method."""
    with SmartBrain.open(folder / "brain") as brain:

        def ask(step: Step) -> Any:
            try:
                return step.outcome(verbs()[step.verb].call(brain, step.given))
            except SmartBrainError as error:
                return error.code

        yield ask


@contextmanager
def through_http(folder: Path) -> Iterator[Ask]:
    """Each verb as a route."""
    with served("serve", "--root", folder / "brain", folder=folder) as address:

        def ask(step: Step) -> Any:
            answer = httpx.post(f"{address}/v1/{step.verb}", json=step.given, timeout=60)
            told = answer.json()
            return step.outcome(told) if answer.is_success else told["error"]["code"]

        yield ask


@contextmanager
def through_grpc(folder: Path) -> Iterator[Ask]:
    """Each verb as a call with messages of its own."""
    arguments = ("serve", "--grpc", 0, "--root", folder / "brain")
    with (
        served(*arguments, folder=folder) as addresses,
        grpc_calls(addresses.split()[1]) as calls,
    ):

        def ask(step: Step) -> Any:
            try:
                return step.outcome(calls.ask(step.verb, step.given))
            except GrpcRefusedError as error:
                return error.error["code"]

        yield ask


COMMANDS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "recall": lambda given: (
        *("recall", "--q", given["query"], "--k", given["k"]),
        *("--budget", given["budget_tokens"]),
    ),
    "compose_context": lambda given: (
        *("compose", "--session", given["session_id"], "--message", given["user_message"]),
        *("--limit", given["token_limit"]),
    ),
    "explain": lambda given: ("explain", "--query", given["query"], "--expect", given["expect"]),
    "forget": lambda given: ("forget", "--topic", given["topic"], "--yes"),
}


@contextmanager
def through_command(folder: Path) -> Iterator[Ask]:
    """Each verb as a command; what is told to memory is told by the library."""
    root = folder / "brain"

    def ask(step: Step) -> Any:
        if step.verb not in COMMANDS:
            with SmartBrain.open(root) as brain:
                return step.outcome(verbs()[step.verb].call(brain, step.given))
        command = COMMANDS[step.verb](step.given)
        run = memctl(*command, "--root", root, "--json", folder=folder)
        return step.outcome(run.json) if run.code == 0 else run.json["error"]["code"]

    yield ask


LINE = re.compile(r"\d+\. \[\w+\] (.*) \(\d{4}-\d\d-\d\d\) \S+")


async def call_tool(client: Client, step: Step) -> Any:
    """Do what a step says by a tool, and read what a model is told."""
    given = step.given
    tools: dict[str, tuple[str, dict[str, Any], Callable[[str], Any]]] = {
        "remember": ("remember", {"text": given.get("text")}, lambda text: None),
        "recall": (
            "recall",
            {"query": given.get("query"), "k": given.get("k")},
            lambda text: [found[1] for found in map(LINE.fullmatch, text.splitlines()) if found],
        ),
        "compose_context": (
            "compose",
            {"message": given.get("user_message"), "tokens": given.get("token_limit")},
            undated,
        ),
        "explain": ("explain", given, lambda text: text.partition(":")[0]),
        "forget": ("forget", given, lambda text: None),
    }
    name, arguments, outcome = tools[step.verb]
    answer = await client.call_tool(name, arguments)
    text: str = answer.content[0].text
    if answer.is_error:
        return re.findall(r"\[(\w+)\]$", text)[-1]
    if name == "forget":
        done = await client.call_tool("forget", {"receipt": text.split()[-1]})
        assert not done.is_error
    return outcome(text)


def all_by_tools(folder: Path) -> list[Any]:
    """Go through all steps in one conversation of a client with the MCP server."""

    async def talk(address: str) -> list[Any]:
        async with Client(f"{address}/mcp") as client:
            return [await call_tool(client, step) for step in STEPS]

    arguments = ("mcp", "--http", "--session", SESSION, "--root", folder / "brain")
    with served(*arguments, folder=folder) as address:
        return asyncio.run(talk(address))


def all_by(surface: Any) -> Callable[[Path], list[Any]]:
    def run(folder: Path) -> list[Any]:
        with surface(folder) as ask:
            return [ask(step) for step in STEPS]

    return run


SURFACES = {
    "command": all_by(through_command),
    "http": all_by(through_http),
    "grpc": all_by(through_grpc),
    "mcp": all_by_tools,
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What the library comes to, which is checked once by itself."""
    found = all_by(through_library)(tmp_path_factory.mktemp("library"))
    told = json.dumps(found, ensure_ascii=False)
    assert "My sister lives in Turin." in found[3], told
    assert "我的护照在抽屉里。" in found[4], told
    assert ("Turin" in found[6], "抽屉" in found[7]) == (True, True), told
    assert ["included", "never_said", "usage", "usage", "not_found"] == found[8:13], told
    assert "Turin" not in json.dumps(found[13:])
    return found


@pytest.mark.spec("S2", "S3")
@pytest.mark.parametrize("name", SURFACES)
def test_every_surface_comes_to_the_same(tmp_path: Path, expected: list[Any], name: str) -> None:
    """Step by step, so that the first difference is shown with its step."""
    found = SURFACES[name](tmp_path)
    for step, here, there in zip(STEPS, expected, found, strict=True):
        assert (step.verb, step.given, here) == (step.verb, step.given, there)
