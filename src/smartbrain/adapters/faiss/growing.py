"""An array that only ever grows, for one writer and any number of readers.

In: rows, at the end. Out: a view of the first so many. What was written is never changed or moved
under a reader: growth copies into a larger array, and whoever holds the smaller one keeps it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

FIRST: Final = 64


class Growing:
    """Rows of one type and width; `most` caps the room that is asked for ahead."""

    __slots__ = ("_items", "count")

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._items: npt.NDArray[Any] = np.empty((0,) if width is None else (0, width), dtype)
        self.count = 0

    @classmethod
    def of(cls, items: npt.NDArray[Any]) -> Growing:
        """Return an array that begins with these rows, without copying them."""
        made = cls(items.dtype)
        made._items, made.count = items, len(items)
        return made

    def extend(self, items: npt.NDArray[Any]) -> None:
        """Add rows at the end."""
        count = self.count + len(items)
        if count > len(self._items):
            larger = np.empty(
                (max(count, FIRST, 2 * self.count), *self._items.shape[1:]), self._items.dtype
            )
            larger[: self.count] = self._items[: self.count]
            self._items = larger
        self._items[self.count : count] = items
        self.count = count

    def first(self, count: int) -> npt.NDArray[Any]:
        """Return the first `count` rows as they lie here; not to be written to."""
        return self._items[:count]

    @property
    def nbytes(self) -> int:
        """The memory of the rows that are in use."""
        return int(self._items[: self.count].nbytes)
