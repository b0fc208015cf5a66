"""A process that writes and one that asks, for the test of readers; started, never imported.

In: a program's name, a brain's folder, a file; a word on stdin to begin and another to stop. Out:
the writer puts the number of its last round into the file once that is committed, the reader asks
for that very round; both print how many rounds they made.
"""

from __future__ import annotations

import os
import select
import sys
from itertools import count
from pathlib import Path

from smartbrain import SmartBrain

SAVE_EVERY = 25
ROOT_NODE = "Concept:根"


def say(*words: object) -> None:
    """Print a line that has left this process before the next statement runs."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def told_to_stop() -> bool:
    """Tell whether the parent has said anything since."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def writes(root: str, announced: str) -> None:
    """Commit a turn, a node and an edge a round; now and then write snapshots of the views."""
    file = os.open(announced, os.O_WRONLY | os.O_CREAT)
    with SmartBrain.open(root) as brain:
        brain.graph.add_node(ROOT_NODE)
        write_round(brain, file, 0)  # the first commit of a process loads all that reads a turn
        say("loaded")
        sys.stdin.readline()
        for number in count(1):
            write_round(brain, file, number)
            if told_to_stop():
                break
        say("rounds", number + 1)


def write_round(brain: SmartBrain, announced: int, number: int) -> None:
    """Commit one turn, one node and one edge, announce them, then perhaps write snapshots."""
    text = f"工单 ticket{number} 蓝牙打不开"
    brain.commit_turn("s", [{"role": "user", "content": text}])
    brain.graph.add_node(f"Concept:第{number}")
    brain.graph.add_edge(f"Concept:第{number}", "about", ROOT_NODE, 0.5)
    os.pwrite(announced, f"{number:09}".encode(), 0)
    if number % SAVE_EVERY == 0:
        with brain._lease() as tenant:
            tenant.views.save(brain._recall_rules())


def reads(root: str, announced: str) -> None:
    """Ask for the round that was announced last; the first call after it has to know it."""
    with SmartBrain.open(root) as brain:
        brain.rebuild()
        say("loaded")
        sys.stdin.readline()
        last = rounds = 0
        while not told_to_stop():
            number = int(Path(announced).read_bytes() or b"0")
            if number <= last:
                continue
            last, rounds = number, rounds + 1
            ask_graph(brain, number) if rounds % 2 else ask_words(brain, number)
        say("rounds", rounds)


def ask_graph(brain: SmartBrain, number: int) -> None:
    """Look for the edge of a round."""
    near = brain.graph.neighbors(f"Concept:第{number}")
    assert ["根"] == [one.title for one in near], f"round {number}: {near}"


def ask_words(brain: SmartBrain, number: int) -> None:
    """Look for the turn of a round, as a memory and as a passage."""
    for view in ("text", "passages"):
        with brain._lease() as tenant:
            hits = tenant.views.search(f"ticket{number}", brain._recall_rules(), view=view)
        assert any(f"ticket{number} " in hit.text for hit in hits), f"round {number}: {hits}"


if __name__ == "__main__":
    {"writes": writes, "reads": reads}[sys.argv[1]](*sys.argv[2:])
