"""Read tasks and facts from the fields of structured tool results (C3, C11).

In: the name of a tool and its result. Out: candidates of what the result states in fields of its
own: the items of a tracker with their states, and facts with subject, attribute and value. Text
in a result is never read for what it says; nothing is guessed from numbers and logs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import islice
from typing import Any, Final

from smartbrain.domain.claim import Candidate, Source
from smartbrain.domain.keys import GENERAL
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.errors import UsageError
from smartbrain.text.pattern import pattern

CONFIDENCE: Final = 0.9
MOST: Final = 200
"""How many candidates one result, and all those of a turn together, may give."""
_MAX_DEPTH: Final = 8
_MAX_TEXT: Final = 200
_TITLES: Final = ["title", "summary", "task", "subject", "name", "content", "标题", "任务", "名称"]
_STATES: Final = ["status", "state", "progress", "状态", "进度"]
_FLAGS: Final = [
    *("done", "completed", "complete", "is_done", "is_completed", "checked", "closed", "完成")
]
_DUES: Final = ["due", "due_date", "duedate", "due_on", "due_at", "deadline", "截止", "截止日期"]
_PROJECTS: Final = ["project", "project_name", "board", "repo", "repository", "项目"]
_IDS: Final = ["task_id", "issue_key", "identifier", "key", "number", "iid", "id", "gid", "编号"]
_SIGNS: Final = {*_DUES, *["assignee", "assignees", "priority", "labels", "负责人", "优先级"]}
"""Fields that tell a task where its tool's name does not."""
_SUBJECTS: Final = ["subject", "entity", "about", "主体", "对象", "主语"]
_ATTRIBUTES: Final = ["attribute", "property", "predicate", "key", "field", "name", "属性", "字段"]
_VALUES: Final = ["value", "object", "值"]
_INNER: Final = ["fields", "attributes", "properties"]
# What names an item wherever it is shown: A-12, 1207345678; a short number only in its project.
_ID: Final = pattern(r"#?(?=[\w.-]*\d)[\w.-]{1,64}")
_COUNTED: Final = pattern(
    r"#?(?:(?:tasks?|to-?dos?|items?|steps?|id|no|t)[._-]?)?\d{1,5}", re.IGNORECASE
)
_TRACKER: Final = pattern(
    r"(?:\A|[^a-z])(?:tasks?|to-?_?dos?|issues?|tickets?|cards?|kanban|boards?|tracker|jira|trello"
    r"|asana|linear|backlog|sprint|checklist|reminders?|stor(?:y|ies)|bugs?|epics?)(?:\Z|[^a-z])"
    r"|待办|任务|看板|工单|清单",
    re.IGNORECASE,
)
_NOT_TASKS: Final = pattern(
    r"pull|(?:\A|_)prs?(?:\Z|_)|\bci\b|build|pipeline|deployments?\Z|runs?\Z", re.IGNORECASE
)
_STATUS_WORDS: Final = {
    "todo": "todo to_do open opened new pending backlog planned ready not_started unstarted"
    " incomplete created reopened queued needsaction outstanding scheduled needs_action"
    " 待办 未开始 待处理 未完成 新建 打开 待开始 计划中 待完成 没做 未做",
    "doing": "doing in_progress inprogress started active wip ongoing in_review working"
    " in_development under_review review testing running"
    " 进行中 处理中 开发中 测试中 评审中 正在做 在做 审核中",
    "done": "done closed complete completed finished resolved fixed merged shipped released checked"
    " 已完成 完成 已关闭 已解决 关闭 结束 已办 做完了 已处理 已结束",
    "blocked": "blocked on_hold onhold waiting stuck paused impeded stalled"
    " 阻塞 受阻 卡住 挂起 暂停 等待中 搁置 已阻塞 被阻塞 等待",
}
_STATUSES: Final = {
    word: status for status, words in _STATUS_WORDS.items() for word in words.split()
}
_Item = Mapping[Any, Any]


def find_in_results(name: str, result: Any) -> Iterator[Candidate]:
    """Yield what the fields of a tool's result propose; a tracker's items are tasks."""
    yield from islice(_walk(result, _names_tasks(name), 0), MOST + 1)  # one tells of more


def _walk(part: Any, tracker: bool, depth: int) -> Iterator[Candidate]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(part, list | tuple):
        for item in part:
            yield from _walk(item, tracker, depth + 1)
    elif isinstance(part, Mapping):
        fact = _fact(_text(part, _SUBJECTS), part)
        yield from filter(None, (fact or _task(part, tracker),))
        for name, item in part.items():
            if isinstance(item, Mapping | list | tuple):
                text = name if isinstance(name, str) else ""
                inside = (tracker and text != "" and not _NOT_TASKS.search(text)) or (
                    _names_tasks(text)
                )
                if name in _INNER and isinstance(item, Mapping):
                    item = {**{one: part[one] for one in _IDS if one in part}, **item}
                yield from _walk(item, inside, depth + 1)


def _names_tasks(name: str) -> bool:
    return bool(_TRACKER.search(name)) and not _NOT_TASKS.search(name)


def _task(item: _Item, tracker: bool) -> Candidate | None:
    state, title = _text(item, _STATES), _text(item, _TITLES)
    flag = next((item[name] for name in _FLAGS if isinstance(item.get(name), bool)), None)
    status = _STATUSES.get("_".join(state.lower().replace("-", " ").split())) if state else None
    if not state and flag is not None:
        status = "done" if flag else "todo"
    if not status or not title or not (tracker or _SIGNS & item.keys()):
        return None
    value = {"project": _text(item, _PROJECTS) or GENERAL, "title": title, "status": status}
    if task_id := _task_id(item, value["project"]):
        value["task_id"] = task_id
    with suppress(ValueError):  # it says none
        value["due"] = date.fromisoformat(_text(item, _DUES)[:10]).isoformat()
    return _candidate("tasks", value, "tools.task")


def _task_id(item: _Item, project: str) -> str:
    """Return what a tracker calls an item for good; empty for its place in a list."""
    for name in _IDS:
        given = item.get(name)
        if isinstance(given, bool) or not isinstance(given, str | int):
            continue
        told = str(given).strip()
        counted = project == GENERAL and _COUNTED.fullmatch(told)
        if _ID.fullmatch(told) and not counted:
            return told.removeprefix("#")
    return ""


def _fact(subject: str, item: _Item) -> Candidate | None:
    attribute = _text(item, _ATTRIBUTES)
    value = next((item[name] for name in _VALUES if name in item), None)
    if not subject or not attribute or not _is_plain(value):
        return None
    fact = {"subject": subject, "attribute": attribute, "value": value}
    return _candidate("facts", fact, "tools.fact")


def _is_plain(value: object) -> bool:
    """Tell whether a value is one short datum rather than prose or a structure."""
    if isinstance(value, str):
        return len(value.strip()) > 0 and len(value) <= _MAX_TEXT and "\n" not in value
    return isinstance(value, bool | int | float)


def _text(item: _Item, names: Sequence[str]) -> str:
    """Return the first short text among some fields; of a thing with a name its name."""
    for name in names:
        given = item.get(name)
        if isinstance(given, Mapping):
            given = given.get("name") or given.get("title")
        if isinstance(given, str) and _is_plain(given):
            return " ".join(given.split())
    return ""


def _candidate(kind: str, value: dict[str, Any], rule: str) -> Candidate | None:
    declared = BUILTIN_TYPES.get(kind)
    try:
        declared.complete(declared.key_of(value), value)
    except UsageError:
        return None
    return Candidate(
        type=kind,
        value=value,
        text=declared.sentence(value),
        rule=rule,
        source=Source.TOOL,
        confidence=CONFIDENCE,
    )
