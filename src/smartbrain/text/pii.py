"""Find personal data and secrets in Chinese, English and mixed text, and mask them (C10).

In: any string. Out: spans in order that never overlap, or the text with a mark such as `[email]`
for each of them. By patterns and checksums, so the same text always gives the same answer; kinds
whose traces a text does not have are not looked for. Full-width digits count like others. Not
found: names, numbers written in words, local phones that no word names, addresses without a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from ipaddress import AddressValueError, IPv6Address
from typing import Final, NamedTuple

from smartbrain.domain.pii import PiiKind, PiiSpan
from smartbrain.text.pattern import pattern

# Leading digits of the card networks with the lengths they issue.
_CARD: Final = pattern(
    r"4(?:\d{12}|\d{15}|\d{18})"
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|(?:30[0-5]|3[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12,15}"
    r"|(?:5[06-8]|6\d|81)\d{14,17}|9558\d{15}"
)
_WORD_BEFORE: Final = pattern(r"[A-Za-z\d]+\Z")
_WORD_AFTER: Final = pattern(r"[A-Za-z\d]+")
_HEX: Final = pattern(r"(?:0[xX])?[\dA-Fa-f]*")
_REACH: Final = 64  # characters around a number that are looked at
_PROVINCES: Final = pattern(r"1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91")
_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"

# What is written where a secret would stand.
_PLACEHOLDER: Final = pattern(
    r"([*•●·.#_~-])\1*|x{3}.*|.*x{6}|\*{3}.*|<.*|\$[\w{(].*|%\w+%|\{.*|!\w+|@\w+"
    r"|(?:your|my|the|some|an?|new|old|this|that)[-_].*"
    r"|(?:re)?placeholder|redacted|masked|hidden|change[-_]?(?:me|it)|example\w*|dummy"
    r"|required|optional|invalid|missing|expired|incorrect|unknown|undefined|revoked|unset"
    r"|default|disabled|enabled|rejected|accepted|refresh(?:ed)?|missing|correct"
    r"|string|str|number|integer|boolean|object|buffer|bytes\d*|char\w*|varchar\w*|secretstr"
    r"|base\d\d|sha-?\d+|md5|bcrypt|scrypt|argon2\w*|aes-?\d*|(?:hs|rs|es)\d{3}|utf-?\d+|uuid\d?",
    re.IGNORECASE,
)
# Dates, decimals, sizes ("12-digit"), paths and links are no secrets either.
_OTHER: Final = pattern(
    r"\d{4}-\d\d-\d\d.*|[$€£]?\d+[.,]\d+%?|\d+-[A-Za-z]+|(?:~|\.{1,2})?/[\w./-]*|[a-z]{2,10}://.*",
    re.IGNORECASE,
)
_WORDS: Final = pattern(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_NAMES: Final = pattern(r"[A-Za-z]++(?:(?:_|\.|->|::)[A-Za-z_]++)++")
_KEY_WORD: Final = pattern(r"pass|pwd|secret|token|key", re.IGNORECASE)
# What a key has, unlike a name made of words: a long part with digits.
_LONG_PART: Final = pattern(r"(?<!\w)(?=[A-Za-z_]*+\d)\w{10}", re.ASCII)

_PROVINCE: Final = pattern(
    r"(?<![省市区县镇乡州盟旗 ])"
    r"(?:北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南"
    r"|广东|海南|四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门)"
)
_LEADS_IN: Final = pattern(
    r".*(?:[在到是去往址寄送住室]|[号號][线机球选文]?|从(?!化)|位于|我家|公司)"
)
_REGION: Final = pattern(r"[省市区县镇乡州盟旗]")
_LONGEST_NAME: Final = 4


def is_in_name(text: str, start: int, end: int) -> bool:
    """Tell whether a number is part of a name: `uid13812345678`, `contact_13812345678.csv`.

    Letters that could all be digits of a hash, or a single one, are no name.
    """
    before = _WORD_BEFORE.search(text, max(0, start - _REACH), start)
    after = _WORD_AFTER.match(text, end, end + _REACH)
    around = (before[0] if before else "") + (after[0] if after else "")
    if not around:
        return text[max(0, start - 1) : start] == "_"
    letters = sum(map(str.isalpha, around))
    return letters > 1 and not _HEX.fullmatch(around)


def is_bank_card(digits: str) -> bool:
    """Tell whether digits begin like a card network's and have the right last digit (Luhn)."""
    if not _CARD.fullmatch(digits):
        return False
    doubled = (sum(divmod(2 * int(one), 10)) for one in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def is_id_card(number: str) -> bool:
    """Tell whether 18 or 15 characters are a Chinese resident's number.

    It names a province and a day of birth; that of 18 characters also ends with its checksum.
    """
    if not _PROVINCES.match(number):
        return False
    born = number[6:14] if len(number) == 18 else f"19{number[6:12]}"
    if born[:2] not in ("19", "20") or not _is_day(born):
        return False
    if len(number) == 15:
        return True
    total = sum(weight * int(one) for weight, one in zip(_ID_WEIGHTS, number[:17], strict=True))
    return number[17].upper() == _ID_CHECKS[total % 11]


def is_telling_ipv4(text: str) -> bool:
    """Tell whether four dotted numbers are the address of one machine.

    The own machine, nobody, everybody and masks of networks identify nobody.
    """
    parts = text.split(".")
    octets = list(map(int, parts))
    plain = all(part == str(octet) for part, octet in zip(parts, octets, strict=True))
    return plain and max(octets) < 256 and octets[0] not in (127, 255) and any(octets)


def is_telling_ipv6(text: str) -> bool:
    """Tell whether colons and hexadecimal digits are an address that belongs to one network."""
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return False
    groups = sum(1 for group in text.split(":") if group)
    first = address.packed[0]
    # Global addresses, those of a site, those of a link.
    return groups > 1 and (first >> 5 == 0b001 or first >> 1 == 0b1111110 or address.is_link_local)


def is_secret(value: str, *, quoted: bool, may_be_word: bool) -> bool:
    """Tell whether a value given for a password, token or key is one.

    Words alone count only in quotes or where nothing else can stand (`may_be_word`); names of
    variables, placeholders, dates, paths and links never do.
    """
    if _PLACEHOLDER.fullmatch(value) or _OTHER.fullmatch(value):
        return False
    if _WORDS.fullmatch(value):
        return (quoted or may_be_word) and not _KEY_WORD.search(value)
    return quoted or not _NAMES.fullmatch(value)


def start_of_address(run: str) -> int:
    """Return where the address begins in the Chinese characters before its road.

    After what leads in to it and at a province; else a few characters before the first region.
    """
    lead = _LEADS_IN.match(run)
    start = lead.end() if lead else 0
    if province := _PROVINCE.search(run, start):
        return province.start()
    region = _REGION.search(run, start)
    return max(start, (region.start() if region else len(run)) - _LONGEST_NAME)


def _is_day(digits: str) -> bool:
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True


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


_MARKS: Final = {kind: f"[{kind}]" for kind in PiiKind} | dict.fromkeys(
    (PiiKind.API_KEY, PiiKind.PRIVATE_KEY), "[secret]"
)
_MARK: Final = rf"\[(?:{'|'.join(sorted({mark[1:-1] for mark in _MARKS.values()}))})\]"
# Of two overlapping spans of one length the earlier kind of these is kept.
_CERTAIN: Final = (
    PiiKind.PRIVATE_KEY,
    PiiKind.API_KEY,
    PiiKind.EMAIL,
    PiiKind.ID_CARD,
    PiiKind.BANK_CARD,
    PiiKind.PHONE,
    PiiKind.IP,
    PiiKind.ADDRESS,
)
# Stands for what was found already; no pattern takes it, just as none takes a mark.
_FOUND: Final = "\0"
# Two or three do; a text made to uncover one span at a time must not cost a round for each.
_MOST_ROUNDS: Final = 16

_WIDE: Final = "０１２３４５６７８９＋－（）Ｘｘ\u3000\u00a0‐‑–"
_NARROW: Final = dict(zip(_WIDE, "0123456789+-()Xx  ---", strict=True))
_SOME_WIDE: Final = pattern(f"[{_WIDE}]")


def _head(first: str) -> str:
    """Return a pattern of one character that does not go on a word, number, price or path.

    A `_` joins words, and a number among them is one for itself: `call_13812345678_log`.
    The character comes first and its surroundings later: so the engine can skip to it.
    """
    return rf"{first}(?<![A-Za-z\d#$¥￥€£]{first})(?<!\d[.-]\d)(?<![A-Za-z_~.]/{first})"


_TAIL: Final = r"(?![A-Za-z\d]|[.-]\d|\.[a-z])"
_NO_AMOUNT: Final = r"(?![ ]?(?:元|美元|万元|亿|字节|bytes))"
_SEP: Final = "[ -]"


class _Rule(NamedTuple):
    """A kind, how it is written, and what tells it from what only looks like it."""

    kind: PiiKind
    source: re.Pattern[str]
    holds: Callable[[re.Match[str]], bool]


def _digits(found: re.Match[str]) -> str:
    return found.group().replace(" ", "").replace("-", "")


def _always(_: re.Match[str]) -> bool:
    return True


_MOBILE: Final = rf"1[3-9]\d{_SEP}?\d{{4}}{_SEP}?\d{{4}}"
_NORTH_AMERICAN: Final = r"1\)?[ .-]{0,2}\(?[2-9]\d\d\)?[ .-]{0,2}[2-9]\d\d[ .-]?\d{4}"
_COUNTRY: Final = (
    rf"(?:86\)?{_SEP}?{_MOBILE}|{_NORTH_AMERICAN}"
    rf"|(?!86\)?{_SEP}?1[3-9])[2-9](?:[ ()-]{{0,2}}\d){{8,14}}){_TAIL}"
)
# As people write it at home; what says that it is a phone stands before it.
_NATIONAL: Final = (
    r"[(\d](?<![\w.#$+-][(\d])(?:(?<=\()[2-9]\d\d\)[ ]?[2-9]\d\d[ .-]\d{4}"
    r"|(?<=[2-9])\d\d([ .-])[2-9]\d\d\1\d{4}|(?<=[2-9])\d\d[2-9]\d{6}"
    r"|(?<=\()0\d{2,3}\)[ ]?[1-9]\d{6,7}|(?<=0)\d{2,3}[ -]?[1-9]\d{2,3}[ -]?\d{4}"
    r"|(?<=0)\d{2,4}[ ]\d{3,4}[ ]\d{3,4}|(?<=4)00[ -]?\d{3}[ -]?\d{4})"
    r"(?:[ ]?(?:x|ext\.?|-|转)[ ]?\d{1,5}\b)?"
)
_CUE: Final = pattern(
    r"(?:\b(?:(?:tele)?phones?|tel|cell|mobile|fax|hotline|call(?: me| us| him| her| them)?"
    r"|(?:phone|contact|cell|mobile) (?:number|no\.?))|电话|手机|联系|座机|热线|传真|致电)"
    r"(?:[号码方式]{0,4}(?: number)?(?: (?:is|at|on))?[\"']?[ ]?[:：是为]?[ ]{0,2}[\"']?)\Z",
    re.ASCII | re.IGNORECASE,
)
_CUE_REACH: Final = 32


def _is_phone(found: re.Match[str]) -> bool:
    start = found.start()
    return _CUE.search(found.string[max(0, start - _CUE_REACH) : start]) is not None


_NUMBER_RULES: Final = tuple(
    _Rule(kind, pattern(source, re.ASCII), holds)
    for kind, source, holds in (
        (
            PiiKind.PHONE,
            rf"{_head('[081]')}(?:(?<=1)|(?<=8)6{_SEP}?1|(?<=0)086{_SEP}?1)"
            rf"{_MOBILE[1:]}{_TAIL}{_NO_AMOUNT}",
            _always,
        ),
        # Numbers glued together are one: each would hide the next.
        (
            PiiKind.PHONE,
            rf"{_head('[+(]')}(?:(?<=[+])|(?<=[(])[+]){_COUNTRY}(?:\(?[+]{_COUNTRY})*",
            _always,
        ),
        (
            PiiKind.PHONE,
            r"[081](?<!\d[081])(?<!\d[.-]\d)(?:(?<=1)|(?<=8)61|(?<=0)0861)[3-9]\d{9}(?!\d|\.\d)",
            lambda found: is_in_name(found.string, found.start(), found.end()),
        ),
        (PiiKind.PHONE, rf"{_NATIONAL}{_TAIL}{_NO_AMOUNT}", _is_phone),
        (
            PiiKind.ID_CARD,
            r"[1-9](?<![A-Za-z\d#$][1-9])(?<!\d[.-]\d)"
            rf"(?:\d{{5}}{_SEP}?\d{{8}}{_SEP}?\d{{3}}(?:\d{_TAIL}|[Xx](?![A-Za-z\d]))"
            rf"|\d{{14}}{_TAIL})",
            lambda found: is_id_card(_digits(found)),
        ),
        *(
            (
                PiiKind.BANK_CARD,
                _head("[2-689]") + grouped + _TAIL,
                lambda found: is_bank_card(_digits(found)),
            )
            for grouped in (
                r"\d{12,18}",
                rf"\d{{3}}({_SEP})\d{{4}}\1\d{{4}}\1\d{{1,4}}",
                rf"\d{{3}}({_SEP})\d{{4}}\1\d{{4}}\1\d{{4}}\1\d{{1,3}}",
                rf"\d{{3}}({_SEP})\d{{6}}\1\d{{4,5}}",
                rf"\d{{5}}{_SEP}\d{{13}}",
            )
        ),
    )
)
_NUMBERS: Final = range(10**10, 10**19)  # those with as many digits as the shortest, the longest
_DIGIT: Final = pattern(r"\d", re.ASCII)
_LONG_NUMBER: Final = pattern(r"\d(?:[ ().-]{0,3}\d){8}", re.ASCII)

# Words before a dotted number which say that it is a version or a section.
_VERSION: Final = pattern(
    r"(?:\bv(?:er(?:sion|\.)?)?|\bversions?|\brelease|\bsection|\bchapter|版本号?|第|§)"
    r"[ \t]*[:：=]?[ \t]*\Z|(?:[=<>~!]=|[\^~])[ \t]*\Z|[A-Za-z]-\Z",
    re.ASCII | re.IGNORECASE,
)
_IPV4: Final = _Rule(
    PiiKind.IP,
    pattern(
        r"\d(?<![\w#$]\d)(?<!\d\.\d)(?<![A-Za-z_~.]/\d)\d{0,2}(?:\.\d{1,3}){3}"
        r"(?!\w|\.\w|-[A-Za-z])",
        re.ASCII,
    ),
    lambda found: (
        is_telling_ipv4(found.group())
        and not _VERSION.search(found.string[max(0, found.start() - 16) : found.start()])
    ),
)
_IPV6: Final = _Rule(
    PiiKind.IP,
    pattern(
        r"[23Ff](?<![\w:][23Ff])(?!(?<=\[\d)\d+::\d*\])[0-9A-Fa-f]{3}"
        r"(?::[0-9A-Fa-f]{0,4}+){2,7}+(?![\w:])",
        re.ASCII,
    ),
    lambda found: is_telling_ipv6(found.group()),
)
_DOTTED: Final = pattern(r"\d\.\d{1,3}\.\d", re.ASCII)
_DOMAIN: Final = pattern(
    r"@(?!\d+x\.)(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\.){1,8}[A-Za-z]{2,24}+(?!\w)", re.ASCII
)
_LOCAL: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+'-"
_LONGEST_LOCAL: Final = 64

_KEY_TRACES: Final = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "AKIA", "ASIA", "AIza"),
    *("glpat-", "hf_", "npm_", "pypi-", "eyJ", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
)
_KEY: Final = _Rule(
    PiiKind.API_KEY,
    pattern(
        r"(?<![\w-])(?:sk-[\w-]{20,}+|gh[opusr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+"
        r"|xox[abeoprs]-[\w-]{10,}+|(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)|AIza[\w-]{30,}+"
        r"|glpat-[\w-]{16,}+|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+|pypi-[\w-]{16,}+"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+|eyJ[\w-]{5,}+\.[\w-]{5,}+\.[\w-]{4,}+)[\w-]*+",
        re.ASCII,
    ),
    lambda found: bool(_LONG_PART.search(found.group())),
)
_BEARER: Final = pattern(
    r"\bBearer[ \t]{1,4}((?=[\w.~+/=-]{0,200}?\d)(?=[\d.~+/=-]{0,200}?[A-Za-z])[\w.~+/=-]{10,}+)",
    re.ASCII | re.IGNORECASE,
)
_SECRET_TRACES: Final = (
    *("passw", "passphrase", "passcode", "pwd", "secret", "token", "key", "密码", "口令"),
    *("密钥", "秘钥"),
)
_ASSIGNED: Final = pattern(  # one character first, in either case: long texts are scanned for it
    r"(?-i:[apstAPST密口秘])(?:(?<!unexpected .)(?<!invalid .)(?:(?<=p)(?:ass(?:word|wd|phrase"
    r"|code)|wd)|(?<=s)ecret(?:[ _-]?key)?|(?<=t)oken|(?<=a)(?:pi|ccess)[ _-]?key)|(?<=密)[码钥]"
    r"|(?<=口)令|(?<=秘)钥)"
    r"(?:\\?[\"']\]?|\*\*|`)?(?P<blank>[ \t]{0,4})"
    r"(?P<by>(?>(?<=[ \t])(?:is|was)(?=[ \t:])[ \t]{0,4}:?|[是为][ ]?[:：]?|:=|=>|={1,3}|[:：＝]))"
    r"(?:\*\*)?+[ \t]{0,8}+"
    rf"(?:\\?[\"'`“‘「『](?P<quoted>(?:(?!{_MARK})[^\s\0\"'`“”‘’「」『』]){{6,}}+)(?=[\"'`”’」』])"
    r"|(?![<${\[(\"'`]|[A-Za-z_][\w.]*+[(\[])"
    rf"(?P<bare>(?:(?!{_MARK}|[&;,]\w{{1,30}}[=:])[!#-_a-~]){{6,}}+))",
    re.ASCII | re.IGNORECASE,
)
_LINE_ENDS: Final = pattern(r"[ \t]*(?:[\r\n。，；！]|\Z)")
_PRIVATE_KEY: Final = pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)


def find_pii(text: str) -> list[PiiSpan]:
    """Return the personal data and secrets of a text, in order and without overlaps.

    Of two that overlap the longer is kept, but a private key before all else. Nothing more is found
    once they are masked: what only their neighbourhood hid is found as well.
    """
    left = _narrowed(text)
    spans: list[PiiSpan] = []
    for _ in range(_MOST_ROUNDS):
        fresh = _strongest(sorted(_candidates(left), key=lambda span: span.offset))
        if not fresh:
            break
        spans += fresh
        left = _replaced(left, [(span, _FOUND * span.length) for span in fresh])
    return sorted(spans, key=lambda span: span.offset)


def holds_pii(text: str) -> bool:
    """Tell whether `find_pii` finds anything in a text; the first trace that holds is enough."""
    return next(_candidates(_narrowed(text)), None) is not None


def kind_of_number(number: float) -> PiiKind | None:
    """Return what the digits of a number are if all of them are personal data in a text as well."""
    whole = int(number) if isinstance(number, int) or number.is_integer() else 0
    if whole not in _NUMBERS:
        return None
    digits = str(whole)
    return next((one.kind for one in find_pii(digits) if one.length == len(digits)), None)


def _narrowed(text: str) -> str:
    """Return a text with the narrow form of its wide characters, where it has any."""
    return text if text.isascii() else _SOME_WIDE.sub(lambda found: _NARROW[found[0]], text)


def mask_pii(text: str, spans: Sequence[PiiSpan]) -> str:
    """Return a text with a readable mark in place of each span, or some, that `find_pii` found."""
    return _replaced(text, [(span, _MARKS[span.kind]) for span in spans])


def mark_of(kind: PiiKind) -> str:
    """Return the mark that stands for personal data of a kind."""
    return _MARKS[kind]


def is_masked(text: str) -> bool:
    """Tell whether a text holds the mark of something that was masked."""
    return "[" in text and any(mark in text for mark in _MARKS.values())


def _replaced(text: str, changes: Sequence[tuple[PiiSpan, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for span, instead in changes:
        pieces += text[done : span.offset], instead
        done = span.end
    return "".join(pieces) + text[done:]


def _strongest(spans: Sequence[PiiSpan]) -> list[PiiSpan]:
    """Return the best of each run of overlapping spans; they come by offset."""
    kept: list[PiiSpan] = []
    for span in spans:
        if not kept or kept[-1].end <= span.offset:
            kept.append(span)
        elif _strength(span) > _strength(kept[-1]):
            kept[-1] = span
    return kept


def _strength(span: PiiSpan) -> tuple[bool, int, int]:
    """Return what decides between overlapping spans; more is better."""
    return span.kind is PiiKind.PRIVATE_KEY, span.length, -_CERTAIN.index(span.kind)


def _candidates(text: str) -> Iterator[PiiSpan]:
    """Yield whatever may be personal data, kind by kind; each is looked for only on a trace."""
    if "PRIVATE KEY-" in text or "PRIVATE KEY BLOCK-" in text:
        yield from (_span(PiiKind.PRIVATE_KEY, found) for found in _PRIVATE_KEY.finditer(text))
    if any(map(text.__contains__, _KEY_TRACES)):
        yield from _by_rule(_KEY, text)
    lowered = text.lower()
    if "bearer" in lowered:
        yield from (_span(PiiKind.API_KEY, found, 1) for found in _BEARER.finditer(text))
    if any(map(lowered.__contains__, _SECRET_TRACES)):
        yield from _assigned_secrets(text)
    if "@" in text:
        yield from _emails(text)
    if "::" in text or text.count(":") > 6:
        yield from _by_rule(_IPV6, text)
    if "号" in text or "號" in text:
        yield from chinese_addresses(text)
    if not _DIGIT.search(text):
        return  # everything below has one
    if _LONG_NUMBER.search(text):
        for rule in _NUMBER_RULES:
            yield from _by_rule(rule, text)
    if _DOTTED.search(text):
        yield from _by_rule(_IPV4, text)
    yield from english_addresses(text)


def _span(kind: PiiKind, found: re.Match[str], group: int | str = 0) -> PiiSpan:
    return PiiSpan(kind, found.start(group), found.end(group) - found.start(group))


def _by_rule(rule: _Rule, text: str) -> Iterator[PiiSpan]:
    """Yield what a rule finds; after a mismatch, also what begins inside of that."""
    at = 0
    while found := rule.source.search(text, at):
        if rule.holds(found):
            yield _span(rule.kind, found)
            at = found.end()
        else:
            at = found.start() + 1


def _emails(text: str) -> Iterator[PiiSpan]:
    """Yield e-mail addresses: a domain first, then what stands directly before it."""
    for found in _DOMAIN.finditer(text):
        before = text[max(0, found.start() - _LONGEST_LOCAL) : found.start()]
        local = before[len(before.rstrip(_LOCAL)) :].lstrip(".'%+-")
        # "git@" opens the address of a repository, which is nobody's.
        if local and local[-1] != "." and local != "git":
            yield PiiSpan(
                PiiKind.EMAIL, found.start() - len(local), found.end() - found.start() + len(local)
            )


def _assigned_secrets(text: str) -> Iterator[PiiSpan]:
    """Yield the values that are given for passwords, tokens and keys."""
    for found in _ASSIGNED.finditer(text):
        quoted = found["quoted"] is not None
        group = "quoted" if quoted else "bare"
        value = found[group].rstrip("\\" if quoted else ",.;:)}]>'\\")
        # A name alone says little: "password = hashed" is code and "token is fresh" is prose.
        is_code = bool(found["blank"]) and "=" in found["by"]
        is_prose = found["by"][0] in "iwIW"
        may_be_word = not (is_code or is_prose) and bool(_LINE_ENDS.match(text, found.end()))
        if len(value) >= 6 and is_secret(value, quoted=quoted, may_be_word=may_be_word):
            yield PiiSpan(PiiKind.API_KEY, found.start(group), len(value))
