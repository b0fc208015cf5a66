"""What the child processes of the crash tests run; started by `children.Child`, never imported.

In: a program's name and arguments; the word "go" on stdin. Out: lines on stdout, each flushed,
which the parent takes at their word: what is acknowledged here must be there afterwards.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from children import encryption
from crash_turns import PLAIN, commit_of, digest

import smartbrain.adapters.blobs.cipher
import smartbrain.adapters.blobs.files
import smartbrain.adapters.sqlite.truth  # noqa: F401 - loaded before "go", not while it counts
from smartbrain import SmartBrain, SmartBrainError
from smartbrain.adapters.keys import MasterKey
from smartbrain.bootstrap import pool
from smartbrain.bootstrap.root import Root
from smartbrain.domain.ids import raw_id, uuid7
from smartbrain.domain.memory import Span
from smartbrain.domain.turn import Message, RawChunk, Role, Turn

NOBODY = 65534


def say(*words: object) -> None:
    """Print a line that has left this process before the next statement runs."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def wait_for_go() -> list[str]:
    """Say that everything is imported, wait for the parent's word, and return it."""
    say("loaded")
    return sys.stdin.readline().split()


def warm_up() -> None:
    """Commit and read once elsewhere, so that whatever is loaded late is loaded now."""
    with TemporaryDirectory() as scratch, SmartBrain.open(scratch) as brain:
        brain.commit_turn("s", commit_of(0, 0, "large").body)
        assert brain.sessions.turns("s")


def told_to_stop() -> bool:
    """Tell whether the parent has said anything since."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def commits(root: str, key_file: str, seed: str) -> None:
    """Commit turns of the seed for ever, announcing each before and acknowledging it after."""
    warm_up()
    start, session, mix = wait_for_go()
    brain = SmartBrain.open(root, tenant=PLAIN, config=encryption(Path(key_file)))
    last: dict[str, tuple[int, str]] = {}
    say("ready")
    for number in count(int(start)):
        commit = commit_of(int(seed), number, mix)
        earlier = last.get(commit.tenant) if commit.kind == "step" else None
        if earlier is not None:
            commit = commit_of(int(seed), number, mix, earlier[0])
        say("try", number, *(earlier or ()))
        result = brain.tenant(commit.tenant).commit_turn(
            session,
            commit.body,
            turn_id=earlier[1] if earlier else None,
            idempotency_key=commit.key,
        )
        say("ack", number, result.turn_id, digest(commit.body))
        if earlier is None:
            last[commit.tenant] = (number, result.turn_id)


def opens(root: str, key_file: str, *tenants: str) -> None:
    """Open one tenant after the other, which upgrades the older ones."""
    wait_for_go()
    opened = Root(root, config=encryption(Path(key_file)))
    say("ready")
    for name in tenants:
        say("try", name)
        opened.open_tenant(name).ports.truth.close()
        say("ack", name)
    say("done")
    sys.stdin.readline()


def writes(root: str, number: str) -> None:
    """Commit small turns until told to stop, each acknowledged by its text."""
    with SmartBrain.open(root) as brain:
        wait_for_go()
        for turn in count():
            if told_to_stop():
                break
            text = f"进程{number} turn {turn}"
            brain.commit_turn(f"s{number}", [{"role": "user", "content": text}])
            say("ack", text)


def claims(root: str, number: str) -> None:
    """Claim another value of one fact at each turn until told to stop, each acknowledged."""
    with SmartBrain.open(root) as brain:
        wait_for_go()
        for turn in count():
            if told_to_stop():
                break
            value = str(10_000 * (int(number) + 1) + turn)
            text = f"The staging port is {value}"
            brain.commit_turn(f"s{number}", [{"role": "user", "content": text}])
            say("ack", value)


def reads(root: str, writers: str, _: str) -> None:
    """Read until told to stop; what was there once must stay, in order and whole."""
    with SmartBrain.open(root) as brain:
        wait_for_go()
        seen = dict.fromkeys(range(int(writers)), 0)
        rounds = 0
        while not told_to_stop():
            for number in seen:
                turns = brain.sessions.turns(f"s{number}", after=max(0, seen[number] - 5))
                texts = [(turn.seq, turn.messages[0].content) for turn in turns]
                assert texts == [(seq, f"进程{number} turn {seq - 1}") for seq, _ in texts]
                assert len(texts) >= min(5, seen[number])
                seen[number] = texts[-1][0] if texts else 0
            assert len(brain.memories.list(limit=10).items) <= 10
            rounds += 1
        say("rounds", rounds)


def imports(root: str, turns: str, _: str) -> None:
    """Write many turns in one transaction, over and over, until told to stop."""
    opened = Root(root)
    wait_for_go()
    for batch in count():
        if told_to_stop():
            break
        with opened.tenants.lease("default") as tenant, tenant.ports.truth.write() as transaction:
            for number in range(int(turns)):
                _import_turn(tenant.ports, transaction, f"bulk{batch}", number)
        say("ack", f"bulk{batch}")


def forks(root: str) -> None:
    """Fork with an open brain and a thread at work on it; both sides go on, the parent closes."""
    brain = SmartBrain.open(root)
    stop = threading.Event()
    errors: list[SmartBrainError] = []

    def commit(session: str, numbers: range) -> None:
        for number in numbers:
            brain.commit_turn(session, [{"role": "user", "content": f"{session} {number}"}])

    def work() -> None:
        try:
            for number in count():
                if stop.is_set():
                    break
                commit("线程", range(number, number + 1))
        except SmartBrainError as error:
            errors.append(error)

    wait_for_go()
    commit("parent", range(5))
    thread = threading.Thread(target=work)
    thread.start()
    to_child, from_child = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        commit("child", range(5))
        os.write(from_child[1], b"1")
        os.read(to_child[0], 1)
        commit("child", range(5, 10))
        os._exit(0)
    os.read(from_child[0], 1)
    commit("parent", range(5, 10))
    stop.set()
    thread.join()
    brain.close()
    say("closed", len(errors))
    sys.stdin.readline()
    os.write(to_child[1], b"1")
    say("child", os.waitpid(child, 0)[1])


def forks_busy(root: str) -> None:
    """Fork while another thread is in the middle of a call that does not end in time."""
    pool.FORK_PATIENCE = 0.2
    opened = Root(root)
    inside, done = threading.Event(), threading.Event()

    def work() -> None:
        with opened.tenants.lease("default") as tenant, tenant.ports.truth.write() as transaction:
            _import_turn(tenant.ports, transaction, "bulk", 0)
            inside.set()
            done.wait()

    wait_for_go()
    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        for name in ("default", "other"):
            try:
                with opened.tenants.lease(name):
                    say("child", "opened", name)
            except SmartBrainError as error:
                say("child", error.code, name)
        os._exit(0)
    say("ended", os.waitpid(child, 0)[1])
    done.set()
    thread.join()
    with opened.tenants.lease("default") as tenant:
        say("turns", tenant.ports.truth.counts()["turns"])


def drops(root: str) -> None:
    """Use a brain as a user who may not write there, and say what that gave."""
    warm_up()
    wait_for_go()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for doing in ("commit", "read", "doctor"):
        try:
            if doing == "doctor":
                found = SmartBrain.doctor(root).all()
                say(doing, *sorted({finding.code for finding in found}))
                continue
            with SmartBrain.open(root) as brain:
                if doing == "commit":
                    brain.commit_turn("s", [{"role": "user", "content": "refused"}])
                else:
                    brain.sessions.turns("s")
            say(doing, "fine")
        except SmartBrainError as error:
            say(doing, type(error).__name__, error.code, error.message)


def keeps(root: str, key_file: str, tenant: str, texts_file: str) -> None:
    """Store texts in every place that takes some, and keep the brain open until told to close."""
    texts = Path(texts_file).read_text(encoding="utf-8").split("\0")
    config = encryption(Path(key_file), enabled=key_file != "-")
    with SmartBrain.open(root, tenant=tenant, config=config) as brain:
        wait_for_go()
        for text in texts:
            call = {"name": "读取", "args": {"q": text}, "result": text, "stdout": text}
            brain.commit_turn(
                text[:100],
                {
                    "messages": [{"role": "user", "content": text, "name": text[:60]}],
                    "tool_calls": [{**call, "stderr": text[::-1]}],
                    "refs": [{"ref_type": "file", "ref_uri": text[:90], "ref_meta": {"x": text}}],
                },
                idempotency_key=text[:80],
            )
        say("stored")
        sys.stdin.readline()


def rotates(root: str, old_file: str, new_file: str) -> None:
    """Lock every tenant's key with another master key."""
    opened = Root(root, config=encryption(Path(old_file)))
    new = MasterKey.from_bytes(Path(new_file).read_bytes())
    wait_for_go()
    say("ready")
    opened.rotate_master_key(new)
    say("done")
    sys.stdin.readline()


def _import_turn(ports: object, transaction: object, session: str, number: int) -> None:
    """Write one turn through the repositories, as an importer does."""
    now = datetime.now(UTC)
    data = f"{session} 导入 {number}".encode()
    address = ports.blobs.address(data)
    chunk = RawChunk(
        id=raw_id(address), address=address, length=len(data), body=data, stored_at=now
    )
    transaction.raw.hold([chunk])
    message = Message(
        id=uuid7(0, os.urandom(10)), role=Role.USER, spans=(Span(chunk.id, 0, len(data)),)
    )
    transaction.events.add_turns(
        [
            Turn(
                id=uuid7(0, os.urandom(10)),
                session_id=session,
                seq=number + 1,
                at=now,
                messages=(message,),
                created_at=now,
            )
        ]
    )


_ALL = (commits, opens, writes, claims, reads, imports, forks, forks_busy, drops, keeps, rotates)
PROGRAMS = {program.__name__: program for program in _ALL}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
