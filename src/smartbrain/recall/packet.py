"""The memory packet: what memory brings to mind for one message, in its fixed order (R7-R10).

In: what recall found, what stands, the state of run and session, and whom it is for. Out: a packet
within every limit that says why each memory is in it and why others are not. Working memory comes
first, then facts, procedures, short-term memory, episodes, insights. Nothing is read here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from smartbrain.domain.audience import Audience
from smartbrain.domain.memory import Compression
from smartbrain.domain.packet import (
    BudgetReport,
    Degradation,
    LadderStep,
    MemoryPacket,
    PacketExplain,
    PacketItem,
    Quote,
    ShortTerm,
)
from smartbrain.domain.reason import Reason
from smartbrain.recall.ages import shown_text
from smartbrain.recall.candidates import (
    NO_SIGNALS,
    Brought,
    Left,
    Occasion,
    Sorting,
    is_validated,
    item_of,
    named,
)
from smartbrain.recall.cue_match import CueWords
from smartbrain.recall.ladder import (
    GROUPS,
    STM,
    STRONG_CUE,
    Candidate,
    Load,
    group_limits,
    least_beside,
    stm_size,
    within_limits,
)
from smartbrain.recall.quoting import Beyond, quoted, quoted_rest
from smartbrain.recall.working_view import WORKING, Shown, entries, shown_working

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.types import TypeRegistry


def fill_packet(
    brought: Brought,
    occasion: Occasion,
    *,
    types: TypeRegistry,
    rules: Rules,
    words: CueWords | None = None,
) -> MemoryPacket:
    """Return the packet of one message; the same input always gives the same packet.

    `words` are those of the occasion, where they are made already. An insight that is not
    validated never reaches a responder: that is checked once more on the finished packet (N3).
    """
    words = words or CueWords(occasion.cues, occasion.rare)
    sorting = Sorting(occasion, words, types, rules)
    groups = sorting.groups(brought)
    stm = sorting.session(brought.stm)
    room = most = working_room(groups, stm, rules)
    if entries(brought.working) > room:
        most = rules.packet.max_candidates - least_beside(groups, stm, rules)
    working = shown_working(brought.working, room, most)
    load = within_limits(groups, stm, entries(working.working), rules=rules)
    show = _whole if occasion.whole else partial(_shown, words=words, beyond=brought.beyond)
    facts, procedures, episodes, insights = (
        tuple([show(one) for one in load.groups[name]]) for name in GROUPS
    )
    degradations = (*working.degradations, *map(_reduced, brought.left), *load.degradations)
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
                *sorting.omitted,
                *working.omitted,
                *(one for left in brought.left for one in _omitted(left)),
                *load.omitted,
            ),
        ),
        metrics=_metrics(groups, episodes, len(degradations)),
    )
    return only_validated(packet, occasion.audience)


def _reduced(left: Left) -> Degradation:
    """Return the step that was taken before anything of a type was read."""
    return Degradation(
        code=LadderStep.REDUCE_TOP_K.value,
        reason=left.reason,
        type=left.type,
        before=left.before,
        after=left.after,
    )


def _omitted(left: Left) -> Iterator[Reason]:
    """Yield why some of a type went: each that is known, the others by their number."""
    code = LadderStep.REDUCE_TOP_K.value
    yield from (replace(one, code=code) for one in left.told)
    unknown = left.before - left.after - len(left.told)
    if unknown > 0:
        sentence = f"{left.reason}: {unknown} {left.type} more"
        yield Reason(code, sentence, type=left.type, detail={"memories": unknown})


def working_room(groups: Mapping[str, Sequence[Candidate]], stm: ShortTerm, rules: Rules) -> int:
    """Return how many entries working memory shows before anything gives way to it.

    That is what the others leave of the total, and half of it at least. It comes first: where it is
    larger, the others give way as far as the ladder goes without leaving out a group. Where not
    even that makes room for it, it is not whole anyway, and this is what it has.
    """
    others = sum(min(len(groups[name]), most) for name, most in group_limits(rules).items())
    total = rules.packet.max_candidates
    return max(1, total // 2, total - others - stm_size(stm))


def only_validated(packet: MemoryPacket, audience: Audience) -> MemoryPacket:
    """Return a packet without insights that nobody validated, unless it is for a planner (N3)."""
    if audience is Audience.PLANNER:
        return packet
    groups: dict[str, tuple[PacketItem, ...]] = {name: getattr(packet, name) for name in GROUPS}
    gone = [one for name, held in groups.items() for one in held if _is_unvalidated(one, name)]
    if not gone:
        return packet
    kept: dict[str, Any] = {
        name: tuple(one for one in held if not _is_unvalidated(one, name))
        for name, held in groups.items()
    }
    left = {one.id for one in gone}
    sentence = "an insight that is not validated never reaches who answers"
    explain = PacketExplain(
        selected=tuple(one for one in packet.explain.selected if one.id not in left),
        omitted=(
            *packet.explain.omitted,
            *(named(one, "unvalidated", sentence) for one in gone),
        ),
    )
    return replace(packet, **kept, explain=explain)


def _is_unvalidated(one: PacketItem, group: str) -> bool:
    """Tell whether an item is an insight that nobody has validated, wherever it stands."""
    is_insight = "insights" in (group, one.type) or one.validated is not None
    return is_insight and one.validated is not True


def _whole(one: Candidate) -> PacketItem:
    """Return a candidate for a context: its words, whole, and where they come from.

    A context reads no title, value or confidence; the level is what it shows of an episode in which
    nobody spoke.
    """
    row, ranked = one.source, one.ranked
    if isinstance(row, PacketItem):
        return row
    return PacketItem(
        id=row.id,
        type=row.type,
        key=row.key,
        text=row.text,
        source_turn_id=row.source_turn_id,
        session_id=row.session_id,
        speaker=row.speakers[0] if row.speakers else None,
        at=row.said_at,
        compression=row.compression if one.level is Compression.RAW else one.level,
        status=row.status,
        validated=is_validated(row),
        score=ranked.score if ranked else None,
        signals=ranked.signals if ranked else NO_SIGNALS,
    )


def _shown(one: Candidate, words: CueWords, beyond: Mapping[str, Beyond]) -> PacketItem:
    """Return a candidate as it is shown; one that is not shown whole quotes what brought it."""
    row = one.source
    if isinstance(row, PacketItem):
        return row
    more = beyond[row.id].quote if row.id in beyond else None
    quotes: tuple[Quote, ...] = (more,) if more else ()
    if one.level is Compression.RAW:
        return item_of(row, one.ranked, quotes=quotes)
    text = shown_text(row, one.level)
    # What fades holds no strong cue, and so no sentence to quote for one.
    if not one.fades:
        quotes = (*quoted(row, text, words=words), *quotes)
    if not quotes and one.why.code == STRONG_CUE and not words.strong(row.text):
        quotes = quoted_rest(row, text)  # its time brought it, and that is in no sentence
    return item_of(row, one.ranked, text, one.level, quotes)


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
    """Return what a packet holds of each limit."""
    sizes = {name: len(load.groups[name]) for name in GROUPS}
    return {
        "total": load.total,
        "per_type": max(sizes.values()),
        **sizes,
        WORKING: load.working,
        STM: stm_size(load.stm),
    }


def _selected(shown: Shown, load: Load) -> tuple[Reason, ...]:
    """Return why each thing is in the packet, in its order."""
    reasons = []
    if shown.working is not None:
        sentence = "what the run has in mind comes first"
        reasons.append(Reason("working", sentence, id=shown.working.run_id, type=WORKING))
    for name in GROUPS:
        if name == "episodes" and load.stm != ShortTerm():
            reasons.append(Reason("session", "the session has it in mind", type=STM))
        reasons += [named(one.source, *one.why) for one in load.groups[name]]
    return tuple(reasons)


def _metrics(
    groups: Mapping[str, Sequence[Candidate]], episodes: Sequence[PacketItem], degradations: int
) -> dict[str, Any]:
    """Return the figures that tell how hard a packet was to fill."""
    levels = Counter(one.compression for one in episodes)
    return {
        "candidate_count_by_type": {name: len(groups[name]) for name in GROUPS},
        "compression_level_distribution": {level.value: levels[level] for level in Compression},
        "degradation_events_count": degradations,
    }
