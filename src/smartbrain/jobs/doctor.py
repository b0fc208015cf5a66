"""Whether everything stored is whole, and which files no turn needs.

In: a tenant's ports. Out: findings, each with a remedy, or the files that interrupted commits have
left behind and that are older than a time; those are deleted unless they are only asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.record import Record
from smartbrain.domain.status import Finding, Severity
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import BlobFile, Blobs

if TYPE_CHECKING:
    from smartbrain.domain.turn import RawChunk
    from smartbrain.ports.bundle import Ports


_PAGE: Final = 1000
_NAMED: Final = 10  # turns of a lost text that are named; a text may be shared by very many

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


def examine(*, ports: Ports, on_progress: Progress | None = None) -> list[Finding]:
    """Check one tenant's database and raw files."""
    findings = ports.truth.check()
    if any(finding.code == "corrupt" for finding in findings):
        return findings
    with ports.truth.read() as transaction:
        known = transaction.raw.paths()
    lost = _bodies(ports) | _files(ports, known, on_progress)
    return findings + _with_turns(lost, ports) + _orphans(ports, known)


def _bodies(ports: Ports) -> dict[str, Finding]:
    """Compare the originals that are kept in the database with their hashes; by chunk."""
    findings: dict[str, Finding] = {}
    after = 0
    with ports.truth.read() as transaction:
        while page := transaction.raw.page(after, _PAGE):
            findings |= {
                chunk.id: Finding(
                    Severity.ERROR,
                    "blob_corrupt",
                    "original text in the database does not match its hash",
                    chunk.id,
                    "restore the tenant from a backup",
                )
                for _, chunk in page
                if chunk.body is not None and ports.blobs.address(chunk.body) != chunk.address
            }
            after = page[-1][0]
    return findings


def _files(
    ports: Ports, known: Mapping[str, RawChunk], on_progress: Progress | None
) -> dict[str, Finding]:
    findings = {}
    for number, (path, chunk) in enumerate(known.items(), 1):
        try:
            ports.blobs.get(path, chunk.address)
        except AdapterError as error:
            findings[chunk.id] = Finding(
                Severity.ERROR,
                error.code,
                error.message,
                path,
                "restore this file from a backup; every other turn is intact",
            )
        if on_progress is not None:
            on_progress(number, len(known))
    return findings


def _with_turns(lost: Mapping[str, Finding], ports: Ports) -> list[Finding]:
    """Name in each finding the turns that its chunk belongs to."""
    if not lost:
        return []
    with ports.truth.read() as transaction:
        turns = transaction.raw.turns_with(lost)
    named = []
    for raw_id, finding in lost.items():
        holders = turns.get(raw_id, [])
        parts = [f"turn {seq} of session {session!r}" for session, seq in holders[:_NAMED]]
        if len(holders) > _NAMED:
            parts.append(f"{len(holders) - _NAMED} more")
        text = ", ".join(parts) or "no turn"
        named.append(replace(finding, sentence=f"{finding.sentence}; it belongs to {text}"))
    return named


def _orphans(ports: Ports, known: Mapping[str, RawChunk]) -> list[Finding]:
    orphans = [file for file in ports.blobs.walk() if file.path not in known]
    if not orphans:
        return []
    size = sum(file.bytes for file in orphans)
    return [
        Finding(
            Severity.WARNING,
            "unreferenced_files",
            f"{len(orphans)} raw files ({size:,} bytes) belong to no turn",
            orphans[0].path,
            "run `memctl sweep` to remove them",
        )
    ]


class SweepReport(Record, frozen=True):
    """What a sweep removed, or would remove."""

    chunks: int = 0
    files: int = 0
    bytes: int = 0
    dry_run: bool = False


def sweep(*, ports: Ports, older_than: float, dry_run: bool = False) -> SweepReport:
    """Remove unheld chunks and unreferenced files last modified before `older_than`.

    `older_than` is in epoch seconds of the machine's own time: a file younger than that may belong
    to a commit that is just being made.
    """
    doomed: list[BlobFile] = []
    chunks = 0
    try:
        with ports.truth.write() as transaction:
            chunks = len(transaction.raw.drop_unheld())
            known = {*transaction.raw.paths()}
            for hidden in transaction.forgettings.waiting():  # it may be taken back
                known.update(hidden.paths)
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
    for file in files:
        blobs.delete(file.path)


class _Undo(Exception):  # noqa: N818 - not an error: it leaves a transaction without a trace
    """Raised to see what a transaction would do, and undo it."""
