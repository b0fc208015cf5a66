"""Versions of a memory on the board: making one, chaining it to its neighbours, burying a value.

In: a judged candidate, or a version. Out: versions and edges on the board. Which of them stands is
decided in `resolve`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.job import Tombstone
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.remember.gate import Judged
from smartbrain.remember.sameness import fingerprints
from smartbrain.text.keywords import keywords_of

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.board import Board

DECLARED: Final = "declared"
"""The tag of a version that the user asked to remember."""
CORRECTION: Final = "correction"
"""The tag of a version that was said in the place of a wrong one."""
REJECTED: Final = "rejected"
"""The kind of the tombstone of a value that the user has rejected."""
_IMPORTANCE: Final = {"profile": 0.8, "decisions": 0.8, "goals": 0.8, "tasks": 0.7}
_IMPORTANCE_ELSE: Final = 0.6
_TITLE: Final = 80
_LABELS: Final = 8  # keywords of what is known; an episode tells more, and has more


def make_version(judged: Judged, kind: MemoryType, board: Board, rules: Rules) -> Memory:
    """Return a candidate as the next version of its key."""
    one = judged.candidate
    sentence = " ".join(kind.sentence(one.value).split())
    text = " ".join(one.text.split())
    told = one.value["facts"] if kind.name == "profile" else ()
    if not text or any(str(fact["v"]) not in text for fact in told):
        text = sentence  # a profile also says what was told before
    title = titled(sentence or text)
    return board.make(
        kind.name,
        judged.key,
        title=title,
        text=text,
        value=one.value,
        keywords=labels_of(title, text, one.value),
        confidence=one.confidence,
        importance=_IMPORTANCE.get(kind.name, _IMPORTANCE_ELSE),
        tags=(DECLARED,) * one.declared + (CORRECTION,) * one.corrects,
        source_message_id=judged.message_id,
        raw_refs=judged.raw_refs,
        privacy=Privacy(judged.pii, Scope(rules.privacy.scope)),
        provenance=Provenance(one.source.value),
    )


def labels_of(title: str, text: str, value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keywords of a memory: those that it was given, else the words it is about.

    They are what a graph without a text index finds it by; how it is called says what a sentence
    may leave out.
    """
    given = value.get("keywords")
    if given and isinstance(given, list | tuple):
        return tuple(dict.fromkeys(map(str, given)))[:_LABELS]
    found = keywords_of(text, _LABELS)
    if title != text and len(found) < _LABELS:
        found = tuple(dict.fromkeys((*found, *keywords_of(title, _LABELS))))[:_LABELS]
    return found


def titled(text: str) -> str:
    """Return a text cut to the length of a title."""
    return text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…"


def chain(new: Memory, board: Board) -> None:
    """Tie a version to the one before it in time and to the one after, and end what it ends."""
    earlier, later = board.beside(new)
    if earlier:
        if earlier.status is not Status.ACTIVE and earlier.status is not Status.RETRACTED:
            board.put(earlier, valid_until=new.said_at)
        board.link(earlier.id, EdgeType.VERSION_NEXT, new.id)
    if later:
        if new.status not in (Status.ACTIVE, Status.RETRACTED) and new.valid_until is None:
            board.put(new, valid_until=later.said_at)
        board.link(new.id, EdgeType.VERSION_NEXT, later.id)
    if earlier and later:
        board.cut(earlier.id, EdgeType.VERSION_NEXT, later.id)


def bury(memory: Memory, reason: str, board: Board, *, stands: Memory | None = None) -> None:
    """Leave a mark that a value was rejected, except for what stands on in another version."""
    kind = board.types.get(memory.type)
    kept = fingerprints(kind, stands.key, stands.value) if stands else []
    for mark in fingerprints(kind, memory.key, memory.value):
        if mark in kept:
            continue
        tombstone = Tombstone(
            kind=REJECTED,
            fingerprint=mark,
            subject_id=memory.id,
            reason=reason[:200],
            created_at=board.origin.now,
        )
        if board.apart:
            board.rejected[mark] = tombstone
        else:
            board.transaction.ledger.add_tombstone(tombstone)


def was_rejected(kind: MemoryType, key: str, value: Mapping[str, Any], board: Board) -> bool:
    """Tell whether the user has rejected a value, or a fact of it."""
    marks = fingerprints(kind, key, value)
    if board.apart:
        return any(mark in board.rejected for mark in marks)
    return any(board.transaction.ledger.tombstone(REJECTED, mark) for mark in marks)


def said_by(candidate: Candidate) -> str:
    """Say in a sentence why a candidate was kept."""
    who = {"user": "the user", "assistant": "the assistant", "tool": "a tool"}
    by = "the user confirmed it" if candidate.confirmed else None
    by = by or ("the user asked to remember it" if candidate.declared else None)
    return by or f"{who.get(candidate.source.value, 'an agent')} said so"
