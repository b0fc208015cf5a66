"""The summary of a call's output: kind by kind, what failed first, within a few lines.

In: what a call printed on each stream, and how it ended. Out: up to six lines, as rules say. The
first kind that knows an output tells it, always in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from smartbrain.govern.outputs.listings import (
    complaints,
    tell_json,
    tell_listing,
    tell_log,
    tell_table,
)
from smartbrain.govern.outputs.seen import Seen, Told, clip, look_at
from smartbrain.govern.outputs.test_runs import tell_compiler, tell_go_json, tell_test_run
from smartbrain.govern.outputs.traces import tell_diff, tell_file_view, tell_html, tell_trace
from smartbrain.text.controls import without_controls

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


_KINDS: Final[Sequence[Callable[[Seen], Told | None]]] = (
    tell_go_json,
    tell_json,
    tell_file_view,
    tell_html,
    tell_diff,
    tell_test_run,
    tell_trace,
    tell_compiler,
    tell_table,
    tell_log,
    tell_listing,
)
"""The kinds in the order they are asked; what belongs to none is plain text."""
_SHORT: Final = 2  # lines that are too few for tables, logs and listings
_NO_TEXT: Final = "no text, but control characters"
_SELF_TELLING: Final = ("JSON", "JSON lines", "HTML")
"""Kinds that say by themselves whether something failed; a line of theirs says nothing."""
_BRIEF: Final = (
    tell_go_json,
    tell_json,
    tell_test_run,
    tell_trace,
    tell_compiler,
    tell_file_view,
    tell_html,
)


def tell(text: str, *, failed: bool = False, cut: bool = False) -> Told:
    """Return what one output says, by the first kind that knows it."""
    seen = look_at(text, failed=failed, cut=cut)
    kinds = _BRIEF if len(seen.lines) <= _SHORT and len(text) < 400 else _KINDS
    told = next((found for kind in kinds if (found := kind(seen))), None) or tell_plain(seen)
    if failed and not told.failing and told.kind not in _SELF_TELLING:
        last = told.kind == "text"
        return Told(told.kind, complaints(seen, 2, last=last), told.about)
    return told


def summary_lines(
    outputs: Sequence[str], *, failed: bool, most: int, cut: bool = False
) -> list[str]:
    """Return up to `most` lines on what a call printed; what failed comes first.

    The stream for errors is the first; `cut` says that the middle of the outputs is missing.
    """
    told = [
        tell(text, failed=failed and place == 0, cut=cut)
        for place, text in enumerate(outputs)
        if text.strip()
    ]
    if not told:
        return []
    failing = _in_turn([one.failing for one in told], most)
    about = _in_turn([one.about for one in told], most)
    lines = dict.fromkeys(map(without_controls, (*failing, *about)))
    return [line for line in lines if line.strip()][:most] or [_NO_TEXT][:most]


def _in_turn(parts: Sequence[Sequence[str]], most: int) -> list[str]:
    """Return lines of several lists, as many of each as there is room for, in their order."""
    if len(parts) == 1:
        return list(parts[0])
    half = max(1, (most + 1) // 2)
    first, rest = parts[0], [line for part in parts[1:] for line in part]
    keep = max(half, most - len(rest))
    return [*first[:keep], *rest, *first[keep:]]
