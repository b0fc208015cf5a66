"""When two values say the same: the rules behind merging and conflicts (C4, C11).

In: values of one type. Out: which of their fields differ in what they say, in a way that
does not depend on case, marks or blanks, nor on whether a number came as a text. What only
accompanies a statement does not count. A day, a clock time, a version or a measured number is the
same in any spelling and either language: 6月30日, June 30 and, in its year, 2026-06-30.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.record import canonical_json
from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.text.entity_aliases import named_things, same_thing
from smartbrain.text.numerals import NUMERALS, chinese_number
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType

_BESIDE: Final = frozenset(
    {"made_at", "rationale", "priority", "notes", "since", "aliases", "attrs", "impact", "title"}
)
"""Fields that accompany what is said."""
_EDGES: Final = " \t\r\n.,!?;:\"'。，！？；：、…“”‘’"
_BLANKS: Final = pattern(r"\s+")
_WIDE_BLANK: Final = pattern(r"(?<=[\u3400-\u9fff]) (?=\w)|(?<=\w) (?=[\u3400-\u9fff])")
# What makes two texts of the same words different: numbers, signs, a denial.
_EXACT: Final = pattern(r"[0-9+#<>%=@/\\_-]")
_NUMBER: Final = pattern(
    rf"\d+(?:[.,:]\d+)*|[{NUMERALS}]+"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred)\b",
    0x02,
)
_DENIAL: Final = pattern(
    r"\b(?:not|no|never|without|none|cannot|against)\b|n['’]t\b|[不没别无未非]", 0x02
)
_LONGEST: Final = 40  # characters of a day or a number with its unit
_DIGIT: Final = pattern(r"\d")
_ONCE: Final = datetime(2001, 1, 3, tzinfo=UTC)
_CLOCK: Final = pattern(
    rf"(?:at )?(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨)?\s?(?:\d{{1,2}}|[{NUMERALS}]{{1,3}})"
    r"(?:[:：]\d\d|点[\w半]{0,4})?\s?(?:[ap]\.?m\.?)?",
    0x02,
)
_SLASHED: Final = pattern(
    r"\A(?:(?P<m>0?[1-9]|1[0-2])/(?P<d>1[3-9]|2\d|3[01])|(?P<e>1[3-9]|2\d|3[01])/(?P<n>0?[1-9]|1[0-2]))\Z"
)
# What may stand beside a time and says nothing of when it is.
_BESIDE_TIME: Final = pattern(r"\b(?:on|at|by|the|o['’]clock)\b|[\s,，()（）号整]+", 0x02)
_UNITS: Final = (
    "second|seconds|sec|secs|s|秒|秒钟", "minute|minutes|min|mins|分钟",
    "hour|hours|hr|hrs|h|小时|个小时|钟头|个钟头",
    "day|days|d|天", "week|weeks|周|星期|个星期|礼拜|个礼拜",
    "month|months|个月", "year|years|yr|yrs|年",
    "people|persons|person|employees|人|个人|名员工|位", "%|percent|per cent|pct", "times|次",
    "$|usd|dollars|dollar|bucks|美元|美金|刀", "€|eur|euros|euro|欧元", "£|gbp|pounds|pound|英镑",
    "¥|cny|rmb|yuan|元|块|块钱|人民币",
)  # fmt: skip
_UNIT: Final = {one: names.partition("|")[0] for names in _UNITS for one in names.split("|")}
_SCALES: Final = {
    "k": 3,
    "thousand": 3,
    "千": 3,
    "万": 4,
    "m": 6,
    "million": 6,
    "百万": 6,
    "亿": 8,
    "billion": 9,
}
_MEASURED: Final = pattern(
    r"\A(?P<v>v(?:er(?:sion)?)?\.? ?|版本 ?)?(?P<sign>[$€£¥])? ?"
    rf"(?P<n>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*|[{NUMERALS}]+)"
    r" ?(?P<scale>k|thousand|million|billion|m|百万|[千万亿])?(?![a-z]{2}(?<!per))"
    rf" ?(?P<unit>{'|'.join(sorted(map(re.escape, _UNIT), key=len, reverse=True))}|版本?)?\Z"
)


def differing(
    kind: MemoryType,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    said: tuple[datetime, datetime] | None = None,
) -> tuple[str, ...]:
    """Return the fields in which two values under one key say different things.

    With the times at which they were said it is also known which days they mean.
    """
    fields = dict.fromkeys((*_telling(kind, old), *_telling(kind, new)))
    return tuple(name for name in fields if not says_same(old.get(name), new.get(name), said))


def says_same(old: Any, new: Any, said: tuple[datetime, datetime] | None = None) -> bool:
    """Tell whether two values mean the same; a text may be worded with other small words."""
    old, new = _as_said(old), _as_said(new)
    if not (isinstance(old, str) and isinstance(new, str)):
        return bool(canonical_json(old) == canonical_json(new))
    if plain(old) == plain(new) or same_thing(plain(old), plain(new)):
        return True
    if max(len(old), len(new)) <= _LONGEST and said:
        measured = _measured(old)
        if (measured and measured == _measured(new)) or _same_time(old, new, said):
            return True
    if _EXACT.search(old + new) or denials_in(old) != denials_in(new):
        return False
    one, other = index_terms(old), index_terms(new)
    return bool(one) and one == other


def denials_in(text: str) -> int:
    """Count the words of a text that deny something."""
    return len(_DENIAL.findall(text))


def senses(value: Any) -> tuple[Hashable, ...]:
    """Return what a value can be found by: two mean the same where they share a sense."""
    value = _as_said(value)
    if not isinstance(value, str):
        return (("json", canonical_json(value)),)
    return _senses_of(value)


@lru_cache(maxsize=512)  # every version of a key is compared with the one that stands
def _senses_of(text: str) -> tuple[Hashable, ...]:
    """Return what a text can be found by."""
    found: list[Hashable] = [("plain", plain(text)), *named_things(plain(text))]
    if not _EXACT.search(text) and (terms := tuple(index_terms(text))):
        found.append(("terms", denials_in(text), terms))
    if measured := _measured(text):
        found.append(measured)
    if _time(text, _ONCE):
        found.append("time")
    return tuple(found)


def is_vaguer(new: Any, old: Any) -> bool:
    """Tell whether of two spellings of one value only the old one is a number: June 12, Friday."""
    return not _DIGIT.search(str(new)) and _DIGIT.search(str(old)) is not None


def overlap(one: str, other: str) -> float:
    """Return how much of the shorter of two texts the longer holds, by its content words."""
    first, second = set(index_terms(one)), set(index_terms(other))
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))


def numbers_apart(one: str, other: str) -> bool:
    """Tell whether each of two texts has a number that the other lacks: Postgres 15 is not 16."""
    first, second = (set(_NUMBER.findall(_narrow(text).casefold())) for text in (one, other))
    return not (first <= second or second <= first)


def plain(text: str) -> str:
    """Return a text without case, blanks that say nothing, and marks around it."""
    text = _BLANKS.sub(" ", _narrow(text).casefold()).strip(_EDGES)
    return _WIDE_BLANK.sub("", text)


def _narrow(text: str) -> str:
    """Return a text with each sign in its plain form: full-width digits as digits."""
    return unicodedata.normalize("NFKC", text)


def _measured(text: str) -> tuple[str, str, str] | None:
    """Return what kind of number a text writes, its digits and its unit."""
    found = _MEASURED.match(plain(text)) if len(text) <= _LONGEST else None
    if found is None:
        return None
    unit = _UNIT.get(found["sign"] or found["unit"] or "", found["unit"] or "")
    digits = found["n"].replace(",", "")
    if not digits[0].isdecimal() or not digits.isascii():
        digits = str(chinese_number(digits) or "")
    scale = _SCALES.get(found["scale"] or "", 0)
    version = bool(found["v"]) or unit.startswith("版")
    if digits.count(".") > 1 or version or ("." in digits and not (scale or unit)):
        told = "." in digits and not scale and (version or not unit)
        return ("version", digits, "") if told else None  # 3.10 is not 3.1
    return ("number", f"{Decimal(digits).scaleb(scale).normalize():f}", unit) if digits else None


def _time(text: str, now: datetime) -> TimeSpan | None:
    """Return the time that a text is nothing else than."""
    text = _SLASHED.sub(r"\g<m>\g<n>月\g<d>\g<e>日", text) if len(text) <= _LONGEST else ""
    found = find_times(text, now)
    if len(found) != 1:
        return None
    one = found[0]
    rest = text[: one.offset] + " " + text[one.offset + one.length :]
    return None if _BESIDE_TIME.sub("", rest).strip(_EDGES) else one


def _same_time(old: str, new: str, said: tuple[datetime, datetime]) -> bool:
    """Tell whether two texts mean one time; an hour or a habit is the same on whatever day."""
    one = _time(old, said[0])
    other = None if one is None else _time(new, said[1])
    if one is None or other is None:
        return False
    recurs = [each.kind is TimeKind.RECURRING for each in (one, other)]
    clocks = [_CLOCK.fullmatch(each.words) is not None for each in (one, other)]
    if recurs[0] is not recurs[1] or not (all(recurs) or all(clocks)):
        return recurs[0] is recurs[1] and one.name == other.name
    days = [said[1] + timedelta(days=away) for away in (0, 1, 8)]
    first, second = ([_time(text, day) for day in days] for text in (old, new))
    return [each and each.start for each in first] == [each and each.start for each in second]


def _as_said(value: Any) -> Any:
    """Return a number or a truth value as somebody would say it; anything else is as it is.

    A tool gives 8080 where a person says "8080".
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return canonical_json(value) if isinstance(value, bool | int | float) else value


def _telling(kind: MemoryType, value: Mapping[str, Any]) -> list[str]:
    """Return the fields of a value that say something under its key."""
    named = {segment.name for segment in kind.rule.segments}
    return [name for name in value if name not in named and name not in _BESIDE]
