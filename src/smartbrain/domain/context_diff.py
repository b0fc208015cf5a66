"""What differs between two contexts, or between one and the same under other rules (S6).

In: nothing; `compose.replay` fills these. Out: frozen values whose JSON is public, and `text()` for
people. Things are named by their slot and id, places count from 1 within a slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import field

from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record


class ContextChange(Record, frozen=True, kw_only=True):
    """Something that is in one context and not in the other, its first words, and why."""

    slot: str
    id: str
    place: int
    text: str = ""
    why: Reason | None = None


class ContextMove(Record, frozen=True, kw_only=True):
    """Something that both show, in another place or with other words, and why."""

    slot: str
    id: str
    from_place: int
    to_place: int
    characters_before: int = 0
    characters_after: int = 0
    why: Reason | None = None


class SlotChange(Record, frozen=True, kw_only=True):
    """How many tokens a slot takes in each."""

    slot: str
    before: int = 0
    after: int = 0


class ContextDiff(Record, frozen=True, kw_only=True):
    """What came in, what went, what moved or was shown longer or shorter, and what that costs.

    `other_id` is the second context; a replay has none, but the `overrides` it was made under.
    `live` says that something was searched or read again; `notes` say what, and what to mind.
    """

    context_id: str
    other_id: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    live: bool = False
    entered: tuple[ContextChange, ...] = ()
    left: tuple[ContextChange, ...] = ()
    moved: tuple[ContextMove, ...] = ()
    resized: tuple[ContextMove, ...] = ()
    tokens: tuple[SlotChange, ...] = ()
    limit: SlotChange = SlotChange(slot="limit")
    used: SlotChange = SlotChange(slot="used")
    notes: tuple[Reason, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both show the same."""
        return not (self.entered or self.left or self.moved or self.resized)

    def text(self) -> str:
        """Return it in lines, for people to read."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.context_id} → {self.other_id or 'replayed'}"
        for name, value in self.overrides.items():
            yield f"  {name} = {value}"
        for note in self.notes:
            yield f"note: {note.reason} [{note.code}]"
        if self.same:
            yield "nothing shown differs"
        for sign, changes in (("+", self.entered), ("-", self.left)):
            for one in changes:
                yield f"{sign} {one.slot} {one.place}. {one.id} {one.text}{_because(one.why)}"
        for move in self.moved:
            places = f"place {move.from_place} → {move.to_place}"
            yield f"~ {move.slot} {move.id}: {places}{_because(move.why)}"
        for move in self.resized:
            sizes = f"{move.characters_before:,} → {move.characters_after:,} characters"
            yield f"~ {move.slot} {move.id}: {sizes}{_because(move.why)}"
        for slot in (*self.tokens, self.used, self.limit):
            yield f"{slot.slot}: {slot.before:,} → {slot.after:,} tokens"


def _because(why: Reason | None) -> str:
    return f" [{why.code}: {why.reason}]" if why else ""
