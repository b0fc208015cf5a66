"""What an export and a restoring come to.

Values only: a report of a file that was written, and one of a tenant that was made from it.
"""

from __future__ import annotations

from smartbrain.domain.record import Record


class ExportReport(Record, frozen=True, kw_only=True):
    """A file with all that a tenant holds; `content` is the hash of it."""

    path: str
    tenant: str
    form: str
    content: str = ""
    files: int = 0
    bytes: int = 0


class RestoreReport(Record, frozen=True, kw_only=True):
    """A tenant that was made from a file.

    `content` is the hash of what was restored, before any receipt was applied; `applied` are the
    receipts of later forgettings, `warning` says what that means where there were none.
    """

    tenant: str
    content: str
    files: int = 0
    applied: tuple[str, ...] = ()
    warning: str = ""
