"""Contexts of the past through the facade: explained, compared, replayed, never learned again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, inside, user
from msgspec.structs import replace

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.evidence import Evidence, EvidencePack, Signals
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.errors import NotFound, UsageError

EN, ZH = "Where does Mara live now?", "豆豆最喜欢吃什么？"
TALK = {
    "parrot": ("My sister Mara adopted a parrot called Pico.", "How old is Pico?"),
    "lisbon": ("Mara lives in Lisbon now, near the river.", "Lisbon is a fine place."),
    "dog": ("我妹妹住在成都，她养了一只叫豆豆的柯基。", "豆豆听起来很可爱！"),
    "apple": ("豆豆今年三岁，最喜欢吃苹果。", "记住了。"),
    "mail": ("Mara wrote me that she looks for a flat.", "Flats are rare."),
}


def told(path: Path, **config: Any) -> SmartBrain:
    """Open a brain that was told things in several sessions, and is in the middle of one."""
    brain = fake_brain(path, **config)
    for session, (said, answer) in TALK.items():
        brain.commit_turn(session, [user(said), assistant(answer)])
    for number in range(3):
        brain.commit_turn("now", [user(f"Step {number}, 第 {number} 步。"), assistant("Done.")])
    return brain


def slots(changes: Any) -> set[str]:
    """Return the slots that changes are about."""
    return {one.slot for one in changes}


def tokens(diff: ContextDiff, slot: str) -> tuple[int, int]:
    """Return what a slot takes before and after."""
    return next((one.before, one.after) for one in diff.tokens if one.slot == slot)


class Documents:
    """Documents that answer every plan with the same sections."""

    def retrieve(self, plan: RetrievalPlan) -> EvidencePack:
        """Return two sections."""
        sections = [
            Evidence(
                id=f"s{number}",
                document_id="d",
                section_id=f"d-{number}",
                title="Guide",
                source_uri=f"file:///guide-{number}.md",
                snippet=f"Lisbon guide, part {number}. 里斯本指南。",
                signals=Signals(rrf_score=1 / number),
            )
            for number in (1, 2)
        ]
        return EvidencePack(
            generated_at=datetime(2001, 1, 1, tzinfo=UTC), evidences=tuple(sections)
        )


@pytest.mark.spec("S6", "R16")
@pytest.mark.parametrize(
    ("recipe", "message", "limit"),
    [
        ("standard", ZH, None),
        ("standard", EN, 200),
        ("chat", ZH, 260),
        ("tool_loop", EN, 900),
    ],
)
def test_a_replay_without_overrides_shows_the_same(
    tmp_path: Path, recipe: str, message: str, limit: int | None
) -> None:
    """Ranked, budgeted and rendered again, what was kept gives the same selection to the token."""
    state = {"system": "Be kind. 友善一点。", "developer": "JSON.", "tools": [{"name": "ls"}]}
    with told(tmp_path) as brain:
        package = brain.compose_context("now", message, state, recipe=recipe, token_limit=limit)
        brain.commit_turn("now", [user("Mara lives in Porto now. 豆豆最喜欢吃梨。")])
        diff = brain.replay(package.context_id, {})
    assert diff.same
    assert not diff.live
    assert diff.used.before == diff.used.after == package.constraints.token_budget.used_estimate
    assert all(one.before == one.after for one in diff.tokens)


@pytest.mark.spec("S6", "R15")
@pytest.mark.parametrize(
    ("recipe", "limit"), [("tool_loop", 4000), ("chat", 500), ("standard", 300)]
)
def test_a_step_with_everything_in_mind_is_replayed_the_same(
    tmp_path: Path, recipe: str, limit: int
) -> None:
    """Run, pins, plan, surface memory and the outcome of a call are kept as they were."""
    with told(tmp_path) as brain:
        run = brain.runs.start("now", goal="Find a flat. 找房子。")
        said = brain.sessions.turns("mail")[0].id
        pin = brain.pins.add("constraint", "房租", "The rent is 900.", f"chat:{said}").id
        brain.plan.add("now", "Call Mara. 给 Mara 打电话。")
        brain.fastmemo.add("user", "Likes short answers. 喜欢简短。")
        call = {"id": "c", "name": "ls", "args": {"p": "."}, "result": "file 文件\n" * 400}
        step = {"messages": [user("List them. 列出来。")], "tool_calls": [call]}
        turn = brain.commit_turn("now", step).turn_id
        package = brain.compose_context(
            "now", recipe=recipe, token_limit=limit, turn_id=turn, run_id=run
        )
        brain.pins.remove([pin])
        brain.runs.end(run)
        brain.commit_turn("now", [assistant("Here they are.")], turn_id=turn)
        diff = brain.replay(package.context_id, {})
    assert diff.same, diff.text()
    assert diff.used.before == diff.used.after
    assert package.recent_turns or package.tool_result


@pytest.mark.spec("S6", "R13")
def test_documents_are_replayed_from_what_they_answered(tmp_path: Path) -> None:
    """Memories and documents are put on one scale again, though no document is asked again."""
    told(tmp_path).close()
    with SmartBrain.open(tmp_path, "t", resources=Documents()) as brain:
        made = brain.compose_context("now", "Look up the sources on Lisbon and Mara.")
        assert {"memory", "resource"} == {one.source for one in made.evidence}
        first = made.context_id
        same = brain.replay(first, {})
        fewer = brain.replay(first, {"policies.composition.evidence_max_items": 2})
    assert same.same
    assert slots(fewer.left) == {"evidence"}
    assert not fewer.live


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", [EN, ZH])
def test_a_smaller_limit_says_what_leaves_and_why(tmp_path: Path, message: str) -> None:
    """Under a smaller limit things leave, each with a reason, and the tokens say by how much."""
    with told(tmp_path) as brain:
        context = brain.compose_context("now", message, token_limit=2000).context_id
        diff = brain.replay(
            context,
            {"policies.composition.token_limit": 256, "policies.composition.evidence_max_items": 1},
        )
    left = [one for one in diff.left if one.slot == "evidence"]
    assert left
    assert all(one.why is not None and one.why.reason for one in left)
    before, after = tokens(diff, "evidence")
    assert after < before
    assert (2000, 256) == (diff.limit.before, diff.limit.after)
    assert not diff.live
    assert diff == ContextDiff.from_dict(diff.to_dict())
    assert f"- evidence {left[0].place}. {left[0].id}" in diff.text()


@pytest.mark.spec("S6")
@pytest.mark.parametrize(
    ("message", "signal"),
    [
        ("Who is Mara, and what about flats and parrots?", "graph"),
        ("Where do 豆豆 and Mara live?", "weight"),
    ],
)
def test_other_weights_rank_what_was_kept(tmp_path: Path, message: str, signal: str) -> None:
    """What is kept, weighed otherwise, gives what composing under those weights gives."""
    names = ("text", "coverage", "graph", "weight", "session")
    weights = {f"recall.profiles.measured.{one}": float(one == signal) for one in names}
    with told(tmp_path, **{"policies.composition.evidence_max_items": 1}) as brain:
        context = brain.compose_context("now", message).context_id
        replayed = brain.replay(context, weights)
        brain.configure(weights)
        composed = brain.diff(context, brain.compose_context("now", message).context_id)
    assert [one.id for one in composed.entered] == [one.id for one in replayed.entered] != []
    assert [one.id for one in composed.left] == [one.id for one in replayed.left] != []
    assert not replayed.live


@pytest.mark.spec("S6")
def test_a_search_that_is_needed_runs_over_what_was_stored_then(tmp_path: Path) -> None:
    """With another way of searching, what came after the context is not found; the diff says so."""
    with told(tmp_path) as brain:
        context = brain.compose_context("now", EN).context_id
        later = brain.commit_turn("later", [user("Mara lives in Porto now, by the sea.")]).turn_id
        fresh = brain.compose_context("now", EN)
        diff = brain.replay(context, {"recall.graph.enabled": False})
    assert any(later in one.source_uri for one in fresh.evidence)
    assert diff.live
    assert {"searched_again", "as_it_stands"} == {one.code for one in diff.notes}
    assert "recall.graph.enabled" in diff.notes[0].reason
    assert all("Porto" not in one.text for one in diff.entered)


@pytest.mark.spec("S6", "R15")
def test_another_recipe_reads_the_turns_of_then(tmp_path: Path) -> None:
    """A recipe with fewer turns is shown those that were the last when it was composed."""
    own = {"recipes": {"brief": {"slots": ["recent_turns"], "recent_turns": 1}}}
    with told(tmp_path, **own) as brain:
        package = brain.compose_context("now", ZH)
        last = package.recent_turns[-1].turn_id
        brain.commit_turn("now", [user("One more. 再来一步。")])
        diff = brain.replay(package.context_id, {"recipe": "brief"})
        loop = brain.replay(package.context_id, {"recipe": "tool_loop"})
    gone = {one.id for one in diff.left if one.slot == "recent_turns"}
    assert {one.turn_id for one in package.recent_turns[:-1]} == gone
    assert last not in gone
    assert () == diff.entered
    assert diff.live
    assert {"recipe"} == {one.why.code for one in loop.left if one.why}


@pytest.mark.spec("S6")
@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"policies.composition.tokenlimit": 300}, "token_limit"),
        ({"policies.composition.token_limit": "many"}, "token_limit"),
        ({"policies.retention.summarize_after_turns": 3}, "no say in what a context shows"),
        ({"recall.vector.embedders": ["x"]}, "fixed when a brain is opened"),
        ({"recipe": "chatt"}, "did you mean 'chat'"),
        (["recipe"], "a dict of names and values"),
    ],
)
def test_a_wrong_override_is_refused_by_name(tmp_path: Path, overrides: Any, words: str) -> None:
    """An override that is unknown, impossible or without effect names itself."""
    with told(tmp_path) as brain:
        context = brain.compose_context("now", EN).context_id
        with pytest.raises(UsageError, match=words):
            brain.replay(context, overrides)


def renumbered(value: Any, num: int) -> Any:
    """Return the body of a trace in which a memory has a number that there is not."""
    if isinstance(value, dict):
        return {name: renumbered(item, num) for name, item in value.items()}
    if isinstance(value, list):
        return [renumbered(item, num) for item in value]
    return 10**12 if value == num and value is not True else value


@pytest.mark.spec("S6")
@pytest.mark.parametrize(
    ("message", "words"),
    [(EN, ("near the river", "fine place")), (ZH, ("喜欢吃苹果", "听起来很可爱"))],
)
def test_a_trace_keeps_no_words_that_are_stored(
    tmp_path: Path, message: str, words: tuple[str, ...]
) -> None:
    """What was said is read where it is stored; what is not there any more is said to be gone."""
    with told(tmp_path) as brain:
        package = brain.compose_context("now", message)
        assert brain.replay(package.context_id, {}).same
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            trace = rows.working.trace(package.context_id)
            assert trace is not None
            kept = json.dumps(trace.body, ensure_ascii=False)
            named = package.evidence[0].id
            num = rows.followed.numbers([named])[named]
            inputs = renumbered(trace.body["inputs"], num)
            rows.working.put_trace(replace(trace, body={**trace.body, "inputs": inputs}))
        diff = brain.replay(package.context_id, {})
    assert all(one in package.text() and one not in kept for one in words)
    assert ["forgotten"] == [one.code for one in diff.notes]


@pytest.mark.spec("S6")
def test_two_contexts_can_be_compared(tmp_path: Path) -> None:
    """What the one shows and the other does not, and the message that differs."""
    with told(tmp_path) as brain:
        first, second = (brain.compose_context("now", one) for one in (EN, ZH))
        diff = brain.diff(first.context_id, second.context_id)
        same = brain.diff(first.context_id, first.context_id)
        elsewhere = brain.compose_context("dog", ZH).context_id
        notes = brain.diff(first.context_id, elsewhere).notes
    ids = [{one.id for one in each.evidence} for each in (first, second)]
    assert ids[1] - ids[0] == {one.id for one in diff.entered if one.slot == "evidence"}
    assert "user_message" in slots(diff.resized)
    assert second.context_id == diff.other_id
    assert same.same
    assert ["other_session"] == [one.code for one in notes]


@pytest.mark.spec("S1", "S6")
@pytest.mark.parametrize("message", [EN, ZH])
def test_a_context_explains_itself(tmp_path: Path, message: str) -> None:
    """Plan, choice, what was left out and the budget by slot, each with code and sentence."""
    with told(tmp_path) as brain:
        package = brain.compose_context("now", message, {"mode": "plan"}, token_limit=400)
        why = brain.explain(package.context_id)
    context = why.context
    assert context is not None
    assert package.context_id == why.context_id == context.ids["context_id"]
    assert message == context.message
    assert context.plan is not None
    assert package.debug.why_selected == context.selected
    chosen = [one.id for one in context.selected if one.type == "evidence"]
    assert [one.id for one in package.evidence] == chosen
    assert why.reason.startswith(f"evidence: {len(chosen)} chosen, ")
    assert context.left
    assert all(one.code and one.reason for one in why.trail)
    assert (400, package.constraints.token_budget.used_estimate) == (context.limit, context.used)
    assert sum(one.tokens for one in context.budget) <= context.used
    assert "user_message" == context.budget[-1].slot
    assert why == Explanation.from_dict(why.to_dict())


@pytest.mark.spec("S6")
def test_what_was_not_kept_is_named(tmp_path: Path) -> None:
    """Without plans and contexts the budget is explained still; a replay says what is lacking."""
    policies = {"observability": {"store_plans": False, "store_contexts": False}}
    with told(tmp_path / "a", policies=policies) as brain:
        context = brain.compose_context("now", EN).context_id
        why = brain.explain(context).context
        for act in (lambda: brain.replay(context, {}), lambda: brain.diff(context, context)):
            with pytest.raises(NotFound, match="store_contexts"):
                act()
        with inside(brain) as rows:
            trace = rows.working.trace(context)
        with pytest.raises(NotFound, match="kept for 30 days"):
            brain.explain("nobody")
    assert why is not None
    assert ("plan", "context") == why.not_kept
    assert why.budget
    assert trace is not None
    assert "near the river" not in str(trace.body)
    with told(tmp_path / "b", policies={"observability": {"trace": False}}) as brain:
        context = brain.compose_context("now", EN).context_id
        with pytest.raises(NotFound, match=r"observability\.trace is false"):
            brain.explain(context)


@pytest.mark.spec("S1")
def test_explain_takes_one_thing(tmp_path: Path) -> None:
    """A context and a turn at once are refused."""
    with (
        told(tmp_path) as brain,
        pytest.raises(UsageError, match="explain takes either context_id"),
    ):
        brain.explain("c", turn_id="t")


@pytest.mark.spec("C11", "E1")
@pytest.mark.parametrize(("named", "trace"), [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize(
    ("said", "question", "new"),
    [
        (
            "We decided to use FastAPI for the api project.",
            "What did we decide for the api?",
            "We decided to use PostgreSQL for the billing project.",
        ),
        ("我们决定用 Redis 做缓存。", "我们决定用什么做缓存？", "我们决定用 MySQL 做数据库。"),
    ],
)
def test_what_a_context_showed_is_not_learned_again(
    tmp_path: Path, said: str, question: str, new: str, *, named: bool, trace: bool
) -> None:
    """The assistant repeats what it was shown: no memory, no frequency; nor of its own words."""
    config = {"policies.observability.trace": trace}
    with fake_brain(tmp_path, **config) as brain:
        brain.commit_turn("long ago", [user(said)])
        (before,) = brain.memories.list(type="decisions").items
        package = brain.compose_context("s", question)
        context = package.context_id if named else None
        assert said in package.text()
        answer = [user(question), assistant(f"{said} {new}")]
        brain.commit_turn("s", answer, context_id=context)
        after = {one.key: one.frequency for one in brain.memories.list(type="decisions").items}
        report = run_again(brain)
    assert {before.key: before.frequency} == after
    assert report.identical


@pytest.mark.spec("C11", "E1")
def test_an_echo_is_known_after_its_trace_is_gone(tmp_path: Path) -> None:
    """In another process the trace tells; events run again the same when no trace is left."""
    said, question = "我们决定用 Redis 做缓存。", "我们决定用什么做缓存？"
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("long ago", [user(said)])
        brain.compose_context("s", question)
    with fake_brain(tmp_path, seed=2) as brain:
        brain.commit_turn("s", [user(question), assistant(said)])
        (kept,) = brain.memories.list(type="decisions").items
        with brain._lease() as tenant, tenant.ports.truth.write() as rows:
            assert 1 == rows.composed.prune_traces(datetime(2100, 1, 1, tzinfo=UTC), 0, 0)
        report = run_again(brain)
    assert 1 == kept.frequency
    assert report.identical


def run_again(brain: SmartBrain) -> Any:
    """Run all events again and compare."""
    with brain._lease() as tenant:
        return check_replay(tenant, brain._root.rules)
