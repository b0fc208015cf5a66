"""The episode: the one memory that every turn leaves, whatever else is made of it (C7, E2).

In: a turn with its texts. Out: a memory whose text is the whole turn if that is short, else an
extract, with spans back to every original, and the edges that tie it to its sources and to the
episode before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from smartbrain.domain.chunk_text import chunk_text
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Privacy, Scope, Span
from smartbrain.domain.turn import Message, Role, Turn
from smartbrain.remember.originals import spans_of
from smartbrain.remember.record import Recorded, joined
from smartbrain.text.controls import without_controls
from smartbrain.text.sentences import extract_summary

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.types import MemoryType, TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

_TITLE = 80


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a step beside its words: who and what it names, and personal data."""

    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    pii: bool = False


def remember_episode(
    recorded: Recorded, about: About, *, ports: Ports, transaction: Transaction, rules: Rules
) -> Memory:
    """Write the episode of what was just recorded, and tie it to its originals and its past.

    A short turn is told whole, a longer one in an extract. A turn that has grown by a step keeps
    its episode: the same memory tells more. One that is older than the last turn of its session
    follows none: the edge to what comes next never leads back in time.
    """
    longest = rules.policies.consolidation.episode_max_chars
    whole = joined(recorded.stored, recorded.said)
    spans = spans_of(joined(recorded.stored, recorded.spans))
    episode = make_episode(whole, spans, types=ports.types, longest=longest)
    episode = replace(
        episode,
        entities=about.entities,
        keywords=about.keywords,
        privacy=Privacy(about.pii, Scope(rules.privacy.scope)),
    )
    if recorded.stored is None:
        transaction.memories.add([episode])
    else:
        now = recorded.said.created_at
        episode = _grown(transaction.memories.get([episode.id])[episode.id], episode, now)
        transaction.memories.update(episode)
    kind = ports.types.get(episode.type)
    transaction.memories.put_chunks({episode.id: [chunk_text(episode, kind)]})
    new = dict.fromkeys(span.raw_id for span in spans_of(recorded.spans))
    edges = [_edge(episode.id, EdgeType.DERIVED_FROM, raw, episode.updated_at) for raw in new]
    if recorded.previous is not None and recorded.previous.at <= whole.at:
        before = _episode_id(kind, whole.session_id, recorded.previous.id)
        edges.append(_edge(before, EdgeType.TEMPORAL_NEXT, episode.id, episode.updated_at))
    transaction.edges.add(edges)
    return episode


def make_episode(
    turn: Turn, spans: tuple[Span, ...], *, types: TypeRegistry, longest: int
) -> Memory:
    """Return the episode of a turn; `turn` has its texts, `spans` lead to the originals."""
    kind = types.get("episodes")
    speakers = dict.fromkeys(_speaker(message) for message in turn.messages)
    text = without_controls(extract_summary(list(_spoken(turn)), longest))
    return Memory(
        id=_episode_id(kind, turn.session_id, turn.id),
        type=kind.name,
        key=kind.make_key(session=turn.session_id, turn=turn.id),
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


def _episode_id(kind: MemoryType, session_id: str, turn_id: str) -> str:
    """Return the id that the episode of a turn has, stored or not."""
    return memory_id(turn_id, kind.name, kind.make_key(session=session_id, turn=turn_id), 1)


def _grown(stored: Memory, episode: Memory, now: datetime) -> Memory:
    """Return a stored episode that tells more; what else is known about it stays."""
    return replace(
        stored,
        title=episode.title,
        text=episode.text,
        value=episode.value,
        raw_refs=episode.raw_refs,
        entities=tuple(dict.fromkeys((*stored.entities, *episode.entities))),
        keywords=tuple(dict.fromkeys((*stored.keywords, *episode.keywords))),
        privacy=replace(stored.privacy, pii=stored.privacy.pii or episode.privacy.pii),
        updated_at=now,
    )


def _spoken(turn: Turn) -> Iterator[tuple[str, str]]:
    """Yield who said what; a tool call speaks through its name and how it ended."""
    for message in turn.messages:
        if message.content and message.role not in (Role.SYSTEM, Role.DEVELOPER, Role.TOOL):
            yield _speaker(message), message.content
    for call in turn.tool_calls:
        ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
        yield "tool", f"{call.name} ({ended})"
    for ref in turn.refs:
        yield ref.ref_type.value, ref.ref_uri


def _speaker(message: Message) -> str:
    """Return who says a message."""
    return without_controls(message.name or message.role.value)


def _title(turn: Turn, text: str) -> str:
    """Return a line that tells the episode apart: the user's first words, else its own."""
    first = next(
        (m.content for m in turn.messages if m.role is Role.USER and m.content.strip()), text
    )
    line = " ".join(without_controls(first).split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1].rstrip() + "…"


def _edge(src: str, kind: EdgeType, dst: str, now: datetime) -> Edge:
    """Build a structural edge: certain, and as strong as edges get."""
    return Edge(
        id=edge_id(src, kind, dst), src=src, dst=dst, type=kind, created_at=now, updated_at=now
    )
