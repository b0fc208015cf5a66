"""When, how and why in the graph, and which statements are alike: through a commit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flow_builders import fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import CommitResult, RetentionAction

AT = datetime(2001, 5, 17, 8, 30, tzinfo=UTC)


def say(brain: SmartBrain, text: str, at: datetime = AT) -> CommitResult:
    """Commit a turn of the user at its own time."""
    return brain.commit_turn("s", {"messages": [user(text)], "at": at.isoformat()})


def all_of(brain: SmartBrain, type_name: str) -> list[Memory]:
    """Return every memory of a type, whatever its status, as they were said."""
    found = brain.memories.list(type_name, status=None, limit=1_000).items
    return sorted(found, key=lambda one: (one.said_at, one.value.get("n", 0)))


def edges(brain: SmartBrain, *kinds: EdgeType) -> set[tuple[str, str, str]]:
    """Return the edges of some kinds by the titles of their ends."""
    every = [one for kind in ("statements", "entities", "episodes") for one in all_of(brain, kind)]
    titles = {one.id: one.title for one in every}
    with inside(brain) as rows:
        return {
            (titles[edge.src], edge.type.value, titles.get(edge.dst, "raw"))
            for one in titles
            for edge in rows.edges.of(one)
            if edge.type in kinds
        }


TIMED = [
    ("上周三小明在公司开会", "上周三", "2001-05-09", "2001-05-10", "day", "2001-05-09"),
    (
        "明天下午3点小明在公司开会",
        "明天下午3点",
        "2001-05-18T15:00",
        "2001-05-18T16:00",
        "hour",
        "2001-05-18T15:00",
    ),
    ("三天前小明买了电脑", "三天前", "2001-05-14", "2001-05-15", "day", "2001-05-14"),
    (
        "小明下个月初去北京",
        "下个月初",
        "2001-06-01",
        "2001-06-11",
        "week",
        "2001-06-01/2001-06-10",
    ),
    ("Tom met Sarah last Tuesday", "last Tuesday", "2001-05-15", "2001-05-16", "day", "2001-05-15"),
    (
        "Tom will visit Tokyo in two weeks",
        "in two weeks",
        "2001-05-28",
        "2001-06-04",
        "week",
        "2001-W22",
    ),
    (
        "Tom launched the app in Q3 2025",
        "Q3 2025",
        "2025-07-01",
        "2025-10-01",
        "quarter",
        "2025-Q3",
    ),
    (
        "小明 last Tuesday 在公司开会",
        "last Tuesday",
        "2001-05-15",
        "2001-05-16",
        "day",
        "2001-05-15",
    ),
]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("text", "words", "start", "end", "granularity", "name"), TIMED)
def test_a_relative_time_is_an_interval_and_a_node(
    tmp_path: Path, text: str, words: str, start: str, end: str, granularity: str, name: str
) -> None:
    """It is absolute, keeps its precision and its words, and the statement leads to it."""
    with fake_brain(tmp_path) as brain:
        say(brain, text)
        (statement,) = all_of(brain, "statements")
        assert {(statement.title, "TIME", name)} == edges(brain, EdgeType.TIME)
    time = statement.value["time"]
    assert (granularity, words) == (time["granularity"], time["words"])
    ends = [datetime.fromisoformat(one).replace(tzinfo=UTC) for one in (start, end)]
    assert ends == [datetime.fromisoformat(time[one]) for one in ("start", "end")]


@pytest.mark.spec("C7")
def test_a_day_is_one_node_whatever_it_is_called(tmp_path: Path) -> None:
    """Yesterday's today is today's yesterday, in both languages."""
    with fake_brain(tmp_path) as brain:
        say(brain, "小明今天在公园踢足球")
        say(brain, "Tom called Anna yesterday", AT + timedelta(days=1))
        assert {
            ("小明今天在公园踢足球", "TIME", "2001-05-17"),
            ("Tom called Anna yesterday", "TIME", "2001-05-17"),
        } == edges(brain, EdgeType.TIME)


@pytest.mark.spec("C2", "C7")
def test_a_time_and_a_manner_are_no_memories(tmp_path: Path) -> None:
    """However often they are said they wait, and the result says why; no episode mentions them."""
    with fake_brain(tmp_path) as brain:
        for day in range(4):
            said = f"Tom carefully washed car{day} on May 16, 2001. 小明2001年5月16日认真地踢足球。"
            result = say(brain, said, AT + timedelta(days=day))
        waiting = {one.title for one in all_of(brain, "entities") if one.status is Status.CANDIDATE}
        assert {"2001-05-16", "carefully", "认真"} <= waiting
        named = {end for _, _, end in edges(brain, EdgeType.MENTIONS)}
        assert {"Tom", "小明"} <= named
        assert not {"2001-05-16", "carefully", "认真"} & named
        kinds = {one.key for one in result.memory_written.items}
    told = {
        one.key: (one.action, one.code)
        for one in result.explain.retention
        if one.key.startswith("entity:other")
    }
    assert 3 == len(told)
    assert {(RetentionAction.DEFERRED, "entity_gate")} == set(told.values())
    assert not kinds & set(told)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "manner"),
    [
        ("小明认真地踢足球", "认真"),
        ("Tom carefully opened the box", "carefully"),
        ("Anna went to Berlin by train", "train"),
        ("小李carefully写了周报", "carefully"),
    ],
)
def test_how_something_is_done_is_in_the_graph(tmp_path: Path, text: str, manner: str) -> None:
    """The statement leads to its manner."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        assert {(text, "MANNER", manner)} == edges(brain, EdgeType.MANNER)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("因为大雨，比赛取消了", "比赛取消了", "大雨"),
        ("由于 outage，小明取消了会议", "小明取消了会议", "outage"),
        (
            "The match was cancelled due to heavy rain",
            "The match was cancelled due to heavy rain",
            "heavy rain",
        ),
        ("The match was cancelled because it rained", "The match was cancelled", "rained"),
    ],
)
def test_a_reason_in_a_few_words_is_in_the_graph(
    tmp_path: Path, text: str, effect: str, cause: str
) -> None:
    """The statement leads to what caused it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        assert {(effect, "CAUSE", cause)} == edges(brain, EdgeType.CAUSE, EdgeType.CAUSES)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("妈妈批评了小红，因为她打碎了花瓶", "妈妈批评了小红", "因为她打碎了花瓶"),
        ("服务器宕机了，所以客户取消了订单", "所以客户取消了订单", "服务器宕机了"),
        ("Tom stayed home because Anna left", "Tom stayed home", "because Anna left"),
        ("服务器宕机了, so Tom cancelled the trip", "so Tom cancelled the trip", "服务器宕机了"),
    ],
)
def test_a_reason_that_is_told_is_tied_both_ways(
    tmp_path: Path, text: str, effect: str, cause: str
) -> None:
    """Both clauses are statements: one is the cause of the other, which it causes."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(f"{text}。")])
        brain.commit_turn("s", [user("小明在公园里踢足球")])
        found = {
            (src.rstrip("。"), kind, dst.rstrip("。"))
            for src, kind, dst in edges(brain, EdgeType.CAUSE, EdgeType.CAUSES, EdgeType.CAUSED_BY)
        }
    assert found == {
        (effect, "CAUSE", cause),
        (effect, "CAUSED_BY", cause),
        (cause, "CAUSES", effect),
    }


@pytest.mark.spec("M5", "C7")
@pytest.mark.parametrize(
    ("text", "shown", "by"),
    [
        (
            "The tests passed. This shows that Tom fixed the server.",
            "This shows that Tom fixed the server.",
            "The tests passed.",
        ),
        (
            "Anna paid the bill, which proves that she got the letter",
            "which proves that she got the letter",
            "Anna paid the bill",
        ),
        ("小红取消了订单。这说明她收到了邮件。", "这说明她收到了邮件。", "小红取消了订单。"),
        ("小明打碎了花瓶，证明他在厨房踢足球", "证明他在厨房踢足球", "小明打碎了花瓶"),
    ],
)
def test_what_is_said_to_show_something_supports_it(
    tmp_path: Path, text: str, shown: str, by: str
) -> None:
    """The statement before supports the one that it is said to show."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        found = {
            (src.strip(), kind, dst.strip()) for src, kind, dst in edges(brain, EdgeType.SUPPORTS)
        }
    assert (by, "SUPPORTS", shown) in found


@pytest.mark.spec("M5", "C7")
@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("Tom worked at Google from 2019 to 2021.", "2019-01-01", "2022-01-01"),
        ("小红从3月1日到3月5日在北京工作。", "2001-03-01", "2001-03-06"),
        ("Tom visited Berlin yesterday.", None, None),
        ("小红昨天去了北京。", None, None),
    ],
)
def test_an_edge_holds_as_long_as_the_words_say(
    tmp_path: Path, text: str, since: str | None, until: str | None
) -> None:
    """A stretch of time that is told bounds the parts that are played in it; a day does not."""
    with fake_brain(tmp_path) as brain:
        say(brain, text)
        with inside(brain) as rows:
            every = [edge for one in all_of(brain, "statements") for edge in rows.edges.of(one.id)]
    (agent,) = (edge for edge in every if edge.type is EdgeType.AGENT)
    told = [agent.since and agent.since.date(), agent.until and agent.until.date()]
    assert [since, until] == [day and day.isoformat() for day in told]


@pytest.mark.spec("C7")
def test_reasons_of_two_messages_are_not_mixed_up(tmp_path: Path) -> None:
    """Each statement is tied to the clause of its own message."""
    with fake_brain(tmp_path) as brain:
        said = [user("Tom stayed home because Anna left"), user("Bob slept because Anna called")]
        brain.commit_turn("s", said)
        assert {
            ("Tom stayed home", "CAUSE", "because Anna left"),
            ("Bob slept", "CAUSE", "because Anna called"),
        } == edges(brain, EdgeType.CAUSE)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("小明在公园里踢足球", "小明和小红在公园里踢足球"),
        ("Tom plays soccer in the park", "Tom plays soccer in the park with Anna"),
    ],
)
def test_statements_that_are_alike_are_tied(tmp_path: Path, first: str, second: str) -> None:
    """Days apart they are two events of one kind; within a day they are one."""
    for days, kind in ((3, EdgeType.SIMILAR_TO), (0, EdgeType.SAME_AS)):
        with fake_brain(tmp_path / kind) as brain:
            say(brain, first)
            say(brain, second, AT + timedelta(days=days))
            found = edges(brain, EdgeType.SIMILAR_TO, EdgeType.SAME_AS)
        assert {(second, kind.value, first)} == found


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("小明在公园里踢足球", "小红在学校踢足球"),
        ("小明在公园里踢足球", "小明没在公园里踢足球"),
        ("Tom plays soccer in the park", "Anna plays soccer at school"),
        ("Tom plays soccer in the park", "Tom doesn't play soccer in the park"),
    ],
)
def test_statements_that_differ_are_not_alike(tmp_path: Path, first: str, second: str) -> None:
    """Somebody else somewhere else, or a denial."""
    with fake_brain(tmp_path) as brain:
        say(brain, first)
        say(brain, second, AT + timedelta(days=3))
        assert set() == edges(brain, EdgeType.SIMILAR_TO)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We use Postgres 15 for the orders in Oslo", "We use Postgres 16 for the orders in Oslo"),
        ("Tom rents three rooms in the park hotel", "Tom rents four rooms in the park hotel"),
        ("我们在奥斯陆的订单系统里用 Postgres 15", "我们在奥斯陆的订单系统里用 Postgres 16"),
        ("小明在公园旁边的酒店里租了三间房", "小明在公园旁边的酒店里租了四间房"),
    ],
)
def test_another_number_is_another_event(tmp_path: Path, first: str, second: str) -> None:
    """However much else of two statements is the same, they tell two things."""
    with fake_brain(tmp_path) as brain:
        say(brain, first)
        say(brain, second)
        assert set() == edges(brain, EdgeType.SAME_AS)
        assert {(second, "SIMILAR_TO", first)} == edges(brain, EdgeType.SIMILAR_TO)


@pytest.mark.spec("C7")
def test_likeness_has_a_threshold_and_few_neighbours(tmp_path: Path) -> None:
    """It is a setting, and a statement is tied to three others at most."""
    said = "Tom plays soccer in the park"
    for least, count in ((0.75, 3), (1.0, 3), (0.5, 3)):
        linking = {"linking": {"similar_to_min": least}}
        with fake_brain(tmp_path / str(least), policies=linking) as brain:
            for day in range(6):
                say(brain, said, AT + timedelta(days=3 * day))
            last = all_of(brain, "statements")[-1]
            with inside(brain) as rows:
                alike = rows.edges.of(last.id, kind=EdgeType.SIMILAR_TO)
            assert count == len([one for one in alike if one.src == last.id])
            say(brain, "Anna plays soccer at school", AT + timedelta(days=60))
            (other,) = [one for one in all_of(brain, "statements") if one.text.endswith("school")]
            with inside(brain) as rows:
                alike = rows.edges.of(other.id, kind=EdgeType.SIMILAR_TO)
        assert bool(alike) is (least == 0.5)


@pytest.mark.spec("C7", "E1")
def test_what_is_tied_is_tied_again_when_the_events_are_replayed(tmp_path: Path) -> None:
    """The same nodes and edges come out of the same turns."""
    with fake_brain(tmp_path) as brain:
        for day in range(3):
            said = (
                "小明昨天认真地踢足球，因为小红送给他一个足球。Tom carefully washed the car "
                "last Tuesday because it rained. 由于大雨，比赛取消了。"
            )
            say(brain, said, AT + timedelta(days=3 * day))
        kinds = {kind for _, kind, _ in edges(brain, *EdgeType)}
        assert {"TIME", "MANNER", "CAUSE", "CAUSES", "SIMILAR_TO"} <= kinds
        with brain._lease() as tenant:
            assert check_replay(tenant, brain._root.rules).identical


@pytest.mark.spec("C7")
def test_the_manner_of_a_denial_does_not_hide_the_contradiction(tmp_path: Path) -> None:
    """Who does what, where and when is compared, not how or why."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("Tom plays soccer in the park")])
        brain.commit_turn("s", [user("Tom doesn't play soccer in the park alone")])
        assert 2 == len(edges(brain, EdgeType.CONTRADICTS))
