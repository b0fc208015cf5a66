"""Half of a sentence that denies something is no statement of the user, whoever quotes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, user

from smartbrain.domain.memory import Memory

Proposal = dict[str, Any]


def lives_in(place: str) -> Proposal:
    """Return a proposal of where the user lives."""
    return {"profile": [{"key": "profile:user", "facts": [{"k": "home", "v": place}]}]}


def likes(thing: str) -> Proposal:
    """Return a proposal of what the user likes."""
    return {"preferences": [{"scope": "other", "name": thing, "value": thing}]}


def decided(what: str) -> Proposal:
    """Return a proposal of what was decided."""
    return {"decisions": [{"project": "general", "topic": "queue", "decision": what}]}


def port(value: str) -> Proposal:
    """Return a proposal of a fact."""
    return {"facts": [{"subject": "API", "attribute": "port", "value": value}]}


def proposed(path: Path, said: str, proposal: Proposal, quote: str) -> list[Memory]:
    """Return what an agent's proposal with a quotation from the user's words has written."""
    with fake_brain(path, jobs={"agents": ["extract"]}) as brain:
        brain.commit_turn("s", [user(said)])
        for one in [one for kind in proposal for one in brain.memories.list(kind).items]:
            brain.memories.retract(one.id, reason="only what is proposed counts here")
        (work,) = brain.work.lease("extract", "me")
        ((kind, (given,)),) = proposal.items()
        answer = brain.work.complete(work.id, "me", {kind: [{**given, "quote": quote}]})
        return [brain.memories.get(one) for one in answer.written]


@pytest.mark.spec("C3", "C6", "C9")
@pytest.mark.parametrize(
    ("said", "proposal", "quote"),
    [
        ("I do not live in Paris.", lives_in("Paris"), "live in Paris"),
        ("I've never lived in Paris.", lives_in("Paris"), "lived in Paris"),
        ("我不住在北京", lives_in("北京"), "住在北京"),
        ("我从来没住在北京", lives_in("北京"), "住在北京"),
        ("We never decided to use Kafka.", decided("use Kafka"), "decided to use Kafka"),
        ("我们没有决定用 Kafka", decided("用 Kafka"), "决定用 Kafka"),
        ("The API port is not 8080.", port("8080"), "8080"),
        ("API 的端口不是 8080", port("8080"), "8080"),
        ("8080 is not the API port.", port("8080"), "8080"),
    ],
)
def test_a_proposal_that_quotes_what_is_denied_is_inferred(
    tmp_path: Path, said: str, proposal: Proposal, quote: str
) -> None:
    """It is at most as sure as any other guess."""
    assert all(one.confidence <= 0.6 for one in proposed(tmp_path, said, proposal, quote))


@pytest.mark.spec("C3", "C9")
@pytest.mark.parametrize(
    ("said", "thing", "quote"),
    [
        ("我不喜欢喝茶", "喝茶", "喜欢喝茶"),
        ("我不是特别喜欢喝茶", "喝茶", "喜欢喝茶"),
        ("I don't prefer dark mode.", "dark mode", "prefer dark mode"),
        ("Dark mode isn't for me.", "dark mode", "Dark mode"),
    ],
)
def test_a_taste_that_is_denied_is_refused(
    tmp_path: Path, said: str, thing: str, quote: str
) -> None:
    """Nobody but the user says what they like."""
    assert [] == proposed(tmp_path, said, likes(thing), quote)


@pytest.mark.spec("C3", "C9")
@pytest.mark.parametrize(
    ("said", "proposal", "quote"),
    [
        ("We're settled now, Paris is our home.", lives_in("Paris"), "Paris is our home"),
        ("It's not far, Paris is our home.", lives_in("Paris"), "Paris is our home"),
        ("不过北京才是家", lives_in("北京"), "北京才是家"),
        ("It isn't 80 but 8080 we listen on.", port("8080"), "8080 we listen on"),
        ("我们监听的不是 80 而是 8080", port("8080"), "8080"),
        ("Not only 80, 8080 is open to us too.", port("8080"), "8080 is open to us"),
    ],
)
def test_what_another_clause_denies_does_not_matter(
    tmp_path: Path, said: str, proposal: Proposal, quote: str
) -> None:
    """The quoted words are stated."""
    (memory,) = proposed(tmp_path, said, proposal, quote)
    assert memory.confidence >= 0.8


@pytest.mark.spec("C4", "C9")
@pytest.mark.parametrize(
    ("before", "said", "quote"),
    [
        ("I live in Paris.", "My days of not having to live in Paris are here.", "live in Paris"),
        ("我住在北京", "终于不必再住在北京", "住在北京"),
    ],
)
def test_a_denial_may_be_quoted_to_take_something_back(
    tmp_path: Path, before: str, said: str, quote: str
) -> None:
    """Which is what the words say."""
    with fake_brain(tmp_path, jobs={"agents": ["extract"]}) as brain:
        brain.commit_turn("s", [user(before)])
        brain.commit_turn("s", [user(said)])
        work = brain.work.lease("extract", "me", limit=2)[-1]
        gone = {"type": "profile", "key": "profile:user", "quote": quote}
        brain.work.complete(work.id, "me", {"retractions": [gone]})
        assert not brain.memories.list("profile").items
