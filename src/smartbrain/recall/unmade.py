"""What was handed over and no memory that answers was made of: it waits, or it was refused (S1).

In: words that somebody expected. Out: memories that wait to be confirmed, a proposal that the gate
refused, an ingested text that is no graph yet. No index holds these; what came last is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.job import INGESTED
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.recall.said import body_of, decisions_of, flat, holds, only_tells

if TYPE_CHECKING:
    from smartbrain.domain.turn import RawChunk
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

_EPISODES: Final = "episodes"
_TENANT: Final = "tenant"
_LATELY: Final = 200  # turns, and memories of a type, that are looked at


def waiting(transaction: Transaction, types: TypeRegistry) -> list[str]:
    """Return the ids of what was noted lately and waits, such as an insight of a run."""
    return [
        one.id
        for kind in types
        if not only_tells(kind.name, types)
        for one in transaction.remembering.newest(kind.name, limit=_LATELY)
        if one.status is Status.CANDIDATE
    ]


def refused_key(
    key: str, transaction: Transaction, types: TypeRegistry
) -> tuple[Retention, Memory] | None:
    """Return how a key that was proposed lately was refused, and the episode of its turn."""
    found = _refused(transaction, types)
    return next(((kept, told) for kept, told in found if kept.key == key), None)


def refused_words(
    words: str, transaction: Transaction, types: TypeRegistry
) -> tuple[Retention, Memory] | None:
    """Return how what was proposed lately in some words was refused, and the episode of its turn.

    Nobody said a proposal: its words are in the turn's own record of it alone.
    """
    for kept, told in _refused(transaction, types):
        if kept.key and told.source_turn_id:
            given = transaction.events.turn(told.source_turn_id).proposals.get(kept.type, ())
            if any(_is(one, kept.key) and holds(words, _said(one)) for one in given):
                return kept, told
    return None


def ingested(
    words: str, raw_ids: Sequence[str], transaction: Transaction, blobs: Blobs
) -> RawChunk | None:
    """Return an ingested text that holds some words and waits to be made a graph."""
    sessions = {one.body.get("session") for one in transaction.working.state(_TENANT, INGESTED)}
    if not sessions or not raw_ids:
        return None
    held_by = transaction.raw.turns_with(raw_ids)
    chunks = transaction.raw.get(raw_ids)
    for name in raw_ids:
        if any(session in sessions for session, _ in held_by.get(name, ())):
            text = body_of(chunks[name], blobs).decode("utf-8", "replace")
            if holds(words, text):
                return chunks[name]
    return None


def _refused(transaction: Transaction, types: TypeRegistry) -> Iterator[tuple[Retention, Memory]]:
    """Yield what the gate refused lately, the last turn first."""
    for told in transaction.remembering.newest(_EPISODES, limit=_LATELY):
        source = told.source_turn_id or told.source_operation_id
        for step in decisions_of(source, transaction) if source else ():
            for kept in step.retention:
                if kept.action is RetentionAction.REFUSED and not only_tells(kept.type, types):
                    yield kept, told


def _is(proposal: Any, key: str) -> bool:
    """Tell whether a proposal is the one of a key; one without a key of its own may be."""
    return isinstance(proposal, Mapping) and proposal.get("key", key) == key


def _said(proposal: Mapping[str, Any]) -> str:
    """Return the words of a proposal, those of its key as well."""
    return f"{flat(proposal)} {str(proposal.get('key', '')).replace(':', ' ')}"
