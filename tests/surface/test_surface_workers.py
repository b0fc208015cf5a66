"""Several processes that answer for one brain: `memctl serve --workers`.

In: a server as a process, its workers stopped, killed and told to end. Out: no acknowledged turn is
lost, and whichever worker answers knows what was told to another.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from cli_runs import memctl
from served import start_server

from smartbrain import SmartBrain

WAIT = 60.0
CLIENTS = 8


@contextmanager
def two_workers(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Serve a brain by two workers, and yield the process above them and the address."""
    process, address = start_server(
        "serve", "--workers", 2, "--root", folder / "brain", folder=folder
    )
    try:
        yield process, address
    finally:
        process.kill()
        process.communicate(timeout=WAIT)  # its workers hold the other end, and end with it


def workers_of(process: subprocess.Popen[bytes], but: int = 0) -> list[int]:
    """Return the ids of both workers, once there are two beside one that was killed."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        found = [
            number
            for number in map(int, told.split())
            if number != but and b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes()
        ]
        if len(found) == 2:
            return found
        time.sleep(0.05)
    raise AssertionError(told)


@contextmanager
def asleep(worker: int) -> Iterator[None]:
    """Have a worker do nothing for a while, so that the other one answers."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


@pytest.mark.spec("S3", "E4", "S4")
def test_whichever_worker_answers_knows_what_the_other_was_told(tmp_path: Path) -> None:
    """An idempotency key gives the first result, and a stream goes on where the other's ended."""
    said = [{"role": "user", "content": "My sister lives in Turin. 我妹妹住在都灵。"}]
    body = {"session_id": "s", "turn_events": said}
    results, numbers = [], []
    with two_workers(tmp_path) as (process, address):
        workers = workers_of(process)
        for sleeping in (*workers, *workers):
            with asleep(sleeping), httpx.Client(base_url=address, timeout=WAIT) as client:
                told = client.post("/v1/commit_turn", json=body, headers={"Idempotency-Key": "k"})
                results.append(told.raise_for_status().json())
                found = client.post("/v1/recall", json={"query": "my sister"}).json()
                assert "Turin" in found["items"][0]["text"]
                last = {"Last-Event-ID": str(numbers[-1] if numbers else 0)}
                with client.stream("GET", "/v1/events", headers=last) as stream:
                    lines = (line for line in stream.iter_lines() if line.startswith("id: "))
                    numbers += [int(next(lines)[4:]) for _ in range(2)]
    assert [False, True, True, True] == [one["replayed"] for one in results]
    assert 1 == len({one["turn_id"] for one in results})
    assert [1, 2, 3, 4, 5, 6, 7, 8] == numbers


@pytest.mark.spec("S3", "E5")
def test_a_worker_that_is_killed_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Clients go on with the other one; another is started; a signal to stop lets calls end."""
    acknowledged: Counter[str] = Counter()
    turns: dict[str, str] = {}
    is_stopped = threading.Event()
    enough = threading.Semaphore(0)

    def talk(name: str, address: str) -> None:
        """Commit turn after turn, each again until it is acknowledged or the server is gone."""
        number = 0
        while True:
            said = [{"role": "user", "content": f"Box {number} of {name} holds old letters."}]
            body = {"session_id": name, "turn_events": said}
            headers = {"Idempotency-Key": f"{name}-{number}"}
            try:
                told = httpx.post(
                    f"{address}/v1/commit_turn", json=body, headers=headers, timeout=WAIT
                )
            except httpx.TransportError:
                if is_stopped.is_set():
                    return
                continue
            assert 200 == told.status_code, told.text
            acknowledged[name] += 1
            turns[f"{name}-{number}"] = told.json()["turn_id"]
            number += 1
            enough.release()

    def wait_for(count: int) -> None:
        for _ in range(count):
            assert enough.acquire(timeout=WAIT)

    with two_workers(tmp_path) as (process, address):
        workers = workers_of(process)
        clients = [
            threading.Thread(target=talk, args=(f"c{number}", address)) for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        wait_for(3 * CLIENTS)
        os.kill(workers[0], signal.SIGKILL)
        wait_for(3 * CLIENTS)
        assert workers[0] not in workers_of(process, but=workers[0])
        wait_for(3 * CLIENTS)
        is_stopped.set()
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(WAIT)
        for client in clients:
            client.join(WAIT)
    with SmartBrain.open(tmp_path / "brain") as brain:
        for name, count in acknowledged.items():
            stored = brain.sessions.turns(name)
            # The last one may be stored without its answer having come through.
            assert len(stored) - count in (0, 1)
            expected = [turns[f"{name}-{number}"] for number in range(count)]
            assert expected == [turn.id for turn in stored][:count]


@pytest.mark.spec("S3")
def test_a_commit_that_runs_is_finished_when_workers_are_told_to_stop(tmp_path: Path) -> None:
    """The worker that has its first half takes the second one, stores it and answers."""
    body = json.dumps(
        {"session_id": "s", "turn_events": [{"role": "user", "content": "My cat is called Mimi."}]}
    ).encode()

    def pieces() -> Iterator[bytes]:
        """Send a body whose second half comes when the server has been told to stop."""
        yield body[:20]
        for _ in range(2):  # the only worker awake has taken the first half by then
            httpx.get(f"{address}/healthz", timeout=WAIT).raise_for_status()
        process.send_signal(signal.SIGTERM)
        yield body[20:]

    with two_workers(tmp_path) as (process, address):
        with asleep(workers_of(process)[0]):
            kind = {"content-type": "application/json"}
            url = f"{address}/v1/commit_turn"
            answer = httpx.post(url, content=pieces(), headers=kind, timeout=WAIT)
            assert 200 == answer.status_code, answer.text
        assert 0 == process.wait(WAIT)
    with SmartBrain.open(tmp_path / "brain") as brain:
        assert [answer.json()["turn_id"]] == [turn.id for turn in brain.sessions.turns("s")]


@pytest.mark.spec("S3")
def test_workers_end_with_the_process_above_them(tmp_path: Path) -> None:
    """Nobody goes on at an address whose server was killed."""
    with two_workers(tmp_path) as (process, address):
        workers_of(process)
        httpx.post(f"{address}/v1/status", json={}, timeout=WAIT).raise_for_status()
        process.kill()
        process.communicate(timeout=WAIT)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/healthz", timeout=WAIT)


def test_grpc_is_served_by_one_process(tmp_path: Path) -> None:
    """What does not go together is refused in one line."""
    run = memctl("serve", "--workers", 2, "--grpc", 0, "--root", "brain", folder=tmp_path)
    assert 2 == run.code
    assert run.err.startswith("memctl: --grpc has one process; leave out --workers")
    assert 1 == len(run.err.splitlines())
