"""Two values of one attribute of somebody: whether they are one, and what the later one does (K9).

In: values as people say them. Out: whether one takes the place of the other, says no more than it,
or denies it. "Three cats" are not two more cats, a black dog is a dog, "no pets" ends any.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from smartbrain.remember.sameness import says_same
from smartbrain.text.ontology import Ontology, load_ontology
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

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
