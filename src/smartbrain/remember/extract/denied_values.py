"""Which value a denial names: whether it is the one that stands, or another (C4).

In: the values of a denial and of a statement under one key. Out: whether they name two things, so
that "I no longer use emacs" takes nothing from somebody who uses vim. Where a key says itself what
is meant, as `pref:other:tea` does, or two values are worded in two languages, the key decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smartbrain.remember.extract.deeds import are_two
from smartbrain.remember.extract.preference_words import FACETS
from smartbrain.remember.sameness import denials_in, overlap, plain, says_same
from smartbrain.text.pattern import pattern

DENIED: Final = "facts.denied"
"""The rule of a fact that is said not to be so, by its name and its value."""
_FIELD: Final[Mapping[str, str]] = {
    "preferences": "value",
    "facts": "value",
    "decisions": "decision",
    "tasks": "title",
}
"""Where a type keeps what somebody may deny by its name."""
_NAMES: Final = pattern(r"(?!(?:We|I|The|Our|My|It|No)\b)(?<![a-z])[a-z]*+[A-Z\d][A-Za-z\d_.+#-]*+")
_CHOSEN: Final = pattern(r"(?<![a-z])[a-z]*+[A-Z\d][A-Za-z\d_.+#-]*+")
_LATIN: Final = pattern(r"[A-Za-z\d]")
_HAN: Final = pattern(r"[\u3400-\u9fff]")
# What every value of a facet may be called beside its own name: dark mode is a dark theme.
_HEADS: Final = pattern(
    r"\b(?:modes?|themes?|interface|background|editor|browser|shell)\b|主题|模式|界面|背景|编辑器"
    r"|浏览器",
    0x02,
)
_ALIKE: Final = 0.5
_FORBIDS: Final = pattern(r"\b(?:no|stop|avoid|without|skip|drop)\b|[别不少禁勿]", 0x02)
_ENDS: Final = pattern(
    r"\bno longer\b|\bany ?more\b|\bany longer\b|\b(?:stopped|quit|gave up|used to|switched)\b"
    r"|\b(?:left|laid off|let go|fired|resigned|retired|sold|broke up|divorced)\b"
    r"|\bmoved (?:out|away)\b"
    r"|不再|[已现](?:经|在)[不没]|[不没][^，,。]{1,16}了|戒|以前|曾经|换成|改用"
    r"|[离辞]职|跳槽|退休|被[裁辞]|裁员|搬走|搬离|卖掉|卖了|分手|离婚",
    0x02,
)
_NEVER: Final = pattern(
    r"\b(?:never|wrong|mistaken|incorrect)\b|从来?[没不]|从未|错了|不对|并不", 0x02
)
_MANY: Final = frozenset(("language", "transport", "hotel", "font"))
_NOT: Final = pattern(
    r"\A(?:(?:not|never|don['’]t)\s++(?:use\s++)?"
    r"|(?:从来?)?不(?:太|怎么|大|是很|是特别)?(?:喜欢|爱|使用|用)"
    r"|讨厌|反感|受不了|忍不了|接受不了|[看用]不惯)\s*+(?P<thing>.+)\Z",
    0x02,
)


def names_another(type_name: str, denied: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Tell whether a denial names another value than the one that is known."""
    field = _FIELD.get(type_name, "")
    said, stands = denied.get(field), known.get(field)
    if not (said and stands and isinstance(said, str) and isinstance(stands, str)):
        return False
    if type_name == "tasks":
        return are_two(said, stands)
    if type_name == "decisions":
        unlike = not in_two_languages(said, stands) and overlap(said, stands) < _ALIKE
        return chooses_another(said, stands) or (unlike and not _NAMES.search(said))
    if type_name == "preferences" and not is_facet(str(known.get("name", ""))):
        return _is_against(said) != _is_against(stands)
    return names_apart(said, stands)


def names_apart(said: str, stands: str) -> bool:
    """Tell whether two values name two things; one may say more of the same than the other."""
    if says_same(said, stands) or in_two_languages(said, stands):
        return False
    if denials_in(said) != denials_in(stands):
        return True
    one, other = (plain(_HEADS.sub(" ", text)) for text in (said, stands))
    if not one or not other:
        return False
    return one not in other and other not in one and overlap(one, other) < 1


def tells_end(denial: str) -> bool:
    """Tell whether a denial says that something is over, and so that it was true until then.

    "No longer", 不再 and 不…了 end what was; "I never did" says that it never was so.
    """
    return _ENDS.search(denial) is not None and not _NEVER.search(denial)


def held_in(value: Mapping[str, Any]) -> list[str]:
    """Return what a statement says that something else may be put in the place of."""
    if isinstance(told := value.get("value"), str):
        return [told]
    facts = [str(fact.get("v", "")) for fact in value.get("facts", ())]
    return facts or _CHOSEN.findall(str(value.get("decision", "")))


def disliked(value: Mapping[str, Any]) -> str:
    """Return the thing that somebody does not use or like, if that is what a value says."""
    found = _NOT.match(str(value.get("value", "")))
    return found["thing"] if found else ""


def _is_against(value: str) -> bool:
    """Tell whether the value of a preference is that something is not liked."""
    return bool(disliked({"value": value}) or denials_in(value))


def forbids(value: Mapping[str, Any]) -> bool:
    """Tell whether a preference says what is not to be used or done."""
    told = str(value.get("value", ""))
    return _is_against(told) or _FORBIDS.search(told) is not None


def chooses_another(said: str, stands: str) -> bool:
    """Tell whether two texts about a choice name things, and none that is the same."""
    one, other = ({name.casefold() for name in _NAMES.findall(text)} for text in (said, stands))
    return bool(one and other) and one.isdisjoint(other)


def is_facet(name: str) -> bool:
    """Tell whether a preference of that name has one value at a time."""
    return name in FACETS or name.startswith("favourite_")


def is_one_of_many(value: Mapping[str, Any]) -> bool:
    """Tell whether a preference is about tools, languages and the like, of which many are liked."""
    return is_facet(name := str(value.get("name", ""))) and (
        value.get("scope") == "tools" or name in _MANY
    )


def in_two_languages(one: str, other: str) -> bool:
    """Tell whether one text is Chinese and the other is not, so that no word can be the same."""
    return any(
        _HAN.search(first) and not _LATIN.search(first) and not _HAN.search(second)
        for first, second in ((one, other), (other, one))
    )
