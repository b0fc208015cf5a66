"""The facts of a profile: which of them are one of many, and what a new word does to them (C4, M1).

In: the facts that are known and those that are told, denied or corrected. Out: the facts that stand
then. Somebody has one name and one employer, where the later word replaces the earlier; allergies,
languages, pets and the like come one to the other, and a denial takes out what it names alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from smartbrain.remember.sameness import says_same
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

Fact = Mapping[str, Any]

MANY: Final = frozenset(
    ("allergy", "business", "diet", "education", "experience", "family", "health", "hobby")
) | {"language", "pet", "trait", "vehicle", "volunteering"}
"""What somebody can have several of at a time."""
ONLY: Final = "only"
"""The mark of a denied fact that means what its words say, and nothing that is told in fewer."""
_MOST: Final = 20
"""How many of a kind are kept; beyond that the one that was told first goes."""

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
# Ways to eat, of which somebody has one: who is vegan now is no more vegetarian. What they cannot
# eat besides is another matter.
_EATS: Final = pattern(
    r"\b(?:vegetarian|vegan|pescatarian|flexitarian|omnivore|carnivore)\b"
    r"|\A(?:只|长期)?(?:吃?[纯全蛋奶]*素|吃斋)|素食",
    _I,
)
# What somebody has none of; the second stands for whatever there is of its kind.
_LACK: Final = pattern(r"no (?P<of>\S.*)\Z", _I)
_WHATEVER: Final = pattern(r"pets?", _I)
_WIDE: Final = pattern(r"[\u3400-\u9fff]")
_BIRTHDAY: Final = "birthday"
_YEAR: Final = pattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_YEAR_ALONE: Final = pattern(r"\W*(?:19|20)\d\d\s*年?(?:出生|生)?的?\W*")


class _Read(NamedTuple):
    """A value: how many, of what, and the words that tell it."""

    number: str
    of: str
    terms: frozenset[str]


def added(known: Iterable[Fact], said: Iterable[Fact]) -> list[Fact]:
    """Return what is known of somebody together with what is said of them now."""
    facts = list(known)
    for fact in said:
        facts = _without(fact, facts)
        place = next((n for n, one in enumerate(facts) if replaces(fact, one)), len(facts))
        stands = place < len(facts) and _says_no_more(fact, facts[place])
        facts[place : place + 1] = [facts[place] if stands else fact]
        if fact["k"] in MANY:
            _bound(facts, fact["k"])
    return facts


def put_right(known: Iterable[Fact], said: Sequence[Fact]) -> list[Fact]:
    """Return what is known of somebody with some of it put right, whatever was told of that."""
    known = list(known)
    told = {name: [one for one in said if one["k"] == name] for name in (one["k"] for one in said)}
    names = dict.fromkeys(one["k"] for one in (*known, *said))
    stand = {name: [one for one in known if one["k"] == name] for name in names} | told
    return [one for name in names for one in stand[name]]


def _without(said: Fact, known: list[Fact]) -> list[Fact]:
    """Return what of the known a fact leaves that is a lack, or that ends one: "no pets", a cat."""
    lack = _LACK.match(str(said["v"]))
    if lack:
        of = "" if _WHATEVER.fullmatch(lack["of"]) else lack["of"]
        return left(known, [{"k": said["k"], "v": of}])
    whole = said["k"] == _BIRTHDAY and _YEAR.search(str(said["v"]))
    if whole and not _YEAR_ALONE.fullmatch(str(said["v"])):
        return [one for one in known if one["k"] != _BIRTHDAY]
    lacks = (_LACK.match(str(one["v"])) if one["k"] == said["k"] else None for one in known)
    ended = [bool(gone and _WHATEVER.fullmatch(gone["of"])) for gone in lacks]
    return [one for one, over in zip(known, ended, strict=True) if not over]


def left(known: Iterable[Fact], denied: Sequence[Fact]) -> list[Fact]:
    """Return what is left of what is known when something of it is denied."""
    return [fact for fact in known if not any(is_meant(one, fact) for one in denied)]


def is_meant(denied: Fact, known: Fact) -> bool:
    """Tell whether a fact that is denied is one that is known, be it told in more or fewer words.

    Of what there is one of, a value in the other script is taken for the same: 谷歌 is Google. A
    denial that names no value means whichever there is.
    """
    if denied["k"] != known["k"] or denied["v"] == "":
        return bool(denied["k"] == known["k"])
    if _are_halves(denied, known):
        return False
    one, other = _read(denied["v"]), _read(known["v"])
    if denied.get(ONLY):
        return says_same(denied["v"], known["v"]) or _is_in(one, other)
    if says_same(denied["v"], known["v"]) or _holds(one.terms, other.terms):
        return True
    if _WIDE.search(one.of) and (one.of in other.of or other.of in one.of):  # 猫, 橘猫
        return True
    wide = (_WIDE.search(str(fact["v"])) is None for fact in (denied, known))
    return known["k"] not in MANY and len(set(wide)) > 1


def _is_in(denied: _Read, known: _Read) -> bool:
    """Tell whether a denied value is told by words of a known one: a dog, of a black dog."""
    if denied.number not in ("", "1", known.number):
        return False
    wide = _WIDE.search(denied.of) is not None and denied.of in known.of
    return wide or bool(denied.terms and denied.terms <= known.terms)


def replaces(said: Fact, known: Fact) -> bool:
    """Tell whether what is said now takes the place of what is known, or says it again."""
    if known["k"] != said["k"] or _are_halves(said, known):
        return False
    if known["k"] not in MANY or says_same(known["v"], said["v"]):
        return True
    if _ANOTHER.search(str(said["v"])):
        return False
    if known["k"] == "diet" and all(_EATS.search(str(one["v"])) for one in (known, said)):
        return True
    one, other = _read(known["v"]), _read(said["v"])
    if one.number and other.number and one.number != other.number:
        return says_same(one.of, other.of)
    return _holds(one.terms, other.terms)


def _are_halves(one: Fact, other: Fact) -> bool:
    """Tell whether two facts tell a birthday together, the one its year and the other its day."""
    if one["k"] != _BIRTHDAY or other["k"] != _BIRTHDAY:
        return False
    told = sorted((str(one["v"]), str(other["v"])), key=lambda value: not _YEAR.search(value))
    return bool(_YEAR_ALONE.fullmatch(told[0])) and not _YEAR.search(told[1])


def _says_no_more(said: Fact, known: Fact) -> bool:
    """Tell whether a statement adds nothing to the one that is known."""
    if says_same(known["v"], said["v"]):
        return True
    one, other = _read(known["v"]), _read(said["v"])
    return known["k"] in MANY and one.number == other.number and other.terms < one.terms


def _read(value: Any) -> _Read:
    text = str(value)
    counted = _COUNTED.match(text)
    number = (counted["n"] or counted["zh"]).lower() if counted else ""
    of = text[counted.end() :] if counted else text
    return _Read(_NUMBERS.get(number, number), of, frozenset(index_terms(of)))


def _holds(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether one of two values is told by words of the other."""
    return bool(one and other) and (one <= other or other <= one)


def _bound(facts: list[Fact], name: str) -> None:
    """Drop what was told first where there is too much of a kind."""
    of_kind = [place for place, fact in enumerate(facts) if fact["k"] == name]
    if len(of_kind) > _MOST:
        del facts[of_kind[0]]
