"""What a caller hands to `commit_turn`, read: checked, typed, nothing lost in silence.

In: a list of messages, a dict of turn events, or `TurnEvents`. Out: `TurnEvents` without ids, and a
reason for every field that was not understood. Wrong input is a `UsageError` that names the place
and what to change, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from datetime import tzinfo
from enum import StrEnum
from typing import Any, Final, TypeVar

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
from smartbrain.remember.arguments import LONGEST_ID, as_mapping, read_text
from smartbrain.remember.provider import shape_turn

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
    """Read turn events in any of the forms a caller may use.

    Raises:
        UsageError: a part is malformed; the sentence names it.
    """
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
    shaped = shape_turn(_parts(given, "messages"), _parts(given, "tool_calls"), ignored)
    refs = shaped.refs + _parts(given, "refs")
    messages = (_message(*message, ignored) for message in shaped.messages)
    events = TurnEvents(
        at=None if at is None else read_time(at, zone, "at"),
        messages=tuple(replace(one, meta={**one.meta, **mark}) for one in messages),
        tool_calls=tuple(_call(*part, ignored) for part in shaped.calls),
        refs=tuple(_ref(*part, ignored) for part in refs),
        proposals=_proposals(proposals, types),
    )
    _unknown(given, _TURN.union(proposals), "", ignored)
    if not (events.messages or events.tool_calls or events.refs or events.proposals):
        raise UsageError("the turn is empty; give at least one message, tool call or ref")
    return events, tuple(ignored)


def _plain(events: TurnEvents) -> dict[str, Any]:
    """Return typed turn events in the form of a caller's dict, to be read like any other."""
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
    return Message(
        id="",
        role=_choice(Role, part["role"], f"{where}.role"),
        content="" if content is None else read_text(content, f"{where}.content", empty=True),
        name=_optional_text(part, "name", where, LONGEST_ID),
        external_id=_optional_text(part, "id", where, LONGEST_ID),
        model=_optional_text(part, "model", where, LONGEST_ID),
        meta=_with_kept(_with_unknown(part, where, ignored), kept, where),
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


def _with_kept(meta: Mapping[str, Any], kept: Mapping[str, Any], where: str) -> Any:
    """Add what is kept of a message's content to its meta, beside a name that is taken."""
    whole = dict(meta)
    for name, value in kept.items():
        _json(value, f"{where}.content")
        free = name
        while free in whole:
            free += "_"
        whole[free] = value
    return whole


def _call(part: Mapping[str, Any], where: str, ignored: list[Reason]) -> ToolCall:
    """Read one tool call; a result that is not text is kept as its JSON."""
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
