"""What the nodes of the graph are called: ids, keys, and names such as `Concept:蓝牙故障`.

In: a name as somebody writes it. Out: the node that is called so, or what one of that name would
be. An entity is found whatever its kind, also where it still waits at the gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.memory import Memory, Status
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

_BY_HAND: Final[Mapping[str, tuple[str, str, str]]] = {
    NodeKind.CONCEPT: ("concepts", "name", ""),
    NodeKind.ENTITY: ("entities", "canonical", "kind"),
}
"""The type, the field of the name, and the field that is another one for each kind of it."""


class NodeName(NamedTuple):
    """The type of a node, the keys that it may have, and the value of the last of them."""

    type: str
    keys: Sequence[str]
    value: dict[str, Any]


def find_node(name: str, *, ports: Ports, transaction: Transaction) -> str:
    """Return the id of a node given by id, by key, or as `Concept:<name>`."""
    if not isinstance(name, str):
        raise UsageError(f"a node is named by a text, not {name!r:.60}")
    text = name.strip()
    if text.startswith("mem_") and text in transaction.memories.get([text]):
        return text
    if text.startswith("raw_") and text in transaction.raw.get([text]):
        return text
    if not text.startswith(("mem_", "raw_")):
        type_name, keys = _type_and_keys(text, ports=ports)
        found = standing_node(type_name, keys, transaction=transaction)
        if found is not None:
            return found.id
    raise NotFound(
        f"there is no node {text!r:.80} in this tenant; give an id, a key or Concept:<name>"
    )


def standing_node(
    type_name: str, keys: Sequence[str], *, transaction: Transaction
) -> Memory | None:
    """Return the first memory under one of some keys that is active, else that is a candidate."""
    found = [
        one
        for key in keys
        for one in transaction.memories.history(key)
        if one.type == type_name and one.status in (Status.ACTIVE, Status.CANDIDATE)
    ]
    return min(found, key=lambda one: one.status is not Status.ACTIVE, default=None)


def read_name(name: str, *, ports: Ports) -> NodeName:
    """Read `Concept:<name>` or `Entity:<name>`."""
    node, _, rest = str(name).partition(":")
    if node not in _BY_HAND or not rest.strip():
        known = " or ".join(f"{one}:<name>" for one in _BY_HAND)
        raise UsageError(f"{name!r:.60} is no node that can be added by hand; write {known}")
    type_name, field, kind = _BY_HAND[node]
    memory_type = ports.types.get(type_name)
    value = {field: rest.strip()}
    # Only a choice has options; the unknown kind comes last.
    options: Sequence[str] = getattr(memory_type.value.fields.get(kind), "options", ())
    kinds = sorted(options, key=lambda one: one == "other")
    values = [{kind: one, **value} for one in kinds] or [value]
    keys = [memory_type.key_of(one) for one in values]
    return NodeName(type_name, keys, dict(memory_type.complete(keys[-1], values[-1]).value))


def _type_and_keys(text: str, *, ports: Ports) -> tuple[str, Sequence[str]]:
    if text.partition(":")[0] in _BY_HAND:
        return read_name(text, ports=ports)[:2]
    try:
        return ports.types.by_key(text).name, [text]
    except UsageError:
        return "", []
