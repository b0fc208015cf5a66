"""Many processes and threads on one tenant: nobody fails, nobody starves, nothing is lost.

Children are real processes that commit, read, import and fork; what each acknowledged is looked
for afterwards, once and no more.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from children import Child, children, profile, remark
from crash_witness import all_turns

from smartbrain import SmartBrain

SECONDS = profile(5, 30)
WRITERS = 4
_STARTING = 3


@pytest.mark.spec("E5", "M4", "S1")
def test_four_processes_commit_beside_a_reader_without_loss_or_starvation(tmp_path: Path) -> None:
    """Every acknowledged turn is there once, and the slowest writer has half of the fastest's."""
    SmartBrain.open(tmp_path).close()
    with ExitStack() as stack:
        writers = stack.enter_context(children(WRITERS, "writes", tmp_path))
        (reader,) = stack.enter_context(children(1, "reads", tmp_path, WRITERS))
        for child in (reader, *writers):
            child.go()
        for child in writers:  # the first commit of a process loads all that reads
            child.expect("ack", 1)
        begun = [len(_texts(child.lines)) for child in writers]
        time.sleep(SECONDS)
        for child in (*writers, reader):
            child.go("stop")
        acknowledged = [_texts(child.finish()) for child in writers]
        rounds = int(reader.finish()[-1].removeprefix("rounds "))
    counts = sorted(len(texts) - before for texts, before in zip(acknowledged, begun, strict=True))
    remark(f"commits a process in {SECONDS} s: {counts}, {rounds} rounds of the reader")
    with SmartBrain.open(tmp_path) as brain:
        for number, texts in enumerate(acknowledged):
            turns = all_turns(brain, f"s{number}")
            assert texts == [turn.messages[0].content for turn in turns]
    assert SmartBrain.doctor(tmp_path).healthy
    # On a busy machine few commits are made, and chance has a part in who makes them.
    assert counts[0] + _STARTING >= 0.5 * counts[-1] > 0, counts
    assert rounds > 0


@pytest.mark.spec("E5", "S1")
def test_a_bulk_import_makes_the_others_wait_but_not_fail(tmp_path: Path) -> None:
    """While one process writes hundreds of turns a transaction, the others commit and read."""
    SmartBrain.open(tmp_path).close()
    size = profile(300, 1000)
    with ExitStack() as stack:
        writers = stack.enter_context(children(2, "writes", tmp_path))
        (reader,) = stack.enter_context(children(1, "reads", tmp_path, 2))
        (importer,) = stack.enter_context(children(1, "imports", tmp_path, size))
        for child in (importer, reader, *writers):
            child.go()
        importer.expect("ack", profile(5, 12))
        for child in writers:
            child.expect("ack", 3)
        for child in (importer, reader, *writers):
            child.go("stop")
        acknowledged = [_texts(child.finish()) for child in writers]
        sessions = _texts(importer.finish())
        reader.finish()
    with SmartBrain.open(tmp_path) as brain:
        for number, texts in enumerate(acknowledged):
            turns = all_turns(brain, f"s{number}")
            assert texts == [turn.messages[0].content for turn in turns]
        for session in sessions:
            turns = all_turns(brain, session)
            expected = [f"{session} 导入 {number}" for number in range(size)]
            assert expected == [turn.messages[0].content for turn in turns]
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E5", "S1")
def test_sixty_four_threads_share_one_handle(tmp_path: Path) -> None:
    """Threads commit and read through one handle; each finds its own turns whole and in order."""
    each = profile(6, 60)
    with SmartBrain.open(tmp_path) as brain:

        def work(number: int) -> list[str]:
            session = f"线程{number}"
            for turn in range(each):
                text = f"{session} says {turn} " + "长" * (2000 if turn == 3 else 1)
                brain.commit_turn(session, [{"role": "user", "content": text}])
            return [turn.messages[0].content for turn in brain.sessions.turns(session)]

        with ThreadPoolExecutor(64) as pool:
            seen = list(pool.map(work, range(64)))
        assert 64 * each == brain.status().rows["turns"]
    for number, texts in enumerate(seen):
        assert [f"线程{number} says {turn} " for turn in range(each)] == [
            text.rstrip("长") for text in texts
        ]
        assert 2000 == texts[3].count("长")
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E5", "S1")
def test_parent_and_child_of_a_fork_both_go_on_committing(tmp_path: Path) -> None:
    """A process forks with an open brain and busy threads; no side loses or breaks anything.

    The parent closes and another process comes and goes while the child lives: a child that only
    believed to hold its locks would write into a log that is deleted already.
    """
    with Child("forks", tmp_path) as child:
        child.expect("loaded")
        child.go()
        assert ["closed 0"] == child.expect("closed")
        with SmartBrain.open(tmp_path) as other:
            other.commit_turn("other", [{"role": "user", "content": "路过"}])
        child.go()
        assert "child 0" == child.finish()[-1]
    with SmartBrain.open(tmp_path) as brain:
        for session in ("parent", "child"):
            texts = [turn.messages[0].content for turn in brain.sessions.turns(session)]
            assert [f"{session} {number}" for number in range(10)] == texts
        threads = [turn.messages[0].content for turn in all_turns(brain, "线程")]
        assert [f"线程 {number}" for number in range(len(threads))] == threads != []
        assert 1 == len(brain.sessions.turns("other"))
    assert SmartBrain.doctor(tmp_path).healthy


@pytest.mark.spec("E5")
def test_a_fork_in_the_middle_of_a_call_keeps_the_child_away_from_that_tenant(
    tmp_path: Path,
) -> None:
    """What cannot be closed in time stays the parent's: the child is told, and harms nothing."""
    with Child("forks_busy", tmp_path) as child:
        child.expect("loaded")
        child.go()
        lines = child.finish()[1:]
    assert ["child adapter default", "child opened other", "ended 0", "turns 1"] == lines
    assert SmartBrain.doctor(tmp_path).healthy


def _texts(lines: list[str]) -> list[str]:
    """Return what a child acknowledged."""
    return [line.removeprefix("ack ") for line in lines if line.startswith("ack ")]
