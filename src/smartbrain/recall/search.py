"""Asking one view: words in, nodes with their text out; a node in, those beside it out.

What `memctl search` and `brain.graph` show. Not recall: nothing is fused, ranked or packed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from smartbrain.domain.graph_search import Spread
from smartbrain.domain.search import Beside, Hit, IndexFilter, Scored
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.bundle import Ports
from smartbrain.ports.graph_index import GraphIndex
from smartbrain.ports.truth import Transaction
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.words import RAW, facets_of, passage_of
from smartbrain.text.query import text_query

_BY_WORDS: Final = ("text", "passages")


def search_words(
    words: str,
    *,
    follower: Follower,
    ports: Ports,
    view: str = "text",
    k: int = 10,
    only: IndexFilter | None = None,
    phrases: Sequence[str] = (),
) -> list[Hit]:
    """Return the memories, or the raw passages, that hold these words, best first."""
    _check_kind(words, str, "words")
    _check_kind(k, int, "k")
    if view not in _BY_WORDS:
        raise UsageError(f"{view!r:.60} cannot be searched by words; use one of {_BY_WORDS}")
    _check_ready(follower, view)
    index = follower.words(view)
    found = index.search(text_query(words, must=phrases), k=k, only=only)
    with ports.truth.read() as rows:
        shown = _passages(found, rows, ports) if view == "passages" else _memories(found, rows)
    return [replace(shown[num], score=score) for num, score in found if num in shown]


def beside(node: str, *, follower: Follower, ports: Ports, limit: int = 50) -> list[Beside]:
    """Return the nodes beside one, the strongest relation first."""
    _check_kind(node, str, "node")
    graph = graph_of(follower)
    with ports.truth.read() as rows:
        num = rows.followed.numbers([node]).get(node)
        near = graph.neighbours(num, limit=limit) if num is not None else []
        ids = rows.followed.ids([one.node for one in near])
        known = rows.memories.get(ids.values())
    found = []
    for one in near:
        memory = known.get(ids.get(one.node, ""))
        found.append(
            Beside(
                id=ids.get(one.node, ""),
                type=memory.type if memory else RAW,
                key=memory.key if memory else "",
                title=memory.title if memory else "",
                relation=one.type.value,
                weight=one.weight,
                outgoing=one.outgoing,
            )
        )
    return found


def spread_from(
    seeds: Mapping[str, float], how: Spread, *, follower: Follower, ports: Ports, ppr: bool
) -> list[tuple[str, float]]:
    """Return the nodes that activation reaches from seeds, by id, best first."""
    graph = graph_of(follower)
    with ports.truth.read() as rows:
        nums = rows.followed.numbers(list(seeds))
        wanted = {nums[name]: weight for name, weight in seeds.items() if name in nums}
        found = graph.spread(wanted, how) if ppr else graph.reach(wanted, how)
        ids = rows.followed.ids([one.num for one in found])
    return [(ids[one.num], one.score) for one in found if one.num in ids]


def graph_of(follower: Follower) -> GraphIndex:
    """Return the graph index."""
    _check_ready(follower, "graph")
    return follower.graph()


def _check_ready(follower: Follower, name: str) -> None:
    if follower.get(name) is None:
        place = follower.place(name)
        told = f"the view {name} is {place.state.value}: {place.reason}; try again"
        raise AdapterError(told, code="busy")


def _check_kind(given: object, kind: type, name: str) -> None:
    if type(given) is not kind:
        raise UsageError(f"{name} is {kind.__name__}, not {given!r:.60}")


def _memories(found: Sequence[Scored], rows: Transaction) -> dict[int, Hit]:
    return {
        row.num: Hit(
            id=row.id,
            kind="memory",
            type=row.type,
            key=row.key,
            title=row.title,
            text=row.text,
            at=row.said_at,
            source=facets_of(row, "").source,
        )
        for row in rows.followed.memories([one.num for one in found])
    }


def _passages(found: Sequence[Scored], rows: Transaction, ports: Ports) -> dict[int, Hit]:
    hits = {}
    for passage in rows.followed.passages([one.num for one in found]):
        document = passage_of(passage, ports.blobs)
        if document is not None:
            hits[passage.num] = Hit(
                id=passage.chunk.id,
                kind="passage",
                type=RAW,
                text=document.text,
                at=passage.chunk.stored_at,
            )
    return hits
