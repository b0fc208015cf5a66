"""Erasing rows of the truth, and finding what is to be erased (J7).

In: ids, words and numbers. Out: what they lead to; and the rows gone, with every row that was made
of them. What decides what goes is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.forgetting import Matcher
    from smartbrain.domain.turn import RawChunk


class Recording(Protocol):
    """What a transaction changes while it is recorded."""

    def deleted(self) -> dict[str, list[str]]:
        """Return the ids of the memories and claims that are gone, each as `memory` or `claim`."""
        ...

    def changes(self) -> bytes:
        """Return what takes all of it back."""


class Erasure(Protocol):
    """Rows by what they hold, and their end."""

    def kinds(self, ids: Iterable[str]) -> dict[str, str]:
        """Return what each id names: memory, claim, turn, artifact, edge, session or forgetting."""

    def claims(self, by: str, values: Iterable[str]) -> list[Claim]:
        """Return claims by `id`, `memory`, `turn`, `group`, `subject`, `attribute` or `words`."""

    def turns(
        self, since: datetime | None, until: datetime | None, session_id: str | None
    ) -> list[str]:
        """Return the ids of turns of a time and a session."""

    def chunks(self, needles: Sequence[str]) -> list[tuple[int, RawChunk]]:
        """Return the chunks in the database that hold a needle, and all that are in files."""

    def replace_chunk(
        self, old: str, new: RawChunk, only: Iterable[str] | None = None
    ) -> list[str]:
        """Let what leads to a chunk lead to another of its length; return the ids of the turns.

        `only` are the turns that may be touched. A chunk that nobody holds any more goes.
        """

    def delete_turns(self, turn_ids: Iterable[str] | None) -> list[str]:
        """Delete turns (None: all) with their rows; return the paths of files nobody holds now."""

    def delete_nodes(
        self,
        memory_ids: Iterable[str],
        edge_ids: Iterable[str] = (),
        call_ids: Iterable[str] = (),
    ) -> None:
        """Delete versions of memories with what leads to them, edges, and what tools were asked."""

    def clean(self, matcher: Matcher, *, turn_ids: Sequence[str] = (), whole: bool = False) -> int:
        """Take forgotten words out of rows that quote them or, `whole`, all; return how many."""

    def texts(self, *, until: datetime | None = None, kept: bool = False) -> Iterator[str]:
        """Yield what was said and claimed; with `kept`, the state and memories of no turn alone.

        With `until` it is every text, but those that tell of calls since: these repeat questions.
        """

    def recording(self) -> AbstractContextManager[Recording]:
        """Record what the transaction changes."""
