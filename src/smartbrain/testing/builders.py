"""Valid records for tests, each by one short call; name the fields that matter, the rest is given.

In: what a test cares about. Out: records of the domain, in Chinese and English, whose ids follow
from what they were made of. Nothing is stored here: hold the chunks, then add what names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id, raw_id
from smartbrain.domain.job import AuditEntry, Job, StateEntry, Tombstone, Trace
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.turn import (
    CallStatus,
    Message,
    Operation,
    RawChunk,
    Ref,
    RefType,
    Role,
    ToolCall,
    Turn,
)
from smartbrain.ports.truth import Transaction
from smartbrain.testing.clock import START

OPERATION: Final = "op-1"
"""The operation that a memory comes from unless its source is given; `operation()` makes it."""


def raw_chunk(text: str = "以后都用简体中文回答。Answer me in Chinese.", **fields: Any) -> RawChunk:
    """Build a chunk of some text, kept in the database unless `path` is given."""
    data = text.encode()
    address = sha256(data).hexdigest()
    body = None if fields.get("path") else data
    made = RawChunk(
        id=raw_id(address), address=address, length=len(data), body=body, stored_at=START
    )
    return replace(made, **fields)


def span(chunk: RawChunk) -> Span:
    """Build the span of a whole chunk."""
    return Span(chunk.id, 0, chunk.length)


def message(message_id: str = "m-1", *chunks: RawChunk, **fields: Any) -> Message:
    """Build a message whose text is these chunks, said by the user."""
    return replace(Message(id=message_id, role=Role.USER, spans=tuple(map(span, chunks))), **fields)


def tool_call(call_id: str = "c-1", *chunks: RawChunk, **fields: Any) -> ToolCall:
    """Build a tool call that went well, with these chunks as its result."""
    made = ToolCall(id=call_id, name="grep", args={"pattern": "错误 E1042"}, status=CallStatus.OK)
    return replace(made, **{"result_spans": tuple(map(span, chunks)), **fields})


def ref(ref_id: str = "r-1", **fields: Any) -> Ref:
    """Build a reference to a file."""
    return replace(Ref(id=ref_id, ref_type=RefType.FILE, ref_uri="文档/notes.md"), **fields)


def turn(
    session_id: str = "s-1", seq: int = 1, chunks: Sequence[RawChunk] = (), **fields: Any
) -> Turn:
    """Build a turn with one message a chunk, user and assistant by turns."""
    turn_id = fields.pop("id", f"{session_id}/t{seq}")
    roles = (Role.USER, Role.ASSISTANT)
    said = (
        message(f"{turn_id}/m{place}", chunk, role=roles[place % 2])
        for place, chunk in enumerate(chunks)
    )
    made = Turn(id=turn_id, session_id=session_id, seq=seq, at=START, created_at=START)
    return replace(made, **{"rules_hash": "rules", "messages": tuple(said), **fields})


def operation(operation_id: str = OPERATION, **fields: Any) -> Operation:
    """Build an operation: a memory put by hand."""
    put = {"key": "fact:user:city", "value": {"city": "上海 Shanghai"}}
    made = Operation(id=operation_id, kind="put", input=put, at=START, created_at=START)
    return replace(made, **fields)


def memory(key: str = "fact:user:city", version: int = 1, **fields: Any) -> Memory:
    """Build an active fact that comes from `OPERATION`, or from the source that is given."""
    source = fields.get("source_turn_id") or fields.get("source_operation_id") or OPERATION
    type_name = fields.get("type", "facts")
    given: dict[str, Any] = {
        "id": memory_id(source, type_name, key, version),
        "type": type_name,
        "title": "user lives in 上海",
        "text": "The user lives in Shanghai. 用户住在上海。",
        "value": {"subject": "user", "attribute": "city", "value": "上海"},
        "source_operation_id": None if fields.get("source_turn_id") else OPERATION,
        "said_at": START,
        "created_at": START,
        "updated_at": START,
    }
    return Memory(key=key, version=version, **given | fields)


def edge(src: str, dst: str, kind: EdgeType = EdgeType.ABOUT, **fields: Any) -> Edge:
    """Build an edge between two nodes."""
    name = edge_id(src, kind, dst)
    made = Edge(id=name, src=src, dst=dst, type=kind, created_at=START, updated_at=START)
    return replace(made, **fields)


def audit_entry(subject_id: str = "pin-1", **fields: Any) -> AuditEntry:
    """Build an audit entry: a pin was added."""
    made = AuditEntry(
        at=START, actor="user", action="add", subject_kind="pin", subject_id=subject_id
    )
    return replace(made, **fields)


def tombstone(fingerprint: str = "指纹-1", **fields: Any) -> Tombstone:
    """Build the mark of a memory that was forgotten."""
    made = Tombstone(
        kind="forgotten", fingerprint=fingerprint, subject_id="mem-1", created_at=START
    )
    return replace(made, **fields)


def state_entry(entry_id: str = "pin-1", **fields: Any) -> StateEntry:
    """Build a pin of the tenant."""
    body = {"title": "路径 path", "summary": "代码在 src/"}
    made = StateEntry(
        owner="tenant", kind="pin", id=entry_id, body=body, created_at=START, updated_at=START
    )
    return replace(made, **fields)


def job(job_id: str = "job-1", **fields: Any) -> Job:
    """Build a queued job."""
    return replace(Job(id=job_id, kind="consolidate", created_at=START, updated_at=START), **fields)


def trace(context_id: str = "ctx-1", **fields: Any) -> Trace:
    """Build the trace of a composed context."""
    body = {"query": "上次说的 release?", "kept": 3}
    made = Trace(context_id=context_id, session_id="s-1", created_at=START, body=body)
    return replace(made, **fields)


def store_turn(transaction: Transaction, made: Turn, chunks: Sequence[RawChunk]) -> Turn:
    """Hold a turn's chunks, once a span, and append the turn; return it."""
    transaction.raw.hold(chunks)
    transaction.events.add_turns([made])
    return made
