"""Rules of the jobs that run over time: when they run and the numbers they decide by.

In: nothing. Out: frozen dataclasses whose field defaults are the defaults of brain.yml's `jobs`.
Every job has `enabled` and `every_hours` for the schedule of the server. Not the jobs themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.policy_field import setting
from smartbrain.domain.work import WorkKind

_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (1, 10_000)
_DAYS: Final = (1, 36_500)
_HOURS: Final = (0.1, 8_760.0)
_ENABLED: Final = "Whether the server runs it on schedule."
_EVERY: Final = "Hours between two runs."


@dataclass(frozen=True, slots=True)
class PromoteRules:
    """Moves memories from short to mid to long term."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(6.0, _EVERY, _HOURS)
    short_days: int = setting(
        7, "Age in days at which a short-term memory becomes mid-term.", _DAYS
    )
    hit_protection_days: int = setting(3, "Days by which each hit puts that off.", (0, 36_500))
    theme_repeats: int = setting(3, "Times a theme is seen that make it mid-term sooner.", _COUNT)
    long_min_sessions: int = setting(2, "Fewest sessions that agree on a long-term memory.", _COUNT)
    long_min_confidence: float = setting(0.8, "Least confidence of a long-term memory.", _SHARE)
    long_min_sources: int = setting(2, "Fewest sources of a long-term memory.", _COUNT)


@dataclass(frozen=True, slots=True)
class ConsolidateRules:
    """Finds themes and habits and merges duplicates."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(24.0, _EVERY, _HOURS)
    communities: str = setting(
        "label_propagation",
        "How themes are found; leiden needs the extra of that name.",
        choices=("label_propagation", "leiden"),
    )
    min_cluster: int = setting(5, "Fewest memories that make a theme.", (2, 10_000))
    habit_min_repeats: int = setting(3, "Fewest repetitions that make a habit.", (2, 10_000))
    habit_min_score: float = setting(
        0.5, "How regular a habit must be; 1 is like clockwork.", _SHARE
    )


@dataclass(frozen=True, slots=True)
class CompressRules:
    """Compresses episodes at the ages of `packet.episodes`."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(24.0, _EVERY, _HOURS)
    drop_themes_after_days: int | None = setting(
        None, "Age at which themes are dropped; null: never.", _DAYS
    )


@dataclass(frozen=True, slots=True)
class DecayRules:
    """Archives what is no longer reached and ages the original text."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(24.0, _EVERY, _HOURS)
    archive_below: float = setting(0.05, "Weight below which a memory is archived.", _SHARE)
    procedure_unused_days: int = setting(
        180, "Days unused after which a procedure is dropped.", _DAYS
    )
    procedure_min_uses: int = setting(
        3, "Uses that save a procedure from being dropped.", (0, 10_000)
    )


@dataclass(frozen=True, slots=True)
class VerifyRules:
    """Weighs facts against their evidence again."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(24.0, _EVERY, _HOURS)
    external: bool = setting(False, "Whether a configured outside checker is asked.")


@dataclass(frozen=True, slots=True)
class OptimiseRules:
    """Keeps the graph sparse; pruned edges go cold."""

    enabled: bool = setting(True, _ENABLED)
    every_hours: float = setting(24.0, _EVERY, _HOURS)
    prune_after_days: int = setting(90, "Age in days from which weak edges are pruned.", _DAYS)
    prune_confidence: float = setting(0.3, "Confidence below which an edge is weak.", _SHARE)
    prune_weight: float = setting(0.2, "Weight below which an edge is weak.", _SHARE)
    trigger_degree: float = setting(
        500.0, "Average SIMILAR_TO edges of a node that start it at once.", (1.0, 1e6)
    )
    trigger_fragmentation: float = setting(
        0.25, "Dead share of an index that starts it at once.", _SHARE
    )
    degree_caps: Mapping[str, int] = setting(
        {EdgeType.ABOUT: 256, EdgeType.SIMILAR_TO: 64},
        "Most edges that a node keeps, by type.",
        (1, 1_000_000),
        choices=tuple(EdgeType),
    )


@dataclass(frozen=True, slots=True)
class JobsRules:
    """Work that runs beside the calls."""

    quiet_hour: int = setting(
        3, "Hour of the day, in `timezone`, at which daily jobs start.", (0, 23)
    )
    agents: tuple[str, ...] = setting(
        (),
        "Work that a commit queues for agents; reviews always are.",
        choices=tuple(kind.value for kind in WorkKind if kind is not WorkKind.VERIFY),
    )
    promote: PromoteRules = PromoteRules()
    consolidate: ConsolidateRules = ConsolidateRules()
    compress: CompressRules = CompressRules()
    decay: DecayRules = DecayRules()
    verify: VerifyRules = VerifyRules()
    optimise: OptimiseRules = OptimiseRules()
