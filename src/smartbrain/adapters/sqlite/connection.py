"""Opening SQLite connections the one right way, and naming what goes wrong.

In: a path and perhaps a tenant key. Out: an `apsw.Connection` with every pragma set, or an error of
ours. The error table at the bottom is the only place that knows apsw's exceptions.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import apsw

from smartbrain.domain.keys import plain_name
from smartbrain.errors import AdapterError, Conflict, InternalError, SmartBrainError, UsageError
from smartbrain.text.telling import instructs

MEMORY: Final = ":memory:"
_KEY: Final = "key.json"
_Repository = TypeVar("_Repository")
_Found = TypeVar("_Found")
_STATEMENTS: Final = 512  # executed last stay prepared, those of some ten turns; apsw has no more
_NO_SPACE: Final = 64 * 1024  # bytes free below which a failed write means the disk is full

# FULL: an acknowledged commit survives power loss. secure_delete: deleted text is overwritten.
# temp_store: sorting must never spill plain text to a temporary file.
_PRAGMAS: Final = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
"""
# KiB of pages that a reader keeps: a question touches some hundred pages all over the file, and
# the next one mostly the same.
_READER: Final = "PRAGMA query_only = ON; PRAGMA cache_size = -8192"


def connect(
    path: str, key: bytes | None, *, query_only: bool = False, create: bool = True
) -> apsw.Connection:
    """Open a connection, creating the file if there is none and `create` allows it.

    A writer puts the database into WAL mode, whatever a restored copy of it was in.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        connection = apsw.Connection(path, flags=flags, statementcachesize=_STATEMENTS)
        for read in (instructs, plain_name):
            name, function = read.__name__, cast("Any", read)
            connection.create_scalar_function(name, function, 1, deterministic=True)
        try:
            # Else a bound value that a partial index could depend on has its plan made anew.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            if key is not None:
                connection.pragma("key", f"raw:{key.hex()}")
            connection.set_busy_timeout(10_000)
            connection.execute(_PRAGMAS).fetchall()  # a row of one would hold up the next
            if query_only:
                connection.execute(_READER).fetchall()
            else:
                _write_ahead(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def keep_untouched(connection: apsw.Connection) -> None:
    """Let closing leave the file as it is, even where a write-ahead log lies beside it."""
    log = Path(connection.filename_wal)
    if log.exists() and log.stat().st_size:  # else closing clears away the empty one it made
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def _write_ahead(connection: apsw.Connection, path: str) -> None:
    mode = connection.pragma("journal_mode", "wal")
    if mode not in ("wal", "memory"):
        raise AdapterError(
            f"{path}: the file system takes no write-ahead log; move the brain to a local disk",
            code="io_error",
            retryable=False,
        )


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn whatever SQLite raises inside the block into an error of ours."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


def translating(repository: type[_Repository]) -> type[_Repository]:
    """Make each public method of a class raise our errors, for callers who catch them at once.

    The class keeps its connection in `_connection`. Outside a transaction no method works: a full
    disk ends the transaction inside its block, and from there on every change would commit alone.
    """
    for name, method in list(vars(repository).items()):
        if not name.startswith("_"):
            setattr(repository, name, _translating(method))
    return repository


def require_transaction(connection: apsw.Connection) -> None:
    """Make sure that a transaction is open."""
    if not connection.in_transaction:
        raise InternalError("the transaction has ended; leave its block after an AdapterError")


def require_row(found: _Found | None, path: str) -> _Found:
    """Return what was read of the tenant's own row if it was there."""
    if found is None:
        raise AdapterError(
            f"{path}: the tenant's own row is gone; restore it from a backup", code="corrupt"
        )
    return found


def _translating(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap one method; what apsw cannot bind is the caller's mistake."""

    @wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        if not self._connection.in_transaction:
            require_transaction(self._connection)
        try:
            return method(self, *given, **named)
        except apsw.Error as error:
            raise translate(error, self._connection.filename or MEMORY) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise UsageError(f"a text or a number cannot be stored ({error}); change it") from error

    return call


def translate(error: apsw.Error, path: str) -> SmartBrainError:
    """Return our error for one of apsw's; what is not in the table is our own fault."""
    for kind, code, sentence in _TABLE:
        if isinstance(error, kind):
            if code == "io_error" and _disk_is_full(path):
                code, sentence = "disk_full", _FULL
            return AdapterError(f"{path}: {sentence} ({error})", code=code)
    if isinstance(error, apsw.NotADBError):
        return _unreadable(error, path)
    if isinstance(error, apsw.ConstraintError):
        return _constraint(error)
    return InternalError(f"{path}: {type(error).__name__}: {error}")


def _unreadable(error: apsw.Error, path: str) -> AdapterError:
    key = Path(path).with_name(_KEY)
    if key.exists():
        found = f"{key} does not belong to it, or it is damaged"
        remedy = "restore this tenant's own two files from one backup"
    else:
        found = f"it is damaged, or encrypted and {key} is missing"
        remedy = "restore the file that was lost from a backup"
    return AdapterError(
        f"{path} is no readable database ({error}): {found}; {remedy}", code="corrupt"
    )


def _constraint(error: apsw.ConstraintError) -> SmartBrainError:
    text = str(error)
    if text.endswith("failed: memories.type, memories.key"):
        return Conflict("the key already has an active version", code="active_exists")
    if text.endswith("failed: idempotency_keys.key"):
        return Conflict("the idempotency key is already in use", code="idempotency_conflict")
    if "UNIQUE constraint failed" in text or "PRIMARY KEY" in text:
        return Conflict(f"it is stored already ({text})")
    return InternalError(f"the database refused a row: {text}")


def _disk_is_full(path: str) -> bool:
    try:
        return shutil.disk_usage(Path(path).parent).free < _NO_SPACE
    except OSError:
        return False


_FULL: Final = "the disk is full; free some space and try again, nothing was written"
_TABLE: Final[tuple[tuple[type[apsw.Error], str, str], ...]] = (
    (apsw.FullError, "disk_full", _FULL),
    (apsw.ReadOnlyError, "read_only", "the file cannot be written to; check its permissions"),
    (
        apsw.CantOpenError,
        "read_only",
        "the file cannot be opened; check that the folder exists and may be written to",
    ),
    (apsw.PermissionsError, "read_only", "access was refused; check the permissions"),
    (apsw.CorruptError, "corrupt", "the database is damaged; restore it from a backup"),
    (apsw.BusyError, "busy", "another program holds the database; try again"),
    (apsw.LockedError, "busy", "another connection holds the database; try again"),
    (apsw.ProtocolError, "busy", "the database could not be locked; try again"),
    (apsw.IOError, "io_error", "the disk reported an error"),
    (apsw.NoMemError, "io_error", "memory ran out"),
    (apsw.InterruptError, "busy", "the call was interrupted; try again"),
)
