"""Messages that no provider gives: each is refused in one line that names its place.

In: messages that are wrong in one place. Out: a `UsageError`; the turn is not read at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from time import process_time
from typing import Any

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletionMessage

from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError
from smartbrain.remember.input import read_turn_events

HALF = "\ud83d"  # one half of an emoji, which UTF-8 cannot write
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


@dataclass
class Loop:
    """An object that holds itself."""

    role: str
    content: Any = None


LOOP = Loop("user")
LOOP.content = LOOP


class Broken:
    """An object whose fields cannot be had."""

    role = "user"

    def model_dump(self, **_options: Any) -> dict[str, Any]:
        raise ValueError("坏了\nbroken")


def content(*parts: Any, role: str = "user") -> dict[str, Any]:
    """Return a message of those parts."""
    return {"role": role, "content": list(parts)}


def use(**more: Any) -> dict[str, Any]:
    """Return a message that calls a tool, with some of the call's fields replaced."""
    return content({"type": "tool_use", "id": "t1", "name": "f", **more}, role="assistant")


def calls(value: Any) -> dict[str, Any]:
    """Return an assistant's message with those tool calls."""
    return {"role": "assistant", "content": None, "tool_calls": value}


def image(**source: Any) -> dict[str, Any]:
    """Return a message with an image of that source."""
    return content({"type": "image", "source": source})


WRONG: list[tuple[str, str, Any]] = [
    # what is wrong, the place that the sentence names, the message
    ("no role", "messages[0]", {"content": [{"type": "text", "text": "你好"}]}),
    ("a part for a message", "messages[0]", {"type": "text", "text": "你好"}),
    ("an unknown role with a result", "messages[0].role",
     content({"type": "tool_result", "tool_use_id": "t", "content": "x"}, role="工具")),
    ("no parts", "messages[0]", content()),
    ("an empty part", "messages[0]", content({"type": "text", "text": ""})),
    ("content a dict", "messages[0].content", {"role": "user", "content": {"type": "text"}}),
    ("a part that is text", "messages[0].content[0]", content("你好")),
    ("a part that is nothing", "messages[0].content[0]", content(None)),
    ("a part without a type", "messages[0].content[0]", content({"text": "x"})),
    ("a part whose type is a number", "messages[0].content[0]", content({"type": 5})),
    ("text that is a number", "messages[0].content[0].text", content({"type": "text", "text": 5})),
    ("text that is not there", "messages[0].content[0].text", content({"type": "text"})),
    ("half a character", "messages[0].content", content({"type": "text", "text": f"表情 {HALF}"})),
    ("half a character in a thought", "messages[0].content",
     content({"type": "thinking", "thinking": HALF})),
    ("half a character in a new block", "messages[0].content", content({"type": "x", "y": HALF})),
    ("half a character as a type", "messages[0].content", content({"type": HALF})),
    ("half a character in a call's name", "messages[0].content[0].name", use(name=HALF)),
    ("half a character in a call's id", "messages[0].content", use(id=HALF)),
    ("half a character in arguments", "messages[0].content[0].args", use(input={"a": HALF})),
    ("half a character in a result", "messages[0].result",
     {"role": "tool", "tool_call_id": "c", "content": HALF}),
    ("half a character in an SDK's message", "messages[0].content",
     ChatCompletionMessage.construct(role="assistant", content=HALF)),
    ("half a character in an SDK's block", "messages[0].content",
     Message.construct(role="assistant", content=[{"type": "text", "text": HALF}])),
    ("a block nested without end", "messages[0].content", content({"type": "x", "y": DEEP})),
    ("parts in parts without end", "messages[0].content[0]", content(DEEP)),
    ("arguments nested without end", "messages[0].content[0].args", use(input=DEEP)),
    ("an object that holds itself", "messages[0]", LOOP),
    ("an object that breaks", "messages[0]", Broken()),
    ("a class", "messages[0]", ChatCompletionMessage),
    ("tool_calls a dict", "messages[0].tool_calls", calls({"id": "c"})),
    ("a call that is text", "messages[0].tool_calls[0]", calls(["f"])),
    ("a call without a name", "messages[0].tool_calls[0].name", calls([{"id": "c"}])),
    ("a call with an empty name", "messages[0].content[0].name", use(name="")),
    ("a call whose id is a number", "messages[0].content[0]", use(id=5)),
    ("a call with a huge id", "messages[0].content[0].id", use(id="x" * 513)),
    ("bytes in arguments", "messages[0].content[0].args", use(input={"a": b"x"})),
    ("a result without an id", "messages[0].content[0]",
     content({"type": "tool_result", "content": "x"})),
    ("a result whose id is a number", "messages[0]",
     {"role": "tool", "tool_call_id": 5, "content": "x"}),
    ("a result that is a number", "messages[0].content",
     {"role": "tool", "tool_call_id": "c", "content": 5}),
    ("an image of nothing", "messages[0].content[0]", image(type="url")),
    ("an image whose URL is a number", "messages[0].content[0].url", image(type="url", url=5)),
    ("data that is not base64", "messages[0].content[0]", image(type="base64", data="图")),
    ("data that is cut off", "messages[0].content[0]", image(type="base64", data="AAE")),
    ("half a character in data", "messages[0].content[0]", image(type="base64", data=HALF)),
    ("half a character in a URL", "messages[0].content",
     image(type="url", url=f"https://{HALF}")),
]  # fmt: skip


def read(*messages: Any) -> Any:
    """Read messages as a turn."""
    return read_turn_events(list(messages), zone=UTC, types=BUILTIN_TYPES)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(
    ("place", "message"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_a_message_that_no_provider_gives_is_refused(place: str, message: Any) -> None:
    """One line, the place first in it, and the code of every wrong call."""
    with pytest.raises(UsageError) as caught:
        read(message)
    sentence = str(caught.value)
    assert place == sentence.replace(":", " ").split(" ")[0]
    assert ("usage", 1) == (caught.value.code, len(sentence.splitlines()))
    assert 20 < len(sentence) < 500
    assert sentence.encode()


@pytest.mark.spec("S1")
def test_the_place_counts_from_the_first_message() -> None:
    """A good message before a bad one does not hide it."""
    good = {"role": "user", "content": "你好"}
    with pytest.raises(UsageError, match=r"^messages\[2\].content\[1\].text must be text"):
        read(good, good, content({"type": "text", "text": "x"}, {"type": "text", "text": 1}))


@pytest.mark.spec("S1", "W6")
@pytest.mark.parametrize("name", ["t{}", "same"], ids=["own ids", "one id for all"])
def test_ten_thousand_calls_are_read_in_time_that_grows_with_their_number(name: str) -> None:
    """Pairing looks each call up; it does not search for it."""

    def seconds(count: int) -> float:
        ids = [name.format(n) for n in range(count)]
        uses = [
            {"type": "tool_use", "id": one, "name": "f", "input": {"号": n}}
            for n, one in enumerate(ids)
        ]
        results = [
            {"type": "tool_result", "tool_use_id": one, "content": f"结果 {n}"}
            for n, one in enumerate(ids)
        ]
        start = process_time()
        events, _ = read(content(*uses, role="assistant"), content(*results))
        taken = process_time() - start
        assert [(n, f"结果 {n}") for n in range(count)] == [
            (call.args["号"], call.result) for call in events.tool_calls
        ]
        return taken

    def best(count: int) -> float:
        return min(seconds(count) for _ in range(3))

    assert best(10_000) < 60 * max(best(1_000), 0.01)
