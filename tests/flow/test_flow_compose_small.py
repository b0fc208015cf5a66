"""Contexts with little room: what is known and what was found go before small talk (R16)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user
from recall_builders import opened

from smartbrain import SmartBrain, UsageError
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.turn import DOCUMENT, Marked

CHAT = ("Chit chat number {}, nice weather today.", "随便聊聊第 {} 次，今天天气不错。")
TALKS = [
    (
        "My name is Mei. I am the product manager of the lantern festival. I live in Hangzhou.",
        "The budget of the lantern festival is 32,000 yuan, as Chen has approved on Monday.",
        ("Where do I live, who am I?", "Hangzhou"),
        ("What is the budget of the lantern festival?", "32,000"),
    ),
    (
        "我叫小梅。我是灯会的产品经理。我住在杭州。",
        "灯会的预算是 32000 元，由陈工审批，最晚六月三号要定下来。",
        ("我住在哪里？我是谁？", "杭州"),
        ("灯会的预算是多少？", "32000"),
    ),
]


def talked(brain: SmartBrain, *told: str) -> None:
    """Say something, then chat for a while; the last thing is said elsewhere."""
    brain.commit_turn("s", [user(told[0]), assistant("ok")])
    brain.commit_turn("other", [user(told[1]), assistant("ok")])
    for number in range(8):
        said = CHAT[number % 2].format(number)
        brain.commit_turn("s", [user(said), assistant(f"是的 yes it is {number}")])


def standing(package: ContextPackage) -> str:
    """Return what stands in the system slot."""
    return "\n".join(block.text for block in package.system_blocks)


@pytest.mark.spec("R16")
@pytest.mark.parametrize(("about", "elsewhere", "known", "found"), TALKS)
@pytest.mark.parametrize("limit", [100, 200, 300])
def test_little_room_is_for_what_is_known_and_found(
    tmp_path: Path,
    about: str,
    elsewhere: str,
    known: tuple[str, str],
    found: tuple[str, str],
    limit: int,
) -> None:
    """Core memory has its answer, and the best evidence is there, before a turn of small talk."""
    with fake_brain(tmp_path) as brain:
        talked(brain, about, elsewhere)
        of_user = brain.compose_context("s", known[0], token_limit=limit)
        of_other = brain.compose_context("s", found[0], token_limit=limit)
    for package in (of_user, of_other):
        assert known[1] in standing(package)
        assert package.constraints.token_budget.used_estimate <= limit
        assert not [one for one in package.debug.ignored if one.type == "system_blocks"]
    if limit > 100:
        assert found[1] in "\n".join(one.snippet for one in of_other.evidence)


@pytest.mark.spec("R16")
@pytest.mark.parametrize(
    ("said", "asked", "word"),
    [
        (
            "The night train to Lisbon leaves from platform nine at 23:40, and who has a ticket for"
            " the sleeper has to be there half an hour before, with a passport and little luggage.",
            "Which platform does the train to Lisbon leave from?",
            "platform nine",
        ),
        (
            "去里斯本的夜车二十三点四十分从九号站台出发，有卧铺票的人要提前半个小时到，带上护照，"
            "行李要少，寄存处在候车厅的另外一头，晚上十点就关门了，过时只能自己带上车，请大家注意。",
            "去里斯本的夜车从几号站台出发？",
            "九号站台",
        ),
    ],
)
def test_the_best_evidence_is_cut_before_it_is_left_out(
    tmp_path: Path, said: str, asked: str, word: str
) -> None:
    """Where it has no room whole, the words around what is asked stay, and the cut is told."""
    with fake_brain(tmp_path) as brain:
        # A document: nothing but its words is kept, whatever a reader finds in them.
        brain.commit_turn("other", Marked({"messages": [user(said), assistant("ok")]}, DOCUMENT))
        by_limit = {
            limit: brain.compose_context("s", asked, token_limit=limit)
            for limit in range(100, 260, 10)
        }
    told = {limit: "".join(e.snippet for e in one.evidence) for limit, one in by_limit.items()}
    first = min(limit for limit, text in told.items() if text)
    whole = min(limit for limit, text in told.items() if said in text)
    assert first + 20 <= whole
    assert all(word in text for limit, text in told.items() if limit >= first + 10)
    codes = {one.code for one in by_limit[first].debug.ignored}
    assert {"shortened_highlights", "shortened_reference"} & codes


@pytest.mark.spec("R16")
def test_what_is_shown_does_not_follow_from_random_ids(tmp_path: Path) -> None:
    """Brains that have seen the same show the same, but for the ids, and count it alike."""
    made = []
    for seed in range(3):
        with fake_brain(tmp_path / str(seed), seed=seed) as brain:
            for day in range(14):
                said = f"第{day}天 I bought item{day} at shop{day % 3}. 花了 {day}0 元。"
                brain.commit_turn("s", [user(said), assistant(f"ok {day}")])
            packages = [
                brain.compose_context("s", message, token_limit=limit)
                for limit in range(130, 330, 8)
                for message in ("What did I buy at shop1?", "第3天花了多少钱？")
            ]
        texts = [re.sub(r"…[0-9a-f]{6}", "…", one.text()) for one in packages]
        made.append([(t, p.constraints.token_budget) for t, p in zip(texts, packages, strict=True)])
    assert made[0] == made[1] == made[2]


@pytest.mark.spec("R16")
@pytest.mark.parametrize("words", ["a word ", "一句话 "])
@pytest.mark.parametrize("times", [1, 150, 420])
def test_the_limit_that_an_error_names_is_enough(tmp_path: Path, words: str, times: int) -> None:
    """Also where the context tells it, which takes more tokens the larger it is."""
    with opened(tmp_path, policies={"composition": {"tell_budget": True}}) as brain:
        asked = words * times
        with pytest.raises(UsageError, match="at least") as refused:
            brain.compose_context("s", asked, token_limit=1)
        least = int(str(refused.value).rpartition(" ")[2])
        with pytest.raises(UsageError, match=f"at least {least}"):
            brain.compose_context("s", asked, token_limit=least - 1)
        package = brain.compose_context("s", asked, token_limit=least)
    assert f"At most {least:,} tokens" in package.text()
    assert package.constraints.token_budget.used_estimate <= least
