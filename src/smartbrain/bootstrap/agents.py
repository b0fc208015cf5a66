"""Those who work for a root's tenants: the queue they take work from, and the model that reads.

In: an open tenant. Out: its queue, or the report of a model that has read what waited. The code of
both brings all the rules that read text, so it is loaded by the first call that needs it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import wait
from contextlib import AbstractContextManager, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.bootstrap.background import Background, Threaded
from smartbrain.bootstrap.sources import system_clock
from smartbrain.domain.job import JobState, WorkKind
from smartbrain.domain.metrics import MODEL_CALLS, MODEL_CLAIMS, MODEL_TOKENS
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import CommitExplain, CommitResult, MemoryWritten, WrittenMemory
from smartbrain.errors import SmartBrainError

if TYPE_CHECKING:
    from smartbrain.bootstrap.metrics import Metrics
    from smartbrain.bootstrap.models import LanguageModels
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.jobs.extract import ExtractReport
    from smartbrain.jobs.work import Queue
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.write_rules import WriteRules

    OpenLease = Callable[[], AbstractContextManager[OpenTenant]]

_MODEL: Final = "language model"
_PAUSE: Final = 0.01  # seconds between two looks at what another thread is reading
_FAILED: Final = "model_failed"
_NO_MODEL: Final = Reason(
    "no_language_model", "wait=True waits for a language model; there is none"
)


def open_queue(ports: Ports, rules: WriteRules) -> Queue:
    """Return a tenant's queue; leases go by the machine's own time, whatever the brain's clock."""
    from smartbrain.jobs.work import Queue

    return Queue(ports, rules, system_clock)


class Reading(Threaded):
    """Has the language model of a root read the turns that wait, now or in the background."""

    def __init__(
        self,
        models: LanguageModels,
        rules: Callable[[str], WriteRules],
        metrics: Callable[[str], Metrics],
        background: Background,
    ) -> None:
        """Take the model, what gives the rules of a tenant, and where its cost is counted."""
        self._background = background
        self._models = models
        self._rules = rules
        self._metrics = metrics
        self._closed = False
        super().__init__()

    def read(self, tenant: OpenTenant, *, dry_run: bool = False) -> ExtractReport:
        """Have what waits read, here and now, after whoever is at it in this process."""
        from smartbrain.jobs.extract import ExtractReport, run_extract

        if dry_run:
            queue = open_queue(tenant.ports, self._rules(tenant.name))
            waits = len(queue.works(WorkKind.EXTRACT, JobState.QUEUED))
            return ExtractReport(waiting=waits, code="dry_run", reason="nothing was read")
        with self._reading:
            report = run_extract(
                tenant.ports,
                self._models.model(),
                self._rules(tenant.name),
                wall=system_clock,
                stopped=lambda: self._closed,
                timeout=self._models.timeout,
            )
            self._count(report, tenant)
            return report

    def read_at_once(self, result: CommitResult, lease: OpenLease) -> CommitResult:
        """Have a committed turn read before its result is returned, and say what came of it.

        It waits as long as the model is given for an answer. Whatever fails is told in the result,
        and the turn is read in the background then; an answer that comes too late changes nothing.
        """
        if not self._models.chosen:
            return _add_reason(result, _NO_MODEL)
        try:
            with lease() as tenant:
                return self._read_turn(result, tenant, lease)
        except SmartBrainError as error:
            return _add_reason(result, Reason(_FAILED, error.message))

    def _read_turn(
        self, result: CommitResult, tenant: OpenTenant, lease: OpenLease
    ) -> CommitResult:
        """Have one turn read by a thread that outlives the wait for it."""
        from smartbrain.jobs.extract import TurnReader

        timeout, queue = self._models.timeout, open_queue(tenant.ports, self._rules(tenant.name))
        ends = monotonic() + timeout
        reader = TurnReader(queue, self._models.model(), timeout)
        works = queue.lease_turn(result.turn_id, reader.owner, seconds=timeout)

        def read() -> None:
            with lease() as own:
                for work in works:
                    reader.read(work)
                self._count(reader.report, own)

        if works:
            wait([self._background.beside(_MODEL, read)], timeout)
        while not works and queue.is_being_read(result.turn_id) and monotonic() < ends:
            sleep(_PAUSE)  # the background was quicker
        late = [work for work in works if reader.give_up(work)]
        if late or queue.is_being_read(result.turn_id):
            self._metrics(tenant.name).count(MODEL_CALLS, label="late")
            told = f"no answer within {timeout:g} s; it is asked again in the background"
            return _add_reason(result, Reason("model_late", told))
        if works and reader.outcome is None:
            return _add_reason(result, Reason(_FAILED, reader.report.reason))
        return _add_reading(result, reader.outcome.written if reader.outcome else (), tenant)

    def _count(self, report: ExtractReport, tenant: OpenTenant) -> None:
        metrics = self._metrics(tenant.name)
        calls = {"read": report.read, "failed": report.failures, "retried": report.retries}
        tokens = {"prompt": report.prompt_tokens, "completion": report.completion_tokens}
        for metric, counted in (
            (MODEL_CALLS, calls),
            (MODEL_TOKENS, tokens),
            (MODEL_CLAIMS, report.claims),
        ):
            for label, found in counted.items():
                metrics.count(metric, found, label)

    def later(self, name: str, lease: OpenLease) -> None:
        """Have what waits in a tenant read in the background, unless that is planned already."""
        with self._planning:
            if self._closed or name in self._planned:
                return
            self._planned.add(name)
        self._background.later(lambda: self._read_quietly(name, lease))

    def close(self) -> None:
        """Stop after the turn that is being read."""
        self._closed = True

    def _read_quietly(self, name: str, lease: OpenLease) -> None:
        """Read what waits; after a failure it waits for the next run."""
        with self._planning:
            self._planned.discard(name)  # what is committed from now on plans a run of its own
        with suppress(SmartBrainError), lease() as tenant:
            self.read(tenant)

    def begin(self) -> None:
        """Start with nothing planned."""
        self._planning, self._reading = threading.Lock(), threading.Lock()
        self._planned: set[str] = set()


def _add_reason(result: CommitResult, reason: Reason) -> CommitResult:
    explain = replace(result.explain, ignored=(*result.explain.ignored, reason))
    return replace(result, explain=explain)


def _add_reading(result: CommitResult, written: Iterable[str], tenant: OpenTenant) -> CommitResult:
    """Return a result with what a model made of its turn; what it replaced is not written."""
    ids = dict.fromkeys((*(one.id for one in result.memory_written.items), *written))
    with tenant.ports.truth.read() as transaction:
        kept = transaction.remembering.explanations(result.turn_id)
        stored = transaction.memories.get(ids)
    first = result.explain.to_dict()
    own = max((place for place, one in enumerate(kept) if one == first), default=len(kept))
    steps = [result.explain, *(CommitExplain.from_dict(one) for one in kept[own + 1 :])]
    explain = CommitExplain(
        retention=tuple(one for step in steps for one in step.retention),
        conflicts=tuple(one for step in steps for one in step.conflicts),
        summary=result.explain.summary,
        ignored=tuple(one for step in steps for one in step.ignored),
    )
    items = tuple(
        WrittenMemory(
            id=one.id, type=one.type, key=one.key, status=one.status, confidence=one.confidence
        )
        for one in (stored[each] for each in ids if each in stored)
        if one.deleted_at is None
    )
    return replace(result, memory_written=MemoryWritten(items=items), explain=explain)
