"""Switches of a kind of things: "we migrated CI to GitHub Actions", 数据库换成 MySQL 了 (C4, C6).

In: a clause. Out: who uses which thing of a kind now, and which one before if that is said. Without
the kind's name the new thing must be one whose kind is known: "we switched to PostgreSQL". What is
only planned, asked or tried for a while is no switch, and a database that moves to a cloud or a
city stays the database that it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from smartbrain.remember.extract.decisions_words import THING, kind_named, known_as
from smartbrain.remember.extract.fact_names import US, thing_of
from smartbrain.text.entities import find_entities
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE

_OPEN: Final = (
    r"\A\W*(?:(?:and|so|but|also|btw|fyi|update|oh|well|ok|okay|good news|yesterday|today"
    r"|(?:last|this) (?:week|month|quarter|year))[,:]? )*"
)
_WHO: Final = r"(?P<who>we|(?:our|the) (?:team|company|project))"
_LATELY: Final = (
    r"(?:['’]ve| have| has)?(?: (?:now|just|recently|finally|already|also|all|fully|completely"
    r"|officially|successfully))*"
)
_KIND: Final = r"(?P<kind>[a-z][\w/-]*(?: [a-z][\w-]*){0,2}?)"
_PURPOSE: Final = _KIND.replace("<kind>", "<purpose>")
_NAME: Final = r"[\w+#][\w.+#/-]*(?: (?-i:[A-Z\d])[\w.+#-]*){0,2}"
_FROM_TO: Final = (
    rf"(?: over)?(?: from (?:an? |the )?(?P<old>{_NAME}))?(?: over)? to (?P<new>{_NAME})"
)
_END: Final = (
    r"(?:,? (?:now|instead|already|recently|today|yesterday|for good"
    r"|(?:last|this) (?:week|month|quarter|year|sprint)))?\W*\Z"
)
_FORMS: Final = (
    pattern(
        rf"{_OPEN}{_WHO}{_LATELY} (?:switched|changed|(?P<moved>moved|migrated|ported))"
        rf" (?:our |the )?{_KIND}{_FROM_TO}{_END}",
        _I,
    ),
    pattern(
        rf"{_OPEN}(?:(?:our|the) )?{_KIND}(?: has| was| is| got)?"
        r"(?: (?:just|recently|now|been|already|finally))*"
        rf" (?:switched|changed|(?P<moved>moved|migrated|ported)){_FROM_TO}{_END}",
        _I,
    ),
    pattern(
        rf"{_OPEN}{_WHO}{_LATELY} (?:switched|(?P<moved>moved|migrated))(?: over)?"
        rf" to (?P<new>{_NAME})(?: (?:for|as) (?:our |the )?{_PURPOSE})?{_END}",
        _I,
    ),
)
_WHO_ZH: Final = r"(?P<who>(?:我们|咱们)(?:的?(?:团队|公司|组|项目))?|我司|团队|公司|(?:这个)?项目)"
_LATELY_ZH: Final = (
    r"\s?(?:现在|目前|已经?|最近|刚刚?|都|也|全面|正式|终于|成功|今天|昨天|上个?(?:周|月|星期)|去年|今年"
    r"|年[初底]|这个?(?:周|月))*\s?"
)
_KIND_ZH: Final = r"(?P<kind>[A-Za-z/]{2,5}|[\u3400-\u9fffA-Za-z/ ]{2,10}?)"
_PURPOSE_ZH: Final = _KIND_ZH.replace("<kind>", "<purpose>")
_NAME_ZH: Final = r"[A-Za-z][\w.+# -]{0,30}?|[\u3400-\u9fff]{2,6}?"
_TO_ZH: Final = (
    r"(?:(?:替?换|改|切换?)[成到为用]|(?P<moved>迁移?|搬|转移?)[到至成])(?=了|[^，,]*了\W*\Z)了?"
)
_FROM_TO_ZH: Final = (
    rf"{_LATELY_ZH}(?:[从由]\s?(?P<old>{_NAME_ZH})\s?)?{_TO_ZH}\s?(?P<new>{_NAME_ZH})\s?"
)
_FORMS_ZH: Final = (
    pattern(
        rf"\A\W*{_LATELY_ZH}(?:{_WHO_ZH}{_LATELY_ZH})?[把将]\s?(?:我们的?)?{_KIND_ZH}{_FROM_TO_ZH}了?\W*\Z",
        _I,
    ),
    pattern(rf"\A\W*(?:{_WHO_ZH}的?)?{_LATELY_ZH}{_KIND_ZH}{_FROM_TO_ZH}了?\W*\Z", _I),
    pattern(
        rf"\A\W*{_LATELY_ZH}{_WHO_ZH}{_LATELY_ZH}{_TO_ZH}\s?(?P<new>{_NAME_ZH})\s?"
        rf"(?:来?(?:做|当|作为|跑){_PURPOSE_ZH})?了?\W*\Z",
        _I,
    ),
)
_PASSES: Final = pattern(
    r"\b(?:for now|temporar|for a (?:while|day|week|test)|as a test)|暂时|临时|先|试", _I
)
_PLACE_TOO: Final = pattern(r"(?:phoenix|oracle|express)\Z", _I)  # where people move to
# Why something is used, which says nothing of what it is used for.
_WHY: Final = pattern(
    r".*(?:ity|ness|ance|ence|ment|reasons?|costs?|speed|good|free|now|real|fun|sure|all|most|us|it"
    r"|them|that|this|everything)\Z|.*[率性价]\Z",
    _I,
)
_CAPITAL: Final = pattern(r"[A-Z]|[a-z]+[A-Z]")
_OF_US: Final = pattern(r"\A(?:我们|咱们)的?(?=\S)|组\Z")
_REST: Final = pattern(r"[\s.]*(?:v?\d[\w.]*)?\s*\Z", _I)


class KindSwitch(NamedTuple):
    """Whose switch it is, of what kind of things, from what if that is said, and to what."""

    who: str
    kind: str
    old: str
    new: str


def kind_switch(clause: str) -> KindSwitch | None:
    """Read a clause as a switch of a kind of things."""
    if _PASSES.search(clause):
        return None
    wide = not (clause.isascii() or "’" in clause)
    for form in _FORMS_ZH if wide else _FORMS:
        if (found := form.match(clause)) and (read := _read(found)):
            return read
    return None


def _read(found: re.Match[str]) -> KindSwitch | None:
    """Return the switch that the parts of a form tell, if they fit each other."""
    parts = found.groupdict()
    old, new = ((parts.get(name) or "").strip(" .") for name in ("old", "new"))
    known, moved = known_as(new), bool(parts.get("moved"))
    if parts.get("kind"):
        kind = kind_named(_OF_US.sub("", parts["kind"]))
        fits = known == kind or (not known and _is_such(old, new, kind, moved=moved))
        return KindSwitch(_us(parts), kind, old, new) if kind and fits else None
    return _by_purpose(parts, new)


def _by_purpose(parts: Mapping[str, str | None], new: str) -> KindSwitch | None:
    """Return the switch to a thing, of its own kind or for what it is said to be used for."""
    purpose, known = parts.get("purpose") or "", known_as(new)
    kind = kind_named(purpose)
    if kind and not known and _is_such("", new, kind, moved=False):
        return KindSwitch(_us(parts), kind, "", new)
    if not _is_thing(new) or (parts.get("moved") and _PLACE_TOO.match(new)):
        return None
    if other := served_by(purpose):
        return KindSwitch(other, "tool", "", new)
    return None if _WHY.match(purpose) else KindSwitch(_us(parts), kind or known, "", new)


def served_by(purpose: str) -> str:
    """Return what something is used for, unless that is a kind of things or why it is used."""
    purpose = purpose.strip()
    return "" if kind_named(purpose) or _WHY.match(purpose) else thing_of(purpose)


def _us(parts: Mapping[str, str | None]) -> str:
    """Return which of us somebody is: the team, the project, or all of us."""
    return thing_of(_OF_US.sub("", parts.get("who") or US))


def _is_thing(name: str) -> bool:
    """Tell whether a name is that of a thing of the lexicon, and of nothing more: Postgres 16."""
    found = THING.match(name)
    return found is not None and _REST.match(name[found.end() :]) is not None


def _is_such(old: str, new: str, kind: str, *, moved: bool) -> bool:
    """Tell whether a name that no list knows may be that of a thing of a kind.

    What moves may as well move to another place, unless it says from which thing of its kind.
    """
    if not _CAPITAL.match(new) or any(map(str.isdigit, new)):
        return False
    if known_as(old) == kind:
        return True
    return not moved and "place" not in [one.kind for one in find_entities(new)]
