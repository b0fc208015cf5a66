"""Why a task does not go on, in the words that tell it beside the task (C1, C6).

In: a sentence and where it tells of a task that is blocked. Out: the reason with the word that it
begins with ("because the API is down", 等后端接口), so that a note can be told to be one; empty
where none is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.remember.extract.tasks_title import Told
from smartbrain.remember.extract.wording import tidy
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_LONGEST: Final = 160
_NEAR: Final = 200  # characters before a task among which its reason is looked for
_IS_REASON: Final = pattern(
    r"(?:because|since|until|unless|waiting|blocked|stuck|held up|stalled|paused|halted|delayed"
    r"|due to"
    r"|pending|without)\b"
    r"|因为|由于|等|卡在|被|直到|除非",
    _I,
)
_HOW_FAR: Final = pattern(r"(?:进度|进展|完成度).*%\Z")
_STOP: Final = (
    r"(?=(?<!\s)\s*+(?:[,，;；。！!?？]|\.(?=\s|\Z)|\Z|\b(?:but|so|and (?:the|my|our|i|we))\b|但"
    r"|不过))"
)
# Words that lead to a reason, wherever they stand after the task.
_LED: Final = pattern(
    r"(?P<why>(?:\b(?:because|due to|until|unless|pending|since (?=\w+ )|without"
    r"|(?:blocked|held up|stalled|paused|halted|delayed) (?:by|on|with)|waiting (?:for|on)"
    r"|stuck (?:on|at|in|behind|waiting))\b"
    rf"|因为|由于|(?:卡|停|stuck\s*)在|(?<!时间"
    rf"|之外)被(?=.{{1,24}}?[卡阻拦拖耽搁bB]))\s*+\S.{{1,{_LONGEST}}}?){_STOP}",
    _I,
)
_WAITS_ZH: Final = pattern(rf"(?P<why>等(?!等|级|于|我[一下]).{{2,{_LONGEST}}}?){_STOP}")
# What a clause says that follows: something is missing or does not work.
_LACKS: Final = pattern(
    r"(?:\b(?:missing|down|broken|failing|fails|failed|lacks?|needs?|waiting|not|no|nobody|still"
    r"|hasn|haven|isn|aren|doesn|didn|won|can)\b|n['’]t\b|[没不缺未]|无法|失败|需要|坏了|挂了|等)",
    _I,
)
_NEXT: Final = pattern(
    r"[\w'’ \u3400-\u9fff]{0,24}?\s*+(?P<mark>[:：,，—–-])[\s—–-]*+"
    rf"(?P<why>\S.{{2,{_LONGEST}}}?){_STOP}"
)
# 等 Alice 给 key，登录没法继续: it stands before.
_BEFORE: Final = pattern(
    r"(?:\A|[，,。])\W*+(?P<lead>因为|由于|(?:(?:现在|目前|我们?|还|一直|正?在|要|得)\s*+){0,6}"
    r"(?=等[^，,。]{2})|because |since )"
    r"(?P<why>[^，,。]{2,60})[，,]\s*+[^，,。]{0,20}\Z"
    r"|(?:\A|[，,。]\s*+)(?P<so>[^，,。]{3,60}?)(?:[，,]\s*+所以|,? so)\b[^，,。]{0,20}\Z",
    _I,
)
_STATE_OVER: Final = pattern(r"(?<![上里了这那儿块步一啦呢\s])[上里了这那儿块步一啦呢\s]++\Z")
# What is blocked without anybody having a task with it.
NO_WORK_HELD: Final = pattern(
    r"\b(?:roads?|streets?|highway|lane|entrance|exit|driveway|drain|toilet|sink|pipes?|nose|ears?"
    r"|sites?|website|account|number|card|user|caller|arter(?:y|ies)|kids?|children|people|friends"
    r"|parents|cats?|dogs?)\Z",
    _I,
)
_CAPITAL: Final = pattern(r"\A(?:The|My|Our|This|That|There|We|It)\b")
_ONESELF: Final = pattern(r"\b(?:I|we)\b|我", _I)


# "We're blocked by legal on the contract": what is held up stands after what holds it.
_HELD_ON: Final = pattern(
    r"(?:(?<!\w)|\s++)(?P<who>(?=\S)(?![^,.;]{0,150}\b(?:bug|issue|problem|error|outage"
    r"|crash)\b)[^,.;]{2,60}?) (?:on|with|for)"
    r" (?P<what>(?:the|our|my|this|that) [^,.;]{2,80}?)"
    r"(?=(?<!\s)\s*+(?:[,.;!]|\Z|\b(?:because|until|since)\b))",
    _I,
)
_HELD_BY: Final = pattern(
    r"\W*(?:(?:ok|okay|so|and|but|sorry|update|hey|hi)\W+)*(?:i|we)(?:['’](?:m|re)| am| are)"
    r"(?: still| currently| now| completely| totally| just| kind of| a bit)*"
    r" (?P<why>(?:blocked|held up|stuck|stalled) (?:by|because of|due to) \S[^.;!?\n]{1,80}?)\W*\Z"
    r"|\W*(?:我们?|咱们?|这边)(?:现在|目前|还是?|又|一直)*(?P<zh>被\s?\S[^，,。]{0,30}?\s?"
    r"(?:卡住|卡着|阻塞|耽误|拖住|block\s?住?))了?\W*\Z",
    _I,
)


def held_by(text: str, begin: int, start: int) -> Iterator[Told]:
    """Yield the task that somebody is held up with who says first by whom or what."""
    if found := _HELD_ON.match(text, start):
        why = f"blocked by {tidy(found['who'])}"
        yield Told(begin, *found.span("what"), "blocked", "tasks.stuck", why=why)


def held_up(text: str) -> str:
    """Return what holds somebody up who names nothing to do; empty if a sentence is none such."""
    found = _HELD_BY.match(text)
    if found is None or _HELD_ON.match(text, found.start("why") if found["why"] else 0):
        return ""
    return tidy(found["why"] or found["zh"])


def reason_of(text: str, told: Told) -> str:
    """Return why the task that a sentence tells of is blocked; empty if it does not say."""
    after = max(told.end, told.close)
    if found := _LED.search(text, told.end):
        return _as_note(found["why"])
    if found := _WAITS_ZH.search(text, told.end):
        return _as_note(found["why"])
    end = max(told.start, told.begin)
    if found := _BEFORE.search(text, max(0, end - _NEAR), end):
        why = found["why"] or found["so"]
        return _as_note(why if _IS_REASON.match(why) else _because(why))
    found = _NEXT.match(text, after)
    if found and _LACKS.search(found["why"]) and not _ONESELF.search(found["why"][:20]):
        return _as_note(_because(found["why"]))
    return ""


def without_reasons(notes: list[Any], *, done: bool = False) -> list[Any]:
    """Return the notes of a task but why it is blocked, and how far it is if it is done."""
    kept = [one for one in notes if not _IS_REASON.match(str(one))]
    return [one for one in kept if not (done and _HOW_FAR.match(str(one)))]


def _because(why: str) -> str:
    """Return what somebody tells as the reason with a word that says so."""
    if not why.isascii():
        return f"因为{why}"
    return f"because {_CAPITAL.sub(lambda found: found[0].lower(), why)}"


def _as_note(why: str) -> str:
    """Return a reason without what only ends the sentence."""
    return tidy(_STATE_OVER.sub("", why) or why)
