"""A tool call's output as text: its streams, its summary, and an excerpt of it for a model (W6).

In: a tool call with its output. Out: text. Nothing is stored here, and nothing read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import CallStatus
from smartbrain.govern.outputs.seen import look_at
from smartbrain.govern.outputs.summarise import summary_lines, tell

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import ArtifactsRules
    from smartbrain.domain.turn import ToolCall

_KEPT: Final = 4  # failing lines that an excerpt keeps, wherever they stand


def outputs_of(call: ToolCall) -> list[str]:
    """Return what a call gave back: errors, then output; its result where both are absent."""
    streams = [text for text in (call.stderr, call.stdout) if text]
    if streams:
        return streams
    result = canonical_json(call.result) if call.result_json else call.result
    return [result or ""]


def text_of(call: ToolCall) -> str:
    """Return a call's output as one text; two streams stand under their names."""
    if call.stderr and call.stdout:
        return f"--- stderr ---\n{call.stderr}\n--- stdout ---\n{call.stdout}"
    return outputs_of(call)[0]


def has_failed(call: ToolCall) -> bool:
    """Tell whether a call is known to have failed."""
    return call.status is CallStatus.ERROR or bool(call.exit_code)


def size_of(call: ToolCall) -> int:
    """Return how many bytes a call gave back."""
    return sum(len(text.encode()) for text in outputs_of(call))


def summary_of(call: ToolCall, rules: ArtifactsRules, *, size: int) -> str:
    """Return how a call ended and what it printed, what failed first.

    `size` is all that it gave back in bytes, of which the call may hold but a part.
    """
    outputs = outputs_of(call)
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    lines = [f"{' '.join(call.name.split())}: {ended}, {size:,} bytes"]
    if rules.summary_lines > 1:
        most = rules.summary_lines - 1
        cut = size > size_of(call)
        lines += summary_lines(outputs, failed=has_failed(call), most=most, cut=cut)
    # Whatever a line is broken by elsewhere, here it is one line.
    summary = "\n".join(" ".join(line.split()) for line in lines)
    if len(summary) > rules.summary_chars:
        summary = summary[: rules.summary_chars - 1] + "…"
    return summary


def excerpt(call: ToolCall, *, max_chars: int) -> tuple[str, bool]:
    """Return as much of a call's output as may be shown, and whether it was cut.

    Head and tail are kept, and between them the lines that tell what failed; a line says how much
    was left out and under which id the rest waits.
    """
    text = text_of(call)
    if len(text) <= max_chars:
        return text, False
    note = f"[… {len(text):,} characters in all; more: artifact_get(tool:{call.id}) …]"
    room = max_chars - len(note) - 2
    if room <= 0:
        return text[: max(0, max_chars - 1)] + "…"[:max_chars], True
    told = _telling(call, room // 3)
    room -= len(told) + 1 if told else 0
    head, tail = _head(text, room * 3 // 5), _tail(text, room - room * 3 // 5)
    kept = [line for line in told.splitlines() if line not in head and line not in tail]
    return "\n".join([head, note, *kept, tail]), True


def _telling(call: ToolCall, most: int) -> str:
    """Return the lines that tell what failed, as far as there is room."""
    lines: list[str] = []
    for text in outputs_of(call):
        told = tell(text, failed=has_failed(call))
        whole = {line.strip(): line for line in look_at(text).lines}
        lines += [whole.get(line, line).strip() for line in told.failing[:_KEPT]]
    shown = ""
    for line in dict.fromkeys(lines):
        if len(shown) + len(line) + 1 <= most:
            shown += f"{line}\n"
    return shown.rstrip("\n")


def _head(text: str, most: int) -> str:
    """Return the beginning of a text, whole lines where that is possible."""
    cut = text[:most]
    return cut[: cut.rfind("\n")] if "\n" in cut[most // 2 :] else cut


def _tail(text: str, most: int) -> str:
    """Return the end of a text, whole lines where that is possible."""
    cut = text[len(text) - most :] if most > 0 else ""
    first = cut.find("\n")
    return cut[first + 1 :] if 0 <= first < most // 2 else cut
