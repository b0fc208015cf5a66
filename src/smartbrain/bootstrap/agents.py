"""Those who work for a root's tenants: the queue they take work from, and the model that reads.

In: an open tenant. Out: its queue, or the report of a model that has read what waited. The code of
both brings all the rules that read text, so it is loaded by the first call that needs it.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING

from smartbrain.bootstrap.sources import system_clock
from smartbrain.errors import SmartBrainError

if TYPE_CHECKING:
    from collections.abc import Callable

    from smartbrain.bootstrap.background import Background
    from smartbrain.bootstrap.language_models import LanguageModels
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.jobs.extract import ExtractReport
    from smartbrain.jobs.work import Queue
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.rules import WriteRules


def open_queue(ports: Ports, rules: WriteRules) -> Queue:
    """Return a tenant's queue; leases go by the machine's own time, whatever the brain's clock."""
    from smartbrain.jobs.work import Queue

    return Queue(ports, rules, system_clock)


class Reading:
    """Has the language model of a root read the turns that wait, now or in the background."""

    def __init__(self, models: LanguageModels, rules: Callable[[str], WriteRules]) -> None:
        """Take the model, and what gives the rules of a tenant."""
        self.report: ExtractReport | None = None
        """How the last run went."""
        self._models = models
        self._rules = rules
        self._closed = False
        self._start()

    def read(self, tenant: OpenTenant) -> ExtractReport:
        """Have what waits read, here and now, after whoever is at it in this process.

        Raises:
            UsageError: there is no language model, or its key is missing.
        """
        from smartbrain.jobs.extract import run_extract

        self._mind_forks()
        with self._reading:
            self.report = run_extract(
                tenant.ports,
                self._models.model(),
                self._rules(tenant.name),
                wall=system_clock,
                stopped=lambda: self._closed,
            )
            return self.report

    def later(
        self,
        name: str,
        lease: Callable[[], AbstractContextManager[OpenTenant]],
        background: Background,
    ) -> None:
        """Have what waits in a tenant read in the background, unless that is planned already."""
        self._mind_forks()
        with self._planning:
            if self._closed or name in self._planned:
                return
            self._planned.add(name)
        background.later(lambda: self._read_quietly(name, lease))

    def close(self) -> None:
        """Stop after the turn that is being read."""
        self._closed = True

    def _read_quietly(
        self, name: str, lease: Callable[[], AbstractContextManager[OpenTenant]]
    ) -> None:
        """Read what waits; after a failure it waits for the next run."""
        with self._planning:
            self._planned.discard(name)  # what is committed from now on plans a run of its own
        with suppress(SmartBrainError), lease() as tenant:
            self.read(tenant)

    def _start(self) -> None:
        """Begin with nothing planned."""
        self._process = os.getpid()
        self._planning, self._reading = threading.Lock(), threading.Lock()
        self._planned: set[str] = set()

    def _mind_forks(self) -> None:
        """Forget in a child what the parent's threads hold and plan: they are not here."""
        if self._process != os.getpid():
            self._start()
