"""Why things enter, leave or change in a replay and between two contexts: the truth of each."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user
from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.evidence import Evidence, EvidencePack, Signals
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.errors import AdapterError

COMPOSITION = "policies.composition."
CONFIG: dict[str, Any] = {
    "recipes": {"own": {"slots": ["recent_turns", "evidence"], "recent_turns": 2}},
}
ASKED = ["What is the budget of order-service, and what does Alice prefer?", "王芳说预算是多少？"]
OVERRIDES: list[dict[str, Any]] = [
    *({f"{COMPOSITION}token_limit": limit} for limit in (150, 400, 1_200, 20_000)),
    *({f"{COMPOSITION}evidence_max_items": most} for most in (0, 1)),
    *({f"{COMPOSITION}recent_turns_max": most} for most in (0, 2)),
    {f"{COMPOSITION}max_snippet_chars": 80},
    {f"{COMPOSITION}system_blocks_max_tokens": 10},
    {f"{COMPOSITION}tell_budget": True},
    {f"{COMPOSITION}diversity.by_document": 1},
    {"recall.profile": "source"},
    {"recall.graph.enabled": False},
    {"packet.max_episodes": 1},
    *({"recipe": name} for name in ("standard", "chat", "tool_loop", "own")),
]


class Documents:
    """Documents that answer every plan with the same sections, until they fail."""

    fails = False

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return three sections."""
        if self.fails:
            raise AdapterError("the disk is gone", code="io")
        sections = [
            Evidence(
                id=f"s{number}",
                document_id="d",
                section_id=f"d-{number}",
                title="Handbook 手册",
                source_uri=f"file:///handbook-{number}.md",
                snippet=f"The budget 预算 of order-service, part {number}. Alice, 王芳。",
                signals=Signals(rrf_score=1 / number),
            )
            for number in (1, 2, 3)
        ]
        at = datetime(2001, 1, 1, tzinfo=UTC)
        return EvidencePack(generated_at=at, evidences=tuple(sections))


def told(path: Path, resources: Documents | None = None) -> SmartBrain:
    """Open a brain that was told much of the same in three sessions."""
    with fake_brain(path, **CONFIG) as brain:
        for number in range(18):
            said = f"第{number}次会议：王芳说 order-service 的预算是 {number} 万。"
            said += f" The budget is {number}. Alice prefers tea {number}. I like jazz {number}."
            answer = assistant(f"好的，第{number}次。Noted {number}.")
            brain.commit_turn(f"s{number % 3}", [user(said), answer])
    brain = SmartBrain.open(path, "t", CONFIG, resources=resources)
    turn = brain.sessions.turns("s1")[0].id
    brain.pins.add("constraint", "预算", "The budget is 90.", f"chat:{turn}")
    brain.plan.add("s1", "Call Alice. 打电话。")
    brain.fastmemo.add("user", "Short answers. 简短。")
    return brain


def changes(diff: ContextDiff) -> list[Any]:
    """Return everything that differs."""
    return [*diff.entered, *diff.left, *diff.moved, *diff.resized]


@pytest.mark.spec("S6", "R1")
@pytest.mark.parametrize("message", ASKED)
@pytest.mark.parametrize("resources", [None, Documents()])
def test_everything_that_differs_says_why(
    tmp_path: Path, message: str, resources: Documents | None
) -> None:
    """No entry is without a code and a sentence, and none is said to be of a source it is not."""
    with told(tmp_path, resources) as brain:
        made = [
            brain.compose_context("s1", message, recipe=recipe, token_limit=limit).context_id
            for recipe in ("standard", "chat")
            for limit in (None, 400)
        ]
        diffs = [brain.replay(one, each) for one in made for each in OVERRIDES]
        diffs += [brain.diff(one, other) for one in made for other in made]
        diffs += [brain.diff(made[0], brain.compose_context("s2", "你好 hello").context_id)]
    assert {"evidence", "recent_turns", "pins", "plan", "system_blocks"} <= {
        one.slot for diff in diffs for one in changes(diff)
    }
    for one in (one for diff in diffs for one in changes(diff)):
        assert one.why is not None, one
        assert one.why.code
        assert one.why.reason
    entered = [one for diff in diffs for one in diff.entered if one.slot == "evidence"]
    memories = [one.why.reason for one in entered if one.id.startswith("mem_") and one.why]
    assert memories
    assert not [one for one in memories if "documents" in one]


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ASKED)
def test_what_enters_has_the_reason_that_composing_it_gives(tmp_path: Path, message: str) -> None:
    """A memory that had no place is brought by the same cue, composed or replayed."""
    with told(tmp_path) as brain:
        few = brain.compose_context("new", message, token_limit=300).context_id
        replayed = brain.replay(few, {f"{COMPOSITION}token_limit": 8_192})
        composed = brain.diff(few, brain.compose_context("new", message).context_id)
    reasons = [
        {one.id: (one.why.code, one.why.reason) for one in each.entered if one.why}
        for each in (replayed, composed)
    ]
    assert reasons[0] == reasons[1] != {}


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ASKED)
def test_an_older_trace_says_of_a_memory_that_it_was_found(tmp_path: Path, message: str) -> None:
    """Where it was not kept why a memory came to mind, it is not said to be of documents."""
    most = f"{COMPOSITION}evidence_max_items"
    with told(tmp_path) as brain:
        context = brain.compose_context("new", message, token_limit=300).context_id
        brain.explain(context)
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            trace = rows.working.trace(context)
            assert trace is not None
            trace.body["inputs"]["known"] = []
            rows.working.put_trace(replace(trace, body=trace.body))
        same = brain.replay(context, {})
        diff = brain.replay(context, {f"{COMPOSITION}token_limit": 8_192, most: 30})
    assert same.same
    entered = [one.why.reason for one in diff.entered if one.slot == "evidence" and one.why]
    assert entered
    assert not [one for one in entered if "documents" in one]


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ASKED)
def test_turns_that_leave_say_whether_it_is_the_room_or_the_number(
    tmp_path: Path, message: str
) -> None:
    """Every turn has its reason, not the one alone at which the room has ended."""
    with told(tmp_path) as brain:
        context = brain.compose_context("s1", message).context_id
        narrow = brain.replay(context, {f"{COMPOSITION}token_limit": 150}).left
        few = brain.replay(context, {f"{COMPOSITION}recent_turns_max": 2}).left
    codes = [
        {one.why.code for one in left if one.slot == "recent_turns" and one.why}
        for left in (narrow, few)
    ]
    assert [{"over_budget"}, {"turns_max"}] == codes


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ASKED)
def test_the_limit_of_then_is_what_an_override_is_held_against(
    tmp_path: Path, message: str
) -> None:
    """A context composed with a limit of its own is replayed under the limit of the rules."""
    with told(tmp_path) as brain:
        context = brain.compose_context("s1", message, token_limit=300).context_id
        diff = brain.replay(context, {f"{COMPOSITION}token_limit": 8_192})
    assert (300, 8_192) == (diff.limit.before, diff.limit.after)
    assert diff.entered


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ASKED)
def test_what_a_search_misses_says_what_became_of_it(tmp_path: Path, message: str) -> None:
    """A memory that was taken back since, documents that are off or fail: each is told as that."""
    off = {"policies.retrieval.enable_resource_retrieval": False}
    documents = Documents()
    with told(tmp_path, documents) as brain:
        value = {"subject": "order-service", "attribute": "budget 预算", "value": "777 王芳 Alice"}
        put = brain.memories.put("facts", "fact:order-service:budget", value)
        fact = put.memory_written.items[0].id
        made = brain.compose_context("new", message)
        assert {fact, "s1"} <= {one.id for one in made.evidence}
        brain.memories.retract(fact)
        without = brain.replay(made.context_id, off)
        documents.fails = True
        failed = brain.replay(made.context_id, {"recall.graph.enabled": False})
    why = {one.id: one.why.code for one in without.left if one.why}
    assert ("retracted", "disabled") == (why[fact], why["s1"])
    lost = {one.id: one.why for one in failed.left if one.why}
    assert lost["s1"].code in {one.code for one in failed.notes}
