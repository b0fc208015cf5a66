"""What speaks for an insight: memories, turns, raw chunks, or places outside such as an address.

In: refs as a caller gives them. Out: the same, each known to lead somewhere if it is an id of ours,
or shaped like an address or a path, and edges to the nodes among them. Neither a hypothesis that
nobody validated nor a sentence is evidence.
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
_OUTSIDE: Final = re.compile(
    # An address, a path of some folders, or the name of a file with its ending, also at a line.
    r"[A-Za-z][A-Za-z0-9+.-]*://\S.*|(?:file|doi|urn|isbn|arxiv|mailto):\S+"
    r"|(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)\S.*|[^\s/\\]+(?:[/\\][^\s/\\]+)+[/\\]?"
    r"|[^\s/\\]+\.[A-Za-z][A-Za-z0-9]{0,7}(?:(?::|\#L?)\d+)?",
    re.DOTALL,
)
_WHAT: Final = (
    "the id of a memory, raw chunk, turn, message, tool call, artifact or session, the key of a"
    " memory, an address such as https://…, or the path of a file"
)
_MEMORY: Final = "mem_"
_RAW: Final = "raw_"


def check_evidence(
    evidence: object, *, transaction: Transaction, of: str | None = None
) -> tuple[str, ...]:
    """Return refs without repeats; `of` is the insight that they are to speak for.

    Raises:
        UsageError: they are no list of texts, or one is neither an id, an address nor a path.
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
        if not one.startswith((_MEMORY, _RAW)):
            _check_place(one, transaction=transaction)
    for memory in memories.values():
        if memory.id == of:
            raise UsageError("an insight cannot be its own evidence; name what speaks for it")
        if memory.type == "insights" and not _stands(memory):
            raise UsageError(f"evidence {memory.id} is an insight that nobody has validated")
    return refs


def _stands(insight: Memory) -> bool:
    """Tell whether somebody has validated an insight."""
    return insight.status is Status.ACTIVE and insight.value.get("validated") is True


def _check_place(ref: str, *, transaction: Transaction) -> None:
    """Refuse what leads nowhere: an id that nothing has, or words that are no address."""
    name = ref.removeprefix("chat:").removeprefix("tool:")
    if _is_known(name, transaction=transaction):
        return
    if _TURN.fullmatch(name) or name != ref:
        raise NotFound(f"evidence names {ref!r:.80}, which is not in this tenant")
    if not _OUTSIDE.fullmatch(ref):
        raise UsageError(f"evidence {shown(ref)} names nothing; give {_WHAT}")


def _is_known(name: str, *, transaction: Transaction) -> bool:
    """Tell whether this tenant has a turn, message, call, session or memory key of a name."""
    sources = transaction.sources
    return (
        sources.said_in(name) is not None
        or sources.called_in(name) is not None
        or transaction.events.last_turn(name) is not None
        or bool(transaction.recalled.keyed([name]))
    )


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
