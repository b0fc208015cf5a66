"""A task that does not go on is blocked, with the reason for it, until it goes on again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from smartbrain import SmartBrain

AT: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)


def tasks(folder: Path, *texts: str, backwards: bool = False) -> list[tuple[str, str, list[str]]]:
    """Return the tasks after messages of the user: their titles, states and notes."""
    numbered = list(enumerate(texts, start=1))
    with SmartBrain.open(folder, clock=lambda: AT + timedelta(days=1)) as brain:
        for minutes, text in reversed(numbered) if backwards else numbered:
            at = (AT + timedelta(minutes=minutes)).isoformat()
            message = {"role": "user", "content": text}
            brain.commit_turn("s", {"messages": [message], "at": at})
        known = brain.memories.list(type="tasks").items
        return sorted(
            (one.value["title"], one.value["status"], list(one.value.get("notes") or ()))
            for one in known
        )


@pytest.mark.spec("C1", "M1")
@pytest.mark.parametrize(
    ("text", "title", "why"),
    [
        (
            "The migration is blocked by the DBA review.",
            "migration",
            "blocked by the DBA review",
        ),
        (
            "I'm stuck on the login bug because the API is down",
            "login bug",
            "because the API is down",
        ),
        ("The API is down so I'm stuck on the login bug.", "login bug", "because the API is down"),
        (
            "I can't finish the report until Bob sends the numbers, sorry.",
            "report",
            "until Bob sends the numbers",
        ),
        (
            "The import job is blocked: the FTP credentials are missing.",
            "import job",
            "because the FTP credentials are missing",
        ),
        (
            "I'm blocked on the payment integration: waiting for the certificate",
            "payment integration",
            "waiting for the certificate",
        ),
        ("Waiting on Alice for the API keys", "API keys", "waiting on Alice for the API keys"),
        ("We're blocked by legal on the contract.", "contract", "blocked by legal"),
        (
            "I'm held up by the vendor on the payment integration",
            "payment integration",
            "blocked by the vendor",
        ),
        (
            "The data migration is blocked, waiting for DBA approval.",
            "data migration",
            "waiting for DBA approval",
        ),
        ("数据迁移卡住了，在等DBA审批。", "数据迁移", "等DBA审批"),
        ("在等DBA审批，数据迁移卡住了。", "数据迁移", "等DBA审批"),
        ("迁移卡在 DBA 审核上了", "迁移", "卡在 DBA 审核"),
        ("登录 bug 卡住了,等后端接口", "登录 bug", "等后端接口"),
        ("发布被安全审核卡住了", "发布", "被安全审核卡住"),
        ("支付对接被阻塞了，等第三方给证书", "支付对接", "等第三方给证书"),
        ("支付对接卡住了，对方的沙箱账号没批下来。", "支付对接", "因为对方的沙箱账号没批下来"),
        ("服务器没到，所以部署暂停了", "部署", "因为服务器没到"),
        ("等 Alice 给 API key，登录功能没法继续", "登录功能", "等 Alice 给 API key"),
        ("我还在等 Alice 给 API key", "API key", "等 Alice 给 API key"),
        ("migration 被 DBA review block 住了", "migration", "被 DBA review block 住"),
    ],
)
def test_a_blocked_task_is_kept_with_what_it_waits_for(
    tmp_path: Path, text: str, title: str, why: str
) -> None:
    """The reason is a note of the task, wherever the sentence tells it."""
    assert [(title, "blocked", [why])] == tasks(tmp_path, text)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "text",
    [
        "The road is blocked by snow",
        "I blocked him on Twitter",
        "The kids are stuck at home because of the rain",
        "I'm waiting for your reply",
        "I'm waiting on my coffee",
        "I'm blocked by the missing API key.",
        "Blocked by the DBA",
        "我被法务卡住了",
        "我的终端卡死了",
        "我卡在地铁上了",
        "网页卡住了",
        "我在等你的回复",
        "在等公交车的时候我写了代码",
    ],
)
def test_what_is_nobodys_work_is_no_blocked_task(tmp_path: Path, text: str) -> None:
    """Things hang and people wait without anything to do."""
    assert tasks(tmp_path, text) == []


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("todo", "held", "then", "title"),
    [
        (
            "I need to migrate the database",
            "the database migration is blocked by the DBA review",
            "The database migration is no longer blocked.",
            "migrate the database",
        ),
        (
            "I need to fix the login bug",
            "I'm stuck on the login bug because the API is down",
            "The login bug isn't blocked anymore",
            "fix the login bug",
        ),
        (
            "I need to fix the login bug",
            "The login bug is on hold until Monday",
            "The blocker for the login bug is gone",
            "fix the login bug",
        ),
        (
            "I need to fix the login bug",
            "I'm stuck on the login bug because the API is down",
            "I'm no longer stuck on the login bug",
            "fix the login bug",
        ),
        ("我要修登录 bug", "登录 bug 卡住了，等后端接口", "登录 bug 不卡了", "修登录 bug"),
        ("我要修登录 bug", "登录 bug 卡住了，等后端接口", "登录 bug 可以继续了", "修登录 bug"),
        ("我要做数据迁移", "数据迁移卡在 DBA 审核上了", "数据迁移的卡点解决了", "数据迁移"),
    ],
)
def test_a_task_goes_on_that_is_blocked_no_more(
    tmp_path: Path, todo: str, held: str, then: str, title: str, *, backwards: bool
) -> None:
    """It is the same task in other words, in any order of arrival, and its reason is gone."""
    assert [(title, "doing", [])] == tasks(tmp_path, todo, held, then, backwards=backwards)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("held", "word", "title"),
    [
        ("The login bug is blocked by the API", "No longer blocked!", "login bug"),
        ("The login bug is blocked by the API", "resolved", "login bug"),
        ("登录 bug 卡住了，等后端接口", "不卡了", "登录 bug"),
        ("登录 bug 卡住了，等后端接口", "解决了", "登录 bug"),
    ],
)
def test_a_word_lets_the_task_go_on_that_was_spoken_of(
    tmp_path: Path, held: str, word: str, title: str
) -> None:
    """Who says no more than that it is no longer blocked means what was said just before."""
    assert [(title, "doing", [])] == tasks(tmp_path, held, word)


@pytest.mark.spec("C1")
def test_only_the_reason_goes_with_the_block(tmp_path: Path) -> None:
    """Notes that tell something else stay, and a new reason takes the place of the old one."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        task = {"project": "general", "task_id": "login", "title": "login page"}
        brain.commit_turn("s", {"tasks": [{**task, "notes": ["uses OAuth"]}]})
        seen = []
        for text in (
            "The login page is blocked by legal.",
            "The login page is blocked because the API is down.",
            "The login page is unblocked.",
        ):
            brain.commit_turn("s", [{"role": "user", "content": text}])
            (one,) = brain.memories.list(type="tasks").items
            seen.append((one.value["status"], one.value["notes"]))
        assert seen == [
            ("blocked", ["uses OAuth", "blocked by legal"]),
            ("blocked", ["uses OAuth", "because the API is down"]),
            ("doing", ["uses OAuth"]),
        ]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("todo", "held", "expected"),
    [
        (
            "I need to migrate the database.",
            "I'm blocked by the missing API key.",
            [("migrate the database", "blocked", ["blocked by the missing API key"])],
        ),
        ("我要写合同", "我被法务卡住了", [("写合同", "blocked", ["被法务卡住"])]),
        (
            "I need to migrate the database. I also need to write the report.",
            "I'm blocked by the missing API key.",
            [("migrate the database", "todo", []), ("write the report", "todo", [])],
        ),
        ("我要写合同。我要修登录 bug。", "我被法务卡住了",
         [("修登录 bug", "todo", []), ("写合同", "todo", [])]),
    ],
)  # fmt: skip
def test_what_holds_somebody_up_is_the_reason_of_what_was_spoken_of(
    tmp_path: Path,
    todo: str,
    held: str,
    expected: list[tuple[str, str, list[str]]],
    *,
    backwards: bool,
) -> None:
    """It is no task of its own; where two were spoken of, nobody knows which is meant."""
    assert expected == tasks(tmp_path, todo, held, backwards=backwards)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("登录模块的单元测试完成了。", "登录模块的单元测试"),
        ("集成测试完成了", "集成测试"),
        ("集成测试完了", "集成测试"),
        ("代码评审完成了", "代码评审"),
        ("登录模块开发完成", "登录模块开发"),
        ("生产部署好了", "生产部署"),
        ("接口文档整理完成了", "整理接口文档"),
        ("报告写完了", "写报告"),
    ],
)
def test_a_compound_noun_is_a_title_as_it_stands(tmp_path: Path, text: str, title: str) -> None:
    """What is done to a thing stands before it, as it is planned."""
    assert [(title, "done", [])] == tasks(tmp_path, text)


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize(
    ("todo", "done", "title"),
    [
        ("我要测试登录模块", "登录模块测试完成了", "测试登录模块"),
        ("我要迁移数据库", "数据库迁移完成了", "迁移数据库"),
        ("我要做集成测试", "集成测试完成了", "集成测试"),
    ],
)
def test_a_compound_noun_ends_what_was_planned_by_its_verb(
    tmp_path: Path, todo: str, done: str, title: str
) -> None:
    """They are one task."""
    assert [(title, "done", [])] == tasks(tmp_path, todo, done)
