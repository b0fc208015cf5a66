"""Events: what was said and done, kept whole and in order (E1).

A session is a list of turns; a turn is messages, tool calls and refs at one time. `TurnEvents` is
the same thing as a caller hands it in, before it has ids. Text is not stored in these rows: it
lives once, in raw chunks, and `spans` lead to it. Callers' input is read in `remember.read`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from msgspec import field

from smartbrain.domain.memory import Span
from smartbrain.domain.record import Record


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class RefType(StrEnum):
    """What a reference points at."""

    FILE = "file"
    URL = "url"
    ARTIFACT = "artifact"


class CallStatus(StrEnum):
    """How a tool call ended."""

    OK = "ok"
    ERROR = "error"
    UNKNOWN = "unknown"


class RawTier(StrEnum):
    """How a raw chunk is kept as it ages (E3)."""

    HOT = "hot"
    COLD = "cold"
    ARCHIVED = "archived"


class RawChunk(Record, frozen=True, kw_only=True):
    """An immutable piece of original content, named by its hash (E2).

    Small content is kept as `body`, larger content in the file at `path`; one of them is set.
    """

    id: str
    address: str
    length: int
    mime: str = "text/plain; charset=utf-8"
    body: bytes | None = None
    path: str | None = None
    tier: RawTier = RawTier.HOT
    held: int = 0
    stored_at: datetime


class Message(Record, frozen=True, kw_only=True):
    """One message of a turn."""

    id: str
    role: Role
    content: str = ""
    name: str | None = None
    external_id: str | None = None
    model: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()


class ToolCall(Record, frozen=True, kw_only=True):
    """One run of a tool, with whatever it gave back.

    A result that is not text is kept as the text of its JSON; `result_json` says so. `owner` is who
    ran it: `main`, the agent that talks to the user, or one that works beside it.
    """

    id: str
    name: str
    call_id: str | None = None
    args: Any = None
    status: CallStatus = CallStatus.UNKNOWN
    exit_code: int | None = None
    result: Any = None
    result_json: bool = False
    stdout: str | None = None
    stderr: str | None = None
    result_spans: tuple[Span, ...] = ()
    stdout_spans: tuple[Span, ...] = ()
    stderr_spans: tuple[Span, ...] = ()
    owner: str = "main"


class Ref(Record, frozen=True, kw_only=True):
    """A file, URL or artifact that a turn refers to."""

    id: str
    ref_type: RefType
    ref_uri: str
    ref_meta: Mapping[str, Any] = field(default_factory=dict)


class Turn(Record, frozen=True, kw_only=True):
    """One exchange: everything said and done between two moments, at its own time."""

    id: str
    session_id: str
    seq: int
    at: datetime
    run_id: str | None = None
    context_id: str | None = None
    rules_hash: str = ""
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    refs: tuple[Ref, ...] = ()
    proposals: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime

    @property
    def turn_id(self) -> str:
        """Its id, by the name that results and calls have for it."""
        return self.id


class Session(Record, frozen=True, kw_only=True):
    """A conversation: named by the caller, started by its first turn."""

    id: str
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None = None
    turns: int = 0


class TurnEvents(Record, frozen=True, kw_only=True):
    """What a caller hands to `commit_turn`, read and checked but not yet stored."""

    at: datetime | None = None
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    refs: tuple[Ref, ...] = ()
    proposals: Mapping[str, Any] = field(default_factory=dict)


class Operation(Record, frozen=True, kw_only=True):
    """A write that is not a turn, kept as an event with its input so that it can be replayed."""

    id: str
    kind: str
    input: Mapping[str, Any]
    at: datetime
    actor: str = "user"
    rules_hash: str = ""
    created_at: datetime


class LastTurn(NamedTuple):
    """Where a session has come to: the place, id and time of its last turn, and if it has ended.

    `latest` is the latest time of all its turns, which may have come in any order.
    """

    seq: int
    id: str
    at: datetime
    latest: datetime
    ended: bool = False


RESERVED: Final = "smartbrain."
"""How the names in a message's meta begin that only the library itself may set."""
DECLARED: Final = f"{RESERVED}declared"
"""In a message's meta: the user asks to remember what it says."""
DOCUMENT: Final = f"{RESERVED}document"
"""In a message's meta: it is the text of a document, which nobody asserts."""
ECHOES: Final = f"{RESERVED}echoes"
"""In a message's meta: the marks of its sentences that the context had shown before."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Turn events whose messages the library itself marks as `DECLARED` or `DOCUMENT`.

    No data that a caller hands over can say this: marks in a caller's meta are dropped.
    """

    events: object
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTurn:
    """What a caller hands over to be committed, not read yet."""

    session_id: object
    events: object
    turn_id: object = None
    run_id: object = None
    idempotency_key: object = None
    context_id: object = None


class CommitRequest(Record, frozen=True, kw_only=True):
    """One call of `commit_turn`, read: the events and what the caller says about them."""

    session_id: str
    events: TurnEvents
    turn_id: str | None = None
    run_id: str | None = None
    idempotency_key: str | None = None
    context_id: str | None = None
