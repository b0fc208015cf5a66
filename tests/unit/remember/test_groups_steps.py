"""What is stored step by step is what folding all stored claims at once comes to."""

from __future__ import annotations

from typing import Any

import pytest
from claim_builders import rules_of
from fold_brain import DAY, Brain, candidate
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.remember.fold.fold import fold_claims

VALUES = {
    "facts": ("Ann Lee", "Bob Ray", "李雷", "李雷。"),
    "preferences": ("vim", "emacs", "记事本"),
    "profile": ("Oslo", "上海", "a dog", "一只橘猫"),
    "tasks": ("buy milk", "write the budget report", "写季度周报", "季度周报"),
}


def _value(draw: st.DrawFn, type_name: str) -> dict[str, Any]:
    value = draw(st.sampled_from(VALUES[type_name]))
    if type_name == "facts":
        attribute = draw(st.sampled_from(("owner", "port")))
        return {"subject": "支付", "attribute": attribute, "value": value}
    if type_name == "preferences":
        return {"scope": "tools", "name": "editor", "value": value}
    if type_name == "profile":
        name = draw(st.sampled_from(("home", "pet")))
        return {"subject": "user", "facts": [{"k": name, "v": value}]}
    status = draw(st.sampled_from(("todo", "doing", "done")))
    return {"project": "general", "title": value, "status": status}


@st.composite
def spoken_candidates(draw: st.DrawFn, type_name: str) -> Candidate:
    """Build something that somebody says; only the user takes something back or corrects it."""
    source = draw(st.sampled_from((Source.USER, Source.USER, Source.TOOL, Source.DOCUMENT)))
    users = source is Source.USER
    actions = (CandidateAction.WRITE,) * 4 + (CandidateAction.RETRACT,)
    fields: dict[str, Any] = {
        "source": source,
        "action": draw(st.sampled_from(actions)) if users else CandidateAction.WRITE,
        "corrects": users and draw(st.integers(0, 3)) == 0,
    }
    if draw(st.booleans()) and fields["action"] is CandidateAction.RETRACT:
        fields["text"] = "not any more 不再"
    return candidate(type_name, _value(draw, type_name), **fields)


def stored_rows(brain: Brain, type_name: str) -> dict[str, Any]:
    """Return what is stored of a type."""
    with brain.truth.read() as rows:
        found = [one for _, one in rows.memories.page(type_name=type_name, status=None, limit=999)]
    return {
        one.id: (one.key, one.value, one.status, one.valid_since, one.valid_until, one.frequency)
        for one in found
        if one.deleted_at is None
    }


def folded_rows(brain: Brain, type_name: str) -> dict[str, Any]:
    """Return what folding all claims of a type comes to."""
    with brain.truth.read() as rows:
        turns = [f"turn{number}" for number in range(1, brain.count + 1)]
        claims = [claim for turn in turns for claim in rows.claims.of_turn(turn)]
    groups = {claim.group for claim in claims}
    chains = [
        chain
        for group in groups
        for chain in fold_claims(
            [claim for claim in claims if claim.group == group], rules_of(type_name)
        ).chains
    ]
    return {
        one.id: (one.key, one.value, one.status, one.since, one.until, one.frequency)
        for chain in chains
        for one in chain.versions
    }


@pytest.mark.spec("K2", "M4")
@pytest.mark.parametrize("type_name", VALUES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_steps_store_what_all_claims_come_to(type_name: str, data: st.DataObject) -> None:
    """Whoever says it, also where a turn arrives late."""
    brain = Brain()
    for _ in range(data.draw(st.integers(1, 7))):
        brain.clock.advance(days=1)
        late = data.draw(st.sampled_from((0, 0, 0, 2.5)))
        brain.say(data.draw(spoken_candidates(type_name)), at=brain.clock() - late * DAY)
    assert folded_rows(brain, type_name) == stored_rows(brain, type_name)
