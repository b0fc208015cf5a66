"""Making stored versions match what came of all that was said, told in order (M4).

In: the versions that came out on a board of their own, and which sayings each of them holds. Out:
the versions of the keys on the real board: a stored one goes on as the version that holds the turn
it came from, what is new is added, and the edges between versions and turns follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.remember.link import link_named
from smartbrain.remember.sayings import Saying, cut_saying, link_saying

if TYPE_CHECKING:
    from smartbrain.domain.result import ConflictOutcome
    from smartbrain.remember.board import Board
    from smartbrain.remember.outcome import Outcome

_OF_VERSIONS: Final = frozenset(
    (EdgeType.VERSION_NEXT, EdgeType.ACTIVE_OF, EdgeType.CONTRADICTS, EdgeType.DERIVED_FROM)
)
_RENEWED: Final = (
    ("key", "value", "confidence", "status", "valid_since", "valid_until")
    + ("said_at", "tags", "frequency")
)  # fmt: skip
_PUT_AWAY: Final = (Status.EXPIRED, Status.DEPRECATED)


@dataclass(slots=True)
class Tried:
    """What came of sayings on a board of their own: the versions, and which sayings each holds."""

    board: Board
    held: dict[str, list[Saying]] = field(default_factory=dict)
    disputed: list[tuple[str, str]] = field(default_factory=list)
    idle: list[Saying] = field(default_factory=list)
    """What holds no version: deeds that end nothing, and what is unsaid."""
    beside: set[str] = field(default_factory=set)
    """Keys that something came out under though no stretch of them was opened."""
    same: bool = True
    """Whether all that was said after them comes out as it was."""


@dataclass(slots=True)
class Settled:
    """The versions on the real board by their ids on the other one, and which of them are new."""

    made: dict[str, Memory] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)

    def disputes(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the pairs of which one is new and the other one is disputed, by real ids."""
        found = [(self.made[one], self.made[other]) for one, other in pairs]
        return [
            (winner.id, loser.id)
            for winner, loser in found
            if loser.status is Status.DISPUTED and {winner.id, loser.id} & self.new
        ]

    def conflicts(self, told: Iterable[ConflictOutcome]) -> list[ConflictOutcome]:
        """Return conflicts by real ids."""
        return [
            replace(
                one,
                active_id=self.made[one.active_id].id if one.active_id in self.made else None,
                other_id=self.made[one.other_id].id,
                other_status=self.made[one.other_id].status,
            )
            for one in told
            if one.other_id in self.made
        ]


def settle(tried: Tried, type_name: str, *, board: Board, outcome: Outcome) -> Settled:
    """Make the versions of keys on a board match those that were tried out."""
    keys = tried.board.keys()
    before = {key: board.history(type_name, key) for key in keys}
    after = {key: tried.board.history(type_name, key) for key in keys}
    stored = {one.id: one for versions in before.values() for one in versions}
    begun = {one.row.id for one in tried.idle if one.row is not None and one.begins}
    rows = _rows([one for told in after.values() for one in told], stored, tried.held, begun)
    settled, last = Settled(), {key: board.last_number(type_name, key) for key in keys}
    for key, versions in after.items():
        for version in versions:
            row = rows.get(version.id)
            number = last[key] = last[key] + (row is None or row.key != key)
            told = _aged(version, row, tried.held.get(version.id, ()))
            settled.made[version.id] = _put(told, row, number, board)
            if row is None:
                settled.new.add(settled.made[version.id].id)
    kept = {one.id for one in settled.made.values()}
    for one in (row for versions in before.values() for row in versions if row.id not in kept):
        board.drop(one)
    for key, versions in after.items():
        now = [settled.made[one.id] for one in versions]
        board.arrange(type_name, key, now)
        board.lead(type_name, key)
        _tie_in_order(before[key], now, board)
    _relink(tried, settled, board, outcome)
    if board.types.get(type_name).on_conflict is ConflictClass.PRIORITY:
        _contradict(tried, settled, board)
    for mark in tried.board.rejected.values():
        if mark.subject_id in settled.made:
            subject = settled.made[mark.subject_id].id
            board.transaction.ledger.add_tombstone(replace(mark, subject_id=subject))
    return settled


def _rows(
    versions: Sequence[Memory],
    stored: Mapping[str, Memory],
    held: Mapping[str, list[Saying]],
    unsaid: Set[str],
) -> dict[str, Memory]:
    """Return the stored version that each one goes on as: the one its sayings began, or were of.

    One that came from what is unsaid goes on as none.
    """
    found = {one.id: stored[one.id] for one in versions if one.id in stored}
    taken = {*found, *unsaid}
    for begins in (True, False):
        for version in versions:
            rows = [one.row for one in held.get(version.id, ()) if one.begins or not begins]
            free = (row for row in rows if row is not None and row.id not in taken)
            row = next(free, None) if version.id not in found else None
            if row is not None:
                found[version.id] = row
                taken.add(row.id)
    return found


def _aged(version: Memory, row: Memory | None, sayings: Sequence[Saying]) -> Memory:
    """Return a version that would stand as put away, if what was said last of it was."""
    last = sayings[-1].row if sayings else row
    if version.status is not Status.ACTIVE or last is None or last.status is not Status.ARCHIVED:
        return version
    return replace(version, status=Status.ARCHIVED)


def _put(version: Memory, row: Memory | None, number: int, board: Board) -> Memory:
    """Put a version on the board, as a new one or as a stored one goes on; return it."""
    if row is None:
        return board.put(replace(version, id=_free_id(version, board), version=number))
    changes: dict[str, Any] = {name: getattr(version, name) for name in _RENEWED}
    if row.status in _PUT_AWAY:
        changes |= {"status": row.status, "valid_until": row.valid_until}
    if row.value != version.value:
        told = ("title", "text", "keywords")
        changes |= {name: getattr(version, name) for name in told}
    if row.key != version.key:
        changes["version"] = number
    changes = {name: new for name, new in changes.items() if getattr(row, name) != new}
    return board.put(row, **changes) if changes else row


def _free_id(version: Memory, board: Board) -> str:
    """Return an id for a new version that no other one has, not even under another key."""
    source, number = version.source_turn_id or version.source_operation_id or "", 1
    while True:
        one = memory_id(source, version.type, version.key, number)
        if not board.has(one) and not board.transaction.memories.get([one]):
            return one
        number += 1


def _tie_in_order(before: Sequence[Memory], now: Sequence[Memory], board: Board) -> None:
    """Tie the versions of a key in their order."""
    was = {(one.id, other.id) for one, other in pairwise(before)}
    ties = {(one.id, other.id) for one, other in pairwise(now)}
    for src, dst in sorted(was - ties):
        board.cut(src, EdgeType.VERSION_NEXT, dst)
    for src, dst in sorted(ties - was):
        board.link(src, EdgeType.VERSION_NEXT, dst)


def _contradict(tried: Tried, settled: Settled, board: Board) -> None:
    """Let those facts contradict each other that met when all was told in order, and no others."""
    met = {
        (settled.made[src].id, settled.made[dst].id): attrs
        for src, dst, attrs in tried.board.linked(EdgeType.CONTRADICTS)
    }
    versions = {one.id for one in settled.made.values()}
    known = {
        (edge.src, edge.dst)
        for one in sorted(versions - settled.new)
        for edge in board.edges_of(one, kind=EdgeType.CONTRADICTS)
        if edge.dst in versions
    }
    for src, dst in sorted(known - met.keys()):
        board.cut(src, EdgeType.CONTRADICTS, dst)
    for (src, dst), attrs in met.items():
        if (src, dst) not in known:
            board.link(src, EdgeType.CONTRADICTS, dst, attrs=attrs)


def _relink(tried: Tried, settled: Settled, board: Board, outcome: Outcome) -> None:
    """Let the edges between versions and turns follow the sayings to the versions they are of."""
    for deed in tried.idle:
        cut_saying(deed, board)
    for version, memory in settled.made.items():
        sayings = tried.held.get(version, ())
        for place, one in enumerate(sayings):
            new, was = memory.id in settled.new, one.row
            begins = place == 0 if new else one.begins and was is not None and was.id == memory.id
            if was and (was.id, was.key, one.begins) == (memory.id, memory.key, begins):
                continue
            if one.episode is None:
                _move(one, memory, begins, outcome)
                continue
            cut_saying(one, board)
            link_saying(one.judged, memory, one.episode, board, begins=begins)
            if was and was.id != memory.id and (begins or one.begins):
                _copy_edges(was, memory, board)
            elif was is None and begins:
                link_named([memory], one.episode, board)


def _move(one: Saying, memory: Memory, begins: bool, outcome: Outcome) -> None:
    """Let a saying of the commit itself be of the version that it is of now."""
    told = outcome.written if one.begins else outcome.repeated
    if one.row is not None and told.get(one.row.id) is one.judged:
        del told[one.row.id]
        (outcome.written if begins else outcome.repeated)[memory.id] = one.judged


def _copy_edges(row: Memory, memory: Memory, board: Board) -> None:
    """Let a version that was part of another, or has it in it now, lead to what that one does."""
    for edge in board.edges_of(row.id):
        if edge.type not in _OF_VERSIONS:
            sure, attrs = edge.confidence, edge.attrs
            board.link(memory.id, edge.type, edge.dst, edge.weight, confidence=sure, attrs=attrs)
