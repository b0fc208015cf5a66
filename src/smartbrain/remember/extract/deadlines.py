"""Deadlines that are moved: "the report deadline moved to Monday", 报告改到下周一交 (C1, C4, C6).

In: a sentence, or a clause of one. Out: the thing to do whose new day is told, as a task; or, where
a deadline is spoken of, the words that name what it is the deadline of, which may be a task or not.
Which day it is, the times of the sentence tell. A meeting that is moved has no deadline.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from smartbrain.remember.extract.deeds import words_of
from smartbrain.remember.extract.tasks_title import Told, bare, last_day
from smartbrain.text.pattern import pattern, sign
from smartbrain.text.times import find_times

_I: Final = 0x02  # re.IGNORECASE
DUE_ANEW: Final = "tasks.due_anew"
"""The rule of a task whose new day is told, and nothing of how far it is."""
_SIGN: Final = sign(
    r"\b(?:deadline|due|submission date|ddl|moved|pushed|postponed|delayed|extended|rescheduled"
    r"|bumped|slipped)\b|截[止稿]|期限|交期|(?:[改推挪调延]|推迟|延期|延后|提前|顺延|调整)[到至为成]",
    _I,
)
_COMMA: Final = pattern(r"[,，;；。]")
_OPEN: Final = (
    r"\A\W*+(?:(?:so|and|but|well|also|btw|fyi|update|heads up|note|ok|okay|oh|good news|bad news)"
    r"\b[,:]?\s++){0,6}"
)
_NAME: Final = r"(?:the |our |my |this )?(?P<thing>[\w'’/.#-]+(?: [\w'’/.#-]+){0,5}?)"
_LATELY: Final = r"(?: (?:just|now|already|again|officially|also|been)){0,4}"
_HAS: Final = rf"(?: has| have| was| were| is| are| got|['’]s)?{_LATELY}"
_MOVED: Final = (
    r" (?:moved|pushed|extended|postponed|delayed|rescheduled|shifted|bumped|changed|brought|pulled"
    r"|slipped)(?: back| up| out| forward| in)?(?: from [^,]{1,30}?)? (?:to|until|till) \S.*\Z"
)
_DEADLINE: Final = r"(?:deadline|due[ -]date|submission date|ddl)"
_WE: Final = r"(?:we|i|they|he|she|(?:the|our|my) [\w-]+|(?-i:[A-Z])[a-z]+)(?:['’]ve| have| has)?"
_MOVE: Final = r" (?:moved|pushed|extended|postponed|delayed|rescheduled|shifted|bumped|changed)"
_OF: Final = (
    pattern(rf"{_OPEN}{_NAME}(?:['’]s)? {_DEADLINE}{_HAS}{_MOVED}", _I),
    pattern(rf"{_OPEN}(?:the )?{_DEADLINE} (?:for|of) {_NAME}{_HAS}{_MOVED}", _I),
    pattern(rf"{_OPEN}(?:the )?new {_DEADLINE} (?:for|of) {_NAME} is(?: now)? \S.*\Z", _I),
    pattern(rf"{_OPEN}{_NAME}(?:['’]s)? new {_DEADLINE} is(?: now)? \S.*\Z", _I),
    pattern(
        rf"{_OPEN}{_WE}{_LATELY}{_MOVE} {_NAME} {_DEADLINE}(?: back| up| out)? (?:to|until|till)"
        r" \S.*\Z",
        _I,
    ),
    pattern(
        rf"{_OPEN}{_WE}{_LATELY}{_MOVE} the {_DEADLINE} (?:for|of) {_NAME}(?: back| up| out)?"
        r" (?:to|until|till) \S.*\Z",
        _I,
    ),
)
_TO_ZH: Final = (
    r"(?:(?:更?改|推迟|推后|推|延期|延后|延长|延|提前|顺延|挪|调整?|变更?)[到至为成])了?\s?"
)
_LATELY_ZH: Final = r"\s?(?:已经?|现在|刚|又|被|也|都|临时|正式){0,8}\s?"
_BA_ZH: Final = (
    r"\A\W*+(?:(?:我们?|咱们?|他们?|她|老板|老师|领导|客户|经理)?(?:又|已经)?[把将]\s?)?"
)
_NAME_ZH: Final = r"(?P<thing>[^，,。把将从由]{2,20}?)"
_DEADLINE_ZH: Final = (
    r"(?:截止(?:日期|时间|日)?|截稿(?:日期|时间)?|deadline|ddl|期限|交期|交付(?:日期|时间)"
    r"|(?:提交|交稿|上交|完成)(?:日期|时间))"
)
_OF_ZH: Final = (
    pattern(rf"{_BA_ZH}{_NAME_ZH}\s?的?\s?{_DEADLINE_ZH}{_LATELY_ZH}{_TO_ZH}\S.*\Z", _I),
    pattern(rf"\A\W*+{_NAME_ZH}\s?的?新的?\s?{_DEADLINE_ZH}\s?[是为]\s?\S.*\Z", _I),
)
_DUE: Final = (
    pattern(rf"{_OPEN}{_NAME}(?:['’]s| is| are) now due(?: on| by| before)? \S.*\Z", _I),
    pattern(rf"{_OPEN}{_NAME}(?:['’]s| is| are) due(?: on| by| before)? \S.*? now\W*\Z", _I),
)
_DUE_ZH: Final = (
    pattern(
        rf"{_BA_ZH}{_NAME_ZH}{_LATELY_ZH}{_TO_ZH}[^，,。]{{2,12}}?(?:再|才)?"
        r"(?:上?交|提交|交付|完成|交稿|[做写改弄]完)了?\W*\Z"
    ),
)
# What is handed in, and not held: its new day can only be a deadline.
_WORK: Final = pattern(
    r".*\b(?:report|slides|deck|draft|essay|paper|thesis|homework|assignment|manuscript|chapter"
    r"|article|proposal|invoice|contract|application|paperwork|taxes|tax return|summary|spec|docs?"
    r"|document|documentation|budget|quote|translation|mock-?ups?|wireframes|write-?up|memo"
    r"|deliverables?)\Z"
    r"|.*(?:报告|报表|[周月季年]报|方案|文档|论文|作业|初?稿子?|合同|ppt|材料|申请表?|标书|计划书"
    r"|总结|预算表?|报价单|发票|设计[图稿]|原型|文章|翻译|幻灯片|课件|简历|说明书|手册)\Z",
    _I,
)
_WORK_MOVED: Final = (pattern(rf"{_OPEN}{_NAME}{_HAS}{_MOVED}", _I),)
_WORK_MOVED_ZH: Final = (pattern(rf"{_BA_ZH}{_NAME_ZH}{_LATELY_ZH}{_TO_ZH}\S.*\Z", _I),)
_NO_NAME: Final = pattern(
    r"(?:it|that|this|they|new|project|[我你他她它这那]们?|项目|新的?)\Z"
    r"|.*(?:deadline|due date|截止)",
    _I,
)
_BESIDE: Final = pattern(
    r"\s(?:about|for|to|with|from|on|in|of|at|before|after|by|so)\b.*|[给跟向为].*", _I
)


def due_anew(text: str) -> Iterator[Told]:
    """Yield the things to do of which a sentence tells a new day."""
    if not _SIGN.search(text):
        return
    start = 0
    for cut in [*_COMMA.finditer(text), None]:
        end = cut.start() if cut else len(text)
        clause = text[start:end]
        forms = (_DUE, _WORK_MOVED) if clause.isascii() else (_DUE_ZH, _WORK_MOVED_ZH)
        found = next(filter(None, (form.match(clause) for some in forms for form in some)), None)
        if found and not _NO_NAME.match(found["thing"]):
            sure = not any(found.re.pattern == form.pattern for form in forms[1])
            if sure or _WORK.match(found["thing"]):
                place, stop = (start + one for one in found.span("thing"))
                yield Told(place, place, stop, "todo", DUE_ANEW, close=end)
        start = end + 1


def deadline_of(clause: str) -> str:
    """Return what a clause tells a new deadline of, if it does and names it."""
    if not _SIGN.search(clause):
        return ""
    forms = _OF if clause.isascii() or "’" in clause else _OF_ZH
    found = next(filter(None, (form.match(clause) for form in forms)), None)
    thing = bare(found["thing"]) if found else ""
    return "" if _NO_NAME.match(thing) else thing


def new_day(clause: str, at: datetime) -> str:
    """Return the day that a clause moves a deadline to, said at a moment; none if it is over."""
    days = [last_day(clause, time, at) for time in find_times(clause, at)]
    return next((day.isoformat() for day in reversed(days) if day), "")


def is_deadline_of(thing: str, title: str) -> bool:
    """Tell whether the deadline of a thing is that of a task: the thing is what is to be done.

    "Write the sales report" has the deadline of the report, "ask Bob about the report" has its own.
    """
    named, asked = words_of(thing), words_of(_BESIDE.sub("", title))
    if not named or not asked:
        return False
    return named in (asked[-len(named) :], asked[: len(named)])
