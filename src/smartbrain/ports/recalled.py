"""What recall asks of the truth: rows of what indexes found, names, times, and what stands by rule.

In: numbers, names, times. Out: rows and numbers. Every question is one statement however many it
is about, so a recall costs the same number of statements whatever it finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.recalled import RecalledRow, Replaced, UnsureClaim


class RecalledRows(Protocol):
    """Memories by number and by key; what is deleted is not returned."""

    def rows(self, nums: Sequence[int]) -> list[RecalledRow]:
        """Return memories by number, lowest first; a number that is none is left out."""

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the types of memories by number; a number that is none is left out."""

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Return the numbers of what stands under keys now: active memories, else candidates."""

    def versions(self, keys: Sequence[str]) -> list[RecalledRow]:
        """Return every version of keys, oldest first by their own time."""


class Recalled(RecalledRows, Protocol):
    """All reads of the recall path."""

    def standing(
        self, types: Sequence[str], *, limit: int, domain: str | None = None
    ) -> list[RecalledRow]:
        """Return the active memories of some types, those said last first, at most `limit` a type.

        Of more than that, goals and tasks that are not over and preferences that instruct have
        places before the others of their type, then what was stored last. With `domain`, cases and
        patterns of that domain alone are returned, however it is spelled (`plain_name`); only so
        many of the newest are looked at, thousands of them.
        """

    def within(self, since: datetime, until: datetime, *, limit: int) -> list[int]:
        """Return the numbers of active episodes of a stretch of time, newest first."""

    def labelled(self, words: Sequence[str], *, limit: int) -> list[int]:
        """Return the active memories written last that have one of these keywords, newest first.

        Only so many of the newest are looked at: this is for when there is no text index. What was
        given no keywords has the words of its key and its title; of an entity they are its names.
        """

    def replaced(self, turns: Sequence[str]) -> list[Replaced]:
        """Return what was told in turns, stands no more, and has an active version in its place.

        They come in the order in which they were stored.
        """

    def claimed(self, attributes: Sequence[str], *, limit: int) -> dict[str, list[int]]:
        """Return what claims of attributes are part of, by attribute, those said last first.

        Of a claim that counts it is the active memory, and of each the episode of its turn, also of
        a claim that its reader was not sure of. At most `limit` claims of an attribute are looked
        at.
        """

    def claimed_at(self, claim_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when claims were said, by their ids; an unknown one is left out."""

    def unsure(self, attributes: Sequence[str]) -> list[UnsureClaim]:
        """Return the claims of attributes of which their reader was not sure, the newest first.

        Only those are returned that assert something; a few of each attribute are looked at.
        """

    def told_by(self, raw_nums: Sequence[int], *, most: int) -> dict[int, tuple[int, ...]]:
        """Return the numbers of the active episodes that rest on each raw chunk, the newest first.

        Equal words are one chunk, however often they are said; `most` are returned of each.
        """

    def said_by(self, turn_ids: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return who said the originals of turns: by turn, and by the number of the raw chunk.

        It is the name, or else the role, of the message. What two say in the same words is left
        out, and so is what nobody said, such as the output of a tool.
        """

    def counts(
        self, types: Sequence[str], *, raw_before: datetime | None = None, most: int = -1
    ) -> dict[str, int]:
        """Return how many active memories of each type there are, counting no further than `most`.

        With `raw_before`, those alone that were said before it and are still shown as they were.
        """
