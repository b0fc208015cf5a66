"""Work for outside agents, as `brain.work` offers it (C9), and jobs that can be run by hand.

In: kinds, ids, answers, names of jobs. Out: work with the content it is about, what became of an
answer, reports. Agents may be other threads, processes or machines; without any the rules do it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.bootstrap.agents import open_queue
from smartbrain.brain.arguments import flag, read_choice, whole
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.job import JobState, WorkKind
from smartbrain.errors import NotFound, UsageError
from smartbrain.remember.arguments import read_id, read_text

if TYPE_CHECKING:
    from smartbrain.bootstrap.agents import Reading
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.brain.arguments import Lease
    from smartbrain.domain.status import EmbedReport
    from smartbrain.jobs.extract import ExtractReport
    from smartbrain.jobs.work import Queue, Work, WorkOutcome
    from smartbrain.remember.write_rules import WriteRules


JOBS: Final[Mapping[str, str]] = {
    "embed": "makes the vectors that are still to be made",
    "extract": "has the language model read the turns that wait for it",
}
"""The jobs that can be run, and what each does."""
_NOT_BUILT: Final = (
    *("consolidate", "decay", "forget", "optimise", "promote", "promoter", "verify"),
)
"""Jobs that the specification names and that are not there yet."""


class Jobs:
    """Jobs of a tenant: `brain.jobs`."""

    def __init__(self, lease: Lease, reading: Reading) -> None:
        self._lease = lease
        self._reading = reading

    def run(self, name: str, dry_run: bool = False) -> EmbedReport | ExtractReport:
        """Run a job to its end; `embed` makes the vectors that are still to be made.

        Args:
            name: `embed` or `extract`.
            dry_run: only count what waits; nothing is done.

        Raises:
            NotFound: the job is not built yet.
        """
        if name in _NOT_BUILT:
            raise NotFound(f"the job {name} is not built yet; there are {' and '.join(JOBS)}")
        if name not in JOBS:
            raise UsageError(f"there is no job {name!r:.60}{did_you_mean(str(name), [*JOBS])}")
        is_dry = flag(dry_run, "dry_run")
        with self._lease() as tenant:
            if name == "embed":
                return tenant.views.embed(dry_run=is_dry)
            return self._reading.read(tenant, dry_run=is_dry)


_MOST: Final = 100
_LONGEST_LEASE: Final = 86_400.0


class WorkQueue:
    """Work that agents do for a tenant: `brain.work`."""

    def __init__(self, lease: Lease, rules: WriteRules) -> None:
        self._lease = lease
        self._rules = rules

    def lease(
        self, kinds: str | Sequence[str], owner: str, seconds: float = 60.0, limit: int = 1
    ) -> Sequence[Work]:
        """Take work for a while; nobody else gets it until the lease runs out.

        Args:
            kinds: `extract`, `verify`, `link`, `summarise`, `embed`: one, or several by urgency.
            owner: who takes it, by a name of its own; heartbeats and answers give it again.
            seconds: how long the lease lasts; `heartbeat` makes it longer.
            limit: how much work at most, up to 100.
        """
        named = [kinds] if isinstance(kinds, str) else list(kinds)
        if not named:
            raise UsageError(f"kinds is empty; give one or more of {', '.join(WorkKind)}")
        wanted = list(dict.fromkeys(read_choice(WorkKind, kind, "kind") for kind in named))
        name, lasts = read_id(owner, "owner"), _seconds(seconds)
        most = whole(limit, "limit", 1, _MOST)
        with self._lease() as tenant:
            return self._queue(tenant).lease(wanted, name, seconds=lasts, limit=most)

    def heartbeat(self, work_id: str, owner: str, seconds: float = 60.0) -> Work:
        """Keep leased work for so many seconds from now on.

        Raises:
            NotFound: there is no such work.
            Conflict: code `lease_lost`; somebody else has it, or it is done.
        """
        wanted, name = read_id(work_id, "work_id"), read_id(owner, "owner")
        lasts = _seconds(seconds)
        with self._lease() as tenant:
            return self._queue(tenant).heartbeat(wanted, name, seconds=lasts)

    def complete(self, work_id: str, owner: str, result: Mapping[str, Any]) -> WorkOutcome:
        """Hand in what was made of work; the same result again gets the first outcome again.

        Args:
            work_id: the work.
            owner: who has leased it.
            result: for `extract` {"claims": [{"type", "attr", "value", "quote", …}]}, each with
                the user's very words; for `verify` {"active": id}; for `link` {"edges": [{"src",
                "type", "dst", "weight"?}]}; for `summarise` {"text"}; for `embed` {"embedder",
                "model", "vectors": [{"id", "mark", "vector": base64 of float32}]}.

        Raises:
            NotFound: there is no such work, or what it is about is gone.
            Conflict: code `lease_lost`; somebody else has it, or it is done with another result.
        """
        wanted, name = read_id(work_id, "work_id"), read_id(owner, "owner")
        with self._lease() as tenant:
            return self._queue(tenant).complete(wanted, name, result)

    def fail(self, work_id: str, owner: str, error: str) -> Work:
        """Hand work back undone; it is tried again later, each time after a longer pause.

        Raises:
            NotFound: there is no such work.
            Conflict: code `lease_lost`; somebody else has it, or it is done.
        """
        wanted, name = read_id(work_id, "work_id"), read_id(owner, "owner")
        why = read_text(error, "error", empty=True)
        with self._lease() as tenant:
            return self._queue(tenant).fail(wanted, name, why)

    def list(self, kind: str | None = None, state: str | None = None) -> Sequence[Work]:
        """Return work in the order it was queued, without the content it is about.

        Args:
            kind: only this kind.
            state: only `queued`, `leased`, `done` or `failed` work.
        """
        of_kind = None if kind is None else read_choice(WorkKind, kind, "kind")
        in_state = None if state is None else read_choice(JobState, state, "state")
        with self._lease() as tenant:
            return self._queue(tenant).works(of_kind, in_state)

    def _queue(self, tenant: OpenTenant) -> Queue:
        return open_queue(tenant.ports, self._rules)


def _seconds(value: object) -> float:
    if isinstance(value, int | float) and type(value) is not bool and 0 < value <= _LONGEST_LEASE:
        return float(value)
    raise UsageError(f"seconds is a number above 0, up to {_LONGEST_LEASE:g}, not {value!r:.60}")
