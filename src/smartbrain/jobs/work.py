"""The work queue: what agents and models do for a tenant, leased, handed back, never lost (C9).

In: who asks for which kinds of work, and later what they have made of it. Out: work with the
content it is about, and what became of an answer. A lease is a row written in one transaction, so
two processes never hold the same work; it is measured by the machine's own time, which is handed
in. A lease that has run out is lost only when somebody else takes the work.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from math import isfinite
from sys import byteorder
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, field, structs

from smartbrain.domain.graph import Edge, EdgeType, Provenance, edge_id
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.job import Job, JobState, WorkKind
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import searchable
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.summary import PROGRESS, SUMMARY, SummaryProgress
from smartbrain.domain.turn import Role, Turn
from smartbrain.errors import AdapterError, Conflict, NotFound, UsageError
from smartbrain.govern.insights import check_usage
from smartbrain.govern.run_row import add_event
from smartbrain.govern.short_term import last_end, with_texts
from smartbrain.govern.trail import put_state
from smartbrain.remember.arguments import read_text
from smartbrain.remember.claims import verdict_claim
from smartbrain.remember.gate import kept
from smartbrain.remember.groups import fold_new_claims
from smartbrain.remember.model_answers import (
    AnswerOutcome,
    apply_model_answer,
    choose_standing_lines,
    load_messages,
)
from smartbrain.remember.node_names import find_node
from smartbrain.remember.record import turn_of
from smartbrain.remember.reread import is_off_record
from smartbrain.remember.summary import core_memory, latest_summary, summaries
from smartbrain.remember.write_rules import WriteTools
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.ontology import extend_ontology
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.write_rules import WriteRules


AGENT: Final = "agent"
"""The kind of the operations that hold an agent's answer."""
LINKED: Final = tuple(
    kind
    for kind in EdgeType
    if kind.name not in ("TEMPORAL_NEXT", "DERIVED_FROM", "VERSION_NEXT", "ACTIVE_OF")
)
"""The relations that an agent may state; the others follow from events and versions."""
_Share = Annotated[float, Meta(ge=0, le=1)]
_VERSIONS_KEPT: Final = 20  # of a session's summary, whoever wrote them
_MOST_DIMENSIONS: Final = 65_536


class _Verdict(Struct, forbid_unknown_fields=True):
    active: str
    reason: Annotated[str, Meta(max_length=1_000)] = ""


class _StatedEdge(Struct, forbid_unknown_fields=True):
    src: str
    type: str
    dst: str
    weight: _Share | None = None
    confidence: _Share | None = None


class _Links(Struct, forbid_unknown_fields=True):
    edges: Annotated[list[_StatedEdge], Meta(max_length=256)]


class _SummaryText(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(pattern=r"\S")]


class _GivenVector(Struct, forbid_unknown_fields=True):
    """Whose vector it is, the mark of its text, and its numbers in single precision."""

    id: str
    mark: str
    vector: bytes


class _Vectors(Struct, forbid_unknown_fields=True):
    embedder: Annotated[str, Meta(min_length=1)]
    model: Annotated[str, Meta(min_length=1)]
    vectors: Annotated[list[_GivenVector], Meta(min_length=1)]


_Answer = TypeVar("_Answer", bound=Struct)


def _read(answer: Mapping[str, Any], kind: type[_Answer]) -> _Answer:
    try:
        return convert(answer, kind)
    except ValidationError as error:
        raise UsageError(f"the answer cannot be read: {error!s:.200}") from None


def apply_answer(
    given: Mapping[str, Any], *, transaction: Transaction, ports: Ports, rules: WriteRules
) -> AnswerOutcome:
    """Store an answer as an operation event, then do what it says.

    `given` is the event's input: the `work` with its `kind` and `payload`, its `owner`, and the
    `answer`. Vectors are stored as they are, without an event: no memory depends on them.
    """
    kind, payload, answer = WorkKind(given["kind"]), given["payload"], given["answer"]
    if kind is WorkKind.EMBED:
        return _embedded(payload, answer, transaction, ports)
    answer = kept(dict(answer), rules.rules.privacy)
    given = {**given, "answer": answer}
    operation = add_event(
        AGENT,
        given,
        transaction=transaction,
        ports=ports,
        rules_hash=rules.hash,
        actor=f"{AGENT}:{given['owner']}",
    )
    now = operation.at
    writes = WriteSet.of_operation(operation, transaction, ports, rules.rules)
    match kind:
        case WorkKind.EXTRACT:
            tools = WriteTools(transaction, ports, rules.rules)
            applied = apply_model_answer(payload, answer, now, tools=tools)
        case WorkKind.VERIFY:
            applied = _elected(payload, answer, writes, rules)
        case WorkKind.LINK:
            applied = _linked(answer, writes, ports, rules)
        case WorkKind.SUMMARISE:
            applied = _summarised(payload, answer, now, transaction, rules)
    # What was made of a turn is asked for by the turn, whoever made it.
    explained = (operation.id, *([payload["turn_id"]] if kind is WorkKind.EXTRACT else []))
    for one in explained:
        transaction.remembering.keep_explanation(one, applied.explain.to_dict(), now)
    check_usage(transaction=transaction, rules=rules.rules.quotas)
    return replace(applied, operation_id=operation.id)


def answer_again(given: Mapping[str, Any], ports: Ports, rules: WriteRules) -> AnswerOutcome:
    """Run a stored answer again in a transaction of its own; nobody is asked."""
    with ports.truth.write() as transaction:
        return apply_answer(given, transaction=transaction, ports=ports, rules=rules)


def embedded_text(memory: Memory, types: TypeRegistry) -> str:
    """Return the words of a memory that are embedded."""
    return searchable(memory, types.get(memory.type) if memory.type in types else None)


def mark_of(text: str) -> str:
    """Return what tells one text from another."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _elected(
    payload: Mapping[str, Any], answer: Mapping[str, Any], writes: WriteSet, rules: WriteRules
) -> AnswerOutcome:
    given = _read(answer, _Verdict)
    pair, chosen = (str(payload["active"]), str(payload["other"])), given.active
    if chosen not in pair:
        raise UsageError(f"active is {chosen!r:.60}; it must be one of {' and '.join(pair)}")
    found = writes.transaction.memories.get(pair)
    if len(found) < len(pair):
        raise NotFound("one of the two facts is gone")
    before, other = (found[one] for one in pair)
    if (before.status, other.status) != (Status.ACTIVE, Status.DISPUTED):
        settled = Retention(
            type=before.type,
            key=before.key,
            action=RetentionAction.REFUSED,
            code="settled",
            reason="it was settled by somebody else",
        )
        return AnswerOutcome(explain=CommitExplain(retention=(settled,)))
    claim = verdict_claim(found[chosen], given.reason, writes.origin)
    outcome = fold_new_claims([claim], writes=writes, rules=rules.rules)
    writes.write()
    now, transaction = writes.origin.now, writes.transaction
    core_memory(writes.written(), now, transaction=transaction, rules=rules.rules)
    return AnswerOutcome((chosen,), CommitExplain(retention=tuple(outcome.retention)))


def _linked(
    answer: Mapping[str, Any], writes: WriteSet, ports: Ports, rules: WriteRules
) -> AnswerOutcome:
    """Add relations between nodes; what the runtime or the user has stated is left as it is."""
    given = _read(answer, _Links).edges
    edges = [_edge(one, f"edges[{place}]", writes, ports, rules) for place, one in enumerate(given)]
    written, ignored = [], []
    for edge in edges:
        beside = writes.transaction.edges.of(edge.src, kind=edge.type)
        known = next((one for one in beside if one.id == edge.id), None)
        if known is None or known.provenance.creator == AGENT:
            written.append(edge)
        else:
            told = f"{edge.src} {edge.type.value} {edge.dst} is known already"
            ignored.append(Reason("known", told))
    writes.transaction.edges.add(written)
    return AnswerOutcome(tuple(edge.id for edge in written), CommitExplain(ignored=tuple(ignored)))


def _edge(
    given: _StatedEdge, where: str, writes: WriteSet, ports: Ports, rules: WriteRules
) -> Edge:
    names = [kind.value for kind in LINKED]
    if given.type not in names:
        near = did_you_mean(given.type, names) or f"; use one of {', '.join(names)}"
        raise UsageError(f"{where}.type is {given.type!r:.60}, which an agent cannot state{near}")
    ends = [
        _node(name, f"{where}.{end}", writes, ports)
        for end, name in (("src", given.src), ("dst", given.dst))
    ]
    if ends[0] == ends[1]:
        raise UsageError(f"{where}.dst is the same node as its src")
    policies = rules.rules.policies
    inferred = policies.retention.confidence.inferred
    confidence = inferred if given.confidence is None else min(inferred, given.confidence)
    weight = writes.weight(confidence, policies.conflicts.source_trust.agent)
    kind, now = EdgeType(given.type), writes.origin.now
    return Edge(
        id=edge_id(ends[0], kind, ends[1]),
        src=ends[0],
        dst=ends[1],
        type=kind,
        weight=weight if given.weight is None else given.weight,
        confidence=confidence,
        provenance=Provenance(AGENT),
        created_at=now,
        updated_at=now,
    )


def _node(name: str, where: str, writes: WriteSet, ports: Ports) -> str:
    try:
        return find_node(read_text(name, where), ports=ports, transaction=writes.transaction)
    except NotFound as error:
        raise UsageError(f"{where}: {error.message}") from None


def _summarised(
    payload: Mapping[str, Any],
    answer: Mapping[str, Any],
    at: datetime,
    transaction: Transaction,
    rules: WriteRules,
) -> AnswerOutcome:
    text = _read(answer, _SummaryText).text.strip()
    most, tokens = rules.rules.policies.composition.summary_max_tokens, estimate_tokens(text)
    if tokens > most:
        raise UsageError(f"text has about {tokens} tokens; {most} is the limit, shorten it")
    session = str(payload["session_id"])
    latest = latest_summary(session, transaction=transaction)
    if latest is None or latest.version != payload["version"]:
        outdated = Reason("outdated", "a later summary has been written since; it stays")
        return AnswerOutcome(explain=CommitExplain(ignored=(outdated,)))
    if latest.version <= last_end(session, transaction=transaction).summary:
        ended = Reason("outdated", "the session was ended since; it begins anew")
        return AnswerOutcome(explain=CommitExplain(ignored=(ended,)))
    version = latest.version + 1
    summary = structs.replace(
        latest, version=version, text=text, sections={}, generated_at=at, left_out=0
    )
    owner, working = f"session:{session}", transaction.working
    counted = next(iter(working.state(owner, PROGRESS)), None)
    progress = SummaryProgress.from_dict(counted.body) if counted else SummaryProgress()
    bodies = {
        (SUMMARY, f"v{version}"): {**summary.to_dict(), "source": AGENT},
        (PROGRESS, PROGRESS): structs.replace(progress, version=version).to_dict(),
    }
    for (kind, name), body in bodies.items():
        put_state(owner, kind, name, body, at, rows=transaction)
    working.drop_state(owner, SUMMARY, f"v{version - _VERSIONS_KEPT}")
    return AnswerOutcome((f"v{version}",))


def _embedded(
    payload: Mapping[str, Any], answer: Mapping[str, Any], transaction: Transaction, ports: Ports
) -> AnswerOutcome:
    given = _read(answer, _Vectors)
    name, model = given.embedder, given.model
    vectors = {
        one.id: (one.mark, _vector(one, f"vectors[{place}]", payload["memories"]))
        for place, one in enumerate(given.vectors)
    }
    sizes = {len(vector) for _, vector in vectors.values()}
    kept = transaction.vectors
    known = [one for one in kept.embeddings() if (one.name, one.model) == (name, model)]
    sizes |= {one.dimensions for one in known}
    if len(sizes) > 1:
        raise UsageError(f"vectors of {model} have {sorted(sizes)} numbers; all must have the same")
    memories = transaction.memories.get(vectors)
    nums = transaction.followed.numbers(list(memories))
    space = kept.open(name, model, sizes.pop(), ports.clock())
    there = kept.get(space.num, list(nums.values()))
    fresh = {
        one: vectors[one][1].tobytes()
        for one, memory in memories.items()
        if nums[one] not in there and vectors[one][0] == mark_of(embedded_text(memory, ports.types))
    }
    kept.put(space.num, {nums[one]: vector for one, vector in fresh.items()})
    ignored = tuple(
        Reason("not_needed", f"{one} is gone, has a vector already or says something else now")
        for one in vectors
        if one not in fresh
    )
    return AnswerOutcome(tuple(fresh), CommitExplain(ignored=ignored))


def _vector(given: _GivenVector, where: str, asked: list[str]) -> array[float]:
    if given.id not in asked:
        raise UsageError(f"{where}.id is {given.id!r:.60}, which is not part of this work")
    vector: array[float] = array("f")
    try:
        vector.frombytes(given.vector)
    except ValueError:
        raise UsageError(f"{where}.vector is not of float32 numbers") from None
    if byteorder == "big":
        vector.byteswap()
    if len(vector) > _MOST_DIMENSIONS or not all(map(isfinite, vector)) or not any(vector):
        raise UsageError(f"{where}.vector must hold finite numbers, not all of them zero")
    return vector


_MOST_TURNS: Final = 100
_LONGEST_MESSAGE: Final = 20_000  # characters of a message that a reader is shown
_LONGEST_BEFORE: Final = 1_000  # characters of what the assistant had said last, from its end
_CHAT: Final = (Role.USER, Role.ASSISTANT)


def input_of(
    job: Job, *, transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    """Return what a piece of work is about."""
    match WorkKind(job.kind):
        case WorkKind.EXTRACT:
            return _extract(job.payload, transaction, ports, rules)
        case WorkKind.VERIFY:
            return _verify(job.payload, transaction)
        case WorkKind.LINK:
            return _link(job.payload, transaction)
        case WorkKind.SUMMARISE:
            return _summarise(job.payload, transaction, ports, rules)
        case WorkKind.EMBED:
            return {"memories": _texts(job.payload["memories"], transaction, ports)}


def _texts(ids: Iterable[str], transaction: Transaction, ports: Ports) -> list[dict[str, str]]:
    found = transaction.memories.get(ids).values()
    if not found:
        raise NotFound("the memories to embed are gone")
    texts = {memory.id: embedded_text(memory, ports.types) for memory in found}
    return [{"id": one, "text": text, "mark": mark_of(text)} for one, text in texts.items()]


def _extract(
    payload: Mapping[str, Any], transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    ontology = extend_ontology(rules.rules.ontology.attributes)
    asked = load_messages(payload, transaction=transaction, ports=ports)
    turn, messages = asked.turn, []
    if is_off_record(turn.session_id, turn.id, transaction, ports.types):
        raise NotFound("the user asked not to remember the turn")
    for place, (index, said) in enumerate(asked.said):
        message = turn.messages[index]
        content = "\n".join(sentence.text for sentence in said.sentences)
        shown = {"message": place, "id": message.id, "role": message.role.value}
        named = {"name": message.name} if message.name else {}
        messages.append({**shown, **named, "content": content[:_LONGEST_MESSAGE]})
    before = _said_before(turn, asked.said[0][0] if asked.said else 0, transaction, ports)
    text = "\n".join((before, *(str(one["content"]) for one in messages)))
    return {
        "session_id": turn.session_id,
        "turn_id": turn.id,
        "at": turn.at.isoformat(),
        "before": before,
        "messages": messages,
        "memories": choose_standing_lines(turn.id, text, ontology, transaction=transaction),
        "attributes": [one.name for one in ontology.attributes],
    }


def _said_before(turn: Turn, index: int, transaction: Transaction, ports: Ports) -> str:
    """Return what the assistant had said last before a message: in its turn, or the one before."""
    said = turn.messages[:index]
    if not said:
        earlier, _ = transaction.remembering.neighbours(turn.id)
        if earlier and is_off_record(turn.session_id, earlier, transaction, ports.types):
            return ""
        before = turn_of(earlier, transaction=transaction, ports=ports)
        said = before.messages if before else ()
    words = [one.content for one in said if one.role is Role.ASSISTANT and one.content]
    return words[-1][-_LONGEST_BEFORE:] if words else ""


def _verify(payload: Mapping[str, Any], transaction: Transaction) -> dict[str, Any]:
    pair = {name: str(payload[name]) for name in ("active", "other")}
    found = transaction.memories.get(pair.values())
    if len(found) < len(pair):
        raise NotFound("one of the two facts is gone")
    return {name: _brief(found[one]) for name, one in pair.items()}


def _link(payload: Mapping[str, Any], transaction: Transaction) -> dict[str, Any]:
    found = transaction.memories.get(payload["memories"])
    if not found:
        raise NotFound("the memories to link are gone")
    beside = {
        edge.dst
        for one in found
        for edge in transaction.edges.of(one, kind=EdgeType.MENTIONS)
        if edge.dst not in found
    }
    around = transaction.memories.get(sorted(beside))
    return {
        "memories": [_brief(memory) for memory in found.values()],
        "entities": [_brief(memory) for memory in around.values()],
        "relations": [kind.value for kind in LINKED],
    }


def _summarise(
    payload: Mapping[str, Any], transaction: Transaction, ports: Ports, rules: WriteRules
) -> dict[str, Any]:
    session = str(payload["session_id"])
    kept = summaries(session, transaction=transaction)
    summary = next((one for one in kept if one.version == payload["version"]), None)
    if summary is None:
        raise NotFound(f"version {payload['version']} of the summary is not kept any more")
    first, last = (transaction.events.turn(one).seq for one in summary.source_turn_range)
    limit = min(_MOST_TURNS, last - first + 1)
    turns = transaction.events.turns(session, after=first - 1, limit=limit)
    whole = with_texts(turns, transaction=transaction, blobs=ports.blobs, outputs=False)
    return {
        "session_id": session,
        "version": summary.version,
        "summary": summary.text,
        "turns": [
            _talk(turn)
            for turn in whole
            if not is_off_record(session, turn.id, transaction, ports.types)
        ],
        "max_tokens": rules.rules.policies.composition.summary_max_tokens,
    }


def _talk(turn: Turn) -> dict[str, Any]:
    said = [
        {"role": message.role.value, "content": message.content}
        for message in turn.messages
        if message.role in _CHAT and message.content
    ]
    return {"turn_id": turn.id, "at": turn.at.isoformat(), "messages": said}


def _brief(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": memory.type,
        "key": memory.key,
        "text": memory.text,
        "value": memory.value,
        "status": memory.status.value,
        "confidence": memory.confidence,
        "source": memory.provenance.creator,
        "said_at": memory.said_at.isoformat(),
        "frequency": memory.frequency,
    }


MOST_ATTEMPTS: Final = 8
"""How often work is leased before it counts as failed; it is kept then, and leased no more."""
_FIRST_PAUSE: Final = timedelta(seconds=30)
_LONGEST_PAUSE: Final = timedelta(minutes=15)
_LONGEST_ERROR: Final = 300
_UNREADABLE: Final = ("blob_missing", "blob_corrupt", "corrupt")


class Work(Record, frozen=True, kw_only=True):
    """One piece of work; `input` is what it is about, shown to whoever has leased it.

    `payload` names turns, sessions and memories by id; `error` is why it failed the last time.
    """

    id: str
    kind: WorkKind
    payload: Mapping[str, Any] = field(default_factory=dict)
    input: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = JobState.QUEUED
    attempts: int = 0
    run_after: datetime | None = None
    lease_owner: str | None = None
    lease_until: datetime | None = None
    error: str = ""
    created_at: datetime


class WorkOutcome(Record, frozen=True, kw_only=True):
    """What became of an answer: the ids of what it wrote, and why each part of it fared so.

    `operation_id` is the event that holds the answer; vectors are their own record and have none.
    """

    work_id: str
    kind: WorkKind
    operation_id: str | None = None
    written: tuple[str, ...] = ()
    explain: CommitExplain = field(default_factory=CommitExplain)


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue of one tenant; `wall` tells the machine's own time."""

    ports: Ports
    rules: WriteRules
    wall: Callable[[], datetime]

    def lease(
        self, kinds: Sequence[WorkKind], owner: str, *, seconds: float = 60.0, limit: int = 1
    ) -> list[Work]:
        """Take work for a while, the first kind first, the oldest of a kind first.

        Work whose content is gone fails instead of being handed out.
        """
        taken: list[Work] = []
        while len(taken) < limit:
            now = self.wall()
            with self.ports.truth.write() as transaction:
                free = _free(kinds, now, limit - len(taken), transaction)
                claimed = [_leased(job, owner, now, seconds) for job in free]
                for job in claimed:
                    transaction.working.put_job(job)
            if not claimed:
                break
            taken += [work for job in claimed if (work := self._shown(job)) is not None]
        return taken

    def lease_turn(self, turn_id: str, owner: str, *, seconds: float = 60.0) -> list[Work]:
        """Take the extraction work of one turn that nobody has, whenever it is due."""
        now = self.wall()
        with self.ports.truth.write() as transaction:
            queued = transaction.working.jobs(kind=WorkKind.EXTRACT, state=JobState.QUEUED)
            mine = [job for job in queued if job.payload["turn_id"] == turn_id]
            claimed = [_leased(job, owner, now, seconds) for job in mine]
            for job in claimed:
                transaction.working.put_job(job)
        return [work for job in claimed if (work := self._shown(job)) is not None]

    def is_being_read(self, turn_id: str) -> bool:
        """Tell whether somebody has leased the extraction work of a turn."""
        leased = self.works(WorkKind.EXTRACT, JobState.LEASED)
        return any(work.payload["turn_id"] == turn_id for work in leased)

    def heartbeat(self, work_id: str, owner: str, *, seconds: float = 60.0) -> Work:
        """Keep work for so much longer, from now on."""
        now = self.wall()
        until = now + timedelta(seconds=seconds)
        return self._change(
            work_id, owner, lambda job: structs.replace(job, lease_until=until, updated_at=now)
        )

    def complete(self, work_id: str, owner: str, result: Mapping[str, Any]) -> WorkOutcome:
        """Hand work back done; the same answer handed in again gets the first outcome again."""
        if not isinstance(result, Mapping):
            raise UsageError(f"a result is a dict, not {type(result).__name__}")
        mark = blake2b(canonical_json(result).encode(), digest_size=16).hexdigest()
        now = self.wall()
        with self.ports.truth.write() as transaction:
            job = _find(work_id, transaction)
            known = job.result or {}
            if job.state is JobState.DONE and known.get("answer") == mark:
                return WorkOutcome.from_dict(known["outcome"])
            _held(job, owner)
            given = {
                "work": job.id,
                "kind": job.kind,
                "owner": owner,
                "payload": job.payload,
                "answer": result,
            }
            applied = apply_answer(
                given, transaction=transaction, ports=self.ports, rules=self.rules
            )
            outcome = WorkOutcome(
                work_id=job.id,
                kind=WorkKind(job.kind),
                operation_id=applied.operation_id,
                written=applied.written,
                explain=applied.explain,
            )
            kept = {"answer": mark, "outcome": outcome.to_dict()}
            done = structs.replace(
                job, state=JobState.DONE, lease_until=None, result=kept, updated_at=now
            )
            transaction.working.put_job(done)
        return outcome

    def fail(self, work_id: str, owner: str, error: str) -> Work:
        """Hand work back undone: it waits, longer each time, and fails for good in the end."""
        return self._change(work_id, owner, lambda job: _failed(job, error, self.wall()))

    def give_back(self, work_id: str, owner: str, error: str) -> Work:
        """Hand work back untried, for whoever would do it is not there; it counts as no attempt."""

        def untry(job: Job) -> Job:
            untried = structs.replace(job, attempts=max(0, job.attempts - 1))
            return _waiting(untried, error, self.wall())

        return self._change(work_id, owner, untry)

    def _change(self, work_id: str, owner: str, change: Callable[[Job], Job]) -> Work:
        """Change work that its owner still holds."""
        with self.ports.truth.write() as transaction:
            job = change(_held(_find(work_id, transaction), owner))
            transaction.working.put_job(job)
        return _work(job)

    def works(self, kind: WorkKind | None = None, state: JobState | None = None) -> list[Work]:
        """Return work in the order it was queued, without its content."""
        known = frozenset(WorkKind)
        with self.ports.truth.read() as transaction:
            jobs = transaction.working.jobs(kind=kind, state=state)
        return [_work(job) for job in jobs if job.kind in known]

    def _shown(self, job: Job) -> Work | None:
        """Return leased work with its content; None, and failed, where that is gone."""
        try:
            with self.ports.truth.read() as transaction:
                given = input_of(job, transaction=transaction, ports=self.ports, rules=self.rules)
        except NotFound as error:
            gone = error.message
        except AdapterError as error:
            if error.code not in _UNREADABLE:
                raise
            gone = error.message
        else:
            return structs.replace(_work(job), input=given)
        ended = structs.replace(job, attempts=MOST_ATTEMPTS)
        with self.ports.truth.write() as transaction:
            transaction.working.put_job(_failed(ended, gone, self.wall()))
        return None


def _free(
    kinds: Sequence[WorkKind], now: datetime, limit: int, transaction: Transaction
) -> list[Job]:
    found: list[Job] = []
    for kind in dict.fromkeys(kinds):
        found += _due(kind, now, limit - len(found), transaction)
        if len(found) == limit:
            break
    return found


def _due(kind: WorkKind, now: datetime, limit: int, transaction: Transaction) -> list[Job]:
    while True:
        due = transaction.working.jobs(kind=kind, due=now, limit=limit)
        spent = [job for job in due if job.attempts >= MOST_ATTEMPTS]
        if not spent:
            return due
        for job in spent:
            error = "every lease of it ran out without an answer"
            transaction.working.put_job(_failed(job, error, now))


def _leased(job: Job, owner: str, now: datetime, seconds: float) -> Job:
    return structs.replace(
        job,
        state=JobState.LEASED,
        attempts=job.attempts + 1,
        run_after=None,
        lease_owner=owner,
        lease_until=now + timedelta(seconds=seconds),
        updated_at=now,
    )


def _failed(job: Job, error: str, now: datetime) -> Job:
    """Return a job that waits to be tried again, or has failed for good."""
    job = _waiting(job, error, now)
    if job.attempts < MOST_ATTEMPTS:
        return job
    return structs.replace(job, state=JobState.FAILED, run_after=None)


def _waiting(job: Job, error: str, now: datetime) -> Job:
    return structs.replace(
        job,
        state=JobState.QUEUED,
        run_after=now + min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** max(0, job.attempts - 1)),
        lease_owner=None,
        lease_until=None,
        result={"error": " ".join(error.split())[:_LONGEST_ERROR]},
        updated_at=now,
    )


def _find(work_id: str, transaction: Transaction) -> Job:
    job = transaction.working.job(work_id)
    if job is None or job.kind not in frozenset(WorkKind):
        raise NotFound(f"there is no work {work_id!r:.80} in this tenant")
    return job


def _held(job: Job, owner: str) -> Job:
    if job.state is JobState.LEASED and job.lease_owner == owner:
        return job
    told = "is leased by somebody else" if job.state is JobState.LEASED else f"is {job.state.value}"
    raise Conflict(
        f"{owner!r:.60} does not hold work {job.id}: it {told}; lease work again",
        code="lease_lost",
    )


def _work(job: Job) -> Work:
    work = convert(job, Work, from_attributes=True)
    return structs.replace(work, error=str((job.result or {}).get("error", "")))
