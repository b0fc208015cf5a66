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
_UNKNOWN: Final = "other"


class Called(NamedTuple):
    """The type of a node, the keys that it may have, and the value of the last of them."""

    type: str
    keys: Sequence[str]
    value: dict[str, Any]


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


def read_name(name: str, *, ports: Ports) -> Called:
    """Read `Concept:<name>` or `Entity:<name>`.

    Raises:
        UsageError: it is neither.
    """
    node, _, rest = str(name).partition(":")
    if node not in _BY_HAND or not rest.strip():
        options = " or ".join(f"{one}:<name>" for one in _BY_HAND)
        raise UsageError(f"{name!r:.60} is no node that can be added by hand; write {options}")
    type_name, field, kind = _BY_HAND[node]
    memory_type = ports.types.get(type_name)
    value = {field: rest.strip()}
    values = [{kind: one, **value} for one in _kinds(memory_type.value.fields.get(kind))] or [value]
    keys = [memory_type.key_of(one) for one in values]
    return Called(type_name, keys, dict(memory_type.complete(keys[-1], values[-1]).value))


def _kinds(shape: object) -> list[str]:
    """Return the kinds of something, the unknown one last; only a choice has options."""
    options: Sequence[str] = getattr(shape, "options", ())
    return sorted(options, key=lambda one: one == _UNKNOWN)


def _type_and_keys(text: str, *, ports: Ports) -> tuple[str, Sequence[str]]:
    """Return the type and the keys of a node; no type where no key begins so."""
    if text.partition(":")[0] in _BY_HAND:
        called = read_name(text, ports=ports)
        return called.type, called.keys
    try:
        return ports.types.by_key(text).name, [text]
    except UsageError:
        return "", []
