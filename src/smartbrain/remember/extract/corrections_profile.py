"""Which facts of a profile a denial or a correction means: those that it names, and no others (C4).

In: an earlier statement about the user that may hold several facts, and the words that deny some of
it. Out: a statement of the facts that are denied, or none. Where somebody can have several of a
kind, what a correction puts in place of something says also what goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from smartbrain.domain.candidate import Candidate
from smartbrain.remember.extract.correction_words import terms_of
from smartbrain.remember.profile_values import ONLY, has_many, is_denied
from smartbrain.text.pattern import pattern

PROFILE: Final = "profile"
_PARTS: Final = pattern(r"[,，;；。.!！?？]\s*|(?<!\s)\s++and\s+")


def facts_in(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Return the facts of the statements about the user among candidates."""
    about = [one for one in candidates if one.type == PROFILE]
    return [fact for one in about for fact in one.value.get("facts", ())]


def named_by(denial: str, told: Candidate, read: Sequence[Candidate]) -> Candidate | None:
    """Return the facts of a statement that a denial names; `read` is what its words deny."""
    facts = list(told.value.get("facts", ()))
    denied = facts_in(read)
    named = [fact for fact in facts if any(_is_meant(one, fact) for one in denied)]
    named += [fact for fact in denied if fact not in named]
    if not named:
        terms = terms_of(denial)
        by_value = [fact for fact in facts if terms & terms_of(str(fact.get("v", "")))]
        around = [fact for fact in facts if terms & terms_of(_around(fact, told.text))]
        named = by_value or around
    return replace(told, value={**told.value, "facts": named}) if named else None


def of_many(candidate: Candidate) -> Candidate | None:
    """Return a statement about the user with only what one can have several of, if it has some."""
    facts = [fact for fact in facts_in([candidate]) if has_many(fact["k"])]
    return replace(candidate, value={**candidate.value, "facts": facts}) if facts else None


def corrects(candidate: Candidate) -> bool:
    """Tell whether a statement takes the place of another: one more of several does not."""
    return not (facts := facts_in([candidate])) or any(not has_many(fact["k"]) for fact in facts)


def gone_for(new: Candidate, old: str, meant: Candidate | None) -> Candidate | None:
    """Return what goes where a new fact of several is put in the place of an old one.

    Args:
        new: the statement that corrects.
        old: the words of what was wrong, where they are named.
        meant: the earlier statement that is corrected, where nothing else is named.
    """
    names = {fact["k"] for fact in facts_in([new]) if has_many(fact["k"])}
    if old:
        gone = [{"k": name, "v": old} for name in sorted(names)]
    else:
        known = facts_in([meant] if meant else [])
        gone = [one for one in known if one["k"] in names and one not in facts_in([new])]
    return replace(new, value={**new.value, "facts": gone}) if gone else None


def _around(fact: dict[str, Any], text: str) -> str:
    """Return the part of a statement that tells a fact."""
    return next((part for part in _PARTS.split(text) if str(fact.get("v")) in part), "")


def _is_meant(denied: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
    """Tell whether a denied fact is a known one; one without a value means whichever there is."""
    if denied["k"] != known["k"] or denied["v"] == "":
        return bool(denied["k"] == known["k"])
    many, exact = has_many(known["k"]), bool(denied.get(ONLY))
    return is_denied(denied["v"], known["v"], many=many, exact=exact)
