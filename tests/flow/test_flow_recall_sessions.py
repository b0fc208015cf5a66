"""Sessions as wholes: which of them speak of most of what a message says."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain.recall.arms.text import score_sessions

PLAN = (
    "the venue wants a deposit before june",
    "the caterer sent a menu with mushrooms",
    "the band needs a stage and two lamps",
    "guests from abroad arrive by train",
)
QUESTION = (
    "Of the venue with its deposit, the caterer's mushrooms, the band's stage and lamps, and the"
    " guests who arrive by train from abroad, which of these was it that still wanted an answer?"
)


@pytest.mark.spec("R3")
def test_a_session_counts_by_how_many_of_its_turns_hold_each_word() -> None:
    """A rare word says more than a common one; the best session is 1."""
    held = {"rare": {"a": 1}, "common": {"a": 1, "b": 3, "c": 1}}
    scores = score_sessions(held)
    assert scores["a"] == 1.0
    assert scores["a"] > scores["b"] > scores["c"] > 0
    assert score_sessions({}) == {}


@pytest.mark.spec("R3")
@pytest.mark.parametrize("named", ["", " I mean the 'wanted' one, from last week."])
def test_a_long_message_is_answered_by_the_session_that_is_about_all_of_it(
    tmp_path: Path, named: str
) -> None:
    """Single turns of others that hold a few of its words come behind, whatever it names."""
    with fake_brain(tmp_path) as brain:
        for number, text in enumerate(PLAN):
            brain.commit_turn(f"other {number}", [user(f"{text}, said my neighbour once more")])
        for text in PLAN:
            brain.commit_turn("wedding", [user(f"For the wedding: {text}.")])
        found = brain.recall(QUESTION + named, k=4)
    assert ["wedding"] * 4 == [one.session_id for one in found]
