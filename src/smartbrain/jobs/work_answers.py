"""What an agent's answer does, by the kind of its work; replaying uses the stored answer (C9, E1).

In: a piece of work with its answer, in a writing transaction. Out: an event that holds both, then
memories, an elected fact, edges, a summary or vectors, and why. A malformed answer is a UsageError
that names the field and undoes the transaction. What has moved on since the lease stays as it is.
"""

from __future__ import annotations

from array import array
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from math import isfinite
from sys import byteorder
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.chunk_text import searchable
from smartbrain.domain.graph import Edge, EdgeType, Provenance, edge_id
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.job import StateEntry
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.result import CommitExplain, Retention, RetentionAction
from smartbrain.domain.summary import PROGRESS, SUMMARY, SummaryProgress
from smartbrain.domain.turn import Operation
from smartbrain.domain.work import WorkKind
from smartbrain.errors import NotFound, UsageError
from smartbrain.govern.quotas import check_usage
from smartbrain.govern.session_end import last_end
from smartbrain.remember.claims import verdict_claim
from smartbrain.remember.groups import fold_new_claims
from smartbrain.remember.model_answers import AnswerOutcome, apply_model_answer
from smartbrain.remember.names import read_id, read_text
from smartbrain.remember.node_names import find_node
from smartbrain.remember.origin import Origin
from smartbrain.remember.privacy import kept
from smartbrain.remember.summarise import core_memory, latest_summary
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.rules import WriteRules

AGENT: Final = "agent"
"""The kind of the operations that hold an agent's answer."""
LINKED: Final = tuple(
    kind
    for kind in EdgeType
    if kind.name not in ("TEMPORAL_NEXT", "DERIVED_FROM", "VERSION_NEXT", "ACTIVE_OF")
)
"""The relations that an agent may state; the others follow from events and versions."""
_MOST_EDGES: Final = 256
_VERSIONS_KEPT: Final = 20  # of a session's summary, whoever wrote them
_MOST_DIMENSIONS: Final = 65_536


def apply_answer(
    given: Mapping[str, Any], *, transaction: Transaction, ports: Ports, rules: WriteRules
) -> AnswerOutcome:
    """Store an answer as an operation event, then do what it says.

    `given` is the event's input: the `work` with its `kind` and `payload`, its `owner`, and the
    `answer`. Vectors are stored as they are, without an event: no memory depends on them.

    Raises:
        UsageError: the answer is malformed; the sentence names the field.
        NotFound: what the work is about is gone.
    """
    kind, payload, answer = WorkKind(given["kind"]), given["payload"], given["answer"]
    if kind is WorkKind.EMBED:
        return _embedded(payload, answer, transaction, ports)
    answer = kept(dict(answer), rules.rules.privacy)
    given = {**given, "answer": answer}
    now = ports.clock()
    operation = Operation(
        id=ports.ids.new(),
        kind=AGENT,
        input=given,
        at=now,
        actor=f"{AGENT}:{given['owner']}",
        rules_hash=rules.hash,
        created_at=now,
    )
    transaction.ledger.add_operation(operation)
    writes = _write_set(operation, transaction, ports, rules)
    match kind:
        case WorkKind.EXTRACT:
            applied = apply_model_answer(
                payload, answer, now, transaction=transaction, ports=ports, rules=rules
            )
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
    """Run a stored answer again in a transaction of its own; nobody is asked.

    Raises:
        NotFound: what the work is about is gone.
    """
    with ports.truth.write() as transaction:
        return apply_answer(given, transaction=transaction, ports=ports, rules=rules)


def embedded_text(memory: Memory, types: TypeRegistry) -> str:
    """Return the words of a memory that are embedded."""
    return searchable(memory, types.get(memory.type) if memory.type in types else None)


def mark_of(text: str) -> str:
    """Return what tells one text from another."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _write_set(
    operation: Operation, transaction: Transaction, ports: Ports, rules: WriteRules
) -> WriteSet:
    """Return an empty write set for what an operation writes."""
    origin = Origin(operation_id=operation.id, said_at=operation.at, now=operation.created_at)
    return WriteSet(transaction, ports.types, origin, rules.rules.policies.linking.edge_weight)


def _elected(
    payload: Mapping[str, Any], answer: Mapping[str, Any], writes: WriteSet, rules: WriteRules
) -> AnswerOutcome:
    """Let one of two contradicting facts hold, by a claim of the reviewer; the other gives way."""
    _only(answer, "active", "reason")
    pair = (str(payload["active"]), str(payload["other"]))
    chosen = read_id(answer.get("active"), "active")
    if chosen not in pair:
        raise UsageError(f"active is {chosen!r:.60}; it must be one of {' and '.join(pair)}")
    reason = read_text(answer.get("reason") or "", "reason", longest=1_000, empty=True)
    found = writes.transaction.memories.get(pair)
    if len(found) < len(pair):
        raise NotFound("one of the two facts is gone")
    before, other = (found[one] for one in pair)
    if (before.status, other.status) != (Status.ACTIVE, Status.DISPUTED):
        told = _told(before, RetentionAction.REFUSED, "settled", "it was settled by somebody else")
        return AnswerOutcome(explain=CommitExplain(retention=(told,)))
    claim = verdict_claim(found[chosen], reason, writes.origin)
    outcome = fold_new_claims([claim], writes=writes, rules=rules.rules)
    writes.write()
    now, transaction = writes.origin.now, writes.transaction
    core_memory(writes.written(), now, transaction=transaction, rules=rules.rules)
    return AnswerOutcome((chosen,), CommitExplain(retention=tuple(outcome.retention)))


def _linked(
    answer: Mapping[str, Any], writes: WriteSet, ports: Ports, rules: WriteRules
) -> AnswerOutcome:
    """Add relations between nodes; what the runtime or the user has stated is left as it is."""
    _only(answer, "edges")
    given = answer.get("edges")
    if not isinstance(given, list | tuple) or len(given) > _MOST_EDGES:
        raise UsageError(f"edges must be a list of at most {_MOST_EDGES} edges")
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


def _edge(given: object, where: str, writes: WriteSet, ports: Ports, rules: WriteRules) -> Edge:
    """Read one relation."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} must be a dict, not {type(given).__name__}")
    _only(given, "src", "type", "dst", "weight", "confidence", where=f"{where}.")
    names = [kind.value for kind in LINKED]
    named = str(given.get("type"))
    if named not in names:
        near = did_you_mean(named, names) or f"; use one of {', '.join(names)}"
        raise UsageError(f"{where}.type is {named!r:.60}, which an agent cannot state{near}")
    ends = [_node(given.get(end), f"{where}.{end}", writes, ports) for end in ("src", "dst")]
    if ends[0] == ends[1]:
        raise UsageError(f"{where}.dst is the same node as its src")
    policies = rules.rules.policies
    inferred = policies.retention.confidence.inferred
    confidence = min(inferred, _share(given, "confidence", where, inferred))
    weight = writes.weight(confidence, policies.conflicts.source_trust.agent)
    kind, now = EdgeType(named), writes.origin.now
    return Edge(
        id=edge_id(ends[0], kind, ends[1]),
        src=ends[0],
        dst=ends[1],
        type=kind,
        weight=_share(given, "weight", where, weight),
        confidence=confidence,
        provenance=Provenance(AGENT),
        created_at=now,
        updated_at=now,
    )


def _node(given: object, where: str, writes: WriteSet, ports: Ports) -> str:
    """Return the id of a node that an agent names."""
    try:
        return find_node(read_text(given, where), ports=ports, transaction=writes.transaction)
    except NotFound as error:
        raise UsageError(f"{where}: {error.message}") from None


def _share(given: Mapping[str, Any], name: str, where: str, default: float) -> float:
    """Read a number from 0 to 1 that may be left out."""
    value = given.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"{where}.{name} must be a number from 0 to 1, not {value!r:.60}")
    return float(value)


def _summarised(
    payload: Mapping[str, Any],
    answer: Mapping[str, Any],
    at: datetime,
    transaction: Transaction,
    rules: WriteRules,
) -> AnswerOutcome:
    """Keep an agent's words as the next version of a session's summary."""
    _only(answer, "text")
    text = read_text(answer.get("text"), "text").strip()
    if not text:
        raise UsageError("text is blank; give the summary")
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
    summary = replace(latest, version=version, text=text, sections={}, generated_at=at, left_out=0)
    owner, working = f"session:{session}", transaction.working
    counted = next(iter(working.state(owner, PROGRESS)), None)
    progress = SummaryProgress.from_dict(counted.body) if counted else SummaryProgress()
    bodies = {
        (SUMMARY, f"v{version}"): {**summary.to_dict(), "source": AGENT},
        (PROGRESS, PROGRESS): replace(progress, version=version).to_dict(),
    }
    for (kind, name), body in bodies.items():
        working.put_state(
            StateEntry(owner=owner, kind=kind, id=name, body=body, created_at=at, updated_at=at)
        )
    working.drop_state(owner, SUMMARY, f"v{version - _VERSIONS_KEPT}")
    return AnswerOutcome((f"v{version}",))


def _embedded(
    payload: Mapping[str, Any], answer: Mapping[str, Any], transaction: Transaction, ports: Ports
) -> AnswerOutcome:
    """Keep vectors for memories that lack them and still say what was embedded."""
    _only(answer, "embedder", "model", "vectors")
    name, model = (read_id(answer.get(one), one) for one in ("embedder", "model"))
    given = answer.get("vectors")
    if not isinstance(given, list | tuple) or not given:
        raise UsageError("vectors must be a list with an entry for each memory")
    vectors: dict[str, tuple[str, array[float]]] = {}
    for place, one in enumerate(given):
        memory_id, mark, vector = _vector(one, f"vectors[{place}]", payload["memories"])
        vectors[memory_id] = (mark, vector)
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


def _vector(given: object, where: str, asked: list[str]) -> tuple[str, str, array[float]]:
    """Read one vector: whose it is, the mark of its text, and single-precision numbers."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} must be a dict, not {type(given).__name__}")
    _only(given, "id", "mark", "vector", where=f"{where}.")
    memory_id, mark = (read_id(given.get(one), f"{where}.{one}") for one in ("id", "mark"))
    if memory_id not in asked:
        raise UsageError(f"{where}.id is {memory_id!r:.60}, which is not part of this work")
    vector: array[float] = array("f")
    try:
        vector.frombytes(
            b64decode(read_text(given.get("vector"), f"{where}.vector"), validate=True)
        )
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{where}.vector is not base64 of float32 numbers") from None
    if byteorder == "big":
        vector.byteswap()
    if len(vector) > _MOST_DIMENSIONS or not all(map(isfinite, vector)) or not any(vector):
        raise UsageError(f"{where}.vector must hold finite numbers, not all of them zero")
    return memory_id, mark, vector


def _only(given: Mapping[str, Any], *names: str, where: str = "") -> None:
    """Refuse fields that mean nothing here."""
    for name in given:
        if name not in names:
            near = did_you_mean(name, names) or f"; it may have {', '.join(names)}"
            raise UsageError(f"{where}{name!s:.60} is not a field of this answer{near}")


def _told(memory: Memory, action: RetentionAction, code: str, reason: str) -> Retention:
    return Retention(type=memory.type, key=memory.key, action=action, code=code, reason=reason)
