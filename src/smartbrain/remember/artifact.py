"""What a tool call left behind, in one to six lines (W6).

In: a tool call with its output. Out: the short form that goes into a commit's answer; the output
itself stays whole in the store, under the call's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.record import canonical_json
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.turn import ToolCall

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import ArtifactsRules


def summarise_call(call: ToolCall, rules: ArtifactsRules) -> ArtifactSummary:
    """Return how a call ended and the first lines of what it printed, errors first."""
    result = canonical_json(call.result) if call.result_json else call.result
    outputs = [text for text in (call.stderr, call.stdout) if text] or [result or ""]
    size = sum(len(text.encode()) for text in outputs)
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    lines = [f"{' '.join(call.name.split())}: {ended}, {size:,} bytes"]
    for text in outputs:
        lines += [
            line.rstrip() for line in text[: rules.summary_chars].splitlines() if line.strip()
        ]
    summary = "\n".join(lines[: rules.summary_lines])
    if len(summary) > rules.summary_chars:
        summary = summary[: rules.summary_chars - 1] + "…"
    return ArtifactSummary(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=summary,
    )
