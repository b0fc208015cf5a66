"""Where versions lead, however often one message replaces what is known under a key."""

from __future__ import annotations

from datetime import datetime
from itertools import product
from random import Random

import pytest
from fold_brain import DAY, Brain, editor, port, profile

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.remember import write_set
from smartbrain.remember.match import says_same, senses

VALUES = {
    "en": ("vim", "Emacs", "nano", "not vim", "8080", "port 8080", "the vim", "Vim!", ""),
    "zh": (
        "向日葵",
        "红色",
        "不是红色",
        "红 色",
        "端口8080",
        "红色。",
        "蓝色",
        "用 vim 编辑",
        "8080",
    ),
}
KEYS = ("pref:tools:editor", "fact:测试库:port", "profile:user")


def random_candidate(seed: Random, values: tuple[str, ...]) -> Candidate:
    """Return something that the user or somebody else may say of one of three things."""
    value = seed.choice(values) or "none"
    fields = {
        "corrects": seed.random() < 0.2,
        "source": seed.choice((Source.USER, Source.USER, Source.TOOL)),
        "action": seed.choice((CandidateAction.WRITE,) * 6 + (CandidateAction.RETRACT,)),
    }
    kind = seed.randrange(3)
    if kind == 2:
        return profile(seed.choice(("name", "city")), value)
    return editor(value, **fields) if kind else port(value, **fields)


def led(brain: Brain, key: str) -> set[tuple[str, str]]:
    """Return what leads where among the versions of a key."""
    found = brain.history(key)
    return {(one.id, dst) for one in found for dst in brain.edges(one, EdgeType.ACTIVE_OF)}


def expected(versions: list[Memory]) -> set[tuple[str, str]]:
    """Return what should: every other version to the one that stands, if any does."""
    standing = [one.id for one in versions if one.status is Status.ACTIVE]
    return {(one.id, dst) for dst in standing for one in versions if one.id != dst}


@pytest.mark.spec("M4", "C4", "C5")
@pytest.mark.parametrize("language", VALUES)
@pytest.mark.parametrize("number", range(6))
def test_every_other_version_leads_to_what_stands(language: str, number: int) -> None:
    """Whatever messages replace, correct, deny or tell late, many times each and in any order."""
    seed, brain = Random(number), Brain()
    times: list[datetime] = []
    for _ in range(6):
        brain.clock.advance(days=1)
        times.append(brain.clock() - seed.choice((0, 0, 0, 3, 9)) * DAY)
        told = [random_candidate(seed, VALUES[language]) for _ in range(8)]
        brain.say(*told, at=times[-1])
        for key in KEYS:
            assert expected(brain.history(key)) == led(brain, key)
    assert any(len(brain.history(key)) > 5 for key in KEYS)


@pytest.mark.spec("M4")
def test_a_message_that_replaces_a_key_often_links_each_version_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The work grows with what is said, not with its square."""
    named: list[str] = []
    real = write_set.edge_id

    def noted(src: str, kind: EdgeType, dst: str) -> str:
        named.append(src)
        return real(src, kind, dst)

    monkeypatch.setattr(write_set, "edge_id", noted)
    brain = Brain()
    brain.say(*(editor(f"编辑器 {number}") for number in range(100)))
    assert 100 == len(brain.history("pref:tools:editor"))
    assert len(named) <= 300


@pytest.mark.spec("M4")
@pytest.mark.parametrize("values", [("vim", "Emacs"), ("红色", "蓝色")])
def test_a_key_that_changes_often_leaves_one_way_a_version(values: tuple[str, str]) -> None:
    """The way to what stands moves with it: no row is left of where it led before."""
    brain = Brain()
    for number in range(40):
        brain.say(editor(values[number % 2]))
        brain.clock.advance(minutes=1)
    versions = brain.history("pref:tools:editor")
    assert 40 == len(versions)
    assert expected(versions) == led(brain, "pref:tools:editor")
    with brain.truth.read() as rows:
        ways = [one for _, one in rows.replayed.edge_page(limit=10_000)]
    ways = [one for one in ways if one.type is EdgeType.ACTIVE_OF]
    assert (39, 0) == (len(ways), sum(one.deleted_at is not None for one in ways))


@pytest.mark.spec("C5")
@pytest.mark.parametrize("language", VALUES)
def test_values_share_a_sense_where_they_say_the_same(language: str) -> None:
    """Looking a value up by its senses finds what comparing it with all others would."""
    values = (*VALUES[language], None, 8080, ["vim"])
    for one, other in product(values, repeat=2):
        shared = not set(senses(one)).isdisjoint(senses(other))
        assert says_same(one, other) == shared, (one, other)
