"""Which versions may be recalled: those that hold, or held at the time that is asked about (M4).

In: ranked memories of any status. Out: those that are admitted, in their order, and a reason for
each that is not. Only who asks for history sees what no longer holds, and nobody what was never
held: what waits for the gate, an insight that nobody validated, what was said to be wrong or asked
to be forgotten. What was said off the record is for its own session alone. Nothing is looked up
here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import OFF_RECORD, Status, is_fact_over, status_at
from smartbrain.domain.reason import Reason
from smartbrain.domain.recalled import RecalledRow
from smartbrain.domain.types import BUILTIN_TYPES

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.recalled import Ranked

_INSIGHTS: Final = "insights"
_EPISODES: Final = "episodes"
_PROFILE: Final = "profile"
_BY_GRAPH: Final = "graph"
_TITLE: Final = 80  # characters
_REFUSED: Final = {
    Status.CANDIDATE: "it has not been confirmed yet",
    Status.SUPERSEDED: "a newer version has taken its place",
    Status.RETRACTED: "it was taken back",
    Status.DISPUTED: "it contradicts what is held to be true",
    Status.DEPRECATED: "it is no longer in use",
    Status.ARCHIVED: "it was put away",
    Status.EXPIRED: "its time is over",
}
_UNSHOWN: Final = "the user asked not to remember it, and its session is another one or has ended"
_NOT_PROMOTED: Final = "not_promoted"
_NEVER_HELD: Final = (Status.CANDIDATE.value, _NOT_PROMOTED)
_ENDED_SINCE: Final = frozenset(
    (Status.SUPERSEDED, Status.DISPUTED, Status.EXPIRED, Status.DEPRECATED)
)
"""How a version may have ended that held until then; a disputed one if another took its place.

What was taken back did if it was said to be over, and did not if it was said to be wrong.
"""


def admitted(
    ranked: Sequence[Ranked],
    *,
    as_of: datetime | None,
    now: datetime,
    history: bool,
    session_id: str | None = None,
) -> tuple[list[Ranked], list[Reason]]:
    """Return what may be recalled, in order, and why the rest may not.

    Args:
        ranked: memories of any status, best first.
        as_of: the time whose truth is asked for; of each key the version that held then is
            admitted. None is now.
        now: the present moment.
        history: whether versions that do not hold are asked for; they are admitted too. What
            was never held is not, nor what was taken back unless it was said to be over.
        session_id: the session that asks; no other is shown what was said off the record in it.
    """
    kept: list[Ranked] = []
    refused: list[Reason] = []
    holding = None if as_of is None else _holding((one.row for one in ranked), as_of)
    denied = [one.row for one in ranked if _is_denied(one.row)] if history else []
    taken_back = {row.source_turn_id for row in denied}
    for one in ranked:
        reason = _refusal(one.row, as_of, now)
        if history and (reason is None or not _never_held(one.row, reason)):
            reason = None
        elif reason is None and holding is not None and holding[one.row.key] != one.row.id:
            reason = _reason(one.row, Status.SUPERSEDED)
        if reason is None and taken_back and _led_to(one, taken_back):
            reason = _named(one.row, Status.RETRACTED, "only what was taken back leads to it")
        if one.row.only_in is not None and one.row.only_in != session_id:
            reason = _named(one.row, OFF_RECORD, _UNSHOWN)
        if reason is None:
            kept.append(one if history else one._replace(row=without_over(one.row, as_of or now)))
        else:
            refused.append(reason)
    return kept, refused


def without_over(row: RecalledRow, at: datetime) -> RecalledRow:
    """Return a profile without the facts whose time is over; anything else as it is."""
    facts = row.value.get("facts", ()) if row.type == _PROFILE else ()
    held = [fact for fact in facts if not is_fact_over(fact, at)]
    if len(held) == len(facts):
        return row
    value = {**row.value, "facts": held}
    text = BUILTIN_TYPES.get(_PROFILE).sentence(value)
    told = {name: getattr(row, name) for name in RecalledRow._fields}
    return RecalledRow(**{**told, "value": value, "text": text, "title": text[:_TITLE]})


def refusal(row: RecalledRow, *, now: datetime) -> Reason | None:
    """Return why a memory may not be recalled now, None if it may."""
    return _refusal(row, None, now)


def is_unpromoted(memory: Memory | RecalledRow) -> bool:
    """Tell whether a memory is a hypothesis that nobody validated: it never joined the others."""
    return memory.type == _INSIGHTS and memory.value.get("validated") is not True


def _refusal(row: RecalledRow, as_of: datetime | None, now: datetime) -> Reason | None:
    """Return why a version is not admitted by its status or its validity."""
    if row.status is not Status.CANDIDATE and is_unpromoted(row):
        return _named(row, _NOT_PROMOTED, "a run supposed it, and nobody validated it")
    since_ended = row.ended or row.status in _ENDED_SINCE
    ended = as_of is not None and since_ended and row.valid_until is not None
    if row.status is not Status.ACTIVE and not ended:
        return _reason(row, row.status)
    since = row.valid_since or (row.said_at if as_of else None)
    # Whoever says something holds it from then on, even if their clock is ahead of ours.
    if since is not None and since > (as_of or max(now, row.said_at)):
        return _named(row, "not_yet_valid", f"it holds only from {since.isoformat()}")
    if row.valid_until is not None and row.valid_until <= (as_of or now):
        return _named(row, Status.EXPIRED, f"it held until {row.valid_until.isoformat()}")
    at = as_of or now
    if row.type == _PROFILE and status_at(row.status, None, row.value, at) is Status.EXPIRED:
        return _named(row, Status.EXPIRED, "the time of all its facts is over")
    return None


def _never_held(row: RecalledRow, reason: Reason) -> bool:
    """Tell whether a version that is refused is in no history either."""
    return _is_denied(row) or reason.code in _NEVER_HELD


def _is_denied(row: RecalledRow) -> bool:
    """Tell whether a version was taken back as wrong, or to be forgotten; not as being over."""
    return row.never and row.status is not Status.ACTIVE


def _led_to(one: Ranked, taken_back: Collection[str | None]) -> bool:
    """Tell whether a turn was found by nothing but a memory of it that was taken back."""
    row = one.row
    return (
        row.type == _EPISODES and row.source_turn_id in taken_back and one.found_by == (_BY_GRAPH,)
    )


def _holding(rows: Iterable[RecalledRow], as_of: datetime) -> dict[str, str]:
    """Return, by key, the id of the version that had held last at a time."""
    held = [row for row in rows if _refusal(row, as_of, as_of) is None]
    held.sort(key=lambda row: (row.valid_since or row.said_at, row.version, row.id))
    return {row.key: row.id for row in held}


def _reason(row: RecalledRow, status: Status) -> Reason:
    return _named(row, status, _REFUSED[status])


def _named(row: RecalledRow, code: str, sentence: str) -> Reason:
    return Reason(str(code), sentence, id=row.id, type=row.type, key=row.key)
