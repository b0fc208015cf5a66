"""When two values say the same: the rules behind merging, conflicts and tombstones (C4, C11).

In: values of one type. Out: which of their fields differ in what they say, or a fingerprint that
does not depend on case, marks or blanks, nor on whether a number came as a text. What only
accompanies a statement does not count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.record import canonical_json
from smartbrain.text.numerals import NUMERALS
from smartbrain.text.pattern import pattern
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


def differing(kind: MemoryType, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields in which two values under one key say different things."""
    fields = dict.fromkeys((*_telling(kind, old), *_telling(kind, new)))
    return tuple(name for name in fields if not says_same(old.get(name), new.get(name)))


def changed_fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields that are not the same to the letter."""
    return tuple(name for name in {**old, **new} if old.get(name) != new.get(name))


def says_same(old: Any, new: Any) -> bool:
    """Tell whether two values mean the same; a text may be worded with other small words."""
    old, new = _as_said(old), _as_said(new)
    if not (isinstance(old, str) and isinstance(new, str)):
        return bool(canonical_json(old) == canonical_json(new))
    if plain(old) == plain(new):
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
    same = ("plain", plain(value))
    terms = () if _EXACT.search(value) else tuple(index_terms(value))
    return (same, ("terms", denials_in(value), terms)) if terms else (same,)


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


def fingerprints(kind: MemoryType, key: str, value: Mapping[str, Any]) -> list[str]:
    """Name what was said under a key, without telling it: one name, of a profile one a fact."""
    told: list[Any] = [{name: _as_said(value[name]) for name in sorted(_telling(kind, value))}]
    if kind.name == "profile":
        facts = value.get("facts", ())
        told = [{"k": fact.get("k"), "v": _as_said(fact.get("v"))} for fact in facts]
    bodies = [f"{kind.name}\0{key}\0{plain(canonical_json(one))}" for one in told]
    return [
        blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        for body in bodies
    ]


def _narrow(text: str) -> str:
    """Return a text with each sign in its plain form: full-width digits as digits."""
    return unicodedata.normalize("NFKC", text)


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
