"""The write path, stage by stage: a commit becomes a durable turn and what is remembered of it.

Original text is cut and its files are written first; then one transaction records the turn, reads
what it says, claims and folds it, links it into the graph, renews the summary and keeps the
reply. Either all of it is there afterwards, or nothing is. Follow `remember` to follow a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from smartbrain.domain.memory import Memory
from smartbrain.domain.reason import Reason
from smartbrain.domain.replay import Stage
from smartbrain.domain.result import (
    ArtifactSummary,
    CommitExplain,
    CommitResult,
    MemoryWritten,
    Retention,
    RetentionAction,
    WrittenMemory,
)
from smartbrain.domain.shown import NOTHING_SHOWN, Shown
from smartbrain.domain.turn import CommitRequest, LastTurn, Message, Role, Turn
from smartbrain.govern.insights import suppose
from smartbrain.govern.quotas import check_artifacts, check_usage
from smartbrain.govern.sessions import with_texts
from smartbrain.govern.turn_state import Happened, keep_state, spoken
from smartbrain.remember.artifact import summarise_call
from smartbrain.remember.before import said_before
from smartbrain.remember.claims import Origin as ClaimOrigin
from smartbrain.remember.delegate import ask_agents
from smartbrain.remember.echoes import with_echoes
from smartbrain.remember.entity_gate import part_again
from smartbrain.remember.episode import remember_episode
from smartbrain.remember.extract.corrections_instead import each_apart
from smartbrain.remember.gate import gate
from smartbrain.remember.groups import claim_and_fold
from smartbrain.remember.heard import hear
from smartbrain.remember.link import link_names, link_topics
from smartbrain.remember.link_statements import link_statements
from smartbrain.remember.off_record import is_kept_off_record, take_off_record
from smartbrain.remember.origin import Origin
from smartbrain.remember.originals import Originals, cut, hold, write_files
from smartbrain.remember.privacy import protect
from smartbrain.remember.quotes import quoted
from smartbrain.remember.reader.statements import claim_statements, trained_ontology
from smartbrain.remember.record import (
    Recorded,
    append_turn,
    body_hash,
    controls_in,
    draft_turn,
    earlier_reply,
    is_open,
    joined,
    skip_stored,
    step_of,
    stored_turn,
    turn_keeps,
)
from smartbrain.remember.refer import link_referred
from smartbrain.remember.remarks import find_remarks, needs_previous
from smartbrain.remember.reread import reread_next_turn
from smartbrain.remember.retained import episode_kept, left_out, nothing_made
from smartbrain.remember.review import ask_for_review
from smartbrain.remember.speakers import by_speaker
from smartbrain.remember.summarise import summarise
from smartbrain.remember.withheld import keep_withheld, withheld_in
from smartbrain.remember.write_set import WriteSet

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.withheld import Difference
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.extract.turn import Read
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.rules import WriteRules
    from smartbrain.remember.version_rows import FoldOutcome

Given = tuple[CommitRequest, tuple[Reason, ...]]
"""A request, and a reason for everything in it that was not understood."""


def commit_turn(
    request: CommitRequest, ignored: tuple[Reason, ...], *, ports: Ports, rules: WriteRules
) -> CommitResult:
    """Store one turn, or one more step of it, and say what became of it.

    Raises:
        NotFound: `turn_id` names no turn.
        Conflict: the idempotency key was used with another body.
    """
    return commit_turns([(request, ignored)], ports=ports, rules=rules)[0]


def commit_turns(
    given: Iterable[Given], *, ports: Ports, rules: WriteRules, shown: Shown | None = NOTHING_SHOWN
) -> list[CommitResult]:
    """Store turns in one transaction, as `commit_turn` would one after the other.

    Args:
        given: the turns.
        ports: where they are stored.
        rules: what decides about them.
        shown: what the context of their answers showed; None if only its trace tells.

    Raises:
        NotFound: a `turn_id` names no turn.
        Conflict: an idempotency key was used with another body, or a quota is used up.
    """
    known = shown or NOTHING_SHOWN
    drafts = [_drafted(request, ignored, ports, rules, known) for request, ignored in given]
    with ports.truth.write() as transaction:
        if shown is None:
            drafts = [_traced(draft, transaction) for draft in drafts]
        return [_committed(draft, transaction, ports=ports, rules=rules) for draft in drafts]


def record_turns(
    requests: Iterable[CommitRequest], *, ports: Ports, rules: WriteRules, transaction: Transaction
) -> list[Turn]:
    """Store new turns as events alone; `remember_turn` makes memories of them later."""
    drafts = [_drafted(request, (), ports, rules) for request in requests]
    recorded = [_recorded(draft, transaction, ports=ports, rules=rules)[0] for draft in drafts]
    for one in recorded:
        transaction.replayed.add_step(step_of(one, Stage.RECORD))
    return [one.spans for one in recorded]


def remember_turn(
    turn: Turn, *, transaction: Transaction, ports: Ports, rules: Rules
) -> CommitResult:
    """Make memories of a turn that is stored as events alone."""
    (said,) = with_texts([turn], transaction=transaction, blobs=ports.blobs)
    before = transaction.events.turns(turn.session_id, after=turn.seq - 2, limit=1)[0]
    follows = before.seq < turn.seq
    previous = LastTurn(before.seq, before.id, before.at, before.at) if follows else None
    recorded = Recorded(said, turn, previous=previous)
    transaction.replayed.add_step(step_of(recorded, Stage.REMEMBER))
    return remember(recorded, (), transaction=transaction, ports=ports, rules=rules)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A request whose texts are cut, and whose files are written."""

    request: CommitRequest
    hashed: str
    ignored: tuple[Reason, ...]
    turn: Turn
    originals: Originals
    withheld: Mapping[str, Difference]


def _drafted(
    request: CommitRequest,
    ignored: tuple[Reason, ...],
    ports: Ports,
    rules: WriteRules,
    shown: Shown = NOTHING_SHOWN,
) -> _Draft:
    hashed, given = body_hash(request), request.events
    request = protect(request, rules=rules.rules.privacy)
    turn = with_echoes(draft_turn(request, ports=ports, rules_hash=rules.hash), shown)
    originals = cut(turn, blobs=ports.blobs, rules=rules.rules.raw)
    originals = write_files(originals, truth=ports.truth, blobs=ports.blobs)
    withheld = withheld_in(given, turn, rules=rules.rules.privacy)
    return _Draft(request, hashed, ignored, turn, originals, withheld)


def _traced(draft: _Draft, transaction: Transaction) -> _Draft:
    """Return a draft that names the sentences which the trace of its context says were shown."""
    asked = draft.request.session_id, draft.request.context_id
    turn = with_echoes(draft.turn, Shown(marks=transaction.composed.sentences(*asked)))
    if turn is draft.turn:
        return draft
    cut = draft.originals.turn
    pairs = zip(cut.messages, turn.messages, strict=True)
    cut = replace(cut, messages=tuple(replace(one, meta=said.meta) for one, said in pairs))
    return replace(draft, turn=turn, originals=replace(draft.originals, turn=cut))


def _committed(
    draft: _Draft, transaction: Transaction, *, ports: Ports, rules: WriteRules
) -> CommitResult:
    """Record one turn and remember what it says."""
    request = draft.request
    reply = earlier_reply(request, draft.hashed, transaction=transaction)
    if reply is not None:
        return reply
    recorded, ignored = _recorded(draft, transaction, ports=ports, rules=rules)
    transaction.replayed.add_step(step_of(recorded))
    result = remember(recorded, ignored, transaction=transaction, ports=ports, rules=rules.rules)
    if request.idempotency_key is not None:
        transaction.ledger.keep_reply(request.idempotency_key, draft.hashed, result, ports.clock())
    return result


def _recorded(
    draft: _Draft, transaction: Transaction, *, ports: Ports, rules: WriteRules
) -> tuple[Recorded, tuple[Reason, ...]]:
    """Append a turn, or a step of one, to the events."""
    stored = stored_turn(draft.request, transaction=transaction, ports=ports)
    ignored = draft.ignored + turn_keeps(draft.request, stored)
    fresh, known = skip_stored(draft.turn, draft.originals.turn, stored)
    begun = {call.id for call in stored.tool_calls} if stored else set()
    new = sum(call.id not in begun for call in fresh.tool_calls)
    check_artifacts(new, transaction=transaction, rules=rules.rules.quotas)
    originals = draft.originals
    if stored is not None:
        originals = cut(fresh, blobs=ports.blobs, rules=rules.rules.raw)
    hold(originals, transaction=transaction, blobs=ports.blobs)
    recorded = append_turn(fresh, originals.turn, stored, transaction=transaction)
    keep_withheld(draft.withheld, draft.turn, fresh, transaction=transaction)
    return recorded, ignored + known + controls_in(fresh)


def remember(
    recorded: Recorded,
    ignored: tuple[Reason, ...],
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
) -> CommitResult:
    """Make memories of what was recorded: read, gate, claim, fold, link, summarise."""
    step = recorded.said
    before = partial(said_before, recorded, transaction=transaction, ports=ports)
    writes = WriteSet(transaction, ports.types, _origin(step), rules.policies.linking.edge_weight)
    hidden = is_kept_off_record(recorded, writes=writes)
    said = spoken(step, rules=rules)
    trained = trained_ontology(rules)
    read, told, names, about = hear(
        step, said, before, types=ports.types, off_record=hidden, trained=trained
    )
    episode = remember_episode(recorded, about, writes=writes, rules=rules)
    own = by_speaker(each_apart(read.candidates), recorded, transaction=transaction)
    supposed, stated = suppose(own, step, transaction=transaction, types=ports.types, rules=rules)
    remarks = find_remarks(read, before() if needs_previous(read) else None)
    judged = gate([*stated, *remarks], types=ports.types, rules=rules)
    outcome = _claim(judged, read, recorded, writes=writes, rules=rules)
    outcome.retention += take_off_record(recorded, read, writes=writes)
    memories = [writes.get(one) for one in (*outcome.written, *outcome.repeated)]
    entities = link_names(names, episode, writes=writes, memories=memories, rules=rules)
    entities += link_referred(read.said, episode, writes=writes)
    entities += part_again(recorded, names.by_key, writes=writes, rules=rules)
    memories += link_statements(told, recorded, names, writes=writes, rules=rules)
    link_topics(episode, about.keywords, names, writes=writes, memories=memories)
    writes.write()
    ask_for_review(outcome.to_review, writes=writes)
    changed = [one for one in writes.written() if one.id != episode.id]
    changed += reread_next_turn(recorded, transaction=transaction, ports=ports, rules=rules)
    summary = summarise(recorded, changed, ports=ports, transaction=transaction, rules=rules)
    if not read.off_record:
        ask_agents(step, [episode, *changed], summary, transaction=transaction, rules=rules)
    artifacts = [summarise_call(call, rules.artifacts) for call in step.tool_calls]
    commands = keep_state(_happened(recorded, artifacts, changed), rows=transaction, rules=rules)
    explain = CommitExplain(
        retention=(
            episode_kept(episode, recorded),
            *outcome.retention,
            *supposed,
            *entities,
            *left_out(names, read, told),
            *commands,
            *nothing_made(read, outcome.reached, names, entities),
        ),
        conflicts=tuple(outcome.conflicts),
        summary=summary.to_dict() if summary.updated else {},
        ignored=ignored,
    )
    transaction.remembering.keep_explanation(step.id, explain, step.created_at)
    check_usage(transaction=transaction, rules=rules.quotas)
    written = dict.fromkeys((*outcome.written, *_promoted(entities, writes)))
    reply = CommitResult(turn_id=step.id, artifacts=tuple(artifacts), summary=summary)
    return replace(reply, memory_written=_items(written, writes), explain=explain)


def _claim(
    judged: Sequence[Judged], read: Read, recorded: Recorded, *, writes: WriteSet, rules: Rules
) -> FoldOutcome:
    """Fold the claims of what passed the gate, and of what the trained reader found."""
    origin = _claim_origin(recorded, off_record=read.off_record)
    found, unclaimed = claim_statements(
        read.statements,
        recorded,
        origin,
        transaction=writes.transaction,
        types=writes.types,
        rules=rules,
    )
    words = [quoted(one, recorded) for one in judged]
    outcome = claim_and_fold(words, origin, also=found, writes=writes, rules=rules)
    outcome.retention += unclaimed
    return outcome


def _origin(step: Turn) -> Origin:
    """Return where the memories of a step come from."""
    return Origin(turn_id=step.id, session_id=step.session_id, said_at=step.at, now=step.created_at)


def _claim_origin(recorded: Recorded, *, off_record: bool) -> ClaimOrigin:
    """Return where the claims of a step come from."""
    step, stored, previous = recorded.said, recorded.stored, recorded.previous
    return ClaimOrigin(
        turn_id=step.id,
        session_id=step.session_id,
        place=stored.seq if stored else (previous.seq if previous else 0) + 1,
        first_message=len(stored.messages) if stored else 0,
        said_at=step.at,
        off_record=off_record,
    )


def _happened(
    recorded: Recorded, artifacts: Sequence[ArtifactSummary], changed: Sequence[Memory]
) -> Happened:
    """Return what matters of a step to what is governed."""
    step, stored, previous = recorded.said, recorded.stored, recorded.previous
    whole = joined(stored, step)
    open_calls = {call.id for call in whole.tool_calls if is_open(call)}
    last = whole.messages[-1] if whole.messages else None
    return Happened(
        step=step,
        place=stored.seq if stored else (previous.seq if previous else 0) + 1,
        finished=[one for one in artifacts if one.id not in open_calls],
        changed=changed,
        begun=stored is None and previous is None,
        ended=not open_calls and last is not None and _answers(last),
    )


def _answers(message: Message) -> bool:
    """Tell whether the assistant speaks in a message and asks for no tool in it."""
    return message.role is Role.ASSISTANT and not message.meta.get("tool_calls")


def _promoted(entities: Sequence[Retention], writes: WriteSet) -> list[str]:
    """Return the ids of the entities that have become memories."""
    keys = [one.key for one in entities if one.action is RetentionAction.WRITTEN]
    found = [writes.standing("entities", key) for key in keys]
    return [memory.id for memory in found if memory is not None]


def _items(ids: Iterable[str], writes: WriteSet) -> MemoryWritten:
    return MemoryWritten(items=tuple(_written(writes.get(one)) for one in ids))


def _written(memory: Memory) -> WrittenMemory:
    return WrittenMemory(
        id=memory.id,
        type=memory.type,
        key=memory.key,
        status=memory.status,
        confidence=memory.confidence,
    )
