"""Sweeping: raw files that nobody refers to any more, or never did (E2).

A crash between writing a file and committing its row leaves the file behind; so does letting go of
the last use of a chunk. Rows go first, in a transaction; files after it is durable, while no other
writer can bring the same content back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from smartbrain.domain.record import Record
from smartbrain.ports.blobs import BlobFile, Blobs

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SweepReport(Record):
    """What a sweep removed, or would remove."""

    chunks: int = 0
    files: int = 0
    bytes: int = 0
    dry_run: bool = False


def sweep(*, ports: Ports, older_than: float, dry_run: bool = False) -> SweepReport:
    """Remove unheld chunks and unreferenced files last modified before `older_than`.

    `older_than` is in epoch seconds of the machine's own time: a file younger than that may belong
    to a commit that is just being made.

    Raises:
        AdapterError: the storage failed; what was removed stays removed.
    """
    doomed: list[BlobFile] = []
    chunks = 0
    try:
        with ports.truth.write() as transaction:
            chunks = len(transaction.raw.drop_unheld())
            known = transaction.raw.paths()
            doomed = [
                file
                for file in ports.blobs.walk()
                if file.path not in known and file.modified < older_than
            ]
            if dry_run:
                raise _Undo  # noqa: TRY301 - leaving the block is what undoes it
            transaction.after_commit(lambda: _delete(doomed, ports.blobs))
    except _Undo:
        pass
    size = sum(file.bytes for file in doomed)
    return SweepReport(chunks, len(doomed), size, dry_run)


def _delete(files: list[BlobFile], blobs: Blobs) -> None:
    """Remove files for good."""
    for file in files:
        blobs.delete(file.path)


class _Undo(Exception):  # noqa: N818 - not an error: it leaves a transaction without a trace
    """Raised to see what a transaction would do, and undo it."""
