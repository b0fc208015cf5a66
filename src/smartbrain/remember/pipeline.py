"""The write path, stage by stage: a commit becomes a durable turn with its episode (E1, E4, E5).

Original text is cut and its files are written first; then one transaction places the turn, holds
the originals, appends the events, writes the episode and keeps the reply. Either all of it is
there afterwards, or nothing is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from smartbrain.domain.memory import Memory
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import CommitExplain, CommitResult, Retention, RetentionAction
from smartbrain.domain.turn import CommitRequest, Turn
from smartbrain.remember.artifact import summarise_call
from smartbrain.remember.episode import remember_episode
from smartbrain.remember.originals import cut, hold, write_files
from smartbrain.remember.record import (
    append_turn,
    body_hash,
    draft_turn,
    earlier_reply,
    skip_stored,
    stored_turn,
    turn_keeps,
)

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports


@dataclass(frozen=True, slots=True)
class WriteRules:
    """What the write path decides by, and the hash of it that every event keeps."""

    rules: Rules
    hash: str


def commit_turn(
    request: CommitRequest, ignored: tuple[Reason, ...], *, ports: Ports, rules: WriteRules
) -> CommitResult:
    """Store one turn, or one more step of it, and say what became of it.

    Raises:
        NotFound: `turn_id` names no turn.
        Conflict: the idempotency key was used with another body.
        AdapterError: the storage failed; nothing was written.
    """
    draft = draft_turn(request, ports=ports, rules_hash=rules.hash)
    originals = cut(draft, blobs=ports.blobs, rules=rules.rules.raw)
    originals = write_files(originals, truth=ports.truth, blobs=ports.blobs)
    hashed = body_hash(request)
    with ports.truth.write() as transaction:
        reply = earlier_reply(request, hashed, transaction=transaction)
        if reply is not None:
            return reply
        stored = stored_turn(request, transaction=transaction, ports=ports)
        ignored += turn_keeps(request, stored)
        fresh, known = skip_stored(draft, originals.turn, stored)
        if stored is not None:
            originals = cut(fresh, blobs=ports.blobs, rules=rules.rules.raw)
        hold(originals, transaction=transaction, blobs=ports.blobs)
        recorded = append_turn(fresh, originals.turn, stored, transaction=transaction)
        longest = rules.rules.policies.consolidation.episode_max_chars
        episode = remember_episode(recorded, ports=ports, transaction=transaction, longest=longest)
        result = _result(fresh, episode, ignored + known, rules=rules.rules)
        if request.idempotency_key is not None:
            transaction.ledger.keep_reply(
                request.idempotency_key, hashed, result.to_dict(), ports.clock()
            )
    return result


def _result(
    turn: Turn, episode: Memory, ignored: tuple[Reason, ...], *, rules: Rules
) -> CommitResult:
    """Say what was stored: the episode, the outcome of each tool call, what waits or was odd."""
    retention = [
        Retention(
            type=episode.type,
            key=episode.key,
            action=RetentionAction.WRITTEN,
            code="episode",
            reason="every turn leaves one episode that leads back to its original text",
        )
    ]
    retention += [
        Retention(
            type=name,
            key=str(proposal.get("key", "")),
            action=RetentionAction.DEFERRED,
            code="kept_with_turn",
            reason="the proposal is stored with the turn; extraction rules decide on it",
        )
        for name, proposals in turn.proposals.items()
        for proposal in proposals
    ]
    return CommitResult(
        turn_id=turn.id,
        artifacts=tuple(summarise_call(call, rules.artifacts) for call in turn.tool_calls),
        explain=CommitExplain(retention=tuple(retention), ignored=ignored),
    )
