"""Which of two facts that contradict each other stands (C5).

In: versions of one key. Out: their priority, made of who said it, how new it is, how often it was
said and how well it fits, each weighed as the rules say.
"""

from __future__ import annotations

from datetime import datetime
from math import exp
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Source
from smartbrain.domain.memory import Memory, Status

if TYPE_CHECKING:
    from smartbrain.domain.policy import ConflictRules, LinkingRules, SourceTrustRules

_DAY: Final = 86_400.0
_FACT_DAYS: Final = 90.0
_NEUTRAL: Final = 0.5


def priority(
    memory: Memory, *, latest: datetime, alike: Memory | None, rules: ConflictRules
) -> float:
    """Return how much speaks for a version; `alike` is the last other one that says the same.

    What the user has rejected speaks against everybody who says it again but the user.
    """
    weights = rules.priority
    age = max(0.0, (latest - memory.said_at).total_seconds()) / _DAY
    fits = _NEUTRAL
    if alike is not None and alike.status is not Status.RETRACTED:
        fits = 1.0
    elif alike is not None and memory.provenance.creator != Source.USER:
        fits = 0.0
    return (
        weights.source_trust * trust_in(memory.provenance.creator, rules.source_trust)
        + weights.recency * exp(-age / _FACT_DAYS)
        + weights.evidence_support * (1 - 1 / (1 + memory.frequency))
        + weights.consistency * fits
    )


def trust_in(source: str, rules: SourceTrustRules) -> float:
    """Return how far a source is trusted, by its own name or by its kind."""
    if source in rules.named:
        return rules.named[source]
    kind = source.partition(":")[0]
    known = {"user": rules.user, "tool": rules.tool, "document": rules.document}
    known |= {"agent": rules.agent, "assistant": rules.assistant}
    return known.get(kind, rules.agent)


def dimension_of(new: Memory, old: Memory, rules: LinkingRules) -> str:
    """Return what sets two facts apart: who said it, when, or only what."""
    if new.provenance.creator != old.provenance.creator:
        return "source"
    apart = abs((new.said_at - old.said_at).total_seconds()) / _DAY
    return "time" if apart > rules.same_event_days else "value"
