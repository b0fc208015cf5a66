"""Tell real card numbers, addresses of machines and secrets from what only looks like them.

In: what a pattern of `text.pii` matched, or what stands before it. Out: whether it counts, or where
it begins. Checksums, calendars and lists of words, which no pattern can hold; every function is
pure and takes a short string.
"""

from __future__ import annotations

import re
from datetime import date
from ipaddress import AddressValueError, IPv6Address
from typing import Final

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


def is_random(token: str) -> bool:
    """Tell whether a token has a long part with digits, unlike a name made of words."""
    return bool(_LONG_PART.search(token))


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
    """Tell whether eight digits are a day of the calendar."""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True
