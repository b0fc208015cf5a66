"""A context package as the messages of a request, valid for OpenAI or Anthropic (S1, R15).

In: the slots of a package and a format. Out: plain dicts. One system text of what lasts first; then
the closed turns, what changes from call to call with the evidence, the turn that waits for its
answer, and the user's message last. User and assistant alternate, beginning with the user; every
tool call is followed by its result. Nothing is left out or cut here but what a provider has no form
for, which is named instead.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.artifact import read_format
from smartbrain.domain.context_media import anthropic_part, openai_part
from smartbrain.domain.context_slots import Slots
from smartbrain.domain.context_text import (
    changing_blocks,
    joined,
    lasting_blocks,
    media_note,
    outcome_text,
    said_again,
    step_results,
    user_name,
    user_parts,
    waiting_turn,
)
from smartbrain.domain.context_turns import Told, sequence, spoken, told_text
from smartbrain.domain.packet import ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.record import canonical_json
from smartbrain.domain.rendered import USER_TITLE, disarmed, heading
from smartbrain.domain.turn import CallStatus, Role

EARLIER: Final = "(Earlier messages are left out.)"
"""What stands for the user's message before an answer with which a window begins."""
CONTINUE: Final = "(No new message. Continue.)"
"""What stands for the user's message where nobody spoke and no tool answered."""
_LONGEST_NAME: Final = 64
_CALL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


class _Text(NamedTuple):
    """Words; `ours` are those that we rendered, not what somebody said."""

    text: str
    ours: bool = False


class _Media(NamedTuple):
    """An image or a file, as the user's message holds it."""

    part: Mapping[str, Any]


class _Call(NamedTuple):
    """A call of a tool under an id that every provider takes; `done`, what came of it."""

    id: str
    call: ShownCall
    done: bool = False


_Piece = _Text | _Media | _Call


@dataclass(slots=True)
class _Exchange:
    """What user and assistant bring forward by turns; results count as the user's."""

    groups: list[tuple[Role, list[_Piece]]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def add(self, role: Role, *pieces: _Piece) -> None:
        """Add pieces to what the last one brings forward, or let the other one go on."""
        if self.groups and self.groups[-1][0] is role:
            self.groups[-1][1].extend(pieces)
        else:
            self.groups.append((role, list(pieces)))

    def add_told(self, told: Told) -> None:
        """Add what happened in a turn; calls bring their results with them."""
        if isinstance(told, ShownMessage):
            name = " ".join((told.name or "").split()) if told.role is Role.USER else ""
            words = disarmed(told_text(told))
            self.add(told.role, _Text(f"{name}: {words}" if name else words))
            return
        calls = [(self._call_id(call), call) for call in told]
        self.add(Role.ASSISTANT, *(_Call(*each) for each in calls))
        self.add(Role.USER, *(_Call(*each, done=True) for each in calls))

    def closed(self) -> list[tuple[Role, list[_Piece]]]:
        """Return it all, begun and ended by the user."""
        if self.groups and self.groups[0][0] is Role.ASSISTANT:
            self.groups.insert(0, (Role.USER, [_Text(EARLIER)]))
        role, pieces = self.groups[-1] if self.groups else (Role.ASSISTANT, [])
        if role is Role.ASSISTANT or (isinstance(pieces[-1], _Text) and pieces[-1].ours):
            self.add(Role.USER, _Text(CONTINUE))
        return self.groups

    def _call_id(self, call: ShownCall) -> str:
        """Return an id for a call that is valid everywhere and used once."""
        wanted = call.call_id or call.id
        if not _CALL_ID.fullmatch(wanted) or wanted in self.ids:
            digest = blake2b(f"{wanted}\0{call.id}".encode(), digest_size=12).hexdigest()
            wanted = f"call_{digest}"
        chosen, number = wanted, 1
        while chosen in self.ids:
            number += 1
            chosen = f"{wanted}_{number}"
        self.ids.add(chosen)
        return chosen


def prefix_share(before: Slots, package: Slots) -> float:
    """Return the share of a request that is a byte-identical prefix of it and of the one before.

    A provider that keeps the beginning of requests need not read that part again (R22).
    """
    old, new = (canonical_json(request(one)["messages"]).encode() for one in (before, package))
    end = min(len(old), len(new))
    same = bisect_left(range(1, end + 1), True, key=lambda size: old[:size] != new[:size])
    return round(same / len(new), 4)


def request(package: Slots, format: str = "openai") -> dict[str, Any]:  # noqa: A002 - public
    """Return `messages` and, for Anthropic, `system`, if there is any."""
    wanted = read_format(format)
    system = joined(lasting_blocks(package))
    groups = _exchange(package).closed()
    if wanted == "anthropic":
        said = [{"role": role.value, "content": _anthropic(pieces)} for role, pieces in groups]
        return {"messages": said, "system": system} if system else {"messages": said}
    first = [{"role": "system", "content": system}] if system else []
    return {"messages": [*first, *(one for group in groups for one in _openai(*group))]}


def _exchange(package: Slots) -> _Exchange:
    """Bring the turns, the evidence, the tool's result and the message in order."""
    exchange = _Exchange()
    waiting = waiting_turn(package)
    for turn in package.recent_turns:
        if turn is not waiting:
            for told in sequence(turn):
                exchange.add_told(told)
    if changing := joined(changing_blocks(package)):
        exchange.add(Role.USER, _Text(changing, ours=True))
    results, message = step_results(package), package.user_message
    again = said_again(package)
    if waiting:
        _add_waiting(exchange, waiting, results, message, again)
    there = {call.id for call in waiting.tool_calls} if waiting else set()
    if apart := tuple(call for call in results if call.id not in there):
        exchange.add_told(apart)
    if message and again is None:
        _add_asked(exchange, message)
    return exchange


def _add_waiting(
    exchange: _Exchange,
    turn: ShownTurn,
    results: Sequence[ShownCall],
    message: Mapping[str, Any] | None,
    again: int | None,
) -> None:
    """Add the turn that waits for its answer, with results and the message as they came now."""
    current = {call.id: call for call in results}
    calls = tuple(current.get(call.id, call) for call in turn.tool_calls)
    messages = tuple(spoken(turn, waits=True))
    told = replace(turn, messages=messages, tool_calls=calls)
    for one in sequence(told, waits=True):
        if message and again is not None and one is messages[again]:
            _add_asked(exchange, message, messages[again].name or "")
        else:
            exchange.add_told(one)


def _add_asked(exchange: _Exchange, message: Mapping[str, Any], known_as: str = "") -> None:
    """Add the user's message as it came, with its images; who says it as its turn shows it."""
    name = user_name(message) or " ".join(known_as.split())
    for part in user_parts(message):
        is_text = part["type"] == "text"
        if name:
            exchange.add(Role.USER, _Text(f"{name}: {part['text']}" if is_text else f"{name}:"))
        if not (name and is_text):
            exchange.add(Role.USER, _Text(part["text"]) if is_text else _Media(part))
        name = ""


def _content(
    pieces: Sequence[_Piece], media: Callable[[Mapping[str, Any]], dict[str, Any] | None]
) -> list[str | dict[str, Any]]:
    """Return words and media in order; words that follow each other become one text."""
    content: list[str | dict[str, Any]] = []
    ours = False
    for piece in pieces:
        if isinstance(piece, _Call):
            continue
        between = "\n\n"
        if ours and not (isinstance(piece, _Text) and piece.ours):
            _append(content, heading(USER_TITLE), between)
            between = "\n"
        ours = isinstance(piece, _Text) and piece.ours
        if isinstance(piece, _Text):
            _append(content, piece.text, between)
        elif part := media(piece.part):
            content.append(part)
        else:
            _append(content, media_note(piece.part), between)
    return content


def _append(content: list[str | dict[str, Any]], words: str, between: str) -> None:
    """Add words to the text with which a content ends, or begin one."""
    last = content[-1] if content else None
    if isinstance(last, str):
        content[-1] = last + between + words
    else:
        content.append(words)


def _parts(content: Sequence[str | dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]


def _simplest(content: Sequence[str | dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return a content as text if it is nothing else."""
    only = content[0] if len(content) == 1 else None
    return only if isinstance(only, str) else _parts(content)


def _anthropic(pieces: Sequence[_Piece]) -> str | list[dict[str, Any]]:
    """Return the content of a message: results first, calls last, as the provider wants it."""
    results = [
        {
            "type": "tool_result",
            "tool_use_id": piece.id,
            "content": outcome_text(piece.call),
            **({"is_error": True} if piece.call.status is CallStatus.ERROR else {}),
        }
        for piece in pieces
        if isinstance(piece, _Call) and piece.done
    ]
    calls = [
        {
            "type": "tool_use",
            "id": piece.id,
            "name": _name(piece.call),
            "input": _arguments(piece.call),
        }
        for piece in pieces
        if isinstance(piece, _Call) and not piece.done
    ]
    content = _content(pieces, anthropic_part)
    return [*results, *_parts(content), *calls] if results or calls else _simplest(content)


def _openai(role: Role, pieces: Sequence[_Piece]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a group: results as messages of their own, calls beside the words."""
    for piece in pieces:
        if isinstance(piece, _Call) and piece.done:
            yield {"role": "tool", "tool_call_id": piece.id, "content": outcome_text(piece.call)}
    calls = [
        {
            "id": piece.id,
            "type": "function",
            "function": {
                "name": _name(piece.call),
                "arguments": arguments_text(piece.call),
            },
        }
        for piece in pieces
        if isinstance(piece, _Call) and not piece.done
    ]
    content = _content(pieces, openai_part)
    if calls:
        yield {
            "role": role.value,
            "content": _simplest(content) if content else None,
            "tool_calls": calls,
        }
    elif content:
        yield {"role": role.value, "content": _simplest(content)}


def _name(call: ShownCall) -> str:
    """Return the name of a tool in the letters that providers allow."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", call.tool_name)[:_LONGEST_NAME] or "tool"


def arguments_text(call: ShownCall) -> str:
    """Return what a tool was given, as JSON."""
    return json.dumps(_arguments(call), ensure_ascii=False)


def _arguments(call: ShownCall) -> dict[str, Any]:
    """Return what a tool was given, as an object."""
    if isinstance(call.args, Mapping):
        return dict(call.args)
    return {} if call.args is None else {"value": call.args}
