"""The rules of the fold, one test each: what one claim does to the memory it speaks of."""

from __future__ import annotations

import pytest
from claim_builders import (
    about,
    at,
    codes,
    decision,
    editor,
    event,
    fact,
    facts_held,
    fold,
    task,
    told,
)
from msgspec.structs import replace

from smartbrain.domain.claim import ClaimStatus, Say, Source
from smartbrain.domain.memory import NEVER, OVER, Status
from smartbrain.remember.fold.state import version_id
from smartbrain.remember.fold.worded import RECURRING

A, S, R, E, D = (
    Status.ACTIVE,
    Status.SUPERSEDED,
    Status.RETRACTED,
    Status.EXPIRED,
    Status.DISPUTED,
)
OWNER = "fact:支付_service:owner"


@pytest.mark.spec("K2")
@pytest.mark.parametrize("value", ["Ann Lee", "李雷"])
def test_the_first_claim_begins_a_memory(value: str) -> None:
    """Its version is named after it, and holds since it was said."""
    said = fact(value)
    folded = fold(said)
    ((chain),) = folded.chains
    assert [(OWNER, value, A)] == told(folded)
    assert chain.active is not None
    assert (version_id(said.id), at(0), None) == (
        chain.active.id,
        chain.active.since,
        chain.active.until,
    )


@pytest.mark.spec("C11")
@pytest.mark.parametrize(("value", "again"), [("Ann Lee", "ann lee!"), ("李雷", "李雷。")])
def test_the_same_said_again_is_counted(value: str, again: str) -> None:
    """One version, said twice, surer, and holding since the first time."""
    folded = fold(fact(value), fact(again, 3))
    assert [(OWNER, again, A)] == told(folded)
    (version,) = folded.chains[0].versions
    assert (2, at(0), at(3)) == (version.frequency, version.since, version.said_at)
    assert version.confidence > 0.8
    assert ["new", "repeated"] == codes(folded)


@pytest.mark.spec("K4", "C4")
@pytest.mark.parametrize(("first", "second"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_a_new_value_replaces_the_old_one(first: str, second: str) -> None:
    """The old one held until then."""
    folded = fold(fact(first), fact(second, 2))
    assert [(OWNER, first, S), (OWNER, second, A)] == told(folded)
    assert at(2) == folded.chains[0].versions[0].until
    (clash,) = folded.clashes
    assert ("new_version", ("value",)) == (clash.code, clash.fields)


@pytest.mark.spec("K9")
@pytest.mark.parametrize("values", [("vim", "emacs"), ("向日葵", "红色")])
def test_an_earlier_value_said_again_opens_a_new_version(values: tuple[str, str]) -> None:
    """It held twice."""
    folded = fold(editor(values[0]), editor(values[1], 1), editor(values[0], 2))
    assert [S, S, A] == [status for _, _, status in told(folded)]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(("wrong", "right"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_a_correction_says_that_the_old_value_never_was_so(wrong: str, right: str) -> None:
    """It is retracted, and nobody but the user can bring it back."""
    corrected = fact(right, 1, corrects=True)
    folded = fold(fact(wrong), corrected)
    assert [(OWNER, wrong, R), (OWNER, right, A)] == told(folded)
    assert NEVER in folded.chains[0].versions[0].tags
    again = fold(fact(wrong), corrected, fact(wrong, 2, source=Source.TOOL))
    assert "rejected_before" == codes(again)[-1]
    back = fold(fact(wrong), corrected, fact(wrong, 2))
    assert (OWNER, wrong, A) == told(back)[-1]


@pytest.mark.spec("K8")
@pytest.mark.parametrize(
    ("first", "second", "attribute", "stands"),
    [
        (Source.USER, Source.TOOL, "port", "b"),
        (Source.USER, Source.TOOL, "owner", "a"),
        (Source.USER, Source.AGENT, "port", "a"),
        (Source.USER, Source.DOCUMENT, "owner", "a"),
        (Source.TOOL, Source.USER, "port", "b"),
        (Source.AGENT, Source.OPERATION, "owner", "b"),
        (Source.DOCUMENT, Source.DOCUMENT, "owner", "b"),
    ],
)
def test_who_has_the_last_word(first: Source, second: Source, attribute: str, stands: str) -> None:
    """The user, always; a tool of what it observes; everybody over what they said themselves."""
    folded = fold(
        fact("a", attribute=attribute, source=first),
        fact("b", 1, attribute=attribute, source=second),
    )
    active = folded.chains[0].active
    assert active is not None
    assert stands == active.value["value"]


@pytest.mark.spec("C5")
@pytest.mark.parametrize(("one", "other"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_between_others_priority_elects(one: str, other: str) -> None:
    """A close call leaves the other disputed and goes to review; they contradict each other."""
    folded = fold(fact(one, source=Source.DOCUMENT), fact(other, 1, source=Source.AGENT))
    first, second = folded.chains[0].versions
    assert {A, D} == {first.status, second.status}
    assert folded.clashes[0].to_review
    ((winner, loser, dimension),) = folded.chains[0].opposed
    assert ({first.ref, second.ref}, "source") == ({winner.ref, loser.ref}, dimension)


@pytest.mark.spec("C5")
@pytest.mark.parametrize(("one", "other"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_a_verdict_elects_and_ends_the_dispute(one: str, other: str) -> None:
    """The version that a reviewer chose holds, whichever stood."""
    said = [fact(one, source=Source.DOCUMENT), fact(other, 1, source=Source.AGENT)]
    lost = next(v for v in fold(*said).chains[0].versions if v.status is D)
    verdict = fact(str(lost.value["value"]), 2, source=Source.OPERATION, elects=lost.id)
    folded = fold(*said, verdict)
    assert {A, S} == {status for _, _, status in told(folded)}
    active = folded.chains[0].active
    assert active is not None
    assert (lost.id, None) == (active.id, active.until)
    gone = fact("x", 3, elects="mem_nobody")
    assert "settled" == codes(fold(*said, gone))[-1]


@pytest.mark.spec("K9")
@pytest.mark.parametrize(
    ("value", "named"), [("Ann Lee", "ann lee"), ("李雷", "李雷"), ("Ann", ""), ("李雷", "")]
)
def test_an_end_closes_what_it_names_or_the_only_value(value: str, named: str) -> None:
    """It was so until then, and stays known as over."""
    folded = fold(fact(value), fact(named, 4, say=Say.END))
    (version,) = folded.chains[0].versions
    assert (S, at(4), (OVER,)) == (version.status, version.until, version.tags)
    assert folded.chains[0].active is None


@pytest.mark.spec("K9")
@pytest.mark.parametrize("say", [Say.END, Say.WRONG])
@pytest.mark.parametrize(("value", "named"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_an_ending_that_matches_nothing_closes_nothing(value: str, named: str, say: Say) -> None:
    """It is told so."""
    folded = fold(fact(value), fact(named, 1, say=say))
    assert [(OWNER, value, A)] == told(folded)
    assert ["new", "nothing_to_retract"] == codes(folded)


@pytest.mark.spec("K9")
@pytest.mark.parametrize(("first", "second"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_taking_back_what_ended_another_lets_that_hold_again(first: str, second: str) -> None:
    """As if it had never been said; an expired value is not revived."""
    said = [fact(first), fact(second, 1), fact(second, 2, say=Say.WRONG)]
    folded = fold(*said)
    assert [(OWNER, first, A), (OWNER, second, R)] == told(folded)
    assert folded.chains[0].versions[0].until is None
    lapsed = fold(replace(said[0], until=at(0.5)), *said[1:])
    assert [(OWNER, first, E), (OWNER, second, R)] == told(lapsed)


@pytest.mark.spec("K9")
@pytest.mark.parametrize(("first", "second"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_taking_back_an_older_value_leaves_what_stands(first: str, second: str) -> None:
    """The one that is named is retracted."""
    folded = fold(fact(first), fact(second, 1), fact(first, 2, say=Say.WRONG))
    assert [(OWNER, first, R), (OWNER, second, A)] == told(folded)


@pytest.mark.spec("K8", "C11")
@pytest.mark.parametrize("say", [Say.END, Say.WRONG])
@pytest.mark.parametrize("value", ["Ann Lee", "李雷"])
def test_only_the_user_brings_back_what_the_user_closed(value: str, say: Say) -> None:
    """Whatever others say again; a tool still says what it observes."""
    closed = [fact(value), fact(value, 1, say=say)]
    for source in (Source.TOOL, Source.AGENT, Source.ASSISTANT, Source.DOCUMENT):
        assert "rejected_before" == codes(fold(*closed, fact(value, 2, source=source)))[-1]
    assert (OWNER, value, A) == told(fold(*closed, fact(value, 2)))[-1]
    ended = [fact("80", attribute="port"), fact("80", 1, attribute="port", say=Say.END)]
    seen = fact("80", 2, attribute="port", source=Source.TOOL)
    assert "new" == codes(fold(*ended, seen))[-1]


@pytest.mark.spec("K3")
@pytest.mark.parametrize(
    ("values", "ended", "left"),
    [
        (("eggs", "peanuts", "花生"), "egg", ["peanut"]),
        (("鸡蛋", "牛奶"), "鸡蛋", ["milk"]),
    ],
)
def test_each_of_many_values_has_a_chain_of_its_own(
    values: tuple[str, ...], ended: str, left: list[str]
) -> None:
    """Named by its class in either language; an ending has to name its own."""
    said = [fact(value, day, attribute="allergy") for day, value in enumerate(values)]
    folded = fold(*said, fact("", 8, attribute="allergy", say=Say.END))
    assert all(status is A for _, _, status in told(folded))
    assert "nothing_to_retract" == codes(folded)[-1]
    folded = fold(*said, fact(ended, 9, attribute="allergy", say=Say.END))
    held = [chain.key for chain in folded.chains if chain.active is not None]
    assert [f"fact:支付_service:allergy:{name}" for name in left] == held


@pytest.mark.spec("K9")
@pytest.mark.parametrize("value", ["Ann Lee", "李雷"])
def test_a_value_expires_when_its_time_is_over(value: str) -> None:
    """Said again before that it holds on; what comes later begins anew."""
    held = fact(value, until=at(5))
    assert [A] == [status for _, _, status in told(fold(held, fact(value, 4, until=at(9))))]
    folded = fold(held, fact("x", 6))
    assert [E, A] == [status for _, _, status in told(folded)]
    assert ["new", "new"] == codes(folded)
    assert "nothing_to_retract" == codes(fold(held, fact(value, 6, say=Say.END)))[-1]


@pytest.mark.spec("K11")
@pytest.mark.parametrize(
    ("first", "second"), [("use Postgres", "use MySQL"), ("用 Postgres", "用 MySQL")]
)
def test_a_reason_belongs_to_its_decision(first: str, second: str) -> None:
    """Another decision does not inherit it; the same one said again keeps it."""
    because = "it is fast"
    folded = fold(decision(first, because=because), decision(second, 1))
    assert [S, A] == [status for _, _, status in told(folded)]
    (old, new) = folded.chains[0].versions
    assert (because, None) == (old.value.get("rationale"), new.value.get("rationale"))
    (same,) = fold(decision(first, because=because), decision(first, 1)).chains[0].versions
    assert because == same.value["rationale"]


@pytest.mark.spec("C1", "K11")
@pytest.mark.parametrize(
    ("title", "report"),
    [("migrate the customer table", "migrating the customer table"), ("写季度周报", "季度周报")],
)
def test_a_status_completes_the_task_that_it_speaks_of(title: str, report: str) -> None:
    """In other words, under the name it is known by; it is one task."""
    folded = fold(task(title), task(report, 1, "done"))
    (chain,) = folded.chains
    assert chain.active is not None
    assert (title, "done") == (chain.active.value["title"], chain.active.value["status"])
    assert [S, A] == [one.status for one in chain.versions]


@pytest.mark.spec("K11")
@pytest.mark.parametrize(
    ("titles", "report"),
    [
        (("write the budget report", "send the budget report"), "budget report"),
        (("写季度周报", "交季度周报"), "季度周报"),
    ],
)
def test_a_status_that_fits_two_open_tasks_changes_neither(
    titles: tuple[str, str], report: str
) -> None:
    """It is not known which is meant."""
    folded = fold(task(titles[0]), task(titles[1], 1), task(report, 2, "done"))
    assert "ambiguous" == codes(folded)[-1]
    assert ["todo", "todo"] == [c.active.value["status"] for c in folded.chains if c.active]


@pytest.mark.spec("C1", "K11")
@pytest.mark.parametrize("title", ["paint the fence", "刷围墙"])
def test_a_status_of_no_known_task_makes_it(title: str) -> None:
    """With the status; and an ending of a task that is not known ends nothing."""
    (chain,) = fold(task(title, 0, "done")).chains
    assert chain.active is not None
    assert "done" == chain.active.value["status"]
    assert ["nothing_to_retract"] == codes(fold(task(title, say=Say.END)))


@pytest.mark.spec("K11")
@pytest.mark.parametrize("title", ["water the plants", "给花浇水"])
def test_a_recurring_task_is_done_for_this_time(title: str) -> None:
    """It stays open, counts how often it was done, and is over only when it is ended."""
    said = [task(title, recurring=True), task(title, 1, "done"), task(title, 8, "done")]
    folded = fold(*said)
    (version,) = folded.chains[0].versions
    assert (A, 3, "todo", (RECURRING,)) == (
        version.status,
        version.frequency,
        version.value["status"],
        version.tags,
    )
    assert ["new", "occurrence_done", "occurrence_done"] == codes(folded)
    assert fold(*said, task(title, 9, say=Say.END)).chains[0].active is None


@pytest.mark.spec("K11")
@pytest.mark.parametrize("title", ["kickoff with the design team", "和设计团队的启动会"])
def test_an_event_told_before_its_day_is_moved(title: str) -> None:
    """The key keeps the first date; told after its day it is another event."""
    key = fold(event(title, "2026-03-12")).chains[0].key
    moved = fold(event(title, "2026-03-12"), event(title, "2026-03-13", 1))
    assert [(key, "2026-03-12", S), (key, "2026-03-13", A)] == told(moved, "date")
    again = fold(event(title, "2026-03-12"), event(title, "2026-03-20", 5))
    assert [A, A] == [status for _, _, status in told(again)]
    off = fold(event(title, "2026-03-12"), event(title, "2026-03-12", 1, say=Say.END))
    assert [S] == [status for _, _, status in told(off)]


@pytest.mark.spec("K3", "K4", "M1")
@pytest.mark.parametrize(
    ("old", "new", "pets"),
    [("Oslo", "Berlin", ("a dog", "a cat")), ("上海", "沈阳", ("一条狗", "一只猫"))],
)
def test_a_profile_is_folded_attribute_by_attribute(
    old: str, new: str, pets: tuple[str, str]
) -> None:
    """One value ends the other of its own attribute; many stand side by side, each with claims."""
    said = [about("home", old), about("pet", pets[0], 1), about("pet", pets[1], 2)]
    folded = fold(*said, about("home", new, 3))
    assert [("home", new), ("pet", pets[0]), ("pet", pets[1])] == facts_held(folded)
    active = folded.chains[0].active
    assert active is not None
    assert "profile:user" == active.key
    assert said[1].id in active.value["facts"][1]["claims"]
    assert [S, S, S, A] == [one.status for one in folded.chains[0].versions]


@pytest.mark.spec("K3")
def test_a_fact_that_is_said_often_names_its_first_claim_and_the_newest() -> None:
    """The profile does not grow by being told the same."""
    folded = fold(*(about("name", "李雷", day) for day in range(30)))
    (version,) = folded.chains[0].versions
    claims = version.value["facts"][0]["claims"]
    assert (30, 9) == (version.frequency, len(claims))
    assert [about("name", "李雷", day).id for day in (0, *range(22, 30))] == claims


@pytest.mark.spec("K9", "M1")
@pytest.mark.parametrize(("first", "second"), [("Google", "Netflix"), ("谷歌", "腾讯")])
def test_what_a_wrong_fact_of_a_profile_had_ended_holds_again(first: str, second: str) -> None:
    """An end leaves none; the rest of the profile stands either way."""
    said = [about("name", "Tom"), about("employer", first, 1), about("employer", second, 2)]
    wrong = fold(*said, about("employer", second, 3, say=Say.WRONG))
    assert [("name", "Tom"), ("employer", first)] == facts_held(wrong)
    over = fold(*said, about("employer", "", 3, say=Say.END))
    assert [("name", "Tom")] == facts_held(over)
    assert (
        "rejected_before"
        == codes(
            fold(
                *said,
                about("employer", "", 3, say=Say.END),
                about("employer", second, 4, source=Source.AGENT),
            )
        )[-1]
    )


@pytest.mark.spec("K9")
@pytest.mark.parametrize("value", ["on a diet", "吃素"])
def test_a_fact_of_a_profile_holds_until_its_time(value: str) -> None:
    """It is gone from the next version; the profile itself does not expire."""
    said = [about("name", "Tom"), about("diet", value, 1, until=at(3))]
    assert [("name", "Tom"), ("diet", value)] == facts_held(fold(*said))
    assert [("name", "Tom"), ("home", "Oslo")] == facts_held(fold(*said, about("home", "Oslo", 5)))
    active = fold(*said).chains[0].active
    assert active is not None
    assert at(3).isoformat() == active.value["facts"][1]["until"]


@pytest.mark.spec("K6")
@pytest.mark.parametrize("value", ["Ann Lee", "李雷"])
def test_a_candidate_counts_once_two_sessions_agree(value: str) -> None:
    """From the later time; refused and replaced claims never count."""
    waits = fact(value, status=ClaimStatus.CANDIDATE)
    assert [] == told(fold(waits, fact(value, 1, status=ClaimStatus.CANDIDATE)))
    later = fact(value, 2, status=ClaimStatus.CANDIDATE, session_id="other")
    (version,) = fold(waits, later).chains[0].versions
    assert at(2) == version.since
    for status in (ClaimStatus.REFUSED, ClaimStatus.REPLACED):
        assert [] == told(fold(fact(value, status=status)))


@pytest.mark.spec("K8")
@pytest.mark.parametrize(("old", "new"), [("Ann Lee", "Bob Ray"), ("李雷", "韩梅梅")])
def test_an_ending_comes_before_an_assertion_of_its_turn(old: str, new: str) -> None:
    """ "Not Ann but Bob" in either order of words."""
    end, begin = fact(old, 1, say=Say.END, start=9), fact(new, 1, start=0)
    assert [(OWNER, old, S), (OWNER, new, A)] == told(fold(fact(old), begin, end))
