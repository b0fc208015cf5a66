"""What tasks and goals that were told at length are called in their keys (M2).

In: a candidate that somebody told. Out: the same under a shorter name, where its own is half a
sentence: without articles, the words between its nouns, and when it is to be. A name that is short
stays as it is, and of two that differ in what they name none becomes the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.keys import slug
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_MOST_WORDS: Final = 5
_MOST_WIDE: Final = 12
_LONGEST: Final = 40
_LEAST_WORDS: Final = 2
_LEAST_WIDE: Final = 3
_WIDE: Final = pattern(r"[\u3400-\u9fff]")
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WHEN: Final = pattern(
    r"(?:,\s++|(?<!\s)\s++)(?:(?:by |before |until |on |for |sometime )?(?:the )?(?:tomorrow"
    r"|today|tonight|tmrw"
    r"|(?:this|next) (?:morning|afternoon|evening|week|weekend|month|quarter|season|semester|year"
    rf"|spring|summer|fall|autumn|winter|{_DAY})|{_DAY}|\d{{1,2}}(?:st|nd|rd|th)|end of .{{3,12}})"
    r"|(?:before|when|by the time) (?:i|we) .*)\Z",
    _I,
)
_REMARK: Final = pattern(r"[,，;；].*", 0x10)  # re.DOTALL
_WHO_ZH: Final = pattern(
    r"\A(?:我们?|公司|团队|咱们?)?(?:计划|打算|准备|希望|力争)(?:在)?(?:[\d一二两三四五六七八九十]+[年月周天]内)?(?=.{4})"
)
# In this order, as long as a name is too long: what says least goes first.
_LESS: Final = (
    pattern(r"\b(?:the|an?|my|our|your|their|his|her|its|this|that|these|those)\s", _I),
    pattern(
        r"\b(?:of|for|to|in|on|at|from|with|into|about|abt|by|and|which|that|at least)\s(?=\w)", _I
    ),
)
_LESS_ZH: Final = (
    pattern(r"一[个封家份间遍下次趟条套种张台]|关于|[这那]个|\A[把将]"),
    pattern(r"的(?=[\u3400-\u9fff])"),
)


def well_named(one: Candidate) -> Candidate:
    """Return a candidate of a task or a goal under a name that is no half sentence."""
    if one.type == "tasks" and isinstance(title := one.value.get("title"), str):
        name = short(title)
        if name != title and one.value.get("task_id") in (None, slug(title)):
            return replace(one, value={**one.value, "task_id": slug(name)})
    elif one.type == "goals" and isinstance(title := one.value.get("name"), str):
        name = short(_REMARK.sub("", title) if _is_long(title) else title, aim=True)
        if name != title:
            return replace(one, value={**one.value, "name": name})
    return one


def short(title: str, *, aim: bool = False) -> str:
    """Return a title without what says least in it, where it is long."""
    title = " ".join(title.split())
    name = _WHEN.sub("", title)
    name = name if _names(name) else title
    if not _is_long(name):
        return name
    if aim:
        name = _WHO_ZH.sub("", name)
    for less in _LESS_ZH if _WIDE.search(name) else _LESS:
        shorter = less.sub("", name)
        if not _is_long(name) or not _names(shorter):
            break
        name = shorter
    return " ".join(name.split())


def _is_long(name: str) -> bool:
    """Tell whether a name is half a sentence."""
    wide = len(_WIDE.findall(name))
    return len(name) > _LONGEST or wide > _MOST_WIDE or len(name.split()) > _MOST_WORDS


def _names(name: str) -> bool:
    """Tell whether enough is left of a name to know a thing by."""
    return len(_WIDE.findall(name)) >= _LEAST_WIDE or len(name.split()) >= _LEAST_WORDS
