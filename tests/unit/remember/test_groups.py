"""What a new statement does to what is known: candidates through gate and board to rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from fold_brain import DAY, RULES, Brain, candidate, editor, port, profile, task

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Status
from smartbrain.domain.result import ConflictRule, RetentionAction


def owner(value: str, source: Source) -> Candidate:
    """Return who owns a service, as somebody says."""
    fact = {"subject": "支付服务", "attribute": "owner", "value": value}
    return candidate("facts", fact, source=source, confidence=0.6)


@pytest.fixture
def brain() -> Brain:
    """Return an empty tenant."""
    return Brain()


@pytest.mark.spec("C4", "M4")
def test_a_later_preference_takes_the_place_of_an_earlier_one(brain: Brain) -> None:
    """The earlier one is superseded, both keep their ranges, and edges lead along."""
    brain.say(editor("vim"))
    brain.clock.advance(days=1)
    outcome = brain.say(editor("emacs"))
    old, new = brain.history("pref:tools:editor")
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert old.valid_until == new.valid_since == new.said_at
    assert new.valid_until is None
    assert brain.edges(old, EdgeType.VERSION_NEXT) == [new.id]
    assert brain.edges(old, EdgeType.ACTIVE_OF) == [new.id]
    (conflict,) = outcome.conflicts
    assert (conflict.rule, conflict.fields) == (ConflictRule.OVERWRITE, ("value",))
    assert (conflict.active_id, conflict.other_id) == (new.id, old.id)


@pytest.mark.spec("C11")
def test_the_same_said_again_is_one_memory(brain: Brain) -> None:
    """It is said more often, and is surer; case and marks make no difference."""
    brain.say(editor("vim"))
    outcome = brain.say(editor("Vim!"))
    (memory,) = brain.history("pref:tools:editor")
    assert memory.frequency == 2
    assert memory.confidence > 0.8
    assert [one.action for one in outcome.retention] == [RetentionAction.MERGED]
    assert not outcome.written


@pytest.mark.spec("M4")
def test_an_older_statement_that_arrives_late_takes_its_place_in_the_past(brain: Brain) -> None:
    """What stands goes on standing; the chain is in the order of the statements' own times."""
    now = brain.clock()
    brain.say(editor("vim"), at=now - 9 * DAY)
    brain.say(editor("emacs"), at=now - DAY)
    outcome = brain.say(editor("nano"), at=now - 5 * DAY)
    first, middle, last = brain.history("pref:tools:editor")
    assert [m.value["value"] for m in (first, middle, last)] == ["vim", "nano", "emacs"]
    assert [m.status for m in (first, middle, last)] == [
        Status.SUPERSEDED,
        Status.SUPERSEDED,
        Status.ACTIVE,
    ]
    assert [first.valid_until, middle.valid_until] == [middle.said_at, last.said_at]
    assert brain.edges(first, EdgeType.VERSION_NEXT) == [middle.id]
    assert brain.edges(middle, EdgeType.VERSION_NEXT) == [last.id]
    assert brain.edges(middle, EdgeType.ACTIVE_OF) == [last.id]
    assert outcome.retention[0].code == "older_than_active"


@pytest.mark.spec("M4")
def test_versions_come_out_by_their_own_times_whatever_order_they_arrive_in(brain: Brain) -> None:
    """Every order of arrival gives the same chain."""
    now = brain.clock()
    names = ["a1", "b2", "c3", "d4"]
    for place in (2, 0, 3, 1):
        brain.say(editor(names[place]), at=now - (9 - place) * DAY)
    chain = brain.history("pref:tools:editor")
    assert [memory.value["value"] for memory in chain] == names
    assert [memory.status for memory in chain] == [Status.SUPERSEDED] * 3 + [Status.ACTIVE]
    for one, after in pairwise(chain):
        assert brain.edges(one, EdgeType.VERSION_NEXT) == [after.id]
        assert brain.edges(one, EdgeType.ACTIVE_OF) == [chain[-1].id]
        assert one.valid_until == after.said_at


@pytest.mark.spec("C4", "C11")
def test_a_correction_retracts_what_was_wrong(brain: Brain) -> None:
    """The wrong value leaves a tombstone: a tool cannot bring it back, the user can."""
    brain.say(port("5433"))
    outcome = brain.say(port("5434", corrects=True))
    wrong, right = brain.history("fact:测试库:port")
    assert (wrong.status, right.status) == (Status.RETRACTED, Status.ACTIVE)
    assert outcome.conflicts[0].rule is ConflictRule.RETRACT
    again = brain.say(port("5433", source=Source.TOOL))
    assert [one.code for one in again.retention] == ["rejected_before"]
    brain.say(port("5433", corrects=True))
    active = brain.active("fact:测试库:port")
    assert active is not None
    assert active.value["value"] == "5433"


@pytest.mark.spec("C4")
def test_a_denial_retracts_what_it_denies(brain: Brain) -> None:
    """Nothing stands in its place; a denial of what nobody said is refused and says so."""
    brain.say(editor("vim"))
    deny = editor("vim", action=CandidateAction.RETRACT)
    outcome = brain.say(deny)
    assert brain.active("pref:tools:editor") is None
    assert [one.action for one in outcome.retention] == [RetentionAction.RETRACTED]
    assert [one.code for one in brain.say(deny).retention] == ["nothing_to_retract"]


@pytest.mark.spec("C4", "C11")
def test_a_correction_rejects_only_what_it_replaces(brain: Brain) -> None:
    """The rest of a profile stands, so that anybody may say it again."""
    brain.say(profile("name", "李雷"))
    brain.say(profile("city", "Oslo"))
    brain.say(replace(profile("city", "上海"), corrects=True))
    agent = {"source": Source.AGENT, "confirmed": True}
    same = brain.say(replace(profile("name", "李雷"), **agent))
    wrong = brain.say(replace(profile("city", "Oslo"), **agent))
    assert ["repeated"] == [one.code for one in same.retention]
    assert ["rejected_before"] == [one.code for one in wrong.retention]


@pytest.mark.spec("C5")
def test_of_two_facts_the_one_of_higher_priority_stands(brain: Brain) -> None:
    """A tool's word months later beats the user's; the two contradict each other both ways."""
    brain.say(port("5433"))
    brain.clock.advance(days=120)
    outcome = brain.say(port("5440", source=Source.TOOL, confidence=0.9))
    old, new = brain.history("fact:测试库:port")
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert brain.edges(old, EdgeType.CONTRADICTS) == [new.id]
    assert brain.edges(new, EdgeType.CONTRADICTS) == [old.id]
    assert outcome.conflicts[0].dimension == "source"
    assert not outcome.to_review


@pytest.mark.spec("C5")
@pytest.mark.parametrize("subject", ["测试库", "staging"])
def test_what_stands_contradicts_all_that_dispute_it(brain: Brain, subject: str) -> None:
    """Not only the one before it: both ways, with what sets the two apart."""
    told = {"subject": subject, "attribute": "owner"}
    for source, value in (
        (Source.DOCUMENT, "Ann"),
        (Source.AGENT, "Bob"),
        (Source.MODEL, "小李"),
    ):
        brain.say(candidate("facts", {**told, "value": value}, source=source, confidence=0.6))
        brain.clock.advance(minutes=1)
    versions = brain.history(f"fact:{subject}:owner")
    (stands,) = (one for one in versions if one.status is Status.ACTIVE)
    disputed = [one for one in versions if one.status is Status.DISPUTED]
    assert 2 == len(disputed)
    assert {one.id for one in disputed} == {*brain.edges(stands, EdgeType.CONTRADICTS)}
    for one in disputed:
        assert stands.id in brain.edges(one, EdgeType.CONTRADICTS)
    with brain.truth.read() as rows:
        found = rows.edges.of(stands.id, kind=EdgeType.CONTRADICTS)
    assert {"source"} == {edge.attrs["dimension"] for edge in found}


@pytest.mark.spec("C5", "K8")
def test_a_close_call_is_disputed_and_goes_to_review(brain: Brain) -> None:
    """A document against an agent; a narrower threshold decides what is close."""
    said, other = owner("Ann", Source.DOCUMENT), owner("Bob", Source.AGENT)
    brain.say(said)
    outcome = brain.say(other)
    old, new = brain.history("fact:支付服务:owner")
    loser, winner = sorted((old, new), key=lambda one: one.status is Status.ACTIVE)
    assert (loser.status, winner.status) == (Status.DISPUTED, Status.ACTIVE)
    assert outcome.to_review == [(winner.id, loser.id)]
    conflicts = replace(RULES.policies.conflicts, review_threshold=0.0)
    strict = replace(RULES, policies=replace(RULES.policies, conflicts=conflicts))
    again = Brain()
    again.say(said, rules=strict)
    assert not again.say(other, rules=strict).to_review


@pytest.mark.spec("K8")
@pytest.mark.parametrize("source", [Source.USER, Source.DOCUMENT])
def test_among_claims_of_one_source_the_later_stands(brain: Brain, source: Source) -> None:
    """Nothing is disputed: who said otherwise before has changed their mind."""
    brain.say(owner("Ann", source))
    outcome = brain.say(owner("小李", source))
    old, new = brain.history("fact:支付服务:owner")
    assert (old.status, new.status) == (Status.SUPERSEDED, Status.ACTIVE)
    assert not outcome.to_review


@pytest.mark.spec("C5")
def test_a_fact_said_often_is_not_overturned_by_one_voice(brain: Brain) -> None:
    """The newcomer is kept in the chain, and never held; what stands has no end."""
    for _ in range(6):
        brain.say(port("5433", source=Source.TOOL))
    brain.clock.advance(days=1)
    outcome = brain.say(port("9999", source=Source.AGENT))
    stood, lost = brain.history("fact:测试库:port")
    assert ("5433", Status.ACTIVE) == (stood.value["value"], stood.status)
    assert stood.valid_until is None
    assert lost.valid_until is not None
    assert outcome.retention[0].action is RetentionAction.SUPERSEDED


@pytest.mark.spec("K8")
def test_a_users_later_word_beats_any_source(brain: Brain) -> None:
    """However often a tool has said otherwise."""
    for _ in range(6):
        brain.say(port("5433", source=Source.TOOL))
    brain.say(port("9999"))
    active = brain.active("fact:测试库:port")
    assert active is not None
    assert "9999" == active.value["value"]


@pytest.mark.spec("C4", "M1")
def test_a_profile_replaces_only_the_attribute_that_is_spoken_of(brain: Brain) -> None:
    """The other facts of the profile stay."""
    brain.say(profile("role", "nurse"))
    brain.say(profile("city", "上海"))
    brain.say(profile("role", "doctor"))
    active = brain.active("profile:user")
    assert active is not None
    assert [(fact["k"], fact["v"]) for fact in active.value["facts"]] == [
        ("role", "doctor"),
        ("city", "上海"),
    ]
    assert len(brain.history("profile:user")) == 3


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("migrate the customer table", "migrating the customer table"),
        ("给客户王总回报价邮件", "给王总回报价邮件"),
    ],
)
def test_a_status_change_finds_its_task_in_other_words(brain: Brain, said: str, later: str) -> None:
    """The task that is known changes; no second one is made."""
    brain.say(task(said))
    outcome = brain.say(task(later, "done"))
    with brain.truth.read() as rows:
        tasks = rows.memories.page(type_name="tasks")
    ((_, memory),) = tasks
    assert (memory.value["title"], memory.value["status"]) == (said, "done")
    assert outcome.conflicts[0].fields == ("status",)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("said", "later", "count"),
    [
        ("plan a long trip to Porto", "plan a trip to Lagos", 2),
        ("plan a long trip to Porto", "plan a trip to Porto", 1),
        ("帮 Anna 订机票", "帮 Boris 订机票", 2),
    ],
)
def test_a_task_about_another_name_is_another_task(
    brain: Brain, said: str, later: str, count: int
) -> None:
    """Two trips to two places are two tasks, however alike they sound."""
    brain.say(task(said))
    brain.say(task(later, "doing"))
    with brain.truth.read() as rows:
        assert count == len(rows.memories.page(type_name="tasks"))


@pytest.mark.spec("C1")
def test_a_status_change_of_an_unknown_task_writes_it(brain: Brain) -> None:
    """With its status; another task with few words in common is left alone."""
    brain.say(task("write the rollback script"))
    brain.say(task("paint the garden fence", "done"))
    with brain.truth.read() as rows:
        found = {
            m.value["title"]: m.value["status"] for _, m in rows.memories.page(type_name="tasks")
        }
    assert found == {"write the rollback script": "todo", "paint the garden fence": "done"}


@pytest.mark.spec("C1")
def test_a_value_that_breaks_its_shape_is_refused_with_the_reason(brain: Brain) -> None:
    """Nothing is written, and the other candidates of the turn are not harmed."""
    wrong = candidate("tasks", {"project": "p", "title": "t", "status": "someday"})
    outcome = brain.say(wrong, editor("vim"))
    assert [one.action for one in outcome.retention] == [
        RetentionAction.REFUSED,
        RetentionAction.WRITTEN,
    ]
    assert "someday" in outcome.retention[0].reason


@pytest.mark.spec("C4", "K11")
@pytest.mark.parametrize("title", ["kickoff with the design team", "和设计团队的启动会"])
def test_an_event_that_is_moved_is_the_same_event(brain: Brain, title: str) -> None:
    """Its key keeps the first date, under which the later version stands."""
    event = {"scope": "general", "date": "2026-03-12", "title": title}
    brain.say(candidate("events", event))
    outcome = brain.say(candidate("events", {**event, "date": "2026-03-13"}, corrects=True))
    with brain.truth.read() as rows:
        events = [one for _, one in rows.memories.page(type_name="events", status=None)]
    assert 1 == len({one.key for one in events})
    assert {one.value["date"]: one.status for one in events} == {
        "2026-03-12": Status.SUPERSEDED,
        "2026-03-13": Status.ACTIVE,
    }
    assert [one.code for one in outcome.retention] == ["new_version"]


@pytest.mark.spec("M4")
def test_an_older_profile_fact_that_nobody_spoke_of_since_still_holds(brain: Brain) -> None:
    """It joins what stands; one that was replaced since stays in the past."""
    now = brain.clock()
    brain.say(profile("city", "Berlin"), at=now - DAY)
    brain.say(profile("role", "nurse"), at=now - 9 * DAY)
    brain.say(profile("city", "上海"), at=now - 5 * DAY)
    active = brain.active("profile:user")
    assert active is not None
    assert {fact["k"]: fact["v"] for fact in active.value["facts"]} == {
        "city": "Berlin",
        "role": "nurse",
    }
    assert [m.said_at for m in brain.history("profile:user")] == [
        now - 9 * DAY,
        now - 5 * DAY,
        now - DAY,
    ]


@pytest.mark.spec("M4")
def test_an_older_fact_of_several_joins_those_that_were_told_since(brain: Brain) -> None:
    """What one can have several of is not replaced by what came earlier, nor lost to it."""
    now = brain.clock()
    brain.say(profile("allergy", "对花生过敏"), at=now - DAY)
    brain.say(profile("allergy", "allergic to bees"), at=now - 9 * DAY)
    active = brain.active("profile:user")
    assert active is not None
    assert {"对花生过敏", "allergic to bees"} == {fact["v"] for fact in active.value["facts"]}
    assert [1, 2] == [len(m.value["facts"]) for m in brain.history("profile:user")]


@pytest.mark.spec("M4", "C4")
def test_an_older_denial_does_not_touch_what_was_said_since(brain: Brain) -> None:
    """What stands was said after it."""
    now = brain.clock()
    brain.say(editor("vim"), at=now - DAY)
    deny = editor("vim", action=CandidateAction.RETRACT)
    assert [one.code for one in brain.say(deny, at=now - 2 * DAY).retention] == [
        "older_than_active"
    ]
    assert brain.active("pref:tools:editor") is not None


@pytest.mark.spec("M4")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_a_value_that_came_back_has_two_versions(brain: Brain, order: tuple[int, ...]) -> None:
    """Vim, then emacs, then vim again."""
    now = brain.clock()
    names = ("vim", "emacs", "vim")
    for place in order:
        brain.say(editor(names[place]), at=now - (9 - place) * DAY)
    chain = brain.history("pref:tools:editor")
    assert [(m.value["value"], m.said_at) for m in chain] == [
        (name, now - (9 - place) * DAY) for place, name in enumerate(names)
    ]
    assert [m.status for m in chain] == [Status.SUPERSEDED, Status.SUPERSEDED, Status.ACTIVE]


@pytest.mark.spec("M4")
@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_was_said_last_stands_whatever_order_it_arrives_in(
    brain: Brain, order: tuple[int, ...]
) -> None:
    """Also where the same was said before and again after something else."""
    now = brain.clock()
    names = ("vim", "emacs", "nano", "emacs")
    for place in order:
        brain.say(editor(names[place]), at=now - (9 - place) * DAY)
    active = brain.active("pref:tools:editor")
    assert active is not None
    assert (active.value["value"], active.said_at) == ("emacs", now - 6 * DAY)


@pytest.mark.spec("C11", "M4")
def test_the_same_said_earlier_is_the_same_memory(brain: Brain) -> None:
    """It holds since the earlier time."""
    now = brain.clock()
    brain.say(editor("vim"), at=now - DAY)
    brain.say(editor("vim"), at=now - 5 * DAY)
    (memory,) = brain.history("pref:tools:editor")
    assert (memory.frequency, memory.valid_since) == (2, now - 5 * DAY)
