"""Forgetting that is killed, raced or short of room: consistent, resumed, nothing comes back."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import apsw
import pytest
from children import Child, profile, remark
from crash_forgetting import NO_GRACE

from smartbrain import AdapterError, NotFound, SmartBrain
from smartbrain.domain.forgetting import ForgetState

PROGRAMS = Path(__file__).with_name("crash_forgetting.py")
KILLS = profile(12, 100)
SECONDS = profile(4, 30)
KEPT = "The office plant is called Zebulon."


def holding(root: Path, words: list[str]) -> set[str]:
    """Return the words that any file below a folder holds."""
    found: set[str] = set()
    for path in root.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found |= {word for word in words if word.encode() in data}
    return found


def began(lines: list[str], word: str) -> list[str]:
    """Return the secrets that lines of a child name."""
    return [line.split()[1] for line in lines if line.startswith(f"{word} ")]


def assert_whole(root: Path, tried: list[str], gone: list[str]) -> None:
    """Fail unless a reopened brain is consistent, and each secret is there whole or not at all."""
    with SmartBrain.open(root, config=NO_GRACE) as brain:
        states = {receipt.state for receipt in brain.receipts()}
        assert states <= {ForgetState.ERASED}
        brain.rebuild()
        shown = [one.text for one in brain.recall("gate code office plant", k=100).items]
        assert any("Zebulon" in text for text in shown)
        texts = {
            message.content
            for session in brain.sessions.list(limit=1000).items
            for turn in brain.sessions.turns(session.id, limit=1000)
            for message in turn.messages
        }
    assert SmartBrain.doctor(root).healthy
    left = holding(root, tried)
    assert left.isdisjoint(gone)
    for secret in left:  # it was killed before it was hidden: all of it is there
        assert sum(secret in text for text in texts) >= 2, secret


@pytest.mark.spec("J7", "E5")
def test_a_killed_forgetting_goes_on_when_the_brain_is_opened(tmp_path: Path) -> None:
    """At any instant: what was acknowledged is gone for good, the rest whole or gone."""
    with SmartBrain.open(tmp_path, config=NO_GRACE) as brain:
        brain.commit_turn("kept", [{"role": "user", "content": KEPT}])
    random, tried, gone = Random(3), list[str](), list[str]()
    for kill in range(KILLS):
        fresh = kill // 90 * 1_000  # an owner who comes again tells other secrets
        with Child("forgets", tmp_path, kill % 90, fresh, programs=PROGRAMS) as child:
            child.expect("loaded")
            child.go()
            lines = child.kill_after(random.uniform(0.02, 1.0))
            tried += began(lines, "try")
            gone += began(lines, "ack")
        assert_whole(tmp_path, tried, gone)
    remark(f"{KILLS} kills, {len(gone)} forgettings acknowledged of {len(tried)}")
    assert gone


@pytest.mark.spec("J7")
def test_two_processes_forget_while_eight_threads_recall(tmp_path: Path) -> None:
    """And while a snapshot is saved and others import: nothing fails, nothing is left."""
    with SmartBrain.open(tmp_path, config=NO_GRACE) as brain:
        brain.commit_turn("kept", [{"role": "user", "content": KEPT}])
        stop, failures = threading.Event(), list[BaseException]()

        def recall() -> None:
            try:
                while not stop.is_set():
                    brain.recall("gate code")
            except BaseException as error:
                failures.append(error)

        def save_and_import() -> None:
            number = 0
            try:
                while not stop.is_set():
                    number += 1
                    brain.remember(f"Guest {number} likes tea.")
                    with brain._lease() as tenant:
                        tenant.views.save(brain._recall_rules())
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=recall) for _ in range(8)]
        threads.append(threading.Thread(target=save_and_import))
        for thread in threads:
            thread.start()
        try:
            with (
                Child("forgets", tmp_path, 1, 0, programs=PROGRAMS) as one,
                Child("forgets", tmp_path, 2, 0, programs=PROGRAMS) as other,
            ):
                for child in (one, other):
                    child.expect("loaded")
                    child.go()
                time.sleep(SECONDS)
                for child in (one, other):
                    child.go("stop")
                lines = [*one.finish(), *other.finish()]
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert failures == []
    tried, gone = began(lines, "try"), began(lines, "ack")
    remark(f"{len(gone)} forgettings of two processes in {SECONDS} s")
    assert gone
    assert_whole(tmp_path, tried, gone)


@pytest.mark.spec("J7", "E5")
def test_a_full_disk_leaves_it_hidden_or_there(tmp_path: Path) -> None:
    """What cannot be written is not half done; once there is room it is erased."""
    secret = "70000000042"
    with SmartBrain.open(tmp_path, config=NO_GRACE) as brain:
        brain.commit_turn("kept", [{"role": "user", "content": KEPT}])
        text = f"The gate code is {secret}."
        turn = brain.commit_turn("s", [{"role": "user", "content": text}, _noted(text)])
        with brain._lease() as tenant:
            truth = tenant.ports.truth
            connection = truth._writer.connection  # type: ignore[attr-defined]
            pages = connection.execute("PRAGMA page_count").get
            connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        for _ in range(3):
            with suppress(AdapterError, NotFound):  # no room, or it is gone already
                brain.forget(turn.turn_id)
    with SmartBrain.open(tmp_path, config=NO_GRACE) as brain:
        if brain.sessions.turns("s"):
            brain.forget(turn.turn_id)
    assert_whole(tmp_path, [secret], [secret])


def _noted(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": f"Noted: {text}"}


def test_the_file_is_a_database_after_all(tmp_path: Path) -> None:
    """A purge leaves a database that SQLite calls sound."""
    with SmartBrain.open(tmp_path, config=NO_GRACE) as brain:
        turn = brain.commit_turn("s", [{"role": "user", "content": KEPT}])
        brain.forget(turn.turn_id)
    connection = apsw.Connection(str(tmp_path / "tenants/default/brain.db"))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert connection.execute("PRAGMA freelist_count").get == 0
    connection.close()
