"""What the child processes of the crash tests of forgetting run; started by `children.Child`.

In: a program's name and arguments; the word "go" on stdin. Out: lines on stdout, each flushed: what
is announced may go, what is acknowledged is gone.
"""

from __future__ import annotations

import os
import select
import sys
from itertools import count
from tempfile import TemporaryDirectory

from smartbrain import SmartBrain
from smartbrain.domain.forgetting import ForgetReceipt

NO_GRACE = {"forget.grace": 0}


def say(*words: object) -> None:
    """Print a line that has left this process before the next statement runs."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def secret_of(owner: int, number: int) -> str:
    """Return a number that nothing else says."""
    return f"{70_000_000_000 + owner * 100_000_000 + number}"


def forgets(root: str, owner: str, first: str) -> None:
    """Tell secrets and forget them for ever, by id, by words and by turn."""
    warm_up()
    with SmartBrain.open(root, config=NO_GRACE) as brain:
        brain.recall("what?")
        say("loaded")
        sys.stdin.readline()
        for number in count(int(first)):
            if select.select([sys.stdin], [], [], 0)[0]:
                break
            secret = secret_of(int(owner), number)
            session = f"s{owner}"
            text = f"The {owner}x{number} gate code is {secret}."
            told = brain.commit_turn(session, [_user(text), _assistant(f"Noted: {text}")])
            say("try", secret)
            _forget(brain, number, secret, told.turn_id)
            say("ack", secret)


def warm_up() -> None:
    """Forget once elsewhere, so that whatever is loaded late is loaded now."""
    with TemporaryDirectory() as scratch, SmartBrain.open(scratch, config=NO_GRACE) as brain:
        told = brain.commit_turn("s", [_user("The gate code is 70000000001.")])
        brain.commit_turn("s", [_user("Please forget 70000000001.")])
        brain.forget(told.turn_id)


def _forget(brain: SmartBrain, number: int, secret: str, turn_id: str) -> ForgetReceipt | None:
    """Forget a secret in one of three ways."""
    if number % 3 == 0:
        return brain.forget(turn_id)
    if number % 3 == 1:
        brain.commit_turn("asking", [_user(f"Please forget {secret}.")])
        return None
    facts = brain.memories.list("facts", limit=1000).items
    return brain.forget([one.id for one in facts if secret in str(one.value)])


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


if __name__ == "__main__":
    {"forgets": forgets}[sys.argv[1]](*sys.argv[2:])
