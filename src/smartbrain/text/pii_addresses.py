"""Find where people live and work in Chinese, English and mixed text (C10).

In: any string, its digits narrow. Out: a span for each road with a house number, with the places
that are named before it, and the rooms and the city after it. Not found: addresses without a
number, a city that no comma sets off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.domain.pii import PiiKind, PiiSpan
from smartbrain.text.pattern import pattern
from smartbrain.text.pii_checks import start_of_address

_HAN: Final = "\u3400-\u9fff"
_STREET: Final = (
    r"Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq"
    r"|Terrace|Ter|Way|Parkway|Pkwy|Circle|Cir|Highway|Hwy|Crescent|Close|Row|Mews|Alley|Loop"
)
_NO_HOUSE: Final = pattern(
    r"\b(?:chapter|step|phase|version|python|windows|top|section|part|figure|table|episode|season"
    r"|level|week|day)[ ]\Z",
    re.ASCII | re.IGNORECASE,
)
_YEAR: Final = pattern(r"(?:19|20)\d\d[ ]", re.ASCII)
_DATING: Final = pattern(
    r"\b(?:in|since|by|of|until|till|during|before|after|from|and|year|early|late|mid"
    r"|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]{0,6}\.?(?:[ ]\d\d?)?,?)[ -]\Z",
    re.ASCII | re.IGNORECASE,
)
# What follows a comma with a capital and is no city, and what goes on after a city.
_NO_CITY: Final = (
    r"(?:I|We|You|He|She|It|They|My|Our|Your|His|Her|Their|The|This|That|There|A|An|And|But|Or|So"
    r"|If|In|On|At|By|For|From|To|With|When|Where|Then|Please|Thanks|Yes|No|Not|Call|Send"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July"
    r"|August|September|October|November|December)\b"
)
_GOES_ON: Final = (
    r"(?:and|or|but|in|on|at|by|for|from|to|with|when|where|which|since|until|near|as|if|is|please"
    r"|because|before|after|now|today|tomorrow)\b"
)
_NAME: Final = r"[A-Z][A-Za-zÀ-ÿ'’-]{0,20}+(?!\w)"
_CITY: Final = (
    rf",[ ](?!{_NO_CITY})(?>(?:St\.[ ])?{_NAME}(?:[ ](?:(?:of|upon|on|de|la)[ ])?{_NAME}){{0,3}}+)"
    r"(?:,?[ ](?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2})(?!\w))?"
    rf"(?![\w'’]|[ ](?!{_GOES_ON})[a-z])"
)
_ENGLISH_ADDRESS: Final = pattern(
    r"[1-9](?<![\w#$¥￥€£][1-9])(?<!\d\.\d)\d{0,4}+[A-Za-z]?(?:[-/]\d{1,4})?,?[ ]"
    r"(?!(?:Google|One|Hard|Flash|USB) Drive|(?:Supreme|High|District) Court|Milky Way)"
    r"(?:(?:[A-Z][A-Za-z'’-]{0,20}+\.?|\d{1,3}(?:st|nd|rd|th))[ ]){1,4}?"
    rf"(?:{_STREET})(?!\w|\.?[ ](?:{_STREET})\b|(?<=Dr)\.?[ ][A-Z][a-z])\.?"
    r"(?:[ ](?:[NS][EW]?|[EW])\b)?"
    r"(?:,?[ ](?:(?:Apartment|Apt|Suite|Ste|Unit|Floor|Flat)\.?[ ]?|#[ ]?)"
    r"(?:\d[\w-]{0,5}|[A-Za-z](?:-?\d{1,4})?)(?![.-]?\w))?"
    rf"(?:{_CITY}){{0,3}}",
    re.ASCII,
)
_NUMERAL: Final = r"(?:\d{1,5}|[一二三四五六七八九十百零〇]{1,5})"
# After a bare number: it is the number of a room unless something is counted.
_NO_COUNT: Final = r"(?![\w%]|[.:-]\d|[ ]?[年月日天点时分秒元块万千百亿个名位人次米公号线路岁])"
_CHINESE_ADDRESS: Final = pattern(
    r"[路街道巷弄同](?<![这那条速]公路)"
    r"(?<![这那条该走铁线电思出网上逛知频跑通管轨隧渠报味难赛航河].)(?<![^胡]同)"
    rf"(?:[东西南北中一二三四五六七八九十]{{1,2}}段)?[ ]?(?:{_NUMERAL}弄[ ]?)?"
    rf"{_NUMERAL}(?:[-之]\d{{1,4}})?[号號](?![线机球选文])"
    r"院?(?:[楼樓](?![上下里外梯道顶]))?"
    rf"(?:[ ]?[{_HAN}]{{2,10}}?(?:大厦|小区|花园|公寓|广场|中心|家园|苑|大楼))?"
    rf"(?:[ ]?(?:[A-Za-z]|{_NUMERAL})(?:号楼|號樓|栋|幢|座|楼|层|单元|室|房|户)){{0,5}}"
    r"(?:(?:(?<=[楼樓栋幢座层元])[ -]?|(?<=[号號])-?)"
    rf"(?:\d{{1,2}}-\d{{2,4}}|\d{{2,5}})[A-Za-z]?{_NO_COUNT})?",
    re.ASCII,
)
_REGION_RUN: Final = pattern(rf"(?:[{_HAN}]|(?<=[省市区县镇乡州盟旗])[ ])++\Z")
_LONGEST_REGION: Final = 40


def english_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield English addresses: a number and a road, with the room and the city after them."""
    at = 0
    while found := _ENGLISH_ADDRESS.search(text, at):
        at = found.start() + 1
        if not _is_counted(found):
            yield PiiSpan(PiiKind.ADDRESS, found.start(), found.end() - found.start())
            at = found.end()


def chinese_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield Chinese addresses: a road with a number first, then the places named before it."""
    done = 0
    for found in _CHINESE_ADDRESS.finditer(text):
        earliest = max(done, found.start() - _LONGEST_REGION)
        run = _REGION_RUN.search(text, earliest, found.start())
        if not run:
            continue
        start = start_of_address(run.group()) + run.start()
        if start < found.start():
            yield PiiSpan(PiiKind.ADDRESS, start, found.end() - start)
            done = found.end()


def _is_counted(found: re.Match[str]) -> bool:
    """Tell whether a house number is rather a year or a count ("in 2008 Wall Street")."""
    before = found.string[max(0, found.start() - 20) : found.start()]
    dated = _YEAR.match(found.group()) and _DATING.search(before)
    return bool(dated or _NO_HOUSE.search(before))
