"""What is kept of a compose: its plan, candidates, selection, budget and what was ignored (S6).

In: a composition. Out: a trace to be stored, and the memories that were shown. Made off the hot
path, after the answer is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smartbrain.domain.job import Trace

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Candidate
    from smartbrain.compose.pipeline import Composition
    from smartbrain.domain.policy import ObservabilityRules


def trace_of(made: Composition, rules: ObservabilityRules) -> Trace:
    """Return what is kept of a composition under the rules."""
    package = made.package
    body: dict[str, Any] = {
        "recipe": made.wanted.recipe.name,
        "audience": made.wanted.audience.value,
        "run_id": made.wanted.run_id,
        "turn_id": made.wanted.turn_id,
        "message": made.wanted.text,
        "budget": package.constraints.to_dict(),
        "ignored": [one.to_dict() for one in package.debug.ignored],
        "omitted": [one.to_dict() for one in made.packet.explain.omitted],
    }
    if rules.store_plans:
        body["plan"] = made.plan.to_dict() if made.plan else None
    if rules.store_contexts:
        body["context"] = package.to_dict()
        body["selection"] = [
            {
                "id": one.id,
                "score": one.score,
                "source": one.source.value,
                "source_uri": one.source_uri,
            }
            for one in package.evidence
        ]
        body["candidates"] = [_candidate(one) for one in made.candidates]
    return Trace(
        context_id=package.context_id,
        session_id=package.session_id,
        created_at=package.created_at,
        body=body,
    )


def _candidate(one: Candidate) -> dict[str, Any]:
    """Return a candidate with everything that ranking and rendering it again takes."""
    return {
        "id": one.id,
        "group": one.group,
        "title": one.title,
        "source_uri": one.source_uri,
        "text": one.text,
        "score": round(one.score, 6),
        "source": one.source.value,
        "signals": one.signals.to_dict(),
        "mode": one.mode.value if one.mode else None,
        "ref": one.ref.to_dict(),
        "at": one.at.isoformat() if one.at else None,
        "speaker": one.speaker,
        "session": one.session,
        "place": list(one.place),
        "hit": one.hit,
    }
