"""Clocks that are wrong, a client's or the server's own: asked over HTTP.

In: times that lie far off, and a server whose clock is set back between calls. Out: no error, every
turn in its place, and what was said last is what holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import served_here

from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.rest.app import make_app
from smartbrain.entrypoints.rest.keys import ApiKeys
from smartbrain.testing.clock import FakeClock, seeded

HOMES = [
    ("I live in Rome.", "I moved to Oslo.", "Where do I live?", "Oslo"),
    ("我住在沈阳。", "我搬到杭州了。", "我住在哪里？", "杭州"),
]
WRONG_TIMES = [
    "9999-12-31T23:59:59Z",
    "2999-01-01",
    "1970-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00Z",
    0,
    -(10**9),
    32_503_680_000,
]


class Server:
    """A server in this process, whose clock a test moves."""

    def __init__(self, client: httpx.Client, clock: FakeClock) -> None:
        self.client, self.clock = client, clock

    def ask(self, verb: str, **given: Any) -> Any:
        """Ask a verb that has to succeed."""
        answer = self.client.post(f"/v1/{verb}", json=given)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    def say(self, session: str, text: str, **more: Any) -> str:
        """Commit a turn in which the user says something, and return its id."""
        events = {"messages": [{"role": "user", "content": text}], **more}
        return str(self.ask("commit_turn", session_id=session, turn_events=events)["turn_id"])

    def texts(self, session: str) -> list[str]:
        """Return what was said in a session, in its order."""
        turns = self.ask("sessions.turns", session_id=session)
        assert list(range(1, len(turns) + 1)) == [turn["seq"] for turn in turns]
        return [turn["messages"][0]["content"] for turn in turns]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    clock = FakeClock(step=timedelta(seconds=1))
    root = Root(tmp_path / "brain", clock=clock, entropy=seeded(1))
    app = make_app(root, ApiKeys(root.path, clock))
    with served_here(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.post("/v1/open", json={}).raise_for_status()
        yield Server(client, clock)


@pytest.mark.spec("E1", "S3")
def test_a_client_s_clock_may_be_anywhere(server: Server) -> None:
    """Each turn is kept at the time that it names, and memory goes on working around it."""
    said = [f"Box number {number} 号箱子 is blue." for number, _ in enumerate(WRONG_TIMES)]
    turns = [server.say("far", text, at=at) for text, at in zip(said, WRONG_TIMES, strict=True)]
    assert len(said) == len(set(turns))
    assert said == server.texts("far")
    first, second, question, answer = HOMES[0]
    server.say("near", first)
    server.say("near", second)
    for asked in (question, "What did I say yesterday?", "昨天我说了什么？", "箱子是什么颜色的？"):
        server.ask("recall", query=asked)
        server.ask("build_memory_packet", session_id="far", user_message=asked)
        server.ask("compose_context", session_id="far", user_message=asked)
    assert answer in server.ask("recall", query=question)["items"][0]["text"]
    listed = server.ask("sessions.list")["items"]
    assert {"far": len(said), "near": 2} == {one["id"]: one["turns"] for one in listed}
    refused = server.client.post(
        "/v1/commit_turn",
        json={"session_id": "far", "turn_events": {"messages": [], "at": 1_772_000_000_000}},
    )
    assert (400, "bad_time") == (refused.status_code, refused.json()["error"]["code"])


@pytest.mark.spec("M4", "K8")
@pytest.mark.parametrize(("first", "second", "question", "answer"), HOMES)
@pytest.mark.parametrize("back", [timedelta(seconds=2), timedelta(hours=14)])
@pytest.mark.parametrize("session", ["s", "other"])
def test_what_is_said_last_holds_though_the_server_s_clock_went_back(
    server: Server,
    first: str,
    second: str,
    question: str,
    answer: str,
    back: timedelta,
    session: str,
) -> None:
    """In one session or two; it is recalled and composed as ever, and dated after the rest."""
    server.say("s", first)
    server.clock.now -= back
    server.say(session, second)
    found = server.ask("recall", query=question)["items"][0]
    assert answer in found["text"]
    package = server.ask("compose_context", session_id="new", user_message=question)
    assert answer in str(package)
    (profile,) = server.ask("memories.list", type="profile")["items"]
    assert answer in profile["text"]
    events = server.ask("events", since=0, limit=1000)["items"]
    assert sorted(one["at"] for one in events) == [one["at"] for one in events]


@pytest.mark.spec("S1", "K8")
def test_operations_and_state_go_on_though_the_server_s_clock_went_back(server: Server) -> None:
    """Each value that is put takes the place of the one before, and plans and pins are kept."""
    key = "fact:api:port"
    for port in (8080, 8443, 9000):
        server.ask("memories.put", type="facts", key=key, value={"value": port})
        server.clock.advance(minutes=-5)
        assert port == server.ask("memories.get", id_or_key=key)["value"]["value"]
    server.ask("memories.correct", id_or_key=key, value={"value": 9001})
    server.clock.advance(hours=-1)
    server.ask("memories.retract", id_or_key=key)
    states = [one["status"] for one in server.ask("memories.history", key=key)]
    assert "active" not in states
    server.ask("plan.add", session_id="s", text="ship")
    server.clock.advance(hours=-1)
    assert server.ask("plan.check", session_id="s", id=1)["done"]
    run = server.ask("runs.start", session_id="s", goal="ship")
    server.clock.advance(hours=-1)
    assert "ship" in str(server.ask("runs.get", run_id=run))


def test_a_clock_that_was_years_ahead_is_believed_when_it_is_put_right(server: Server) -> None:
    """New turns have the right time again, and nothing fails."""
    server.clock.advance(days=4_000)
    server.say("s", "I live in Rome.")
    server.clock.advance(days=-4_000)
    server.say("s", "My cat is called Mimi.")
    turns = server.ask("sessions.turns", session_id="s")
    assert turns[1]["at"] < turns[0]["at"]
    assert ["I live in Rome.", "My cat is called Mimi."] == server.texts("s")
    assert "Mimi" in server.ask("recall", query="my cat")["items"][0]["text"]
