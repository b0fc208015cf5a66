"""What holds now comes before what was said once: told in other words, in parts, or at length.

In: things that changed, profiles that grow, long turns, votes. Out: what comes first.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, opened, say

from smartbrain import SmartBrain
from smartbrain.domain.recall import RecallItem

CHANGED = [
    ("I live in Berlin.", "I moved to Munich.", "Where do I live?", "Munich"),
    ("I work at Google.", "I left Google and joined Stripe.", "where do I work?", "Stripe"),
    ("I prefer dark mode.", "Actually I prefer light mode now.", "dark or light mode?", "light"),
    ("我住在北京。", "我搬到深圳了。", "我住在哪里？", "深圳"),
    ("服务器端口是8080。", "服务器端口改成9090了。", "服务器端口是多少？", "9090"),
    ("项目截止日期是6月1日。", "项目截止日期推迟到6月15日。", "项目截止日期是什么时候？", "15"),
    ("staging 的端口是 8080。", "staging 的端口改成 9090 了。", "staging 的端口是多少？", "9090"),
]
ELSE = ["Let's order pizza tonight", "下午开会讨论预算", "I read a good book about bees"]


def told(brain: SmartBrain, *texts: str) -> None:
    """Say texts in sessions of their own, a day apart, and others after them."""
    for place, text in enumerate((*texts, *ELSE)):
        say(brain, text, session=f"s{place}", at=NOW - timedelta(days=20 - place))


def place_of(items: list[RecallItem], kind: str, words: str) -> int:
    """Return at which place something of a type comes that says some words."""
    return next(place for place, one in enumerate(items) if one.type == kind and words in one.text)


@pytest.mark.spec("M4", "R6")
@pytest.mark.parametrize(("before", "after", "query", "value"), CHANGED)
def test_what_holds_now_comes_before_the_turn_that_told_what_held(
    tmp_path: Path, before: str, after: str, query: str, value: str
) -> None:
    """Even if it was told in words that nobody would ask by; of the past both may come."""
    with opened(tmp_path) as brain:
        told(brain, before, after)
        items = [*brain.recall(query)]
        assert value in items[0].text
        assert items[0].type != "episodes"
        assert place_of(items, "episodes", before[:6]) > 0
        first = brain.recall(query, k=1)
        assert [one.id for one in first] == [items[0].id]
        (outdated,) = first.trace.outdated
        assert outdated.code == "outdated"
        assert outdated.detail == {"replaced_by": [items[0].id]}
        past = brain.recall(query, include_history=True)
        assert past.trace.outdated == ()
        assert "superseded" in {brain.memories.get(one.id).status for one in past}


@pytest.mark.spec("R6")
@pytest.mark.parametrize(
    ("before", "after", "query", "value"),
    [
        ("I live in Berlin. My dog is called Rex.", "I moved to Munich.", "my dog?", "Rex"),
        ("我住在北京。我的狗叫小黑。", "我搬到深圳了。", "我的狗叫什么？", "小黑"),
    ],
)
def test_a_turn_is_outdated_only_in_what_does_not_hold(
    tmp_path: Path, before: str, after: str, query: str, value: str
) -> None:
    """What else it told is asked for by other words, and is as good as ever."""
    with opened(tmp_path) as brain:
        told(brain, before, after)
        assert value in brain.recall(query)[0].text


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("filling", "fact", "others", "query", "value"),
    [
        (
            "我们审阅了仓库{}的季度物流数据，没有采取任何行动。",
            "港口项目的预算上限是120万欧元。",
            ("港口的咖啡馆不错", "项目的预算会在周一"),
            "港口项目的预算上限是多少？",
            "120万",
        ),
    ],
)
def test_a_fact_out_of_a_long_turn_comes_first_if_it_says_what_is_asked(
    tmp_path: Path, filling: str, fact: str, others: tuple[str, ...], query: str, value: str
) -> None:
    """However long the turn is, and so how little it is about that."""
    with opened(tmp_path) as brain:
        say(brain, " ".join([*(filling.format(n) for n in range(60)), fact]), session="long")
        for place in range(12):
            say(brain, f"{others[place % 2]} ({place})", session=f"s{place}")
        first = brain.recall(query)[0]
        assert (first.type, value in first.text) == ("facts", True)


@pytest.mark.spec("R6")
def test_feedback_changes_the_order(tmp_path: Path) -> None:
    """What is pinned moves up, and down what is voted against; neither is lost."""
    with opened(tmp_path) as brain:
        for place, text in enumerate(("What a nice blue lamp!", "Look, a blue lamp again")):
            say(brain, text, session=f"s{place}")
        first, second = [*brain.recall("blue lamp")][:2]
        brain.feedback(second.id, "pin")
        assert [one.id for one in brain.recall("blue lamp")][:2] == [second.id, first.id]
        for _ in range(3):
            brain.feedback(second.id, "downvote")
        brain.feedback(second.id, "unpin")
        assert [one.id for one in brain.recall("blue lamp")][:2] == [first.id, second.id]


@pytest.mark.spec("R3")
def test_the_profile_of_the_source_adds_the_graph_as_it_is(tmp_path: Path) -> None:
    """What holds all the words is near itself in the graph, and comes first."""
    texts = (
        "Password manager is Bitwarden",
        "Please water the office plants",
        "Wifi password at the office is tulip-88-moon",
        "办公室的打印机坏了",
    )
    with opened(tmp_path, recall={"profile": "source"}) as brain:
        for place, text in enumerate(texts):
            say(brain, text, session=f"s{place}")
        assert "tulip" in brain.recall("office wifi password")[0].text
        assert "打印机" in brain.recall("办公室的打印机")[0].text
