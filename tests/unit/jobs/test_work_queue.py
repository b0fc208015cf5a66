"""The queue: who holds which work for how long, what is retried when, and what is handed in twice.

In: real databases, a wall clock of the test's own, and work about memories in both languages.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from work_tenant import EMBED, EXTRACT, LINK, SUMMARISE, VERIFY, WALL, Tenant, fact

from smartbrain.adapters.sqlite.ledger import SqliteWorking
from smartbrain.domain.job import Job, JobState
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.jobs.work import MOST_ATTEMPTS, Queue
from smartbrain.testing import builders

pytestmark = pytest.mark.spec("C9")

NOTHING: dict[str, Any] = {"edges": []}
TAKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from work_tenant import LINK, Tenant
tenant = Tenant(Path(sys.argv[1]), seed=int(sys.argv[2]))
while found := tenant.queue.lease([LINK], f"process {sys.argv[2]}", limit=3):
    print(*(work.id for work in found), sep="\\n", flush=True)
"""


def lost(call: Any, *arguments: object) -> str:
    """Return the sentence of a call that fails because the lease is lost."""
    with pytest.raises(Conflict) as caught:
        call(*arguments)
    assert "lease_lost" == caught.value.code
    return caught.value.message


def test_leased_work_is_shown_with_what_it_is_about() -> None:
    """An agent sees the words of the turn, and how long they are its own by the machine's time."""
    tenant = Tenant()
    tenant.say("服务器在法兰克福。The port is 8080.", "好的。")
    work = tenant.lease(seconds=90)
    assert (EXTRACT, JobState.LEASED, 1, "agent") == (
        work.kind,
        work.state,
        work.attempts,
        work.lease_owner,
    )
    assert WALL + timedelta(seconds=90) == work.lease_until
    assert ["服务器在法兰克福。\nThe port is 8080.", "好的。"] == [
        message["content"] for message in work.input["messages"]
    ]
    assert [] == tenant.queue.lease([EXTRACT], "another")


def test_kinds_come_by_urgency_and_work_by_age() -> None:
    """The first kind that is asked for is emptied first; nobody gets more than they ask for."""
    tenant = Tenant()
    links = tenant.put_work(3)
    tenant.say("第一 first")
    tenant.say("第二 second")
    found = tenant.queue.lease([EXTRACT, LINK], "agent", limit=4)
    assert [EXTRACT, EXTRACT, LINK, LINK] == [work.kind for work in found]
    assert ["第一 first", "第二 second"] == [
        work.input["messages"][0]["content"] for work in found[:2]
    ]
    assert links[:2] == [work.id for work in found[2:]]
    assert [] == tenant.queue.lease([VERIFY, SUMMARISE, EMBED], "agent", limit=9)


def test_threads_never_get_the_same_work(tmp_path: Path) -> None:
    """Four threads empty a queue of a hundred; each piece is leased once."""
    tenant = Tenant(tmp_path)
    ids = tenant.put_work(100)

    def take(name: str) -> list[str]:
        taken = []
        while found := tenant.queue.lease([LINK], name, limit=3):
            taken += [work.id for work in found]
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [one for found in pool.map(take, ["甲", "b", "丙", "d"]) for one in found]
    assert Counter(ids) == Counter(taken)


def test_processes_never_get_the_same_work(tmp_path: Path) -> None:
    """Two processes empty a queue of a hundred; each piece is leased once."""
    ids = Tenant(tmp_path).put_work(100)
    here = str(Path(__file__).parent)
    path = os.pathsep.join(filter(None, sys.path))
    taking = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER, str(tmp_path), str(seed), here],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in (2, 3)
    ]
    taken = [process.communicate(timeout=600)[0].split() for process in taking]
    assert [0, 0] == [process.returncode for process in taking]
    assert Counter(ids) == Counter(taken[0] + taken[1])


@pytest.mark.parametrize("waiting", [1, 200])
def test_taking_work_reads_that_work_alone(waiting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much else is queued: once when it is leased, once when it is handed in."""
    tenant = Tenant()
    first = tenant.put_work(waiting)[0]
    read: list[str] = []
    load_one, load_many = SqliteWorking.job, SqliteWorking.jobs

    def job(self: SqliteWorking, job_id: str) -> Job | None:
        read.append(job_id)
        return load_one(self, job_id)

    def jobs(self: SqliteWorking, **asked: Any) -> list[Job]:
        found = load_many(self, **asked)
        read.extend(one.id for one in found)
        return found

    monkeypatch.setattr(SqliteWorking, "job", job)
    monkeypatch.setattr(SqliteWorking, "jobs", jobs)
    tenant.answer(NOTHING, LINK)
    assert [first, first] == read


def test_spent_work_does_not_hide_what_is_behind_it() -> None:
    """What was leased too often in vain fails, and the next lease is served all the same."""
    tenant = Tenant()
    ids = tenant.put_work(5)
    for _ in range(MOST_ATTEMPTS):
        assert ids[:3] == [one.id for one in tenant.queue.lease([LINK], "甲", seconds=9, limit=3)]
        tenant.wall.advance(seconds=9)
    assert ids[3:] == [one.id for one in tenant.queue.lease([LINK], "b", limit=2)]
    assert ids[:3] == [one.id for one in tenant.queue.works(LINK, JobState.FAILED)]


def test_a_kind_that_is_named_twice_is_served_once() -> None:
    """Nobody holds the same work twice."""
    tenant = Tenant()
    ids = tenant.put_work(1)
    assert ids == [one.id for one in tenant.queue.lease([LINK, LINK], "agent", limit=2)]


def test_a_lease_that_ran_out_goes_to_the_next() -> None:
    """Not a moment before; the first owner then has lost it, whatever it wants to do."""
    tenant = Tenant()
    tenant.say("我在测试。Testing.")
    work = tenant.lease(owner="first", seconds=60)
    tenant.wall.advance(seconds=59)
    assert [] == tenant.queue.lease([EXTRACT], "second")
    tenant.wall.advance(seconds=1)
    again = tenant.lease(owner="second")
    assert (work.id, 2) == (again.id, again.attempts)
    assert "somebody else" in lost(tenant.queue.heartbeat, work.id, "first")
    lost(tenant.queue.fail, work.id, "first", "太慢 too slow")
    lost(tenant.queue.complete, work.id, "first", {})
    assert [] == tenant.operations()


def test_a_late_owner_may_finish_what_nobody_else_took() -> None:
    """Work that is done is not thrown away because its clock was slow."""
    tenant = Tenant()
    tenant.say("The staging host is frankfurt.")
    work = tenant.lease(seconds=1)
    tenant.wall.advance(hours=5)
    answer = fact("staging", "host", "frankfurt", "The staging host is frankfurt.")
    assert 1 == len(tenant.queue.complete(work.id, "agent", answer).written)


def test_a_heartbeat_keeps_work() -> None:
    """It counts from now, and may also be shorter than what was left."""
    tenant = Tenant()
    tenant.say("你好 hello")
    work = tenant.lease(seconds=60)
    tenant.wall.advance(seconds=50)
    kept = tenant.queue.heartbeat(work.id, "agent", seconds=30)
    assert WALL + timedelta(seconds=80) == kept.lease_until
    tenant.wall.advance(seconds=29)
    assert [] == tenant.queue.lease([EXTRACT], "another")
    tenant.wall.advance(seconds=1)
    assert work.id == tenant.lease(owner="another").id


def test_failed_work_waits_longer_each_time_and_is_kept_in_the_end() -> None:
    """Half a minute, doubled up to a quarter of an hour; then it has failed, with its reason."""
    tenant = Tenant()
    tenant.say("你好 hello")
    pauses = []
    for attempt in range(1, MOST_ATTEMPTS + 1):
        work = tenant.lease()
        assert attempt == work.attempts
        failed = tenant.queue.fail(work.id, "agent", f"第 {attempt} 次\nfailed")
        assert f"第 {attempt} 次 failed" == failed.error
        if failed.run_after is not None:
            pauses.append((failed.run_after - tenant.wall.now).total_seconds())
            tenant.wall.now = failed.run_after - timedelta(seconds=1)
            assert [] == tenant.queue.lease([EXTRACT], "agent")
            tenant.wall.advance(seconds=1)
    assert [30, 60, 120, 240, 480, 900, 900] == pauses
    tenant.wall.advance(days=365)
    assert [] == tenant.queue.lease([EXTRACT], "agent")
    (kept,) = tenant.queue.works(EXTRACT, JobState.FAILED)
    assert (work.id, work.payload, "第 8 次 failed") == (kept.id, kept.payload, kept.error)


def test_work_that_kills_its_agents_fails_in_the_end() -> None:
    """Leases that run out count as attempts, so no work is handed out for ever."""
    tenant = Tenant()
    tenant.say("你好 hello")
    for _ in range(MOST_ATTEMPTS):
        tenant.lease(seconds=10)
        tenant.wall.advance(seconds=10)
    assert [] == tenant.queue.lease([EXTRACT], "agent")
    (kept,) = tenant.queue.works(state=JobState.FAILED)
    assert "ran out" in kept.error


def test_work_given_back_counts_as_no_attempt() -> None:
    """A service that is down for long costs no work its attempts."""
    tenant = Tenant()
    tenant.say("你好 hello")
    for _ in range(3 * MOST_ATTEMPTS):
        work = tenant.lease()
        assert 1 == work.attempts
        back = tenant.queue.give_back(work.id, "agent", "服务不在 no service")
        assert (JobState.QUEUED, WALL) < (back.state, back.run_after)
        tenant.wall.advance(seconds=30)


@pytest.mark.spec("E4")
def test_the_same_answer_twice_gets_the_first_outcome() -> None:
    """Also for whoever lost the lease meanwhile; another answer is refused."""
    tenant = Tenant()
    tenant.say("数据库的端口是 5432。")
    answer = fact("数据库", "port", "5432", "数据库的端口是 5432")
    work = tenant.lease(owner="first", seconds=1)
    tenant.wall.advance(seconds=1)
    tenant.lease(owner="second")
    first = tenant.queue.complete(work.id, "second", answer)
    assert first == tenant.queue.complete(work.id, "second", answer)
    assert first == tenant.queue.complete(work.id, "first", dict(reversed(answer.items())))
    assert 1 == len(tenant.operations())
    other = fact("数据库", "port", "1", "5432")
    assert "done" in lost(tenant.queue.complete, work.id, "second", other)
    lost(tenant.queue.heartbeat, work.id, "second")
    lost(tenant.queue.fail, work.id, "second", "late")
    assert [] == tenant.queue.lease([EXTRACT], "agent")


def test_a_malformed_answer_leaves_the_lease_as_it_was() -> None:
    """It can be corrected and handed in again; nothing of the first one is kept."""
    tenant = Tenant()
    tenant.say("端口是 8080。")
    work = tenant.lease()
    for bad in ({}, {"claims": "端口"}, {"claims": [], "facts": []}, [], "x", None):
        with pytest.raises(UsageError):
            tenant.queue.complete(work.id, "agent", bad)  # type: ignore[arg-type]
    (kept,) = tenant.queue.works(state=JobState.LEASED)
    assert (work.id, work.lease_until) == (kept.id, kept.lease_until)
    assert [] == tenant.operations()
    tenant.queue.complete(work.id, "agent", {"claims": []})


def test_work_about_what_is_gone_fails_and_the_next_is_handed_out() -> None:
    """Nobody is asked about nothing, and nobody goes away empty-handed because of it."""
    tenant = Tenant()
    for kind, payload in (
        (EXTRACT, {"turn_id": "没有", "messages": []}),
        (VERIFY, {"active": "mem_a", "other": "mem_b"}),
        (LINK, {"memories": ["mem_a"]}),
        (SUMMARISE, {"session_id": "s", "version": 3}),
        (EMBED, {"memories": ["mem_a"]}),
    ):
        with tenant.ports.truth.write() as rows:
            rows.working.put_job(builders.job(f"job-{kind}", kind=kind, payload=payload))
    tenant.say("还在 still here")
    found = tenant.queue.lease([EXTRACT, VERIFY, LINK, SUMMARISE, EMBED], "agent")
    assert ["还在 still here"] == [work.input["messages"][0]["content"] for work in found]
    assert [] == tenant.queue.lease([VERIFY, LINK, SUMMARISE, EMBED], "agent", limit=9)
    gone = tenant.queue.works(state=JobState.FAILED)
    assert 5 == len(gone)
    assert all(work.error for work in gone)


def test_other_jobs_are_none_of_the_agents() -> None:
    """A job that the runtime does itself is not listed, found or leased here."""
    tenant = Tenant()
    with tenant.ports.truth.write() as rows:
        rows.working.put_job(builders.job("job-1", kind="consolidate"))
    assert [] == tenant.queue.works()
    with pytest.raises(NotFound):
        tenant.queue.heartbeat("job-1", "agent")


def test_work_is_listed_by_kind_and_state() -> None:
    """In the order it was queued, without the content."""
    tenant = Tenant()
    links = tenant.put_work(2)
    tenant.say("你好 hello")
    tenant.lease(LINK)
    assert [*links, tenant.queue.works(EXTRACT)[0].id] == [one.id for one in tenant.queue.works()]
    assert links[1:] == [one.id for one in tenant.queue.works(LINK, JobState.QUEUED)]
    assert [{}] == [one.input for one in tenant.queue.works(state=JobState.LEASED)]


def test_nothing_is_queued_unless_agents_are_configured() -> None:
    """Without them a commit leaves no work behind."""
    tenant = Tenant()
    off = replace(tenant.rules.rules.jobs, agents=())
    tenant.rules = replace(tenant.rules, rules=replace(tenant.rules.rules, jobs=off))
    tenant.say("决定用 Postgres。We decided to use Postgres.")
    assert [] == Queue(tenant.ports, tenant.rules, tenant.wall).works()
