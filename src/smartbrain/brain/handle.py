"""The handle of one tenant: `SmartBrain`, with the verbs that belong to no group.

Handles are light and thread-safe: what is behind them is opened on demand, shared, and closed when
it has not been used for long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from smartbrain.bootstrap.arms import capabilities_of
from smartbrain.bootstrap.folders import list_tenants
from smartbrain.bootstrap.health import examine_root, status_of
from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.bootstrap.sources import Config, changed_settings, read_root
from smartbrain.brain.graph import Graph
from smartbrain.brain.jobs import Jobs
from smartbrain.brain.memories import Memories
from smartbrain.brain.sessions import Sessions
from smartbrain.domain.tenant import folder_of
from smartbrain.domain.time import Clock
from smartbrain.domain.turn import CommitRequest
from smartbrain.errors import UsageError
from smartbrain.remember.pipeline import commit_turn
from smartbrain.remember.read import read_id, read_optional_id, read_turn_events

if TYPE_CHECKING:
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.result import CommitResult
    from smartbrain.domain.status import HealthReport, TenantStatus
    from smartbrain.domain.view import Capabilities


class SmartBrain:
    """The memory of one tenant. Open it with `SmartBrain.open`, close it with `close` or `with`."""

    def __init__(self, root: Root, tenant: str, *, owner: bool) -> None:
        """Use `SmartBrain.open` or `brain.tenant`; this is how they make a handle."""
        folder_of(tenant)  # refuses what is no name
        self._root = root
        self._tenant = tenant
        self._owner = owner
        self._closed = False
        self._settings = root.settings
        self.sessions = Sessions(self._lease)
        self.memories = Memories(self._lease, root.zone)
        self.graph = Graph(self._lease, self._recall_rules, root.settings.hash)
        self.jobs = Jobs(self._lease)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        tenant: str = "default",
        config: Config = None,
        clock: Clock | None = None,
        embedder: object = None,
    ) -> Self:
        """Open the brain in a folder, creating it if there is none.

        Args:
            path: the brain's folder; its `brain.yml` is read if it has one.
            tenant: whose memory this handle is.
            config: values that beat `brain.yml`, or the path of another file.
            clock: returns the present as an aware datetime; the machine's by default.
            embedder: an `Embedder`, or such as `onnx:<folder>`, `https://…#<model>` or
                `fastembed:<name>`, or a list of these, each for its languages.

        Raises:
            UsageError: the path, the tenant, the configuration or the embedder is wrong.
            AdapterError: the folder, the database or the key is not usable.
        """
        root = Root(path, config=config, clock=clock, embedder=embedder)
        handle = cls(root, tenant, owner=True)
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
            result = commit_turn(request, ignored, ports=tenant.ports, rules=root.rules)
            if root.models.chosen:
                tenant.views.committed()
            return result

    def status(self) -> TenantStatus:
        """Return what this tenant holds, in figures.

        Raises:
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        with self._lease() as tenant:
            return status_of(tenant, self._root, self._recall_rules())

    def capabilities(self) -> Capabilities:
        """Return which arms of recall are up, being built or off, and why.

        Raises:
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        with self._lease() as tenant:
            return capabilities_of(tenant, self._root.models, self._recall_rules())

    def configure(self, values: Mapping[str, Any]) -> None:
        """Change how this handle recalls, at once: `{"recall.vector.enabled": False}`.

        Raises:
            UsageError: code `config`; a name or a value is wrong, or it is fixed when a brain is
                opened. Nothing was changed.
        """
        if not isinstance(values, Mapping):
            raise UsageError(
                f"settings are a dict of names and values, not {values!r:.60}",
                code="config",
            )
        self._settings = changed_settings(self._settings, values)

    def rebuild(self, on_progress: Callable[[str, int], None] | None = None) -> Capabilities:
        """Drop the indexes of this tenant and build them again from what is stored.

        Args:
            on_progress: told which view is being built, and how many rows it has so far.

        Raises:
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed; the indexes before stay in use.
        """
        with self._lease() as tenant:
            tenant.views.rebuild(self._recall_rules(), on_progress)
        return self.capabilities()

    def close(self) -> None:
        """Close this handle; the one that opened the brain closes all its tenants.

        Raises:
            AdapterError: the storage failed while closing.
        """
        self._closed = True
        if self._owner:
            self._root.close()

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

    def _recall_rules(self) -> RecallRules:
        """Return how this handle recalls just now."""
        return self._settings.rules.recall
