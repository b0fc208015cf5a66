"""The graph side of memory: node kinds, edge types and the edge record (M1, M5).

A memory version, a raw chunk and later a document section are nodes; an edge says how two of them
relate, how strongly, since when and on whose word. Traversal lives in the graph index, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec import field

from smartbrain.domain.ids import derive
from smartbrain.domain.record import Record


class NodeKind(StrEnum):
    """What a node stands for."""

    FACT = "Fact"
    PREFERENCE = "Preference"
    TASK = "Task"
    ENTITY = "Entity"
    CONCEPT = "Concept"
    EPISODE = "Episode"
    PROCEDURE = "Procedure"
    INSIGHT = "Insight"
    META = "Meta"
    RAW = "Raw"


class EdgeType(StrEnum):
    """How one node relates to another; the last nine are semantic roles of a statement."""

    TEMPORAL_NEXT = "TEMPORAL_NEXT"
    ABOUT = "ABOUT"
    MENTIONS = "MENTIONS"
    CAUSES = "CAUSES"
    CAUSED_BY = "CAUSED_BY"
    SUPPORTS = "SUPPORTS"
    CONTRADICTS = "CONTRADICTS"
    DERIVED_FROM = "DERIVED_FROM"
    REFERS_TO = "REFERS_TO"
    SIMILAR_TO = "SIMILAR_TO"
    SAME_AS = "SAME_AS"
    VERSION_NEXT = "VERSION_NEXT"
    ACTIVE_OF = "ACTIVE_OF"
    AGENT = "AGENT"
    PATIENT = "PATIENT"
    LOCATION = "LOCATION"
    TIME = "TIME"
    MANNER = "MANNER"
    INSTRUMENT = "INSTRUMENT"
    RECIPIENT = "RECIPIENT"
    CAUSE = "CAUSE"
    BENEFICIARY = "BENEFICIARY"


class Tier(StrEnum):
    """Where an edge is served from: `hot` edges take part in online recall, `cold` ones do not."""

    HOT = "hot"
    COLD = "cold"


AGGREGATE: Final = "aggregate"
"""The attribute of a stored sum of edges between two concepts: it belongs to their layer alone."""


class Provenance(Record, frozen=True):
    """Who made a memory or an edge, and with which version of its rules."""

    creator: str = "smartbrain"
    version: int = 1


class Edge(Record, frozen=True, kw_only=True):
    """One directed relation between two nodes, named by their ids."""

    id: str
    src: str
    dst: str
    type: EdgeType
    weight: float = 1.0
    confidence: float = 1.0
    since: datetime | None = None
    until: datetime | None = None
    provenance: Provenance = Provenance()
    tier: Tier = Tier.HOT
    attrs: Mapping[str, Any] = field(default_factory=dict)
    tenant_id: str = ""
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None


def edge_id(src: str, kind: EdgeType, dst: str) -> str:
    """Return the id of the edge between two nodes: the same relation is always the same edge.

    A version leads to one that stands, whichever that comes to be, so that edge is one as well.
    """
    if kind is EdgeType.ACTIVE_OF:
        return f"edge_active_of_{src}"
    return derive("edge", src, kind, dst)
