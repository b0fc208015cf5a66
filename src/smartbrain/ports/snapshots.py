"""Snapshots: what a view has written down, so that opening does not mean building it again.

A snapshot is a folder of files that never change, made as of one `seq` of the truth. It is whole or
it is not there: what was damaged, half written or of another format is not returned, and the view
is built anew. One process at a time writes; a tenant that may not write plain files has no store.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

Seen = tuple[tuple[str, int, int], ...]
"""Files as they were when they were checked: path, size, and when they were last written."""


class Snapshot(NamedTuple):
    """A whole snapshot: its files, the last transaction they know, the truth's mark of then."""

    folder: Path
    seq: int
    mark: str
    seen: Seen = ()


class SnapshotStamp(NamedTuple):
    """What a snapshot is of: the last transaction, the format of its files, the truth's mark."""

    seq: int
    version: int
    mark: str


class Refused(NamedTuple):
    """A snapshot that cannot be used, and why: `missing`, `corrupt` or `format`."""

    code: str
    reason: str


class Writing(Protocol):
    """The right to write snapshots, held until the block is left."""

    def newest(self, view: str) -> Path | None:
        """Return the folder of a view's present snapshot, unchecked; a name is never used twice."""

    def folder(self, view: str, seq: int) -> Path:
        """Make an empty folder for a snapshot as of `seq`."""

    def publish(
        self, view: str, folder: Path, about: SnapshotStamp, *, alone: bool = False
    ) -> Seen:
        """Make a filled folder the view's snapshot, durably, and return its files.

        The one before stays for those who are just reading it, unless this is to be `alone`.
        """


class Snapshots(Protocol):
    """The snapshots of one tenant's views."""

    def newest(self, view: str, version: int) -> Snapshot | Refused:
        """Return a view's snapshot after checking every byte of it."""

    def altered(self, seen: Seen) -> str:
        """Return the first file that is another than it was, or nothing; one gone does no harm."""

    def writing(self) -> AbstractContextManager[Writing | None]:
        """Take the right to write; None if another process has it just now."""

    def drop(self) -> None:
        """Delete every snapshot; views that have one loaded go on with it."""
