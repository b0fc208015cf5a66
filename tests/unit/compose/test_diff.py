"""What differs between two packages, and what candidates score under other weights."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from smartbrain.compose.candidates import (
    Candidate,
    FoundMemories,
    FoundTurn,
    Terms,
)
from smartbrain.compose.replay import Side, diff_contexts
from smartbrain.compose.trace import score_again
from smartbrain.domain.context import (
    Block,
    ContextDebug,
    ContextEvidence,
    ContextPackage,
    EvidenceSource,
    PinEntry,
)
from smartbrain.domain.context_diff import ContextDiff, ContextMove
from smartbrain.domain.indexed import SpokenMessage, SpokenTurn
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.policy_recall import ScoreRules
from smartbrain.domain.reason import Reason
from smartbrain.testing.blobs import MemoryBlobs

WORDS = ScoreRules(text=1.0, vector=0.0, graph=0.0, weight=0.0, coverage=0.0)
GRAPH = ScoreRules(text=0.0, vector=0.0, graph=1.0, weight=0.0, coverage=0.0)


def package(*evidence: str, **slots: object) -> ContextPackage:
    """Return a package with evidence of these ids, whose snippet names them."""
    shown = [
        ContextEvidence(
            id=one,
            source=EvidenceSource.MEMORY,
            source_uri=f"turn:{one}",
            snippet=f"words 话 {one}",
        )
        for one in evidence
    ]
    made = ContextPackage(
        context_id="c",
        session_id="s",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        evidence=tuple(shown),
    )
    return replace(made, **slots)


def compared(before: ContextPackage, after: ContextPackage, *reasons: Reason) -> ContextDiff:
    """Return what differs."""
    return diff_contexts(
        Side(package=before, tokens={"evidence": 9}),
        Side(package=after, tokens={"user_message": 2, "evidence": 4}, reasons=reasons),
    )


@pytest.mark.spec("S6")
def test_things_that_come_and_go_say_why() -> None:
    """What enters has the reason of its choice, what leaves that of its refusal."""
    found = ContextDebug(why_selected=(Reason("found", "by words", id="new"),))
    diff = compared(
        package("a", "old"),
        package("a", "new", debug=found),
        Reason("over_budget", "there is no room", id="old"),
    )
    assert [("evidence", "new", 2)] == [(one.slot, one.id, one.place) for one in diff.entered]
    assert ["by words"] == [one.why.reason for one in diff.entered if one.why]
    assert ["there is no room"] == [one.why.reason for one in diff.left if one.why]
    assert () == diff.moved
    assert [("evidence", 9, 4), ("user_message", 0, 2)] == [
        (one.slot, one.before, one.after) for one in diff.tokens
    ]


@pytest.mark.spec("S6")
def test_a_reason_is_that_of_its_slot() -> None:
    """A to-do and a pin may have the same id; each keeps its own reason."""
    pin = PinEntry(id="1", type="path", title="日志", summary="/var/log", source="chat:a")
    why = (
        Reason("pinned", "it is pinned", id="1", type="pins"),
        Reason("planned", "it is to be done", id="1", type="plan"),
    )
    shown = package(pins=(pin,), plan=(PlanEntry(id="1", text="发布"),))
    shown = replace(shown, debug=ContextDebug(why_selected=why))
    entered = compared(package(), shown).entered
    assert {"pins": "pinned", "plan": "planned"} == {
        one.slot: one.why.code for one in entered if one.why
    }


@pytest.mark.spec("S6")
def test_a_block_and_a_summary_that_had_no_room_say_so() -> None:
    """A block is known by its type, a summary by its slot."""
    block = Block(type="profile", text="住在成都")
    before = package(system_blocks=(block,), working_summary="Goals: 发布")
    left = compared(
        before,
        package(),
        Reason("over_budget", "0 of 4 characters are shown", type="system_blocks", key="profile"),
        Reason("over_budget", "0 of 9 characters are shown", type="working_summary", key="dropped"),
    ).left
    assert ["0 of 4 characters are shown", "0 of 9 characters are shown"] == [
        one.why.reason for one in left if one.why
    ]


@pytest.mark.spec("S6")
def test_only_what_changes_its_order_has_moved() -> None:
    """Moving up because something before is gone is no move; changing places is one."""
    assert () == compared(package("a", "b", "c"), package("b", "c")).moved
    moved = compared(package("a", "b"), package("b", "a")).moved
    assert [("a", 1, 2), ("b", 2, 1)] == [(one.id, one.from_place, one.to_place) for one in moved]


@pytest.mark.spec("S6")
def test_other_words_under_the_same_id_are_told() -> None:
    """A block that is longer, and two of one type, are held apart and measured."""
    blocks = (Block(type="profile", text="住在成都"), Block(type="profile", text="x"))
    longer = (Block(type="profile", text="住在成都，养狗"), Block(type="profile", text="x"))
    diff = compared(package(system_blocks=blocks), package(system_blocks=longer))
    (resized,) = diff.resized
    assert (
        ContextMove(
            slot="system_blocks",
            id="profile",
            from_place=1,
            to_place=1,
            characters_before=4,
            characters_after=7,
            why=Reason("other_words", "what it says is not the same", type="system_blocks"),
        )
        == resized
    )
    assert not diff.same
    assert compared(package("a", "a"), package("a", "a")).same


@pytest.mark.spec("S6")
def test_what_moves_or_is_resized_says_why() -> None:
    """An order has its rule; a cut its reason, also where it is not made any more."""
    moved = compared(package("a", "b"), package("b", "a"))
    assert {"order"} == {one.why.code for one in moved.moved if one.why}
    assert "place 1 → 2 [order: evidence stands by" in moved.text()
    cut = Reason("shortened", "2 of 7 characters are shown", type="system_blocks", key="profile")
    whole = package(system_blocks=(Block(type="profile", text="住在成都，养狗"),))
    short = package(system_blocks=(Block(type="profile", text="住在"),))
    was_cut = replace(short, debug=ContextDebug(ignored=(cut,)))
    assert [cut] == [one.why for one in compared(whole, short, cut).resized]
    assert ["not_shortened"] == [
        one.why.code for one in compared(was_cut, whole).resized if one.why
    ]


@pytest.mark.spec("S6")
def test_that_something_is_shortened_is_no_reason_to_leave() -> None:
    """Of two outcomes one is cut and one is dropped: the reason of the cut is not the other's."""
    cut = Reason("shortened", "2 of 9 characters are shown", type="working_summary")
    (left,) = compared(package(working_summary="Goals: 发布"), package(), cut).left
    assert left.why is None


@pytest.mark.spec("S6")
def test_a_diff_reads_well_and_comes_back_from_json() -> None:
    """Lines for people name what came and went; the JSON form is the same again."""
    diff = compared(package("a"), package("b"))
    text = diff.text()
    assert "+ evidence 1. b words 话 b" in text
    assert "- evidence 1. a words 话 a" in text
    assert "evidence: 9 → 4 tokens" in text
    assert diff == ContextDiff.from_dict(diff.to_dict())
    assert "nothing shown differs" in compared(package("a"), package("a")).text()


@pytest.mark.spec("S6")
def test_candidates_score_by_their_terms_and_their_neighbours() -> None:
    """A hit follows its own signals, what stands beside it follows the hit, a rule the best."""
    at, said = datetime(2026, 3, 9, tzinfo=UTC), [SpokenMessage("user", ("话".encode(),))]
    spoken = [
        SpokenTurn("t1", "s", 1, at, [*said, SpokenMessage("assistant", (b"ok",))]),
        SpokenTurn("t2", "s", 2, at, said),
    ]
    scored = Terms(score=0.8, words=0.4, graph=0.9)
    turns = [FoundTurn(spoken[0], scored, "m1"), FoundTurn(spoken[1])]
    by_rule = Candidate("m9", "facts", "preferences", "memory:m9", "话", 0.04)
    found = FoundMemories(alone=[by_rule], turns=turns)
    for after, expected in ((GRAPH, [0.09, 1.8, 1.08, 0.54]), (WORDS, [0.04, 0.8, 0.48, 0.24])):
        again = score_again(found, WORDS, after, MemoryBlobs())
        scores = [one.score for one in (*again.alone, *again.lines)]
        assert [pytest.approx(one) for one in expected] == scores
