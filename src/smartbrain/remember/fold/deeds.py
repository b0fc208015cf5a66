"""Which open task or goal is reached by what somebody says they did (C1, K11).

In: a claim that tells a deed in passing ("I bought the milk"), or a bare "done" with the words that
were spoken just before it. Out: the chain that it reaches, and that chain's value with its new
status. "I bought the milk" means nothing unless buying milk was to be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from smartbrain.domain.candidate import Source
from smartbrain.domain.claim import Claim, Say
from smartbrain.remember.extract.deadlines import deadline_of, is_deadline_of, new_day
from smartbrain.remember.extract.deeds import (
    LEAST,
    LEAST_WIDE,
    VAGUE,
    Deed,
    by_another,
    deed_of,
    names_several,
    to_another,
    words_of,
)
from smartbrain.remember.extract.tasks_blocked import without_reasons
from smartbrain.remember.extract.undone import undone_of
from smartbrain.remember.fold.state import Chain
from smartbrain.text.pattern import pattern

MAX_AIMS: Final = 200  # tasks or goals that a deed is held against, those taken up last


class Aim(NamedTuple):
    """How a type can be reached: the field of its words, when it is open, done, and open again."""

    field: str
    open: frozenset[str]
    done: str
    again: str
    told_by: tuple[Source, ...]


AIMS: Final = {
    "tasks": Aim(
        field="title",
        open=frozenset(("todo", "doing", "blocked")),
        done="done",
        again="todo",
        told_by=(Source.USER, Source.ASSISTANT),
    ),
    "goals": Aim(
        field="name",
        open=frozenset(("active",)),
        done="achieved",
        again="active",
        told_by=(Source.USER,),
    ),
}
"""What a deed can reach, by type; the assistant reports on tasks, goals are the user's own."""
_LONG_AGO: Final = pattern(r"\b(?:ago|last year|in (?:19|20)\d\d|once)\b|去年|前年|年前|以前", 0x02)
_YEARS_AGO: Final = pattern(r"\b(?:years?|decades?) ago\b|\blast year\b|去年|前年|年前", 0x02)


def read_deed(text: str) -> Deed | None:
    """Return the deed that words tell as done, as not done after all, or as put off."""
    if thing := deadline_of(text):
        return Deed("", words_of(thing), put_off=True)
    return deed_of(text) or undone_of(text)


class Reached(NamedTuple):
    """The chain that a deed reaches and its value then; `undone` if it was not done after all."""

    chain: Chain
    value: dict[str, Any]
    undone: bool = False


def reach_aim(claim: Claim, standing: Sequence[Chain]) -> Reached | None:
    """Return what a deed reaches, or undoes."""
    aim = AIMS[claim.type]
    known = [chain for chain in standing[:MAX_AIMS] if chain.active is not None]
    if claim.detail.get("spoken"):
        return _reach_spoken(claim, known, aim)
    deed = read_deed(claim.text)
    if deed is None:
        return None
    chain = _find_reached(claim, deed, known, aim)
    if chain is None or chain.active is None:
        return None
    value = dict(chain.active.value)
    if deed.put_off:
        due = new_day(claim.text, claim.said_at) or value.get("due")
        return Reached(chain, {**value, "due": due})
    status = aim.done if deed.done else aim.again
    return Reached(chain, {**value, "status": status}, undone=not deed.done)


def _reach_spoken(claim: Claim, known: Sequence[Chain], aim: Aim) -> Reached | None:
    """Return the one task spoken of just before a bare "done"; of several none is meant."""
    spoken = set(claim.detail["spoken"])
    states = frozenset(("blocked",)) if claim.say is Say.DOING else aim.open
    meant = []
    for chain in known:
        value = chain.active.value if chain.active else {}
        words = words_of(str(value.get(aim.field, "")))
        if value.get("status") in states and words and spoken.issuperset(words):
            meant.append((chain, dict(value)))
    if len(meant) != 1:
        return None
    chain, value = meant[0]
    value["status"] = claim.say.value
    if claim.say is Say.BLOCKED:
        value["notes"] = [*without_reasons(list(value.get("notes") or ())), claim.detail["why"]]
    return Reached(chain, value)


def _find_reached(claim: Claim, deed: Deed, known: Sequence[Chain], aim: Aim) -> Chain | None:
    """Return the aim taken up last that a deed does; one that is called just so comes first."""
    states = aim.open if deed.done else frozenset((aim.done, aim.again))
    met = []
    for chain in known:
        value = chain.active.value if chain.active else {}
        if value.get("status") in states and fits_deed(claim, deed, aim, value):
            met.append((chain, words_of(str(value.get(aim.field, "")))))
    just_so = next((chain for chain, words in met if {*deed.words} == {*words}), None)
    if just_so is not None:
        return just_so
    if deed.put_off and len(met) > 1:
        return None  # of several reports nobody knows which
    return met[0][0] if met else None


def fits_deed(claim: Claim, deed: Deed, aim: Aim, value: Mapping[str, Any]) -> bool:
    """Tell whether a deed does what is called so: one has all the words of the other."""
    title, who = str(value.get(aim.field, "")), str(value.get("assignee") or "")
    text = claim.text.strip()
    own = text[len(who) :] if who and text.startswith(who) else text
    told_as = read_deed(own) if own != text else deed
    if told_as is None or told_as.by or claim.source not in aim.told_by:
        return False
    if told_as.put_off:
        return claim.type == "tasks" and is_deadline_of(deadline_of(own), title)
    told, asked = set(told_as.words), set(words_of(title))
    if own != text and told_as.verb in VAGUE - asked:
        return told - {told_as.verb} == asked - {*words_of(title)[:1]}
    shared = told & asked
    if told_as.verb not in shared or shared not in (told, asked):
        return False
    if told < asked and names_several(title):
        return False  # one of them is done
    if _YEARS_AGO.search(claim.text):
        return False
    longer, shorter = (title, text) if told < asked else (text, title)
    if told != asked and to_another(longer, shorter):
        return False
    if claim.type == "goals" and (told != asked or _LONG_AGO.search(claim.text)):
        return False  # a book of twenty, half a marathon
    return _shares_enough(shared, told == asked) and not by_another(own, title)


def _shares_enough(shared: set[str], same: bool) -> bool:
    """Tell whether enough words are shared to name one deed; Chinese is counted by characters."""
    wide = all(len(word) == 1 and not word.isascii() for word in shared)
    return len(shared) >= (LEAST_WIDE if wide else LEAST) or (same and len(shared) >= LEAST)
