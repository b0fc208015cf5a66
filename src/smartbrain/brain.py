"""The facade: one handle is one tenant, and every verb is a few lines over a pipeline.

In: plain Python values. Out: frozen records with `to_dict()`. Handles are light and thread-safe:
what is behind them is opened on demand, shared, and closed when it has not been used for long.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import tzinfo
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from smartbrain.bootstrap.folders import list_tenants
from smartbrain.bootstrap.health import examine_root, status_of
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.sources import Config, read_root
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.page import MemoryPage, SessionPage
from smartbrain.domain.tenant import folder_of
from smartbrain.domain.time import Clock, read_time
from smartbrain.domain.turn import CommitRequest, Turn
from smartbrain.errors import NotFound, UsageError
from smartbrain.govern.sessions import end_session, list_sessions, list_turns
from smartbrain.remember.pipeline import commit_turn
from smartbrain.remember.read import read_id, read_optional_id, read_turn_events

if TYPE_CHECKING:
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.status import HealthReport, TenantStatus

_MOST: Final = 1000
_CURSOR_DIGITS: Final = 18
_SESSION_CURSOR: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}")
Lease = Callable[[], AbstractContextManager[OpenTenant]]
"""Borrows the open tenant for one call."""


class SmartBrain:
    """The memory of one tenant. Open it with `SmartBrain.open`, close it with `close` or `with`."""

    def __init__(self, root: Root, tenant: str, *, owner: bool) -> None:
        """Use `SmartBrain.open` or `brain.tenant`; this is how they make a handle."""
        folder_of(tenant)  # refuses what is no name
        self._root = root
        self._tenant = tenant
        self._owner = owner
        self._closed = False
        self.sessions = Sessions(self._lease)
        self.memories = Memories(self._lease, root.zone)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        tenant: str = "default",
        config: Config = None,
        clock: Clock | None = None,
    ) -> Self:
        """Open the brain in a folder, creating it if there is none.

        Args:
            path: the brain's folder; its `brain.yml` is read if it has one.
            tenant: whose memory this handle is.
            config: values that beat `brain.yml`, or the path of another file.
            clock: returns the present as an aware datetime; the machine's by default.

        Raises:
            UsageError: the path, the tenant or the configuration is wrong.
            AdapterError: the folder, the database or the key is not usable.
        """
        handle = cls(Root(path, config=config, clock=clock), tenant, owner=True)
        with handle._lease(create=True):
            return handle

    @staticmethod
    def tenants(path: str | os.PathLike[str]) -> list[str]:
        """Return the names of the tenants in a brain's folder, sorted.

        Raises:
            UsageError: the path is none, or that of a file.
            AdapterError: the folder cannot be read.
        """
        return list_tenants(read_root(path))

    @staticmethod
    def doctor(path: str | os.PathLike[str], config: Config = None) -> HealthReport:
        """Check a brain's folder and every tenant in it, changing nothing.

        Raises:
            UsageError: there is no brain in the folder, or its configuration is wrong.
        """
        return examine_root(Root(path, config=config))

    @property
    def tenant_name(self) -> str:
        """The tenant that this handle reads and writes."""
        return self._tenant

    def tenant(self, name: str) -> SmartBrain:
        """Return a handle of another tenant of the same brain, created if there is none.

        Raises:
            UsageError: the name is no name.
            AdapterError: its folder, database or key is not usable.
        """
        handle = SmartBrain(self._root, name, owner=False)
        with handle._lease(create=True):
            return handle

    def commit_turn(
        self,
        session_id: str,
        turn_events: object,
        *,
        turn_id: str | None = None,
        run_id: str | None = None,
        idempotency_key: str | None = None,
        context_id: str | None = None,
    ) -> CommitResult:
        """Store a turn after a model call: what was said, what tools did, what was referred to.

        Args:
            session_id: the conversation; it starts with its first turn.
            turn_events: a list of messages, or a dict with messages, tool_calls, refs and `at`.
            turn_id: add to this earlier turn instead of starting one; what it has is skipped.
            run_id: the run this turn belongs to.
            idempotency_key: repeating a call with its key returns the first result.
            context_id: the composed context that the answer was given.

        Raises:
            UsageError: the events are malformed; nothing was written.
            NotFound: `turn_id` names no turn.
            Conflict: the idempotency key was used with another body.
            AdapterError: the storage failed; nothing was written.
        """
        root = self._root
        events, ignored = read_turn_events(turn_events, zone=root.zone, types=root.types)
        request = CommitRequest(
            session_id=read_id(session_id, "session_id"),
            events=events,
            turn_id=read_optional_id(turn_id, "turn_id"),
            run_id=read_optional_id(run_id, "run_id"),
            idempotency_key=read_optional_id(idempotency_key, "idempotency_key"),
            context_id=read_optional_id(context_id, "context_id"),
        )
        with self._lease(create=True) as tenant:
            return commit_turn(request, ignored, ports=tenant.ports, rules=root.rules)

    def status(self) -> TenantStatus:
        """Return what this tenant holds, in figures.

        Raises:
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        with self._lease() as tenant:
            return status_of(tenant)

    def close(self) -> None:
        """Close this handle; the one that opened the brain closes all its tenants.

        Raises:
            AdapterError: the storage failed while closing.
        """
        self._closed = True
        if self._owner:
            self._root.tenants.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"SmartBrain({str(self._root.path)!r}, tenant={self._tenant!r})"

    def _lease(self, *, create: bool = False) -> AbstractContextManager[OpenTenant]:
        """Borrow the open tenant for one call; one that was deleted is begun anew only if asked."""
        if self._closed:
            raise UsageError("this brain is closed; open it again", code="closed")
        return self._root.tenants.lease(self._tenant, create=create)


class Sessions:
    """The conversations of a tenant: `brain.sessions`."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease

    def list(self, limit: int = 100, cursor: str | None = None) -> SessionPage:
        """Return sessions, the one spoken in last first, a page at a time.

        A session that is spoken in meanwhile moves to the front, where a new listing finds it.

        Args:
            limit: how many at most, up to 1,000.
            cursor: the `cursor` of the page before.

        Raises:
            UsageError: the limit or the cursor is malformed.
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        after = None if cursor is None else _place(cursor)
        with self._lease() as tenant:
            found = list_sessions(ports=tenant.ports, after=after, limit=_limit(limit) + 1)
        items = found[:limit]
        more = len(found) > limit
        return SessionPage(
            tuple(session for _, session in items),
            "{}.{}".format(*items[-1][0]) if more else None,
        )

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> Sequence[Turn]:
        """Return a session's turns in order with their text; an unknown session has none.

        Args:
            session_id: the conversation.
            after: the `seq` of the last turn already read.
            limit: how many turns at most.

        Raises:
            UsageError: the session or the place in it is malformed.
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed, or a raw file is damaged or gone; the sentence names
                the turn and where to read on.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return list_turns(
                session, ports=tenant.ports, after=_whole(after, "after", 0), limit=_limit(limit)
            )

    def end(self, session_id: str) -> None:
        """Mark a session as ended; a later turn opens it again.

        Raises:
            NotFound: there is no such session.
            UsageError: it is no name of a session.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            end_session(session, ports=tenant.ports)


class Memories:
    """The memories of a tenant with all their versions: `brain.memories`."""

    def __init__(self, lease: Lease, zone: tzinfo) -> None:
        self._lease = lease
        self._zone = zone

    def get(self, id_or_key: str) -> Memory:
        """Return a version by its id, or the active version of a key.

        Raises:
            NotFound: there is none.
            UsageError: it is neither an id nor a key of a known type.
        """
        wanted = read_id(id_or_key, "id_or_key")
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            if wanted.startswith("mem_"):
                found = transaction.memories.get([wanted]).get(wanted)
            else:
                kind = tenant.ports.types.by_key(wanted)
                found = transaction.memories.active(kind.name, wanted)
        if found is None:
            raise NotFound(f"there is no memory {wanted!r} in this tenant")
        return found

    def history(self, key: str) -> Sequence[Memory]:
        """Return all versions of a key, oldest first by their own time; none for an unknown key.

        Raises:
            UsageError: it is no text that could be a key.
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        wanted = read_id(key, "key")
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            return transaction.memories.history(wanted)

    def list(
        self,
        type: str | None = None,  # noqa: A002 - the public name
        status: str | None = "active",
        since: Any = None,
        until: Any = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return memories in the order they were written, a page at a time.

        Args:
            type: only this type.
            status: only this status; None for all.
            since: only what was said at this time or later.
            until: only what was said before this time.
            limit: how many at most, up to 1,000.
            cursor: the `cursor` of the page before.

        Raises:
            UsageError: a filter is malformed.
            NotFound: the tenant has been deleted.
        """
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            if type is not None:
                tenant.ports.types.get(type)
            found = transaction.memories.page(
                type_name=type,
                status=None if status is None else _status(status),
                since=None if since is None else read_time(since, self._zone, "since"),
                until=None if until is None else read_time(until, self._zone, "until"),
                after=_cursor(cursor),
                limit=_limit(limit) + 1,
            )
        more = len(found) > limit
        items = found[:limit]
        return MemoryPage(tuple(memory for _, memory in items), str(items[-1][0]) if more else None)


def _limit(limit: object) -> int:
    """Return a page size that can be served."""
    return _whole(limit, "limit", 1, _MOST)


def _whole(value: object, name: str, least: int, most: int = 2**63 - 1) -> int:
    """Return a whole number within bounds; the widest ones are those of the database."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} is a whole number from {least} to {most}, not {value!r:.60}")
    return value


def _status(status: str) -> Status:
    """Read a status by name."""
    try:
        return Status(status)
    except ValueError:
        raise UsageError(f"status {status!r:.60} is not one of {', '.join(Status)}") from None


def _cursor(cursor: object) -> int:
    """Read the cursor of an earlier page."""
    if cursor is None:
        return 0
    if not isinstance(cursor, str) or not cursor.isdecimal() or len(cursor) > _CURSOR_DIGITS:
        raise _bad_cursor(cursor)
    return int(cursor)


def _place(cursor: object) -> tuple[int, int]:
    """Read the cursor of an earlier page of sessions."""
    if not isinstance(cursor, str) or not _SESSION_CURSOR.fullmatch(cursor):
        raise _bad_cursor(cursor)
    last, _, num = cursor.partition(".")
    return int(last), int(num)


def _bad_cursor(cursor: object) -> UsageError:
    """Build the error for a cursor that is none."""
    return UsageError(f"cursor {cursor!r:.60} is not one that an earlier page gave")
