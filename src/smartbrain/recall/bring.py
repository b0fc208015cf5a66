"""The memory packet of one message, stage by stage: search, read what stands, fill (R7–R10).

In: a question, whom the packet is for, a run and a session. Out: a packet and what the search did.
Follow `bring` after `pipeline.search`: everything here is read in one transaction, with the same
number of statements whatever there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.audience import Audience
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.metrics import ACTIVE_FACTS
from smartbrain.domain.packet import PacketItem
from smartbrain.domain.quick import replace
from smartbrain.domain.reason import Reason
from smartbrain.govern.insights import run_insights
from smartbrain.govern.run_row import any_row
from smartbrain.govern.runs import read_run
from smartbrain.govern.short_term import in_mind
from smartbrain.recall.beyond import read_beyond
from smartbrain.recall.candidates import Brought, Occasion
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.packet import fill_packet
from smartbrain.recall.standing import STANDING_TYPES, fact_types

if TYPE_CHECKING:
    from smartbrain.domain.packet import MemoryPacket, WorkingMemory
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.recalled import Ranked, RecalledRow
    from smartbrain.govern.recent import RecentTurns
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.asked import Asked, For
    from smartbrain.recall.pipeline import Found

_EPISODES: Final = "episodes"
_STANDING: Final = 30  # of each type that enters by rule: no packet has more facts
_COUNTED: Final = 1_000
_NEARLY: Final = 0.7  # of the best episode's score
_PROCEDURES: Final = ("cases", "patterns")


def bring(
    found: Found,
    asked: Asked,
    whom: For,
    *,
    recent: RecentTurns,
    ports: Ports,
    rules: Rules,
) -> MemoryPacket:
    """Return everything memory contributes to one call, within its limits.

    Raises:
        NotFound: there is no such run; one that has ended has nothing in mind any more.
        AdapterError: the storage failed.
    """
    occasion = _occasion(found, asked, whom)
    words = CueWords(found.cues, found.rare)
    with ports.truth.read() as rows:
        types = STANDING_TYPES if whom.task_type is None else (*STANDING_TYPES, *_PROCEDURES)
        stands = rows.recalled.standing(types, limit=_STANDING)
        standing = [
            row for row in stands if asked.stored_by is None or row.created_at <= asked.stored_by
        ]
        best, beyond = _best(found.ranked, rules.packet.episodes.compress_above)
        session = asked.session_id or ""
        found.heard = recent.hear(session, transaction=rows, blobs=ports.blobs, rules=rules.working)
        working = _working(whom.run_id, rows)
        brought = Brought(
            found=_not_replaced(best, standing),
            standing=standing,
            working=working,
            stm=in_mind(session, found.heard, transaction=rows, rules=rules.working),
            insights=_insights(asked, whom, rows) if working else [],
            beyond=read_beyond(
                best,
                occasion,
                words,
                passages=found.passages,
                rules=rules.packet.episodes,
                rows=rows,
                blobs=ports.blobs,
            ),
        )
        facts = fact_types(ports.types)
        counts = rows.recalled.counts([*facts, *_PROCEDURES], most=_COUNTED)
    packet = fill_packet(brought, occasion, types=ports.types, rules=rules, words=words)
    metrics: dict[str, Any] = {
        **packet.metrics,
        ACTIVE_FACTS.name: sum(counts[name] for name in facts),
        "request_id": found.trace.request_id,
        "mode": found.trace.mode,
        "degraded": found.trace.degraded,
        "arms": [one.to_dict() for one in found.trace.arms],
        "behind": found.trace.behind,
    }
    left = (*found.trace.omitted, *beyond, *_unread(types, stands, counts))
    explain = replace(packet.explain, omitted=(*left, *packet.explain.omitted))
    return replace(packet, metrics=metrics, explain=explain)


def _occasion(found: Found, asked: Asked, whom: For) -> Occasion:
    """Return what a packet is made for."""
    return Occasion(
        cues=found.cues,
        now=asked.now,
        audience=whom.audience,
        task_type=whom.task_type,
        rare=found.rare,
    )


def _best(ranked: Sequence[Ranked], most: int) -> tuple[list[Ranked], list[Reason]]:
    """Return what was found, without the episodes that many others answer much better than.

    Some words in common bring up most of a conversation. More than `most` come to mind only where
    they answer nearly as well as the best of them, and then less is shown of each (R9).
    """
    kept, beyond = [], []
    episodes, least = 0, 0.0
    for one in ranked:
        row = one.row
        if row.type == _EPISODES:
            least = least or _NEARLY * one.score
            episodes += 1
        if row.type != _EPISODES or episodes <= most or one.score >= least:
            kept.append(one)
        else:
            sentence = f"{most} episodes answer better"
            beyond.append(Reason("outranked", sentence, id=row.id, type=row.type, key=row.key))
    return kept, beyond


def _unread(
    types: Sequence[str], stands: Sequence[RecalledRow], counts: Mapping[str, int]
) -> Iterator[Reason]:
    """Yield of which types there stands more than is looked at."""
    read = Counter(row.type for row in stands)
    for name in types:
        left = counts[name] - read[name]
        if left > 0:
            sentence = f"{left} {name} more stand; open ones, instructions and new ones come first"
            yield Reason("not_read", sentence, type=name, detail={"memories": left})


def _not_replaced(found: Sequence[Ranked], standing: Sequence[RecalledRow]) -> list[Ranked]:
    """Return what was found without what another version has replaced since."""
    stands = {row.key: row.id for row in standing}
    return [
        one
        for one in found
        if one.row.status is not Status.ACTIVE or stands.get(one.row.key, one.row.id) == one.row.id
    ]


def _working(run_id: str | None, rows: Transaction) -> WorkingMemory | None:
    """Return what a run has in mind: nothing once it has ended."""
    if run_id is None:
        return None
    working = read_run(run_id, transaction=rows)
    if working is None:
        any_row(run_id, transaction=rows)
    return working


def _insights(asked: Asked, whom: For, rows: Transaction) -> list[PacketItem]:
    """Return what a run supposes; for a planner alone, and checked again by the packet."""
    if whom.audience is not Audience.PLANNER or whom.run_id is None:
        return []
    return [_item(one) for one in run_insights(whom.run_id, now=asked.now, transaction=rows)]


def _item(memory: Memory) -> PacketItem:
    """Return an insight as a packet shows it."""
    return PacketItem(
        id=memory.id,
        type=memory.type,
        key=memory.key,
        title=memory.title,
        text=memory.text,
        value=memory.value,
        confidence=memory.confidence,
        status=memory.status,
        source_turn_id=memory.source_turn_id,
        at=memory.said_at,
        validated=bool(memory.value.get("validated")),
    )
