"""What somebody uses instead of something else, and where what they build is deployed.

In: what the user says, in Chinese and English, in any order of arrival. Out: the new value stands,
and the old one does not, whether it was ever told or not.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, plain_facts, user


def standing(folder: Path, *told: str) -> dict[str, object]:
    """Return the values that stand after messages of the user, by their keys, entities aside."""
    with fake_brain(folder) as brain:
        for said in told:
            brain.commit_turn("s", [user(said)])
        kinds = ("preferences", "facts", "tasks", "decisions", "events")
        found = [one for kind in kinds for one in brain.memories.list(kind).items]
    return {one.key: one.value.get("value") for one in found}


SWITCHED = [
    (("I've switched from Slack to Teams",), {"pref:other:teams": "Teams"}),
    (("我从 Slack 换到 Teams 了",), {"pref:other:teams": "Teams"}),
    (("I use Slack for work", "I've switched from Slack to Teams."), {"pref:other:teams": "Teams"}),
    (("我习惯用 Slack", "我从 Slack 换到 Teams 了"), {"pref:other:teams": "Teams"}),
    (
        ("I've switched from Slack to Teams", "I switched from Teams to Discord."),
        {"pref:other:discord": "Discord"},
    ),
    (("I use vim", "I switched from vim to emacs"), {"pref:tools:editor": "emacs"}),
    (("我用 vim", "我把 vim 换成 emacs 了"), {"pref:tools:editor": "emacs"}),
    (("我最近从飞书换到钉钉了",), {"pref:other:钉钉": "钉钉"}),
]
DEPLOYED = [
    (("部署在 Vercel",), "project", "Vercel"),
    (("我们部署在 Vercel 上",), "project", "Vercel"),
    (("We deploy on Vercel",), "project", "Vercel"),
    (("It's deployed on Vercel",), "project", "Vercel"),
    (("We host it on vercel.",), "project", "vercel"),
    (("The app is deployed on Vercel",), "app", "Vercel"),
    (("后端部署在阿里云上",), "backend", "阿里云"),
    (("我们部署在 Vercel 上", "现在部署在 Fly.io 了"), "project", "Fly.io"),
    (("部署在 Vercel", "我们把部署从 Vercel 换到 Fly.io 了"), "project", "Fly.io"),
    (("We deploy on Vercel", "We moved deployment to Fly.io"), "project", "Fly.io"),
    (("It's deployed on Vercel", "We now deploy to Fly.io."), "project", "Fly.io"),
    (("We deploy on Vercel", "部署迁到 Fly.io 了"), "project", "Fly.io"),
    (("The app is hosted on AWS", "The app is hosted on GCP now"), "app", "GCP"),
]


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(("told", "stands"), SWITCHED)
def test_a_switch_ends_the_old_and_tells_the_new(
    tmp_path: Path, told: tuple[str, ...], stands: dict[str, object]
) -> None:
    """It needs no earlier word of what was used before."""
    assert stands == standing(tmp_path, *told)


@pytest.mark.spec("C4", "C6", "M2")
@pytest.mark.parametrize(("told", "thing", "host"), DEPLOYED)
def test_where_something_is_deployed_is_one_fact(
    tmp_path: Path, told: tuple[str, ...], thing: str, host: str
) -> None:
    """However it is said, it has one key, and where it is now takes the place of where it was."""
    assert {f"fact:{thing}:runs_on": host} == standing(tmp_path, *told)


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(
    "told", [one[0] for one in (*SWITCHED, *DEPLOYED) if len(one[0]) > 1], ids=" / ".join
)
def test_a_switch_comes_out_the_same_in_any_order(tmp_path: Path, told: tuple[str, ...]) -> None:
    """What was used before does not stand again because it arrives late."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in order:
                turn = {"at": f"2000-01-{day + 1:02}T00:00:00Z", "messages": [user(told[day])]}
                brain.commit_turn("s", turn)
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "said",
    [
        "Should I switch from Slack to Teams?",
        "I might switch from Slack to Teams",
        "I switched from marketing to engineering",
        "I switched from Monday to Tuesday",
        "我从产品换到运营了",
        "我要不要从 Slack 换到 Teams？",
        "We deploy on Fridays",
        "We deploy to production.",
        "帮我部署到 Vercel",
        "准备部署到 Vercel",
        "怎么部署到 Vercel？",
    ],
)
def test_what_is_asked_planned_or_no_thing_is_no_switch(tmp_path: Path, said: str) -> None:
    """Nor is a day or an environment something to run on."""
    found = standing(tmp_path, said)
    assert not [key for key in found if key.startswith(("pref:", "fact:"))]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("said", "place"),
    [("我从北京搬到上海了", "上海"), ("I moved from Berlin to Munich", "Munich")],
)
def test_who_moves_house_lives_elsewhere(tmp_path: Path, said: str, place: str) -> None:
    """It is no task, and no switch of a tool."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        (profile,) = brain.memories.list("profile").items
        assert not brain.memories.list("tasks").items
    assert [{"k": "home", "v": place}] == plain_facts(profile)
