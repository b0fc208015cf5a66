"""Of a very long message both ends are read, and the result says how much that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain import SmartBrain


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("first", "filler", "last", "read"),
    [
        ("我得买牛奶。", "我今天去河边走了走。", "我得修自行车。", "first 3,000 and last 2,000"),
        (
            "I need to buy milk. ",
            "I walked along. ",
            "I need to fix my bike.",
            "9,000 and last 6,",
        ),
    ],
)
def test_a_long_message_is_read_at_both_ends(
    first: str, filler: str, last: str, read: str, tmp_path: Path
) -> None:
    """What stands there is remembered; what stands between is in the events, and that is told."""
    middle = filler * (20_000 // len(filler))
    with SmartBrain.open(tmp_path) as brain:
        told = first + middle + last
        result = brain.commit_turn("s", [{"role": "user", "content": told}])
        assert 2 == len(brain.memories.list(type="tasks").items)
        (why,) = [one.reason for one in result.explain.retention if one.code == "long_message"]
        assert read in why
        assert told == brain.sessions.turns("s")[0].messages[0].content


@pytest.mark.spec("C1", "C6")
def test_a_message_that_is_not_longer_than_both_ends_is_read_whole(tmp_path: Path) -> None:
    """Nothing is left out between them, and nothing says so."""
    half = "我今天去河边走了走。" * 240
    with SmartBrain.open(tmp_path) as brain:
        content = f"{half}我得买牛奶。{half}"
        result = brain.commit_turn("s", [{"role": "user", "content": content}])
        assert ["买牛奶"] == [one.value["title"] for one in brain.memories.list(type="tasks").items]
        assert "long_message" not in {one.code for one in result.explain.retention}
