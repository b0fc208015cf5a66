"""Which versions may be recalled, now, at another time, and as history."""

from __future__ import annotations

import pytest
from recalled_rows import NOW, days_ago, ranked

from smartbrain.domain.memory import Status
from smartbrain.recall.guard import admit


def ids(found: object) -> list[str]:
    """Return the ids of what was admitted."""
    return [one.row.id for one in found]  # type: ignore[attr-defined]


@pytest.mark.spec("R3", "R7")
@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACTIVE])
def test_what_does_not_hold_is_refused_with_its_status(status: Status) -> None:
    """Every status but active is left out and says so; what once held comes back as history."""
    found = [ranked("住上海"), ranked("old", status=status)]
    kept, reasons = admit(found, as_of=None, now=NOW, history=False)
    assert ["住上海"] == ids(kept)
    assert [(status.value, "old")] == [(one.code, one.id) for one in reasons]
    everything, _ = admit(found, as_of=None, now=NOW, history=True)
    was_held = ["old"] if status is not Status.CANDIDATE else []
    assert ["住上海", *was_held] == ids(everything)


@pytest.mark.spec("M4", "C11")
@pytest.mark.parametrize("status", [Status.RETRACTED, Status.SUPERSEDED])
def test_what_the_user_said_to_be_wrong_is_in_no_history(status: Status) -> None:
    """Nor is a turn that nothing else leads to; one that its words found is."""
    found = [
        ranked("杭州", status=status, never=True, source_turn_id="a"),
        ranked("led", "episodes", source_turn_id="a", found_by=("graph",)),
        ranked("found", "episodes", source_turn_id="a", found_by=("text", "graph")),
        ranked("beside", "episodes", source_turn_id="b", found_by=("graph",)),
    ]
    kept, reasons = admit(found, as_of=None, now=NOW, history=True)
    assert ["found", "beside"] == ids(kept)
    assert [("杭州", status.value), ("led", "retracted")] == [(one.id, one.code) for one in reasons]


@pytest.mark.spec("W3", "N3")
@pytest.mark.parametrize("status", list(Status))
def test_an_insight_that_nobody_validated_was_never_held(status: Status) -> None:
    """No status, no time and no asking for history admits it; one that was validated it does."""
    over = {"status": status, "valid_since": days_ago(9), "valid_until": days_ago(1)}
    found = [
        ranked("猜想 guess", "insights", value={"validated": False}, **over),
        ranked("bare", "insights", value={}, **over),
        ranked("seen", "insights", value={"validated": True}, **over),
    ]
    for as_of in (None, days_ago(5)):
        kept, reasons = admit(found, as_of=as_of, now=NOW, history=True)
        assert (["seen"] if status is not Status.CANDIDATE else []) == ids(kept)
        code = "candidate" if status is Status.CANDIDATE else "not_promoted"
        assert [("猜想 guess", code), ("bare", code)] == [(one.id, one.code) for one in reasons][:2]


@pytest.mark.spec("R7")
def test_what_is_outside_its_validity_is_refused() -> None:
    """What has ended, and what begins only later, is left out; the very end does not count."""
    found = [
        ranked("ended", valid_until=NOW),
        ranked("later", valid_since=days_ago(-1)),
        ranked("now", valid_since=days_ago(3), valid_until=days_ago(-3)),
    ]
    kept, reasons = admit(found, as_of=None, now=NOW, history=False)
    assert ["now"] == ids(kept)
    assert [("ended", "expired"), ("later", "not_yet_valid")] == [
        (one.id, one.code) for one in reasons
    ]


@pytest.mark.spec("R7")
def test_a_clock_that_runs_ahead_hides_nothing() -> None:
    """Something said in what we take for the future holds since it was said."""
    ahead = days_ago(-2)
    found = [ranked("ahead", said_at=ahead, valid_since=ahead)]
    assert ["ahead"] == ids(admit(found, as_of=None, now=NOW, history=False)[0])


@pytest.mark.spec("R3")
def test_another_time_has_the_version_that_held_then() -> None:
    """As of a time, the old version is admitted and the newer ones are not."""
    key = "fact:user:city"
    found = [
        ranked("上海", key=key, version=2, valid_since=days_ago(10), said_at=days_ago(10)),
        ranked(
            "北京",
            key=key,
            status=Status.SUPERSEDED,
            valid_since=days_ago(50),
            valid_until=days_ago(10),
            said_at=days_ago(50),
        ),
    ]
    for days, expected in ((20, ["北京"]), (5, ["上海"]), (10, ["上海"]), (60, [])):
        kept, reasons = admit(found, as_of=days_ago(days), now=NOW, history=False)
        assert expected == ids(kept), days
        assert 2 - len(expected) == len(reasons)


@pytest.mark.spec("R3")
def test_of_two_versions_that_held_the_later_one_is_admitted() -> None:
    """Where validities overlap, the version that began last stands for its key."""
    key = "fact:user:city"
    found = [
        ranked("first", key=key, valid_since=days_ago(50), said_at=days_ago(50)),
        ranked("second", key=key, version=2, valid_since=days_ago(40), said_at=days_ago(40)),
    ]
    kept, reasons = admit(found, as_of=days_ago(30), now=NOW, history=False)
    assert (["second"], ["superseded"]) == (ids(kept), [one.code for one in reasons])


@pytest.mark.spec("R3")
def test_what_is_disputed_since_another_took_its_place_held_until_then() -> None:
    """Of two that contradict each other the earlier one was the truth of its time."""
    old = ranked("x", status=Status.DISPUTED, valid_since=days_ago(50), valid_until=days_ago(10))
    never = ranked("y", status=Status.DISPUTED, valid_since=days_ago(50), key="fact:user:other")
    for days, expected in ((20, ["x"]), (5, [])):
        kept, _ = admit([old, never], as_of=days_ago(days), now=NOW, history=False)
        assert expected == ids(kept), days


@pytest.mark.spec("R3")
@pytest.mark.parametrize("status", [Status.RETRACTED, Status.CANDIDATE])
def test_what_was_never_right_does_not_hold_at_another_time(status: Status) -> None:
    """A version that was taken back or never confirmed held at no time."""
    wrong = ranked("x", status=status, valid_since=days_ago(50), valid_until=days_ago(10))
    kept, reasons = admit([wrong], as_of=days_ago(20), now=NOW, history=False)
    assert ([], [status.value]) == (kept, [one.code for one in reasons])
