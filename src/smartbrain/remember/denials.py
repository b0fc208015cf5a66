"""Denials that are remembered, for histories arrive in any order, and so does what they deny (C4).

In: what the user takes back. Out: the same, with its own time and the turn that it is of, when an
older statement under its key arrives. The latest few hundred are kept.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.job import StateEntry
from smartbrain.domain.memory import Span
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.remember.board import Board
from smartbrain.remember.extract.called_off import CALLED_OFF
from smartbrain.remember.gate import Judged
from smartbrain.remember.origin import Origin

if TYPE_CHECKING:
    from datetime import datetime

ENDED: Final = "events.ended"
"""The rule under which it is noted that an event was taken back, by what was told of another."""
_TENANT: Final = "tenant"
_DENIAL: Final = "denial"
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial that is kept: what it says, and where it comes from."""

    judged: Judged
    origin: Origin

    @property
    def at(self) -> datetime:
        """When it was said."""
        return self.origin.said_at


def keep_denial(judged: Judged, board: Board) -> None:
    """Keep a denial of the user for what is told later; without a key nobody would find it."""
    one, origin = judged.candidate, board.origin
    if board.again and one.rule != ENDED:
        return  # it is kept already
    if one.source is not Source.USER or origin.turn_id is None or not judged.key:
        return
    key = judged.key
    if one.rule.startswith(CALLED_OFF):  # it may turn out to mean another one
        key = board.types.get(one.type).key_of(one.value)
    working = board.transaction.working
    kept = working.state(_TENANT, _DENIAL)
    for entry in kept[: len(kept) - _MOST + 1]:
        working.drop_state(_TENANT, _DENIAL, entry.id)
    body = {
        "type": one.type,
        "key": key,
        "value": dict(one.value),
        "text": one.text,
        "rule": one.rule,
        "message": one.message,
        "message_id": judged.message_id,
        "raw_refs": [span.to_dict() for span in judged.raw_refs],
        "turn": origin.turn_id,
        "session": origin.session_id,
        "at": [to_micros(origin.said_at), utc_offset_seconds(origin.said_at)],
    }
    noted = one.rule if one.rule == ENDED else one.type
    working.put_state(
        StateEntry(
            owner=_TENANT,
            kind=_DENIAL,
            id=f"{origin.turn_id} {noted} {canonical_json([key, body['value']])}",
            body=body,
            created_at=origin.now,
            updated_at=origin.now,
        )
    )


def denials_of(type_name: str, key: str, board: Board) -> list[Denial]:
    """Return the denials of a key that are kept, the earliest first."""
    kept = board.transaction.working.state(_TENANT, _DENIAL)
    about = (one for one in kept if (one.body["type"], one.body["key"]) == (type_name, key))
    return sorted(map(_denial, about), key=lambda one: one.at)


def denials_in(turn_id: str, board: Board) -> list[Denial]:
    """Return what a turn denies, as far as it is kept."""
    kept = board.transaction.working.state(_TENANT, _DENIAL)
    return [_denial(one) for one in kept if one.body["turn"] == turn_id]


def drop_denials(turn_id: str, rules: Collection[str], board: Board) -> None:
    """Keep no longer what a turn denies by some rules."""
    working = board.transaction.working
    for one in working.state(_TENANT, _DENIAL):
        if one.body["turn"] == turn_id and one.body["rule"] in rules:
            working.drop_state(_TENANT, _DENIAL, one.id)


def denied_later(types: Collection[str], board: Board) -> list[Denial]:
    """Return what of some types was denied after what is said here."""
    kept = board.transaction.working.state(_TENANT, _DENIAL)
    at = to_micros(board.origin.said_at)
    return [_denial(one) for one in kept if one.body["type"] in types and one.body["at"][0] > at]


def is_denied_later(type_name: str, key: str, board: Board) -> bool:
    """Tell whether something of a key was denied after what is said here.

    Nothing is said after what is said right now.
    """
    at = board.origin.said_at
    if at >= board.origin.now:
        return False
    return any(one.at > at for one in denials_of(type_name, key, board))


def _denial(entry: StateEntry) -> Denial:
    """Read a denial."""
    body = entry.body
    candidate = Candidate(
        type=body["type"],
        value=body["value"],
        text=body["text"],
        rule=body["rule"],
        action=CandidateAction.RETRACT,
        message=body["message"],
    )
    refs = tuple(Span.from_dict(span) for span in body["raw_refs"])
    return Denial(
        Judged(candidate=candidate, key=body["key"], message_id=body["message_id"], raw_refs=refs),
        Origin(
            turn_id=body["turn"],
            session_id=body["session"],
            said_at=from_micros(*body["at"]),
            now=entry.created_at,
        ),
    )
