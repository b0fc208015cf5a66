"""What one answer was made of: what a search found and ranked, what is shown, what is not and why.

In: a recall, a memory packet or a context, as it was made. Out: one form of all of them, by which
`explain` tells why something is in it or is not. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from smartbrain.domain.packet import LadderStep
from smartbrain.domain.recall import RecallTrace
from smartbrain.recall.candidates import STANDING_TYPES, closed

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.memory import Memory
    from smartbrain.domain.packet import PacketExplain
    from smartbrain.domain.reason import Reason
    from smartbrain.domain.recall import Recall
    from smartbrain.domain.recalled import Ranked
    from smartbrain.domain.search import Scored
    from smartbrain.recall.pipeline import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one search did: its order, its trace, what ended in the answer and what did not.

    `ranked` is all that was given a score, `order` what was left of it in the order that the answer
    was made of, and `places` where something stands in the answer, if it has one order. `hits` are
    what each arm found, ranked or not, and `seeds` what the question names; both by number. `turns`
    are shown as they were said. What was stored after `made_at` could not be in it. `unread` says
    by type of what more stands than was looked at.
    """

    query: str
    shown: Mapping[str, Reason | None]
    omitted: Mapping[str, Reason]
    unread: Mapping[str, Reason] = field(default_factory=dict)
    ranked: Sequence[Ranked] = ()
    order: Sequence[str] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    trace: RecallTrace = field(default_factory=RecallTrace)
    hits: Mapping[str, Sequence[Scored]] = field(default_factory=dict)
    seeds: Collection[int] = ()
    turns: Collection[str] = ()
    made_at: datetime | None = None

    @classmethod
    def by_recall(cls, found: Found, recall: Recall, seeds: Collection[int] = ()) -> Answered:
        """Return what `recall` did with what its search had found."""
        return cls(
            query=found.cues.text,
            ranked=found.considered,
            order=[one.row.id for one in found.ranked],
            places={item.id: place for place, item in enumerate(recall.items, 1)},
            trace=recall.trace,
            shown=dict.fromkeys(item.id for item in recall.items),
            omitted=by_id(recall.trace.omitted),
            hits=found.hits,
            seeds=seeds,
        )

    @classmethod
    def by_packet(
        cls, found: Found, explain: PacketExplain, seeds: Collection[int] = ()
    ) -> Answered:
        """Return what a memory packet took of what its search had found."""
        return cls(
            query=found.cues.text,
            ranked=found.considered,
            order=[one.row.id for one in found.ranked],
            trace=found.trace,
            shown=by_id(explain.selected),
            omitted=by_id((*found.trace.omitted, *explain.omitted)),
            unread=unread_by_type(explain.omitted),
            hits=found.hits,
            seeds=seeds,
        )

    def left_out(self, memory: Memory) -> Reason | None:
        """Return why a memory that is not shown is not, if a rule of the answer says so."""
        why = self.omitted.get(memory.id)
        if why is None and memory.valid_until is None and memory.type in self.unread:
            return closed(memory) or self.unread[memory.type]
        return why

    @property
    def known(self) -> list[str]:
        """The ids of the memories that it has to do with."""
        return [*(one.row.id for one in self.ranked), *self.shown, *self.omitted]


def by_id(reasons: Iterable[Reason]) -> dict[str, Reason]:
    """Return reasons by what they are about; of several the last one decided."""
    return {one.id: one for one in reasons if one.id is not None}


def unread_by_type(reasons: Iterable[Reason]) -> dict[str, Reason]:
    """Return of which types a packet left some that stand, and why; which ones it cannot say."""
    return {
        one.type: one
        for one in reasons
        if one.code == LadderStep.REDUCE_TOP_K and one.id is None and one.type in STANDING_TYPES
    }
