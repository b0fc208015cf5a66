"""What the tests of explaining build: a brain that was told something, and a search made up.

In: what is said, and which memories a search is said to have ranked. Out: explanations. The brain
is on the real database; the order and the trace of the search are given by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.evidence import Signals
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.packet import PacketExplain
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import ArmReport, ArmVerdict, Cues, Recall, RecallItem, RecallTrace
from smartbrain.domain.recalled import Ranked
from smartbrain.domain.search import Scored
from smartbrain.ports.truth import Transaction
from smartbrain.recall.explain import Answered, explain_expected
from smartbrain.recall.pipeline import Found
from smartbrain.testing.clock import START, FakeClock, seeded

ARMS = (
    ArmReport(name="text", verdict=ArmVerdict.OK, hits=12),
    ArmReport(name="vector:m", verdict=ArmVerdict.OFF, code="off", reason="no embedder is set"),
    ArmReport(name="graph", verdict=ArmVerdict.OK, hits=3),
)


@dataclass(slots=True)
class Asked:
    """A brain, and what a search in it is said to have done."""

    brain: SmartBrain
    ranked: Sequence[str] = ()
    shown: int = 20
    omitted: Sequence[Reason] = ()
    packet: PacketExplain | None = None
    blind: bool = False
    search: Callable[[str], Sequence[str]] | None = None
    hits: Sequence[str] = ()

    def why(self, expect: str) -> Explanation:
        """Explain an expectation."""
        with self.brain._lease() as tenant, tenant.ports.truth.read() as rows:
            nums = rows.followed.numbers(list(self.ranked))
            found = {row.id: row for row in rows.recalled.rows(list(nums.values()))}
            ranked = [
                Ranked(found[one], 1 / place, Signals(fts_rank=place, fts_score=0.5), ("text",))
                for place, one in enumerate(self.ranked, 1)
            ]
            trace = RecallTrace(arms=ARMS, omitted=tuple(self.omitted))
            found = Found(ranked, ranked, Cues(text="问 q"), trace, hits=self._hits(rows))
            if self.packet is None:
                items = tuple(map(_item, ranked[: self.shown]))
                answered = Answered.by_recall(found, Recall(items=items, trace=trace))
            else:
                answered = Answered.by_packet(found, self.packet)
            everything = [one.id for _, one in rows.memories.page(status=None, limit=1000)]
            search = self.search or (lambda _words: everything)
            return explain_expected(
                expect,
                answered=answered,
                transaction=rows,
                types=tenant.ports.types,
                blobs=tenant.ports.blobs,
                search_words=None if self.blind else lambda words: (search(words), True),
            )

    def _hits(self, rows: Transaction) -> dict[str, list[Scored]]:
        """Return what the text arm is said to have found."""
        hits = self.hits or self.ranked
        numbers = rows.followed.numbers(list(hits))
        return {"text": [Scored(numbers[one], 0.5) for one in hits]}


def _item(one: Ranked) -> RecallItem:
    row = one.row
    return RecallItem(
        id=row.id, type=row.type, key=row.key, text=row.text, at=row.said_at, created_at=START
    )


@contextmanager
def opened(path: Path, **config: Any) -> Iterator[SmartBrain]:
    """Open a brain whose time and ids are its own."""
    clock = FakeClock(step=timedelta(seconds=1))
    root = Root(path, config=config, clock=clock, entropy=seeded(1))
    with SmartBrain(root, "t", owner=True) as brain, brain._lease(create=True):
        yield brain


def say(brain: SmartBrain, text: str, role: str = "user") -> str:
    """Say something and return the id of the turn."""
    return brain.commit_turn("会话", [{"role": role, "content": text}]).turn_id


def put(brain: SmartBrain, key: str, value: str) -> str:
    """Put a fact and return its id."""
    return brain.memories.put("facts", key, {"value": value}).memory_written.items[0].id


def episode(brain: SmartBrain, turn: str) -> str:
    """Return the id of the episode of a turn."""
    page = brain.memories.list(type="episodes", limit=1000).items
    return next(one.id for one in page if one.source_turn_id == turn)


def codes(told: Explanation) -> list[str]:
    """Return the codes of an explanation's trail."""
    return [one.code for one in told.trail]
