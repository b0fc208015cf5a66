"""Where resolving has to hold back: other memories, other voices, other times, near values."""

from __future__ import annotations

from itertools import pairwise

import pytest
from fold_brain import DAY, Brain, candidate, editor, port, profile

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Status
from smartbrain.domain.result import RetentionAction


@pytest.fixture
def brain() -> Brain:
    """Return an empty tenant."""
    return Brain()


def facts(brain: Brain) -> dict[str, str]:
    """Return what the active profile says."""
    active = brain.active("profile:user")
    return {} if active is None else {one["k"]: one["v"] for one in active.value["facts"]}


@pytest.mark.spec("M1", "C4")
@pytest.mark.parametrize("said", ["I no longer work at Google", "我不在 Google 工作了"])
def test_denying_one_attribute_leaves_the_rest_of_a_profile(brain: Brain, said: str) -> None:
    """The attribute is gone and cannot come back by itself; the others stand."""
    brain.say(profile("name", "Tom"))
    brain.say(profile("employer", "Google"))
    denied = candidate(
        "profile",
        {"subject": "user", "facts": [{"k": "employer", "v": "Google"}]},
        text=said,
        action=CandidateAction.RETRACT,
    )
    outcome = brain.say(denied)
    assert facts(brain) == {"name": "Tom"}
    assert [one.action for one in outcome.retention] == [RetentionAction.RETRACTED]
    guess = brain.say(
        candidate(
            "profile",
            {"subject": "user", "facts": [{"k": "employer", "v": "Google"}]},
            source=Source.TOOL,
        )
    )
    assert [one.code for one in guess.retention] == ["rejected_before"]
    brain.say(profile("employer", "Netflix"))
    assert facts(brain) == {"name": "Tom", "employer": "Netflix"}


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("C++", "C#"),
        ("1.10", "11.0"),
        ("v1.2", "v12"),
        ("<5", ">5"),
        ("10%", "10"),
        ("Alice manages Bob", "Bob manages Alice"),
        ("deploy on Friday", "do not deploy on Friday"),
        ("周五发布", "周五不发布"),
    ],
)
def test_values_that_only_look_alike_are_two(brain: Brain, first: str, second: str) -> None:
    """Each is a version of its own."""
    brain.say(port(first))
    brain.clock.advance(days=200)
    brain.say(port(second))
    assert [m.value["value"] for m in brain.history("fact:测试库:port")] == [first, second]


@pytest.mark.spec("M2")
def test_a_task_named_by_its_key_changes_no_other(brain: Brain) -> None:
    """However alike their titles are; the same holds for what a tool reports."""
    brain.say(keyed("task:alpha:t1", "Fix the login bug on Android", "todo"))
    brain.say(keyed("task:beta:t2", "Fix the login bug on iOS", "doing"))
    statuses = {
        key: brain.active(key).value["status"]  # type: ignore[union-attr]
        for key in ("task:alpha:t1", "task:beta:t2")
    }
    assert statuses == {"task:alpha:t1": "todo", "task:beta:t2": "doing"}


@pytest.mark.spec("C4")
def test_a_retraction_by_key_takes_back_nothing_else(brain: Brain) -> None:
    """Though the words of its reason fit another memory."""
    brain.say(port("postgres cluster"))
    outcome = brain.say(
        candidate(
            "facts",
            {"key": "fact:billing:owner"},
            text="the postgres cluster owner left",
            rule="proposal.retraction",
            action=CandidateAction.RETRACT,
        )
    )
    assert [one.code for one in outcome.retention] == ["nothing_to_retract"]
    assert brain.active("fact:测试库:port") is not None


@pytest.mark.spec("C3")
def test_a_guess_does_not_stand_against_the_user(brain: Brain) -> None:
    """It is refused and says why; what the user confirms is the user's."""
    said = {"project": "general", "topic": "database", "decision": "use Postgres"}
    brain.say(candidate("decisions", said))
    other = {**said, "decision": "use MySQL"}
    outcome = brain.say(candidate("decisions", other, source=Source.AGENT))
    assert [one.code for one in outcome.retention] == ["outweighed"]
    brain.say(candidate("decisions", other, source=Source.USER, confirmed=True))
    active = brain.active("decision:general:database")
    assert active is not None
    assert active.value["decision"] == "use MySQL"


@pytest.mark.spec("M4")
def test_what_was_denied_later_does_not_stand_when_it_arrives_late(brain: Brain) -> None:
    """It enters the past, up to its denial."""
    now = brain.clock()
    brain.say(editor("vim"), at=now - 5 * DAY)
    brain.say(editor("vim", action=CandidateAction.RETRACT), at=now - 2 * DAY)
    outcome = brain.say(editor("vim"), at=now - 9 * DAY)
    assert brain.active("pref:tools:editor") is None
    assert outcome.retention[0].code == "older_than_denial"


@pytest.mark.spec("M4")
def test_versions_are_tied_together_across_a_retraction(brain: Brain) -> None:
    """Each leads to the next, and each to the one that stands now, and nowhere else."""
    for name in ("vim", "emacs"):
        brain.say(editor(name))
        brain.clock.advance(days=1)
    brain.say(editor("emacs", action=CandidateAction.RETRACT))
    for name in ("nano", "ed"):
        brain.clock.advance(days=1)
        brain.say(editor(name))
    chain = brain.history("pref:tools:editor")
    for place, one in enumerate(chain[:-1]):
        assert brain.edges(one, EdgeType.VERSION_NEXT) == [chain[place + 1].id]
        assert brain.edges(one, EdgeType.ACTIVE_OF) == [chain[-1].id]


@pytest.mark.spec("C11")
def test_what_was_rejected_is_told_by_what_it_says_alone(brain: Brain) -> None:
    """The day on which a decision was made does not make it another one."""
    said = {
        "project": "p",
        "topic": "database",
        "decision": "use Postgres",
        "made_at": "2024-01-01",
    }
    brain.say(candidate("decisions", said))
    brain.say(candidate("decisions", said, action=CandidateAction.RETRACT))
    again = candidate("decisions", {**said, "made_at": "2024-06-01"}, source=Source.ASSISTANT)
    assert [one.code for one in brain.say(again).retention] == ["rejected_before"]


@pytest.mark.spec("M4")
def test_profile_facts_hold_until_somebody_spoke_of_them_again(brain: Brain) -> None:
    """Whatever order they arrive in."""
    now = brain.clock()
    brain.say(profile("name", "Tom"), at=now - DAY)
    brain.say(profile("employer", "Google"), at=now - 9 * DAY)
    brain.say(profile("employer", "Netflix"), at=now - 5 * DAY)
    assert facts(brain) == {"name": "Tom", "employer": "Netflix"}


@pytest.mark.spec("C5", "M4")
def test_a_verdict_outlasts_what_was_said_before_it(brain: Brain) -> None:
    """What arrives late takes its place in the past; the fact that was chosen goes on standing."""
    now = brain.clock()
    brain.say(port("5433", source=Source.DOCUMENT), at=now - 9 * DAY)
    brain.say(port("5434", source=Source.AGENT), at=now - 8 * DAY)
    chain = brain.history("fact:测试库:port")
    (chosen,) = (one for one in chain if one.status is not Status.ACTIVE)
    brain.settle(chosen)
    outcome = brain.say(port("9999", source=Source.DOCUMENT), at=now - 20 * DAY)
    assert ["older_than_active"] == [one.code for one in outcome.retention]
    assert ["9999", "5433", "5434"] == [m.value["value"] for m in brain.history("fact:测试库:port")]
    active = brain.active("fact:测试库:port")
    assert active is not None
    assert chosen.id == active.id


@pytest.mark.spec("M4")
@pytest.mark.parametrize("place", range(12))
def test_a_value_in_a_long_past_leaves_the_rest_as_it_was(brain: Brain, place: int) -> None:
    """Only its neighbours change: the version before it ends, the one it splits is two."""
    now = brain.clock()
    times = [now - (30 - day) * DAY for day in range(12)]
    names = [("vim", "vim", "emacs", "nano")[day % 4] for day in range(12)]
    for name, at in zip(names, times, strict=True):
        brain.say(editor(name), at=at)
    before = {m.id: m for m in brain.history("pref:tools:editor")}
    brain.say(editor("ed"), at=times[place] + DAY / 2)
    other = Brain()
    told = [*zip(names, times, strict=True), ("ed", times[place] + DAY / 2)]
    for name, at in sorted(told, key=lambda one: one[1]):
        other.say(editor(name), at=at)
    chains = [one.history("pref:tools:editor") for one in (brain, other)]
    late, in_order = (
        [(m.value, m.status, m.said_at, m.valid_since, m.valid_until, m.frequency) for m in each]
        for each in chains
    )
    assert in_order == late
    assert 2 >= sum(m.id in before and m != before[m.id] for m in chains[0])


@pytest.mark.spec("M4", "C11")
@pytest.mark.parametrize("late", ["Google", "Apple"])
def test_versions_that_turn_out_to_be_one_are_one(brain: Brain, late: str) -> None:
    """A version that a late statement makes a repetition is not shown any more."""
    now = brain.clock()
    told = [("city", "Oslo"), ("employer", late), ("city", "Oslo"), ("employer", late)]
    for place in (1, 2, 3, 0):
        brain.say(profile(*told[place]), at=now - (9 - place) * DAY)
    chain = brain.history("profile:user")
    assert [1, 2] == [len(m.value["facts"]) for m in chain]
    assert [1, 3] == [m.frequency for m in chain]
    for one, after in pairwise(chain):
        assert brain.edges(one, EdgeType.VERSION_NEXT) == [after.id]
        assert brain.edges(one, EdgeType.ACTIVE_OF) == [chain[-1].id]


def keyed(key: str, title: str, status: str) -> Candidate:
    """Return a task that somebody names by its key."""
    value = {"key": key, "title": title, "status": status}
    return candidate("tasks", value, rule="operation.put")
