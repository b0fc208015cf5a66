"""What speaks for an insight: memories, turns, raw chunks, or places outside such as an address.

In: refs as a caller gives them. Out: the same, each known to lead somewhere if it is an id of ours,
and edges to the nodes among them. A hypothesis that nobody validated is no evidence.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.hints import shown
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.shapes import ListOf, Text, json_problem
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction

_REFS: Final = ListOf(Text(max_length=512), max_items=100)
_TURN: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MEMORY: Final = "mem_"
_RAW: Final = "raw_"


def check_evidence(
    evidence: object, *, transaction: Transaction, of: str | None = None
) -> tuple[str, ...]:
    """Return refs without repeats; `of` is the insight that they are to speak for.

    Raises:
        UsageError: they are no list of texts, or name what is no evidence.
        NotFound: an id among them leads nowhere.
    """
    if isinstance(evidence, str):
        raise UsageError(f"evidence is the text {shown(evidence)}; give a list of ids")
    problem = json_problem(evidence, "evidence") or _REFS.problem(evidence, "evidence")
    if problem or not isinstance(evidence, list | tuple):
        raise UsageError(str(problem))
    refs = tuple(dict.fromkeys(one.strip() for one in evidence))
    memories = transaction.memories.get([one for one in refs if one.startswith(_MEMORY)])
    chunks = transaction.raw.get([one for one in refs if one.startswith(_RAW)])
    for one in refs:
        if one.startswith((_MEMORY, _RAW)) and one not in memories and one not in chunks:
            raise NotFound(f"evidence names {one!r:.80}, which is not in this tenant")
        if _TURN.fullmatch(one):
            transaction.events.turn(one)
    for memory in memories.values():
        if memory.id == of:
            raise UsageError("an insight cannot be its own evidence; name what speaks for it")
        if memory.type == "insights" and memory.status is not Status.ACTIVE:
            raise UsageError(f"evidence {memory.id} is an insight that nobody has validated")
    return refs


def link_evidence(insight: Memory, at: datetime, *, transaction: Transaction) -> None:
    """Tie a validated insight to the memories and raw chunks that speak for it."""
    edges = []
    for ref in insight.evidence_refs:
        if ref.startswith(_MEMORY):
            edges.append((ref, EdgeType.SUPPORTS, insight.id))
        elif ref.startswith(_RAW):
            edges.append((insight.id, EdgeType.DERIVED_FROM, ref))
    transaction.edges.add(
        [
            Edge(
                id=edge_id(src, kind, dst),
                src=src,
                dst=dst,
                type=kind,
                created_at=at,
                updated_at=at,
            )
            for src, kind, dst in edges
        ]
    )
