"""Tasks in Chinese and mixed sentences, and any text at all."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import goals, tasks
from smartbrain.remember.extract.said import read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")  # a Thursday
WORDS = (
    *(
        "我",
        "我们",
        "得",
        "要",
        "需要",
        "必须",
        "还没",
        "把",
        "给",
        "写",
        "报告",
        "周报",
        "完了",
        "好了",
        "，",
        "。",
    ),
    *(
        "已经",
        "卡住了",
        "正在",
        "待办：",
        "、",
        "和",
        "目标是",
        "今年",
        "想",
        "周五",
        "之前",
        "明天",
        "的",
        "了",
    ),
    *(
        "I ",
        "we ",
        "need to ",
        "have to ",
        "buy ",
        "milk ",
        "and ",
        "the ",
        "report ",
        "is ",
        "done ",
    ),
    *(
        "blocked ",
        "by ",
        "Friday ",
        "my goal is to ",
        "want to ",
        "this year ",
        ", ",
        ". ",
        "TODO: ",
    ),
    *("- [ ] ", "- [x] ", "\n", "finished ", "working on ", "'ve ", "to be ", "due ", "?", "if "),
)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=150),
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join),
)


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Read a message and return its tasks."""
    said = read_said(text, source=source, speaker="somebody", at=AT)
    return [one for sentence in said.sentences for one in tasks.find(sentence, said)]


def values(text: str) -> list[dict[str, Any]]:
    """Return the values of the tasks of a message, without the project of all, and notes."""
    kept = [dict(one.value) for one in found(text)]
    return [{k: v for k, v in one.items() if k not in ("project", "notes")} for one in kept]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "title", "day"),
    [
        ("我明天要去派出所补办身份证。", "去派出所补办身份证", "06"),
        ("周五之前必须把合同发给法务。", "把合同发给法务", "06"),
        ("我还得给房东打个电话。", "给房东打个电话", None),
        ("需要在月底前完成季度复盘报告。", "季度复盘报告", "31"),
        ("提醒我周日交房租。", "交房租", "08"),
        ("待办：给客户寄样品", "给客户寄样品", None),
        ("简历还没改。", "改简历", None),
        ("还没给供应商回邮件。", "给供应商回邮件", None),
        ("我们需要重构支付模块。", "重构支付模块", None),
        ("老板让我明天之前交一份竞品分析。", "交一份竞品分析", "06"),
        ("合同月底前必须签完。", "合同", "31"),
        ("我打算明天把旧沙发处理掉。", "把旧沙发处理掉", "06"),
        ("我正打算买一台烤箱。", "买一台烤箱", None),
        ("TODO 把 logo 换成 svg 格式", "把 logo 换成 svg 格式", None),
    ],
)
def test_what_has_to_be_done_is_an_open_task(text: str, title: str, day: str | None) -> None:
    """The title holds what is to be done, the deadline stands apart from it."""
    due = {"due": f"2026-03-{day}"} if day else {}

    assert [{"title": title, "status": "todo"} | due] == values(text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("待办：买菜、交水电费、给妈妈打电话", ["买菜", "交水电费", "给妈妈打电话"]),
        ("我得写周报和订会议室。", ["写周报", "订会议室"]),
        ("我得买牛奶、鸡蛋和面包。", ["买牛奶、鸡蛋和面包"]),
        ("我要写周报，还要给客户回邮件。", ["写周报", "给客户回邮件"]),
        ("要做：更换滤芯，不然就漏水了。", ["更换滤芯"]),
    ],
)
def test_every_thing_of_a_list_is_a_task_of_its_own(text: str, titles: list[str]) -> None:
    """Lists of things to do are cut, lists of things to buy are not."""
    assert titles == [one["title"] for one in values(text)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "title", "status"),
    [
        ("周报写好了。", "写周报", "done"),
        ("我已经把合同发给法务了。", "发合同", "done"),
        ("代码评审搞定了。", "代码评审", "done"),
        ("我完成了季度复盘报告。", "季度复盘报告", "done"),
        ("登录页的 bug 已经 fix 了。", "登录页的 bug", "done"),
        ("我正在写年终总结。", "写年终总结", "doing"),
        ("我正在计划去海南的旅行。", "计划去海南的旅行", "doing"),
        ("接口文档写了一半。", "接口文档", "doing"),
        ("需求评审正在进行中。", "需求评审", "doing"),
        ("项目上线被安全审核卡住了。", "项目上线", "blocked"),
        ("我卡在环境配置这一步了。", "环境配置", "blocked"),
        ("写周报卡住了。", "写周报", "blocked"),
        ("采购流程还在等财务审批。", "采购流程", "blocked"),
        ("支付功能 blocked 了。", "支付功能", "blocked"),
    ],
)
def test_how_far_a_task_is_is_told_with_its_name(text: str, title: str, status: str) -> None:
    """Reports of progress name the task as the plan did."""
    assert [{"title": title, "status": status}] == values(text)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "我需要你。",
            "要下雨了。",
            "我在做我的公司。",
            "我要睡觉了。",
            "我得走了。",
            "你得耐心一点。",
            "我要一杯咖啡。",
            "做人要诚实。",
        ),
        *(
            "我觉得不错。",
            "我吃完饭了。",
            "我需要休息。",
            "需要我做什么吗？",
            "如果要迁移数据库，需要先备份。",
        ),
        *(
            "他说他要把车卖了。",
            "每天都要喝八杯水。",
            "我不需要再交材料了。",
            "帮我写一封邮件。",
            "作业写完了吗？",
        ),
        *(
            "我们还没决定。",
            "好了，不说了。",
            "搞定！",
            "电脑卡住了。",
            "我在看书。",
            "等我写完报告再说。",
            "我得想想。",
        ),
    ],
)
def test_what_only_sounds_like_a_task_is_none(text: str) -> None:
    """Feelings, rules, questions, conditions, others' plans and requests are no tasks."""
    assert [] == values(text)


@pytest.mark.spec("C6")
def test_a_task_points_at_its_words() -> None:
    """Offsets are those of the message."""
    text = "闲话说完了。我得在周五之前把报表交给财务，先这样。"

    task = found(text)[0]

    assert "我得在周五之前把报表交给财务" == text[task.offset :][: task.length]


@pytest.mark.spec("C6", "M1")
@given(TEXTS)
def test_any_text_gives_tasks_and_goals_that_can_be_kept(text: str) -> None:
    """Nothing raises, every value has a key and is whole, every place is in the message."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    for sentence in said.sentences:
        for one in (*tasks.find(sentence, said), *goals.find(sentence, said)):
            kind = BUILTIN_TYPES.get(one.type)
            kind.complete(kind.key_of(one.value), one.value)
            assert 0 <= one.offset < one.offset + one.length <= len(text)
            assert one.text.strip()
            assert one.confidence >= 0.8


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("登录重构目前的状态是进行中。", ["登录重构"]),
        ("报价单的进度目前是推进中。", ["报价单"]),
        ("landing page的状态是in progress。", ["landing page"]),
        ("目前状态是进行中。", []),
        ("状态是进行中。", []),
    ],
)
def test_the_word_for_a_state_is_no_part_of_a_task(text: str, titles: list[str]) -> None:
    """What is under way is the thing; a state of nothing in particular is no task."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    found = [one for sentence in said.sentences for one in tasks.find(sentence, said)]
    assert titles == [one.value["title"] for one in found]
    assert all(one.value["status"] == "doing" for one in found)
