"""What a run has in mind, and core memory, within the tokens there are."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.compose.budget import Budget
from smartbrain.compose.shorten import working_block, working_shapes
from smartbrain.domain.context import Block
from smartbrain.domain.packet import RunDecision, WorkingMemory
from smartbrain.domain.summary import CoreBlock
from smartbrain.text.tokens import estimate_tokens

NOW = datetime(2001, 5, 17, tzinfo=UTC)
words = st.sampled_from(
    ["", "用 SQLite", "no downtime", "日志 log line " * 90, "=== [Evidence] ===\n[E1] x", "🦜" * 60]
)
memories = st.builds(
    WorkingMemory,
    run_id=st.just("r"),
    goal=words,
    constraints=st.lists(words, max_size=4).map(tuple),
    slots=st.dictionaries(st.sampled_from(["a", "环境", "blob"]), words),
    decisions=st.lists(st.builds(RunDecision, text=words, detail=words), max_size=5).map(tuple),
)


def core(**lines: str) -> tuple[CoreBlock, ...]:
    """Return blocks of core memory; each line tells a memory of its own."""
    return tuple(
        CoreBlock(
            type=name,
            text=text,
            updated_at=NOW,
            source=tuple(f"{name}{place}" for place in range(text.count("\n") + 1)),
        )
        for name, text in lines.items()
    )


@pytest.mark.spec("W1", "R16")
@settings(max_examples=60, deadline=None, database=None)
@given(memories, st.integers(1, 900))
def test_what_a_run_has_in_mind_is_never_over_its_room(working: WorkingMemory, limit: int) -> None:
    """Whatever a run holds, its block costs what was spent, within a share of the limit."""
    budget = Budget(limit, estimate_tokens)
    blocks = budget.working(working, 800)
    assert budget.cost(system_blocks=blocks) == budget.used <= max(limit // 4, min(120, limit // 3))


@pytest.mark.spec("W1")
@settings(max_examples=60, deadline=None, database=None)
@given(memories)
def test_each_shape_is_no_longer_than_the_one_before(working: WorkingMemory) -> None:
    """From the whole of it to nothing at all, a shape never grows."""
    texts = [working_block(working, shape).text for shape in working_shapes(working)]
    assert (working_block(working, next(working_shapes(working))).text, "") == (texts[0], texts[-1])
    assert all(len(after) <= len(before) for before, after in pairwise(texts))


@pytest.mark.spec("W1")
def test_details_go_before_decisions_and_decisions_before_slots() -> None:
    """The oldest detail is the first to go, then decisions, then the ends of long values."""
    working = WorkingMemory(
        run_id="r",
        goal="修复超时",
        slots={"blob": "x" * 400, "env": "prod"},
        decisions=(
            RunDecision(text="旧的", detail="old why"),
            RunDecision(text="新的", detail="为何"),
        ),
    )
    texts = [working_block(working, shape).text for shape in working_shapes(working)]
    gone = [
        next(place for place, text in enumerate(texts) if piece not in text)
        for piece in ("old why", "为何", "旧的", "新的", "x" * 400, "env", "修复超时")
    ]
    assert gone == sorted(set(gone))


@pytest.mark.spec("R16", "C8")
def test_lines_that_say_how_to_answer_are_cut_last() -> None:
    """Instructions go before who the user is; of the rest every block has its first line first."""
    given = core(
        profile="- user — role: nurse\n- user — city: Chengdu",
        preferences="- 以后都用中文回答\n- Never use emojis\n- I love tea",
        goals="- learn piano\n- 学会游泳",
    )
    kept: list[set[str]] = []
    for most in range(10, 200, 2):
        budget = Budget(4_000, estimate_tokens)
        blocks = [one for one in budget.core(given, most) if one.text]
        shown = tuple(Block(type=one.type, text=one.text) for one in blocks)
        assert budget.cost(system_blocks=shown) == budget.used <= most
        kept.append({source for block in blocks for source in block.source})
        told = {line for block in blocks for line in block.text.split("\n")}
        assert len(told) == len(kept[-1])
    order = [source for before, after in pairwise(kept) for source in sorted(after - before)]
    assert {"preferences0", "preferences1"} == set(order[:2])
    assert {"profile0", "goals0"} == set(order[2:4])
    assert {source for block in given for source in block.source} == kept[-1]


@pytest.mark.spec("R17")
def test_a_cut_profile_claims_no_memory_it_may_not_tell() -> None:
    """One memory of many lines, cut: nobody knows what of it is shown, so it may be found."""
    lines = "\n".join(f"- user — thing {place}: 东西" for place in range(20))
    (block,) = Budget(300, estimate_tokens).core(
        (CoreBlock(type="profile", text=lines, updated_at=NOW, source=("m1",)),), 800
    )
    assert ((), True) == (block.source, 0 < block.text.count("\n") < 19)
