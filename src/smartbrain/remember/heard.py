"""Hearing a step: all that its words are read for, before anything stored is looked at (C6, C7).

In: a step, without its commands. Out: what it states, what happens in it, whom and what it names,
its content words, and whether it holds personal data. It reads no storage and writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from smartbrain.domain.claim import Source
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.rendered import own_words
from smartbrain.domain.turn import Turn
from smartbrain.remember.entities import Names, find_names
from smartbrain.remember.episode import About
from smartbrain.remember.privacy import holds_personal_data
from smartbrain.remember.read_turn import TurnReading, read_turn
from smartbrain.remember.rules.statements import find_statements
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.domain.statement import Statement
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.text.ontology import Ontology

_MAX_KEYWORDS = 24


class Heard(NamedTuple):
    """What was read of a step; `told` names the message of each statement."""

    read: TurnReading
    told: list[tuple[int, Statement]]
    names: Names
    about: About


def hear(
    step: Turn,
    spoken: Turn,
    previous: Turn | None,
    *,
    types: TypeRegistry,
    ontology: Ontology,
    off_record: bool = False,
) -> Heard:
    """Return what a step says; `spoken` is the step without its commands.

    `previous` was said just before it; `off_record` tells whether an earlier step asked not to
    remember the turn. What the assistant tells happens is nobody's own account.
    """
    read = read_turn(spoken, previous, ontology=ontology, off_record=off_record)
    texts = [message.content for message in step.messages]
    personal = any(is_masked(text) or holds_personal_data(text) for text in texts)
    if read.off_record:
        about = About(pii=personal, tags=(OFF_RECORD,))
        return Heard(read, [], Names(types.get("entities")), about)
    told = [
        (index, statement)
        for index, said in read.said
        if said.source is not Source.ASSISTANT
        for statement in find_statements(said)
    ]
    names = find_names(read.said, step, told, types=types)
    words = [word for _, said in read.said for word in keywords_of(own_words(said.text))]
    keywords = tuple(dict.fromkeys(words))[:_MAX_KEYWORDS]
    return Heard(read, told, names, About(names.texts(), keywords, personal))
