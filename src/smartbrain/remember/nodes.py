"""Nodes and edges that somebody adds to the graph by hand, each with an operation event (E4, M5).

In: such as `Concept:蓝牙故障`, an id or a key. Out: the memory that is the node, the stored edge.
A node that is there already is returned as it is. What was said comes in by the write path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.domain.graph import Edge, EdgeType, Provenance, edge_id
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.memory import Memory, Privacy, Scope, Status
from smartbrain.errors import UsageError
from smartbrain.govern.insights import check_usage
from smartbrain.govern.run_row import add_event
from smartbrain.remember.groups import labels_of
from smartbrain.remember.link import FREQUENT, tags_by
from smartbrain.remember.node_names import find_node, read_name, standing_node
from smartbrain.remember.privacy import holds_marks, holds_personal_data, kept
from smartbrain.remember.write_set import WriteSet

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.remember.write_rules import WriteRules

_USER: Final = Provenance("user")


def add_node(name: str, *, ports: Ports, rules: WriteRules) -> Memory:
    """Add the concept or the entity of a name such as `Concept:蓝牙故障`, unless it is there.

    Raises:
        UsageError: it is not `Concept:<name>` or `Entity:<name>`, or it may not be stored.
    """
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
    """Add an edge between two nodes, or give an existing one its new weight.

    Raises:
        UsageError: there is no such relation, or the weight is not from 0 to 1.
        NotFound: one of the nodes is not there.
    """
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
