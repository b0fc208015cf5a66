"""The three APIs that the proxy understands: the question, the place of memory, the answer.

In: the JSON of a request; the bytes of an answer, whole or as server-sent events. Out: the turn
that is spoken, the same request with memory behind everything else, the answer as one message. What
is not understood is None, and passes through as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec

UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What is raised for JSON that is none, is not in UTF-8, or is too deep."""
_MOST_ASIDE: Final = 16 * 1024 * 1024
"""Bytes of an answer that are read aside at most; more of it still passes."""
_CALLS: Final = ("function_call", "custom_tool_call")
_SYSTEM: Final = ("system", "developer")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_FINAL: Final = ("response.completed", "response.incomplete")


class OpenTurn(NamedTuple):
    """The turn that a request is about: the messages before it, its prompt, its steps so far."""

    before: list[Any]
    message: Mapping[str, Any]
    steps: list[Any]
    words: str
    turn_id: str | None = None
    """Where it is stored, if that was looked up."""


def find_turn(request: Mapping[str, Any]) -> OpenTurn | None:
    """Return the turn that a request is about; none where the last word is not the user's side."""
    messages = request.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return None
    spoken = [message for message in messages if message.get("role") not in _SYSTEM]
    if not spoken or spoken[-1].get("role") not in ("user", "tool"):
        return None
    return _last_turn(spoken)


def find_item_turn(request: Mapping[str, Any]) -> OpenTurn | None:
    """Return the turn of a request whose input is text, or items such as results of calls."""
    items = [item for item in _input_items(request) if item.get("role") not in _SYSTEM]
    if not items or not (items[-1].get("role") == "user" or is_tool_output(items[-1])):
        return None
    return _last_turn([item for item in items if "role" in item or _is_call_or_output(item)])


def tool_outputs(request: Mapping[str, Any]) -> list[Any]:
    """Return the results of calls that a request consists of; none where it has something else."""
    items = _input_items(request)
    return items if all(map(is_tool_output, items)) else []


def is_tool_output(item: Mapping[str, Any]) -> bool:
    """Tell whether an item is the result of a call."""
    return item.get("type") in _OUTPUTS


def _input_items(request: Mapping[str, Any]) -> list[Any]:
    given = request.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        return []
    return given


def _is_call_or_output(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _CALLS or is_tool_output(item)


def _last_turn(messages: list[Any]) -> OpenTurn | None:
    for place in range(len(messages) - 1, -1, -1):
        words = user_words(messages[place])
        if words:
            return OpenTurn(messages[:place], messages[place], messages[place + 1 :], words)
    return None


def user_words(message: Mapping[str, Any]) -> str:
    """Return what a user says in a message; results of tools are nobody's words."""
    if message.get("role") != "user":
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict)
        and part.get("type") in ("text", "input_text")
        and isinstance(part.get("text"), str)
    ]
    return "\n\n".join(texts).strip()


def without_marks(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message without its marks for the provider's cache, which change by request."""
    content = message.get("content")
    if not isinstance(content, list):
        return dict(message)
    parts = [
        {name: value for name, value in part.items() if name != "cache_control"}
        if isinstance(part, dict)
        else part
        for part in content
    ]
    return {**message, "content": parts}


def user_of(request: Mapping[str, Any]) -> str:
    """Return the user that a request names in a field of its API, if it names one."""
    metadata = request.get("metadata")
    named = [request.get("user"), request.get("safety_identifier")]
    named += [metadata.get("user_id")] if isinstance(metadata, dict) else []
    return next((user for user in named if user and isinstance(user, str)), "")


def with_memory(request: Mapping[str, Any], memory: str, role: str = "user") -> dict[str, Any]:
    """Return a request with memory as its last words: all before stays in the provider's cache.

    They are the user's, behind those of the user's last message, or a message of the system.
    """
    block = {"type": "text", "text": memory}
    return {**request, "messages": _with_last_words(request["messages"], role, block, memory)}


def with_memory_item(request: Mapping[str, Any], memory: str, role: str = "user") -> dict[str, Any]:
    """Return a request with memory as the last words of its input."""
    block = {"type": "input_text", "text": memory}
    return {**request, "input": _with_last_words(_input_items(request), role, block, [block])}


def _with_last_words(
    messages: list[Any], role: str, block: Mapping[str, Any], alone: object
) -> list[Any]:
    """Return messages with a block of a role behind them; what the system says last stays last."""
    end = len(messages)
    while role == "user" and messages[end - 1].get("role") in _SYSTEM:
        end -= 1
    *earlier, last = messages[:end]
    if last.get("role") == role:
        content = last.get("content")
        own = [{**block, "text": content}] if isinstance(content, str) else list(content or ())
        return [*earlier, {**last, "content": [*own, block]}, *messages[end:]]
    return [*earlier, last, {"role": role, "content": alone}, *messages[end:]]


class AnswerReader:
    """Reads an answer aside while its bytes pass: server-sent events, or one JSON document."""

    def __init__(self, dialect: Dialect, *, is_stream: bool) -> None:
        self._dialect = dialect
        self._is_stream = is_stream
        self._pieces: list[bytes] = []  # of the line, or the document, that is not whole yet
        self._seen = 0
        self._events: list[Any] = []

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; beyond what is read aside they only pass."""
        self._seen += len(chunk)
        if self._seen > _MOST_ASIDE:
            return
        if not self._is_stream:
            self._pieces.append(chunk)
            return
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._read_line(b"".join([*self._pieces, end]))
            self._pieces = []
        self._pieces.append(rest)

    def message(self) -> dict[str, Any] | None:
        """Return the answer as one message, as far as it came; none where nothing was said."""
        if self._is_stream:
            return self._dialect.join(self._events)
        told = self._document()
        return self._dialect.whole(told) if isinstance(told, dict) else None

    def response_id(self) -> str:
        """Return the id that a later request may go on from, if the API gives answers such ids."""
        if not self._dialect.is_continued:
            return ""
        told = self._document() if not self._is_stream else _final_response(self._events)
        number = told.get("id") if isinstance(told, dict) else None
        return number if isinstance(number, str) else ""

    def _document(self) -> Any:
        try:
            return msgspec.json.decode(b"".join(self._pieces))
        except UNREADABLE:
            return None

    def _read_line(self, line: bytes) -> None:
        """Keep the data of an event, if a line has some; `[DONE]` and the like are none."""
        if line.startswith(b"data:"):
            with suppress(*UNREADABLE):
                self._events.append(msgspec.json.decode(line[len(b"data:") :].strip()))


class Dialect(NamedTuple):
    """One API: its turn, where memory goes in, and how it answers, whole and in events."""

    find: Callable[[Mapping[str, Any]], OpenTurn | None]
    add: Callable[[Mapping[str, Any], str, str], dict[str, Any]]
    whole: Callable[[Mapping[str, Any]], dict[str, Any] | None]
    join: Callable[[list[Any]], dict[str, Any] | None]
    is_continued: bool = False
    """Whether a request may name the answer that it goes on from, instead of repeating it."""


def _openai_whole(told: Mapping[str, Any]) -> dict[str, Any] | None:
    choices = told.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return None
    return _openai_message(message.get("content"), message.get("tool_calls"))


def _openai_join(events: list[Any]) -> dict[str, Any] | None:
    words: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    inputs: dict[int, list[str]] = {}
    for event in _objects(events):
        for choice in _objects(event.get("choices")):
            delta = choice.get("delta")
            if choice.get("index", 0) != 0 or not isinstance(delta, dict):
                continue
            words.append(str(delta.get("content") or ""))
            for part in _objects(delta.get("tool_calls")):
                place, function = part.get("index", len(calls)), part.get("function") or {}
                call = calls.setdefault(place, {"id": "", "name": ""})
                call["id"] = part.get("id") or call["id"]
                call["name"] = function.get("name") or call["name"]
                inputs.setdefault(place, []).append(function.get("arguments") or "")
    told = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": "".join(inputs[place])},
        }
        for place, call in calls.items()
    ]
    return _openai_message("".join(words), told)


def _openai_message(content: Any, calls: Any) -> dict[str, Any] | None:
    if not content and not calls:
        return None
    message: dict[str, Any] = {"role": "assistant", "content": content or None}
    return {**message, "tool_calls": calls} if calls else message


def _anthropic_whole(told: Mapping[str, Any]) -> dict[str, Any] | None:
    return _anthropic_message(told.get("content"))


def _anthropic_join(events: list[Any]) -> dict[str, Any] | None:
    blocks: dict[int, dict[str, Any]] = {}
    words: dict[int, list[str]] = {}
    for event in _objects(events):
        place = event.get("index", 0)
        if isinstance(event.get("content_block"), dict):
            blocks[place] = dict(event["content_block"])
            words[place] = [str(blocks[place].get("text") or "")]
        delta = event.get("delta")
        if place in blocks and isinstance(delta, dict):
            words[place].append(str(delta.get("text") or delta.get("partial_json") or ""))
    for place, block in blocks.items():
        text = "".join(words[place])
        if block.get("type") != "tool_use":
            block["text"] = text
        elif text:
            try:
                block["input"] = msgspec.json.decode(text)
            except UNREADABLE:
                block["input"] = {"text": text}
    return _anthropic_message(list(blocks.values()))


def _anthropic_message(blocks: Any) -> dict[str, Any] | None:
    """Return the words and the calls of an answer as a message; what a model thinks is not said."""
    kept = [
        {"type": "text", "text": block["text"]} if block.get("type") == "text" else block
        for block in _objects(blocks)
        if block.get("type") == "tool_use" or (block.get("type") == "text" and block.get("text"))
    ]
    return {"role": "assistant", "content": kept} if kept else None


def _response_whole(told: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the words and the calls of an answer as a message; what a model thinks is not said."""
    parts: list[Any] = []
    for item in _objects(told.get("output")):
        if item.get("type") == "message":
            parts += [part for part in _objects(item.get("content")) if part.get("text")]
        elif item.get("type") in _CALLS:
            parts.append(item)
    return {"role": "assistant", "content": parts} if parts else None


def _response_join(events: list[Any]) -> dict[str, Any] | None:
    """Return the answer as the last event tells it; of one that broke off, the words so far."""
    final = _final_response(events)
    if final:
        return _response_whole(final)
    words = [
        str(event.get("delta") or "")
        for event in _objects(events)
        if event.get("type") == "response.output_text.delta"
    ]
    return {"role": "assistant", "content": "".join(words)} if any(words) else None


def _final_response(events: list[Any]) -> dict[str, Any]:
    for event in _objects(events):
        response = event.get("response")
        if event.get("type") in _FINAL and isinstance(response, dict):
            return response
    return {}


def _objects(found: Any) -> Iterator[dict[str, Any]]:
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, dict))


DIALECTS: Final[Mapping[str, Dialect]] = {
    "/v1/chat/completions": Dialect(find_turn, with_memory, _openai_whole, _openai_join),
    "/v1/responses": Dialect(
        find_item_turn, with_memory_item, _response_whole, _response_join, is_continued=True
    ),
    "/v1/messages": Dialect(find_turn, with_memory, _anthropic_whole, _anthropic_join),
}
"""The calls that get memory, by their paths; anything else passes."""
