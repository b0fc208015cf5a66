"""What is compared after turns have arrived in some order: all memories, and their replay."""

from __future__ import annotations

from typing import Any

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay


def memories(brain: SmartBrain) -> list[dict[str, Any]]:
    """Return every version of what was said, as far as its order of arrival is no part of it."""
    kinds = ("profile", "preferences", "decisions", "tasks", "facts", "goals", "events")
    return _listed(brain, *kinds)


def entities(brain: SmartBrain) -> list[dict[str, Any]]:
    """Return everybody and everything that was named, as far as the order is no part of it."""
    return _listed(brain, "entities")


def _listed(brain: SmartBrain, *kinds: str) -> list[dict[str, Any]]:
    names = ("key", "status", "value", "said_at", "valid_since", "valid_until", "frequency")
    found = [one for kind in kinds for one in brain.memories.list(kind, status=None).items]
    told = [{name: one.to_dict()[name] for name in (*names, "confidence")} for one in found]
    for one in told:
        for fact in one["value"].get("facts", ()):
            fact.pop("claims", None)  # named after turns, whose ids are random
    by = ("key", "said_at", "valid_since", "status")
    return sorted(told, key=lambda one: [one[name] for name in by])


def assert_replays(brain: SmartBrain) -> None:
    """Fail unless the events of a brain make the same memories and edges once more."""
    with brain._lease() as tenant:
        report = check_replay(tenant, brain._root.rules)
    assert (0, 0) == (report.failed, report.differing)
