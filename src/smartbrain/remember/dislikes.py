"""Likes and dislikes of one thing beside another: they end what they name, and nothing else (C4).

In: a preference that somebody states. Out: the same, under the key that it belongs to. "I don't use
vim" takes vim back where that is the editor; of somebody who uses emacs it says nothing about
which editor that is, so it stands beside it, under its own words. Who uses vim after all ends that.
Many tools and languages can be liked at a time, so that each liking stands under its own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import CandidateAction
from smartbrain.domain.memory import Memory, Status
from smartbrain.remember.denials import keep_denial
from smartbrain.remember.extract.corrections_instead import IN_WORDS
from smartbrain.remember.extract.denied_values import (
    disliked,
    in_two_languages,
    is_facet,
    is_one_of_many,
    names_apart,
)
from smartbrain.remember.extract.preference_words import own_name, topic_of
from smartbrain.remember.extract.taste_things import short_name
from smartbrain.remember.gate import Judged
from smartbrain.remember.outcome import Outcome
from smartbrain.remember.retract import retract
from smartbrain.remember.sameness import denials_in
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.remember.board import Board

GOES_WITH: Final = f"{IN_WORDS}preferences_with"
"""The rule of a denial that goes with what somebody likes or dislikes."""
_TASTES: Final = frozenset(
    f"preferences.{rule}"
    for rule in ("use", "like", "dislike", "fond", "kind", "verdict", "find", "annoys")
)
"""The rules of what somebody uses or likes; an order such as "never use tabs" is none."""

_LIKINGS: Final = frozenset(("preferences.fond", "preferences.dislike"))
_LOOKED_AT: Final = 20
_KIND: Final = pattern(
    r"\s+(?:browsers?|editors?|shells?|(?:programming )?languages?)\Z"
    r"|\s*(?:浏览器|编辑器|(?:编程)?语言|终端)\Z",
    0x02,
)
"""What a thing is, said behind its name: the Chrome browser."""


def in_its_place(judged: Judged, board: Board, outcome: Outcome) -> Judged:
    """Return a preference under the key that it belongs to; what it denies is taken back."""
    one = judged.candidate
    if one.corrects and is_one_of_many(one.value) and (liked := _liked_last(judged, board)):
        retract(_denial(judged, liked.key, liked.value), board, outcome)
        return _under_its_words(judged, str(one.value.get("value", "")), board)
    if one.rule not in _TASTES or not is_facet(str(one.value.get("name", ""))):
        return judged
    thing = disliked(one.value)
    many = one.rule in _LIKINGS and is_one_of_many(one.value)
    if not thing and many:
        return _under_its_words(judged, str(one.value.get("value", "")), board)
    if not thing:
        _end_dislike(judged, board, outcome)
        return judged
    denial = _denial(judged, judged.key, {**one.value, "value": thing})
    keep_denial(denial, board)  # it may be said to have been so only later
    held = _held(judged.key, board)
    known = "" if held is None else str(held.value.get("value", ""))
    if many and (held is None or denials_in(known)):
        return _under_its_words(judged, thing, board)
    if held is None or (not disliked(held.value) and denials_in(known)):
        return judged  # an order that says no as well
    if names_apart(thing, disliked(held.value) or known) or in_two_languages(thing, known):
        return _under_its_words(judged, thing, board)
    if held.status is Status.ACTIVE and not disliked(held.value):
        retract(denial, board, outcome)
    return _under_its_words(judged, thing, board) if many else judged


def end_liking(judged: Judged, board: Board, outcome: Outcome) -> bool:
    """Take back that a thing is liked that stands under its own words; tell whether that was all.

    Where it also stands as the one of its kind, that is to be taken back besides.
    """
    one = judged.candidate
    thing = str(one.value.get("value", ""))
    if one.type != "preferences" or not thing or not is_one_of_many(one.value):
        return False
    own = _under_its_words(judged, thing, board)
    stands = board.standing("preferences", own.key)
    if stands is None or disliked(stands.value) or stands.said_at > board.origin.said_at:
        return False
    retract(_denial(judged, own.key, own.candidate.value), board, outcome)
    held = board.standing("preferences", judged.key)
    if held is not None and not names_apart(thing, str(held.value.get("value", ""))):
        return False
    keep_denial(judged, board)
    return True


def own_keys(judged: Judged, values: Iterable[Mapping[str, Any]], board: Board) -> set[str]:
    """Return the keys under which values of a preference stand if they stand by themselves."""
    one = judged.candidate
    if one.type != "preferences" or not is_facet(str(one.value.get("name", ""))):
        return set()
    things = {disliked(value) or str(value.get("value", "")) for value in (one.value, *values)}
    return {_under_its_words(judged, thing, board).key for thing in things if thing}


def _liked_last(judged: Judged, board: Board) -> Memory | None:
    """Return the liking that a correction means, where none of its kind is the only one."""
    scope, name = judged.candidate.value["scope"], judged.candidate.value["name"]
    if board.standing("preferences", judged.key) is not None:
        return None
    for memory in board.newest("preferences", limit=_LOOKED_AT):
        liked = str(memory.value.get("value", ""))
        if memory.value.get("scope") == scope and topic_of(liked) == (scope, name):
            return memory if memory.said_at <= board.origin.said_at else None
    return None


def _held(key: str, board: Board) -> Memory | None:
    """Return the version of a preference that held when something was said."""
    at, out = board.origin.said_at, (Status.RETRACTED, Status.DISPUTED)
    told = board.history("preferences", key)
    return next((m for m in reversed(told) if m.said_at <= at and m.status not in out), None)


def _under_its_words(judged: Judged, thing: str, board: Board) -> Judged:
    """Return a preference under a key of the words for a thing."""
    bare = _KIND.sub("", thing).strip() or thing
    value = {**judged.candidate.value, "name": own_name(short_name(bare))}
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
