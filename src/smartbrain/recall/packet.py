"""The memory packet: what memory brings to mind for one message, in its fixed order (R7-R10).

In: what a search found, whom the packet is for, a run and a session. Out: a packet within every
limit that says why each memory is in it and why others are not. `build_packet` reads in one
transaction, with the same number of statements whatever there is; `fill_packet` reads nothing:
working memory comes first, then facts, procedures, short-term memory, episodes, insights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.audience import Audience
from smartbrain.domain.memory import Compression, Status
from smartbrain.domain.metrics import ACTIVE_FACTS
from smartbrain.domain.packet import (
    BudgetReport,
    MemoryPacket,
    PacketExplain,
    PacketItem,
    ShortTerm,
    WorkingMemory,
)
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import RecallTrace
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.domain.types import TypeRegistry
from smartbrain.govern.insights import INSIGHTS, OVER_LIMIT, insights_of
from smartbrain.govern.run_row import any_row, open_row
from smartbrain.govern.runs import read_run
from smartbrain.govern.short_term import Heard, hear, in_mind, pressed_short_term
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.recall.ages import shown_text
from smartbrain.recall.candidates import (
    STANDING_TYPES,
    CandidateSorter,
    PacketInputs,
    PacketRequest,
    Unread,
    closed,
    fact_types,
    item_of,
)
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.guard import reason_about
from smartbrain.recall.items import Originals, quote_episode, read_originals
from smartbrain.recall.ladder import (
    GROUPS,
    STM,
    STRONG_CUE,
    WORKING,
    Candidate,
    Load,
    Shown,
    entries,
    group_limits,
    shown_working,
    stm_size,
    within_limits,
)
from smartbrain.recall.pipeline import Found
from smartbrain.recall.relevance import Relevance
from smartbrain.recall.request import PacketOptions, RecallRequest

_MAX_STANDING: Final = 30  # of each type that enters by rule: no packet has more facts
_MAX_COUNTED: Final = 1_000
_PROCEDURES: Final = ("cases", "patterns")


class Recollection(NamedTuple):
    """What one message brings to mind: what was found, the packet, the turns of the session."""

    found: Found
    packet: MemoryPacket
    heard: Heard


def build_packet(
    found: Found,
    asked: RecallRequest,
    options: PacketOptions,
    *,
    ports: Ports,
    rules: Rules,
) -> Recollection:
    """Return everything memory contributes to one call, and what it was made of."""
    request = PacketRequest(
        cues=found.cues,
        now=asked.now,
        audience=options.audience,
        task_type=options.task_type,
        session_id=asked.session_id,
        rare=found.rare,
        relevance=found.relevance,
        whole=options.whole,
    )
    session = asked.session_id or ""
    with ports.truth.read() as rows:
        types = STANDING_TYPES if options.task_type is None else (*STANDING_TYPES, *_PROCEDURES)
        stands = rows.recalled.standing(types, limit=_MAX_STANDING, domain=options.task_type)
        known = asked.stored_by
        standing = [row for row in stands if known is None or row.created_at <= known]
        heard = hear(session, transaction=rows, blobs=ports.blobs, rules=rules.working)
        working = _read_working(options, rows)
        insights, dropped = _read_insights(asked, options, rows) if working else ([], [])
        facts = fact_types(ports.types)
        counts = rows.recalled.counts([*facts, *_PROCEDURES], most=_MAX_COUNTED)
        unread, not_read = _count_unread(types, stands, counts)
        originals = Originals()
        if not options.whole:
            originals = read_originals(
                found.ranked, passages=found.passages, rows=rows, blobs=ports.blobs
            )
        inputs = PacketInputs(
            found=_without_replaced(found.ranked, standing),
            standing=standing,
            working=working,
            stm=in_mind(session, heard, rows, rules=rules.working, quote=not options.whole),
            insights=insights,
            originals=originals,
            unread=[*unread, *dropped],
        )
    packet = fill_packet(inputs, request, types=ports.types, rules=rules)
    active = {ACTIVE_FACTS.name: sum(counts[name] for name in facts)}
    metrics = {**packet.metrics, **active, **_search_metrics(found.trace, found.relevance)}
    omitted = (*found.trace.omitted, *not_read, *packet.explain.omitted)
    explain = replace(packet.explain, omitted=omitted)
    packet = replace(packet, metrics=metrics, explain=explain)
    return Recollection(found, packet, heard)


def _search_metrics(trace: RecallTrace, relevance: Relevance | None) -> dict[str, Any]:
    return {
        "request_id": trace.request_id,
        "mode": trace.mode,
        "degraded": trace.degraded,
        "arms": [arm.to_dict() for arm in trace.arms],
        "behind": trace.behind,
        "relevance": relevance and relevance._asdict(),
    }


def _without_replaced(found: Sequence[Ranked], standing: Sequence[RecalledRow]) -> list[Ranked]:
    newest = {row.key: row.id for row in standing}
    return [
        one
        for one in found
        if one.row.status is not Status.ACTIVE or newest.get(one.row.key, one.row.id) == one.row.id
    ]


def fill_packet(
    inputs: PacketInputs, request: PacketRequest, *, types: TypeRegistry, rules: Rules
) -> MemoryPacket:
    """Return the packet of one message; the same input always gives the same packet."""
    words = CueWords(request.cues, request.rare)
    sorter = CandidateSorter(request, words, types, rules)
    groups = sorter.sort(inputs)
    stm = sorter.session(inputs.stm)
    # Working memory has what the others leave of the total, and half of it at least. Where it is
    # larger the others give way, but no group is left out for what cannot be whole anyway.
    total, limits = rules.packet.max_candidates, group_limits(rules)
    others = sum(min(len(groups[name]), limit) for name, limit in limits.items())
    room = most = max(1, total // 2, total - others - stm_size(stm))
    if entries(inputs.working) > room:
        best = sum(bool(limit and groups[name]) for name, limit in limits.items())
        most = total - best - stm_size(pressed_short_term(stm, rules=rules.working))
    working = shown_working(inputs.working, room, most)
    load = within_limits(groups, stm, entries(working.working), rules=rules)
    quoting = None if request.whole else inputs.originals
    facts, procedures, episodes, insights = (
        tuple([_show(one, words, quoting) for one in load.groups[name]]) for name in GROUPS
    )
    reduced = [unread.step() for unread in inputs.unread]
    degradations = (*working.degradations, *reduced, *load.degradations)
    packet = MemoryPacket(
        working_memory=working.working,
        facts=facts,
        procedures=procedures,
        stm=load.stm,
        episodes=episodes,
        insights=insights,
        budget_report=BudgetReport(
            limits=_limits(rules, max(room, load.working)),
            used=_used(load),
            degradations=degradations,
        ),
        explain=PacketExplain(
            selected=_selected(working, load),
            omitted=(
                *sorter.omitted,
                *working.omitted,
                *(reason for unread in inputs.unread for reason in unread.reasons()),
                *load.omitted,
            ),
        ),
        metrics=_metrics(groups, episodes, len(degradations)),
    )
    return only_validated(packet, request.audience)


def only_validated(packet: MemoryPacket, audience: Audience) -> MemoryPacket:
    """Return a packet without insights that nobody validated, unless it is for a planner (N3)."""
    if audience is Audience.PLANNER:
        return packet
    kept: dict[str, Any] = {}
    gone: list[PacketItem] = []
    for name in GROUPS:
        held = getattr(packet, name)
        kept[name] = tuple(one for one in held if not _is_unvalidated(one, name))
        gone += [one for one in held if _is_unvalidated(one, name)]
    if not gone:
        return packet
    left = {one.id for one in gone}
    sentence = "an insight that is not validated never reaches who answers"
    omitted = (reason_about(one, "unvalidated", sentence) for one in gone)
    explain = PacketExplain(
        selected=tuple(one for one in packet.explain.selected if one.id not in left),
        omitted=(*packet.explain.omitted, *omitted),
    )
    return replace(packet, **kept, explain=explain)


def _is_unvalidated(one: PacketItem, group: str) -> bool:
    is_insight = "insights" in (group, one.type) or one.validated is not None
    return is_insight and one.validated is not True


def _show(one: Candidate, words: CueWords, originals: Originals | None) -> PacketItem:
    """Return a candidate as it is shown; one that is not shown whole quotes what brought it.

    Without originals it is for who shows memories whole: its words, and where they come from.
    """
    row = one.source
    if isinstance(row, PacketItem):
        return row
    level = row.compression if one.level is Compression.RAW else one.level
    if originals is None:
        return item_of(row, one.ranked, level=level)
    text = shown_text(row, one.level)
    # What fades holds no strong cue, and so no sentence to quote for one.
    if one.fades or (row.id not in originals.texts and one.level is Compression.RAW):
        return item_of(row, one.ranked, text, level)
    cued = one.why.code == STRONG_CUE and one.level is not Compression.RAW
    quotes = quote_episode(row, text, words=words, originals=originals, cued=cued)
    return item_of(row, one.ranked, text, level, quotes)


def _limits(rules: Rules, room: int) -> dict[str, int]:
    """Return the limits in force; working memory has some room of this packet."""
    return {
        "total": rules.packet.max_candidates,
        "per_type": rules.packet.max_per_type,
        **group_limits(rules),
        WORKING: room,
        STM: rules.working.window_turns + rules.working.max_quotes,
    }


def _used(load: Load) -> dict[str, int]:
    sizes = {name: len(load.groups[name]) for name in GROUPS}
    return {
        "total": load.total,
        "per_type": max(sizes.values()),
        **sizes,
        WORKING: load.working,
        STM: stm_size(load.stm),
    }


def _selected(shown: Shown, load: Load) -> tuple[Reason, ...]:
    reasons = []
    if shown.working is not None:
        sentence = "what the run has in mind comes first"
        reasons.append(Reason("working", sentence, id=shown.working.run_id, type=WORKING))
    for name in GROUPS:
        if name == "episodes" and load.stm != ShortTerm():
            reasons.append(Reason("session", "the session has it in mind", type=STM))
        reasons += [reason_about(one.source, *one.why) for one in load.groups[name]]
    return tuple(reasons)


def _metrics(
    groups: Mapping[str, Sequence[Candidate]], episodes: Sequence[PacketItem], degradations: int
) -> dict[str, Any]:
    levels = Counter(one.compression for one in episodes)
    return {
        "candidate_count_by_type": {name: len(groups[name]) for name in GROUPS},
        "compression_level_distribution": {level.value: levels[level] for level in Compression},
        "degradation_events_count": degradations,
    }


def _count_unread(
    types: Sequence[str], stands: Sequence[RecalledRow], counts: Mapping[str, int]
) -> tuple[list[Unread], list[Reason]]:
    """Return of which types more stands than is looked at, and of which more is only there.

    What is open is looked at first: where something closed was read, nothing open was left.
    """
    read = Counter(row.type for row in stands)
    exhausted = {row.type for row in stands if closed(row) is not None}
    unread, not_read = [], []
    for name in types:
        more = counts[name] - read[name]
        if more <= 0:
            continue
        if name in STANDING_TYPES and name not in exhausted:
            reason = (
                f"at most {_MAX_STANDING} {name} stand in a packet, instructions and new ones first"
            )
            unread.append(Unread(name, counts[name], read[name], reason))
        else:
            first = "those of the task's type" if name in _PROCEDURES else "open ones"
            sentence = f"{more} {name} more are there; {first} and new ones come first"
            not_read.append(Reason("not_read", sentence, type=name, detail={"memories": more}))
    return unread, not_read


def _read_working(options: PacketOptions, rows: Transaction) -> WorkingMemory | None:
    """Return what a run has in mind: nothing once it has ended.

    Who shows memories whole has the plan of the session elsewhere, and it takes no room here.
    """
    if options.run_id is None:
        return None
    working = read_run(options.run_id, transaction=rows)
    if working is None:
        any_row(options.run_id, transaction=rows)
    return replace(working, plan=()) if working and options.whole else working


def _read_insights(
    asked: RecallRequest, options: PacketOptions, rows: Transaction
) -> tuple[list[PacketItem], list[Unread]]:
    """Return what a run supposes, and whether it supposed more; for a planner alone."""
    if options.audience is not Audience.PLANNER or options.run_id is None:
        return [], []
    row = open_row(options.run_id, transaction=rows)
    living = insights_of(row, transaction=rows, now=asked.now)
    gone = tuple(one for one in row.dropped if one.code == OVER_LIMIT)
    reason = f"of {row.made} insights that were noted the run keeps the surest"
    left = [Unread(INSIGHTS, row.made, len(living), reason, gone)] if gone else []
    return [item_of(memory, None) for memory in living], left
