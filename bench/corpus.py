"""Made-up turns to write: the records of an agent's day, Chinese and English, always the same.

In: how many. Out: for each turn all that one append through the truth port is given: the turn with
two messages, their raw chunks, three memories with search texts, six edges. Built ahead of timing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Any

from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id, raw_id, uuid7
from smartbrain.domain.memory import Memory, Sentiment, Span
from smartbrain.domain.turn import Message, RawChunk, Role, Turn

TURNS_PER_SESSION = 50
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_ASKED = (
    "Could you move the weekly report to Thursday and tell Mei about it?",
    "把下周的评审会改到周四下午三点，并通知小梅和老王。",
    "The importer fails on files above 2 GB; where do we cut them, 还是先压缩一下再传？",
    "我对花生过敏，订餐的时候记得提醒餐厅。",
)
_ANSWERED = (
    "Done. The report is due on Thursday at 15:00 and Mei has a note in her inbox.",
    "好的，评审会已经改到周四下午三点，小梅和老王都收到了通知。",
    "Files are cut at 64 MB before upload; 压缩放在切分之后做，失败的块会重试三次。",
    "记住了：订餐时我会注明花生过敏，并请餐厅确认。",
)


@dataclass(frozen=True, slots=True)
class Append:
    """Everything that one turn writes."""

    turn: Turn
    chunks: tuple[RawChunk, ...]
    memories: tuple[Memory, ...]
    texts: tuple[str, ...]
    edges: tuple[Edge, ...]


def spoken(number: int) -> list[dict[str, str]]:
    """Return the two messages of the `number`-th turn as a caller would hand them in."""
    pick = number % len(_ASKED)
    return [
        {"role": "user", "content": f"{_ASKED[pick]} [{number}]"},
        {"role": "assistant", "content": f"{_ANSWERED[pick]} [{number}]"},
    ]


def make_appends(count: int, first: int = 0) -> list[Append]:
    """Return `count` turns in the order they are to be written, sessions of fifty turns each.

    Those from another `first`, a multiple of fifty, share nothing with these.
    """
    random = Random(first)
    appends: list[Append] = []
    for number in range(first, first + count):
        previous = appends[-1].memories[0] if number % TURNS_PER_SESSION else None
        appends.append(_append(number, previous, random))
    return appends


def _append(number: int, previous: Memory | None, random: Random) -> Append:
    """Build one turn with all that comes of it."""
    now = START + timedelta(minutes=number)
    new_ids = [uuid7(int(now.timestamp() * 1000), random.randbytes(10)) for _ in range(3)]
    chunks = tuple(_chunk(message["content"], now) for message in spoken(number))
    messages = tuple(
        Message(id=new_ids[place + 1], role=role, spans=(Span(chunk.id, 0, chunk.length),))
        for place, (role, chunk) in enumerate(zip((Role.USER, Role.ASSISTANT), chunks, strict=True))
    )
    turn = Turn(
        id=new_ids[0],
        session_id=f"session-{number // TURNS_PER_SESSION}",
        seq=number % TURNS_PER_SESSION + 1,
        at=now,
        rules_hash="0" * 32,
        messages=messages,
        created_at=now,
    )
    memories = _memories(turn, chunks, number)
    return Append(
        turn,
        chunks,
        memories,
        tuple(f"{memory.title}\n{memory.text}\n{' '.join(memory.keywords)}" for memory in memories),
        _edges(memories, chunks, previous, now),
    )


def _chunk(text: str, now: datetime) -> RawChunk:
    """Build the raw chunk of a message."""
    data = text.encode()
    address = sha256(data).hexdigest()
    return RawChunk(id=raw_id(address), address=address, length=len(data), body=data, stored_at=now)


def _memories(turn: Turn, chunks: tuple[RawChunk, ...], number: int) -> tuple[Memory, ...]:
    """Build the turn's episode, a fact and a preference."""
    asked, answered = (message["content"] for message in spoken(number))
    spans = tuple(Span(chunk.id, 0, chunk.length) for chunk in chunks)
    values: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        (
            "episodes",
            f"episodes:{turn.session_id}:{turn.id}",
            f"user: {asked}\nassistant: {answered}",
            {"session": turn.session_id, "speakers": ["user", "assistant"], "turn": turn.id},
        ),
        (
            "facts",
            f"facts:meeting-{number}:time",
            "The review is on Thursday at 15:00. 评审会在周四下午三点。",
            {"subject": f"meeting-{number}", "predicate": "time", "object": "Thursday 15:00"},
        ),
        (
            "preferences",
            f"preferences:user:food-{number}",
            "No peanuts in any order. 点餐不要花生。",
            {"holder": "user", "topic": f"food-{number}", "polarity": -1},
        ),
    )
    return tuple(
        Memory(
            id=memory_id(turn.id, kind, key, 1),
            type=kind,
            key=key,
            title=asked[:60],
            text=text,
            value=value,
            confidence=0.9,
            valid_since=turn.at,
            source_turn_id=turn.id,
            source_message_id=turn.messages[0].id,
            said_at=turn.at,
            evidence_refs=(turn.messages[0].id,),
            raw_refs=spans,
            keywords=("review", "Thursday", "评审会", "花生"),
            entities=("Mei", "小梅"),
            tags=("work",),
            sentiment=Sentiment(0.1, 0.3),
            importance=0.6,
            created_at=turn.created_at,
            updated_at=turn.created_at,
        )
        for kind, key, text, value in values
    )


def _edges(
    memories: tuple[Memory, ...],
    chunks: tuple[RawChunk, ...],
    previous: Memory | None,
    now: datetime,
) -> tuple[Edge, ...]:
    """Build six edges: to the originals, between the memories, and in time."""
    episode, fact, preference = (memory.id for memory in memories)
    ends = (
        (episode, EdgeType.DERIVED_FROM, chunks[0].id),
        (episode, EdgeType.DERIVED_FROM, chunks[1].id),
        (fact, EdgeType.DERIVED_FROM, chunks[0].id),
        (preference, EdgeType.DERIVED_FROM, chunks[0].id),
        (episode, EdgeType.MENTIONS, fact),
        (previous.id if previous else preference, EdgeType.TEMPORAL_NEXT, episode),
    )
    return tuple(
        Edge(
            id=edge_id(src, kind, dst),
            src=src,
            dst=dst,
            type=kind,
            weight=0.8,
            created_at=now,
            updated_at=now,
        )
        for src, kind, dst in ends
    )
