"""What consecutive requests share: a conversation of fifty turns, composed and committed by turns.

Providers keep the beginning of a request in a cache, so whatever does not change has to stand
first and be the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage

SAID = (
    ("The boiler in the cellar makes a noise again.", "Since when? It was serviced in March."),
    ("昨天晚上开始的，声音像敲打水管。", "可能是水管里有空气，先放一下气。"),
    ("I opened the valve and some water came out.", "Good. Close it as soon as no air comes."),
    ("现在安静了一点，但是压力掉到了 0.8。", "把压力补到 1.5 左右就可以了。"),
    ("How do I fill it up? There are two taps below the pump.", "The blue one; turn it slowly."),
    ("好的，压力现在是 1.6。", "很好，这样就行了。"),
    ("Could you look at the log of the thermostat?", "I looked: two drops in the night."),
    ("那是因为我关了总电源。", "明白了，那就没有问题。"),
)
ADVICE = (
    "Before you touch the burner, let it cool down and keep the window of the cellar open. Write "
    "down what the gauge says in the morning and in the evening, then we see whether it holds.",
    "先让炉子冷却，打开地下室的窗户。早上和晚上各记一次压力表的读数，这样就知道它能不能保持住。"
    "如果一个星期里掉了超过半个巴，就该找人来检查膨胀水箱了，在那之前不要再往里面加水。",
)
STATE = {"system": "You help with a house. 回答要简短。", "developer": "Answer in one sentence."}


def rendered(package: ContextPackage) -> dict[str, str]:
    """Return a request as a provider reads it, in each form, and the text."""
    anthropic = package.request("anthropic")
    told = json.dumps(anthropic["messages"], ensure_ascii=False)
    return {
        "openai": json.dumps(package.messages(), ensure_ascii=False),
        "anthropic": anthropic.get("system", "") + told,
        "text": package.text(),
    }


def lasting_part(package: ContextPackage) -> int:
    """Return how many characters of OpenAI's request stand before its last message."""
    return len(json.dumps(package.messages()[:-1], ensure_ascii=False)) - 1


def talked(brain: SmartBrain, recipes: Iterable[str]) -> dict[str, list[ContextPackage]]:
    """Compose and commit fifty turns, with tools, notes and a plan in between."""
    packages: dict[str, list[ContextPackage]] = {recipe: [] for recipe in recipes}
    for number in range(50):
        said, answer = SAID[number % len(SAID)]
        said = f"{said} ({number})"
        answer = f"{answer} {ADVICE[number % 2]}"
        for recipe, made in packages.items():
            made.append(brain.compose_context("house", said, STATE, recipe=recipe))
        events: dict[str, Any] = {"messages": [user(said), assistant(answer)]}
        if number % 8 == 6:
            output = f"{number}:00 18.5 °C 温度\n" * 40
            events["tool_calls"] = [{"id": f"c{number}", "name": "log", "result": output}]
        turn = brain.commit_turn("house", events).turn_id
        if number % 3 == 0:
            brain.notebook.add("house", f"Step {number} 做完了。")
        if number % 7 == 0:
            brain.plan.add("house", f"Look at radiator {number}.")
        if number == 25:
            words = {"title": "Nights", "summary": "晚上不要开水泵。"}
            brain.pins.add("constraint", **words, source=f"chat:{turn}")
    return packages


def lasting(package: ContextPackage) -> tuple[Any, ...]:
    """Return what the system text is made of."""
    return (package.system_blocks, package.developer_blocks, package.pins, package.working_summary)


def shared(before: ContextPackage, after: ContextPackage, form: str) -> int:
    """Return with how many equal characters two requests begin."""
    one, other = rendered(before)[form], rendered(after)[form]
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


def began(package: ContextPackage) -> str | None:
    """Return the turn that the window of a context begins with."""
    return package.recent_turns[0].turn_id if package.recent_turns else None


def check_prefixes(packages: Sequence[ContextPackage]) -> dict[str, float]:
    """Check that what does not change is the same to the byte; return what is shared in the mean.

    `before the end` is the share of what stands before the last message, the rest those of all.
    """
    pairs = list(pairwise(packages))
    same = [pair for pair in pairs if lasting(pair[0]) == lasting(pair[1])]
    assert len(same) >= 44
    for before, after in same:
        assert before.request("anthropic")["system"] == after.request("anthropic")["system"]
        assert before.messages()[0] == after.messages()[0]
    still = [pair for pair in same if began(pair[0]) in (None, began(pair[1]))]
    assert len(still) >= 30
    for before, after in still:
        closed = before.messages()[:-1]
        assert closed == after.messages()[: len(closed)]
    shares = {
        form: fmean(shared(*pair, form) / len(rendered(pair[0])[form]) for pair in pairs)
        for form in ("openai", "anthropic", "text")
    }
    kept = (min(1.0, shared(*pair, "openai") / lasting_part(pair[0])) for pair in pairs)
    return {**shares, "before the end": fmean(kept)}


@pytest.mark.spec("R15", "S1")
def test_consecutive_requests_begin_alike(tmp_path: Path) -> None:
    """The system text stays to the byte, and so do the turns until the window moves on."""
    floors = {
        "standard": {"openai": 0.3, "anthropic": 0.3, "text": 0.25, "before the end": 0.68},
        "chat": {"openai": 0.2, "anthropic": 0.2, "text": 0.15, "before the end": 0.68},
    }
    with fake_brain(tmp_path) as brain:
        packages = talked(brain, floors)
    for recipe, least in floors.items():
        found = check_prefixes(packages[recipe])
        assert [] == [f"{recipe}, {one}: {found[one]}" for one in least if found[one] < least[one]]


@pytest.mark.spec("R15", "S1")
@pytest.mark.parametrize(("name", "said"), [("Bob", "What about me?"), ("小明", "那我呢？")])
@pytest.mark.parametrize("format_name", ["openai", "anthropic"])
def test_who_speaks_is_shown_alike_before_and_after(
    tmp_path: Path, name: str, said: str, format_name: str
) -> None:
    """A message of one of several users reads in its request as in the turn that it becomes."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("g", [user("Hi 大家好", name="Ann"), assistant("ok")])
        asked = brain.compose_context("g", user(said, name=name))
        turn = brain.commit_turn("g", [user(said, name=name)]).turn_id
        step = brain.compose_context("g", said, turn_id=turn)
        brain.commit_turn("g", [assistant("你也是 you too")], turn_id=turn)
        later = brain.compose_context("g", "")
    first, second, third = (
        [one["content"] for one in package.messages(format_name) if one["role"] == "user"]
        for package in (asked, step, later)
    )
    assert ["Ann: Hi 大家好", f"{name}: {said}"] == first[:1] + first[-1:] == third[:2]
    assert first == second
    assert f"{name}: {said}" in asked.text().splitlines()
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    with fake_brain(tmp_path) as brain:
        shown = brain.compose_context("g", user([picture], name=name)).messages(format_name)
    assert {"type": "text", "text": f"{name}:"} == shown[-1]["content"][0]


TOLD = {
    "en": (
        "I prefer tabs in code.",
        "My name is Lin. I live in Hangzhou.",
        "My sister Zoe lives in Turin.",
        "I like short answers.",
        "My brother Adam lives in Oslo.",
        "From now on always answer in English.",
        "My employer is Acme.",
        "Remember that I am allergic to peanuts.",
    ),
    "zh": (
        "我喜欢用制表符缩进。",
        "我叫林晓，住在杭州。",
        "我妹妹住在苏州。",
        "我喜欢简短的回答。",
        "我爸爸住在北京。",
        "以后都用中文回答我。",
        "我在阿里巴巴上班。",
        "记住，我对花生过敏。",
    ),
}


@pytest.mark.spec("R22")
@pytest.mark.parametrize("language", TOLD)
def test_new_memories_are_appended_to_what_stands(tmp_path: Path, language: str) -> None:
    """No line of a block moves for a new one: each block begins as it did."""
    blocks: dict[str, list[str]] = {}
    grown = 0
    with fake_brain(tmp_path) as brain:
        for number, said in enumerate(TOLD[language]):
            brain.commit_turn(f"s{number}", [user(said), assistant("ok")])
            package = brain.compose_context("asking", "What shall we cook? 今天做什么菜？")
            now = {block.type: block.text.split("\n") for block in package.system_blocks}
            assert blocks.keys() <= now.keys()
            kept = {name: now[name][: len(lines)] for name, lines in blocks.items()}
            assert blocks == kept, said
            grown += now != blocks
            blocks = now
    assert {"profile", "preferences"} <= blocks.keys()
    assert grown >= 7


@pytest.mark.spec("R22")
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The spare key is under the blue flowerpot.", "Where is the spare key?"),
        ("备用钥匙在蓝色花盆下面。", "备用钥匙在哪里？"),
    ],
)
def test_what_changes_with_every_message_stands_last(tmp_path: Path, said: str, asked: str) -> None:
    """The evidence stands in the last message, before the user's words and behind all else."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("old", [user(f"I like tea. 我喜欢茶。{said}"), assistant("ok")])
        brain.commit_turn("new", [user("Good morning! 早上好"), assistant("Hello 你好")])
        package = brain.compose_context("new", asked, STATE)
        openai, anthropic = package.messages(), package.request("anthropic")
    assert [one for one in package.evidence if said in one.snippet]
    contents = [str(one["content"]) for one in openai]
    assert [False] * (len(contents) - 1) + [True] == [said in one for one in contents]
    assert contents[-1].index(said) < contents[-1].index(asked)
    assert contents[-1].endswith(asked)
    assert "早上好" in contents[1]
    assert said not in anthropic["system"]
    assert said in str(anthropic["messages"][-1])
    order = ["You help with a house", "早上好", said, asked]
    assert order == sorted(order, key=package.text().index)


@pytest.mark.spec("R22", "S5")
def test_the_share_that_a_cache_may_keep_is_measured(tmp_path: Path) -> None:
    """Of each request but the first: its bytes that begin the one before, by all of its bytes."""
    shares, texts = [], []
    with fake_brain(tmp_path) as brain:
        for said, answer in SAID[:5]:
            package = brain.compose_context("house", said, STATE)
            shares.append(package.debug.planner.get("prefix_share"))
            texts.append(json.dumps(package.messages(), ensure_ascii=False, separators=(",", ":")))
            brain.commit_turn("house", [user(said), assistant(answer)])
        measured = brain.metrics()["context_prefix_share"]
    assert shares[0] is None
    expected = [_share_of(*pair) for pair in pairwise(texts)]
    assert expected == pytest.approx(shares[1:], abs=0.02)
    assert expected[-1] > 0.3
    assert 4 == measured["count"]
    assert sum(shares[1:]) == pytest.approx(measured["sum"], abs=1e-6)


def _share_of(before: str, after: str) -> float:
    one, other = before.encode(), after.encode()
    pairs = zip(one, other, strict=False)
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    return same / len(other)
