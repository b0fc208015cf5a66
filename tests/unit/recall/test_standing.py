"""What enters a packet by rule, and in which order."""

from __future__ import annotations

import pytest
from recalled_rows import NOW, cues, days_ago, packet, ranked, row, rules

from smartbrain.domain.memory import Status
from smartbrain.domain.recall import Cues, Intent
from smartbrain.recall.candidates import PacketInputs, order_facts
from smartbrain.recall.cue_match import CueWords


def order(found: list[object], rows: list[object], given: Cues | None = None) -> list[str]:
    """Return the ids of facts in their order."""
    words = CueWords(given or cues())
    return [one.source.id for one in order_facts(found, rows, words=words, now=NOW)[0]]  # type: ignore[arg-type]


@pytest.mark.spec("R7")
def test_what_stands_enters_though_nothing_is_like_it() -> None:
    """Profile, preferences, goals and open tasks are in a packet that recall found nothing for."""
    standing = [
        row("我是谁", "profile", value={"subject": "user"}),
        row("tone", "preferences"),
        row("目标", "goals", value={"status": "active"}),
        row("todo", "tasks", value={"status": "blocked"}),
    ]
    filled = packet(PacketInputs(standing=standing))
    assert {"我是谁", "tone", "目标", "todo"} == {one.id for one in filled.facts}
    assert {"standing"} == {one.code for one in filled.explain.selected}


@pytest.mark.spec("R7")
@pytest.mark.parametrize(
    ("type_name", "status"),
    [("tasks", "done"), ("goals", "已完成"), ("goals", "Abandoned"), ("goals", "达成")],
)
def test_what_is_over_does_not_enter_by_rule(type_name: str, status: str) -> None:
    """A task that is done stays out, unless the message brought it to mind."""
    over = row("over", type_name, value={"status": status})
    filled = packet(PacketInputs(standing=[over]))
    assert ((), ["closed"]) == (filled.facts, [one.code for one in filled.explain.omitted])
    asked = packet(PacketInputs(found=[ranked("over", type_name, value={"status": status})]))
    assert ["over"] == [one.id for one in asked.facts]


@pytest.mark.spec("R7")
def test_what_no_longer_holds_does_not_stand() -> None:
    """Status and validity are looked at here too."""
    rows = [
        row("old", "preferences", status=Status.SUPERSEDED),
        row("past", "preferences", valid_until=days_ago(1)),
    ]
    filled = packet(PacketInputs(standing=rows))
    assert ["superseded", "expired"] == [one.code for one in filled.explain.omitted]


@pytest.mark.spec("R7")
def test_what_the_message_speaks_of_comes_before_what_is_new() -> None:
    """Of what stands, words in common count first, then instructions, then the newest."""
    rows = [
        row("new taste", "preferences", text="咖啡要热的", said_at=days_ago(1)),
        row("old taste", "preferences", text="likes window seats", said_at=days_ago(9)),
        row("rule", "preferences", text="以后都用中文回答", said_at=days_ago(300)),
        row("about it", "preferences", text="写周报用要点", said_at=days_ago(200)),
        row("somebody", "profile", value={"subject": "小李"}),
    ]
    expected = ["about it", "rule", "new taste", "old taste", "somebody"]
    assert expected == order([], rows, cues(keywords=("周报",)))
    assert expected == order([], rows[::-1], cues(keywords=("周报",)))


@pytest.mark.spec("R7")
def test_to_a_greeting_what_stands_comes_first() -> None:
    """What is near to it in meaning takes no place of what enters by rule."""
    found = [ranked(f"f{n}") for n in range(3)]
    rows = [row(f"p{n}", "preferences") for n in range(3)]
    greeting = cues(intent=Intent.CHIT_CHAT)
    assert ["p0", "p1", "p2", "f0", "f1", "f2"] == order(found, rows, greeting)


@pytest.mark.spec("R7")
def test_found_and_standing_take_turns() -> None:
    """However much was found, any beginning of the list has a share of what stands."""
    found = [ranked(f"f{n}", score=1 - n / 100) for n in range(40)]
    rows = [row(f"p{n:02}", "preferences") for n in range(40)]
    filled = packet(PacketInputs(found=found, standing=rows), by=rules(max_facts=10))
    assert ["f0", "p00", "f1", "p01", "f2", "p02", "f3", "p03", "f4", "p04"] == [
        one.id for one in filled.facts
    ]


@pytest.mark.spec("R7")
def test_what_stands_and_was_found_comes_once_with_its_score() -> None:
    """A preference that recall found keeps the place that recall gave it."""
    found = [ranked("p", "preferences", score=0.8), ranked("f", score=0.3)]
    filled = packet(PacketInputs(found=found, standing=[row("p", "preferences")]))
    assert [("p", 0.8), ("f", 0.3)] == [(one.id, one.score) for one in filled.facts]


def test_a_row_that_is_given_twice_enters_once() -> None:
    """The same memory does not take two places."""
    assert ["p"] == order([], [row("p", "preferences"), row("p", "preferences")])
