"""What family and colleagues are: 我女儿今年5岁, 我爸在医院工作, "my husband works as a nurse".

In: a clause whose subject is somebody of the user's. Out: their age, home, work, learning or name,
under the same subject in either language. What they are at just now and what they said is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.remember.extract.dialogue import is_person
from smartbrain.remember.extract.fact_names import Told, thing_of
from smartbrain.remember.extract.fact_words import KIN, SURNAMES
from smartbrain.remember.extract.profile_words import ZH_TRADE, is_trade
from smartbrain.remember.extract.profile_zh import CITY
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_KIN_ZH: Final = (
    r"(?:爸妈|父母|爸爸?|妈妈?|父亲|母亲|老爸|老妈|老公|老婆|丈夫|妻子|太太|媳妇|[大小]?(?:儿子|女儿)|闺女"
    r"|孩子|宝宝|[表堂]?(?:哥哥?|姐姐?|弟弟?|妹妹?)|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姑姑|岳父|岳母"
    r"|公公|婆婆|[男女]朋?友|未婚[夫妻]|老板|上司|领导|导师|室友)"
)
_NAME_ZH: Final = (
    rf"(?:[小老阿][\u4e00-\u9fff]|[{SURNAMES}](?:[\u4e00-\u9fff]{{1,2}}|[总工姐哥])|[A-Z][A-Za-z]+)"
)
_SOMEBODY: Final = pattern(rf"(?:我(?:的|家)?)?{_KIN_ZH}")
# There are many colleagues and friends: what is told of one is told of somebody with a name.
_WHO_ZH: Final = pattern(
    rf"我(?:的|家)?(?:(?P<kin>{_KIN_ZH})(?P<name>{_NAME_ZH})??|(?:同事|同学|朋友|闺蜜|邻居|师[兄姐弟妹])"
    rf"(?P<one>{_NAME_ZH}))\s?(?:现在|目前|一直|已经|都|也)*(?="
    r"今年|[\d一二两三四五六七八九快刚满]|住|定居|搬|在|上|读|念|叫|是|当|做|负责)"
)
_AGE_ZH: Final = pattern(
    r"(?:今年|刚|满|都|已经)*(?P<v>快?[\d一二两三四五六七八九十]{1,4}\s?(?:岁半?|个月大?))了?\Z"
)
_HOME_ZH: Final = pattern(
    rf"(?:住在|定居在?|搬[到去]了?)\s?(?P<v>(?!酒店|宾馆|医院|我|你|他|她|这|那|哪|一起|[\d一二三四五六七八九十]+[楼层])"
    rf"[^，,的了]{{2,15}}?)了?\Z|住(?P<city>{CITY.pattern})\Z"
)
_WORK_ZH: Final = pattern(
    r"在(?P<at>(?!家|外|这|那|我|网上|路上)[^，,]{2,15}?)(?:(?:工作|上班|任职|就职|实习)|(?:当|做|担任)(?P<v>[^，,了]{2,12}))了?\Z"
    r"|(?:当|做)(?:一?[名个位])?(?P<trade>[^，,了]{2,12})\Z"
)
_LEARN_ZH: Final = pattern(
    r"(?P<v>(?:在[^，,]{2,12}?)?(?:读|上|念)(?:书|小学|中学|大学|幼儿园|本科|研究生|博士|硕士|大[一二三四]|研[一二三]"
    r"|初[一二三中]|高[一二三中]|[一二三四五六]年级))了?\Z"
)
_DUTY_ZH: Final = pattern(r"负责(?![任人])\s?(?P<v>[^，,了]{2,20})\Z")
_CALLED_ZH: Final = pattern(rf"(?:叫|是)(?P<v>{_NAME_ZH})\Z")
_IS_ZH: Final = pattern(r"是(?:一?[名个位])?(?P<v>[^，,的]{2,10})\Z")
_WHO: Final = (
    r"\A(?:(?:and|but|so|btw|also),? )?my (?P<who>(?:(?:older|younger|elder|big|little) )?"
    rf"(?:{'|'.join(sorted(KIN))})"
    r"(?:,? (?-i:[A-Z])[a-z]+,?)?) (?:(?:now|currently) )?"
)
_WORK: Final = pattern(
    _WHO + r"(?:works?|is working)(?: as (?:an?|the) (?P<role>[\w-]+(?: [\w-]+){0,3}?))?"
    r"(?: (?:at|for) (?:an? |the )?(?P<at>(?!home|night|least|weekend|moment|living|me\b|him|her"
    r"|us\b|them|\d|hours|a |this|that|now)[\w&'’. -]{2,40}?))?\W*\Z",
    _I,
)
_LEARN: Final = pattern(
    _WHO + r"(?:stud(?:y|ies)|is studying) (?P<v>in (?-i:[A-Z])[\w ]++"
    r"|(?!for|hard|with|every|here|the |his|her)"
    r"[a-z]+(?: [a-z]+)? (?:in|at) (?-i:[A-Z])[\w ]+?(?<!\W))\W*+\Z",
    _I,
)


def is_somebody(words: str) -> bool:
    """Tell whether Chinese words call a person: 弟弟, 小王."""
    return _SOMEBODY.fullmatch(words) is not None or is_person(words)


def told_of_people(clause: str) -> list[Told]:
    """Return what a clause tells of somebody of the user's family or work."""
    clause = clause.strip(" .。!！~～")
    if who := _WHO_ZH.match(clause):
        return list(_in_chinese(who, clause[who.end() :]))
    if work := _WORK.match(clause):
        return list(_at_work(work))
    learns = _LEARN.match(clause)
    return [Told(thing_of(learns["who"]), "education", learns["v"], "people")] if learns else []


def _in_chinese(who: re.Match[str], rest: str) -> Iterator[Told]:
    """Tell what is said after 我女儿."""
    named = who["name"] or who["one"] or ""
    subject = " ".join(filter(None, (thing_of(who["kin"] or ""), named)))
    if duty := _DUTY_ZH.match(rest):
        yield Told(named or subject, "in_charge_of", duty["v"], "people")
    elif (called := _CALLED_ZH.match(rest)) and _is_name(called):
        yield Told(subject, "name", called["v"], "people")
    elif age := _AGE_ZH.match(rest):
        yield Told(subject, "age", age["v"], "people")
    elif home := _HOME_ZH.match(rest):
        yield Told(subject, "location", home["v"] or home["city"], "people")
    elif learns := _LEARN_ZH.match(rest):
        yield Told(subject, "education", learns["v"], "people")
    elif (is_ := _IS_ZH.match(rest)) and ZH_TRADE.search(is_["v"]) and named:
        yield Told(subject, "role", is_["v"], "people")
    elif work := _WORK_ZH.match(rest):
        trade = work["v"] or work["trade"]
        if trade and not ZH_TRADE.search(trade):
            return
        if trade:
            yield Told(subject, "role", trade, "people")
        if place := work["at"]:
            where = "location" if CITY.fullmatch(place) else "employer"
            yield Told(subject, where, place, "people")


def _is_name(called: re.Match[str]) -> bool:
    """Tell whether somebody is called so; 我妈是老师 says what she does."""
    name = called["v"]
    if called[0].startswith("叫") or name.isascii():
        return True
    return ZH_TRADE.search(name) is None and is_person(name)


def _at_work(work: re.Match[str]) -> Iterator[Told]:
    """Tell as what and where somebody works."""
    if work["role"] and not is_trade(work["role"]):
        return
    subject = thing_of(work["who"].replace(",", ""))
    if work["role"]:
        yield Told(subject, "role", work["role"], "people")
    if work["at"]:
        yield Told(subject, "employer", work["at"], "people")
