"""Logs: the first and the last errors, how many lines of each level, from when to when.

In: lines with a time or a level in front, in English or Chinese. Out: errors, then the figures.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.govern.outputs.complaints import surely
from smartbrain.govern.outputs.seen import Seen, Told, clip

_TIME: Final = re.compile(
    r"^\W{0,3}(?:\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T ]?\s?\d{0,2}:?\d{0,2}(?::\d{2})?"
    r"|\d{1,2}:\d{2}:\d{2}|[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2}|\d{10,13}(?:\.\d+)?\b)"
    r"|\[\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2}|^time=|^\{?\"?ts\"?[:=]"
)
_LEVEL: Final = re.compile(
    r"\b(FATAL|CRITICAL|CRIT|ERROR|ERR|SEVERE|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE)\b"
    r"|\blevel=\"?(fatal|panic|error|warning|warn|info|debug|trace)"
    r"|[\[【<](fatal|critical|error|warning|warn|info|debug|trace|严重|错误|警告|信息|调试)[\]】>]"
    r"|^([EWIF])\d{4} \d{2}:\d{2}|(?:^|\s)(严重|错误|警告|信息|调试)(?=[\s:：|-])"
)
_NAMES: Final = {
    **dict.fromkeys(("fatal", "critical", "crit", "severe", "panic", "f", "严重"), "fatal"),
    **dict.fromkeys(("error", "err", "e", "错误"), "error"),
    **dict.fromkeys(("warning", "warn", "w", "警告"), "warning"),
    **dict.fromkeys(("info", "notice", "i", "信息"), "info"),
    **dict.fromkeys(("debug", "trace", "调试"), "debug"),
}
_SMALL: Final = re.compile(r"\s(fatal|critical|error|warning|warn|info|debug|trace):?\s")
"""A level in small letters, which only counts behind a time."""
_HTTP: Final = re.compile(r'" (5\d\d) ')
_WORST: Final = ("fatal", "error")
_SHARE: Final = 0.4  # of the lines that have a time or a level


def tell_log(seen: Seen) -> Told | None:
    """Return what a log says, or None if it is none."""
    lines = [line for line in seen.lines if line.strip()]
    timed = [line for line in lines if _TIME.search(line[:120])]
    counts: dict[str, int] = {}
    by_level: dict[str, list[str]] = {}
    for line in lines:
        level = _level(line)
        if level:
            counts[level] = counts.get(level, 0) + 1
            by_level.setdefault(level, []).append(line)
    marked = max(len(timed), sum(counts.values()))
    if marked < 2 or marked < _SHARE * len(lines):
        return None
    bad = [line for level in _WORST for line in by_level.get(level, ())]
    bad = bad or [line for line in lines if surely(line)]
    failing = [clip(line, 300) for line in (*bad[:2], *bad[2:][-1:])]
    if not failing:
        failing += [clip(line, 300) for line in by_level.get("warning", ())[:1]]
    plus = "" if seen.whole else "+"
    figures = ", ".join(f"{name} {counts[name]:,}{plus}" for name in _ordered(counts))
    about = [f"log of {seen.length}" + (f": {figures}" if figures else "")]
    if timed:
        about.append(f"last: {clip(timed[-1], 200)}")
    return Told("log", failing=tuple(dict.fromkeys(failing)), about=tuple(about))


def _level(line: str) -> str | None:
    """Return the level of a line."""
    match = _LEVEL.search(line[:200])
    if match is None and _TIME.search(line[:120]):
        match = _SMALL.search(line[:60])
    if match is not None:
        return _NAMES[next(group for group in match.groups() if group).lower()]
    return "error" if _HTTP.search(line) else None


def _ordered(counts: dict[str, int]) -> list[str]:
    """Return the levels that there are, worst first."""
    return [name for name in dict.fromkeys(_NAMES.values()) if name in counts]
