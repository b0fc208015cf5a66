"""The words of a context, read where they are stored rather than kept with its trace (S6).

In: the ids of memories and turns, or all that a context was just chosen from. Out: what they say,
by where it stands. What was forgotten is not there, so a trace holds nothing back that a tenant has
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from smartbrain.compose.candidates import line_text
from smartbrain.domain.context import EvidenceSource
from smartbrain.domain.recalled import Ranked
from smartbrain.errors import AdapterError, NotFound
from smartbrain.govern.short_term import LOST_TEXT, shown_turn, with_texts

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Candidate
    from smartbrain.compose.select import Inputs
    from smartbrain.domain.indexed import SpokenTurn
    from smartbrain.domain.packet import ShownTurn
    from smartbrain.domain.turn import Turn
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

Where = tuple[str, ...]
"""A memory, a message of a turn by its place among what was said, or by its id; its media."""
Words = dict[Where, str]


def where_of(one: Candidate) -> Where:
    """Return where the words of a candidate stand; nowhere here for those of a document."""
    if one.source is not EvidenceSource.MEMORY:
        return ()
    if not one.session:
        return ("memory", one.id)
    return ("line", one.turn_id or "", str(one.place[1]))


def where_said(turn_id: str, message_id: str | None) -> Where:
    """Return where the words of a message stand."""
    return ("message", turn_id, message_id or "")


def where_seen(turn_id: str, shown_id: str | None) -> Where:
    """Return where it stands what a message or a call showed besides words, a line each."""
    return ("media", turn_id, shown_id or "")


def read_words(
    candidates: Iterable[Candidate], turns: Iterable[ShownTurn], *, rows: Transaction, blobs: Blobs
) -> Words:
    """Return the words of candidates and of turns as they stand now.

    Raises:
        AdapterError: the storage failed. A text that is damaged or gone is left out.
    """
    asked = [where_of(one) for one in candidates]
    nums = rows.followed.numbers([where[1] for where in asked if where[:1] == ("memory",)])
    memories = rows.recalled.rows(sorted(nums.values()))
    words: Words = {("memory", one.id): one.text for one in memories}
    spoken = dict.fromkeys(where[1] for where in asked if where[:1] == ("line",))
    words |= _lines(rows.composed.around(list(spoken), reach=0) if spoken else (), blobs)
    for shown in turns:
        words |= _messages(shown.turn_id, rows=rows, blobs=blobs)
    return words


def words_of(inputs: Inputs, *, ports: Ports) -> Words:
    """Return the words of what a context was chosen from; what was read for it is not read again.

    Raises:
        AdapterError: as `read_words` does.
    """
    held = inputs.held
    words = _lines(held.spoken, ports.blobs)
    for one in inputs.memories:
        if not one.session and isinstance(one.scored, Ranked):
            words["memory", one.id] = one.scored.row.text
    for turn, texts in held.heard.said if held.heard else ():
        words |= _said(turn, texts)
    others = [one for one in inputs.memories if not one.session and where_of(one) not in words]
    turns = [turn for turn in held.turns if not _is_read(turn, words)]
    if others or turns:
        with ports.truth.read() as rows:
            words |= read_words(others, turns, rows=rows, blobs=ports.blobs)
    return words


def _is_read(turn: ShownTurn, words: Words) -> bool:
    return all(where_said(turn.turn_id, one.id) in words for one in turn.messages)


def _lines(spoken: Iterable[SpokenTurn], blobs: Blobs) -> Words:
    return {
        ("line", turn.turn_id, str(ordinal)): line_text(message.pieces, blobs, True)
        for turn in spoken
        for ordinal, message in enumerate(turn.messages)
    }


def _messages(turn_id: str, *, rows: Transaction, blobs: Blobs) -> Words:
    try:
        stored = rows.events.turn(turn_id)
        (turn,) = with_texts([stored], transaction=rows, blobs=blobs, outputs=False)
    except NotFound:
        return {}
    except AdapterError as error:
        if error.code not in LOST_TEXT:
            raise
        return {}
    return _said(turn, [one.content for one in turn.messages])


def _said(turn: Turn, texts: Sequence[str]) -> Words:
    """Return the words of the messages of a turn, and lines about what it showed beside them."""
    shown = shown_turn(turn, texts)
    words: Words = {where_said(turn.id, one.id): one.content for one in shown.messages}
    seen = [(one.id, one.media) for one in shown.messages]
    seen += [(one.id, one.media) for one in shown.tool_calls]
    for shown_id, media in seen:
        if media:
            words[where_seen(turn.id, shown_id)] = "\n".join(media)
    return words
