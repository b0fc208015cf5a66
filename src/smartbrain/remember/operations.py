"""Writes that are not turns, each with its operation event: memories, feedback, the graph (E1, M5).

In: what somebody says about one memory, by id, key or a name such as `Concept:蓝牙故障`. Out: the
same kind of result as a commit, a node, an edge. A memory takes the way that a turn's words take:
protected, through the gate, against what is known, to the fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.graph import Edge, EdgeType, Provenance, edge_id
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import Operation
from smartbrain.errors import NotFound, UsageError
from smartbrain.govern.insights import INSIGHTS, check_usage
from smartbrain.govern.run_row import add_event
from smartbrain.govern.trail import put_state
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember.arguments import stored_key
from smartbrain.remember.claims import ClaimOrigin
from smartbrain.remember.gate import holds_marks, holds_personal_data, judge_candidate, kept
from smartbrain.remember.groups import claim_and_fold, labels_of
from smartbrain.remember.link import FREQUENT, tags_by
from smartbrain.remember.node_names import find_node, read_name, standing_node
from smartbrain.remember.summary import core_memory
from smartbrain.remember.write_set import WriteSet

if TYPE_CHECKING:
    from smartbrain.remember.write_rules import WriteRules

FEEDBACK: Final = "feedback"
PROFILE: Final = "profile"
OPERATIONS: Final = "operations/1"
"""The reader of claims that an operation makes."""
REJECT: Final = "reject"
_ACTIONS: Final = ("pin", "unpin", "upvote", "downvote", REJECT)


def put_memory(
    type_name: str, key: str, value: Mapping[str, Any], *, ports: Ports, rules: WriteRules
) -> CommitResult:
    """Write a memory that the user states outright."""
    kind = ports.types.get(type_name)
    key, value = kept((key, dict(value)), rules.rules.privacy)
    kind.check_key(key)
    with ports.truth.read() as transaction:
        key = stored_key(key, transaction=transaction)
    stated = {**kind.complete(key, value).value, "key": key}
    if kind.name == INSIGHTS and value.get("validated") is not False:
        stated |= {"validated": True, "validated_by": "user"}
    candidate = _candidate("put", kind.name, stated, confidence=0.9, declared=True)
    given = {"type": type_name, "key": key, "value": value}
    return _operate("put", given, candidate, ports=ports, rules=rules)


def correct_memory(
    id_or_key: str,
    value: Mapping[str, Any],
    reason: str | None,
    *,
    ports: Ports,
    rules: WriteRules,
) -> CommitResult:
    """Put a right value in the place of a wrong one, which is retracted."""
    id_or_key, value, reason = kept((id_or_key, dict(value), reason), rules.rules.privacy)
    with ports.truth.read() as transaction:
        memory = standing(id_or_key, ports=ports, transaction=transaction)
    kind = ports.types.get(memory.type)
    whole = kind.complete(memory.key, {**memory.value, **value})
    if whole.overridden:
        name = next(iter(whole.overridden))
        raise UsageError(
            f"{name} is part of the key {memory.key}; retract it and put another memory",
            code="bad_value",
        )
    right = {**whole.value, "key": memory.key}
    candidate = _candidate(
        "correct", kind.name, right, confidence=0.9, declared=True, corrects=True
    )
    given = {"memory": id_or_key, "key": memory.key, "value": value, "reason": reason}
    return _operate("correct", given, candidate, ports=ports, rules=rules)


def retract_memory(
    id_or_key: str, reason: str | None, *, ports: Ports, rules: WriteRules
) -> CommitResult:
    """Take a memory back; only a new statement of the user brings it back."""
    id_or_key, reason = kept((id_or_key, reason), rules.rules.privacy)
    with ports.truth.read() as transaction:
        memory = standing(id_or_key, ports=ports, transaction=transaction)
    key = {"key": memory.key}
    retracts = CandidateAction.RETRACT
    candidate = _candidate("retract", memory.type, key, text=reason or "", action=retracts)
    meant = {"key": memory.key, "value": dict(memory.value)}
    given = {"memory": id_or_key, **meant, "reason": reason}
    return _operate("retract", given, candidate, ports=ports, rules=rules)


def give_feedback(memory_id: str, action: str, *, ports: Ports, rules: WriteRules) -> Memory:
    """Note that a memory was pinned, voted up or down, or rejected."""
    if action not in _ACTIONS:
        raise UsageError(
            f"feedback is one of {', '.join(_ACTIONS)}, not {action!r:.60}"
            f"{did_you_mean(str(action), _ACTIONS)}"
        )
    memory_id = kept(memory_id, rules.rules.privacy)
    if action == REJECT:
        return _reject(memory_id, ports=ports, rules=rules)
    with ports.truth.write() as transaction:
        memory = standing(memory_id, ports=ports, transaction=transaction)
        operation = _operation(FEEDBACK, {"memory": memory_id, "action": action}, ports, rules)
        transaction.ledger.add_operation(operation)
        voted = transaction.working.state("tenant", FEEDBACK)
        before = next((entry.body for entry in voted if entry.id == memory.id), {})
        body = {"pinned": False, "up": 0, "down": 0, **before}
        if action in ("pin", "unpin"):
            body["pinned"] = action == "pin"
        else:
            body["up" if action == "upvote" else "down"] += 1
        put_state("tenant", FEEDBACK, memory.id, body, operation.created_at, rows=transaction)
    return memory


def _reject(memory_id: str, *, ports: Ports, rules: WriteRules) -> Memory:
    """Claim that a version never was so, and return it: what it had ended holds again (K9)."""
    with ports.truth.read() as transaction:
        memory = standing(memory_id, ports=ports, transaction=transaction)
        value = _told_by(memory, transaction=transaction)
    rejected = {**value, "key": memory.key}
    candidate = _candidate("reject", memory.type, rejected, action=CandidateAction.RETRACT)
    given = {"memory": memory_id, "action": REJECT, "key": memory.key, "value": value}
    _operate(FEEDBACK, given, candidate, ports=ports, rules=rules)
    with ports.truth.read() as transaction:
        return transaction.memories.get([memory.id])[memory.id]


def _told_by(memory: Memory, *, transaction: Transaction) -> dict[str, Any]:
    """Return what a version says: of a profile the facts that the version before did not have."""
    value = dict(memory.value)
    if memory.type != PROFILE:
        return value
    earlier = [one for one in transaction.memories.history(memory.key) if one.id != memory.id]
    before = [one for one in earlier if one.version < memory.version][-1:]
    known = [(fact["k"], fact["v"]) for one in before for fact in one.value["facts"]]
    new = [fact for fact in value["facts"] if (fact["k"], fact["v"]) not in known]
    facts = [{"k": fact["k"], "v": fact["v"], "only": True} for fact in new or value["facts"]]
    return {**value, "facts": facts}


def standing(id_or_key: str, *, ports: Ports, transaction: Transaction) -> Memory:
    """Return the memory of an id, or the active version of a key."""
    if id_or_key.startswith("mem_"):
        found = transaction.memories.get([id_or_key]).get(id_or_key)
    else:
        kind, key = ports.types.by_key(id_or_key), stored_key(id_or_key, transaction=transaction)
        found = transaction.memories.active(kind.name, key)
    if found is None:
        raise NotFound(f"there is no memory {id_or_key!r:.80} in this tenant")
    if found.status not in (Status.ACTIVE, Status.CANDIDATE):
        raise NotFound(
            f"memory {id_or_key!r:.80} is {found.status.value}; it does not stand, name its key"
            f" {found.key} to change what does"
        )
    return found


def _operate(
    kind: str, given: Mapping[str, Any], candidate: Candidate, *, ports: Ports, rules: WriteRules
) -> CommitResult:
    with ports.truth.write() as transaction:
        operation = _operation(kind, given, ports, rules)
        place = transaction.ledger.add_operation(operation)
        writes = WriteSet.of_operation(operation, transaction, ports, rules.rules)
        judged = [judge_candidate(candidate, ports.types, rules.rules)]
        origin = ClaimOrigin(
            operation_id=operation.id, place=place, said_at=operation.at, reader=OPERATIONS
        )
        outcome = claim_and_fold(judged, origin, writes=writes, rules=rules.rules)
        writes.write()
        writes.ask_for_review(outcome.to_review)
        core_memory(writes.written(), writes.origin.now, transaction=transaction, rules=rules.rules)
        explain, now = outcome.explain(), operation.created_at
        transaction.remembering.keep_explanation(operation.id, explain.to_dict(), now)
        if candidate.action is not CandidateAction.RETRACT:  # a full tenant may still take back
            check_usage(transaction=transaction, rules=rules.rules.quotas)
    return CommitResult(
        turn_id=operation.id, memory_written=writes.items(outcome.written), explain=explain
    )


def _candidate(
    verb: str, type_name: str, value: Mapping[str, Any], *, text: str = "", **more: Any
) -> Candidate:
    rule, source = f"operation.{verb}", Source.OPERATION
    return Candidate(type=type_name, value=value, text=text, rule=rule, source=source, **more)


def _operation(kind: str, given: Mapping[str, Any], ports: Ports, rules: WriteRules) -> Operation:
    now = ports.clock()
    return Operation(
        id=ports.ids.new(), kind=kind, input=given, at=now, rules_hash=rules.hash, created_at=now
    )


_USER: Final = Provenance("user")


def add_node(name: str, *, ports: Ports, rules: WriteRules) -> Memory:
    """Add the concept or the entity of a name such as `Concept:蓝牙故障`, unless it is there."""
    name, privacy = kept(name, rules.rules.privacy), rules.rules.privacy
    personal = holds_marks(name) or holds_personal_data(name)
    if personal and privacy.pii == "refuse":
        raise UsageError("the name holds personal data, of which privacy.pii: refuse keeps none")
    named = read_name(name, ports=ports)
    with ports.truth.write() as transaction:
        found = standing_node(named.type, named.keys, transaction=transaction)
        if found is not None and found.status is Status.ACTIVE and FREQUENT not in found.tags:
            return found
        operation = add_event(
            "add_node", {"name": name}, transaction=transaction, ports=ports, rules_hash=rules.hash
        )
        writes = WriteSet.of_operation(operation, transaction, ports, rules.rules)
        if found is not None:  # named by somebody who wants it, a candidate passes the gate
            writes.adopt(found)
            memory = writes.put(found, status=Status.ACTIVE, tags=tags_by("by_hand", found))
        else:
            title = name.partition(":")[2].strip()
            text = ports.types.get(named.type).sentence(named.value)
            memory = writes.make(
                named.type,
                named.keys[-1],
                title=title,
                text=text,
                value=named.value,
                keywords=labels_of(title, text, named.value),
                privacy=Privacy(personal, Scope(privacy.scope)),
                provenance=_USER,
            )
            memory = writes.put(memory)
        writes.write()
        if found is None:
            check_usage(transaction=transaction, rules=rules.rules.quotas)
    return memory


def add_edge(
    src: str, relation: str, dst: str, weight: float, *, ports: Ports, rules: WriteRules
) -> Edge:
    """Add an edge between two nodes, or give an existing one its new weight."""
    kind = _relation(relation)
    share: object = weight
    if not (isinstance(share, int | float) and 0 <= share <= 1):
        raise UsageError(f"an edge's weight is a number from 0 to 1, not {weight!r:.60}")
    src, dst = kept((src, dst), rules.rules.privacy)
    given = {"src": src, "type": relation, "dst": dst, "weight": weight}
    with ports.truth.write() as transaction:
        ends = [find_node(end, ports=ports, transaction=transaction) for end in (src, dst)]
        operation = add_event(
            "add_edge", given, transaction=transaction, ports=ports, rules_hash=rules.hash
        )
        edge = Edge(
            id=edge_id(ends[0], kind, ends[1]),
            src=ends[0],
            dst=ends[1],
            type=kind,
            weight=float(weight),
            provenance=_USER,
            created_at=operation.created_at,
            updated_at=operation.created_at,
        )
        transaction.edges.add([edge])
    return edge


def _relation(name: str) -> EdgeType:
    try:
        return EdgeType(str(name).strip().upper())
    except ValueError:
        known = [one.value for one in EdgeType]
        raise UsageError(
            f"there is no relation {name!r:.60}; use one of {', '.join(known)}"
            f"{did_you_mean(str(name).upper(), known)}"
        ) from None
