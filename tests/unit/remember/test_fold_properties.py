"""Whatever is claimed: arrival order changes nothing, and a step comes to what all claims do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from claim_builders import about, as_stored, at, editor, event, fact, fold, rows, task
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from smartbrain.domain.claim import Claim, Say, Source

Build = Callable[[st.DrawFn, float, Say], Claim]
OWNERS = ("Ann Lee", "ann lee", "Bob Ray", "李雷", "韩梅梅", "李雷。")
EDITORS = ("vim", "Vim", "emacs", "向日葵编辑器", "记事本")
FACTS = {
    "home": ("Oslo", "上海", "Shanghai"),
    "pet": ("a dog", "a dog called Rex", "一只橘猫", "no pets"),
    "allergy": ("eggs", "对花生过敏", "peanuts"),
    "birthday": ("1990", "5月6号", "May 7"),
}
TITLES = ("buy milk", "buy oat milk", "write the budget report", "写季度周报", "交季度周报", "周报")
MEETINGS = ("design review", "和设计团队的启动会", "meeting", "开会")


def _draw_fact(draw: st.DrawFn, day: float, say: Say) -> Claim:
    return fact(draw(st.sampled_from(OWNERS)), day, say=say)


def _draw_editor(draw: st.DrawFn, day: float, say: Say) -> Claim:
    return editor(draw(st.sampled_from(EDITORS)), day, say=say)


def _draw_about(draw: st.DrawFn, day: float, say: Say) -> Claim:
    name = draw(st.sampled_from(sorted(FACTS)))
    values = FACTS[name] if say is Say.ASSERT else (*FACTS[name], "")
    return about(name, draw(st.sampled_from(values)), day, say=say)


def _draw_task(draw: st.DrawFn, day: float, say: Say) -> Claim:
    title = draw(st.sampled_from(TITLES))
    if say is Say.ASSERT and draw(st.booleans()):
        return task(title, day, draw(st.sampled_from(("doing", "blocked", "done"))))
    return task(title, day, say=say, **({"recurring": True} if draw(st.booleans()) else {}))


def _draw_event(draw: st.DrawFn, day: float, say: Say) -> Claim:
    date = (at(day) + timedelta(days=draw(st.integers(0, 4)))).date().isoformat()
    return event(draw(st.sampled_from(MEETINGS)), date, day, say=say)


BUILDERS: dict[str, Build] = {
    "facts": _draw_fact,
    "preferences": _draw_editor,
    "profile": _draw_about,
    "tasks": _draw_task,
    "events": _draw_event,
}


@st.composite
def claim_lists(draw: st.DrawFn, type_name: str, *, anybody: bool = False) -> list[Claim]:
    """Build what is said of one thing, day by day; some of it holds only for a while."""
    said = []
    for number in range(draw(st.integers(1, 9))):
        says = (Say.ASSERT, Say.ASSERT, Say.ASSERT, Say.END, *((Say.WRONG,) if anybody else ()))
        made = BUILDERS[type_name](draw, number, draw(st.sampled_from(says)))
        if made.say is Say.ASSERT and draw(st.integers(0, 4)) == 0:
            made = replace(made, until=at(number + draw(st.integers(1, 5)) - 0.5))
        if anybody and made.say is Say.ASSERT:
            made = replace(made, source=draw(st.sampled_from((Source.USER, *Source))))
            made = replace(made, detail={**made.detail, "corrects": draw(st.booleans())})
        said.append(replace(made, id=f"c{number}"))
    return said


@pytest.mark.spec("K2", "M4")
@pytest.mark.parametrize("type_name", BUILDERS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_order_of_arrival_changes_nothing(type_name: str, data: st.DataObject) -> None:
    """Of anybody's claims, whatever they say."""
    said = data.draw(claim_lists(type_name, anybody=True))
    arrived = data.draw(st.permutations(said))
    assert rows(fold(*said)) == rows(fold(*arrived))


@pytest.mark.spec("M4")
@pytest.mark.parametrize("type_name", BUILDERS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_at_most_one_version_of_a_memory_holds(type_name: str, data: st.DataObject) -> None:
    """The active one is the only one that is active; versions come in the order of their claims."""
    said = data.draw(claim_lists(type_name, anybody=True))
    folded = fold(*said)
    for chain in folded.chains:
        held = [one for one in chain.versions if one.status.value == "active"]
        assert held == ([chain.active] if chain.active else [])
        founders = [one.founder for one in chain.versions]
        assert founders == sorted(founders, key=lambda one: one.order if one else ())


@pytest.mark.spec("K2")
@pytest.mark.parametrize("type_name", BUILDERS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_step_comes_to_what_folding_everything_does(type_name: str, data: st.DataObject) -> None:
    """What the user asserts or ends is folded on top of what was folded before."""
    said = data.draw(claim_lists(type_name))
    cut = data.draw(st.integers(0, len(said)))
    chains = as_stored(fold(*said[:cut]).chains) if cut else []
    stepped = fold(*said[cut:], chains=chains) if said[cut:] else fold(*said)
    assert rows(fold(*said)) == rows(stepped)
