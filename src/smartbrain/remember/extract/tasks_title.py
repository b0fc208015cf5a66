"""What a task is called and when it is due, from the words that tell of it.

In: a part of a sentence and the times in it. Out: a short title without the words of its deadline,
and the day of the deadline. A time that names the thing itself ("the slides of 2024", 去年的发票)
stays in the title.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from smartbrain.domain.time import Granularity
from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.remember.extract.coming import coming
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern

LONGEST_TITLE: Final = 160


class Told(NamedTuple):
    """A task as a sentence tells of it; places are those of the sentence.

    `verb` is the plain form that takes the place of the words before `start`.
    """

    begin: int
    start: int
    end: int
    status: str
    rule: str
    verb: str = ""
    needs_due: bool = False
    close: int = 0  # where the words about it end, if not with its name
    who: str = ""  # who is to do it, if somebody else than who speaks
    why: str = ""  # what it waits for, if its own words tell that


_I: Final = 0x02  # re.IGNORECASE
_NEAR: Final = 80  # characters before a time among which the words that belong to it are looked for
_BEFORE_TIME: Final = pattern(
    r"(?:(?:\b(?:due|no later than|not later than|by|before|until|till|on|in|at|for|within|around"
    r"|about|after|sometime|the latest|later|first thing|early|late|again|of)\s++)"
    r"|[,(（，]\s*+|(?:最晚|最迟|不晚于|截止|赶在|趁着?|就?在|到|于)\s*+){1,8}\Z",
    _I,
)
_AFTER_TIME: Final = pattern(
    r"\A(?:\s*(?:at the latest|latest|or so|之前|以前|前|之内|以内|左右|那天|[)）,，]))+", _I
)
_LIMIT: Final = pattern(r"\b(?:before|until|till)\s*(?:the\s*)?\Z", _I)
_LIMIT_AFTER: Final = pattern(r"\A\s*(?:之前|以前|前)")
_DUE_NEXT: Final = pattern(
    r"\A[\s,，.(（–—-]*(?:(?:both|all)(?: of (?:it|them))? )?(?:(?:and )?(?:it'?s|it is|they'?re"
    r"|which is|that'?s|is|are) )?"
    r"(?:due|the deadline|deadline|by|before|no later than|ddl|截止|最晚|最迟|期限|要在|必须在"
    r"|得在)",
    _I,
)
_UNDATED_ZH: Final = pattern(
    r"(?:在|赶在)?[\u4e00-\u9fff]{1,6}?(?:节|假|年|周|月|课|班|会|考|岁|业|学|家|房|春|冬|夏|秋|夜"
    r"|末)(?:之前|以前|前)(?![一二三四五六七八九十\d端面台])"
)
_LEAD: Final = pattern(
    r"\A(?:(?:the|a|an|my|our|that|this|these|those|some|up|on|with|to|still|also|really|first"
    r"|finally|just|quickly|both|all|all of|about|please|probably|up with) "
    r"|(?:先|再|赶紧|赶快|尽快|马上|抓紧|抽空|抽时间|记得|顺便|另外|还要|还得|还|也|自己|去(?=把"
    r"|给|跟)|要|得|就|我们?的?|咱们|那个|这个|所有的?|全部))",
    _I,
)
_LIGHT: Final = pattern(
    r"\A(?:(?:do|doing|finish|finishing|complete|completing|wrap up|get done|work on|working on)"
    r" |(?:做完|做好|完成|搞定|搞|弄|做(?![到成好完出]))(?=[\u4e00-\u9fffA-Za-z ]{2}))",
    _I,
)
_TAIL: Final = pattern(
    r"(?:(?<![\s,，])[\s,，]++(?:too|as well|still|today|now|again|soon|asap|please|though|first"
    r"|already|yet"
    r"|at last|finally|right now|at the moment|for now|for good|by then|myself|any ?more|rn|atm"
    r"|for (?:a (?:long )?(?:while|time)|ages|weeks|months|years|so long)(?: now)?|last (?:week"
    r"|month|night"
    r"|weekend|year))"
    r"|(?:的?(?:那个|这个)?(?:任务|待办)|(?:的|那件|这件)事情?|这一?[块项件]|那一?[块项件]|一下|了"
    r"|啦|才行|呢|吧|哦|啊))\Z",
    _I,
)
_NOTHING: Final = pattern(
    r"\A(?:it|tasks?|job|items?|this|that|them|these|those|something|everything|anything|nothing"
    r"|stuff|things?|one"
    r"|all|so|him|her|you|me|us|[\W\d_]+|.|这(?:件事|个|些|一?项|事)?|那(?:件事|个|些|一?项|事)?"
    r"|它们?|第[一二三四五六七八九\d]+[个件项条]?|东西|事情?|什么|点?(?:事|什么)|一切|全部|我"
    r"|我们|你|他|她|自己)\Z",
    _I,
)


_NUMBER: Final = pattern(
    r"[(（]?(?<![\d.])(?P<number>\d{1,2})(?:[)）、]|\.(?!\d))\s*|(?P<ring>[①-⑳])[、.]?\s*"
)
_BETWEEN: Final = " \t\r\n,，;；、。."


def numbered(text: str, start: int) -> list[tuple[int, int]]:
    """Return the places of the items that are numbered from a place on: "1. buy milk 2. pay"."""
    marks: list[tuple[int, int]] = []
    for found in _NUMBER.finditer(text, start):
        count = int(found["number"]) if found["number"] else ord(found["ring"]) - ord("①") + 1
        if count == len(marks) + 1 and (marks or not text[start : found.start()].strip()):
            marks.append(found.span())
    ends = [begin for begin, _ in marks[1:]] + [len(text)]
    return [
        (place, place + len(text[place:end].rstrip(_BETWEEN)))
        for (_, place), end in zip(marks, ends, strict=False)
        if text[place:end].strip(_BETWEEN)
    ]


def title_of(text: str, told: Told, times: Sequence[TimeSpan]) -> str:
    """Return the short name of a task; empty when the words name nothing."""
    shown, place = "", told.start
    for span in times:
        before, after = _around(text, span, told)
        if place <= before and after <= told.end and _is_aside(text, span, told, before, after):
            shown += text[place:before]
            place = after
    named = f"{shown}{text[place : told.end]}"
    if told.rule.startswith("tasks"):
        named = _SIDE.sub("", named, count=1)
    if told.verb:
        named = _CAPITAL.sub(lambda found: found[0].lower(), named.strip(), 1)
    words = f"{told.verb}{' ' * told.verb.isascii()}{named}"
    title = bare(_UNDATED_ZH.sub("", words, count=1) or words)
    return title if len(title) <= LONGEST_TITLE else ""


# What tells more about the thing than its name.
_SIDE: Final = pattern(
    r"(?<=\w{3})\s(?:that(?:'s| is| are| was| has| i| we| \w{3,}s\b)|which)\b.*\Z", _I
)
_CAPITAL: Final = pattern(r"\A(?:The|My|Our|This|That|All|Both|These)\b")
_A_BIT: Final = pattern(r"(?<=\A[\u4e00-\u9fff])一下 ?(?=\S)|(?<=[A-Za-z] )一下 (?=[A-Za-z])")
_QUOTES: Final = "\"'“”‘’「」『』《》`"


def bare(words: str) -> str:
    """Return a phrase without what does not name the task; empty when nothing is left."""
    title, seen = _A_BIT.sub("", tidy(words), 1), ""
    while title != seen:
        seen = title
        title = title.strip(_QUOTES) if title[:1] in _QUOTES else title
        title = tidy(_TAIL.sub("", _LIGHT.sub("", _LEAD.sub("", title, 1), 1), 1))
    return "" if _NOTHING.match(title) else title


def due_of(text: str, told: Told, times: Sequence[TimeSpan], now: datetime) -> date | None:
    """Return the day that a task is due, if its words or those around it name one to come."""
    named = [span for span in times if _belongs(text, span, told)]
    if told.status != "todo":
        named = [span for span in named if _is_limit(text, span, told)]
    days = (last_day(text, span, now) for span in reversed(named))
    return next((day for day in days if day), None)


def long_past(text: str, told: Told, times: Iterable[TimeSpan], now: datetime) -> bool:
    """Tell whether something is told of that happened more than a month ago."""
    return any(
        span.end < now - timedelta(days=31) and not text.startswith("的", span.offset + span.length)
        for span in times
        if told.begin <= span.offset < told.end + _SOON_AFTER
        and not _CLAUSE.search(text[told.end : span.offset])
    )


_SOON_AFTER: Final = 24


def habitual(told: Told, times: Iterable[TimeSpan]) -> bool:
    """Tell whether something is told of that comes again and again."""
    return any(
        span.kind is TimeKind.RECURRING and told.begin <= span.offset < told.end for span in times
    )


def _around(text: str, span: TimeSpan, told: Told) -> tuple[int, int]:
    """Return where the words of a time begin and end with the prepositions beside it."""
    start, end = span.offset, span.offset + span.length
    near = max(told.start, start - _NEAR)
    found = _BEFORE_TIME.search(text, near, start) if start > told.start else None
    after = _AFTER_TIME.match(text[end : end + 20])
    return (found.start() if found else start), end + (after.end() if after else 0)


def _is_aside(text: str, span: TimeSpan, told: Told, before: int, after: int) -> bool:
    """Tell whether a time stands beside what is to be done, rather than being part of it."""
    if text.startswith(("的", "'s"), after) or span.kind is TimeKind.RECURRING:
        return False
    limited = text[before : span.offset].strip(" (（，,").lower()
    edge = not text[told.start : before].strip() or not text[after : told.end].strip()
    return (
        edge or limited in _DEADLINE or bool(_LIMIT_AFTER.match(text[span.offset + span.length :]))
    )


_DEADLINE: Final = frozenset(
    ("by", "before", "due", "until", "no later than", "最晚", "最迟", "在")
)


def _belongs(text: str, span: TimeSpan, told: Told) -> bool:
    """Tell whether a time may be the deadline of what is told."""
    if span.kind is TimeKind.RECURRING:
        return False
    before, after = _around(text, span, told)
    if told.start <= span.offset < told.end:
        return _is_aside(text, span, told, before, after)
    if span.offset < told.start:
        between = text[after : told.start]
        other = told.rule == "tasks.list" and _NEXT_ITEM.search(between)
        ahead = not other or _ANNOUNCED.search(between)
        return told.begin <= span.offset and bool(ahead) and not text.startswith("的", after)
    if span.offset < told.close:
        return True
    between = text[told.end : span.offset]
    if _BOTH.search(between):
        return True
    if len(between) > 40:
        return False
    after_thing = told.rule in _THING_FIRST and not _CLAUSE.search(between)
    handed = told.rule in _HANDED and len(between) < 8 and _is_limit(text, span, told)
    return after_thing or handed or bool(_DUE_NEXT.match(between))


# A time before these stands with another item of a list, before those with all of them.
_NEXT_ITEM: Final = pattern(r"[,，;；、②-⑳]|\d[.)）]")
_ANNOUNCED: Final = pattern(r"[:：①]|(?<![\d.])1[.)）、](?!\d)")
# Rules whose task stands before the words that say what is to be done with it.
_THING_FIRST: Final = frozenset(("tasks.topic", "tasks.wanted", "tasks.open"))
_HANDED: Final = frozenset(("tasks.handed", "tasks.mine", "tasks.not_yet"))
_BOTH: Final = pattern(r",\s*(?:both|all(?: of (?:it|them))?)\s(?:due |by |before |on )+\Z", _I)
_CLAUSE: Final = pattern(r"[,，;；:：。]")


def _is_limit(text: str, span: TimeSpan, told: Told) -> bool:
    """Tell whether the words around a time say that something ends there."""
    end = span.offset + span.length
    return bool(
        _BY.search(text, told.begin, span.offset) or _LIMIT_AFTER.match(text[end : end + 6])
    )


_BY: Final = pattern(
    r"(?:\b(?:by|before|until|till|due(?: on| by)?|no later than|deadline(?: is)?)\s*+(?:the\s*+)?"
    r"|最晚|最迟|截止到?)\s*+\Z",
    _I,
)


def last_day(text: str, span: TimeSpan, now: datetime) -> date | None:
    """Return the last day that still keeps a deadline; None when it is past."""
    span = coming(span, now)
    last = (span.end - timedelta(microseconds=1)).date()
    wide = span.granularity in (Granularity.MONTH, Granularity.YEAR)
    limited = _LIMIT.search(text, 0, span.offset) or _LIMIT_AFTER.match(
        text[span.offset + span.length :]
    )
    if wide and limited and not span.words.endswith(("底", "末")) and "end" not in span.words:
        last = span.start.date() - timedelta(days=1)
    return last if last >= now.date() else None
