"""Forgetting over MCP: the user is asked before anything goes, where the client can ask.

In: the client of the protocol's own library over stdio and HTTP, with a user who answers. Out: what
goes and what stays, in both languages and on both kinds of revisions.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ErrorData, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from test_surface_mcp import ask, http, stdio

from smartbrain import SmartBrain
from smartbrain.entrypoints.mcp.server import MemoryServer, make_server

MODES = ("legacy", MODERN_PROTOCOL_VERSIONS[-1])
SAID = [
    ("My sister lives in Turin.", "Turin", "Forget this for good?"),
    ("我的护照在抽屉里。", "护照", "要彻底忘掉这些吗？"),
]
REFUSED = "nothing was forgotten: the user did not agree"


class User:
    """Answers what a client shows, and notes what that was."""

    def __init__(self, action: Any) -> None:
        self.action = action
        self.asked: list[str] = []

    async def __call__(self, _: Any, params: Any) -> Any:
        self.asked.append(params.message)
        return (
            self.action if isinstance(self.action, ErrorData) else ElicitResult(action=self.action)
        )


async def remembers(client: Client, words: str) -> bool:
    """Tell whether memory still brings up words."""
    return words in await ask(client, "recall", query=words)


async def converse(target: Any, mode: str) -> None:
    """Decline, cancel and agree, each in turn, about the same thing."""
    user = User("decline")
    async with Client(target, mode=mode, elicitation_callback=user) as client:
        for text, topic, question in SAID:
            await ask(client, "remember", text=text)
            for user.action in ("decline", "cancel"):
                assert REFUSED == await ask(client, "forget", topic=topic, receipt=None)
                asked = user.asked.pop()
                assert asked.startswith(question)
                assert text in asked
                assert await remembers(client, topic)
            user.action = "accept"
            assert (await ask(client, "forget", topic=topic)).startswith("forgot ")
            assert 1 == len(user.asked)
            assert not await remembers(client, topic)
            again = await client.call_tool("forget", {"topic": topic})
            assert "not_found" in again.content[0].text
            assert text in user.asked.pop()
            assert [] == user.asked


@pytest.mark.spec("S3", "J7")
@pytest.mark.parametrize("transport", [stdio, http])
def test_a_user_is_asked_before_anything_is_forgotten(tmp_path: Path, transport: Any) -> None:
    """What would go is shown in the words' own language; it goes only if the user agrees."""
    with transport(tmp_path) as target:
        for mode in MODES:
            asyncio.run(converse(target, mode))


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("My sister lives in Turin.")
        yield make_server(brain, "desk")


def test_a_client_that_fails_to_ask_is_told_of_the_receipt(server: MemoryServer) -> None:
    """One that says it can ask, and then cannot, goes the way of those that never could."""

    async def fail() -> str:
        user = User(ErrorData(code=-32601, message="no window"))
        async with Client(server, mode="legacy", elicitation_callback=user) as client:
            told = await ask(client, "forget", topic="Turin")
            assert "nothing is gone yet" in told
            return await ask(client, "forget", receipt=told.split()[-1])

    assert asyncio.run(fail()).startswith("forgot ")


def test_what_a_user_refused_cannot_be_forgotten_by_its_receipt(server: MemoryServer) -> None:
    """A model that goes on by itself with the receipt of the question gets nowhere."""

    async def insist() -> None:
        async with Client(server, mode=MODES[1], elicitation_callback=User("accept")) as client:
            asked = await client.session.call_tool(
                "forget", {"topic": "Turin"}, allow_input_required=True
            )
            assert isinstance(asked, InputRequiredResult)
            with pytest.raises(MCPError):
                await client.session.call_tool(
                    "forget",
                    {"topic": "Turin"},
                    input_responses={"forget": ElicitResult(action="accept")},
                    request_state="made-up",
                )
            no = {"forget": ElicitResult(action="decline")}
            for expected in (REFUSED, "no preview"):
                told = await client.session.call_tool(
                    "forget",
                    {"topic": "Turin"},
                    input_responses=no,
                    request_state=asked.request_state,
                )
                assert expected in told.content[0].text
                no = {"forget": ElicitResult(action="accept")}
            assert await remembers(client, "Turin")

    asyncio.run(insist())
