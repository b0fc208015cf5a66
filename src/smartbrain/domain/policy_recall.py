"""Rules of reading: how recall searches and scores, and what a memory packet may hold.

In: nothing. Out: frozen dataclasses whose field defaults are the defaults of brain.yml's `recall`
and `packet` sections. Not the search itself, and not the budget of the final context.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from smartbrain.domain.graph import EdgeType, NodeKind
from smartbrain.domain.policy_field import setting

_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (1, 10_000)
_DAYS: Final = (1, 36_500)
_TOKENS_ONCE: Final = 512  # of a context for which the limits of a packet are enough
_MOST_TIMES: Final = 5.0

_EDGE_WEIGHTS: Final[dict[str, float]] = {
    EdgeType.ABOUT: 1.0,
    EdgeType.SUPPORTS: 0.8,
    EdgeType.SIMILAR_TO: 0.5,
    EdgeType.TEMPORAL_NEXT: 0.3,
    EdgeType.MENTIONS: 0.6,
    EdgeType.SAME_AS: 1.0,
    EdgeType.ACTIVE_OF: 1.0,
    EdgeType.REFERS_TO: 0.6,
    EdgeType.CAUSES: 0.6,
    EdgeType.CAUSED_BY: 0.6,
    EdgeType.CONTRADICTS: 0.5,
    EdgeType.DERIVED_FROM: 0.5,
    EdgeType.VERSION_NEXT: 0.3,
    EdgeType.CAUSE: 0.6,
    EdgeType.TIME: 0.2,
    EdgeType.MANNER: 0.2,
}
_ROLE_WEIGHT: Final = 0.5

_TAU_DAYS: Final[dict[str, float]] = {
    NodeKind.EPISODE: 14.0,
    NodeKind.FACT: 90.0,
    NodeKind.CONCEPT: 180.0,
    NodeKind.PREFERENCE: 180.0,
    NodeKind.ENTITY: 90.0,
    NodeKind.TASK: 30.0,
    NodeKind.PROCEDURE: 180.0,
    NodeKind.INSIGHT: 14.0,
    NodeKind.META: 180.0,
    NodeKind.RAW: 14.0,
}

_PER_KIND: Final[dict[str, int]] = {
    NodeKind.EPISODE: 200,
    NodeKind.FACT: 150,
    NodeKind.CONCEPT: 100,
    NodeKind.PREFERENCE: 100,
}


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """How much each signal counts in a candidate's score."""

    text: float = setting(0.7, "Weight of the words in common.", _SHARE)
    vector: float = setting(0.45, "Weight of the nearness in meaning.", _SHARE)
    graph: float = setting(0.04, "Weight of the nearness in the graph.", _SHARE)
    weight: float = setting(
        0.05, "Weight of how easily the memory comes to mind (node_weight).", _SHARE
    )
    recency: float = setting(0.0, "Weight of how recent it is.", _SHARE)
    coverage: float = setting(0.25, "Weight of how much of the question it says itself.", _SHARE)
    attributes: float = setting(0.2, "Weight of telling an attribute that is asked for.", _SHARE)
    session: float = setting(
        1.0, "Weight of how much of the question its whole session speaks of.", _SHARE
    )
    raw: float = setting(0.5, "What a hit in original words counts of one in memories.", _SHARE)


@dataclass(frozen=True, slots=True)
class ProfilesRules:
    """Named sets of score weights; `recall.profile` picks one."""

    measured: ScoreRules = setting(ScoreRules(), "The weights that measured best.")
    source: ScoreRules = setting(
        ScoreRules(
            text=0.2, vector=0.4, graph=0.3, weight=0.1, coverage=0.0, attributes=0.0, session=0.0
        ),
        "Weights that lean on meaning and on the graph.",
    )
    mvp: ScoreRules = setting(
        ScoreRules(
            text=0.7,
            vector=0.0,
            graph=0.0,
            weight=0.0,
            recency=0.3,
            coverage=0.0,
            attributes=0.0,
            session=0.0,
        ),
        "Words and age alone, as in `memctl recall --mvp`.",
    )


@dataclass(frozen=True, slots=True)
class VectorRules:
    """The search by meaning; it joins when an embedder is there."""

    enabled: bool = setting(True, "Whether vectors are searched; false takes effect at once.")
    index: str = setting(
        "auto",
        "Which index is built; auto decides by size.",
        choices=("auto", "exact", "binary", "ivf_sq8"),
    )
    embedders: tuple[str, ...] = setting(
        (), "Embedders, such as onnx:models/bge-zh, where open is given none."
    )
    deadline_ms: int = setting(2_000, "Longest wait for an embedder, in milliseconds.", (1, 60_000))
    per_kind: Mapping[str, int] = setting(
        _PER_KIND, "Nearest neighbours read, by node kind.", _COUNT, choices=tuple(NodeKind)
    )


@dataclass(frozen=True, slots=True)
class GraphRules:
    """The spread over the graph from what was found."""

    enabled: bool = setting(True, "Whether recall spreads over the graph.")
    k_hop: int = setting(2, "How many edges it may follow.", (0, 4))
    degree_cap: int = setting(50, "Most edges followed from one node.", _COUNT)
    use_l2: bool = setting(False, "Whether the layer of concepts is searched first.")
    edge_weights: Mapping[str, float] = setting(
        {one: _EDGE_WEIGHTS.get(one, _ROLE_WEIGHT) for one in EdgeType},
        "How readily the spread follows an edge, by its type.",
        _SHARE,
        choices=tuple(EdgeType),
    )


@dataclass(frozen=True, slots=True)
class RawTriggerRules:
    """When recall goes to the original words."""

    low_coverage_topn: int = setting(
        10, "Hits below which the originals are searched.", (0, 10_000)
    )
    low_concentration: float = setting(
        0.6, "Concentration of scores below which they are searched.", _SHARE
    )
    pattern_tokens: tuple[str, ...] = setting(
        ("hex", "uuid", "url", "path", "code", "error_code", "long_number"),
        "Kinds of tokens in a query for which they are searched.",
        choices=("hex", "uuid", "url", "path", "code", "error_code", "long_number"),
    )


@dataclass(frozen=True, slots=True)
class RawRecallRules:
    """The search in original passages, returned as quotations."""

    enabled: bool = setting(True, "Whether the originals may be searched at all.")
    top_k: int = setting(100, "Passages read.", _COUNT)
    trigger: RawTriggerRules = RawTriggerRules()


@dataclass(frozen=True, slots=True)
class NodeWeightRules:
    """How easily a memory comes to mind."""

    importance: float = setting(0.3, "Weight of its importance.", _SHARE)
    frequency: float = setting(0.1, "Weight of log(1 + how often it was said).", _SHARE)
    recency: float = setting(0.3, "Weight of exp(-age / tau).", _SHARE)
    emotion: float = setting(0.1, "Weight of how strongly it was felt.", _SHARE)
    feedback: float = setting(0.2, "Weight of pins, upvotes and downvotes.", _SHARE)
    staleness: float = setting(0.1, "Weight of being out of date, which is taken off.", _SHARE)
    tau_days: Mapping[str, float] = setting(
        _TAU_DAYS,
        "Days in which recency falls to 37 %, by node kind.",
        (0.01, 36_500.0),
        choices=tuple(NodeKind),
    )


@dataclass(frozen=True, slots=True)
class RecallRerankRules:
    """A last look at the best hits, by a model that reads them."""

    enabled: bool = setting(True, "Whether the reranker is asked; false takes effect at once.")
    model: str | None = setting(None, "Such as onnx:models/reranker, where open is given none.")
    top_n: int = setting(50, "How many of the best hits it reads.", _COUNT)
    deadline_ms: int = setting(
        150, "Longest wait for it, in milliseconds; then the order stays.", (1, 60_000)
    )
    weight: float = setting(0.7, "Its say in the order against the score so far.", _SHARE)


@dataclass(frozen=True, slots=True)
class RecallRules:
    """How memory is searched and what ranks first."""

    profile: str = setting(
        "measured", "The set of score weights in use.", choices=("measured", "source", "mvp")
    )
    use_node_index: bool = setting(
        True, "Whether the text index is used; else keywords and entities."
    )
    max_k: int = setting(100, "Most items one recall may return.", _COUNT)
    mmr: float = setting(0.7, "Relevance against variety: the lower, the more variety.", _SHARE)
    recency_days: float = setting(
        30.0, "Age in days up to which a memory is ranked higher.", (0.0, 36_500.0)
    )
    user_boost: float = setting(
        1.5, "Factor by which the user's words beat the assistant's.", (0.1, 10.0)
    )
    speaker_boost: float = setting(
        1.15, "Factor for what somebody said whom the question names.", (1.0, 10.0)
    )
    time_boost: float = setting(
        2.0, "Factor for what was said when the question says.", (1.0, 10.0)
    )
    scope_boost: float = setting(
        2.0, "Factor for what names a place that the question asks to stay in.", (1.0, 10.0)
    )
    feedback_boost: float = setting(
        1.5, "Factor for what is pinned; votes count for less, and against.", (1.0, 10.0)
    )
    ready_timeout: float = setting(
        30.0, "Longest wait, in seconds, for indexes to open and catch up.", (0.0, 600.0)
    )
    deadline_ms: int | None = setting(
        None, "Milliseconds until a recall answers without what is late.", (0, 600_000)
    )
    profiles: ProfilesRules = ProfilesRules()
    vector: VectorRules = VectorRules()
    graph: GraphRules = GraphRules()
    raw: RawRecallRules = RawRecallRules()
    rerank: RecallRerankRules = RecallRerankRules()
    node_weight: NodeWeightRules = NodeWeightRules()

    @property
    def patience(self) -> float:
        """How many seconds a recall waits for what this machine does."""
        return self.deadline_ms / 1000 if self.deadline_ms else self.ready_timeout

    def switches(self) -> dict[str, tuple[str, bool]]:
        """Return the setting of each view that needs no model, and whether it may answer."""
        return {
            "text": ("recall.use_node_index", self.use_node_index),
            "passages": ("recall.raw.enabled", self.raw.enabled),
            "graph": ("recall.graph.enabled", self.graph.enabled),
        }


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """How old episodes are shown, and which are volunteered."""

    raw_days: int = setting(7, "Age in days up to which an episode is shown as it was.", _DAYS)
    phase_days: int = setting(
        30, "Age up to which it is shown as a phase, on a cue.", _DAYS, at_least="raw_days"
    )
    milestone_days: int = setting(
        90,
        "Age up to which it is shown as a milestone, on a strong cue.",
        _DAYS,
        at_least="phase_days",
    )
    window_days: int = setting(30, "Age in days up to which episodes are volunteered.", _DAYS)
    compress_above: int = setting(30, "Candidates above which episodes are compressed.", _COUNT)
    rare_word_share: float = setting(
        0.05, "A word in at most this share of episodes is a strong cue.", _SHARE
    )


@dataclass(frozen=True, slots=True)
class ResponderRules:
    """What a packet for answering may hold besides."""

    procedures: bool = setting(False, "Whether procedures are included.")
    window: bool = setting(False, "Whether the short-term window is included.")


@dataclass(frozen=True, slots=True)
class PacketRules:
    """What one memory packet may hold."""

    max_candidates: int = setting(100, "Most items of all types together.", _COUNT)
    max_per_type: int = setting(30, "Most items of one type.", _COUNT)
    max_facts: int = setting(30, "Most facts.", (0, 10_000))
    max_episodes: int = setting(20, "Most episodes.", (0, 10_000))
    max_insights: int = setting(10, "Most insights.", (0, 10_000))
    max_procedures: int = setting(5, "Most procedures of the task's type.", (0, 10_000))
    floor: float = setting(
        0.2, "Chance of answering below which nothing found comes to mind.", _SHARE
    )
    episodes: EpisodeRules = EpisodeRules()
    responder: ResponderRules = ResponderRules()

    def for_context(self, limit: int) -> PacketRules:
        """Return the rules of what a context of so many tokens is chosen from."""
        grows = min(_MOST_TIMES, max(1.0, limit / _TOKENS_ONCE))
        most = int(grows * self.max_episodes)
        return replace(
            self,
            max_candidates=self.max_candidates + most - self.max_episodes,
            max_per_type=int(grows * self.max_per_type),
            max_episodes=most,
        )
