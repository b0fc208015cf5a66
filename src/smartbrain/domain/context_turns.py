"""A shown turn in the order in which it happened: who spoke, and when tools ran (R15).

In: a turn, whose messages and calls are two lists. Out: one sequence of messages and groups of
calls, and whether the turn still waits for its answer. System, developer and tool messages are not
speech and are left out. No rendering.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from smartbrain.domain.packet import ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.rendered import asked_words, own_words
from smartbrain.domain.turn import Role

Told = ShownMessage | tuple[ShownCall, ...]
"""What happens in a turn: somebody speaks, or tools run side by side."""


def spoken(turn: ShownTurn, *, waits: bool = False) -> list[ShownMessage]:
    """Return what user and assistant say themselves, without what a context had put there.

    What the user says in a turn that `waits` is what is being answered, marks of ours or not.
    """
    said = []
    for message in filter(is_speech, turn.messages):
        asked = waits and message.role is Role.USER
        words = asked_words(message.content) if asked else own_words(message.content)
        said.append(message if words == message.content else replace(message, content=words))
    return said


def is_speech(message: ShownMessage) -> bool:
    """Tell whether user or assistant says it."""
    return message.role in (Role.USER, Role.ASSISTANT)


def told_text(message: ShownMessage) -> str:
    """Return what a message says, and a line for each image or file that it showed."""
    if not message.media:
        return message.content
    return "\n".join(filter(None, (message.content, *media_notes(message))))


def media_notes(shown: ShownMessage | ShownCall) -> list[str]:
    """Return a line for each image or file that a message, or the result of a call, showed."""
    return [f"({' '.join(one.split())})" for one in shown.media]


def is_open(turn: ShownTurn, current: Sequence[ShownCall]) -> bool:
    """Tell whether a turn waits for its answer: it has none, or a call of it is `current`."""
    if {call.id for call in current} & {call.id for call in turn.tool_calls}:
        return True
    answered = False
    for message in spoken(turn):
        if message.role is Role.USER:
            answered = False
        elif message.content.strip() and not message.calls:
            answered = True
    return not answered


def sequence(turn: ShownTurn, *, waits: bool = False) -> Iterator[Told]:
    """Yield what happened in a turn, in order.

    Calls stand behind the message that names them. Those that no message names stand behind the
    assistant's messages one by one, but before its answer, which is the last one unless the turn
    `waits` for it.
    """
    messages = spoken(turn, waits=waits)
    behind = calls_behind(turn, waits=waits)
    if first := behind.get(-1):
        yield tuple(first)
    for place, message in enumerate(messages):
        if message.content.strip() or message.media:
            yield message
        if made := behind.get(place):
            yield tuple(made)


def calls_behind(turn: ShownTurn, *, waits: bool = False) -> dict[int, list[ShownCall]]:
    """Return the calls of a turn by the place of the message that they stand behind, as `sequence`.

    Places are those among what was `spoken`; -1 is before all of it.
    """
    if not turn.tool_calls:  # as most have none
        return {}
    messages = spoken(turn, waits=waits)
    makers = {call_id: place for place, one in enumerate(messages) for call_id in one.calls}
    behind: dict[int, list[ShownCall]] = {}
    loose = []
    for call in turn.tool_calls:
        if call.call_id in makers:
            behind.setdefault(makers[call.call_id], []).append(call)
        else:
            loose.append(call)
    places = callers(messages, waits=waits)
    if not places:  # then behind the last message before the assistant's answer, or the last of all
        answers = [at for at, one in enumerate(messages) if one.role is Role.ASSISTANT]
        places = [(answers[-1] if answers else len(messages)) - 1]
    for nth, call in enumerate(loose):
        behind.setdefault(places[min(nth, len(places) - 1)], []).append(call)
    return behind


def callers(messages: Sequence[ShownMessage], *, waits: bool) -> list[int]:
    """Return the places of the messages that may have made calls without naming them."""
    places = [place for place, one in enumerate(messages) if one.role is Role.ASSISTANT]
    if places and not waits and messages[places[-1]].content.strip():
        places.pop()
    return [place for place in places if not messages[place].calls]
