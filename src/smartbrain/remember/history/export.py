"""Exports: JSON documents that list conversations, whatever a conversation looks like inside.

In: a source and how one conversation of its format is read. Out: turns, and a problem for every
conversation or message that could not be read. The formats themselves are in the modules beside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.errors import UsageError
from smartbrain.remember.history.source import Source
from smartbrain.remember.history.turns import Said, TurnMaker
from smartbrain.remember.history.values import as_dict, as_list, as_text, clean
from smartbrain.remember.names import read_id


class Conversation(NamedTuple):
    """A conversation: its id, its title, and its messages or what is wrong with them, in order."""

    id: object
    title: object
    parts: Iterator[Said | str]


@dataclass(frozen=True, slots=True)
class Export:
    """A format of exports: its name, and the field by which its conversations are known.

    `begun` is the field of when one began, `open` reads one, or refuses it with a `UsageError`.
    """

    name: str
    field: str
    begun: str
    open: Callable[[dict[str, Any]], Conversation]

    def read(self, source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
        """Yield the turns of an export and its problems, conversation by conversation.

        The oldest comes first, whatever the order of the file: most exports begin with the newest.

        Raises:
            UsageError: it is not of this format.
        """
        turns = TurnMaker(self.name)
        place = 0
        for document in source.documents():
            items = self._items(document)
            if not any(self.field in as_dict(item) for item in items):
                raise UsageError(
                    f"{source.name}: is not a {self.name} export: no conversation in it has"
                    f" the field {self.field!r}"
                )
            turns.total = len(items) if len(source.members) < 2 else None
            numbered = enumerate(items, place + 1)
            for number, item in sorted(numbered, key=lambda one: self._order(one[1])):
                place += 1
                yield from self._conversation(item, (number, place), source, turns)

    def _items(self, document: object) -> list[Any]:
        """Return the conversations of a document; it may be a single one."""
        return [document] if self.field in as_dict(document) else as_list(document)

    def _order(self, item: object) -> tuple[bool, float, str]:
        """Return what a conversation is sorted by; one without a time comes last."""
        begun = as_dict(item).get(self.begun)
        number = float(begun) if isinstance(begun, int | float) else 0.0
        return begun is None, number, as_text(begun)

    def _conversation(
        self, item: object, numbers: tuple[int, int], source: Source, turns: TurnMaker
    ) -> Iterator[HistoryTurn | HistoryProblem]:
        number, place = numbers
        where = f"conversation {number}"
        if self.field not in as_dict(item):
            yield source.problem(where, f"it has no field {self.field!r}")
            return
        try:
            chat = self.open(clean(item))
            session_id = read_id(chat.id, "the conversation's id")
        except UsageError as error:
            yield source.problem(where, error.message)
            return
        title = as_text(chat.title)
        where = f"{where} ({title or session_id})"
        for part in chat.parts:
            if isinstance(part, str):
                yield source.problem(where, part)
            else:
                yield from turns.add(session_id, part, place, title=title)
        yield from turns.close(session_id, place, title=title)
