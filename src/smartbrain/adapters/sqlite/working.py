"""Working state, jobs and compose traces as rows (W4, S6).

Implements `ports.repositories.Working`. None of it is followed by views, so none of it is logged.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.packed import load_packed, packed_json
from smartbrain.adapters.sqlite.rows import (
    Row,
    Touched,
    json_text,
    load,
    optional_json,
    optional_load,
    optional_micros,
    optional_time,
)
from smartbrain.domain.job import Job, JobState, StateEntry, Trace
from smartbrain.domain.time import from_micros, to_micros

_JOBS: Final = (
    "SELECT id, kind, payload, state, attempts, run_after, lease_owner, lease_until, result,"
    " created_at, updated_at FROM jobs"
)
_STATE: Final = (
    "SELECT kind, id, body, created_at, updated_at, expires_at FROM working_state WHERE owner = ?"
)
_HELD: Final = 4  # rows of one owner and kind that are kept at hand, for they are read each turn
_WAITING: Final = "state IN ('queued', 'leased')"
_DUE: Final = "ifnull(iif(state = 'leased', lease_until, run_after) <= ?, 1)"


@translating
class SqliteWorking:
    """State of the present: what is pinned, planned, queued and was composed."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._states = touched.states

    def put_state(self, entry: StateEntry) -> None:
        """Write one entry of working state, replacing the one of the same owner, kind and id."""
        body, at = json_text(entry.body), to_micros(entry.updated_at)
        made, expires = to_micros(entry.created_at), optional_micros(entry.expires_at)
        self._execute(
            "INSERT INTO working_state (owner, kind, id, body, created_at, updated_at, expires_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, kind, id) DO UPDATE SET"
            " body = excluded.body, updated_at = excluded.updated_at,"
            " expires_at = excluded.expires_at",
            (entry.owner, entry.kind, entry.id, body, made, at, expires),
        )
        self._hold(entry.owner, (entry.kind, entry.id, body, made, at, expires))

    def _hold(self, owner: str, row: Row) -> None:
        """Put a row that was written among those at hand: in its place, or behind all others."""
        self._states.pop((owner, None), None)
        held = self._states.pop((owner, row[0]), None)
        if held is None:
            return
        ids = [one[1] for one in held]
        place = ids.index(row[1]) if row[1] in ids else len(ids)
        made = held[place][3] if place < len(ids) else row[3]
        rows = [*held[:place], (*row[:3], made, *row[4:]), *held[place + 1 :]]
        if len(rows) <= _HELD:
            self._states[owner, row[0]] = rows

    def state(self, owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        """Return an owner's entries in the order they were first written; `after` limits the ids.

        The ids that come after it in the order of their characters are read.
        """
        rows = None if after else self._states.get((owner, kind))
        if rows is None:
            asked = {"kind = ?": kind, "id > ?": after or None}
            given = {where: value for where, value in asked.items() if value is not None}
            where = " AND ".join([_STATE, *given])  # by the index: others have long texts
            rows = self._execute(f"{where} ORDER BY num", (owner, *given.values())).fetchall()
            if len(rows) <= _HELD and not after:
                self._states[owner, kind] = rows
        return [
            StateEntry(
                owner=owner,
                kind=row[0],
                id=row[1],
                body=load(row[2]),
                created_at=from_micros(row[3]),
                updated_at=from_micros(row[4]),
                expires_at=optional_time(row[5]),
            )
            for row in rows
        ]

    def drop_state(self, owner: str, kind: str | None = None, entry_id: str | None = None) -> int:
        """Delete an owner's entries, all or those of a kind or id; return how many."""
        for one in [one for one in self._states if one[0] == owner]:
            del self._states[one]
        self._execute(
            "DELETE FROM working_state WHERE owner = ?1 AND (?2 IS NULL OR kind = ?2)"
            " AND (?3 IS NULL OR id = ?3)",
            (owner, kind, entry_id),
        )
        return self._connection.changes()

    def put_job(self, job: Job) -> None:
        """Queue a job, or write the present state of one."""
        self._execute(
            "INSERT INTO jobs (id, kind, payload, state, attempts, run_after, lease_owner,"
            " lease_until, result, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " state = excluded.state, attempts = excluded.attempts,"
            " run_after = excluded.run_after, lease_owner = excluded.lease_owner,"
            " lease_until = excluded.lease_until, result = excluded.result,"
            " updated_at = excluded.updated_at",
            (
                job.id,
                job.kind,
                json_text(job.payload),
                job.state.value,
                job.attempts,
                optional_micros(job.run_after),
                job.lease_owner,
                optional_micros(job.lease_until),
                optional_json(job.result),
                to_micros(job.created_at),
                to_micros(job.updated_at),
            ),
        )

    def job(self, job_id: str) -> Job | None:
        """Return a job by its id."""
        row = self._execute(f"{_JOBS} WHERE id = ?", (job_id,)).get
        return None if row is None else _job(row)

    def jobs(
        self,
        *,
        kind: str | None = None,
        state: JobState | None = None,
        due: datetime | None = None,
        limit: int | None = None,
    ) -> list[Job]:
        """Return jobs in the order they were queued; with `due`, those that may be taken then."""
        asked: dict[str, Any] = {}
        if kind is not None:
            asked["kind = ?"] = kind
        if state is not None:
            asked["state = ?"] = state
        if due is not None:
            asked[_DUE] = to_micros(due)
        # Only these states are indexed, and the planner wants them spelled as the index has them.
        waiting = due is not None or state in (JobState.QUEUED, JobState.LEASED)
        where = " AND ".join([_WAITING if waiting else "1", *asked])
        most = -1 if limit is None else limit
        rows = self._execute(f"{_JOBS} WHERE {where} ORDER BY num LIMIT ?", (*asked.values(), most))
        return [_job(row) for row in rows]

    def put_trace(self, trace: Trace) -> None:
        """Store what a compose decided."""
        self._execute(
            "INSERT INTO traces (context_id, session_id, created_at, body) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (context_id) DO UPDATE SET body = excluded.body",
            (
                trace.context_id,
                trace.session_id,
                to_micros(trace.created_at),
                packed_json(trace.body),
            ),
        )

    def trace(self, context_id: str) -> Trace | None:
        """Return what a compose decided."""
        row = self._execute(
            "SELECT session_id, created_at, body FROM traces WHERE context_id = ?", (context_id,)
        ).get
        if row is None:
            return None
        return Trace(
            context_id=context_id,
            session_id=row[0],
            created_at=from_micros(row[1]),
            body=load_packed(row[2]),
        )


def _job(row: tuple[Any, ...]) -> Job:
    """Return a row as a job."""
    return Job(
        id=row[0],
        kind=row[1],
        payload=load(row[2]),
        state=JobState(row[3]),
        attempts=row[4],
        run_after=optional_time(row[5]),
        lease_owner=row[6],
        lease_until=optional_time(row[7]),
        result=optional_load(row[8]),
        created_at=from_micros(row[9]),
        updated_at=from_micros(row[10]),
    )
