"""Which earlier statement a correction or a denial is about (C4, C6).

In: what is said now, and what was said before, the last first. Out: the statement that is meant,
if one is: it says something of the same thing, or shares most with the words of a denial. What
becomes of it is for the finder of corrections to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from smartbrain.domain.candidate import Candidate
from smartbrain.remember.extract.correction_words import Restated, terms_of
from smartbrain.remember.extract.denied_values import disliked, is_facet
from smartbrain.remember.extract.wording import GENERAL
from smartbrain.remember.meetings import terms_of as event_terms

# What of the value of an earlier statement a corrected one keeps, so that its key is the same.
_FRAME: Final[Mapping[str, tuple[str, ...]]] = {
    "facts": ("subject", "attribute"),
    "preferences": ("scope", "name"),
    "decisions": ("project", "topic"),
}

_LIKINGS: Final = frozenset(("preferences.fond", "preferences.like"))


def meant_by(candidate: Candidate, old: str, earlier: list[Candidate]) -> Candidate | None:
    """Return the earlier statement that a candidate corrects."""
    same = [one for one in earlier if one.type == candidate.type and _is_other(candidate, one)]
    for one in same:
        if is_same_thing(candidate, one):
            return one
    if candidate.type == "events" or _is_liking(candidate):
        return None
    terms = terms_of(f"{candidate.text} {old}")
    return next(
        (one for one in same if not _apart(candidate, one) and terms & terms_of(one.text)), None
    )


def liked_before(new: Candidate, old: str, earlier: list[Candidate]) -> Candidate | None:
    """Return what was said to be liked, where another thing is liked after all.

    It is the one that is named as wrong, or the only one there is.
    """
    if not _is_liking(new):
        return None
    liked = [one for one in earlier if _is_liking(one) and one.value != new.value]
    if old:
        named = ((one, str(one.value["value"]).casefold()) for one in liked)
        told = old.casefold()
        return next((one for one, thing in named if thing in told or told in thing), None)
    return liked[0] if len(liked) == 1 else None


def likes_another(one: Candidate, other: Candidate) -> bool:
    """Tell whether two candidates say of two things that they are liked."""
    names = [str(each.value.get("name", "")) for each in (one, other)]
    likings = _is_liking(one) and _is_liking(other)
    return likings and names[0] not in names[1] and names[1] not in names[0]


def _is_liking(one: Candidate) -> bool:
    """Tell whether somebody likes a thing that stands under its own words."""
    return (
        one.rule in _LIKINGS
        and not is_facet(str(one.value.get("name", "")))
        and not disliked(one.value)
    )


def _is_other(new: Candidate, old: Candidate) -> bool:
    """Tell whether two candidates say something else; an event may be told at another hour."""
    return old.value != new.value or (new.type == "events" and old.text != new.text)


def _apart(new: Candidate, old: Candidate) -> bool:
    """Tell whether two candidates name what they are about, and it is not the same."""
    if new.type == "preferences":
        names = {str(one.value.get("name", "")) for one in (new, old)}
        return any(name.startswith("name_to_avoid") for name in names)
    if new.type != "facts" or GENERAL in (new.value.get("subject"), old.value.get("subject")):
        return False
    told, known = (str(one.value.get("attribute")) for one in (new, old))
    if told == known:
        return told in ("responsible", "deadline", "name")
    same = new.value.get("subject") == old.value.get("subject")
    return same and "kind" not in (told, known)  # what else it uses, or has


def is_same_thing(new: Candidate, old: Candidate) -> bool:
    """Tell whether two candidates of a type say something of the same thing."""
    if new.type == "profile":
        return bool(_attributes(new) & _attributes(old))
    if new.type == "events":
        one, other = (event_terms(str(each.value.get("title", ""))) for each in (new, old))
        return bool(one and other) and (one <= other or other <= one)
    if new.type != "facts":
        fields = _FRAME.get(new.type, ())
        return fields != () and all(new.value.get(one) == old.value.get(one) for one in fields)
    if new.value.get("attribute") != old.value.get("attribute"):
        return False
    subject, known = (str(value.get("subject", "")) for value in (new.value, old.value))
    return GENERAL in (subject, known) or subject in known or known in subject


def _attributes(candidate: Candidate) -> set[str]:
    """Return what a profile candidate says something about."""
    return {fact.get("k", "") for fact in candidate.value.get("facts", ())}


def in_frame(candidate: Candidate, meant: Candidate) -> Candidate:
    """Give a corrected value the key of what it corrects."""
    fields = _FRAME.get(candidate.type, ())
    kept = {name: meant.value[name] for name in fields if name in meant.value}
    return replace(candidate, value={**candidate.value, **kept})


def most_like(denied: Restated, earlier: list[Candidate]) -> Candidate | None:
    """Return the earlier statement that shares most with what is denied."""
    terms = terms_of(denied.text)
    shared = [(len(terms & terms_of(_told(one))), one) for one in earlier]
    best = max(shared, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] else None


def _told(candidate: Candidate) -> str:
    """Return all the words of a candidate."""
    return f"{candidate.text} {candidate.value.get('value', '')}"
