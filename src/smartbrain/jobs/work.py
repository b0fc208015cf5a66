"""The work queue: what agents and models do for a tenant, leased, handed back, never lost (C9).

In: who asks for which kinds of work, and later what they have made of it. Out: work with the
content it is about, and what became of an answer. A lease is a row written in one transaction, so
two processes never hold the same work; it is measured by the machine's own time, which is handed
in. A lease that has run out is lost only when somebody else takes the work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.job import Job, JobState
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.result import CommitExplain
from smartbrain.domain.work import WorkKind
from smartbrain.errors import AdapterError, Conflict, NotFound, UsageError
from smartbrain.jobs.work_answers import apply_answer
from smartbrain.jobs.work_inputs import input_of

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

MOST_ATTEMPTS: Final = 8
"""How often work is leased before it counts as failed; it is kept then, and leased no more."""
_FIRST_PAUSE: Final = timedelta(seconds=30)
_LONGEST_PAUSE: Final = timedelta(minutes=15)
_LONGEST_ERROR: Final = 300
_UNREADABLE: Final = ("blob_missing", "blob_corrupt", "corrupt")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Work(Record):
    """One piece of work; `input` is what it is about, shown to whoever has leased it.

    `payload` names turns, sessions and memories by id; `error` is why it failed the last time.
    """

    id: str
    kind: WorkKind
    payload: Mapping[str, Any] = field(default_factory=dict)
    input: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = JobState.QUEUED
    attempts: int = 0
    run_after: datetime | None = None
    lease_owner: str | None = None
    lease_until: datetime | None = None
    error: str = ""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class WorkOutcome(Record):
    """What became of an answer: the ids of what it wrote, and why each part of it fared so.

    `operation_id` is the event that holds the answer; vectors are their own record and have none.
    """

    work_id: str
    kind: WorkKind
    operation_id: str | None = None
    written: tuple[str, ...] = ()
    explain: CommitExplain = field(default_factory=CommitExplain)


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue of one tenant; `wall` tells the machine's own time."""

    ports: Ports
    rules: WriteRules
    wall: Callable[[], datetime]

    def lease(
        self, kinds: Sequence[WorkKind], owner: str, *, seconds: float = 60.0, limit: int = 1
    ) -> list[Work]:
        """Take work for a while, the first kind first, the oldest of a kind first.

        Work whose content is gone fails instead of being handed out.
        """
        taken: list[Work] = []
        while len(taken) < limit:
            now = self.wall()
            with self.ports.truth.write() as transaction:
                free = _free(kinds, now, limit - len(taken), transaction)
                claimed = [_leased(job, owner, now, seconds) for job in free]
                for job in claimed:
                    transaction.working.put_job(job)
            if not claimed:
                break
            taken += [work for job in claimed if (work := self._shown(job)) is not None]
        return taken

    def lease_turn(self, turn_id: str, owner: str, *, seconds: float = 60.0) -> list[Work]:
        """Take the extraction work of one turn that nobody has, whenever it is due."""
        now = self.wall()
        with self.ports.truth.write() as transaction:
            queued = transaction.working.jobs(kind=WorkKind.EXTRACT, state=JobState.QUEUED)
            mine = [job for job in queued if job.payload["turn_id"] == turn_id]
            claimed = [_leased(job, owner, now, seconds) for job in mine]
            for job in claimed:
                transaction.working.put_job(job)
        return [work for job in claimed if (work := self._shown(job)) is not None]

    def is_being_read(self, turn_id: str) -> bool:
        """Tell whether somebody has leased the extraction work of a turn."""
        leased = self.works(WorkKind.EXTRACT, JobState.LEASED)
        return any(work.payload["turn_id"] == turn_id for work in leased)

    def heartbeat(self, work_id: str, owner: str, *, seconds: float = 60.0) -> Work:
        """Keep work for so much longer, from now on.

        Raises:
            NotFound: there is no such work.
            Conflict: code `lease_lost`; somebody else has it, or it is done.
        """
        now = self.wall()
        with self.ports.truth.write() as transaction:
            job = _held(_find(work_id, transaction), owner)
            until = now + timedelta(seconds=seconds)
            job = replace(job, lease_until=until, updated_at=now)
            transaction.working.put_job(job)
        return _work(job)

    def complete(self, work_id: str, owner: str, result: Mapping[str, Any]) -> WorkOutcome:
        """Hand work back done; the same answer handed in again gets the first outcome again.

        Raises:
            UsageError: the answer is malformed; the sentence names the field, the lease stays.
            NotFound: there is no such work, or what it is about is gone.
            Conflict: code `lease_lost`; somebody else has it, or it is done with another answer.
        """
        if not isinstance(result, Mapping):
            raise UsageError(f"a result is a dict, not {type(result).__name__}")
        mark = blake2b(canonical_json(result).encode(), digest_size=16).hexdigest()
        now = self.wall()
        with self.ports.truth.write() as transaction:
            job = _find(work_id, transaction)
            known = job.result or {}
            if job.state is JobState.DONE and known.get("answer") == mark:
                return WorkOutcome.from_dict(known["outcome"])
            outcome = self._applied(_held(job, owner), owner, result, transaction)
            kept = {"answer": mark, "outcome": outcome.to_dict()}
            done = replace(job, state=JobState.DONE, lease_until=None, result=kept, updated_at=now)
            transaction.working.put_job(done)
        return outcome

    def fail(self, work_id: str, owner: str, error: str) -> Work:
        """Hand work back undone: it waits, longer each time, and fails for good in the end.

        Raises:
            NotFound: there is no such work.
            Conflict: code `lease_lost`; somebody else has it, or it is done.
        """
        now = self.wall()
        with self.ports.truth.write() as transaction:
            job = _failed(_held(_find(work_id, transaction), owner), error, now)
            transaction.working.put_job(job)
        return _work(job)

    def give_back(self, work_id: str, owner: str, error: str) -> Work:
        """Hand work back untried, for whoever would do it is not there; it counts as no attempt.

        Raises:
            NotFound: there is no such work.
            Conflict: code `lease_lost`; somebody else has it, or it is done.
        """
        now = self.wall()
        with self.ports.truth.write() as transaction:
            held = _held(_find(work_id, transaction), owner)
            job = _waiting(replace(held, attempts=max(0, held.attempts - 1)), error, now)
            transaction.working.put_job(job)
        return _work(job)

    def works(self, kind: WorkKind | None = None, state: JobState | None = None) -> list[Work]:
        """Return work in the order it was queued, without its content."""
        known = frozenset(WorkKind)
        with self.ports.truth.read() as transaction:
            jobs = transaction.working.jobs(kind=kind, state=state)
        return [_work(job) for job in jobs if job.kind in known]

    def _shown(self, job: Job) -> Work | None:
        """Return leased work with its content; None, and failed, where that is gone."""
        try:
            with self.ports.truth.read() as transaction:
                given = input_of(job, transaction=transaction, ports=self.ports, rules=self.rules)
        except NotFound as error:
            gone = error.message
        except AdapterError as error:
            if error.code not in _UNREADABLE:
                raise
            gone = error.message
        else:
            return replace(_work(job), input=given)
        ended = replace(job, attempts=MOST_ATTEMPTS)
        with self.ports.truth.write() as transaction:
            transaction.working.put_job(_failed(ended, gone, self.wall()))
        return None

    def _applied(
        self, job: Job, owner: str, answer: Mapping[str, Any], transaction: Transaction
    ) -> WorkOutcome:
        """Do what an answer says, and keep it."""
        given = {
            "work": job.id,
            "kind": job.kind,
            "owner": owner,
            "payload": job.payload,
            "answer": answer,
        }
        applied = apply_answer(given, transaction=transaction, ports=self.ports, rules=self.rules)
        return WorkOutcome(
            work_id=job.id,
            kind=WorkKind(job.kind),
            operation_id=applied.operation_id,
            written=applied.written,
            explain=applied.explain,
        )


def _free(
    kinds: Sequence[WorkKind], now: datetime, limit: int, transaction: Transaction
) -> list[Job]:
    """Return work that may be leased now, kind by kind."""
    found: list[Job] = []
    for kind in dict.fromkeys(kinds):
        found += _due(kind, now, limit - len(found), transaction)
        if len(found) == limit:
            break
    return found


def _due(kind: WorkKind, now: datetime, limit: int, transaction: Transaction) -> list[Job]:
    """Return the oldest work of a kind that is due; what was leased too often in vain fails."""
    while True:
        due = transaction.working.jobs(kind=kind, due=now, limit=limit)
        spent = [job for job in due if job.attempts >= MOST_ATTEMPTS]
        if not spent:
            return due
        for job in spent:
            error = "every lease of it ran out without an answer"
            transaction.working.put_job(_failed(job, error, now))


def _leased(job: Job, owner: str, now: datetime, seconds: float) -> Job:
    """Return a job in the hands of an owner."""
    return replace(
        job,
        state=JobState.LEASED,
        attempts=job.attempts + 1,
        run_after=None,
        lease_owner=owner,
        lease_until=now + timedelta(seconds=seconds),
        updated_at=now,
    )


def _failed(job: Job, error: str, now: datetime) -> Job:
    """Return a job that waits to be tried again, or has failed for good."""
    job = _waiting(job, error, now)
    if job.attempts < MOST_ATTEMPTS:
        return job
    return replace(job, state=JobState.FAILED, run_after=None)


def _waiting(job: Job, error: str, now: datetime) -> Job:
    """Return a job that nobody holds, to be tried again after a pause."""
    return replace(
        job,
        state=JobState.QUEUED,
        run_after=now + pause_after(job.attempts),
        lease_owner=None,
        lease_until=None,
        result={"error": " ".join(error.split())[:_LONGEST_ERROR]},
        updated_at=now,
    )


def pause_after(attempts: int) -> timedelta:
    """Return how long work waits after so many attempts: twice as long each time, up to a cap."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** max(0, attempts - 1))


def _find(work_id: str, transaction: Transaction) -> Job:
    """Return work by its id.

    Raises:
        NotFound: there is none.
    """
    job = transaction.working.job(work_id)
    if job is None or job.kind not in frozenset(WorkKind):
        raise NotFound(f"there is no work {work_id!r:.80} in this tenant")
    return job


def _held(job: Job, owner: str) -> Job:
    """Return a job that its owner still holds.

    Raises:
        Conflict: code `lease_lost`.
    """
    if job.state is JobState.LEASED and job.lease_owner == owner:
        return job
    told = "is leased by somebody else" if job.state is JobState.LEASED else f"is {job.state.value}"
    raise Conflict(
        f"{owner!r:.60} does not hold work {job.id}: it {told}; lease work again",
        code="lease_lost",
    )


def _work(job: Job) -> Work:
    """Return a job as those see it who do the work."""
    return Work(
        id=job.id,
        kind=WorkKind(job.kind),
        payload=job.payload,
        state=job.state,
        attempts=job.attempts,
        run_after=job.run_after,
        lease_owner=job.lease_owner,
        lease_until=job.lease_until,
        error=str((job.result or {}).get("error", "")),
        created_at=job.created_at,
    )
