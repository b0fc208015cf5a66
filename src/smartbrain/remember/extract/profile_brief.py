"""Who the user is, said without "I": "dad of three here", "name's Ruth", 程序员一枚, 男，35岁.

In: a clause that opens a message, or what others call the user. Out: (name, words) of the facts in
it. What could as well be about somebody else is none.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.negation import denies_en
from smartbrain.remember.extract.profile_words import ZH_NOT_TRADE, ZH_TRADE, is_trade
from smartbrain.remember.extract.said import Clause, Said, Sentence
from smartbrain.text.pattern import pattern, sign

_I: Final = 0x02  # re.IGNORECASE
_NAME: Final = r"(?P<v>(?-i:[A-Z])[\w'’-]++(?: (?-i:[A-Z])[\w'’-]++){0,2})"

_BRIEF: Final = sign(
    r"\bhere\b|\bname['’]?s\b|\bby (?:trade|profession|training|day)\b|\bcalls? me\b"
    r"|一[枚名个位]|\A\W*[男女]|坐标|人称|[叫喊称]我|快.{1,3}了|年[近过]",
    _I,
)
_AGED: Final = pattern(r"\W*+\d\d ?[mf]\b", _I)
_CALLED: Final = pattern(
    r"\W*+(?:(?:and|but|so|well|hi|hey|hello)[, ]++)*(?:(?:the |my )?(?:first |full |real "
    r"|last )?name['’]?s "
    + _NAME
    + r"|(?:everyone|everybody|people|most people|(?:all )?(?:my )?(?:friends|family|colleagues"
    r"|coworkers|mates|teammates|students)|they all|folks)(?: all| just| usually| mostly| always)*"
    r" calls? me " + _NAME.replace("?P<v>", "?P<w>") + r")(?:\W*\Z|\W+(?:by the way|btw|here"
    r"|but|and)\b)",
    _I,
)
_HERE: Final = pattern(
    r"\W*(?:(?:hi|hey|hello|so|well|also)[, ]+)*(?:just |another |fellow |long-?time )*(?:an? )?"
    r"(?!(?:no|not|never|any|my|the|some|good|best|your|our|only|found|is|are|was|i|we|he|she|they|it|there"
    r"|every|each|new)\b)(?P<np>[a-z][\w'-]*(?: [\w'-]+){0,3}?)(?P<of> of (?:\w+))?,? here\W*\Z",
    _I,
)
_BY_TRADE: Final = pattern(
    r"\W*(?:an? )?(?!(?:no|not|never|my|the|he|she|they|it|his|her)\b)"
    r"(?P<np>[a-z][\w'-]*(?: [\w'-]+){0,3}?)"
    r" by (?:trade|profession|training|day)\b",
    _I,
)
_SHORT: Final = pattern(
    r"\W*(?P<age>\d\d) ?(?P<sex>m|f|male|female)\b(?:,? (?P<np>[\w' -]{3,30}))?\W*\Z", _I
)
_ZH_ONE: Final = pattern(
    r"\W*(?:(?:普通|小|资深|全职|在职|一个|[一-九\d]{1,3}岁"
    r"|\d\d后)的?)?(?P<v>(?![是我不没非])[\u3400-\u9fffA-Za-z ]{2,12}?)"
    r"一[枚名个位只]\W*\Z"
)
_ZH_SEX: Final = pattern(r"\W*(?:性别)?(?P<v>[男女](?:生|性|士)?)\W*\Z")
_ZH_SEX_NEXT: Final = pattern(
    r"\W*(?:今年)?[\d二三四五六七八九十]{2,3}\s*(?:岁|(?=\W|\Z))|\W*(?:\d\d后|[已未]婚|单身|坐标)"
)
_ZH_AGE: Final = pattern(
    r"\W*(?P<v>(?:我?都|已经|也|马上|眼看)*(?:快|马上|将近|年近|年过|奔)(?:要|就|到|都)*"
    r"(?:[二三四五六七八九]十[一二三四五六七八九]?|[2-9]\d))岁?(?:的人)?了\W*\Z"
)
_ZH_PLACE: Final = pattern(r"\W*坐标[:：]?\s*(?P<v>[\u3400-\u9fffA-Za-z]{2,10})\W*\Z")
_KINFOLK: Final = frozenset(
    ("dad", "mom", "mum", "father", "mother", "parent", "grandma", "grandpa", "grandmother")
) | {"grandfather", "foster parent"}


def is_brief(text: str) -> bool:
    """Tell, at little cost, whether words may tell of the user without naming them."""
    return bool(_BRIEF.search(text) or _AGED.match(text))


def brief_facts(clause: Clause, sentence: Sentence, said: Said) -> list[tuple[str, str]]:
    """Return the facts that a clause tells of the user without naming them."""
    text = clause.text
    called = _CALLED.match(text)
    if called and called["w"]:
        return [("name", called["w"])]
    if not sentence.clauses or clause.offset != sentence.clauses[0].offset:
        return []
    if called:
        return [("name", called["v"])]
    return _said_of_oneself(text) or _at_the_start(clause, sentence, said)


def _said_of_oneself(text: str) -> list[tuple[str, str]]:
    """Return the trade that somebody puts forward: "nurse here", 护士一枚."""
    found = _HERE.match(text) or _BY_TRADE.match(text)
    if found and is_trade(found["np"]) and not denies_en(found["np"]):
        whole = found["np"] + (found.groupdict().get("of") or "")
        kin = found["np"].lower().split()[-1] in _KINFOLK
        return [("family" if kin else "role", whole)]
    one = _ZH_ONE.match(text)
    if one and ZH_TRADE.search(one["v"]) and not ZH_NOT_TRADE.match(one["v"]):
        return [("role", one["v"].strip())]
    return []


def _at_the_start(clause: Clause, sentence: Sentence, said: Said) -> list[tuple[str, str]]:
    """Return what a message may open with to introduce who writes it."""
    text = clause.text
    if sentence.offset != said.sentences[0].offset:
        return []
    if short := _SHORT.match(text):
        facts = [("age", short["age"]), ("gender", short["sex"])]
        trade = (short["np"] or "").strip()
        return [*facts, ("role", trade)] if is_trade(trade) else facts
    following = sentence.text[clause.offset - sentence.offset + len(text) :]
    if (sex := _ZH_SEX.match(text)) and _ZH_SEX_NEXT.match(following):
        return [("gender", sex["v"])]
    if age := _ZH_AGE.match(text):
        return [("age", age["v"])]
    place = _ZH_PLACE.match(text)
    return [("location", place["v"])] if place else []
