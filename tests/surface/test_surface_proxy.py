"""The memory proxy, used by the providers' own clients before a model's API that is ours.

In: the `openai` and `anthropic` clients, an API on a real socket that keeps what it was asked. Out:
what the model is asked, the answer's bytes as they were, and what memory holds afterwards.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from hashlib import blake2b
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from anthropic import Anthropic
from cli_runs import memctl
from openai import APIStatusError, OpenAI
from served import served_here
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.entrypoints.proxy.app import ProxyUse, make_proxy
from smartbrain.entrypoints.proxy.dialects import find_turn, with_memory
from smartbrain.entrypoints.rest.keys import ApiKeys

SAID = "It runs Postgres 16, 你好 as you said."
CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": '{"a": 1}'}}
USAGE = {"input_tokens": 1, "output_tokens": 1}


def openai_events(words: str, *, calls: bool) -> Iterator[dict[str, Any]]:
    """Yield the chunks of an answer as OpenAI sends them."""

    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    yield chunk({"role": "assistant", "content": ""})
    if calls:
        first = {**CALL, "function": {"name": "ls", "arguments": ""}}
        yield chunk({"tool_calls": [{"index": 0, **first}]})
        for part in ('{"a"', ": 1}"):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
    else:
        for word in words.split(" "):
            yield chunk({"content": f"{word} "})
    yield chunk({}, "stop")


def anthropic_events(words: str, *, calls: bool) -> Iterator[dict[str, Any]]:
    """Yield the events of an answer as Anthropic sends them."""
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    yield {"type": "message_start", "message": message}
    if calls:
        block = {"type": "tool_use", "id": "call_1", "name": "ls", "input": {}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in ('{"a"', ": 1}")]
    else:
        yield {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        }
        deltas = [{"type": "text_delta", "text": f"{word} "} for word in words.split(" ")]
    for delta in deltas:
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 1},
    }
    yield {"type": "message_stop"}


ITEM = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "ls"}


def response(number: str, *, calls: bool) -> dict[str, Any]:
    """Return an answer as OpenAI's responses are: items, of which the first is a thought."""
    part = {"type": "output_text", "text": SAID, "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    items: list[dict[str, Any]] = [{"type": "reasoning", "id": "rs_1", "summary": []}]
    items += [{**ITEM, "arguments": '{"a": 1}'}] if calls else [{**said, "content": [part]}]
    return {
        "id": number,
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": items,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def response_events(number: str, *, calls: bool) -> Iterator[dict[str, Any]]:
    """Yield the events of such an answer."""
    whole = response(number, calls=calls)
    yield {"type": "response.created", "response": {**whole, "output": []}, "sequence_number": 0}
    for place, item in enumerate(whole["output"]):
        where = {"output_index": place, "item_id": item["id"], "sequence_number": 1}
        yield {"type": "response.output_item.added", "item": {**item, "content": []}, **where}
        for part in item.get("content", ()):
            here = {**where, "content_index": 0}
            yield {"type": "response.content_part.added", "part": {**part, "text": ""}, **here}
            for word in part["text"].split(" "):
                delta = {"delta": f"{word} ", "logprobs": []}
                yield {"type": "response.output_text.delta", **delta, **here}
        yield {"type": "response.output_item.done", "item": item, **where}
    yield {"type": "response.completed", "response": whole, "sequence_number": 9}


class Upstream:
    """A model's API: it keeps what it is asked, and answers in the form that is wanted."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.sent = b""
        self.status = 200
        self.calls = False
        self.stalls = False
        routes = [
            Route("/v1/chat/completions", self.openai, methods=["POST"]),
            Route("/v1/responses", self.responses, methods=["POST"]),
            Route("/v1/messages", self.anthropic, methods=["POST"]),
            Route("/v1/models", self.models),
        ]
        self.app = Starlette(routes=routes)

    async def _read(self, request: Request) -> dict[str, Any]:
        self.headers.append(dict(request.headers))
        asked: dict[str, Any] = json.loads(await request.body())
        self.asked.append(asked)
        return asked

    async def models(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        return JSONResponse({"object": "list", "data": []})

    async def openai(self, request: Request) -> Response:
        asked = await self._read(request)
        if self.status != 200:
            return JSONResponse({"error": {"message": "slow down"}}, self.status)
        if asked.get("stream"):
            return self._stream(openai_events(SAID, calls=self.calls), named=False)
        message: dict[str, Any] = {"role": "assistant", "content": SAID}
        if self.calls:
            message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        told = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }
        return JSONResponse(told)

    async def responses(self, request: Request) -> Response:
        asked = await self._read(request)
        number = f"resp_{len(self.asked)}"
        if asked.get("stream"):
            return self._stream(response_events(number, calls=self.calls), named=True)
        return JSONResponse(response(number, calls=self.calls))

    async def anthropic(self, request: Request) -> Response:
        asked = await self._read(request)
        if asked.get("stream"):
            return self._stream(anthropic_events(SAID, calls=self.calls), named=True)
        block: dict[str, Any] = {"type": "text", "text": SAID}
        if self.calls:
            block = {"type": "tool_use", "id": "call_1", "name": "ls", "input": {"a": 1}}
        told = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block]}
        return JSONResponse(
            {**told, "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}
        )

    def _stream(self, events: Iterator[dict[str, Any]], *, named: bool) -> Response:
        """Send events in pieces that end anywhere, a character's bytes included."""
        whole = "".join(
            (f"event: {event['type']}\n" if named else "")
            + f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
            for event in events
        ).encode()
        self.sent = whole if named else whole + b"data: [DONE]\n\n"

        async def pieces() -> Any:
            for start in range(0, len(self.sent), 37):
                if self.stalls and start > len(self.sent) // 2:
                    await asyncio.sleep(60)
                yield self.sent[start : start + 37]

        return StreamingResponse(pieces(), media_type="text/event-stream")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow a machine is, memory is waited for."""
    monkeypatch.setattr("smartbrain.entrypoints.proxy.app.PATIENCE", 60.0)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """An API, the proxy before it, and a brain that knows something."""
    upstream = Upstream()
    root = Root(tmp_path / "brain")
    with SmartBrain.open(tmp_path / "brain") as brain:
        brain.remember("I prefer short answers.", session_id="before")
        brain.commit_turn("other", [{"role": "user", "content": "Staging runs Postgres 16."}])
        with (
            served_here(upstream.app) as api,
            served_here(make_proxy(root, ApiKeys(root.path, root.clock), api)) as address,
        ):
            yield SimpleNamespace(upstream=upstream, address=address, brain=brain, root=root)


def turns(place: SimpleNamespace, session: str, messages: int) -> list[Any]:
    """Return the turns of a session, as soon as they have so many messages; the answer is first."""
    end = time.monotonic() + 30
    while True:
        found = list(place.brain.sessions.turns(session))
        if sum(len(turn.messages) for turn in found) >= messages or time.monotonic() > end:
            return found
        time.sleep(0.02)


def headers(session: str = "s") -> dict[str, str]:
    return {"SmartBrain-Session": session}


QUESTION = "Which database does staging run?"


@pytest.mark.spec("S3")
@pytest.mark.parametrize("stream", [False, True])
def test_the_openai_client_gets_memory_by_another_address(
    place: SimpleNamespace, stream: bool
) -> None:
    """Memory stands behind the user's words, the answer is as the model gave it, and is kept."""
    client = OpenAI(base_url=f"{place.address}/v1", api_key="k", max_retries=0)
    messages: Any = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": QUESTION},
    ]
    made = client.chat.completions.with_raw_response.create(
        model="m", messages=messages, stream=stream, extra_headers=headers()
    )
    told = made.headers["smartbrain-status"]
    answer: Any = made.parse()
    if stream:
        said = "".join(chunk.choices[0].delta.content or "" for chunk in answer).strip()
    else:
        said = answer.choices[0].message.content
    client.close()
    assert SAID == said
    assert re.match(r"added; session=s; took=\d+\.\d; context=", told)
    (asked,) = place.upstream.asked
    assert messages[0] == asked["messages"][0]
    own, memory = asked["messages"][1]["content"]
    assert {"type": "text", "text": QUESTION} == own
    assert "Staging runs Postgres 16." in memory["text"]
    assert "I prefer short answers." in memory["text"]
    assert QUESTION not in memory["text"]
    sent = place.upstream.headers[0]
    assert "Bearer k" == sent["authorization"]
    assert not any(name.startswith("smartbrain") for name in sent)
    (turn,) = turns(place, "s", 2)
    assert [QUESTION, SAID] == [one.content.strip() for one in turn.messages]


@pytest.mark.spec("S3")
@pytest.mark.parametrize("stream", [False, True])
def test_the_anthropic_client_gets_memory_by_another_address(
    place: SimpleNamespace, stream: bool
) -> None:
    """The same for the other API."""
    client = Anthropic(base_url=place.address, api_key="k", max_retries=0)
    given: Any = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": QUESTION}],
    }
    if stream:
        with client.messages.stream(**given, extra_headers=headers()) as events:
            said = "".join(events.text_stream).strip()
    else:
        said = client.messages.create(**given, extra_headers=headers()).content[0].text
    client.close()
    assert SAID == said
    (asked,) = place.upstream.asked
    own, memory = asked["messages"][0]["content"]
    assert {"type": "text", "text": QUESTION} == own
    assert "Staging runs Postgres 16." in memory["text"]
    assert "Bearer k" == place.upstream.headers[0]["authorization"]
    (turn,) = turns(place, "s", 2)
    assert [QUESTION, SAID] == [one.content.strip() for one in turn.messages]


@pytest.mark.spec("S3")
@pytest.mark.parametrize("stream", [False, True])
def test_the_client_of_responses_gets_memory_by_another_address(
    place: SimpleNamespace, stream: bool
) -> None:
    """Text or items: memory stands behind the user's words, and the turn is kept."""
    client = OpenAI(base_url=f"{place.address}/v1", api_key="k", max_retries=0)
    items: Any = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
    ]
    for session, given in (("text", QUESTION), ("items", items)):
        more: Any = {"extra_headers": headers(session)}
        if stream:
            with client.responses.stream(model="m", input=given, **more) as events:
                said = events.get_final_response().output_text
        else:
            said = client.responses.create(model="m", input=given, **more).output_text
        assert SAID == said
        asked = place.upstream.asked[-1]
        own, memory = asked["input"][-1]["content"]
        assert {"type": "input_text", "text": QUESTION} == own
        assert "input_text" == memory["type"]
        assert "Staging runs Postgres 16." in memory["text"]
        assert items[:1] == asked["input"][:-1] or session == "text"
        (turn,) = turns(place, session, 2)
        assert [QUESTION, SAID] == [one.content.strip() for one in turn.messages]
    client.close()


@pytest.mark.spec("S3")
def test_memory_is_a_message_of_the_system_on_request(place: SimpleNamespace) -> None:
    """It stands last, so all before it stays in the provider's cache; the user's words stay too."""
    openai = OpenAI(base_url=f"{place.address}/v1", api_key="k", max_retries=0)
    anthropic = Anthropic(base_url=place.address, api_key="k", max_retries=0)
    said: Any = [{"role": "user", "content": QUESTION}]
    more: Any = {"model": "m", "extra_headers": {**headers(), "SmartBrain-Place": "system"}}
    openai.chat.completions.create(messages=said, **more)
    anthropic.messages.create(messages=said, max_tokens=9, system="Be kind.", **more)
    openai.responses.create(input=QUESTION, **more)
    openai.close()
    anthropic.close()
    for asked in place.upstream.asked:
        prompt, memory = asked.get("messages") or asked["input"]
        assert said[0] == prompt
        assert "system" == memory["role"]
        assert "Staging runs Postgres 16." in json.dumps(memory["content"])
    assert "Be kind." == place.upstream.asked[1]["system"]
    assert not any("smartbrain-place" in sent for sent in place.upstream.headers)


@pytest.mark.spec("S3")
def test_a_response_is_gone_on_with_after_a_restart(place: SimpleNamespace) -> None:
    """Its id is kept with the turn: the next prompt and results of tools find their session."""
    output = {"type": "function_call_output", "call_id": "call_1", "output": "a.py"}
    api = httpx.ASGITransport(place.upstream.app)

    def ask(given: Any, *, calls: bool = False, **fields: Any) -> str:
        """Ask a proxy that has just been started, and let it end."""
        place.upstream.calls = calls
        root = Root(place.root.path)
        app = make_proxy(root, ApiKeys(root.path, root.clock), "http://model", transport=api)
        with served_here(app) as address:
            body = {"model": "m", "input": given, **fields}
            told = httpx.post(f"{address}/v1/responses", json=body, timeout=60)
            status: str = told.headers["smartbrain-status"]
            return status.split("; ")[1]

    first = ask(QUESTION, calls=True)
    assert first == ask([output], previous_response_id="resp_1")
    assert first == ask("继续", previous_response_id="resp_2")
    assert first == ask("继续", previous_response_id="resp_3")
    assert first != ask("继续", previous_response_id="resp_unknown")
    kept = turns(place, first.removeprefix("session="), 7)
    assert [QUESTION, "继续", "继续"] == [turn.messages[0].content for turn in kept]
    assert [("ls", "a.py")] == [(one.name, one.result) for one in kept[0].tool_calls]
    assert [SAID] * 3 == [turn.messages[-1].content for turn in kept]


def test_answers_of_one_id_are_all_kept(place: SimpleNamespace) -> None:
    """An API that counts its answers anew makes no turn be lost."""
    for number, words in enumerate(("one", "two"), 1):
        place.upstream.asked.clear()
        body = {"model": "m", "input": f"Say {words}."}
        httpx.post(f"{place.address}/v1/responses", json=body, headers=headers(), timeout=60)
        assert 2 * number == sum(len(turn.messages) for turn in turns(place, "s", 2 * number))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_response_is_gone_on_with(
    place: SimpleNamespace, stream: bool, is_repeated: bool
) -> None:
    """A tool loop is one turn, the next prompt another one, named by id or told again whole."""
    output = {"type": "function_call_output", "call_id": "call_1", "output": "a.py"}
    sent: list[Any] = []

    def ask(*items: Any, calls: bool) -> None:
        place.upstream.calls = calls
        number = f"resp_{len(place.upstream.asked)}"
        sent.extend(items)
        body: dict[str, Any] = {"model": "m", "stream": stream, "input": list(items)}
        if is_repeated:
            body["input"] = list(sent)
        elif place.upstream.asked:
            body["previous_response_id"] = number
        httpx.post(f"{place.address}/v1/responses", json=body, timeout=60).raise_for_status()
        sent.extend(response(number, calls=calls)["output"])

    ask({"role": "user", "content": QUESTION}, calls=True)
    session = f"chat-{blake2b(QUESTION.encode(), digest_size=8).hexdigest()}"
    turns(place, session, 2)
    ask(output, calls=False)
    turns(place, session, 3)
    for number in (5, 7):
        ask({"role": "user", "content": "继续"}, calls=False)
        kept = turns(place, session, number)
    assert [QUESTION, "继续", "继续"] == [turn.messages[0].content for turn in kept]
    assert [("ls", "a.py")] == [(one.name, one.result) for one in kept[0].tool_calls]
    assert [[QUESTION, SAID], ["继续", SAID], ["继续", SAID]] == [
        [one.content for one in turn.messages if one.content] for turn in kept
    ]
    first, second = (json.dumps(one["input"][-1]) for one in place.upstream.asked[:2])
    memory = first[first.index("Memory of earlier") : first.index("Staging")]
    assert memory in second


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
def test_the_bytes_of_a_stream_are_not_changed(place: SimpleNamespace, path: str) -> None:
    """Whatever stands in a stream comes through byte by byte."""
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    if path.endswith("responses"):
        asked = {"model": "m", "stream": True, "input": QUESTION}
    answer = httpx.post(f"{place.address}{path}", json=asked, timeout=60)
    assert place.upstream.sent == answer.content
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_who_leaves_in_the_middle_of_a_stream_is_not_waited_for(place: SimpleNamespace) -> None:
    """What was asked, and what had been answered by then, is kept; the next is served."""
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    url = f"{place.address}/v1/chat/completions"
    place.upstream.stalls = True
    with httpx.stream("POST", url, json=asked, headers=headers(), timeout=60) as answer:
        next(answer.iter_raw())
    (turn,) = turns(place, "s", 1)
    assert QUESTION == turn.messages[0].content
    place.upstream.stalls = False
    assert 200 == httpx.post(url, json=asked, headers=headers("t"), timeout=60).status_code


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_the_steps_of_a_tool_loop_are_one_turn(
    place: SimpleNamespace, path: str, stream: bool
) -> None:
    """Each step gets the same memory at its end; the turn is kept once, with its runs."""
    is_openai = path.endswith("completions")
    if is_openai:
        call: Any = {"role": "assistant", "content": None, "tool_calls": [CALL]}
        result: Any = {"role": "tool", "tool_call_id": "call_1", "content": "a.py"}
    else:
        use = {"type": "tool_use", "id": "call_1", "name": "ls", "input": {"a": 1}}
        call = {"role": "assistant", "content": [use]}
        block = {"type": "tool_result", "tool_use_id": "call_1", "content": "a.py"}
        result = {"role": "user", "content": [block]}
    history: list[Any] = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    for calls, steps in ((True, [call, result]), (False, [])):
        place.upstream.calls = calls
        body = {"model": "m", "stream": stream, "messages": history}
        httpx.post(f"{place.address}{path}", json=body, headers=headers(), timeout=60)
        turns(place, "s", 2)
        history = [*history, *steps]
    first, second = (json.dumps(one["messages"][-1]) for one in place.upstream.asked)
    assert "Staging runs Postgres 16." in first
    memory = first[first.index("Memory of earlier") : first.index("Staging")]
    assert memory in second
    (turn,) = turns(place, "s", 3)
    assert ["ls"] == [one.name for one in turn.tool_calls]
    assert "a.py" == turn.tool_calls[0].result
    words = [one.content.strip() for one in turn.messages if one.content.strip()]
    assert [QUESTION, SAID] == words


def test_a_conversation_without_a_name_is_known_by_how_it_began(place: SimpleNamespace) -> None:
    """Clients send all that was said before; each message is kept once."""
    history: list[dict[str, str]] = []
    for words in ("Let us talk about boats.", "继续", "继续"):
        history.append({"role": "user", "content": words})
        answer = httpx.post(
            f"{place.address}/v1/chat/completions",
            json={"model": "m", "messages": history},
            timeout=60,
        )
        told = answer.headers["smartbrain-status"]
        session = told.partition("session=")[2].partition(";")[0]
        assert session.startswith("chat-")
        kept = turns(place, session, len(history) + 1)
        history.append(answer.json()["choices"][0]["message"])
    assert ["Let us talk about boats.", "继续", "继续"] == [
        turn.messages[0].content for turn in kept
    ]
    assert [2, 2, 2] == [len(turn.messages) for turn in kept]


def test_a_request_that_is_sent_again_is_kept_once(place: SimpleNamespace) -> None:
    """A retry of a client, or a second try of the user, is the same turn."""
    body = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
    for _ in range(2):
        httpx.post(f"{place.address}/v1/chat/completions", json=body, headers=headers(), timeout=60)
        turns(place, "s", 2)
    time.sleep(0.3)
    (turn,) = turns(place, "s", 2)
    assert 2 == len(turn.messages)


def test_the_same_words_much_later_are_a_turn_of_their_own(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question of every morning is asked anew each time."""
    monkeypatch.setattr("smartbrain.entrypoints.proxy.app.LATELY", -1.0)
    body = {"model": "m", "messages": [{"role": "user", "content": "今天有什么安排？"}]}
    for messages in (2, 4):
        httpx.post(f"{place.address}/v1/chat/completions", json=body, headers=headers(), timeout=60)
        kept = turns(place, "s", messages)
    assert [2, 2] == [len(turn.messages) for turn in kept]


def test_what_is_not_understood_passes_as_it_came(place: SimpleNamespace) -> None:
    """Other addresses, broken bodies and answers begun by the client are none of memory's."""
    assert 200 == httpx.get(f"{place.address}/v1/models", timeout=60).status_code
    begun = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "It is"}]
    for messages in (begun, [], "no list", [{"role": "user", "content": ""}]):
        body = {"model": "m", "messages": messages}
        answer = httpx.post(f"{place.address}/v1/messages", json=body, timeout=60)
        assert "passed" == answer.headers["smartbrain-status"]
        assert body == place.upstream.asked[-1]


def test_a_refusal_of_the_model_is_told_and_nothing_is_kept(place: SimpleNamespace) -> None:
    """The client sees the model's own error; what was not answered will be asked again."""
    place.upstream.status = 429
    client = OpenAI(base_url=f"{place.address}/v1", api_key="k", max_retries=0)
    with pytest.raises(APIStatusError, match="slow down") as caught:
        client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": QUESTION}], extra_headers=headers()
        )
    client.close()
    assert 429 == caught.value.status_code
    time.sleep(0.2)
    assert [] == list(place.brain.sessions.turns("s"))


def test_a_model_is_asked_even_if_memory_fails(
    place: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of memory is a word in a header, and the request goes as it came."""
    monkeypatch.setattr(SmartBrain, "compose_context", lambda *_, **__: 1 / 0)
    body = {"model": "m", "messages": [{"role": "user", "content": QUESTION}]}
    answer = httpx.post(
        f"{place.address}/v1/chat/completions", json=body, headers=headers(), timeout=60
    )
    assert SAID == answer.json()["choices"][0]["message"]["content"]
    assert answer.headers["smartbrain-status"].startswith("failed internal")
    assert body == place.upstream.asked[0]
    (turn,) = turns(place, "s", 2)
    assert 2 == len(turn.messages)


def test_tenants_are_apart_and_keys_are_for_the_proxy(tmp_path: Path) -> None:
    """A header names the tenant; with keys the proxy asks for its own, not for the model's."""
    upstream, root = Upstream(), Root(tmp_path)
    keys = ApiKeys(root.path, root.clock)
    with served_here(upstream.app) as api, served_here(make_proxy(root, keys, api)) as address:
        body = {"model": "m", "messages": [{"role": "user", "content": "I live in Turin."}]}

        def ask(**more: str) -> httpx.Response:
            url = f"{address}/v1/chat/completions"
            named = {name.replace("_", "-"): value for name, value in more.items()}
            return httpx.post(url, json=body, headers=named, timeout=60)

        assert 200 == ask(SmartBrain_Tenant="a", SmartBrain_Session="s").status_code
        key = keys.add(["a"])[1]
        assert 401 == ask(authorization="Bearer sk-of-the-model").status_code
        asked = len(upstream.asked)
        assert 401 == ask(authorization=f"Bearer {key}").status_code
        assert asked == len(upstream.asked)  # our key never goes to the model's API
        assert {"status": "ok"} == httpx.get(f"{address}/healthz", timeout=60).json()
        assert 401 == httpx.get(f"{address}/v1/models", timeout=60).status_code
        assert 403 == ask(SmartBrain_Key=key, SmartBrain_Tenant="b").status_code
        assert 200 == ask(SmartBrain_Key=key, SmartBrain_Tenant="a").status_code
    assert {"a"} == set(SmartBrain.tenants(tmp_path))


@pytest.mark.spec("S8")
def test_a_key_or_a_user_names_the_tenant(tmp_path: Path) -> None:
    """A header goes before the key of one tenant, that before the user, and that before ours."""
    upstream, root = Upstream(), Root(tmp_path)
    keys = ApiKeys(root.path, root.clock)
    app = make_proxy(
        root,
        keys,
        "http://model",
        use=ProxyUse("ours", tenant_by_user=True),
        transport=httpx.ASGITransport(upstream.app),
    )
    mine, both = keys.add(["mine"])[1], keys.add(["a", "b"])[1]
    every = keys.add(["*"])[1]
    with served_here(app) as address:

        def ask(key: str, *, header: str | None = None, **fields: Any) -> int:
            body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], **fields}
            told = {"SmartBrain-Key": key} | ({"SmartBrain-Tenant": header} if header else {})
            url = f"{address}/v1/chat/completions"
            return httpx.post(url, json=body, headers=told, timeout=60).status_code

        for key, header, fields, tenant in (
            (mine, None, {"user": "other"}, "mine"),
            (every, "named", {"user": "other"}, "named"),
            (every, None, {"user": "ann"}, "ann"),
            (every, None, {"safety_identifier": "bob"}, "bob"),
            (every, None, {"metadata": {"user_id": "cem"}}, "cem"),
            (every, None, {"user": 7, "metadata": []}, "ours"),
            (both, None, {"user": "b"}, "b"),
        ):
            before = set(SmartBrain.tenants(tmp_path))
            assert 200 == ask(key, header=header, **fields)
            assert {tenant} == set(SmartBrain.tenants(tmp_path)) - before
        asked = len(upstream.asked)
        assert 403 == ask(mine, header="ann")
        assert 403 == ask(both, user="ann")
        assert 403 == ask(both)
        assert 403 == ask(keys.add(["ours"], verbs=["recall"])[1])
        assert 401 == ask(mine[:-1])
        assert (
            400
            == httpx.post(
                f"{address}/v1/messages",
                json={"messages": []},
                headers={"SmartBrain-Key": mine, "SmartBrain-Place": "top"},
                timeout=60,
            ).status_code
        )
        assert asked == len(upstream.asked)
        assert 200 == ask(keys.add(["ours"], verbs=["compose_context", "commit_turn"])[1])


def test_the_user_field_names_no_tenant_unless_it_may(place: SimpleNamespace) -> None:
    """It tells conversations apart that begin with the same words, and nothing else."""
    client = Anthropic(base_url=place.address, api_key="k", max_retries=0)
    sessions = set()
    for user in ("ann", "bob", "ann"):
        told = client.messages.with_raw_response.create(
            model="m",
            max_tokens=9,
            metadata={"user_id": user},
            messages=[{"role": "user", "content": QUESTION}],
        )
        sessions.add(told.headers["smartbrain-status"].split("; ")[1])
    client.close()
    assert 2 == len(sessions)
    assert {"default"} == set(SmartBrain.tenants(place.root.path))


def test_an_api_that_does_not_answer_is_told(tmp_path: Path) -> None:
    """The client gets an error that it understands, with the status of memory."""
    root = Root(tmp_path)
    app = make_proxy(root, ApiKeys(root.path, root.clock), "http://127.0.0.1:9")
    with served_here(app) as address:
        body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        answer = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=60)
    assert 502 == answer.status_code
    assert "did not answer" in answer.json()["error"]["message"]
    run = memctl("proxy", "--upstream", "nowhere", folder=tmp_path)
    assert 2 == run.code


class Sent(httpx.AsyncByteStream):
    """The bytes of an answer, of which more was to come where it breaks off."""

    def __init__(self, content: bytes, *, breaks_off: bool = False) -> None:
        self.content = content
        self.breaks_off = breaks_off

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield them."""
        yield self.content
        if self.breaks_off:
            raise httpx.ReadError("gone")


def test_bytes_that_are_no_text_pass_as_they_are(tmp_path: Path) -> None:
    """Questions and answers that memory cannot read are the model's and the client's affair."""
    body = b'{"model": "m", "messages": [{"role": "user", "content": "%b"}]}'
    sent: list[bytes] = []
    told = b'data: {"choices": [{"index": 0, "delta": {"content": "It runs"}}]}\n\n'
    answers = [
        Sent(b'{"choices": [{"message": {"content": "\xff"}}]}'),
        Sent(b'data: {"a": "\xff"}\n\n'),
        Sent(b"data: " + b"[" * 100_000 + b"\n\n"),
        Sent(told, breaks_off=True),
    ]

    def model(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        kind = "text/event-stream" if len(sent) > 1 else "application/json"
        return httpx.Response(200, stream=answers[len(sent) - 1], headers={"content-type": kind})

    root = Root(tmp_path)
    keys, api = ApiKeys(root.path, root.clock), httpx.MockTransport(model)
    with served_here(make_proxy(root, keys, "http://model", transport=api)) as address:

        def ask(words: bytes) -> httpx.Response:
            kind = {"content-type": "application/json", **headers()}
            url = f"{address}/v1/chat/completions"
            return httpx.post(url, content=body % words, headers=kind, timeout=60)

        assert "passed" == ask(b"\xff").headers["smartbrain-status"]
        assert body % b"\xff" == sent[0]
        for answer in answers[1:3]:
            assert answer.content == ask(QUESTION.encode()).content
        with pytest.raises(httpx.RemoteProtocolError):
            ask(b"Is it up?")
    with SmartBrain.open(tmp_path) as brain:
        said = [[one.content for one in turn.messages] for turn in brain.sessions.turns("s")]
    assert [[QUESTION], ["Is it up?", "It runs"]] == said


def test_memory_changes_nothing_but_the_end_of_a_request() -> None:
    """All before the last message stays as it is, so that the provider's cache stays warm."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    parts = [{"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}}, picture]
    for last in ({"role": "user", "content": parts}, {"role": "tool", "content": "x"}):
        asked = {"model": "m", "messages": [{"role": "user", "content": "look"}, last]}
        given = json.dumps(asked)
        made = with_memory(asked, "MEMORY")
        assert given == json.dumps(asked)
        before = json.dumps(asked["messages"])[:-1].rstrip("]}")
        assert json.dumps(made["messages"]).startswith(before)
    reminder = {"role": "system", "content": "Be kind."}
    asked = {"messages": [{"role": "user", "content": "look"}, reminder]}
    first, last = with_memory(asked, "MEMORY")["messages"]
    assert ("MEMORY", reminder) == (first["content"][-1]["text"], last)
    assert "MEMORY" == with_memory(asked, "MEMORY", "system")["messages"][1]["content"][-1]["text"]
    found = find_turn(asked)
    assert found is not None
    assert ("look", []) == (found.words, found.steps)
    assert find_turn({"messages": [{"role": "user", "content": parts}]}).words == "look"  # type: ignore[union-attr]
