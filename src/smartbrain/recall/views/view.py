"""What a view is: an index that can be made equal to the present rows of any numbers.

In: kinds of rows and their numbers. Out: an index with just these rows as they are now; rows that
are gone leave it. Putting the same rows twice does no harm. Who calls when is in `follow`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from smartbrain.domain.change import ChangeKind
from smartbrain.ports.truth import Transaction


class View(ABC):
    """One index over the truth."""

    name: str
    version: int = 1
    """The format of its snapshots; raise it when the files or what is indexed change."""
    source: ClassVar[ChangeKind]
    """The kind of rows that it is made of, whose numbers its entries have."""
    follows: ClassVar[frozenset[ChangeKind]]
    """The kinds of changes after which an entry may be another; they name it by its number."""
    maps: ClassVar[bool] = False
    """Whether it reads from the files of its snapshot while it answers, and not from memory."""
    index: Any
    """What is searched."""

    @abstractmethod
    def fresh(self) -> View:
        """Return an empty view of the same make, to be filled beside this one."""

    @abstractmethod
    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Make the entries of these rows what the rows are now."""

    def apply(self, nums: Sequence[int], rows: Transaction) -> None:
        """Put rows that have changed, and those whose entries are others because of that."""
        self.put(nums, rows)

    def load(self, folder: Path) -> None:
        """Take a snapshot's content; it raises AdapterError where that cannot be."""
        self.index.load(folder)

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot into an empty folder; in memory alone where there is none.

        True if the snapshot before holds what should be gone from the disk by now.
        """
        self.index.save(folder)
        return False

    @abstractmethod
    def due(self, changed: int) -> bool:
        """Tell whether a snapshot would do good, after so many rows changed since the last."""

    @abstractmethod
    def figures(self) -> tuple[int, int]:
        """Return how many items it holds and how many bytes they take."""
