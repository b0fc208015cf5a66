"""Hearing a step: all that its words are read for, before anything stored is looked at (C6, C7).

In: a step, without its commands. Out: what it states, what happens in it, whom and what it names,
its content words, and whether it holds personal data. It opens no transaction but to fetch the
messages before it, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from smartbrain.domain.candidate import Source
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.rendered import own_words
from smartbrain.domain.turn import Turn
from smartbrain.remember.episode import About
from smartbrain.remember.extract.statements import find_statements
from smartbrain.remember.extract.turn import Read, read_step
from smartbrain.remember.link import Names, find_names
from smartbrain.remember.privacy import holds_personal_data
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pii import is_masked

if TYPE_CHECKING:
    from smartbrain.domain.statement import Statement
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.remember.extract.said import Said
    from smartbrain.text.ontology import Ontology


class Heard(NamedTuple):
    """What was read of a step; `told` names the message of each statement."""

    read: Read
    told: list[tuple[int, Statement]]
    names: Names
    about: About


def hear(
    step: Turn,
    spoken: Turn,
    before: Callable[[], Turn | None],
    *,
    types: TypeRegistry,
    off_record: bool = False,
    trained: Ontology | None = None,
) -> Heard:
    """Return what a step says.

    Args:
        step: what is committed.
        spoken: the same without its commands.
        before: returns what was said just before it; asked only where something refers to them.
        types: the types of memories.
        off_record: whether an earlier step asked not to remember the turn.
        trained: the ontology, where the trained reader reads in the place of rules.
    """
    read = read_step(spoken, before, off_record=off_record, trained=trained)
    if read.off_record:
        about = About(pii=_personal(step), tags=(OFF_RECORD,))
        return Heard(read, [], Names(types.get("entities")), about)
    told = [(index, one) for index, said in read.said for one in _statements(said)]
    names = find_names(read.said, step, told, types=types)
    return Heard(read, told, names, About(names.texts(), _keywords(read), _personal(step)))


def _statements(said: Said) -> Sequence[Statement]:
    """Return what a message says happens; what the assistant tells is nobody's own account."""
    return () if said.source is Source.ASSISTANT else find_statements(said)


def _keywords(read: Read) -> tuple[str, ...]:
    """Return the content words of a step's messages."""
    found = [word for _, said in read.said for word in keywords_of(own_words(said.text))]
    return tuple(dict.fromkeys(found))[:24]


def _personal(step: Turn) -> bool:
    """Tell whether personal data was said."""
    texts = [message.content for message in step.messages]
    return any(is_masked(text) or holds_personal_data(text) for text in texts)
