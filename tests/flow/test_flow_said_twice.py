"""What is said again word for word in one process: it is read as it was the first time.

In: messages in Chinese and English, committed several times, in one session and in others. Out: the
first one is written, those after it are merged into it, and none is lost.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain import SmartBrain

LASTING = [
    "Keep your answers short.",
    "Always answer in French.",
    "回答请用要点，以后都按这个来",
    "以后回答都用中文",
    "我喜欢喝茶",
]
PASSING = ["以后都按这个来", "Like that from now on."]


def commit_actions(brain: SmartBrain, session: str, text: str) -> list[tuple[str, str]]:
    """Commit a message of the user and return what was done with what it says."""
    result = brain.commit_turn(session, [user(text)])
    said = [one for one in result.explain.retention if one.code != "episode"]
    return [(one.action.value, one.key) for one in said]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize("text", LASTING)
def test_what_is_said_twice_is_merged(tmp_path: Path, text: str) -> None:
    """The second time in the session and the first time in others count as repeats."""
    with fake_brain(tmp_path) as brain:
        first = commit_actions(brain, "s", text)
        later = [commit_actions(brain, session, text) for session in ("s", "s", "other", "third")]
    assert first
    assert {"written"} == {action for action, _ in first}
    assert [[("merged", key) for _, key in first]] * 4 == later


@pytest.mark.spec("C6")
@pytest.mark.parametrize("text", PASSING)
def test_what_says_nothing_lasting_is_stored_each_time(tmp_path: Path, text: str) -> None:
    """No turn is lost, and each is told why nothing was kept."""
    with fake_brain(tmp_path) as brain:
        told = [commit_actions(brain, session, text) for session in ("s", "s", "other")]
        turns = brain.memories.list(type="episodes").items
    assert [[("refused", "")]] * 3 == told
    assert 3 == len(turns)
