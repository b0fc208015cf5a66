"""Any other text: what it complains about, its first lines and its last.

In: lines of no known kind. Out: complaints first, then the beginning and the end.
"""

from __future__ import annotations

from smartbrain.govern.outputs.complaints import complaints
from smartbrain.govern.outputs.seen import Seen, Told, clip

_WHOLE = 5  # lines of a text that is told by itself


def tell_plain(seen: Seen) -> Told:
    """Return what a text says."""
    lines = [line for line in seen.lines if line.strip()]
    if len(lines) <= _WHOLE and sum(map(len, lines)) <= _WHOLE * 240:
        # So little is shown as it stands; what it complains about is among it.
        found = complaints(seen)
        shown = tuple(clip(line) for line in lines)
        rest = tuple(line for line in shown if line not in found)
        return Told("text", failing=found, about=rest) if seen.failed else Told("text", about=shown)
    found = complaints(seen)
    about = [f"{seen.length} of text", *(clip(line, 200) for line in lines[:2])]
    if len(lines) > 2:
        about.append(f"last: {clip(lines[-1], 200)}")
    return Told("text", failing=found, about=tuple(about))
