"""The calls of the graph memory specification: nodes, edges, ingest, recall, feedback (GRA 9.1).

In: bodies as printed there. Out: what became of each, with the fields that decide nothing here in
`ignored`. Jobs that do not exist yet are refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast

import msgspec
from msgspec import Struct

from smartbrain.domain.builtin_types import Episodes
from smartbrain.domain.graph import Edge
from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.inputs import FeedbackName
from smartbrain.domain.memory import Memory
from smartbrain.domain.recall import Recall
from smartbrain.domain.result import CommitResult
from smartbrain.domain.types import BUILTIN_TYPES, NodeKind
from smartbrain.entrypoints.wire.errors import Refusal
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain import SmartBrain

SESSION: Final = "memory"
"""The conversation of what comes without one."""


class GraphCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every call names: whose memory it is."""

    tenant_id: str = "default"


class NodeBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A node; `key` and `value` are for those that have them, such as facts and preferences."""

    type: str
    text: str = ""
    key: str | None = None
    value: dict[str, Any] | None = None
    session_id: str = SESSION
    keywords: list[str] | None = None
    importance: float | None = None


class NodeCall(GraphCall, frozen=True, kw_only=True):
    """Create or update a node."""

    node: NodeBody


class EdgeBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An edge between two nodes."""

    src: str
    dst: str
    type: str
    weight: float = 1.0


class EdgeCall(GraphCall, frozen=True, kw_only=True):
    """Create an edge."""

    edge: EdgeBody


class SpokenTurn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was asked and what was answered; `meta` may name `session_id` and `at`."""

    input: str
    output: str = ""
    meta: dict[str, Any] = {}


class IngestCall(GraphCall, frozen=True, kw_only=True):
    """Take in a turn of a conversation."""

    turn: SpokenTurn


class QueryBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is looked for."""

    text: str
    timebox_days: float | None = None
    since: str | None = None
    until: str | None = None
    session_id: str | None = None
    types: list[str] | None = None


class BudgetBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much an answer may take."""

    tokens: int | None = None


class OptionsBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How it is looked for."""

    k: int = 20
    k_hop: int = 2
    need_citations: bool = True


class RecallCall(GraphCall, frozen=True, kw_only=True):
    """Ask memory."""

    query: QueryBody
    budget: BudgetBody = BudgetBody()
    options: OptionsBody = OptionsBody()


class FeedbackCall(GraphCall, frozen=True, kw_only=True):
    """Say what a node was worth."""

    node_id: str
    action: str


class JobCall(GraphCall, frozen=True, kw_only=True):
    """Start a job."""

    strategy: str | None = None
    policy: str | None = None
    params: dict[str, Any] = {}


class NodeAnswer(Struct, frozen=True, kw_only=True):
    """The memories that a node became; an episode names its turn too."""

    id: str | None
    ids: list[str]
    turn_id: str | None = None
    ignored: tuple[str, ...] = ()


class IngestAnswer(CommitResult, frozen=True, kw_only=True):
    """What a commit answers, and which fields decided nothing."""

    ignored: tuple[str, ...] = ()


class GraphRoute(NamedTuple):
    """One call: the shape of its body, what it does, and the kind of its answer, if it has one."""

    body: type[Any]
    run: Callable[[Any, Any], Any]
    answers: tuple[type[Any], ...] = ()

    @property
    def kinds(self) -> tuple[type[Any], ...]:
        """All kinds of what it takes and gives."""
        return (self.body, *self.answers)


def add_node(brain: SmartBrain, call: NodeCall) -> NodeAnswer:
    """Create or update a node, and return its id.

    An episode is said in its session; an entity or a concept is a name; anything else is written
    under its key, or without one read as a statement of the user.
    """
    node = call.node
    kinds = {kind.value: kind for kind in NodeKind}
    if node.type not in kinds:
        near = did_you_mean(node.type, kinds)
        raise UsageError(f"node.type is {node.type!r:.60}{near}; give one of {', '.join(kinds)}")
    ignored = [
        f"node.{name}: it is worked out from what is said"
        for name in ("keywords", "importance")
        if getattr(node, name) is not None
    ]
    turn: str | None = None
    if kinds[node.type] in (NodeKind.ENTITY, NodeKind.CONCEPT):
        ids = [brain.graph.add_node(f"{node.type}:{node.text or node.key or ''}").id]
    elif node.key is None and kinds[node.type] is NodeKind.EPISODE:
        message = {"role": "user", "content": node.text}
        committed = brain.commit_turn(node.session_id, [message])
        ids, turn = _episode(brain, committed), committed.turn_id
    else:
        if node.key is not None:
            kept_as = BUILTIN_TYPES.by_key(node.key).name
            result = brain.memories.put(kept_as, node.key, node.value or {})
        else:
            result = brain.remember(node.text, session_id=node.session_id)
        ids = [one.id for one in result.memory_written.items]
    return NodeAnswer(id=ids[0] if ids else None, ids=ids, turn_id=turn, ignored=(*ignored,))


def add_edge(brain: SmartBrain, call: EdgeCall) -> Edge:
    """Create an edge."""
    edge = call.edge
    return brain.graph.add_edge(edge.src, edge.type, edge.dst, edge.weight)


def ingest_turn(brain: SmartBrain, call: IngestCall) -> IngestAnswer:
    """Commit a turn of a conversation."""
    turn, meta = call.turn, dict(call.turn.meta)
    session, at = meta.pop("session_id", SESSION), meta.pop("at", None)
    spoken = {"user": turn.input, "assistant": turn.output}
    messages = [{"role": role, "content": text} for role, text in spoken.items() if text]
    result = brain.commit_turn(session, {"messages": messages, **({"at": at} if at else {})})
    ignored = [f"turn.meta.{name}: it is told from the words" for name in meta]
    return IngestAnswer(**msgspec.structs.asdict(result), ignored=(*ignored,))


def recall_nodes(brain: SmartBrain, call: RecallCall) -> Recall:
    """Ask memory, within a budget."""
    query = {name: getattr(call.query, name) for name in call.query.__struct_fields__}
    options = {name: getattr(call.options, name) for name in call.options.__struct_fields__}
    text = query.pop("text")
    return brain.recall(text, budget_tokens=call.budget.tokens, **query, **options)


def give_feedback(brain: SmartBrain, call: FeedbackCall) -> Memory:
    """Take what somebody says of a node."""
    return brain.feedback(call.node_id, cast(FeedbackName, call.action))


def refuse_job(brain: SmartBrain, call: JobCall) -> NoReturn:
    """Say that a job does not exist yet."""
    del brain, call
    raise Refusal(
        "not_built",
        "This job does not exist yet; nothing was changed. Memories are folded as turns come in,"
        " and `memctl sweep` lets originals grow old.",
    )


CALLS: Final[Mapping[str, GraphRoute]] = {
    "/memory/nodes": GraphRoute(NodeCall, add_node, (NodeAnswer,)),
    "/memory/edges": GraphRoute(EdgeCall, add_edge, (Edge,)),
    "/memory/ingest": GraphRoute(IngestCall, ingest_turn, (IngestAnswer,)),
    "/memory/recall": GraphRoute(RecallCall, recall_nodes, (Recall,)),
    "/memory/consolidate": GraphRoute(JobCall, refuse_job),
    "/memory/decay": GraphRoute(JobCall, refuse_job),
    "/feedback": GraphRoute(FeedbackCall, give_feedback, (Memory,)),
}
"""Each call by its path."""
CREATING: Final = frozenset({"/memory/nodes", "/memory/ingest"})
"""Calls that begin a tenant which is not there."""


def read_call(path: str, given: Mapping[str, Any]) -> Any:
    """Return the body of a call, checked."""
    try:
        return msgspec.convert(given, CALLS[path].body)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}") from None


def _episode(brain: SmartBrain, result: CommitResult) -> list[str]:
    kept = [one.key for one in result.explain.retention if one.type == Episodes.name and one.key]
    return [brain.memories.get(key).id for key in kept]
