"""The open tenants of a root, behind one LRU: opened on demand, closed when long unused.

In: a tenant's name. Out: its adapters, lent for the length of one call. A tenant in use is never
closed; one whose folder was deleted is begun anew or gone, as asked; nothing crosses a fork.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from smartbrain.bootstrap.folders import DATABASE
from smartbrain.domain.tenant import folder_of
from smartbrain.errors import AdapterError, SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.views import TenantViews
    from smartbrain.ports.bundle import Ports

_NOWHERE: Final = (0, 0)
FORK_PATIENCE: Final = 5.0
"""Seconds that a fork waits for running calls to end."""


class OpenTenant:
    """A tenant with its adapters open, and the database file they belong to."""

    def __init__(
        self,
        name: str,
        folder: Path,
        ports: Ports,
        encrypted: bool,
        make_views: Callable[[OpenTenant], TenantViews],
    ) -> None:
        """Take what is open; its views are put together by the first call that needs them."""
        self.name = name
        self.folder = folder
        self.ports = ports
        self.encrypted = encrypted
        self.made_views: TenantViews | None = None
        self._make_views = make_views
        self._lock = threading.Lock()
        self._identity = identity_of(folder)

    @property
    def views(self) -> TenantViews:
        """Its views, made now if they are not."""
        with self._lock:
            if self.made_views is None:
                self.made_views = self._make_views(self)
            return self.made_views

    def close(self) -> None:
        """Close everything; calls that are just running finish with what they have."""
        if self.made_views is not None:
            self.made_views.close()
        self.ports.truth.close()

    def is_current(self) -> bool:
        """Tell whether the folder still holds the database that is open."""
        found = identity_of(self.folder)
        return found == self._identity and found != _NOWHERE


class _Entry:
    __slots__ = ("lock", "name", "tenant", "uses")

    def __init__(self, name: str) -> None:
        self.name = name
        self.tenant: OpenTenant | None = None
        self.uses = 0
        self.lock = threading.Lock()


class TenantPool:
    """The open tenants of a root, least recently used first; one in use is never closed."""

    def __init__(self, open_tenant: Callable[[str, bool], OpenTenant], limit: int) -> None:
        self._open = open_tenant
        self._limit = limit
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._calm = threading.Condition(self._lock)
        self._closed = False
        self._forking = False
        self._crossed: dict[str, _Entry] = {}
        _POOLS.add(self)

    @contextmanager
    def lease(self, name: str, *, create: bool = True) -> Iterator[OpenTenant]:
        """Lend a tenant for the length of a call, opening it if need be."""
        entry = self._take(name)
        try:
            yield self._opened(entry, create)
        finally:
            self._give(entry)

    def open_count(self) -> int:
        """Return how many tenants are open just now."""
        return sum(entry.tenant is not None for entry in list(self._entries.values()))

    def is_open(self, name: str) -> bool:
        """Tell whether a tenant is open just now."""
        entry = self._entries.get(name)
        return entry is not None and entry.tenant is not None

    def close(self) -> None:
        """Close every tenant that is not in use, and the others when they are given back."""
        with self._lock:
            self._closed = True
            idle = [entry for entry in self._entries.values() if not entry.uses]
            for entry in idle:
                del self._entries[entry.name]
        _close_all(idle)

    def _take(self, name: str) -> _Entry:
        with self._lock:
            if self._forking:
                self._calm.wait_for(lambda: not self._forking)
            if self._closed:
                raise UsageError("this brain is closed; open it again", code="closed")
            if name in self._crossed:
                raise AdapterError(
                    f"this process was forked while a call on tenant {name!r} was running and"
                    " cannot share its database; start worker processes with the spawn method"
                )
            entry = self._entries.get(name)
            if entry is None:
                folder_of(name)  # refuses what is no name before it gets a place here
                entry = self._entries[name] = _Entry(name)
            self._entries.move_to_end(name)
            entry.uses += 1
            return entry

    def _opened(self, entry: _Entry, create: bool) -> OpenTenant:
        """Open an entry's tenant, again where its folder has been deleted or replaced."""
        with entry.lock:
            tenant = entry.tenant
            if tenant is not None and tenant.is_current():
                return tenant
            if tenant is not None and entry.uses == 1:
                tenant.close()
            entry.tenant = None
            entry.tenant = self._open(entry.name, create)
            return entry.tenant

    def _give(self, entry: _Entry) -> None:
        limit = 0 if self._closed else self._limit
        excess: list[_Entry] = []
        with self._lock:
            entry.uses -= 1
            if self._forking:
                self._calm.notify_all()
            if entry.tenant is None and not entry.uses:
                self._entries.pop(entry.name, None)
            if len(self._entries) > limit:
                idle = [other for other in self._entries.values() if not other.uses]
                excess = idle[: len(self._entries) - limit]
                for other in excess:
                    del self._entries[other.name]
        _close_all(excess)

    def before_fork(self) -> None:
        """Close every tenant, and let no call begin until the fork is over.

        SQLite keeps its locks a process: a child would believe it holds the parent's, and lose what
        it commits when the parent closes. The lock of the pool stays taken until after the fork.
        """
        self._lock.acquire()
        self._forking = True
        self._calm.wait_for(
            lambda: not any(entry.uses for entry in self._entries.values()), FORK_PATIENCE
        )
        idle = [entry for entry in self._entries.values() if not entry.uses]
        for entry in idle:
            del self._entries[entry.name]
        with suppress(SmartBrainError):
            _close_all(idle)

    def after_fork_in_parent(self) -> None:
        """Let calls begin again."""
        self._forking = False
        self._calm.notify_all()
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Start with nothing open; a tenant that was in use is out of bounds here for ever."""
        self._crossed |= self._entries  # kept, so that nothing closes what is the parent's
        self._entries = OrderedDict()
        self._lock = threading.Lock()
        self._calm = threading.Condition(self._lock)
        self._forking = False


_POOLS: Final[WeakSet[TenantPool]] = WeakSet()
_AT_FORK: Final[list[TenantPool]] = []
_ONE_FORK: Final = threading.Lock()


def _before_fork() -> None:
    """Bring every pool of this process to rest; one fork at a time."""
    _ONE_FORK.acquire()
    _AT_FORK.extend(_POOLS)
    for pool in _AT_FORK:
        pool.before_fork()


def _after_fork(go_on: Callable[[TenantPool], None]) -> None:
    for pool in _AT_FORK:
        go_on(pool)
    _AT_FORK.clear()
    _ONE_FORK.release()


if sys.platform != "win32":
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(TenantPool.after_fork_in_parent),
        after_in_child=lambda: _after_fork(TenantPool.after_fork_in_child),
    )


def _close_all(entries: list[_Entry]) -> None:
    """Close tenants that nobody uses; the first failure is raised after all were tried."""
    failure: SmartBrainError | None = None
    for entry in entries:
        try:
            if entry.tenant is not None:
                entry.tenant.close()
        except SmartBrainError as error:
            failure = failure or error
    if failure is not None:
        raise failure


@lru_cache(maxsize=256)  # every call asks for it, and putting a path together takes time
def _database_in(folder: Path) -> Path:
    return folder / DATABASE


def identity_of(folder: Path) -> tuple[int, int]:
    """Return what tells a database file from another one at the same path."""
    try:
        status = _database_in(folder).stat()
    except OSError:
        return _NOWHERE
    return (status.st_dev, status.st_ino)
