"""How edges are written in arrays: small whole numbers, and what the numbers mean.

In: edges as the port gives them. Out: edges as columns, slots (an edge as one of its ends sees it)
as lines, and tables that say by an edge's kind what counts. A kind is an edge's type, its layers
and, in a slot, whether the edge points away from the node, packed into one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import (
    WEIGHT_UNITS,
    GraphEdge,
    GraphLayer,
    Neighbour,
    Spread,
    weight_units,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Edges = NDArray[np.uint32]
"""Columns in the order of the fields of Held."""
Slots = NDArray[np.uint32]
"""One slot a line: NODE, EDGE, WEIGHT, KIND."""

NODE, EDGE, WEIGHT, KIND = range(4)

KINDS: Final = 512
"""How many kinds there can be."""
OUTGOING: Final = 256
"""The bit in the kind of a slot whose node is the edge's source."""
REMOVED: Final = KINDS
"""The kind of a record that takes its edge away."""

_LOW: Final = 2**32 - 1
_TYPES: Final = tuple(EdgeType)
FORM: Final = f"{KINDS} kinds of {' '.join(_TYPES)}"
"""What saved kinds mean; files of another form are built anew."""
_CODES: Final = {kind: code for code, kind in enumerate(_TYPES)}
_LAYER_SHIFT: Final = 5
_CODE_OF: Final = np.arange(KINDS) & ((1 << _LAYER_SHIFT) - 1)
_LAYERS_OF: Final = np.arange(KINDS) >> _LAYER_SHIFT & (OUTGOING >> _LAYER_SHIFT) - 1


class Held(NamedTuple):
    """An edge as it is kept; its kind REMOVED takes away what has this number."""

    num: int
    src: int = 0
    dst: int = 0
    weight: int = 0
    kind: int = REMOVED


def held(edge: GraphEdge) -> Held:
    """Return an edge in the units and codes that the index keeps."""
    num, src, dst, kind, weight, layers = edge
    return Held(num, src, dst, weight_units(weight), _CODES[kind] | int(layers) << _LAYER_SHIFT)


def columns(edges: Iterable[Held]) -> Edges:
    """Return edges as columns."""
    return np.array([*edges], np.uint32).reshape(-1, len(Held._fields)).T


def neighbour(slot: Slots) -> Neighbour:
    """Return a slot as the port gives it."""
    node, edge, weight, kind = slot.tolist()
    edge_type = _TYPES[int(_CODE_OF[kind])]
    return Neighbour(node, edge, edge_type, weight / WEIGHT_UNITS, bool(kind & OUTGOING))


def strongest(slots: Slots, where: Ints) -> Ints:
    """Return the order of slots by their node, then by strength; ties by the lower edge number."""
    order = np.arange(len(slots))
    for keys in (slots[:, EDGE], ~slots[:, WEIGHT], where):
        order = order[sorted_pairs(keys[order], np.arange(len(order)))[1]]
    return order


def sorted_pairs(high: NDArray[Any], low: NDArray[Any]) -> tuple[Ints, Ints]:
    """Sort pairs of numbers below 2**32 as one number each, which beats any argsort."""
    packed = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
    packed.sort()
    return (packed >> np.uint64(32)).astype(np.int64), (packed & np.uint64(_LOW)).astype(np.int64)


def gains(multipliers: Mapping[EdgeType, float], layer: GraphLayer) -> Floats:
    """Return what a weight is multiplied by, by the edge's kind; 0 if it does not count."""
    by_code = np.zeros(1 << _LAYER_SHIFT)
    by_code[: len(_TYPES)] = [multipliers.get(kind, 0.0) for kind in _TYPES]
    table: Floats = by_code[_CODE_OF] * ((_LAYERS_OF & int(layer)) != 0)
    return table


@lru_cache(maxsize=16)  # as many as rules differ in; walk after walk goes by the same
def gains_of(
    types: tuple[EdgeType, ...],
    weights: tuple[tuple[EdgeType, float], ...],
    other: float,
    layer: GraphLayer,
) -> Floats:
    """Return the gains of a spread, to be read only, by what it says of types and layer."""
    how = Spread(types=types, type_weights=dict(weights), other_weight=other)
    return gains(how.multipliers(), layer)


def admitted(types: Sequence[EdgeType], layer: GraphLayer) -> Bools:
    """Return whether an edge is to be seen, by its kind; all types where none is named."""
    return gains(dict.fromkeys(types or _TYPES, 1.0), layer) > 0


def by_type(counts: Ints) -> dict[str, int]:
    """Return how many edges there are of each type that there is, from counts by kind."""
    sums = np.bincount(_CODE_OF, weights=counts, minlength=len(_TYPES)).tolist()
    return {kind.value: int(count) for kind, count in zip(_TYPES, sums, strict=False) if count}


def by_layer(counts: Ints) -> dict[str, int]:
    """Return how many edges there are in each layer that has any, from counts by kind."""
    sums = {str(layer.name): int(counts[(_LAYERS_OF & layer) != 0].sum()) for layer in GraphLayer}
    return {name: count for name, count in sums.items() if count}
