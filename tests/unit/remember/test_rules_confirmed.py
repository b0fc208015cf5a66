"""What a bare yes agrees to: the end of the assistant's message before it."""

from __future__ import annotations

import pytest

from smartbrain.remember.rules.forms import find_confirmed


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    ("asked", "message", "agreed"),
    [
        ("You prefer dark themes, right?", "Yes.", "I prefer dark themes"),
        ("你喜欢深色模式，对吗？", "对的", "我喜欢深色模式"),
    ],
)
@pytest.mark.parametrize("length", [0, 1_990, 5_000])
def test_the_end_of_a_long_answer_is_agreed_to(
    asked: str, message: str, agreed: str, length: int
) -> None:
    """However long it is, its last sentences are what the user answers."""
    before = "The weather is fine. " * (length // 21)
    assert agreed == find_confirmed(message, before + asked)


@pytest.mark.spec("C1", "C3")
@pytest.mark.parametrize(
    "message", ["Ok, thanks!", "Yes, but not now.", "好的，谢谢", "对，不过先别"]
)
def test_a_polite_or_half_hearted_yes_agrees_to_nothing(message: str) -> None:
    """Thanks and a but confirm nothing."""
    assert "" == find_confirmed(message, "You prefer dark themes, right? 你喜欢深色模式，对吗？")
