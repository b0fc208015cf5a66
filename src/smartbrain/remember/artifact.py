"""What a tool call left behind, in one to six lines (W6).

In: a tool call with its output. Out: the short form that goes into a commit's answer; the output
itself stays whole in the store, under the call's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.result import ArtifactSummary
from smartbrain.govern.artifact_text import size_of, summary_of

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import ArtifactsRules
    from smartbrain.domain.turn import ToolCall


def summarise_call(call: ToolCall, rules: ArtifactsRules) -> ArtifactSummary:
    """Return how a call ended and what it printed in short, errors first."""
    size = size_of(call)
    return ArtifactSummary(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=summary_of(call, rules, size=size),
    )
