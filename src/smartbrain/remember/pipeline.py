"""The write path, stage by stage: a commit becomes a durable turn and what is remembered of it.

Original text is cut and its files are written first; then one transaction records the turn, reads
what it says, claims and folds it, links it into the graph, renews the summary and keeps the
reply. Either all of it is there afterwards, or nothing is. Follow `remember` to follow a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from msgspec import structs

from smartbrain.domain.audience import NOTHING_SHOWN, Shown
from smartbrain.domain.claim import Candidate
from smartbrain.domain.ids import derive
from smartbrain.domain.job import Job, WorkKind
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.replay import Stage
from smartbrain.domain.result import (
    ArtifactSummary,
    CommitResult,
    Retention,
    RetentionAction,
    SummaryUpdate,
)
from smartbrain.domain.statement import Statement
from smartbrain.domain.turn import CommitRequest, LastTurn, Role, Turn
from smartbrain.govern.insights import check_artifacts, check_usage, suppose
from smartbrain.govern.short_term import with_texts
from smartbrain.govern.turn_state import Happened, keep_state, spoken
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember import link, record
from smartbrain.remember.claims import ClaimOrigin
from smartbrain.remember.episode import remember_episode
from smartbrain.remember.forget.hide import without_forgotten
from smartbrain.remember.forget.said import forget_as_said, is_hiding
from smartbrain.remember.gate import judge_candidate, protect
from smartbrain.remember.groups import FoldOutcome, claim_and_fold
from smartbrain.remember.read_turn import (
    NOTHING_LASTING,
    TurnReading,
    hear,
    with_echoes,
)
from smartbrain.remember.reader.statements import claim_statements
from smartbrain.remember.reread import is_kept_off_record, reread_neighbours, take_off_record
from smartbrain.remember.summary import core_memory, summarise, summarise_call
from smartbrain.remember.write_rules import WriteRules, WriteTools
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.ontology import extend_ontology

Given = tuple[CommitRequest, tuple[Reason, ...]]
"""A request, and a reason for everything in it that was not understood."""


def commit_turns(
    given: Iterable[Given], *, ports: Ports, rules: WriteRules, shown: Shown | None = NOTHING_SHOWN
) -> list[CommitResult]:
    """Store turns, or steps of them, in one transaction, and say what became of each.

    `shown` is what the context of their answers showed; None if only its trace tells.

    Raises:
        NotFound: a `turn_id` names no turn.
        Conflict: an idempotency key was used with another body, or a quota is used up.
    """
    known = shown or NOTHING_SHOWN
    drafts = [_draft_request(request, ignored, ports, rules, known) for request, ignored in given]
    replies: list[CommitResult] = []
    changed: list[Memory] = []
    with ports.truth.write() as transaction:
        for draft in drafts:
            named = _name_shown(draft, transaction) if shown is None else draft
            reply, touched = _commit_draft(named, transaction, ports=ports, rules=rules)
            replies.append(reply)
            changed += touched
        if changed:  # once for all turns: what they say together is what is shown of them
            at = drafts[-1].turn.created_at
            core_memory(changed, at, transaction=transaction, rules=rules.rules)
    return replies


def record_turns(
    requests: Iterable[CommitRequest], *, ports: Ports, rules: WriteRules, transaction: Transaction
) -> list[Turn]:
    """Store new turns as events alone; `remember_turn` makes memories of them later."""
    drafts = [_draft_request(request, (), ports, rules) for request in requests]
    recorded = [_record_draft(draft, transaction, ports=ports, rules=rules)[0] for draft in drafts]
    for one in recorded:
        transaction.replayed.add_step(record.step_of(one, Stage.RECORD))
    return [one.spans for one in recorded]


def remember_turn(turn: Turn, tools: WriteTools) -> CommitResult:
    """Make memories of a turn that is stored as events alone."""
    transaction = tools.transaction
    (said,) = with_texts([turn], transaction=transaction, blobs=tools.ports.blobs)
    before = transaction.events.turns(turn.session_id, after=turn.seq - 2, limit=1)[0]
    follows = before.seq < turn.seq
    previous = LastTurn(before.seq, before.id, before.at, before.at) if follows else None
    recorded = record.Recorded(said, turn, previous=previous)
    transaction.replayed.add_step(record.step_of(recorded, Stage.REMEMBER))
    return remember(recorded, (), tools)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A request whose texts are record.cut, and whose files are written."""

    request: CommitRequest
    hashed: str
    ignored: tuple[Reason, ...]
    turn: Turn
    originals: record.Originals


def _draft_request(
    request: CommitRequest,
    ignored: tuple[Reason, ...],
    ports: Ports,
    rules: WriteRules,
    shown: Shown = NOTHING_SHOWN,
) -> _Draft:
    hashed = record.body_hash(request)
    request = protect(request, rules=rules.rules.privacy)
    request = without_forgotten(request, truth=ports.truth)
    turn = with_echoes(record.draft_turn(request, ports=ports, rules_hash=rules.hash), shown)
    originals = record.cut(turn, blobs=ports.blobs, rules=rules.rules.raw)
    originals = record.write_files(originals, truth=ports.truth, blobs=ports.blobs)
    return _Draft(request, hashed, ignored, turn, originals)


def _name_shown(draft: _Draft, transaction: Transaction) -> _Draft:
    """Return a draft that names the sentences which the trace of its context says were shown."""
    asked = draft.request.session_id, draft.request.context_id
    turn = with_echoes(draft.turn, Shown(marks=transaction.composed.sentences(*asked)))
    if turn is draft.turn:
        return draft
    chunked = draft.originals.turn
    pairs = zip(chunked.messages, turn.messages, strict=True)
    messages = tuple(structs.replace(one, meta=said.meta) for one, said in pairs)
    chunked = structs.replace(chunked, messages=messages)
    return replace(draft, turn=turn, originals=structs.replace(draft.originals, turn=chunked))


def _commit_draft(
    draft: _Draft, transaction: Transaction, *, ports: Ports, rules: WriteRules
) -> tuple[CommitResult, list[Memory]]:
    request = draft.request
    reply = record.earlier_reply(request, draft.hashed, transaction=transaction)
    if reply is not None:
        return reply, []
    recorded, ignored = _record_draft(draft, transaction, ports=ports, rules=rules)
    transaction.replayed.add_step(record.step_of(recorded))
    tools = WriteTools(transaction, ports, rules.rules)
    result, changed = _remember_step(recorded, ignored, tools)
    if request.idempotency_key is not None:
        transaction.ledger.keep_reply(request.idempotency_key, draft.hashed, result, ports.clock())
    return result, changed


def _record_draft(
    draft: _Draft, transaction: Transaction, *, ports: Ports, rules: WriteRules
) -> tuple[record.Recorded, tuple[Reason, ...]]:
    stored = record.stored_turn(draft.request, transaction=transaction, ports=ports)
    fresh, known = record.skip_stored(draft.turn, draft.originals.turn, stored)
    begun = {call.id for call in stored.tool_calls} if stored else set()
    new = sum(call.id not in begun for call in fresh.tool_calls)
    check_artifacts(new, transaction=transaction, rules=rules.rules.quotas)
    originals = draft.originals
    if stored is not None:
        originals = record.cut(fresh, blobs=ports.blobs, rules=rules.rules.raw)
    record.hold(originals, transaction=transaction, blobs=ports.blobs)
    recorded = record.append_turn(fresh, originals.turn, stored, transaction=transaction)
    return recorded, draft.ignored + known + record.controls_in(fresh)


def remember(
    recorded: record.Recorded, ignored: tuple[Reason, ...], tools: WriteTools
) -> CommitResult:
    """Make memories of what was recorded, and bring the core memory up to them."""
    reply, changed = _remember_step(recorded, ignored, tools)
    at = recorded.said.created_at
    core_memory(changed, at, transaction=tools.transaction, rules=tools.rules)
    return reply


def _remember_step(
    recorded: record.Recorded, ignored: tuple[Reason, ...], tools: WriteTools
) -> tuple[CommitResult, list[Memory]]:
    """Read, gate, claim, fold, link, summarise; return the reply and the memories that changed."""
    step = recorded.said
    transaction, ports, rules = tools.transaction, tools.ports, tools.rules
    previous = record.said_before(recorded, transaction=transaction, ports=ports)
    writes = WriteSet.of_turn(step, step.created_at, transaction, ports, rules)
    hidden = is_kept_off_record(recorded, writes=writes, ports=ports)
    said, types = spoken(step, rules=rules), ports.types
    ontology = extend_ontology(rules.ontology.attributes)
    read, told, names, about = hear(
        step, said, previous, types=types, ontology=ontology, off_record=hidden
    )
    episode = remember_episode(recorded, about, writes=writes, rules=rules)
    record.note_first_speaker(recorded, transaction)
    found = read.candidates
    supposed, stated = suppose(found, step, transaction=transaction, types=types, rules=rules)
    outcome = _claim(stated, read, recorded, writes=writes, rules=rules)
    outcome.retention += take_off_record(recorded, read, writes=writes, rules=rules)
    memories = [writes.get(one) for one in (*outcome.written, *outcome.repeated)]
    entities = link.link_names(names, episode, writes=writes, memories=memories, rules=rules)
    entities += link.link_referred(read.said, episode, writes=writes)
    entities += link.part_again(recorded, names.by_key, writes=writes, rules=rules)
    memories += link.link_statements(told, recorded, names, writes=writes, rules=rules)
    link.link_topics(episode, about.keywords, names, writes=writes, memories=memories)
    writes.write()
    writes.ask_for_review(outcome.to_review)
    changed = [one for one in writes.written() if one.id != episode.id]
    changed += reread_neighbours(recorded, tools=tools)
    summary = summarise(recorded, changed, tools=tools)
    if not read.off_record:
        ask_agents(step, [episode, *changed], summary, tools)
    artifacts = [summarise_call(call, rules.artifacts) for call in step.tool_calls]
    happened = _describe_step(recorded, artifacts, changed)
    commands = keep_state(happened, rows=transaction, rules=rules)
    retention = [
        *outcome.retention,
        *supposed,
        *entities,
        *report_limits(names, told),
        *commands,
        *explain_nothing(read, names, entities),
    ]
    forgotten: list[Retention] = []
    if not read.off_record:  # "don't remember this: …" is kept, and nobody is told of it (K12)
        forgotten = forget_as_said(recorded, transaction=transaction, ports=ports, rules=rules)
    if is_hiding(forgotten):
        retention, outcome, entities = [], FoldOutcome(), []
    retention = [report_episode(episode, recorded), *retention, *forgotten]
    renewed = summary.to_dict() if summary.updated else {}
    explain = outcome.explain(retention, summary=renewed, ignored=ignored)
    transaction.remembering.keep_explanation(step.id, explain, step.created_at)
    check_usage(transaction=transaction, rules=rules.quotas)
    promoted = (one.key for one in entities if one.action is RetentionAction.WRITTEN)
    stand = (writes.standing("entities", key) for key in promoted)
    written = dict.fromkeys((*outcome.written, *(one.id for one in stand if one is not None)))
    reply = CommitResult(turn_id=step.id, artifacts=tuple(artifacts), summary=summary)
    return structs.replace(reply, memory_written=writes.items(written), explain=explain), changed


def _claim(
    stated: Sequence[Candidate],
    read: TurnReading,
    recorded: record.Recorded,
    *,
    writes: WriteSet,
    rules: Rules,
) -> FoldOutcome:
    judged = [judge_candidate(candidate, writes.types, rules) for candidate in stated]
    origin = ClaimOrigin.of_step(recorded, off_record=read.off_record)
    found, unclaimed = claim_statements(
        read.statements,
        recorded,
        origin,
        transaction=writes.transaction,
        types=writes.types,
        rules=rules,
    )
    outcome = claim_and_fold(judged, origin, also=found, writes=writes, rules=rules)
    outcome.retention += unclaimed
    return outcome


def _describe_step(
    recorded: record.Recorded, artifacts: Sequence[ArtifactSummary], changed: Sequence[Memory]
) -> Happened:
    step, stored = recorded.said, recorded.stored
    whole = record.joined(stored, step)
    open_calls = {call.id for call in whole.tool_calls if record.is_open(call)}
    last = whole.messages[-1] if whole.messages else None
    return Happened(
        step=step,
        place=recorded.place,
        finished=[one for one in artifacts if one.id not in open_calls],
        changed=changed,
        begun=stored is None and recorded.previous is None,
        ended=not open_calls
        and last is not None
        and last.role is Role.ASSISTANT
        and not last.meta.get("tool_calls"),
    )


_KEPT: Final = frozenset({RetentionAction.WRITTEN, RetentionAction.MERGED})
_AHEAD: Final = timedelta(days=1)
"""How far a turn's time may be in the future, as clocks are set, before it is remarked on."""


def explain_nothing(
    read: TurnReading, names: link.Names, entities: Sequence[Retention]
) -> list[Retention]:
    """Say why a message became nothing but an event; to name a memory's entity is something."""
    kept = {one.key for one in entities if one.action in _KEPT}
    lasting = {message for message, key in names.said_in if key in kept}
    return [
        _refused("episodes", one.code, one.reason)
        for message, one in read.nothing
        if one.code not in NOTHING_LASTING or message not in lasting
    ]


def report_limits(names: link.Names, told: Sequence[tuple[int, Statement]]) -> Iterator[Retention]:
    """Say how many names and statements are beyond what is kept of one step."""
    if names.left_out:
        reason = f"the first {link.MAX_ENTITIES} are kept, {len(names.left_out)} more left out"
        yield _refused("entities", "entity_limit", reason)
    if len(told) < link.MAX_STATEMENTS:
        return
    reason = f"the first {link.MAX_STATEMENTS} are kept; what is said after them is not read"
    yield _refused("statements", "statement_limit", reason)


def _refused(type_name: str, code: str, reason: str) -> Retention:
    refused = RetentionAction.REFUSED
    return Retention(type=type_name, key="", action=refused, code=code, reason=reason)


def report_episode(episode: Memory, recorded: record.Recorded) -> Retention:
    """Say that a turn left its episode, and whether its time is out of the order of turns."""
    step = recorded.said
    code, reason = "episode", "every turn leaves one episode that leads back to its original text"
    if recorded.is_late:
        code = "episode_late"
        reason = "it is older than the latest turn of its session; it is kept at its own time"
    elif step.at - step.created_at > _AHEAD:
        code, day = "episode_ahead", step.at.date().isoformat()
        reason = f"it is of {day}, which is still to come; until then what it says outranks others"
    kept = RetentionAction.WRITTEN
    return Retention(type=episode.type, key=episode.key, action=kept, code=code, reason=reason)


def ask_agents(
    step: Turn, changed: Sequence[Memory], summary: SummaryUpdate, tools: WriteTools
) -> None:
    """Queue what the configured agents can do about a step; the same work is queued once.

    `changed` are the memories that the step wrote or changed, its episode among them.
    """
    asked: dict[WorkKind, dict[str, Any]] = {}
    said = [message.id for message in step.messages if message.content]
    if any(message.role is Role.USER and message.content for message in step.messages):
        asked[WorkKind.EXTRACT] = {"turn_id": step.id, "messages": said}
    if summary.updated:
        asked[WorkKind.SUMMARISE] = {"session_id": step.session_id, "version": summary.version}
    active = [memory.id for memory in changed if memory.status is Status.ACTIVE]
    if active:
        asked[WorkKind.LINK] = {"turn_id": step.id, "memories": active}
    if changed:
        every = [memory.id for memory in changed]
        asked[WorkKind.EMBED] = {"turn_id": step.id, "memories": every}
    at, agents = step.created_at, tools.rules.jobs.agents
    for kind, payload in ((kind.value, asked[kind]) for kind in asked if kind.value in agents):
        name = derive("job", kind, canonical_json(payload))
        job = Job(id=name, kind=kind, payload=payload, created_at=at, updated_at=at)
        tools.transaction.working.put_job(job)
