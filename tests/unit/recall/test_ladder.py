"""The ladder: its steps, their order, and that limits hold for any input."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recalled_rows import ranked, row

from smartbrain.domain.memory import Compression
from smartbrain.domain.packet import LadderStep, Quote, ShortTerm, ShownTurn
from smartbrain.domain.policy import Rules
from smartbrain.domain.policy_recall import PacketRules
from smartbrain.recall.ladder import GROUPS, Candidate, Load, Why, group_limits, within_limits

_TYPES = {"facts": "facts", "procedures": "cases", "episodes": "episodes", "insights": "insights"}
_ORDER = [step.value for step in LadderStep]


def candidate(name: str, group: str = "facts", *, score: float = 0.5, **fields: Any) -> Candidate:
    """Build a candidate of a group."""
    own = {key: fields.pop(key) for key in ("level", "fades") if key in fields}
    one = ranked(name, _TYPES[group], score=score, **fields)
    return Candidate(source=one.row, why=Why("found", "found"), ranked=one, **own)


def many(count: int, group: str = "facts", **fields: Any) -> list[Candidate]:
    """Build candidates of a group, best first."""
    return [candidate(f"{group}-{n}", group, score=1 - n / 10_000, **fields) for n in range(count)]


def stm(turns: int, quotes: int) -> ShortTerm:
    """Build what a session has in mind."""
    return ShortTerm(
        summary="目标：发布",
        key_quotes=tuple(
            Quote(text=f"记住 {n}", source_turn_id=f"t{turns - n}") for n in range(quotes)
        ),
        window=tuple(ShownTurn(turn_id=f"t{n + 1}") for n in range(turns)),
    )


def fitted(
    groups: dict[str, list[Candidate]],
    session: ShortTerm | None = None,
    working: int = 0,
    **limits: Any,
) -> Load:
    """Bring groups within limits."""
    rules = Rules(packet=PacketRules(**limits))
    return within_limits(groups, session or ShortTerm(), working, rules=rules)


def ids(candidates: list[Candidate]) -> list[str]:
    """Return the ids of candidates."""
    return [one.source.id for one in candidates]


def steps(load: Load) -> list[tuple[str, str | None]]:
    """Return the steps that were taken."""
    return [(one.code, one.type) for one in load.degradations]


@pytest.mark.spec("R8")
def test_within_the_limits_nothing_is_done() -> None:
    """As many as there is room for stay as they are."""
    groups = {name: many(limit, name) for name, limit in group_limits(Rules()).items()}
    load = fitted(groups)
    assert (groups, [], []) == (load.groups, load.degradations, load.omitted)


@pytest.mark.spec("R8")
@pytest.mark.parametrize(
    ("group", "limit"), [("facts", 30), ("procedures", 5), ("episodes", 20), ("insights", 10)]
)
def test_a_group_over_its_limit_keeps_its_best(group: str, limit: int) -> None:
    """The first step cuts the tail, tells how much, and names each that went."""
    held = many(limit + 1, group)
    load = fitted({group: held})
    assert held[:limit] == load.groups[group]
    (step,) = load.degradations
    assert ("reduce_top_k", group, limit + 1, limit) == (
        step.code,
        step.type,
        step.before,
        step.after,
    )
    assert [("reduce_top_k", f"{group}-{limit}")] == [(one.code, one.id) for one in load.omitted]


@pytest.mark.spec("R8")
def test_no_type_takes_more_than_any_type_may() -> None:
    """The limit of every type holds where a group's own is wider."""
    load = fitted({"facts": many(60)}, max_facts=50, max_per_type=12)
    assert 12 == len(load.groups["facts"])


@pytest.mark.spec("R8")
def test_a_group_that_may_hold_nothing_is_left_out() -> None:
    """A limit of zero leaves out the type, and says so."""
    load = fitted({"insights": many(3, "insights")}, max_insights=0)
    assert ([], [("omit_type", "insights")]) == (load.groups["insights"], steps(load))
    assert 3 == len(load.omitted)


@pytest.mark.spec("R8", "R9")
def test_many_episodes_are_compressed() -> None:
    """Beyond thirty candidates each episode shows less; thirty are shown as they are."""
    thirty = fitted({"episodes": many(30, "episodes")})
    assert {Compression.RAW} == {one.level for one in thirty.groups["episodes"]}
    more = fitted({"episodes": many(31, "episodes")})
    assert {Compression.PHASE} == {one.level for one in more.groups["episodes"]}
    assert [("reduce_top_k", "episodes"), ("raise_compression", "episodes")] == steps(more)
    assert ("raw", "phase") == (more.degradations[1].before, more.degradations[1].after)
    (told,) = [one for one in more.omitted if one.code == "raise_compression"]
    assert ("episodes", None) == (told.type, told.id)
    assert "31 episodes came to mind" in told.reason
    assert "20 are shown one level shorter" in told.reason


@pytest.mark.spec("R8")
def test_the_total_takes_one_step_after_the_other() -> None:
    """The less room there is, the more steps are taken, always in their order."""

    def taken(room: int) -> list[str]:
        groups = {
            "facts": many(30),
            "procedures": many(5, "procedures"),
            "episodes": many(20, "episodes"),
            "insights": many(10, "insights"),
        }
        groups["episodes"][1] = candidate("old", "episodes", fades=True, level=Compression.PHASE)
        load = fitted(groups, stm(5, 10), max_candidates=room)
        assert load.total <= room
        return list(dict.fromkeys(one.code for one in load.degradations))

    assert [] == taken(80)
    assert _ORDER[:1] == taken(60)
    assert _ORDER[:2] == taken(47)
    assert _ORDER[:3] == taken(44)
    assert _ORDER[:4] == taken(30)
    assert _ORDER == taken(5)


@pytest.mark.spec("R8")
def test_the_last_groups_give_way_first() -> None:
    """A total that is passed by a few takes them from the end of the packet."""
    groups = {"facts": many(30), "insights": many(10, "insights")}
    load = fitted(groups, max_candidates=37)
    assert (30, 7) == (len(load.groups["facts"]), len(load.groups["insights"]))


@pytest.mark.spec("R8")
def test_low_confidence_goes_before_low_relevance() -> None:
    """The fourth step lets the least sure go, the best of each group stays."""
    groups = {
        "facts": [
            candidate("best", confidence=0.1, score=0.9),
            candidate("unsure", confidence=0.2, score=0.8),
            candidate("sure", confidence=0.9, score=0.2),
            candidate("surer", confidence=0.9, score=0.3),
        ]
    }
    load = fitted(groups, max_facts=8, max_candidates=2)
    assert ["best", "surer"] == [one.source.id for one in load.groups["facts"]]
    assert [("drop_low", "unsure"), ("drop_low", "sure")] == [
        (one.code, one.id) for one in load.omitted
    ]


@pytest.mark.spec("R8", "R7")
def test_what_stands_stays_before_episodes_that_are_only_touched_on() -> None:
    """That something was said is always sure, and so says nothing about what to keep."""

    def shown(load: Load) -> tuple[list[str], list[str]]:
        return ids(load.groups["facts"]), ids(load.groups["episodes"])

    standing = [
        Candidate(
            source=row(name, "preferences", confidence=0.85), why=Why("standing", "it stands")
        )
        for name in ("以后都用中文", "allergic to peanuts", "dark mode")
    ]
    weak = many(9, "episodes", confidence=1.0)
    load = fitted({"facts": standing, "episodes": weak}, max_candidates=8)
    assert (ids(standing), ids(weak[:5])) == shown(load)
    assert {"drop_low"} == {one.code for one in load.omitted if one.id}
    tight = fitted({"facts": standing, "episodes": weak}, max_candidates=4)
    assert (ids(standing), ids(weak[:1])) == shown(tight)
    doubted = [candidate("guess", confidence=0.6), candidate("猜", confidence=0.5, score=0.9)]
    unsure = fitted({"facts": [*standing, *doubted], "episodes": weak}, max_candidates=10)
    assert (ids(standing), ids(weak[:7])) == shown(unsure)


@pytest.mark.spec("R8", "R7")
def test_what_the_message_names_is_weighed_with_facts() -> None:
    """The longest group gives most: neither the named nor what stands leaves for the other."""
    why = Why("strong_cue", "brought by a name")
    named = [one._replace(why=why) for one in many(6, "episodes", confidence=1.0)]
    load = fitted({"facts": many(12), "episodes": named}, max_candidates=10)
    assert ids(many(5)) == ids(load.groups["facts"])
    assert ids(named[:5]) == ids(load.groups["episodes"])


@pytest.mark.spec("R8")
def test_what_stands_is_as_relevant_as_what_was_found_before_it() -> None:
    """Found and standing facts take turns; the end of that order goes first."""
    facts = [
        candidate("found best", score=0.9),
        Candidate(source=row("以后都用中文", "preferences"), why=Why("standing", "it stands")),
        candidate("found", score=0.4),
        Candidate(source=row("dark mode", "preferences"), why=Why("standing", "it stands")),
        candidate("found last", score=0.1),
    ]
    for room in (4, 3, 2):
        load = fitted({"facts": facts}, max_facts=8, max_candidates=room)
        assert facts[:room] == load.groups["facts"]


@pytest.mark.spec("R8", "W2")
def test_a_session_under_pressure_shows_fewer_turns_and_quotes() -> None:
    """Three turns and five quotes stay; words that a shown turn has become a reference."""
    load = fitted({"facts": many(30)}, stm(5, 10), working=72)
    assert (3, 5, "目标：发布") == (
        len(load.stm.window),
        len(load.stm.key_quotes),
        load.stm.summary,
    )
    assert ["", "", "", "记住 3", "记住 4"] == [one.text for one in load.stm.key_quotes]
    assert ["t5", "t4", "t3"] == [one.source_turn_id for one in load.stm.key_quotes[:3]]
    assert [("stm", 15, 8), ("stm", 5, 2)] == [
        (one.type, one.before, one.after)
        for one in load.degradations
        if one.code == "raise_compression"
    ]
    told = [one.reason for one in load.omitted if one.type == "stm"]
    assert ["7 less", "3 less"] == [one.split(": ")[-1] for one in told]


@pytest.mark.spec("R8", "W2")
def test_quotes_that_become_references_are_told_though_none_goes() -> None:
    """As many are shown as before, some without their words: a step like the others."""
    load = fitted({"facts": many(30)}, stm(3, 4), working=80)
    assert ["", "", "", "记住 3"] == [one.text for one in load.stm.key_quotes]
    assert ("raise_compression", "stm", 4, 1) in [
        (one.code, one.type, one.before, one.after) for one in load.degradations
    ]
    assert ("raise_compression", "stm") in [(one.code, one.type) for one in load.omitted]


@pytest.mark.spec("R8")
def test_the_summary_stays_when_the_session_is_left_out() -> None:
    """What is omitted of a session are its turns and quotes."""
    load = fitted({"facts": many(1)}, stm(5, 5), max_candidates=1)
    assert ShortTerm(summary="目标：发布") == load.stm
    assert ("omit_type", "stm") in steps(load)
    assert 1 == len(load.groups["facts"])


@cache
def _pool(group: str) -> list[Candidate]:
    """Return more candidates than any packet could hold."""
    return many(2_000, group)


_LIMITS = st.fixed_dictionaries(
    {
        "max_candidates": st.integers(1, 120),
        "max_per_type": st.integers(1, 40),
        "max_facts": st.integers(0, 40),
        "max_episodes": st.integers(0, 40),
        "max_insights": st.integers(0, 20),
        "max_procedures": st.integers(0, 10),
    }
)


@pytest.mark.spec("R8")
@settings(max_examples=40)
@given(
    sizes=st.tuples(*[st.integers(0, 90) | st.just(2_000)] * 4),
    session=st.tuples(st.integers(0, 5), st.integers(0, 10)),
    share=st.floats(0, 1),
    limits=_LIMITS,
)
def test_limits_hold_for_any_input(
    sizes: tuple[int, ...], session: tuple[int, int], share: float, limits: dict[str, int]
) -> None:
    """Whatever comes in and whatever the limits are, they hold, and nothing goes unnamed."""
    groups = {name: _pool(name)[:size] for name, size in zip(GROUPS, sizes, strict=True)}
    working = int(share * limits["max_candidates"])
    load = fitted(groups, stm(*session), working, **limits)
    rules = Rules(packet=PacketRules(**limits))
    assert load.total <= limits["max_candidates"]
    for name, limit in group_limits(rules).items():
        assert len(load.groups[name]) <= limit <= limits["max_per_type"]
        stays = {one.source.id for one in load.groups[name]}
        gone = {one.id for one in load.omitted if one.id and one.type == _TYPES[name]}
        assert {one.source.id for one in groups[name]} == stays | gone
        assert not stays & gone
    codes = [one.code for one in load.degradations]
    assert sorted(codes, key=_ORDER.index) == codes
    assert {one.code for one in load.omitted} == set(codes)
    again = fitted(groups, stm(*session), working, **limits)
    assert (load.groups, load.stm, load.degradations) == (
        again.groups,
        again.stm,
        again.degradations,
    )
