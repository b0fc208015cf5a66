"""Dislikes of one thing where another is liked: they end what they name, and nothing else (C4).

In: a preference that somebody states. Out: the same, under the key that it belongs to. "I don't use
vim" takes vim back where that is the editor; of somebody who uses emacs it says nothing about
which editor that is, so it stands beside it, under its own words. Who uses vim after all ends that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import CandidateAction
from smartbrain.domain.memory import Memory, Status
from smartbrain.remember.denials import keep_denial
from smartbrain.remember.extract.corrections import IN_WORDS
from smartbrain.remember.extract.denied_values import (
    disliked,
    in_two_languages,
    is_facet,
    names_apart,
)
from smartbrain.remember.extract.preference_words import own_name
from smartbrain.remember.extract.taste_things import short_name
from smartbrain.remember.gate import Judged
from smartbrain.remember.outcome import Outcome
from smartbrain.remember.retract import retract
from smartbrain.remember.sameness import denials_in

if TYPE_CHECKING:
    from smartbrain.remember.board import Board

GOES_WITH: Final = f"{IN_WORDS}preferences_with"
"""The rule of a denial that goes with what somebody likes or dislikes."""
_TASTES: Final = frozenset(
    f"preferences.{rule}"
    for rule in ("use", "like", "dislike", "fond", "kind", "verdict", "find", "annoys")
)
"""The rules of what somebody uses or likes; an order such as "never use tabs" is none."""


def in_its_place(judged: Judged, board: Board, outcome: Outcome) -> Judged:
    """Return a preference under the key that it belongs to; what it denies is taken back."""
    one = judged.candidate
    if one.rule not in _TASTES or not is_facet(str(one.value.get("name", ""))):
        return judged
    thing = disliked(one.value)
    if not thing:
        _end_dislike(judged, board, outcome)
        return judged
    denial = _denial(judged, judged.key, {**one.value, "value": thing})
    keep_denial(denial, board)  # it may be said to have been so only later
    held = _held(judged.key, board)
    known = "" if held is None else str(held.value.get("value", ""))
    if held is None or (not disliked(held.value) and denials_in(known)):
        return judged  # an order that says no as well
    if names_apart(thing, disliked(held.value) or known) or in_two_languages(thing, known):
        return _under_its_words(judged, thing, board)
    if held.status is Status.ACTIVE and not disliked(held.value):
        retract(denial, board, outcome)
    return judged


def own_keys(judged: Judged, values: Iterable[Mapping[str, Any]], board: Board) -> set[str]:
    """Return the keys under which values of a preference stand if they stand by themselves."""
    one = judged.candidate
    if one.type != "preferences" or not is_facet(str(one.value.get("name", ""))):
        return set()
    things = {disliked(value) or str(value.get("value", "")) for value in (one.value, *values)}
    return {_under_its_words(judged, thing, board).key for thing in things if thing}


def _held(key: str, board: Board) -> Memory | None:
    """Return the version of a preference that held when something was said."""
    at, out = board.origin.said_at, (Status.RETRACTED, Status.DISPUTED)
    told = board.history("preferences", key)
    return next((m for m in reversed(told) if m.said_at <= at and m.status not in out), None)


def _under_its_words(judged: Judged, thing: str, board: Board) -> Judged:
    """Return a preference under a key of the words for a thing."""
    value = {**judged.candidate.value, "name": own_name(short_name(thing))}
    key = board.types.get("preferences").key_of(value)
    return replace(judged, key=key, candidate=replace(judged.candidate, value=value))


def _end_dislike(judged: Judged, board: Board, outcome: Outcome) -> None:
    """Take back that somebody does not use or like what they do now."""
    own = _under_its_words(judged, str(judged.candidate.value.get("value", "")), board)
    stands = board.standing("preferences", own.key)
    if stands is not None and disliked(stands.value) and stands.said_at < board.origin.said_at:
        retract(_denial(judged, own.key, stands.value), board, outcome)


def _denial(judged: Judged, key: str, value: Mapping[str, Any]) -> Judged:
    """Return the denial of a value that a statement goes with."""
    one = replace(judged.candidate, value=value, rule=GOES_WITH, corrects=False)
    return replace(judged, key=key, candidate=replace(one, action=CandidateAction.RETRACT))
