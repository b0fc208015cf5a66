"""What views follow: current rows of the truth by number, and the vectors made of them.

`Followed` only reads: a view asks for the rows that changes name, or for all of them page by page.
`Vectors` keeps what embedders made; a memory that has no vector yet is the queue of work to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.change import ChangeKind, Changes
    from smartbrain.domain.graph_search import GraphEdge
    from smartbrain.domain.indexed import Embedding, IndexedMemory, IndexedPassage, SpokenPiece


class Followed(Protocol):
    """Rows as indexes need them; what is deleted is not returned."""

    def changes(self, since: int, *, limit: int = 10_000) -> Changes:
        """Return what changed after `since`, whole transactions, at least one if there is any.

        Raises:
            NotFound: code `gone`, if rows after `since` have been dropped already.
        """
        ...

    def nums(self, kind: ChangeKind, *, after: int = 0, limit: int = 1_000) -> list[int]:
        """Return the numbers of a kind's rows above `after`, lowest first."""
        ...

    def memories(
        self,
        nums: Sequence[int],
        *,
        around: int | None = 0,
        known: Mapping[int, IndexedMemory] = ...,
    ) -> list[IndexedMemory]:
        """Return memories with the episodes around them, by number.

        With `around`, the episodes at most so many turns from the given ones are returned as well;
        with None nothing is looked for around them, and `nearby` stays empty.
        Those in `known` have not changed since they were read, and are read again only for what is
        around them now.
        """
        ...

    def spoken(self, nums: Sequence[int]) -> dict[int, list[SpokenPiece]]:
        """Return all that users and assistants said in the turns of episodes, in order."""
        ...

    def edges(self, nums: Sequence[int]) -> list[GraphEdge]:
        """Return edges, by number."""
        ...

    def passages(self, nums: Sequence[int]) -> list[IndexedPassage]:
        """Return raw chunks, by number."""
        ...

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of nodes by their ids."""
        ...

    def ids(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the ids of nodes by their numbers."""
        ...


class Vectors(Protocol):
    """Vectors of memories, a set for each embedding."""

    def embeddings(self) -> list[Embedding]:
        """Return the embeddings that were used so far, oldest first."""
        ...

    def open(self, name: str, model: str, dimensions: int, at: datetime) -> Embedding:
        """Return an embedding, entered now if it is new."""
        ...

    def put(self, embedding: int, vectors: Mapping[int, bytes]) -> None:
        """Keep the vectors of memories, by number; a memory that is gone meanwhile is left out.

        An empty one only notes that there is none to be made: views are not told of it.
        """
        ...

    def get(self, embedding: int, nums: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors that there are of these memories, without the empty ones."""
        ...

    def lacking(
        self, embeddings: Sequence[int], *, after: int = 0, limit: int = 1_000
    ) -> list[int]:
        """Return the memories that are in none of these embeddings, lowest above `after` first.

        Entities and statements need none: names and other memories stand for them.
        """
        ...

    def count_lacking(self, embeddings: Sequence[int]) -> int:
        """Return how many memories are in none of these embeddings; no vector is read for it."""
        ...

    def drop(self, embedding: int) -> int:
        """Delete an embedding with its vectors; return how many there were."""
        ...
