"""Context packages in few words, for the tests of rendering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from smartbrain.domain.context import ContextEvidence, ContextPackage, EvidenceSource
from smartbrain.domain.packet import ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.turn import CallStatus, Role

AT = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def package(**slots: Any) -> ContextPackage:
    """A package with these slots; a text as `user_message` is a message."""
    if isinstance(slots.get("user_message"), str):
        slots["user_message"] = {"role": "user", "content": slots["user_message"]}
    return ContextPackage(context_id="ctx", session_id="s", created_at=AT, **slots)


def user(content: str, **fields: Any) -> ShownMessage:
    """What the user said."""
    return ShownMessage(role=Role.USER, content=content, **fields)


def assistant(content: str, *calls: str) -> ShownMessage:
    """What the assistant said, and the ids of the calls it made."""
    return ShownMessage(role=Role.ASSISTANT, content=content, calls=calls)


def call(number: int, **fields: Any) -> ShownCall:
    """A call of a tool, with its summary."""
    given: dict[str, Any] = {
        "id": f"art-{number}",
        "tool_name": "read_log",
        "status": CallStatus.OK,
        "bytes": 1_200,
        "summary": f"log {number}: 3 errors",
        "call_id": f"call_{number}",
        "args": {"path": f"日志{number}.txt"},
    }
    return ShownCall(**given | fields)


def turn(*told: ShownMessage | ShownCall, number: int = 1) -> ShownTurn:
    """A turn of these messages and calls."""
    return ShownTurn(
        turn_id=f"turn-{number}",
        at=AT,
        messages=tuple(one for one in told if isinstance(one, ShownMessage)),
        tool_calls=tuple(one for one in told if isinstance(one, ShownCall)),
    )


def evidence(snippet: str, **fields: Any) -> ContextEvidence:
    """A piece of evidence out of memory."""
    given: dict[str, Any] = {
        "id": "m1",
        "source": EvidenceSource.MEMORY,
        "source_uri": "turn:t1",
        "title": "task",
        "snippet": snippet,
        "mode": QueryMode.HYBRID,
        "score": 0.876,
    }
    return ContextEvidence(**given | fields)


def valid_whole(checked: Any) -> None:
    """Go through what a provider's types have checked; a part is checked when it is reached."""
    if isinstance(checked, Mapping):
        for value in checked.values():
            valid_whole(value)
    elif isinstance(checked, Iterable) and not isinstance(checked, str):
        for value in checked:
            valid_whole(value)
