"""What a recall costs, and that it is the same every time.

In: brains of ten and of hundreds of memories; one script in processes with other hash seeds. Out:
the same number of statements whatever is found, and the same bytes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from recall_builders import NOW, counted, opened, put, say

from smartbrain import SmartBrain

QUERIES = [
    "蓝牙 bluetooth",
    "昨天 yesterday bluetooth 0x8007045D",
    "明天 tomorrow bluetooth",
    "没人说过 unheard of",
    "那个仓库 that repo",
    "Bob 老罗 bluetooth",
]


def filled(brain: SmartBrain, size: int) -> str:
    """Fill a brain with facts and turns that answer, begin a run, and return it."""
    brain.memories.put("entities", "entity:person:Robert_Smith", {"aliases": ["Bob", "老罗"]})
    for n in range(size - size // 5):
        put(brain, f"fact:蓝牙:n{n}", f"bluetooth 0x8007045D {n}")
    for n in range(size // 5):
        say(brain, f"蓝牙 bluetooth 坏了 0x8007045D {n} github.com/acme/rocket", at=NOW)
    return brain.runs.start("s", "目标 goal")


@pytest.mark.spec("N1", "N2")
def test_the_number_of_statements_does_not_grow(tmp_path: Path) -> None:
    """None is run for five hundred that is not for ten; one with nothing to read is not run."""
    ran_by: dict[int, list[Counter[str]]] = {}
    found: dict[int, list[int]] = {}
    always: dict[str, Any] = {"raw": {"trigger": {"low_concentration": 1.0}}}
    slo = {"max_active_facts": 10_000}  # an alert is stored as an event, beside the call
    for size in (10, 500):
        with counted() as ran, opened(tmp_path / str(size), recall=always, slo=slo) as brain:
            run = filled(brain, size)
            brain.recall("warm up 先打开")
            with brain._lease() as tenant:
                tenant.views.save(brain._recall_rules())
            kept = ran_by.setdefault(size, [])
            for query in QUERIES:
                ran.clear()
                answer = brain.recall(query, session_id="s", k=100)
                kept.append(Counter(ran))
                found.setdefault(size, []).append(len(answer))
                ran.clear()
                brain.recall(query, session_id="s", k=100, include_history=True, as_of=NOW)
                kept.append(Counter(ran))
                ran.clear()
                brain.recall(query, session_id="s", types=["facts"])
                kept.append(Counter(ran))
                ran.clear()
                brain.build_memory_packet(
                    "s", query, run_id=run, audience="planner", task_type="debug 调试"
                )
                kept.append(Counter(ran))
    for few, many in zip(ran_by[10], ran_by[500], strict=True):
        assert Counter() == many - few
        assert {sql for sql in few - many if "FROM raw_chunks r" not in sql} == set()
        assert (few - many).total() <= 1
    assert 100 == max(found[500]) > max(found[10])
    assert max(one.total() for one in ran_by[500]) <= 60


SCRIPT = """
import json, sys
from pathlib import Path
from test_flow_recall_cost import answers
print(json.dumps(answers(Path(sys.argv[1])), ensure_ascii=False, sort_keys=True))
"""


def answers(path: Path) -> list[object]:
    """Return what a brain of its own answers to some questions, without times and request ids."""
    told: list[object] = []
    with opened(path) as brain:
        run = filled(brain, 60)
        say(brain, "测试库的端口是五四三二。The staging port is 5432 in 杭州.", session="x")
        say(brain, "我喜欢简洁的回答，I prefer short answers.", session="y")
        for query in (*QUERIES, "端口 port 回答 answers 杭州 bluetooth"):
            answer = brain.recall(query, session_id="s", k=50)
            told.append([one.to_dict() for one in answer])
            told.append([one.to_dict() for one in answer.trace.omitted])
            packet = brain.build_memory_packet("s", query, run_id=run, audience="planner").to_dict()
            del packet["metrics"]
            told.append(packet)
    return told


@pytest.mark.spec("R3", "N4")
def test_the_same_question_has_the_same_answer(tmp_path: Path) -> None:
    """Byte for byte: asked again, in another brain told the same, and whatever the hash seed."""
    here = json.dumps(answers(tmp_path / "here"), ensure_ascii=False, sort_keys=True)
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path / seed)],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
                "PYTHONUTF8": "1",
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            timeout=600,
        )
        assert here == done.stdout.strip()


@pytest.mark.spec("R3")
@pytest.mark.parametrize("query", QUERIES)
def test_asked_twice_nothing_moves(tmp_path: Path, query: str) -> None:
    """While the clock stands still a second recall gives the same items."""
    with opened(tmp_path) as brain:
        filled(brain, 60)
        first, second = (brain.recall(query, k=50).to_dict()["items"] for _ in range(2))
    assert first == second
