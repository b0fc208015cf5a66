"""Reading what a caller hands to `commit_turn`: checked, typed, nothing lost in silence.

In: a list of messages, a dict of turn events, or `TurnEvents`. Out: `TurnEvents` without ids, and a
reason for every field that was not understood. Wrong input is a `UsageError` that names the place
and what to change, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeVar

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
from smartbrain.errors import UsageError
from smartbrain.remember.names import LONGEST_ID, read_text
from smartbrain.remember.objects import as_mapping
from smartbrain.remember.provider import shape_turn

if TYPE_CHECKING:
    from smartbrain.domain.types import TypeRegistry

_TURN: Final = frozenset({"at", "messages", "tool_calls", "refs"})
_MESSAGE: Final = frozenset({"role", "content", "name", "id", "model", "meta"})
_BARE: Final = _MESSAGE - {"meta"}
_CALL: Final = frozenset(
    {"id", "name", "args", "result", "status", "stdout", "stderr", "exit_code", "owner"}
)
_REF: Final = frozenset({"ref_type", "ref_uri", "ref_meta"})
_EXIT_CODES: Final = range(-(2**63), 2**63)  # what a column holds; the widest of any system
_Choice = TypeVar("_Choice", bound=StrEnum)


def read_turn_events(
    given: object, *, zone: tzinfo, types: TypeRegistry
) -> tuple[TurnEvents, tuple[Reason, ...]]:
    """Read turn events in any of the forms a caller may use.

    Raises:
        UsageError: a part is malformed; the sentence names it.
    """
    if isinstance(given, Marked):
        events, ignored = read_turn_events(given.events, zone=zone, types=types)
        mark = {given.mark: True}
        marked = (replace(one, meta={**one.meta, **mark}) for one in events.messages)
        return replace(events, messages=tuple(marked)), ignored
    return _read(given, zone, types)


def _read(
    given: object, zone: tzinfo, types: TypeRegistry
) -> tuple[TurnEvents, tuple[Reason, ...]]:
    """Read turn events that carry no mark of ours."""
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
    events = TurnEvents(
        at=None if at is None else read_time(at, zone, "at"),
        messages=tuple(_message(*message, ignored) for message in shaped.messages),
        tool_calls=tuple(_call(*part, ignored) for part in shaped.calls),
        refs=tuple(_ref(*part, ignored) for part in refs),
        proposals=_proposals(proposals, types),
    )
    ignored += _duplicates(events.messages)
    _unknown(given, _TURN.union(proposals), "", ignored)
    if not (events.messages or events.tool_calls or events.refs or events.proposals):
        raise UsageError("the turn is empty; give at least one message, tool call or ref")
    return events, tuple(ignored)


def _duplicates(messages: Sequence[Message]) -> list[Reason]:
    """Return a reason for each message that says something else under the id of an earlier one."""
    first: dict[str, str] = {}
    return [
        Reason(
            "duplicate_id",
            f"a message of the id {shown(one.external_id)} says something else; both are kept",
        )
        for one in messages
        if one.external_id and first.setdefault(one.external_id, one.content) != one.content
    ]


def _plain(events: TurnEvents) -> dict[str, Any]:
    """Return typed turn events in the form of a caller's dict, to be read like any other."""
    return {
        "at": events.at,
        "messages": [_plain_message(message) for message in events.messages],
        "tool_calls": [
            {
                "id": call.call_id,
                "name": call.name,
                "args": call.args,
                "result": call.result,
                "status": call.status,
                "stdout": call.stdout,
                "stderr": call.stderr,
                "exit_code": call.exit_code,
                "owner": call.owner,
            }
            for call in events.tool_calls
        ],
        "refs": [
            {"ref_type": ref.ref_type, "ref_uri": ref.ref_uri, "ref_meta": ref.ref_meta}
            for ref in events.refs
        ],
        **events.proposals,
    }


def _plain_message(message: Message) -> dict[str, Any]:
    """Return a typed message in the form of a caller's dict."""
    return {
        "role": message.role,
        "content": message.content,
        "name": message.name,
        "id": message.external_id,
        "model": message.model,
        "meta": message.meta,
    }


def _parts(given: Mapping[str, Any], name: str) -> list[tuple[Mapping[str, Any], str]]:
    """Return the entries of one list of the turn with the place of each."""
    value = given.get(name)
    if value is None:
        return []
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise UsageError(f"{name} must be a list, not {_kind(value)}")
    parts = []
    for index, part in enumerate(value):
        where = f"{name}[{index}]"
        fields = _plain_message(part) if isinstance(part, Message) else as_mapping(part, where)
        if fields is None:
            raise UsageError(f"{where} must be a dict, not {_kind(part)}")
        parts.append((fields, where))
    return parts


def _message(
    part: Mapping[str, Any], where: str, kept: Mapping[str, Any], ignored: list[Reason]
) -> Message:
    """Read one message; `kept` is what its meta takes of content that is not text."""
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
        meta=_with_kept(_with_unknown(part, where, ignored), kept, where)
        if kept or not part.keys() <= _BARE
        else {},
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
    ignored.extend(
        Reason("reserved_name", f"{where}: only the library itself sets {name:.60}; not stored")
        for name in (*unknown, *meta)
        if _is_reserved(name)
    )
    for name, value in unknown.items():
        _json(value, f"{where}.{name}")
        if not _is_reserved(name):
            ignored.append(
                Reason("kept_in_meta", f"{where}.{name} is not a field we know; kept in its meta")
            )
    whole = {**unknown, **meta}
    return {name: value for name, value in whole.items() if not _is_reserved(name)}


def _is_reserved(name: str) -> bool:
    """Tell whether a name in a message's meta is one that callers cannot give."""
    return name.startswith(RESERVED)


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
    """Read one ref."""
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
            try:
                _check_proposal(name, part, types)
            except UsageError as error:
                raise UsageError(f"{where}: {error.message}", code=error.code) from error
        if parts:
            read[name] = plain
    return read


def _check_proposal(name: str, part: Mapping[str, Any], types: TypeRegistry) -> None:
    """Refuse a proposal whose key or value its type does not allow."""
    if name == "retractions":
        if part.get("type") in (None, ""):
            raise UsageError(f"`type` is missing; use one of {', '.join(types.names())}")
        types.get(part.get("type", "")).check_key(part.get("key", ""))
    else:
        types.get(name).check_proposal(part)


def _unknown(
    part: Mapping[str, Any], known: frozenset[str], where: str, ignored: list[Reason]
) -> None:
    """Report the fields that mean nothing here; they are not an error, a newer caller has them."""
    for name in part:
        if name not in known:
            owner = where or "turn_events"
            field = read_text(
                str(name), f"a field's name in {owner}", longest=LONGEST_ID, empty=True
            )
            place = f"{where}.{field}" if where else field
            ignored.append(Reason("unknown_field", f"{place} is not a field we know; not stored"))


def _choice(kind: type[_Choice], value: object, where: str) -> _Choice:
    """Read one of a fixed set of words."""
    try:
        return kind(str(value))
    except ValueError:
        raise UsageError(
            f"{where} is {shown(value)}; it must be one of {', '.join(kind)}"
        ) from None


def _optional_text(
    part: Mapping[str, Any], name: str, where: str, longest: int | None = None
) -> str | None:
    """Read text that may be absent."""
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
    """Name a value's type for people."""
    return "nothing" if value is None else type(value).__name__
