"""The memories of a tenant with all their versions, as `brain.memories` shows them.

In: ids, keys and filters. Out: memories as they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from smartbrain.brain.arguments import Verbs, page_size, read_choice, read_cursor
from smartbrain.domain.memory import Memory, Status, status_at
from smartbrain.domain.page import MemoryPage
from smartbrain.domain.time import read_time
from smartbrain.errors import NotFound, UsageError
from smartbrain.remember.arguments import read_id, read_text, stored_key

if TYPE_CHECKING:
    from smartbrain.domain.result import CommitResult


class Memories(Verbs):
    """The memories of a tenant with all their versions: `brain.memories`."""

    def get(self, id_or_key: str) -> Memory:
        """Return a version by its id, or the active version of a key.

        Raises:
            NotFound: there is none, or of a key the time until which it held has passed.
        """
        wanted = read_id(id_or_key, "id_or_key")
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            if wanted.startswith("mem_"):
                found = transaction.memories.get([wanted]).get(wanted)
            else:
                kind = tenant.ports.types.by_key(wanted)
                key = stored_key(wanted, transaction=transaction)
                found = transaction.memories.active(kind.name, key)
            now = tenant.ports.clock()
        if found is None:
            raise NotFound(f"there is no memory {wanted!r} in this tenant")
        found = _as_of(found, now)
        if found.status is Status.EXPIRED and not wanted.startswith("mem_"):
            raise NotFound(f"the time of {wanted!r} is over; history() shows what it said")
        return found

    def put(self, type: str, key: str, value: Mapping[str, Any]) -> CommitResult:  # noqa: A002 - public
        """Write a memory that the user states outright.

        Args:
            type: the memory type, such as `facts`.
            key: its key, such as `fact:staging:database`; what the value lacks is taken from it.
            value: the fields of the type; of a profile the facts that are told, beside the others.
        """
        fields = _fields(value)
        return self._run(self._terms.writing.put, type, key, fields)

    def correct(
        self, id_or_key: str, value: Mapping[str, Any], reason: str | None = None
    ) -> CommitResult:
        """Put a right value in the place of a wrong one, which is retracted.

        Args:
            id_or_key: the memory that is wrong.
            value: the fields that change; the others stay, and so do a profile's other facts.
            reason: why, for the record.

        Raises:
            NotFound: no memory of that id or key stands.
        """
        wanted = read_id(id_or_key, "id_or_key")
        fields, why = _fields(value), _reason(reason)
        return self._run(self._terms.writing.correct, wanted, fields, why)

    def retract(self, id_or_key: str, reason: str | None = None) -> CommitResult:
        """Take a memory back; only a new statement of the user brings it back.

        Raises:
            NotFound: no memory of that id or key stands.
        """
        wanted, why = read_id(id_or_key, "id_or_key"), _reason(reason)
        return self._run(self._terms.writing.retract, wanted, why)

    def history(self, key: str) -> Sequence[Memory]:
        """Return all versions of a key, oldest first by their own time; none for an unknown key."""
        wanted = read_id(key, "key")
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            versions = transaction.memories.history(stored_key(wanted, transaction=transaction))
            now = tenant.ports.clock()
        return [_as_of(one, now) for one in versions if one.deleted_at is None]

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
        """
        with self._lease() as tenant, tenant.ports.truth.read() as transaction:
            if type is not None:
                tenant.ports.types.get(type)
            now, wanted = (
                tenant.ports.clock(),
                None if status is None else read_choice(Status, status, "status"),
            )
            found = transaction.memories.page(
                type_name=type,
                status=wanted,
                since=None if since is None else read_time(since, self._terms.zone, "since"),
                until=None if until is None else read_time(until, self._terms.zone, "until"),
                after=read_cursor(cursor),
                limit=page_size(limit) + 1,
                now=now,
            )
        more = len(found) > limit
        stand = [_as_of(one, now) for _, one in found[:limit] if one.deleted_at is None]
        living = tuple(one for one in stand if wanted in (None, one.status))
        return MemoryPage(living, str(found[limit - 1][0]) if more else None)


def _as_of(memory: Memory, now: datetime) -> Memory:
    status = status_at(memory.status, memory.valid_until, memory.value, now)
    return memory if status is memory.status else replace(memory, status=status)


def _fields(value: object) -> Mapping[str, Any]:
    """Return the fields of a value, if it has any."""
    if not isinstance(value, Mapping):
        kind = "nothing" if value is None else value.__class__.__name__
        raise UsageError(f"value must be a dict of fields, not {kind}", code="bad_value")
    return value


def _reason(reason: object) -> str | None:
    return None if reason is None else read_text(reason, "reason", empty=True)
