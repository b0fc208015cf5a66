"""What Chinese sentences say about tasks: what is to be done, under way, blocked or finished (C6).

In: a sentence. Out: the parts of it that tell of tasks, as places; whether they count is for
`tasks` to say. English words between the Chinese ones are read too ("X done 了").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.time_span import TimeSpan
from smartbrain.remember.extract import tasks_zh_forms as forms
from smartbrain.remember.extract.facts_people import is_somebody
from smartbrain.remember.extract.tasks_title import Told, numbered
from smartbrain.remember.extract.tasks_zh_idioms import idioms

Times = Callable[[], list[TimeSpan]]
"""Gives the times of the sentence; to look for them is worth it only where there may be a task."""


class _Part(NamedTuple):
    """A clause: where it stands in the sentence."""

    start: int
    end: int


def chinese(text: str, times: Times, *, told_by_user: bool) -> Iterator[Told]:
    """Yield what a sentence tells of tasks; somebody else's report only tells how far they are."""
    announced = told_by_user and forms.ANNOUNCES.search(text)
    found = forms.HEADER.search(text) if announced else None
    if found and text[found.end() :].strip():
        begin = max(text.rfind(mark, 0, found.start()) for mark in "，,。；;") + 1
        yield from _list(text, begin, found.end())
        return
    parts = list(_parts(text))
    if told_by_user:
        yield from idioms(text, parts)
    wanted = held = False
    waits: list[Told] = []
    for part in parts:
        told = list(_clause(text, part, times, told_by_user=told_by_user))
        if not told and wanted and (also := forms.ALSO.match(text, part.start, part.end)):
            told = [Told(part.start, also.end(), part.end, "todo", "tasks.need")]
        if held and told and told[-1].rule in _WHY:
            told = []  # 卡在财务, 在等审批 say why what was named before is held up
        held = bool(told) and told[-1].status == "blocked" and told[-1].rule != _WAITS
        wanted = bool(told) and told[-1].rule in _NEEDS
        yield from () if held else waits
        waits = [one for one in told if one.rule == _WAITS]
        yield from (one for one in told if one.rule != _WAITS)
    yield from waits


_WAITS: Final = "tasks.waiting"
_WHY: Final = ("tasks.stuck", _WAITS)
_NEEDS: Final = ("tasks.need", "tasks.want")


def _parts(text: str) -> Iterator[_Part]:
    start = 0
    for found in [*forms.COMMA.finditer(text), None]:
        end = found.start() if found else len(text)
        if text[start:end].strip():
            yield _Part(start, end)
        start = found.end() if found else end


def _list(text: str, begin: int, start: int) -> Iterator[Told]:
    """Yield the items that stand after a heading, up to a remark about them."""
    for place, end in (items := numbered(text, start)):
        comma = forms.COMMA.search(text, place, end)
        yield Told(begin, place, comma.start() if comma else end, "todo", "tasks.list", close=end)
    if items:
        return
    place = start
    for joint in [*forms.ITEM.finditer(text, start), None]:
        end = joint.start() if joint else len(text)
        goes_on = joint is not None and (
            joint[0][0] in "、；;" or forms.VP.match(text, joint.end()) is not None
        )
        remark = joint is not None and not goes_on and joint[0][0] in "，,"
        if joint and not goes_on and not remark:
            continue  # 和 between two things, not between two tasks
        number = forms.NUMBER.match(text, place, end)
        place = number.end() if number else place
        if text[place:end].strip():
            yield Told(begin, place, end, "todo", "tasks.list")
        if not joint or remark:
            return
        place = joint.end()


def _clause(text: str, part: _Part, times: Times, *, told_by_user: bool) -> Iterator[Told]:
    """Yield what one clause tells."""
    clause = text[part.start : part.end]
    states = list(_state(clause, part.start)) if forms.ANY_STATE.search(clause) else []
    if states:
        yield from states
    elif told_by_user and forms.ANY_NEED.search(clause):
        yield from _needed(text, part, times)
        yield from _doing(text, part, times)


def _state(clause: str, offset: int) -> Iterator[Told]:
    """Yield how far something is, if a clause says so."""
    for rule, status, form in _STATES:
        found = form.search(clause)
        if not found:
            continue
        groups = found.groupdict()
        topic = groups["topic"]
        lead = forms.LEADS.match(topic)
        start = found.start("topic") + (lead.end() if lead else 0)
        tail = forms.TOPIC_TAIL.search(clause, start, found.end("topic"))
        end = tail.start() if tail else found.end("topic")
        if form is forms.NOT_YET and end - start < 2 and found["rest"]:
            start, end = found.span("rest")
        if end - start < 2 or (
            forms.NO_TOPIC.match(clause[start:end]) and form is not forms.WAITING
        ):
            continue
        named = clause[start:end]
        if status == "blocked" and (named.startswith("被") or forms.HANGS.match(named)):
            continue  # 我被法务卡住了 names who holds it up, and nothing to do
        if form is forms.DONE and is_somebody(named):
            continue  # 我弟弟搬到上海了
        marked = form is forms.DONE_OBJECT or forms.DONE_MARK.search(clause)
        if status == "done" and (not marked or forms.TO_COME.search(clause)):
            continue
        verb = groups.get("verb") or ""
        verb = "" if verb in forms.VAGUE else verb
        if (
            verb
            and form is forms.DONE
            and forms.COMPOUND.search(clause, start, found.end("result"))
        ):
            verb, end = "", found.end("verb")  # 集成测试 is called so
        told = Told(offset, offset + start, offset + end, status, f"tasks.{rule}", verb)
        yield told._replace(why=(groups.get("why") or "").removeprefix("正").removeprefix("在"))
        return


_STATES: Final = (
    ("doing", "doing", forms.LIFTED),
    ("waiting", "blocked", forms.WAITING),
    ("wait", "blocked", forms.WAIT),
    ("blocked", "blocked", forms.BLOCKED),
    ("stuck", "blocked", forms.STUCK_AT),
    ("open", "todo", forms.REOPENED),
    ("open", "todo", forms.OPEN),
    ("not_yet", "todo", forms.NOT_YET),
    ("done", "done", forms.BA_DONE),
    ("done", "done", forms.DONE_OBJECT),
    ("done", "done", forms.DONE),
    ("doing", "doing", forms.UNDER_WAY),
)


def _needed(text: str, part: _Part, when: Times) -> Iterator[Told]:
    """Yield what a clause says has to be done."""
    clause = text[part.start : part.end]
    found = forms.MODAL.search(clause)
    plan = None if found else forms.PLAN.search(clause)
    found = found or plan
    if not found or forms.RULE.search(clause) or forms.AHEAD.match(text):
        return
    start = part.start + found.end()
    if again := forms.MODAL.match(text, start, part.end):
        start = again.end()
    elif found[0].startswith(("别忘", "不要忘", "记得", "不能忘", "提醒")):
        # 别忘了下周二之前我要去: what comes before the second one is who and when.
        rest = forms.MODAL.search(text, start, min(part.end, start + 16))
        start = rest.end() if rest else start
    body = text[start : part.end]
    if not ("把" in body or "给" in body or forms.REAL.search(body)):
        return
    modal, times = part.start + found.start(), when()
    if _rest_of(text, part.start, modal, times):
        place, end = _topic(text, part.start, modal, times)
        named = end - place > 1 and not forms.NO_TOPIC.match(text[place:end])
        if named and forms.BARE_END.match(text[start : part.end]):
            yield Told(part.start, place, end, "todo", "tasks.topic")
        return
    start = _past_times(text, start, part.end, times)
    weak = found[0] in ("要", "需要", "记得", "一定要") or plan is not None
    own = "我" in clause[: found.end() + 1] or bool(times)
    reminds = found[0].startswith(("记得", "别忘", "不要忘"))
    if reminds and not own and not forms.ERRAND.match(text, start, part.end):
        return  # 记得写注释 tells an assistant how to go about its work
    for place, end in _things(text, start, part.end):
        body = text[place:end]
        if _is_work(body, weak=weak):
            begin = part.start if place == start else place
            rule = "tasks.want" if found[0] == "要" else "tasks.need"
            yield Told(
                begin,
                place,
                end,
                "todo",
                rule,
                needs_due=bool(plan) and not found[0].startswith("正"),
            )


def _past_times(text: str, start: int, end: int, times: Sequence[TimeSpan]) -> int:
    """Return where a phrase goes on after the times that it begins with."""
    for span in times:
        lead = forms.WHEN.match(text, start, end)
        place = lead.end() if lead else start
        if span.offset == place and span.offset + span.length < end:
            after = forms.WHEN.match(text, span.offset + span.length, end)
            start = after.end() if after else span.offset + span.length
    return start


def _is_work(body: str, *, weak: bool) -> bool:
    """Tell whether what is needed is a piece of work."""
    if forms.NO_WORK.match(body) or len(forms.OBJECT.findall(body)) < 3:
        return False
    found = forms.VP.match(body)
    if not found:
        return not weak and len(body) > 5 and bool(forms.REAL.search(body))
    if found["prep"] == "给" and not body.startswith(("给你", "给我")):
        return len(body) > 4
    if found["prep"] and found["prep"] != "把":
        return bool(forms.REAL.search(body, found.end()))
    if found["verb"]:
        return (
            len(forms.OBJECT.findall(body[found.end() :])) > (not found["way"])
            or len(found["verb"]) > 2
        )
    return True


def _things(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the things to do of one clause: 买菜、给猫打疫苗 are two, 买菜、肉 is one."""
    place = start
    for joint in forms.ITEM.finditer(text, start, end):
        following = forms.VP.match(text, joint.end(), end)
        if following and (following["prep"] in (None, "把", "给")) and joint.start() - place > 1:
            yield place, joint.start()
            place = joint.end()
    yield place, end


def _doing(text: str, part: _Part, when: Times) -> Iterator[Told]:
    """Yield what the speaker is at."""
    found = forms.DOING.search(text, part.start, part.end)
    if not found or not forms.DOING_VERB.match(found["body"]):
        return
    times = when()
    if _rest_of(text, part.start, found.start(), times):
        return
    own = "我" in text[part.start : found.start()] or found["on"] in forms.AT_IT or bool(times)
    own = own or (found["on"] == "开始" and text[: part.end].rstrip().endswith("了"))
    body = forms.DOING_VERB.match(found["body"])
    if own and body and len(forms.OBJECT.findall(found["body"][body.end() :])) > 1:
        yield Told(part.start, found.start("body"), part.end, "doing", "tasks.doing")


def _topic(text: str, start: int, end: int, times: Sequence[TimeSpan]) -> tuple[int, int]:
    """Return where the thing stands that a clause begins with."""
    end = min([end, *(span.offset for span in times if start < span.offset < end)])
    lead, tail = forms.LEADS.match(text, start, end), forms.TOPIC_TAIL.search(text, start, end)
    return (lead.end() if lead else start), (tail.start() if tail else end)


def _rest_of(text: str, start: int, end: int, times: Sequence[TimeSpan]) -> str:
    """Return what a clause says before its verb beside who and when."""
    shown, place = "", start
    for span in times:
        if place <= span.offset and span.offset + span.length <= end:
            shown += text[place : span.offset] + " "
            place = span.offset + span.length
    shown += text[place:end]
    return forms.OWN.sub("", forms.HOLIDAY.sub("", shown)).strip()
