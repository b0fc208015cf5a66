"""Looking back at contexts whose limit is very small, or whose trace an older release wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user
from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.errors import NotFound, UsageError

EN, ZH = "Where does Mara live now?", "豆豆最喜欢吃什么？"
LIMIT = "policies.composition.token_limit"


def told(path: Path) -> SmartBrain:
    """Open a brain that was told two things."""
    brain = fake_brain(path)
    brain.commit_turn("m", [user("Mara lives in Lisbon now."), assistant("Noted.")])
    brain.commit_turn("d", [user("豆豆今年三岁，最喜欢吃苹果。"), assistant("记住了。")])
    return brain


def rewrite(brain: SmartBrain, context_id: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """Write the trace of a context again as an older release did."""
    brain.explain(context_id)
    with brain._lease() as tenant, tenant.ports.truth.write() as rows:
        trace = rows.working.trace(context_id)
        assert trace is not None
        body = dict(trace.body)
        change(body)
        rows.working.put_trace(replace(trace, body=body))


@pytest.mark.spec("S6", "R16")
@pytest.mark.parametrize("message", [EN, ZH])
def test_a_replay_takes_the_limits_that_composing_takes(tmp_path: Path, message: str) -> None:
    """A limit of a hundred tokens shows the same composed and replayed."""
    with told(tmp_path) as brain:
        large = brain.compose_context("now", message)
        small = brain.compose_context("now", message, token_limit=100)
        replayed = brain.replay(large.context_id, {LIMIT: 100})
        composed = brain.diff(large.context_id, small.context_id)
    assert 100 == replayed.limit.after
    assert composed.tokens == replayed.tokens
    assert [one.id for one in composed.left] == [one.id for one in replayed.left]


@pytest.mark.spec("S6", "R16")
@pytest.mark.parametrize("message", [EN, ZH])
def test_a_replay_names_the_smallest_limit_as_composing_does(tmp_path: Path, message: str) -> None:
    """A limit that is too small for the message fails with the same sentence in both."""
    with told(tmp_path) as brain:
        context = brain.compose_context("now", message).context_id
        with pytest.raises(UsageError, match="give a token_limit of at least") as composed:
            brain.compose_context("now", message, token_limit=3)
        with pytest.raises(UsageError) as replayed:
            brain.replay(context, {LIMIT: 3})
        least = int(str(composed.value).rsplit(" ", 1)[1])
        diff = brain.replay(context, {LIMIT: least})
    assert str(composed.value) == str(replayed.value)
    assert least == diff.limit.after


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", [EN, ZH])
def test_a_trace_of_an_older_form_says_so(tmp_path: Path, message: str) -> None:
    """What an older release kept of a context is refused in one line, whatever is asked of it."""
    with told(tmp_path) as brain:
        old, new = (brain.compose_context("now", message).context_id for _ in range(2))
        rewrite(brain, old, lambda body: body.pop("form"))
        for ask in (
            lambda: brain.explain(old),
            lambda: brain.replay(old, {LIMIT: 300}),
            lambda: brain.diff(new, old),
        ):
            with pytest.raises(NotFound, match=r"older version.*; compose again"):
                ask()
        assert new == brain.explain(new).context_id
