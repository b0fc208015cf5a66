"""When two values say the same, and which value words name: the rules behind merging (C4, C11, K9).

In: values of one type or attribute, as people say them. Out: which fields differ in what they say,
whether one takes the place of another, says no more than it, or denies it. A day, a clock time, a
version or a measured number is the same in any spelling and either language: 6月30日, June 30 and,
in its year, 2026-06-30. "Three cats" are not two more cats, a black dog is a dog.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple

from smartbrain.domain.memory_type import MemoryType
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import TimeKind, TimeSpan
from smartbrain.text.entity_words import named_things
from smartbrain.text.language import EDGES, plain_text
from smartbrain.text.ontology import Ontology, is_han, load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.times import find_times, may_be_time
from smartbrain.text.times_calendar import NUMERALS, chinese_number
from smartbrain.text.tokenise import index_terms
from smartbrain.text.word_list import STOP_WORDS, word_set

_BESIDE: Final = frozenset(
    {"made_at", "rationale", "priority", "notes", "since", "aliases", "attrs", "impact", "title"}
)
"""Fields that accompany what is said."""
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
    "k": 3, "thousand": 3, "千": 3, "万": 4, "m": 6, "million": 6, "百万": 6, "亿": 8, "billion": 9,
}  # fmt: skip
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
    shared = senses(old) & senses(new)
    if shared != {TimeSpan}:
        return bool(shared)
    return said is not None and _same_time(str(old), str(new), said)


def denials_in(text: str) -> int:
    """Count the words of a text that deny something."""
    return len(_DENIAL.findall(text))


def senses(value: Any) -> set[Hashable]:
    """Return what a value can be found by: two mean the same where they share a sense."""
    value = _as_said(value)
    if not isinstance(value, str):
        return {("json", canonical_json(value))}
    shown = plain_text(value)
    found: set[Hashable] = {shown, *named_things(shown)}
    if not _EXACT.search(value) and (terms := tuple(index_terms(value))):
        found.add(("terms", denials_in(value), terms))
    if measured := _measured(shown):
        found.add(measured)
    if _time(value, _ONCE):
        found.add(TimeSpan)
    return found


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
    first, second = (set(_NUMBER.findall(plain_text(text))) for text in (one, other))
    return not (first <= second or second <= first)


def _measured(text: str) -> tuple[str, str, str] | None:
    """Return what kind of number a plain text writes, its digits and its unit."""
    found = _MEASURED.match(text) if len(text) <= _LONGEST else None
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
    if len(text) > _LONGEST or not may_be_time(text):
        return None
    text = _SLASHED.sub(r"\g<m>\g<n>月\g<d>\g<e>日", text)
    found = find_times(text, now)
    if len(found) != 1:
        return None
    one = found[0]
    rest = text[: one.offset] + " " + text[one.offset + one.length :]
    return None if _BESIDE_TIME.sub("", rest).strip(EDGES) else one


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
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return canonical_json(value) if isinstance(value, bool | int | float) else value


def _telling(kind: MemoryType, value: Mapping[str, Any]) -> list[str]:
    """Return the fields of a value that say something under its key."""
    named = {segment.name for segment in kind.rule.segments}
    return [name for name in value if name not in named and name not in _BESIDE]


ALSO_MANY: Final = frozenset(("business", "experience", "family", "trait", "volunteering", "other"))
"""What is no attribute of the ontology and can be said of somebody several times."""
ONLY: Final = "only"
"""The mark of a denied fact that means what its words say, and nothing that is told in fewer."""

_I: Final = 0x02  # re.IGNORECASE
_NUMBERS: Final = {
    "a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "一": "1", "二": "2",
    "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9",
    "十": "10",
}  # fmt: skip
_COUNTED: Final = pattern(
    r"\A(?:(?P<n>\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?=\S)"
    r"|(?P<zh>\d+|[一二两三四五六七八九十])\s*[个只条位名匹头对]\s*(?=\S))",
    _I,
)
_ANOTHER: Final = pattern(r"\b(?:another|second|third|more)\b|[再另又]", _I)
# What somebody has none of; the second stands for whatever there is of its kind.
_LACK: Final = pattern(r"no (?P<of>\S.*)\Z", _I)
_WHATEVER: Final = pattern(r"pets?", _I)
_WIDE: Final = pattern(r"[\u3400-\u9fff]")
_BIRTHDAY: Final = "birthday"
_YEAR: Final = pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_YEAR_ALONE: Final = pattern(r"\W*+(?:19|20)\d\d\s*+年?(?:出生|生)?的?\W*+")


class _Read(NamedTuple):
    """A value: how many, of what, and the words that tell it."""

    number: str
    of: str
    terms: frozenset[str]


def has_many(name: str, ontology: Ontology | None = None) -> bool:
    """Tell whether somebody can have several values of an attribute at a time."""
    attribute = (ontology or load_ontology()).attribute(name)
    if attribute is None or attribute.name != name:
        return name in ALSO_MANY
    return attribute.cardinality == "many"


def replaces(said: Any, known: Any) -> bool:
    """Tell whether one of many values takes the place of a known one, or says it again."""
    if says_same(known, said):
        return True
    if _ANOTHER.search(str(said)):
        return False
    one, other = _read(known), _read(said)
    if one.number and other.number and one.number != other.number:
        return says_same(one.of, other.of)
    return _holds(one.terms, other.terms)


def says_no_more(said: Any, known: Any, *, many: bool) -> bool:
    """Tell whether a value adds nothing to the one that is known."""
    if says_same(known, said):
        return True
    one, other = _read(known), _read(said)
    return many and one.number == other.number and other.terms < one.terms


def lacks(value: Any) -> str | None:
    """Return what a value says somebody has none of, empty for all of a kind; else None."""
    found = _LACK.match(str(value))
    if found is None:
        return None
    return "" if _WHATEVER.fullmatch(found["of"]) else found["of"]


def fits_beside(attribute: str, one: Any, other: Any) -> bool:
    """Tell whether two values tell one thing together: the year of a birthday, and its day."""
    if attribute != _BIRTHDAY:
        return False
    told = sorted((str(one), str(other)), key=lambda value: not _YEAR.search(value))
    return bool(_YEAR_ALONE.fullmatch(told[0])) and not _YEAR.search(told[1])


def is_denied(denied: Any, known: Any, *, many: bool, exact: bool = False) -> bool:
    """Tell whether a denied value is a known one, be it told in more or fewer words.

    Of what there is one of, a value in the other script is taken for the same: 谷歌 is Google.
    """
    one, other = _read(denied), _read(known)
    if exact:
        return says_same(denied, known) or _is_in(one, other)
    if says_same(denied, known) or _holds(one.terms, other.terms):
        return True
    if _WIDE.search(one.of) and (one.of in other.of or other.of in one.of):  # 猫, 橘猫
        return True
    wide = (_WIDE.search(str(value)) is None for value in (denied, known))
    return not many and len(set(wide)) > 1


def _is_in(denied: _Read, known: _Read) -> bool:
    """Tell whether a denied value is told by words of a known one: a dog, of a black dog."""
    if denied.number not in ("", "1", known.number):
        return False
    wide = _WIDE.search(denied.of) is not None and denied.of in known.of
    return wide or bool(denied.terms and denied.terms <= known.terms)


def _read(value: Any) -> _Read:
    text = str(value)
    counted = _COUNTED.match(text)
    number = (counted["n"] or counted["zh"]).lower() if counted else ""
    of = text[counted.end() :] if counted else text
    return _Read(_NUMBERS.get(number, number), of, frozenset(index_terms(of)))


def _holds(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether one of two values is told by words of the other."""
    return bool(one and other) and (one <= other or other <= one)


_WORD: Final = re.compile(r"[A-Za-z][A-Za-z']*|\d[\w.]*|[\u3400-\u9fff]")
_SEVERAL: Final = re.compile(
    r"\band\b|[,，、&]|(?<=[\u3400-\u9fff])[和与及](?=[\u3400-\u9fff])", re.IGNORECASE
)
_FORMS: Final = (
    "sent send", "paid pay", "wrote write", "written write", "built build", "bought buy", "got get",
    "made make", "found find", "done do", "did do", "gave give", "given give", "took take",
    "taken take", "sold sell", "met meet", "ran run", "brought bring", "told tell", "left leave",
    "chosen choose", "chose choose", "taught teach", "rang ring", "drew draw", "drawn draw",
    "kept keep", "held hold", "began begin", "spoke speak", "flew fly",
)  # fmt: skip
_PAST_FORMS: Final = dict(pair.split() for pair in _FORMS)
WORK_VERBS: Final = word_set(
    "add answer apply approve arrange ask assign attend back backup book bring build buy call"
    " cancel change check clean close collect complete configure confirm contact convert copy"
    " create debug delete deliver deploy design discuss do document download draft email enable"
    " file fill find finish fix follow get give go handle hire implement improve install"
    " investigate invite learn look make measure meet merge message migrate monitor move order"
    " pay phone pick plan post prepare print publish push read rebuild refactor register release"
    " remind remove rename renew repair replace reply report request reschedule reserve return"
    " review rewrite run schedule sell send set share ship sign submit switch take talk tell"
    " test text train translate try update upgrade upload verify visit wash watch write"
)
"""What people do to things: these name no thing themselves."""
_NOT_THINGS: Final = ("u", "r", "q", "p", "c", "d", "m", "x", "y", "t", "f", "zg")
"""Tags of Chinese words that name nothing: particles, pronouns, numbers, times."""
_EMPTY_HAN: Final = frozenset(
    "我们咱的了过给把跟和向已经刚才终于总算昨今天早晚上午都也就完好掉啦呀一个这那下次"
)
_LEAST_WORDS: Final = 2
_LEAST_HAN: Final = 3


@lru_cache(maxsize=4096)  # the titles that stand are held against every new claim
def words_of(text: str) -> tuple[str, ...]:
    """Returns the telling words of a text, each once."""
    found = (_plain_word(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(filter(None, found)))


def names_several(title: str) -> bool:
    """Tells whether a thing to do is several: "buy milk and eggs", 买牛奶和鸡蛋."""
    return _SEVERAL.search(title) is not None


def says_less(words: str, title: str) -> bool:
    """Tells whether a thing to do is named by some of its words: 订酒店 for 订罗马的酒店."""
    own = words_of(words)
    least = _LEAST_HAN if all(map(is_han, own)) else _LEAST_WORDS
    return len(own) >= least and {*own} <= {*words_of(title)}


def are_two(one: str, other: str) -> bool:
    """Tells whether each of two titles names a thing that the other does not."""
    return _names_more(one, other) and _names_more(other, one)


def things_in(text: str) -> set[str]:
    """Returns the words of a text that name something: nouns and names, no verbs."""
    found = {word for word in words_of(text) if word.isascii() and word not in WORK_VERBS}
    for word, kind in tag(text):
        if is_han(word) and len(word) > 1 and not kind.startswith(_NOT_THINGS):
            found.add(word)
    return found


def shared_things(things: set[str], title: str) -> set[str]:
    """Returns the things that a title names as well."""
    words = {*words_of(title)}
    return {thing for thing in things if thing in (words if thing.isascii() else title)}


def _plain_word(word: str) -> str:
    if is_han(word):
        return "" if word in _EMPTY_HAN else word
    low = word.lower()
    if low in STOP_WORDS:
        return ""
    low = _PAST_FORMS.get(low, low)
    return next(iter(index_terms(low)), "")


def _names_more(one: str, other: str) -> bool:
    things = things_in(one)
    return shared_things(things, other) != things


_FIELD: Final[Mapping[str, str]] = {
    "preferences": "value",
    "facts": "value",
    "decisions": "decision",
    "tasks": "title",
}
"""Where a type keeps what somebody may deny by its name."""
_NAMES: Final = re.compile(
    r"(?!(?:We|I|The|Our|My|It|No)\b)(?<![a-z])[a-z]*+[A-Z\d][A-Za-z\d_.+#-]*+"
)
_LATIN: Final = re.compile(r"[A-Za-z\d]")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_ALIKE: Final = 0.5


def names_another(type_name: str, denied: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Tells whether an ending names another value than the one that is known."""
    field = _FIELD.get(type_name, "")
    said, stands = denied.get(field), known.get(field)
    if not (said and stands and isinstance(said, str) and isinstance(stands, str)):
        return False
    if type_name == "tasks":
        return are_two(said, stands)
    if type_name == "decisions":
        unlike = not in_two_languages(said, stands) and overlap(said, stands) < _ALIKE
        return _chooses_another(said, stands) or (unlike and not _NAMES.search(said))
    return _names_apart(said, stands)


def in_two_languages(one: str, other: str) -> bool:
    """Tells whether one text is Chinese and the other is not, so that no word can be the same."""
    return any(
        _HAN.search(first) and not _LATIN.search(first) and not _HAN.search(second)
        for first, second in ((one, other), (other, one))
    )


def _names_apart(said: str, stands: str) -> bool:
    """Tells whether two values name two things; one may say more of the same than the other."""
    if says_same(said, stands) or in_two_languages(said, stands):
        return False
    if denials_in(said) != denials_in(stands):
        return True
    one, other = plain_text(said), plain_text(stands)
    if not one or not other:
        return False
    return one not in other and other not in one and overlap(one, other) < 1


def _chooses_another(said: str, stands: str) -> bool:
    """Tells whether two texts about a choice name things, and none that is the same."""
    one, other = ({name.casefold() for name in _NAMES.findall(text)} for text in (said, stands))
    return bool(one and other) and one.isdisjoint(other)
