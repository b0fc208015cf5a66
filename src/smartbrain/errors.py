"""Every error SmartBrain raises, as one tree; nothing else escapes a public call.

    SmartBrainError
    ├── UsageError (ValueError)     the caller can fix it; nothing was written
    ├── NotFound (LookupError)      the named thing is not there, or no longer
    ├── Conflict                    the call contradicts what is stored
    ├── AdapterError                disk, key or service failed; .retryable says if waiting helps
    └── InternalError               a fault of ours; nothing acknowledged is lost

Catch by class, decide by `code`. Codes are stable and listed in CODES with their default sentence.
"""

from __future__ import annotations

from typing import ClassVar, Final

__all__ = [
    "CODES",
    "AdapterError",
    "Conflict",
    "InternalError",
    "NotFound",
    "SmartBrainError",
    "UsageError",
]


class SmartBrainError(Exception):
    """The root: `except SmartBrainError` catches whatever this library raises on purpose."""

    default_code: ClassVar[str] = "internal"

    def __init__(self, message: str = "", *, code: str | None = None) -> None:
        """Take one line that says what was wrong and what to do; `code` must be one of CODES."""
        self.code: str = code or self.default_code
        owner, sentence = CODES[self.code]
        if not isinstance(self, owner):
            raise TypeError(f"code {self.code!r} belongs to {owner.__name__}")
        super().__init__(message or sentence)

    @property
    def message(self) -> str:
        """The sentence alone, without the code."""
        return str(self.args[0])

    def to_dict(self) -> dict[str, object]:
        """The error as programs read it, the same on every surface."""
        return {"code": self.code, "message": self.message}


class UsageError(SmartBrainError, ValueError):
    """The input is wrong; the sentence says what to change."""

    default_code = "usage"


class NotFound(SmartBrainError, LookupError):  # noqa: N818 - public name
    """What was asked for does not exist here."""

    default_code = "not_found"


class Conflict(SmartBrainError):  # noqa: N818 - public name
    """The call contradicts what is stored; read again, then decide."""

    default_code = "conflict"


class AdapterError(SmartBrainError):
    """Storage, key or service failed below us; `retryable` says whether trying again can help."""

    default_code = "adapter"

    def __init__(
        self, message: str = "", *, code: str | None = None, retryable: bool | None = None
    ) -> None:
        """As for every error; `retryable` defaults to what its code implies."""
        super().__init__(message, code=code)
        self.retryable: bool = self.code in _RETRYABLE if retryable is None else retryable

    def to_dict(self) -> dict[str, object]:
        """The error as programs read it, with `retryable`."""
        return {**super().to_dict(), "retryable": self.retryable}


class InternalError(SmartBrainError):
    """A fault in SmartBrain itself; please report it with its sentence."""

    default_code = "internal"


CODES: Final[dict[str, tuple[type[SmartBrainError], str]]] = {
    "usage": (UsageError, "The call was not understood."),
    "config": (UsageError, "The configuration has an unknown key or a wrong value."),
    "bad_key": (UsageError, "The memory key breaks the rules of its type."),
    "bad_value": (UsageError, "The memory value does not have the shape of its type."),
    "bad_time": (UsageError, "The time is not an aware datetime, an ISO string or an epoch."),
    "no_source": (UsageError, "The source is missing, malformed, or leads nowhere."),
    "bad_state_file": (UsageError, "The state file is not well-formed; nothing was changed."),
    "bad_tenant": (UsageError, "A tenant name is 1 to 200 characters of valid text."),
    "closed": (UsageError, "The brain is closed; open it again."),
    "not_a_brain": (UsageError, "The path is not a SmartBrain root and cannot become one."),
    "not_encrypted": (UsageError, "The tenant was created without encryption."),
    "not_found": (NotFound, "There is no such thing in this tenant."),
    "gone": (NotFound, "It was there and has been dropped."),
    "conflict": (Conflict, "The call contradicts what is stored."),
    "idempotency_conflict": (Conflict, "This idempotency key was used with another body."),
    "active_exists": (Conflict, "The key already has an active version."),
    "pins_full": (Conflict, "The board of pins is full; unpin one first."),
    "over_quota": (Conflict, "The tenant has used up one of its quotas; nothing was written."),
    "lease_lost": (Conflict, "Somebody else holds this work, or it is done; lease work again."),
    "not_empty": (Conflict, "The tenant is there already; delete it, or use another root."),
    "schema_moved": (Conflict, "Another process upgraded the database; reopen the brain."),
    "adapter": (AdapterError, "Something below SmartBrain failed."),
    "busy": (AdapterError, "Another process holds the write lock for too long; try again."),
    "disk_full": (AdapterError, "The disk is full; nothing was written. Free space, try again."),
    "read_only": (AdapterError, "The folder cannot be written to; check its permissions."),
    "io_error": (AdapterError, "The disk reported an error."),
    "corrupt": (AdapterError, "The database is damaged; restore it from a backup."),
    "newer_database": (AdapterError, "The database is of a newer SmartBrain; upgrade this one."),
    "older_database": (
        AdapterError,
        "The database is of an older SmartBrain; `memctl replay --into NEW` makes a new one of it.",
    ),
    "blob_corrupt": (AdapterError, "A raw file does not match its hash."),
    "blob_missing": (AdapterError, "A raw file is gone from disk."),
    "key_missing": (AdapterError, "The tenant is encrypted and no master key was given."),
    "key_wrong": (AdapterError, "The master key given is not the one this tenant was locked with."),
    "internal": (InternalError, "SmartBrain made a mistake."),
}
"""Each stable code with the class that carries it and its default sentence."""

_RETRYABLE: Final = frozenset({"busy", "disk_full", "io_error"})
