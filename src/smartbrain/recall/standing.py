"""What enters a packet by rule: who the user is, how they want things done, what is open (R7).

In: standing rows and what recall found among them. Out: facts in one order of which any beginning
is a fair choice: what the message brought to mind and what stands anyway take turns. Being alike in
meaning decides about nothing that stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.memory_type import Group, as_text
from smartbrain.domain.reason import Reason
from smartbrain.recall.cue_match import CueWords, words_of
from smartbrain.recall.guard import refusal, without_over
from smartbrain.recall.ladder import Candidate, Why
from smartbrain.text.telling import instructs

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.recalled import Ranked, RecalledRow
    from smartbrain.domain.types import TypeRegistry

STANDING_TYPES: Final = ("profile", "preferences", "goals", "tasks")
"""The types whose memories are read for every packet."""

_PLACES: Final = {"profile": 1, "preferences": 2, "tasks": 3, "goals": 3}
_USER: Final = "user"
_PURSUED: Final = ("goals", "tasks")


def order_facts(
    found: Sequence[Ranked], rows: Sequence[RecalledRow], *, words: CueWords, now: datetime
) -> tuple[list[Candidate], list[Reason]]:
    """Return found and standing facts in one order, and why some of those standing are left out.

    Args:
        found: the facts that recall found, best first.
        rows: what stands, from `transaction.recalled.standing`.
        words: what the message gives to look for.
        now: the present moment.
    """
    known = {one.row.id for one in found}
    omitted = []
    standing = []
    for stored in rows:
        row = without_over(stored, now)
        if row.id in known:
            continue
        known.add(row.id)
        reason = refusal(row, now=now) or closed(row)
        if reason is None:
            standing.append((len(words.shared(words_of(row))), row))
        else:
            omitted.append(reason)
    standing.sort(key=lambda one: _place(*one))
    by_rule = [Candidate(row, _why_standing(shared)) for shared, row in standing]
    brought = [Candidate(one.row, why_found(one), one) for one in found]
    if words.greets:  # what is near to a greeting says nothing
        return [*by_rule, *brought], omitted
    turns = chain.from_iterable(zip_longest(brought, by_rule))
    return [fact for fact in turns if fact is not None], omitted


def closed(row: RecalledRow | Memory) -> Reason | None:
    """Return why a goal or a task is not pursued any more."""
    if row.type not in _PURSUED:
        return None
    status = as_text(row.value.get("status")).casefold()
    if status not in ENDED:
        return None
    return Reason("closed", f"it is {status}", id=row.id, type=row.type, key=row.key)


def fact_types(types: TypeRegistry) -> list[str]:
    """Return the types whose memories are facts of a packet, those that are counted as such."""
    return [kind.name for kind in types if kind.group is Group.FACTS]


def why_found(one: Ranked) -> Why:
    """Return which arms brought a memory."""
    return Why("found", f"found by {', '.join(one.found_by) or 'recall'}")


def _why_standing(shared: int) -> Why:
    return Why("standing", f"it stands and shares {shared} words" if shared else "it stands")


def _place(shared: int, row: RecalledRow) -> tuple[int, int, float, str]:
    """Return the place of what stands: what the message speaks of, then instructions, then new."""
    place = _PLACES.get(row.type, len(_PLACES))
    if row.type == "preferences" and instructs(row.text):
        place = 0
    if row.type == "profile" and row.value.get("subject") != _USER:
        place = len(_PLACES)
    return -shared, place, -row.said_at.timestamp(), row.id
