"""Messages of a history made into turns, each under a key that stays the same.

In: messages with their sessions and times, those of a session in order. Out: `HistoryTurn` values.
A turn is a user's message and all that follows up to the next one; what comes before the first is a
turn of its own. What the formats look like is the business of the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from smartbrain.domain.history import HistoryTurn
from smartbrain.domain.ids import derive
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role

_OPEN: Final = 256  # sessions whose last turn may be unfinished at a time
_LONGEST: Final = 1000  # messages of a turn; a log of one speaker has no end of a turn


class Said(NamedTuple):
    """One message of a history with its time and what it brings along."""

    message: dict[str, Any]
    at: str | None = None
    calls: Sequence[Mapping[str, Any]] = ()
    refs: Sequence[Mapping[str, Any]] = ()


class Entry(NamedTuple):
    """What a place of a source holds: one message, or all messages of a turn and its other events.

    `place` is how much of the source is read with it.
    """

    session_id: str
    said: list[Said]
    place: int
    whole: dict[str, Any] | None = None
    turn_id: str = ""

    @property
    def at(self) -> str | None:
        """When it was said, if that is known."""
        return (self.whole or {}).get("at") or next((one.at for one in self.said if one.at), None)

    @property
    def begins(self) -> bool:
        """Whether a turn begins with it."""
        return self.whole is not None or _begins(self.said[0].message)


class TurnMaker:
    """Makes the turns of one source.

    Sessions may be interleaved: each has a turn that is open until its next user message. Beyond
    a number of them the one that was silent for longest is closed, so memory stays bounded.
    """

    def __init__(self, format_name: str, total: int | None = None) -> None:
        """Start a source; `total` is what its turns' places are out of."""
        self.total = total
        self._format = format_name
        self._open: dict[str, list[Said]] = {}
        self._last: dict[tuple[str, bool], tuple[str | None, int]] = {}

    def take(self, entry: Entry) -> Iterator[HistoryTurn]:
        """Take the next entry of a session; yield the turns that it ends or is."""
        session_id, place = entry.session_id, entry.place
        if entry.whole is None:
            yield from self.add(session_id, entry.said[0], place)
            return
        yield from self.close(session_id, place)
        yield self.make(session_id, entry.said, place, whole=entry.whole, turn_id=entry.turn_id)

    def add(
        self, session_id: str, said: Said, place: int, *, title: str = ""
    ) -> Iterator[HistoryTurn]:
        """Take the next message of a session; yield the turns that it ends."""
        if _begins(said.message) or len(self._open.get(session_id, ())) >= _LONGEST:
            yield from self.close(session_id, place, title=title)
        opened = self._open.pop(session_id, [])
        opened.append(said)
        self._open[session_id] = opened  # now the last of them to be closed
        if len(self._open) > _OPEN:
            yield from self.close(next(iter(self._open)), place)

    def close(self, session_id: str, place: int, *, title: str = "") -> Iterator[HistoryTurn]:
        """Yield the open turn of a session, if it has one."""
        said = self._open.pop(session_id, None)
        if said:
            yield self.make(session_id, said, place, title=title)

    def close_all(self, place: int) -> Iterator[HistoryTurn]:
        """Yield the open turns of all sessions."""
        for session_id in list(self._open):
            yield from self.close(session_id, place)

    def make(
        self,
        session_id: str,
        said: Sequence[Said],
        place: int,
        *,
        title: str = "",
        whole: Mapping[str, Any] | None = None,
        turn_id: str = "",
    ) -> HistoryTurn:
        """Make a turn; `whole` are the events of one that the source holds as a whole."""
        at = (whole or {}).get("at") or next((one.at for one in said if one.at), None)
        events = {
            **(whole or {}),
            "at": at,
            "messages": [_dated(one, at) for one in said],
            "tool_calls": [*(whole or {}).get("tool_calls", ()), *_joined(said, "calls")],
            "refs": [*(whole or {}).get("refs", ()), *_joined(said, "refs")],
        }
        events = {name: value for name, value in events.items() if value not in (None, [])}
        first = turn_id or (said[0].message.get("id") if said else "")
        mark = f"id {first}" if first else f"number {self._ordinal(session_id, at)}"
        return HistoryTurn(
            session_id=session_id,
            events=events,
            key=derive("chat", self._format, session_id, mark, canonical_json(events)),
            place=place,
            total=self.total,
            title=title,
        )

    def _ordinal(self, session_id: str, at: str | None) -> int:
        """Count the turns of one time in a session, and apart from them those without a time.

        Counting from the beginning would give a turn another key once the oldest part of a log
        is cut off.
        """
        kind = (session_id, at is None)
        before, count = self._last.get(kind, (at, -1))
        count = count + 1 if before == at else 0
        self._last[kind] = (at, count)
        return count


def _begins(message: Mapping[str, Any]) -> bool:
    """Tell whether a message begins a turn: a user's does, unless it only answers tool calls."""
    content = message.get("content")
    answers = isinstance(content, list) and all(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    )
    return message["role"] == Role.USER and not (content and answers)


def _dated(said: Said, at: str | None) -> dict[str, Any]:
    """Return a message that keeps its time in its meta where it is not that of its turn."""
    if said.at in (None, at):
        return said.message
    return {**said.message, "meta": {"at": said.at, **(said.message.get("meta") or {})}}


def _joined(said: Sequence[Said], name: str) -> Iterator[Mapping[str, Any]]:
    for one in said:
        yield from getattr(one, name)
