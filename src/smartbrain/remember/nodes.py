"""Nodes and edges that somebody adds to the graph by hand, each with an operation event (E4, M5).

In: such as `Concept:蓝牙故障`, an id or a key. Out: the memory that is the node, the stored edge.
A node that is there already is returned as it is. What was said comes in by the write path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.chunk_text import chunk_text
from smartbrain.domain.graph import Edge, EdgeType, NodeKind, Provenance, edge_id
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory
from smartbrain.domain.turn import Operation
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

_BY_HAND: Final[Mapping[str, tuple[str, str, Mapping[str, str]]]] = {
    NodeKind.CONCEPT: ("concepts", "name", {}),
    NodeKind.ENTITY: ("entities", "canonical", {"kind": "other"}),
}
"""The type, the field of the name, and the rest of the value."""
_USER: Final = Provenance("user")


def add_node(name: str, *, ports: Ports, rules_hash: str) -> Memory:
    """Add the concept or the entity of a name such as `Concept:蓝牙故障`, unless it is there.

    Raises:
        UsageError: it is not `Concept:<name>` or `Entity:<name>`.
        AdapterError: the storage failed; nothing was written.
    """
    type_name, key, value = _named(name, ports=ports)
    with ports.truth.write() as transaction:
        found = transaction.memories.active(type_name, key)
        if found is not None:
            return found
        operation = _operation("add_node", {"name": name}, ports=ports, rules_hash=rules_hash)
        transaction.ledger.add_operation(operation)
        kind = ports.types.get(type_name)
        version = 1 + max((one.version for one in transaction.memories.history(key)), default=0)
        memory = Memory(
            id=memory_id(operation.id, type_name, key, version),
            type=type_name,
            key=key,
            version=version,
            title=name.partition(":")[2].strip(),
            text=kind.sentence(value),
            value=value,
            valid_since=operation.at,
            source_operation_id=operation.id,
            said_at=operation.at,
            provenance=_USER,
            created_at=operation.created_at,
            updated_at=operation.created_at,
        )
        transaction.memories.add([memory])
        transaction.memories.put_chunks({memory.id: [chunk_text(memory, kind)]})
    return memory


def add_edge(
    src: str, relation: str, dst: str, weight: float, *, ports: Ports, rules_hash: str
) -> Edge:
    """Add an edge between two nodes, or give an existing one its new weight.

    Raises:
        UsageError: there is no such relation, or the weight is not from 0 to 1.
        NotFound: one of the nodes is not there.
        AdapterError: the storage failed; nothing was written.
    """
    kind = _relation(relation)
    if not _is_share(weight):
        raise UsageError(f"an edge's weight is a number from 0 to 1, not {weight!r:.60}")
    given = {"src": src, "type": relation, "dst": dst, "weight": weight}
    with ports.truth.write() as transaction:
        ends = [find_node(end, ports=ports, transaction=transaction) for end in (src, dst)]
        operation = _operation("add_edge", given, ports=ports, rules_hash=rules_hash)
        transaction.ledger.add_operation(operation)
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


def find_node(name: str, *, ports: Ports, transaction: Transaction) -> str:
    """Return the id of a node given by id, by key, or as `Concept:<name>`.

    Raises:
        NotFound: there is no such node.
        UsageError: it is no text, or a name without a letter.
    """
    if not isinstance(name, str):
        raise UsageError(f"a node is named by a text, not {name!r:.60}")
    text = name.strip()
    if text.startswith(("mem_", "raw_")):
        kept: Mapping[str, Any] = (
            transaction.memories.get([text])
            if text.startswith("mem_")
            else transaction.raw.get([text])
        )
        if text in kept:
            return text
    else:
        type_name, key = _type_and_key(text, ports=ports)
        found = transaction.memories.active(type_name, key) if type_name else None
        if found is not None:
            return found.id
    raise NotFound(
        f"there is no node {text!r:.80} in this tenant; give an id, a key or Concept:<name>"
    )


def _type_and_key(text: str, *, ports: Ports) -> tuple[str, str]:
    """Return the type and the key of a node; no type where no key begins so."""
    if text.partition(":")[0] in _BY_HAND:
        type_name, key, _ = _named(text, ports=ports)
        return type_name, key
    try:
        return ports.types.by_key(text).name, text
    except UsageError:
        return "", text


def _named(name: str, *, ports: Ports) -> tuple[str, str, dict[str, Any]]:
    """Read `Concept:<name>`: the type, the key and the value that it stands for."""
    kind, _, rest = str(name).partition(":")
    if kind not in _BY_HAND or not rest.strip():
        options = " or ".join(f"{one}:<name>" for one in _BY_HAND)
        raise UsageError(f"{name!r:.60} is no node that can be added by hand; write {options}")
    type_name, field, value = _BY_HAND[kind]
    value = {**value, field: rest.strip()}
    memory_type = ports.types.get(type_name)
    completed = memory_type.complete(memory_type.key_of(value), value)
    return type_name, memory_type.key_of(value), dict(completed.value)


def _is_share(weight: object) -> bool:
    """Tell whether something is a number from 0 to 1."""
    return isinstance(weight, int | float) and 0 <= weight <= 1


def _relation(name: str) -> EdgeType:
    """Read the type of an edge."""
    try:
        return EdgeType(str(name).strip().upper())
    except ValueError:
        known = [one.value for one in EdgeType]
        raise UsageError(
            f"there is no relation {name!r:.60}; use one of {', '.join(known)}"
            f"{did_you_mean(str(name).upper(), known)}"
        ) from None


def _operation(kind: str, given: Mapping[str, Any], *, ports: Ports, rules_hash: str) -> Operation:
    """Return the event of a write that is not a turn."""
    now = ports.clock()
    return Operation(
        id=ports.ids.new(),
        kind=kind,
        input=given,
        at=now,
        rules_hash=rules_hash,
        created_at=now,
    )
