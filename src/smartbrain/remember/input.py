"""What a caller hands to `commit_turn`, read: checked, typed, nothing lost in silence (S1, W6).

In: a list of messages as OpenAI and Anthropic give them, dicts or objects of their SDKs, a dict of
turn events, or `TurnEvents`. Out: `TurnEvents` without ids: messages of plain text, tool calls
paired with their results, refs for images and files; and a reason for every field that was not
understood. Bytes are not stored: they are named by a hash. Wrong input is a `UsageError` that names
the place and what to change, before anything is written.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes

from msgspec.structs import replace

from smartbrain.domain.hints import shown
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import read_time
from smartbrain.domain.turn import (
    RESERVED,
    CallStatus,
    Marked,
    Message,
    Ref,
    RefType,
    Role,
    ToolCall,
    TurnEvents,
)
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import LONGEST_ID, as_mapping, present, read_text, text_of

_TURN: Final = frozenset({"at", "messages", "tool_calls", "refs"})
_MESSAGE: Final = {
    "role": "role",
    "content": "content",
    "name": "name",
    "id": "external_id",
    "model": "model",
    "meta": "meta",
}
"""The fields of a caller's message, and where a typed one holds them."""
_OUTCOME: Final = ("result", "status", "stdout", "stderr", "exit_code", "owner")
_CALL: Final = {"id": "call_id", **{name: name for name in ("name", "args", *_OUTCOME)}}
_REF: Final = {name: name for name in ("ref_type", "ref_uri", "ref_meta")}
_EXIT_CODES: Final = range(-(2**63), 2**63)  # what a column holds; the widest of any system
_Choice = TypeVar("_Choice", bound=StrEnum)


def read_turn_events(
    given: object, *, zone: tzinfo, types: TypeRegistry
) -> tuple[TurnEvents, tuple[Reason, ...]]:
    """Read turn events in any of the forms a caller may use; an error names the malformed part."""
    mark: dict[str, Any] = {}
    if isinstance(given, Marked):
        mark = {given.mark: True}
        given = given.events
    if isinstance(given, TurnEvents):
        given = _plain(given)
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        given = {"messages": given}
    if not isinstance(given, Mapping):
        raise UsageError(
            f"turn_events is a list of messages or a dict with 'messages', not {_kind(given)}"
        )
    ignored: list[Reason] = []
    at = given.get("at")
    proposals = {name: given[name] for name in given if name == "retractions" or name in types}
    pairs, messages, refs = CallPairs(ignored), list[Message](), list[Placed]()
    for part, where in _parts(given, "messages"):
        said = _Said(where, pairs, ignored)
        shaped = said.shape(_with_role(present(part, where)))
        if shaped is not None:
            message = _message(shaped, where, said.kept, ignored)
            messages.append(replace(message, meta={**message.meta, **mark}))
        refs += said.refs
    calls = pairs.merged(_parts(given, "tool_calls"))
    refs += _parts(given, "refs")
    events = TurnEvents(
        at=None if at is None else read_time(at, zone, "at"),
        messages=tuple(messages),
        tool_calls=tuple(_call(*part, ignored) for part in calls),
        refs=tuple(_ref(*part, ignored) for part in refs),
        proposals=_proposals(proposals, types),
    )
    _unknown(given, _TURN.union(proposals), "", ignored)
    if not (events.messages or events.tool_calls or events.refs or events.proposals):
        raise UsageError("the turn is empty; give at least one message, tool call or ref")
    return events, tuple(ignored)


def _plain(events: TurnEvents) -> dict[str, Any]:
    return {
        "at": events.at,
        "messages": [_fields(one, _MESSAGE) for one in events.messages],
        "tool_calls": [_fields(one, _CALL) for one in events.tool_calls],
        "refs": [_fields(one, _REF) for one in events.refs],
        **events.proposals,
    }


def _fields(part: object, names: Mapping[str, str]) -> dict[str, Any]:
    return {name: getattr(part, attribute) for name, attribute in names.items()}


def _parts(given: Mapping[str, Any], name: str) -> list[tuple[Mapping[str, Any], str]]:
    value = given.get(name)
    if value is None:
        return []
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise UsageError(f"{name} must be a list, not {_kind(value)}")
    parts = []
    for index, part in enumerate(value):
        where = f"{name}[{index}]"
        typed = isinstance(part, Message)
        fields = _fields(part, _MESSAGE) if typed else as_mapping(part, where)
        if fields is None:
            raise UsageError(f"{where} must be a dict, not {_kind(part)}")
        parts.append((fields, where))
    return parts


def _message(
    part: Mapping[str, Any], where: str, kept: Mapping[str, Any], ignored: list[Reason]
) -> Message:
    if part.get("role") is None:
        raise UsageError(f"{where} lacks 'role'; give one of {', '.join(Role)}")
    content = part.get("content")
    meta = _with_unknown(part, where, ignored)
    for field_name, value in kept.items():
        _json(value, f"{where}.content")
        free = field_name
        while free in meta:  # a name that the caller has taken
            free += "_"
        meta[free] = value
    return Message(
        id="",
        role=_choice(Role, part["role"], f"{where}.role"),
        content="" if content is None else read_text(content, f"{where}.content", empty=True),
        name=_optional_text(part, "name", where, LONGEST_ID),
        external_id=_optional_text(part, "id", where, LONGEST_ID),
        model=_optional_text(part, "model", where, LONGEST_ID),
        meta=meta,
    )


def _with_unknown(part: Mapping[str, Any], where: str, ignored: list[Reason]) -> Any:
    """Read a message's meta and keep in it, under their names, the fields we do not know.

    Providers' messages carry more than we read; none of it may be lost.
    """
    meta = _details(part.get("meta"), f"{where}.meta")
    unknown = {
        read_text(str(name), f"a field's name in {where}", longest=LONGEST_ID, empty=True): value
        for name, value in part.items()
        if name not in _MESSAGE
    }
    whole = {**unknown, **meta}
    reserved = [name for name in whole if name.startswith(RESERVED)]
    ignored.extend(
        Reason("reserved_name", f"{where}: only the library itself sets {name:.60}; not stored")
        for name in reserved
    )
    for name, value in unknown.items():
        _json(value, f"{where}.{name}")
        if name not in reserved:
            told = f"{where}.{name} is not a field we know; kept in its meta"
            ignored.append(Reason("kept_in_meta", told))
    return {name: value for name, value in whole.items() if name not in reserved}


def _call(part: Mapping[str, Any], where: str, ignored: list[Reason]) -> ToolCall:
    _unknown(part, _CALL, where, ignored)
    result = part.get("result")
    exit_code = part.get("exit_code")
    if exit_code is not None and (type(exit_code) is not int or exit_code not in _EXIT_CODES):
        raise UsageError(f"{where}.exit_code must be a whole number, not {shown(exit_code)}")
    status = part.get("status")
    if status is None:
        status = {None: CallStatus.UNKNOWN, 0: CallStatus.OK}.get(exit_code, CallStatus.ERROR)
    return ToolCall(
        id="",
        name=read_text(part.get("name"), f"{where}.name", longest=LONGEST_ID),
        call_id=_optional_text(part, "id", where, LONGEST_ID),
        args=_json(part.get("args"), f"{where}.args"),
        status=_choice(CallStatus, status, f"{where}.status"),
        exit_code=exit_code,
        result=_json(result, f"{where}.result"),
        result_json=not (result is None or isinstance(result, str)),
        stdout=_optional_text(part, "stdout", where),
        stderr=_optional_text(part, "stderr", where),
        owner=_optional_text(part, "owner", where, LONGEST_ID) or "main",
    )


def _ref(part: Mapping[str, Any], where: str, ignored: list[Reason]) -> Ref:
    _unknown(part, _REF, where, ignored)
    return Ref(
        id="",
        ref_type=_choice(RefType, part.get("ref_type"), f"{where}.ref_type"),
        ref_uri=read_text(part.get("ref_uri"), f"{where}.ref_uri"),
        ref_meta=_details(part.get("ref_meta"), f"{where}.ref_meta"),
    )


def _proposals(proposals: Mapping[str, Any], types: TypeRegistry) -> dict[str, Any]:
    """Read the lists of proposed memories and retractions, each checked against its type."""
    read: dict[str, Any] = {}
    for name in sorted(proposals):
        parts = _parts(proposals, name)
        plain = [_json(part, where) for part, where in parts]
        for part, where in parts:
            if name == "retractions" and part.get("type") in (None, ""):
                names = ", ".join(types.names())
                raise UsageError(f"{where}: `type` is missing; use one of {names}")
            try:
                if name == "retractions":
                    types.get(part["type"]).check_key(part.get("key", ""))
                else:
                    types.get(name).check_proposal(part)
            except UsageError as error:
                raise UsageError(f"{where}: {error.message}", code=error.code) from error
        if parts:
            read[name] = plain
    return read


def _unknown(
    part: Mapping[str, Any], known: Container[str], where: str, ignored: list[Reason]
) -> None:
    """Report the fields that mean nothing here; they are not an error, a newer caller has them."""
    for name in part:
        if name not in known:
            place = f"a field's name in {where or 'turn_events'}"
            field = read_text(str(name), place, longest=LONGEST_ID, empty=True)
            place = f"{where}.{field}" if where else field
            ignored.append(Reason("unknown_field", f"{place} is not a field we know; not stored"))


def _choice(kind: type[_Choice], value: object, where: str) -> _Choice:
    try:
        return kind(str(value))
    except ValueError:
        raise UsageError(
            f"{where} is {shown(value)}; it must be one of {', '.join(kind)}"
        ) from None


def _optional_text(
    part: Mapping[str, Any], name: str, where: str, longest: int | None = None
) -> str | None:
    value = part.get(name)
    place = f"{where}.{name}"
    return None if value is None else read_text(value, place, longest=longest, empty=True)


def _details(value: Any, where: str) -> Any:
    """Read the dict of whatever else a caller keeps with a part; it may be absent."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} must be a dict, not {_kind(value)}")
    return _json(value, where)


def _json(value: Any, where: str) -> Any:
    """Return a value that JSON can hold as it will be stored: what is read once is read again."""
    try:
        text = canonical_json(value)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}") from None
    if _holds_bytes(value):
        raise UsageError(
            f"{where} holds bytes; decode them, or keep them in a file and refer to it"
        )
    return json.loads(text)


def _holds_bytes(value: Any) -> bool:
    """Tell whether there are bytes in a value, which would come back as something else."""
    if isinstance(value, Mapping):
        return any(map(_holds_bytes, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_bytes, value))
    return isinstance(value, bytes)


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


_TEXT: Final = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "refusal": "refusal",
}
"""Parts that are text, each with the field that holds it."""
_THINKING: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALLS: Final = frozenset({"tool_use", "function_call", "custom_tool_call"})
_RESULTS: Final = frozenset({"tool_result", "function_call_output", "custom_tool_call_output"})
_ITEMS: Final = ("reasoning", "_call", "_call_output")
"""How the types of OpenAI's response items end that stand for themselves, without a role."""
_MEDIA: Final = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
"""Parts that become refs, each with what it shows."""
_HOLDERS: Final = ("source", "image_url", "input_audio", "file")
_LOCATORS: Final = ("data", "file_data", "url", "image_url", "file_url", "file_id", "id")


def _with_role(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a message; an item of OpenAI's responses becomes the only part of one."""
    kind = fields.get("type")
    if "role" not in fields and isinstance(kind, str) and kind.endswith(_ITEMS):
        role = Role.TOOL if kind.endswith("_output") else Role.ASSISTANT
        return {"role": role, "content": [fields]}
    if kind == "message":
        del fields["type"]
    return fields


@dataclass(slots=True)
class _Said:
    """What is gathered from one message, part by part."""

    where: str
    pairs: CallPairs
    ignored: list[Reason]
    texts: list[str] = field(default_factory=list)
    refs: list[Placed] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    answers: int = 0
    calls: int = 0

    def shape(self, fields: dict[str, Any]) -> dict[str, Any] | None:
        """Return a message whose content is text; None if it only carried results of calls."""
        where = self.where
        content = fields.pop("content", None)
        role = fields.get("role")
        if role == Role.TOOL and fields.get("tool_call_id"):
            self._answer(fields, content)
        elif isinstance(content, list | tuple):
            for number, part in enumerate(content):
                self._part(part, f"{where}.content[{number}]")
        elif isinstance(content, str):
            self.texts.append(content)
        elif content is not None:
            raise UsageError(
                f"{where}.content must be text or a list of parts, not {type(content).__name__}"
            )
        self._beside(fields)
        bare = not (any(self.texts) or self.calls or self.kept)
        carrier = fields.keys() == {"role"} and fields["role"] in (Role.USER, Role.TOOL)
        if bare and self.answers and carrier:
            return None
        listed = isinstance(content, list | tuple) and not self.answers
        if bare and listed and fields.keys() <= {"role", "name"}:
            raise UsageError(f"{where} is empty; give it some content or leave it out")
        return {**fields, "content": "\n\n".join(filter(None, self.texts))}

    def _beside(self, fields: dict[str, Any]) -> None:
        """Read what OpenAI puts beside the content: calls and a refusal."""
        where = self.where
        calls = fields.pop("tool_calls", ())
        if not isinstance(calls, list | tuple):
            raise UsageError(f"{where}.tool_calls must be a list, not {type(calls).__name__}")
        for number, call in enumerate(calls):
            self._call(call, f"{where}.tool_calls[{number}]")
        if isinstance(fields.get("refusal"), str):
            self.texts.append(fields.pop("refusal"))
            self.kept["refusal"] = True

    def _part(self, part: object, where: str) -> None:
        block, kind = _typed(part, where)
        if kind in _CALLS:
            self._call(block, where)
        elif kind in _RESULTS:
            self._result(block, where)
        else:
            self._shown(block, kind, where, self.texts)

    def _shown(
        self, block: dict[str, Any], kind: str, where: str, texts: list[str], **more: Any
    ) -> None:
        """Read a part that shows something: text, an image, a thought, or what we do not know."""
        source = as_mapping(block.get("source"), where) or {}
        if kind in _TEXT:
            texts.append(text_of(block.get(_TEXT[kind]), f"{where}.{_TEXT[kind]}"))
            if kind == "refusal":
                self.kept["refusal"] = True
        elif kind in _MEDIA and source.get("type") not in ("text", "content"):
            self._refer(block, where, **more)
        elif kind in _THINKING:
            self.kept.setdefault("thinking", []).append({**block, **more})
        else:
            self.kept.setdefault("parts", []).append({**block, **more})
            told = f"{where} is a part of type {shown(kind)}; kept in its meta"
            self._reason("kept_in_meta", told)

    def _refer(self, block: dict[str, Any], where: str, **more: Any) -> None:
        """Make a ref of an image, a sound or a file; its bytes are named by their hash."""
        ref = _media_ref(block, where)
        ref["ref_meta"].update(more)
        self.refs.append((ref, where))
        if not more:
            self.kept.setdefault("refs", []).append(ref["ref_uri"])
        if "bytes" in ref["ref_meta"]:
            size = ref["ref_meta"]["bytes"]
            told = f"{where} holds {size:,} bytes; their hash is kept as a ref"
            self._reason("bytes_not_kept", told)

    def _call(self, given: object, where: str) -> None:
        call = as_mapping(given, where)
        if call is None:
            raise UsageError(f"{where} must be a dict, not {type(given).__name__}")
        inner = as_mapping(call.get("function") or call.get("custom"), where) or call
        call_id = _id(call.get("call_id") or call.get("id"), where)
        name = text_of(inner.get("name"), f"{where}.name")
        args = next((inner[key] for key in ("input", "args") if key in inner), None)
        if "arguments" in inner:
            args = self._arguments(inner["arguments"], where)
        self.pairs.add_call(call_id, name, args, where)
        self.calls += 1
        if call_id is not None:
            self.kept.setdefault("tool_calls", []).append(call_id)

    def _arguments(self, given: Any, where: str) -> Any:
        if not isinstance(given, str) or not given.strip():
            return given
        try:
            parsed = json.loads(given)
            canonical_json(parsed)
        except (ValueError, RecursionError):  # UsageError is a ValueError
            told = f"{where}.arguments is no JSON that can be stored; its text is kept as it is"
            self._reason("arguments_not_json", told)
            return given
        return parsed

    def _result(self, block: dict[str, Any], where: str) -> None:
        call_id = _id(block.get("tool_use_id") or block.get("call_id"), where)
        name = _id(block.get("name"), where)
        if call_id is None and name is None:
            raise UsageError(f"{where} lacks the id of its call; give it as the provider did")
        content = block.get("content", block.get("output"))
        result = self._output(content, where, call_id)
        failed = block.get("is_error") is True
        self.pairs.add_result(call_id, name, result, failed=failed, where=where)
        self.answers += 1

    def _answer(self, fields: dict[str, Any], content: object) -> None:
        call_id = _id(fields.pop("tool_call_id"), self.where)
        name = _id(fields.get("name"), self.where)
        failed = fields.pop("is_error", None) is True
        result = self._output(content, self.where, call_id)
        called = self.pairs.add_result(call_id, name, result, failed=failed, where=self.where)
        self.answers += 1
        if called == name:
            fields.pop("name", None)
        if self.kept or fields.keys() != {"role"}:
            self.kept["tool_call_id"] = call_id

    def _output(self, content: object, where: str, call_id: str | None) -> str | None:
        """Return the text of a result; what else it shows becomes refs of its call."""
        if content is None or isinstance(content, str):
            return content
        if not isinstance(content, list | tuple):
            kind = type(content).__name__
            raise UsageError(f"{where}.content must be text or a list of parts, not {kind}")
        texts: list[str] = []
        for number, part in enumerate(content):
            place = f"{where}.content[{number}]"
            block, kind = _typed(part, place)
            self._shown(block, kind, place, texts, call_id=call_id)
        return "\n\n".join(filter(None, texts)) if texts or not content else None

    def _reason(self, code: str, sentence: str) -> None:
        self.ignored.append(Reason(code, sentence))


def _typed(part: object, where: str) -> tuple[dict[str, Any], str]:
    block = as_mapping(part, where)
    kind = None if block is None else block.get("type")
    if block is None or not isinstance(kind, str):
        raise UsageError(f"{where} must be a part with a 'type' such as 'text'; got {shown(part)}")
    return present(block, where), kind


def _id(value: object, where: str) -> str | None:
    return text_of(value, f"{where}: the id of a call") if value else None


Placed = tuple[Mapping[str, Any], str]
"""A part of the turn and the place where the caller gave it."""
_Entry = tuple[dict[str, Any], str]
"""One tool call as far as it is known, and its place."""


class CallPairs:
    """The calls of a turn's messages, each with its result once that is met.

    A call is known by its id; one without an id, as in older exports, by its name.
    """

    def __init__(self, ignored: list[Reason]) -> None:
        self._ignored = ignored
        self._entries: list[_Entry] = []
        self._first: dict[str, dict[str, Any]] = {}
        self._waiting: dict[tuple[str | None, Any], deque[dict[str, Any]]] = {}

    def add_call(self, call_id: str | None, name: Any, args: Any, where: str) -> None:
        """Take a call."""
        fields = self._append({"id": call_id, "name": name, "args": args}, where)
        self._waiting.setdefault((call_id, None if call_id else name), deque()).append(fields)

    def add_result(
        self, call_id: str | None, name: Any, result: Any, *, failed: bool, where: str
    ) -> Any:
        """Take a result and return the name of the call that it answers."""
        outcome = {"result": result, "status": CallStatus.ERROR if failed else CallStatus.OK}
        waiting = self._waiting.get((call_id, None if call_id else name))
        if waiting:
            fields = waiting.popleft()
            fields.update(outcome)
        elif call_id is not None and call_id in self._first:
            fields = self._first[call_id]
            if fields["result"] != result:
                self._append({**fields, **outcome}, where)
        else:
            told = f"{where} answers the call {shown(call_id or name)}, which is not among these"
            told = f"{told} messages; its result is kept"
            self._ignored.append(Reason("result_without_call", told))
            fields = self._append({"id": call_id, "name": name, **outcome}, where)
        return fields["name"]

    def merged(self, given: Iterable[Placed]) -> list[Placed]:
        """Return all calls: those of the messages, then what the caller's list adds to them."""
        free: dict[str, deque[int]] = {}
        for number, (fields, _) in enumerate(self._entries):
            free.setdefault(fields["id"], deque()).append(number)
        calls: list[Placed] = list(self._entries)
        for part, where in given:
            call_id = part.get("id")
            same = free.get(call_id) if isinstance(call_id, str) else None
            known = calls[same[0]][0] if same else {}
            pairs = [(known.get(name), part.get(name)) for name in ("name", "args", "result")]
            if same and all(one is None or other in (None, one) for one, other in pairs):
                number = same.popleft()
                calls[number] = (_joined(calls[number][0], part), where)
            else:
                calls.append((part, where))
        first = len(self._entries)
        named = [
            ({**fields, "name": "unknown"} if fields["name"] is None else fields, where)
            for fields, where in calls[:first]
        ]
        return named + calls[first:]

    def _append(self, fields: dict[str, Any], where: str) -> dict[str, Any]:
        self._entries.append((fields, where))
        if fields["id"] is not None:
            self._first.setdefault(fields["id"], fields)
        return fields


def _joined(known: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """Return one entry of two; how a process ended says more than that a result came back."""
    said = {name: value for name, value in part.items() if value is not None}
    if "exit_code" in said and known.get("status") is not CallStatus.ERROR:
        said.setdefault("status", None)
    return {**known, **said}


def _media_ref(block: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the ref of an image, a sound or a file, with everything small that is said of it."""
    meta = {**block, "kind": _MEDIA[block["type"]]}
    del meta["type"]
    for name in _HOLDERS:
        held = as_mapping(meta.get(name), where)
        if held is not None:
            del meta[name]
            meta.update(present(held, where))
            meta.pop("type", None)
    locator = next((name for name in _LOCATORS if meta.get(name)), None)
    if locator is None:
        raise UsageError(f"{where} shows nothing; give its URL, its data or the id of its file")
    given = meta.pop(locator)
    text = given if isinstance(given, bytes) else text_of(given, f"{where}.{locator}")
    if isinstance(text, str) and locator not in ("data", "file_data"):
        scheme = text[:8].lower()
        if scheme.startswith(("http://", "https://")):
            return {"ref_type": RefType.URL, "ref_uri": text, "ref_meta": meta}
        if not scheme.startswith("data:"):
            return {"ref_type": RefType.ARTIFACT, "ref_uri": text, "ref_meta": meta}
    mime, data = _decoded(text, where)
    said = f"{meta['kind']}/{meta['format']}" if "format" in meta else "application/octet-stream"
    meta["mime"] = meta.pop("media_type", None) or mime or said
    meta["bytes"] = len(data)
    uri = f"sha256:{sha256(data).hexdigest()[:32]}"
    return {"ref_type": RefType.ARTIFACT, "ref_uri": uri, "ref_meta": meta}


def _decoded(given: str | bytes, where: str) -> tuple[str | None, bytes]:
    """Return the mime type, where it is said, and the bytes of a data URL or of base64 text."""
    if isinstance(given, bytes):
        return None, given
    head, body = "base64", given
    if given[:5].lower() == "data:":
        head, _, body = given[5:].partition(",")
    mime, *options = head.split(";")
    try:
        data = unquote_to_bytes(body)
        if "base64" in (mime, *options):
            data = b64decode(b"".join(data.split()), validate=True)
    except ValueError:
        raise UsageError(
            f"{where} holds data that is not base64; encode it, or give a URL"
        ) from None
    return (None if mime == "base64" else mime or "text/plain"), data
