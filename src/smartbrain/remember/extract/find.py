"""Every candidate that the words of a message hold: the list of finders, in their order (C6).

In: a message, read. Out: candidates. Names of people and things are found apart, for they may stand
in anything that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract import (
    confirmations,
    corrections,
    decisions,
    declarations,
    deployments,
    events,
    facts,
    forgetting,
    formerly,
    goals,
    own_switches,
    plain_denials,
    preferences,
    profile,
    profile_changes,
    profile_departures,
    tasks,
)
from smartbrain.remember.extract.finder import Finder, find_candidates
from smartbrain.remember.extract.said import Said, Sentence

_PLAIN: Final[Sequence[Finder]] = (
    formerly.find,
    corrections.find,
    confirmations.find,
    own_switches.find,
    deployments.find,
    tasks.find,
    decisions.find,
    preferences.find,
    goals.find,
    facts.changed,
    facts.switched,
    profile.find,
    events.find,
    facts.find,
    profile_departures.find,
    profile_changes.find,
    plain_denials.find,
)


def _declared(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Find what the user asks to be remembered, which may be that something is not so."""
    return declarations.find(sentence, said, _PLAIN)


FINDERS: Final[Sequence[Finder]] = (forgetting.find, _declared, *_PLAIN)
"""Who is asked, in this order."""


OF_THE_ASSISTANT: Final[Sequence[Finder]] = (tasks.find, decisions.find)
"""Who is asked about the assistant's words: it may report, but it asserts nothing about anybody."""


def find_stated(said: Said) -> list[Candidate]:
    """Return what a message holds that is stated in it."""
    asserted = said.source is not Source.ASSISTANT
    return find_candidates(said, FINDERS if asserted else OF_THE_ASSISTANT)


def find_formal(said: Said) -> list[Candidate]:
    """Return what has a form that rules know: requests to forget, and a yes to a proposal."""
    asserted = said.source is not Source.ASSISTANT
    return find_candidates(said, (forgetting.find, confirmations.find)) if asserted else []


def find_declared(said: Said) -> list[Candidate]:
    """Return what a message holds that the user asked to remember as it is."""
    return list(declarations.declared(said, FINDERS))
