"""Many who recall while one commits: no error, and every answer is of one moment.

In: threads on one brain, and a second process on the same folder. Out: answers that are each
consistent with some committed state, not older than the call. `make test-full` does it for longer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from recall_builders import arms, opened, say

from conftest import is_full
from smartbrain import SmartBrain

READERS = 64 if is_full() else 16
SECONDS = 60.0 if is_full() else 3.0
LEFT, RIGHT = "fact:左手:数", "fact:right:count"
QUERY = "左手 数 right count"


def write(brain: SmartBrain, number: int) -> None:
    """Set two facts to one number, in one turn."""
    brain.commit_turn(
        "s",
        {
            "messages": [{"role": "user", "content": f"第 {number} 次 set both counts"}],
            "facts": [
                {"key": LEFT, "value": f"n{number}"},
                {"key": RIGHT, "value": f"n{number}"},
            ],
        },
    )


def both(brain: SmartBrain, *, packet: bool) -> list[int]:
    """Return the numbers of the two facts as they are recalled."""
    if packet:
        made = brain.build_memory_packet("s1", QUERY)
        assert not made.metrics["degraded"], made.metrics["arms"]
        items = {one.key: one.value for one in made.facts}
    else:
        answer = brain.recall(QUERY, types="facts", k=10)
        assert {"ok", "off", "skipped"} >= set(arms(answer).values())
        items = {one.key: one.value for one in answer}
        assert len(items) == len(answer), "a key came twice"
    return [int(items[key]["value"].removeprefix("n")) for key in (LEFT, RIGHT) if key in items]


@pytest.mark.spec("S1", "N1", "N2", "R3")
def test_everybody_recalls_while_one_commits(tmp_path: Path) -> None:
    """Each answer has both facts as one commit left them, the last one before the call or later."""
    begun = done = 0
    stop = threading.Event()
    seen: list[tuple[int, list[int], int]] = []

    with opened(tmp_path) as brain:
        write(brain, 0)
        both(brain, packet=False)

        def read(reader: int) -> None:
            while not stop.is_set():
                before = done
                found = both(brain, packet=reader % 4 == 0)
                seen.append((before, found, begun))

        with ThreadPoolExecutor(READERS) as pool:
            readers = [pool.submit(read, number) for number in range(READERS)]
            deadline = time.monotonic() + SECONDS
            while time.monotonic() < deadline and not any(one.done() for one in readers):
                begun += 1
                write(brain, begun)
                done = begun
            stop.set()
            for one in readers:
                one.result()
        last = both(brain, packet=False)
    assert [done, done] == last
    assert done > 3
    assert len(seen) > READERS
    torn = [one for one in seen if len(set(one[1])) != 1 or len(one[1]) == 1]
    assert [] == torn[:3]
    stale = [one for one in seen if not one[0] <= one[1][0] <= one[2]]
    assert [] == stale[:3]


CHILD = """
import json, sys
from pathlib import Path
from recall_builders import opened
with opened(Path(sys.argv[1]), seed=9) as brain:
    for query in sys.stdin:
        answer = brain.recall(query.strip(), types="episodes")
        print(json.dumps([one.title for one in answer]), flush=True)
"""


@pytest.mark.spec("S1", "R3", "R4")
def test_another_process_recalls_what_was_just_committed(tmp_path: Path) -> None:
    """At its next call, though it had its indexes open before."""
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    with opened(tmp_path) as brain:
        say(brain, "蓝牙打不开 the first")
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONUTF8": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            for said in ("蓝牙耳机 the second", "蓝牙键盘 keyboard", "蓝牙鼠标 mouse"):
                child.stdin.write("蓝牙 first second\n")
                child.stdin.flush()
                assert said not in json.loads(child.stdout.readline())
                say(brain, said, session=said)
                child.stdin.write(f"{said}\n")
                child.stdin.flush()
                assert said == json.loads(child.stdout.readline())[0]
        finally:
            child.stdin.close()
            child.stdout.close()
            child.wait(60)
    assert 0 == child.returncode
