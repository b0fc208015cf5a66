"""Deeds that are remembered, for histories arrive in any order, and so do the aims they reach (C4).

In: what somebody tells in passing as done. Out: the same, with its own time and the turn that it is
of, when a task or a goal arrives that was told before it. Of the turns that tell some the latest
few hundred are kept, under ids that go by their times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.job import StateEntry
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.remember.board import Board
from smartbrain.remember.closing import AIMS, aims_of, could_end, fits, is_deed
from smartbrain.remember.episode import episode_of
from smartbrain.remember.gate import Judged
from smartbrain.remember.origin import Origin
from smartbrain.remember.sayings import Saying

if TYPE_CHECKING:
    from datetime import datetime

_TENANT: Final = "tenant"
_DEED: Final = "deed"
_MOST: Final = 200
_OF_A_STEP: Final = 20  # deeds that are kept of one step; a text that tells more is no talk
_SWEPT: Final = 32  # one of so many turns takes away what is too old
_FIRST: Final = 1 << 60  # so that times before 1970 are in order too


def keep_deeds(deeds: Sequence[Judged], board: Board) -> None:
    """Keep what a step tells as done for aims that arrive later; one row for all of it."""
    deeds = [one for one in deeds if could_end(one.candidate)][:_OF_A_STEP]
    origin = board.origin
    if not deeds or origin.turn_id is None:
        return
    body = {
        "turn": origin.turn_id,
        "session": origin.session_id,
        "at": [to_micros(origin.said_at), utc_offset_seconds(origin.said_at)],
        "deeds": [_body(one) for one in deeds],
    }
    working = board.transaction.working
    working.put_state(
        StateEntry(
            owner=_TENANT,
            kind=_DEED,
            id=f"{_place(origin.said_at)} {origin.turn_id} {deeds[0].message_id}",
            body=body,
            created_at=origin.now,
            updated_at=origin.now,
        )
    )
    if crc32(origin.turn_id.encode()) % _SWEPT == 0:
        ids = sorted(one.id for one in working.state(_TENANT, _DEED))
        for one in ids[:-_MOST]:
            working.drop_state(_TENANT, _DEED, one)


def is_done_later(judged: Judged, board: Board) -> bool:
    """Tell whether a task or a goal was told as done after it is told here.

    Nothing is told after what is told right now.
    """
    one = judged.candidate
    aim = AIMS.get(one.type)
    if aim is None or one.action is CandidateAction.RETRACT:
        return False
    if board.origin.said_at >= board.origin.now:
        return False
    return any(fits(each.judged.candidate, aim, one.value) for each in _told_since(aim.type, board))


def deeds_among(
    sayings: Sequence[Saying], versions: Iterable[Memory], until: datetime | None, board: Board
) -> tuple[list[Saying], set[str]]:
    """Return the kept deeds that may end what sayings or versions tell, and all they may end.

    They are those up to a time; what they may end is told by its keys.
    """
    aim = AIMS.get(sayings[0].judged.candidate.type)
    if aim is None:
        return [], set()
    known = [one for one in sayings if is_deed(one.judged.candidate)]
    told = {_words(one) for one in known}
    values = [one.judged.candidate.value for one in sayings] + [one.value for one in versions]
    new = [
        one
        for one in _told_since(aim.type, board)
        if (until is None or one.origin.said_at < until)
        and _words(one) not in told
        and any(fits(one.judged.candidate, aim, value) for value in values)
    ]
    ended = {
        memory.key
        for memory in (aims_of(aim, board) if known or new else ())
        for one in (*known, *new)
        if fits(one.judged.candidate, aim, memory.value)
    }
    return new, ended


def _words(one: Saying) -> tuple[str | None, str]:
    """Return what tells a deed from others: its turn and its words."""
    return one.origin.turn_id, " ".join(one.judged.candidate.text.split())


def _place(at: datetime, later: int = 0) -> str:
    """Return a time, or one some microseconds later, as ids begin with it."""
    return f"{to_micros(at) + _FIRST + later:020}"


def _told_since(type_name: str, board: Board) -> list[Saying]:
    """Return the deeds that were told after what is said here, the earliest first."""
    after = _place(board.origin.said_at, later=1)
    kept = board.transaction.working.state(_TENANT, _DEED, after)
    newest = sorted(kept, key=lambda one: one.id)[-_MOST:]
    return [_saying(one, deed, type_name, board) for one in newest for deed in one.body["deeds"]]


def _body(deed: Judged) -> dict[str, Any]:
    """Return what is kept of a deed."""
    one = deed.candidate
    return {
        "text": one.text,
        "source": one.source.value,
        "confidence": one.confidence,
        "rule": one.rule,
        "message": one.message,
        "message_id": deed.message_id,
        "raw_refs": [span.to_dict() for span in deed.raw_refs],
    }


def _saying(entry: StateEntry, deed: dict[str, Any], type_name: str, board: Board) -> Saying:
    """Read a deed that is kept, as it is told of a type."""
    body = entry.body
    candidate = Candidate(
        type=type_name,
        text=deed["text"],
        rule=deed["rule"],
        source=Source(deed["source"]),
        confidence=deed["confidence"],
        message=deed["message"],
    )
    refs = tuple(Span.from_dict(span) for span in deed["raw_refs"])
    origin = Origin(
        turn_id=body["turn"],
        session_id=body["session"],
        said_at=from_micros(*body["at"]),
        now=entry.created_at,
    )
    episode = episode_of(board.types.get("episodes"), body["session"], body["turn"])
    judged = Judged(candidate=candidate, message_id=deed["message_id"], raw_refs=refs)
    return Saying(judged, origin, None, episode.id)
