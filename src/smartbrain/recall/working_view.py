"""Working memory as a packet shows it: whole, or shorter when it would crowd out the rest (W1).

In: what a run has in mind and how many entries may be shown. Out: the same with less said: first
the detail of old decisions goes, then plan and decisions, so that goal, constraints and slots stay,
at last the oldest of those. Each step is reported; nothing is reworded.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.packet import Degradation, WorkingMemory
from smartbrain.domain.reason import Reason

WORKING: Final = "working_memory"
_RECENT_DECISIONS: Final = 3


class Shown(NamedTuple):
    """Working memory as it is shown, the steps that made it so, and what is not shown."""

    working: WorkingMemory | None
    degradations: tuple[Degradation, ...] = ()
    omitted: tuple[Reason, ...] = ()


def entries(working: WorkingMemory | None) -> int:
    """Return how many things working memory holds; the detail of a decision is one of them."""
    if working is None:
        return 0
    details = sum(1 for one in working.decisions if one.detail)
    lists = (working.constraints, working.slots, working.plan, working.decisions)
    return (working.goal is not None) + sum(map(len, lists)) + details


def shown_working(working: WorkingMemory | None, limit: int, most: int = 0) -> Shown:
    """Return working memory with at most `limit` entries, at least its goal.

    Where all but the detail of decisions has room among `most` entries, that is shown, though it is
    more than `limit`; and so are goal, constraints and slots where these alone have it.
    """
    if working is not None and entries(working) > limit:
        limit = _room(working, limit, most)
    degradations: list[Degradation] = []
    omitted: list[Reason] = []
    for code, reason, shorten in (
        ("drop_decision_detail", "the detail of old decisions is not shown", _brief),
        ("keep_core", "only goal, constraints and slots are shown", _core),
        ("cut_core", "only the newest constraints and slots are shown", _newest),
    ):
        before = entries(working)
        if working is None or before <= limit:
            break
        shorter = shorten(working, limit)
        after = entries(shorter)
        if after < before:
            working = shorter
            degradations.append(
                Degradation(code=code, reason=reason, type=WORKING, before=before, after=after)
            )
            omitted.append(
                Reason(code, f"{reason}: {before - after} entries", id=working.run_id, type=WORKING)
            )
    return Shown(working, tuple(degradations), tuple(omitted))


def _room(working: WorkingMemory, limit: int, most: int) -> int:
    """Return how many entries may be shown: as many as all but detail takes, else the core alone.

    If there may not be so many either, the limit holds.
    """
    bare = _with_details(working, 0)
    if limit < entries(bare) <= most:
        return min(most, entries(_with_details(working, _RECENT_DECISIONS)))
    core = entries(_core(working))
    return core if limit < core <= most else limit


def _brief(working: WorkingMemory, limit: int) -> WorkingMemory:
    """Take the detail off all but the last decisions, and off those too if that is not enough."""
    shorter = _with_details(working, _RECENT_DECISIONS)
    return shorter if entries(shorter) <= limit else _with_details(working, 0)


def _with_details(working: WorkingMemory, last: int) -> WorkingMemory:
    """Take the detail off all but the `last` decisions."""
    recent = len(working.decisions) - last
    decisions = tuple(
        decision if place >= recent else replace(decision, detail="")
        for place, decision in enumerate(working.decisions)
    )
    return replace(working, decisions=decisions)


def _core(working: WorkingMemory, _: int = 0) -> WorkingMemory:
    return replace(working, plan=(), decisions=())


def _newest(working: WorkingMemory, limit: int) -> WorkingMemory:
    """Keep as many constraints and slots as there is room for, half each if both have more."""
    room = max(0, limit - (working.goal is not None))
    slots = min(len(working.slots), max(room // 2, room - len(working.constraints)))
    constraints = min(len(working.constraints), room - slots)
    kept = list(working.slots.items())[len(working.slots) - slots :]
    first = len(working.constraints) - constraints
    return replace(working, constraints=working.constraints[first:], slots=dict(kept))
