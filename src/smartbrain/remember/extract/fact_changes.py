"""Facts that are told as a change: "the deadline moved to July 5", 端口从8080改成8081了 (C4, C6).

In: a clause. Out: the fact as it is now, which takes the place of what was so before. What is said
to be something `now` is such a change too. A meeting that is held again and again keeps its hour as
a fact: "the standup moved from 9am to 10am", 晨会改到10点. What somebody is only asked to change is
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.decisions_words import known_as
from smartbrain.remember.extract.fact_names import Told, thing_of
from smartbrain.remember.extract.fact_words import KIN
from smartbrain.remember.extract.facts_en import told_in_english
from smartbrain.remember.extract.facts_zh import told_in_chinese
from smartbrain.text.entities import find_entities
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
CHANGED: Final = "changed"
"""The rule of a fact that takes the place of what was so before."""
_SIGN: Final = sign(
    r"\b(?:to|until|till|is|are|at|starts?|begins?|happens)\b|[改换变调推延提顺升降涨增减更挪]|会.{0,12}点",
    _I,
)
_OPEN: Final = (
    r"\A\W*+(?:(?:so|and|but|well|also|btw|fyi|update|heads up|note|actually|ok|okay|oh)\b[,:]?"
    r"\s++){0,6}"
)
_LATELY: Final = (
    r"(?: (?:just|now|already|again|officially|recently|finally|also|been|had to)){0,6}"
)
_MOVED: Final = (
    r"(?:changed|moved|pushed|postponed|delayed|deferred|extended|rescheduled|shifted|brought"
    r"|pulled|bumped|raised|lowered|upgraded|increased|decreased|reduced|cut|dropped|updated|adjusted"
    r"|revised|slipped|went|reset|set|grew|rose|fell|switched)"
)
_WAY: Final = r"(?: (?:up|down|back|out|forward|in|over|again|all the way))?"
_FROM_TO: Final = rf"{_WAY}(?: from (?P<x>[^,]{{1,40}}?))? (?:to|until|till) (?P<y>\S[^,]{{0,40}}?)"
_ENDS: Final = (
    r"(?: (?:now|instead|already|again|too|as well|for good|(?:last|this) (?:week|month|year)"
    r"|yesterday|today|because .*|due to .*|since .*|so .*|after .*))?\W*\Z"
)
_FORMS: Final = (
    pattern(
        rf"{_OPEN}(?P<s>(?:(?:the|our|my) )?[\w'’/.-]+(?: [\w'’/.-]+){{0,6}}?)(?: has| have| was"
        rf"| were| is| are| got|['’]s)?{_LATELY} (?:{_MOVED}|moves|is moving){_FROM_TO}{_ENDS}",
        _I,
    ),
    pattern(
        rf"{_OPEN}(?:we|i|they|he|she|(?:the|our|my) [\w-]+|(?-i:[A-Z])[a-z]+)(?:['’]ve| have"
        rf"| has)?{_LATELY} {_MOVED}{_WAY} (?P<s>(?:the|our|my) [\w'’/.-]+(?: [\w'’/.-]+){{0,5}}?)"
        rf"{_FROM_TO}{_ENDS}",
        _I,
    ),
)
_TO_ZH: Final = (
    r"(?:(?:更?改|变更?|换|调整?|修改|更新|推迟|推|延期|延后|延长|延|提前|顺延|挪|升级?|提高|降低?|涨"
    r"|上调|下调|增加|减少|缩短)(?:成|到|为|至))"
)
_ADVERBS_ZH: Final = r"(?:已经?|现在|刚|又|被|也|都|临时|正式|最近|统一|今天|昨天){0,8}\s?"
_FROM_ZH: Final = r"(?:[从由]\s?(?P<x>[^，,。]{1,16}?)\s?)?"
_LONGEST_ZH: Final = 200  # characters; the parts of a longer clause have no room in these forms
_FORMS_ZH: Final = (
    pattern(
        rf"\A\W*+(?:我们?|咱们?|团队|公司|他们?|她|客户|老板|领导|运维)?{_ADVERBS_ZH}[把将]\s?(?P<s>[^，,。从由]{{2,20}}?)"
        rf"\s?{_FROM_ZH}{_TO_ZH}(?=了|[^，,]*了\W*\Z)了?\s?(?P<y>[^，,。]{{1,24}}?)(?<!\W)\s?了?\W*+\Z"
    ),
    pattern(
        rf"\A\W*+(?P<s>[^，,。把将从由]{{2,20}}?)\s?{_ADVERBS_ZH}{_FROM_ZH}{_TO_ZH}了?\s?"
        r"(?P<y>[^，,。]{1,24}?)(?<!\W)\s?了?\W*+\Z"
    ),
)
_NOW: Final = pattern(
    r"\b(?:is|are|am|uses?|runs?) now\b|\bnow (?:is|are|uses?|runs?)\b|\bnow\W*\Z"
    r"|(?:现在|目前|如今|已经?)\s?(?:改?[是为用在跑有]|叫|归|由)",
    _I,
)
# Meetings that are held again and again, and an hour of no particular day.
_RITUAL: Final = (
    r"(?:(?:the|our|my) )?(?:(?:daily|weekly|morning|team|monday|friday|eng|engineering) )*"
    r"(?:stand-?ups?|scrum|sync|check-?in|(?<=daily )(?:meeting|call)|(?<=weekly )(?:meeting|call))"
)
_RITUAL_ZH: Final = r"(?:[\u4e00-\u9fffA-Za-z]{0,6}?)(?:晨会|早会|站会|例会|周会|夕会|standup)"
_HOUR: Final = r"(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o['’]clock)|\d{1,2}:\d\d|noon)"
_HOUR_ZH: Final = (
    r"(?:(?:每[天日]|工作日|每?个?(?:周|星期|礼拜)[一二三四五六日天])?\s?(?:早上|早晨|上午|中午|下午|晚上)?\s?"
    r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点[半整]?(?:\d{1,2}分|[一三]刻)?|[:：]\d\d))"
)
_HELD: Final = pattern(
    rf"{_OPEN}(?P<s>{_RITUAL}) (?P<now>now )?(?:is|starts|begins|happens|runs|takes place)(?: now)?"
    rf"(?: always)? (?:at )?(?P<y>{_HOUR})\W*\Z",
    _I,
)
_HELD_ZH: Final = pattern(
    rf"\A\W*(?P<s>{_RITUAL_ZH})(?:的?时间)?\s?(?:现在|都|一般|固定)?(?:是|在|定在|定于|安排在)?\s?"
    rf"(?P<y>{_HOUR_ZH})(?:开会?|开始|举行)?\W*\Z"
)
_IS_RITUAL: Final = pattern(rf"{_RITUAL}|{_RITUAL_ZH}(?:的?时间)?", _I)
_IS_HOUR: Final = pattern(rf"(?:at )?{_HOUR}|{_HOUR_ZH}开?", _I)
_OF_TIME: Final = pattern(r"的?时间\Z|\A(?:at|on) |开\Z", _I)
_TELLS: Final = ("attribute", "name", "color", "label", "price")
_RENAMED: Final = pattern(r"\b(?:chang|updat|revis|switch|adjust|reset|set\b)|[改换变]", _I)
_SETTLED: Final = pattern(r"\bmoved(?: over| back)? (?:to|from)\b", _I)
_OF_MINE: Final = pattern(rf"my (?:[\w-]+ )?(?:{'|'.join(sorted(KIN))})\b", _I)
_UPGRADED: Final = pattern(r"\bupgraded\b|升级", _I)
_CJK: Final = pattern("[\u4e00-\u9fff]")


def told_as_change(clause: str) -> Iterator[Told]:
    """Yield what a clause says has become of a fact, or when a meeting is held again and again."""
    if not _SIGN.search(clause):
        return
    for form in (_HELD, _HELD_ZH):
        if held := form.match(clause):
            yield _held(held, "time")
            return
    wide = _CJK.search(clause) is not None
    if wide and len(clause) > _LONGEST_ZH:
        return
    for form in _FORMS_ZH if wide else _FORMS:
        if (found := form.match(clause)) and (told := _told(found, wide)):
            yield told
            return


def tells_change(told: Told, words: str) -> bool:
    """Tell whether the words of a fact say that it is so now, other than before."""
    return told.rule in _TELLS and _NOW.search(words) is not None


def _told(found: re.Match[str], wide: bool) -> Told | None:
    """Read what something has become as what it is."""
    subject, value = found["s"].strip(), found["y"].strip()
    if _IS_RITUAL.fullmatch(subject) and _IS_HOUR.fullmatch(value):
        return _held(found, CHANGED)
    told = (
        told_in_chinese(f"{subject}是{value}") if wide else told_in_english(f"{subject} is {value}")
    )
    one = next(told, None)
    if one is None:
        return None
    how = found.string[found.end("s") : found.start("y")]
    if one.rule == "name" and not _RENAMED.search(how):  # who goes somewhere is not called so
        moved = _SETTLED.search(how) and _OF_MINE.match(subject) and _is_place(value)
        return one._replace(attribute="location", rule=CHANGED) if moved else None
    if _UPGRADED.search(found.string, found.end("s"), found.start("y")):  # of what has versions
        known = bool(known_as(one.value)) and one.rule in (*_TELLS, "is")
    else:
        known = one.rule in _TELLS
    return one._replace(rule=CHANGED) if known else None


def _is_place(value: str) -> bool:
    """Tell whether a value is the name of a place, and of nothing else."""
    return [one.kind for one in find_entities(value) if one.length == len(value)] == ["place"]


def _held(found: re.Match[str], rule: str) -> Told:
    """Return at what hour a meeting is held again and again."""
    subject, value = (_OF_TIME.sub("", found[name].strip()) for name in ("s", "y"))
    return Told(thing_of(subject), "schedule", value, rule)
