"""When two values say the same, and which value words name: the rules behind merging (C4, C11, K9).

In: values of one type or attribute, as people say them. Out: which fields differ in what they say,
whether one takes the place of another, says no more than it, or denies it. "Three cats" are not two
more cats, a black dog is a dog, the name of a thing is the same in either language.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from smartbrain.domain.memory_type import MemoryType
from smartbrain.domain.record import canonical_json
from smartbrain.text.entity_words import named_things
from smartbrain.text.language import plain_text
from smartbrain.text.ontology import Ontology, is_han, load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.times_calendar import NUMERALS
from smartbrain.text.tokenise import index_terms
from smartbrain.text.word_list import STOP_WORDS, stored_words, word_set

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


def differing(
    kind: MemoryType,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return the fields in which two values under one key say different things."""
    fields = dict.fromkeys((*_telling(kind, old), *_telling(kind, new)))
    return tuple(name for name in fields if not says_same(old.get(name), new.get(name)))


def says_same(old: Any, new: Any) -> bool:
    """Tell whether two values mean the same; a text may be worded with other small words."""
    return not senses(old).isdisjoint(senses(new))


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
    return found


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
_WIDE: Final = pattern(r"[\u3400-\u9fff]")


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


def is_denied(denied: Any, known: Any, *, many: bool, exact: bool = False) -> bool:
    """Tell whether a denied value is a known one, be it told in more or fewer words.

    Of what there is one of, a value in the other script is taken for the same: 谷歌 is Google.
    """
    one, other = _read(denied), _read(known)
    if exact:  # a dog is meant, of a black dog
        within = bool(one.terms and one.terms <= other.terms)
        within = within or (_WIDE.search(one.of) is not None and one.of in other.of)
        return says_same(denied, known) or (one.number in ("", "1", other.number) and within)
    if says_same(denied, known) or _holds(one.terms, other.terms):
        return True
    if _WIDE.search(one.of) and (one.of in other.of or other.of in one.of):  # 猫, 橘猫
        return True
    wide = (_WIDE.search(str(value)) is None for value in (denied, known))
    return not many and len(set(wide)) > 1


def _read(value: Any) -> _Read:
    text = str(value)
    counted = _COUNTED.match(text)
    number = (counted["n"] or counted["zh"]).lower() if counted else ""
    of = text[counted.end() :] if counted else text
    return _Read(_NUMBERS.get(number, number), of, frozenset(index_terms(of)))


def _holds(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


_WORD: Final = re.compile(r"[A-Za-z][A-Za-z']*|\d[\w.]*|[\u3400-\u9fff]")
_SEVERAL: Final = re.compile(
    r"\band\b|[,，、&]|(?<=[\u3400-\u9fff])[和与及](?=[\u3400-\u9fff])", re.IGNORECASE
)
_PAST_FORMS: Final = dict(pair.split("=") for pair in stored_words(__file__, "PAST_FORMS").split())
WORK_VERBS: Final = word_set(stored_words(__file__, "WORK_VERBS"))
"""What people do to things: these name no thing themselves."""
_NOT_THINGS: Final = ("u", "r", "q", "p", "c", "d", "m", "x", "y", "t", "f", "zg")
"""Tags of Chinese words that name nothing: particles, pronouns, numbers, times."""
_EMPTY_HAN: Final = frozenset(
    "我们咱的了过给把跟和向已经刚才终于总算昨今天早晚上午都也就完好掉啦呀一个这那下次"
)


@lru_cache(maxsize=4096)  # the titles that stand are held against every new claim
def words_of(text: str) -> tuple[str, ...]:
    """Returns the telling words of a text, each once."""
    found = (_plain_word(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(filter(None, found)))


def names_several(title: str) -> bool:
    """Tells whether a thing to do is several: "buy milk and eggs", 买牛奶和鸡蛋."""
    return _SEVERAL.search(title) is not None


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
        names = {name.casefold() for name in _NAMES.findall(said)}
        others = {name.casefold() for name in _NAMES.findall(stands)}
        return bool(others) and names.isdisjoint(others) if names else unlike
    return denials_in(said) != denials_in(stands) or not is_denied(said, stands, many=False)


def in_two_languages(one: str, other: str) -> bool:
    """Tells whether one text is Chinese and the other is not, so that no word can be the same."""
    return any(
        _HAN.search(first) and not _LATIN.search(first) and not _HAN.search(second)
        for first, second in ((one, other), (other, one))
    )
