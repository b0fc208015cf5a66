"""The memory packet of one message, stage by stage: search, read what stands, fill (R7–R10).

In: a question, whom the packet is for, a run and a session. Out: a packet and what the search did.
Follow `bring` after `pipeline.search`: everything here is read in one transaction, with the same
number of statements whatever there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.audience import Audience
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.metrics import ACTIVE_FACTS
from smartbrain.domain.packet import PacketItem
from smartbrain.domain.reason import Reason
from smartbrain.govern.insights import INSIGHTS, OVER_LIMIT, insights_of
from smartbrain.govern.run_row import any_row, open_row
from smartbrain.govern.runs import read_run
from smartbrain.govern.short_term import in_mind
from smartbrain.recall.beyond import read_beyond
from smartbrain.recall.candidates import Brought, Left, Occasion
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.packet import fill_packet
from smartbrain.recall.standing import STANDING_TYPES, closed, fact_types

if TYPE_CHECKING:
    from smartbrain.domain.packet import MemoryPacket, WorkingMemory
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.recalled import Ranked, RecalledRow
    from smartbrain.govern.short_term import Heard, RecentTurns
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.asked import Asked, For
    from smartbrain.recall.pipeline import Found

_STANDING: Final = 30  # of each type that enters by rule: no packet has more facts
_COUNTED: Final = 1_000
_PROCEDURES: Final = ("cases", "patterns")


def bring(
    found: Found,
    asked: Asked,
    whom: For,
    *,
    recent: RecentTurns,
    ports: Ports,
    rules: Rules,
) -> tuple[MemoryPacket, Heard]:
    """Return everything memory contributes to one call, and what was read of the session.

    Raises:
        NotFound: there is no such run; one that has ended has nothing in mind any more.
    """
    occasion = _occasion(found, asked, whom)
    words = CueWords(found.cues, found.rare)
    with ports.truth.read() as rows:
        types = STANDING_TYPES if whom.task_type is None else (*STANDING_TYPES, *_PROCEDURES)
        stands = rows.recalled.standing(types, limit=_STANDING, domain=whom.task_type)
        standing = [
            row for row in stands if asked.stored_by is None or row.created_at <= asked.stored_by
        ]
        session = asked.session_id or ""
        heard = recent.hear(session, transaction=rows, blobs=ports.blobs, rules=rules.working)
        working = _working(whom, rows)
        insights, over = _insights(asked, whom, rows) if working else ([], [])
        facts = fact_types(ports.types)
        counts = rows.recalled.counts([*facts, *_PROCEDURES], most=_COUNTED)
        left, unread = _left(types, stands, counts)
        brought = Brought(
            found=_not_replaced(found.ranked, standing),
            standing=standing,
            working=working,
            stm=in_mind(session, heard, rows, rules=rules.working, quote=not whom.whole),
            insights=insights,
            left=[*left, *over],
            beyond=read_beyond(
                found.ranked,
                occasion,
                words,
                passages=found.passages,
                rules=rules.packet.episodes,
                rows=rows,
                blobs=ports.blobs,
            ),
        )
    packet = fill_packet(brought, occasion, types=ports.types, rules=rules, words=words)
    metrics: dict[str, Any] = {
        **packet.metrics,
        ACTIVE_FACTS.name: sum(counts[name] for name in facts),
        "request_id": found.trace.request_id,
        "mode": found.trace.mode,
        "degraded": found.trace.degraded,
        "arms": [one.to_dict() for one in found.trace.arms],
        "behind": found.trace.behind,
        "relevance": found.relevance and found.relevance._asdict(),
    }
    omitted = (*found.trace.omitted, *unread, *packet.explain.omitted)
    explain = replace(packet.explain, omitted=omitted)
    return replace(packet, metrics=metrics, explain=explain), heard


def _occasion(found: Found, asked: Asked, whom: For) -> Occasion:
    """Return what a packet is made for."""
    return Occasion(
        cues=found.cues,
        now=asked.now,
        audience=whom.audience,
        task_type=whom.task_type,
        session_id=asked.session_id,
        rare=found.rare,
        relevance=found.relevance,
        whole=whom.whole,
    )


def _left(
    types: Sequence[str], stands: Sequence[RecalledRow], counts: Mapping[str, int]
) -> tuple[list[Left], list[Reason]]:
    """Return of which types more stands than is looked at, and of which more is only there.

    What is open is looked at first: where something closed was read, nothing open was left.
    """
    read = Counter(row.type for row in stands)
    exhausted = {row.type for row in stands if closed(row) is not None}
    left, unread = [], []
    for name in types:
        more = counts[name] - read[name]
        if more <= 0:
            continue
        if name in STANDING_TYPES and name not in exhausted:
            reason = (
                f"at most {_STANDING} {name} stand in a packet, instructions and new ones first"
            )
            left.append(Left(name, counts[name], read[name], reason))
        else:
            first = "those of the task's type" if name in _PROCEDURES else "open ones"
            sentence = f"{more} {name} more are there; {first} and new ones come first"
            unread.append(Reason("not_read", sentence, type=name, detail={"memories": more}))
    return left, unread


def _not_replaced(found: Sequence[Ranked], standing: Sequence[RecalledRow]) -> list[Ranked]:
    """Return what was found without what another version has replaced since."""
    stands = {row.key: row.id for row in standing}
    return [
        one
        for one in found
        if one.row.status is not Status.ACTIVE or stands.get(one.row.key, one.row.id) == one.row.id
    ]


def _working(whom: For, rows: Transaction) -> WorkingMemory | None:
    """Return what a run has in mind: nothing once it has ended.

    Who shows memories whole has the plan of the session elsewhere, and it takes no room here.
    """
    if whom.run_id is None:
        return None
    working = read_run(whom.run_id, transaction=rows)
    if working is None:
        any_row(whom.run_id, transaction=rows)
    return replace(working, plan=()) if working and whom.whole else working


def _insights(asked: Asked, whom: For, rows: Transaction) -> tuple[list[PacketItem], list[Left]]:
    """Return what a run supposes, and whether it supposed more; for a planner alone.

    That is checked again by the packet.
    """
    if whom.audience is not Audience.PLANNER or whom.run_id is None:
        return [], []
    row = open_row(whom.run_id, transaction=rows)
    living = insights_of(row, transaction=rows, now=asked.now)
    gone = tuple(one for one in row.dropped if one.code == OVER_LIMIT)
    reason = f"of {row.made} insights that were noted the run keeps the surest"
    left = [Left(INSIGHTS, row.made, len(living), reason, gone)] if gone else []
    return [_item(one) for one in living], left


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
