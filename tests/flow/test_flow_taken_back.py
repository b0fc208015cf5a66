"""What is taken back, and what is said right after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

KINDS = ("profile", "preferences", "decisions", "tasks", "goals", "facts")


def standing(folder: Path, *messages: str) -> set[str]:
    """Return what stands after some messages of the user, a turn each, without the keys."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        found = [one for kind in KINDS for one in brain.memories.list(kind).items]
    return {told for one in found for told in values(dict(one.value))}


def values(value: dict[str, object]) -> list[str]:
    """Return what a value says: each fact of a profile, or its own words."""
    if isinstance(facts := value.get("facts"), list):
        return [f"{fact['k']}={fact['v']}" for fact in facts]
    named = (value.get(name) for name in ("title", "description", "decision", "value"))
    said = next(one for one in named if one)
    of = value.get("name") if "scope" in value else value.get("topic")
    return [f"{of}={said}" if of else str(said)]


THEN = [
    ("I need to call Bob.", "I no longer need to call Bob. I live in Oslo.", {"location=Oslo"}),
    ("I need to call Bob.", "I no longer need to call Bob. I need to call Ann.", {"call Ann"}),
    ("I need to call Bob.", "I don't need to call Bob anymore. I no longer live in Oslo.", set()),
    ("我要买牛奶", "我不用买牛奶了。我要买面包", {"买面包"}),
    ("我要买牛奶", "我不用买牛奶了。我住在北京", {"location=北京"}),
    ("My goal is to learn Rust.", "I gave up on Rust. My goal is to learn Go.", {"learn Go"}),
    ("I live in Oslo.", "I no longer live in Oslo. I work at Meta.", {"employer=Meta"}),
    ("我住在北京", "我不住在北京了。我在阿里工作", {"employer=阿里"}),
    ("I like tea.", "I no longer like tea. I like hiking.", {"hiking=hiking"}),
    ("我喜欢茶", "我不再喜欢茶了。我喜欢咖啡", {"咖啡=咖啡"}),
    (
        "We decided to use Kafka.",
        "We are not going to use Kafka after all. We decided to use React.",
        {"frontend_framework=use React"},
    ),
    (
        "我们决定用 Kafka。",
        "我们不用 Kafka 了。我们决定用 React。",
        {"frontend_framework=用 React"},
    ),
]


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("said", "then", "stand"), THEN)
def test_what_follows_a_denial_is_read_for_itself(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """What was denied is gone, and what is about something else has its own place."""
    assert stand == standing(tmp_path, said, then)


INSTEAD = [
    ("I use vim.", "I no longer use vim. I use emacs now.", {"editor=emacs"}),
    ("我用 vim", "我不再用 vim 了。我现在用 emacs", {"editor=emacs"}),
    ("I live in Oslo.", "I no longer live in Oslo. I live in Bergen.", {"location=Bergen"}),
    ("我住在北京", "我不住在北京了。我住在上海", {"location=上海"}),
    ("Our depot is in Metz.", "Our depot is no longer in Metz. It's in Nancy.", {"Nancy"}),
    (
        "We decided to use MySQL.",
        "We are not going to use MySQL after all. We decided to use Postgres.",
        {"database=use Postgres"},
    ),
]


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("said", "then", "stand"), INSTEAD)
def test_what_follows_a_denial_may_take_the_place_of_it(
    tmp_path: Path, said: str, then: str, stand: set[str]
) -> None:
    """Where it is about the same thing."""
    assert stand == standing(tmp_path, said, then)
