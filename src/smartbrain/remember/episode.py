"""The episode: the one memory that every turn leaves, whatever else is made of it (C7, E2).

In: a turn with its texts. Out: a memory whose text is the whole turn if that is short, else an
extract, with spans back to every original, and the edges that tie it to its sources and to the
episode before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from smartbrain.domain.chunk_text import chunk_text
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.turn import Role, Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.text.sentences import extract_summary

_TITLE = 80


def episode_id(session_id: str, turn_id: str, types: TypeRegistry) -> str:
    """Return the id that the episode of a turn has, stored or not."""
    kind = types.get("episodes")
    return memory_id(turn_id, kind.name, kind.make_key(session=session_id, turn=turn_id), 1)


def make_episode(turn: Turn, spans: tuple[Span, ...], types: TypeRegistry) -> Memory:
    """Return the episode of a turn; `turn` has its texts, `spans` lead to the originals."""
    kind = types.get("episodes")
    speakers = tuple(dict.fromkeys(message.name or message.role.value for message in turn.messages))
    key = kind.make_key(session=turn.session_id, turn=turn.id)
    text = extract_summary(list(_spoken(turn)))
    return Memory(
        id=memory_id(turn.id, kind.name, key, 1),
        type=kind.name,
        key=key,
        title=_title(turn, text),
        text=text,
        value={"session": turn.session_id, "turn": turn.id, "speakers": list(speakers)},
        valid_since=turn.at,
        source_turn_id=turn.id,
        said_at=turn.at,
        raw_refs=spans,
        created_at=turn.created_at,
        updated_at=turn.created_at,
    )


def write_episode(
    episode: Memory,
    sources: tuple[Span, ...],
    *,
    grown: bool,
    ports: Ports,
    transaction: Transaction,
) -> None:
    """Store an episode with its search text and edges to the originals that are new to it.

    A turn that has `grown` by a step keeps its episode: the same memory tells more.
    """
    if grown:
        transaction.memories.update(episode)
    else:
        transaction.memories.add([episode])
    kind = ports.types.get(episode.type)
    transaction.memories.put_chunks(episode.id, [chunk_text(episode, kind)])
    transaction.edges.add(
        [
            _edge(episode.id, EdgeType.DERIVED_FROM, raw, episode.updated_at)
            for raw in dict.fromkeys(span.raw_id for span in sources)
        ]
    )


def link_in_time(episode: Memory, previous: str, *, transaction: Transaction) -> None:
    """Tie an episode to the one of the turn before it."""
    transaction.edges.add([_edge(previous, EdgeType.TEMPORAL_NEXT, episode.id, episode.created_at)])


def _spoken(turn: Turn) -> Iterator[tuple[str, str]]:
    """Yield who said what; a tool call speaks through its name and how it ended."""
    for message in turn.messages:
        if message.content and message.role not in (Role.SYSTEM, Role.DEVELOPER, Role.TOOL):
            yield message.name or message.role.value, message.content
    for call in turn.tool_calls:
        ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
        yield "tool", f"{call.name} ({ended})"
    for ref in turn.refs:
        yield ref.ref_type.value, ref.ref_uri


def _title(turn: Turn, text: str) -> str:
    """Return a line that tells the episode apart: the user's first words, else its own."""
    first = next(
        (m.content for m in turn.messages if m.role is Role.USER and m.content.strip()), text
    )
    line = " ".join(first.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1].rstrip() + "…"


def _edge(src: str, kind: EdgeType, dst: str, now: datetime) -> Edge:
    """Build a structural edge: certain, and as strong as edges get."""
    return Edge(
        id=edge_id(src, kind, dst), src=src, dst=dst, type=kind, created_at=now, updated_at=now
    )
