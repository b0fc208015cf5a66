"""Compilers and linters: the first errors with their places, how many there are.

In: the output of gcc, clang, tsc, javac, rustc, go, mypy, ruff, eslint, a linker or make. Out: the
errors; warnings where there are none.
"""

from __future__ import annotations

import re
from typing import Final

from smartbrain.govern.outputs.seen import Seen, Told, clip, counted

_ERROR: Final = re.compile(
    r"^\S[^:]{0,300}:\d+(?::\d+)?:\s*(?:fatal |internal compiler )?(?:error|错误)\b"
    r"|^\S[^(]{0,300}\(\d+(?:,\d+)?\)\s?: (?:fatal )?error\b"
    r"|^error\[E\d+\]: "
    r"|^\s+\d+:\d+\s+error\s|: undefined reference to |^(?:/\S+/)?ld: "
    r"|^[^\s:]+\.(?:go|zig|kt|swift):\d+:\d+: "
    r"|^\S+:\d+:\d+ - error TS\d+|^e: file:|^collect2: error|^SyntaxError: "
)
_LINT: Final = re.compile(
    r"^\S+:\d+:\d+: [A-Z]{1,5}\d{2,5} |^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S+ ", re.MULTILINE
)
_WORDS: Final = (
    "rror",
    "arning",
    "错误",
    "警告",
    "undefined ref",
    "***",
    "problem",
    "checks",
    "ld: ",
    ".go:",
)
_WARNING: Final = re.compile(
    r"^\S[^:]{0,300}:\d+(?::\d+)?:\s*(?:warning|警告)\b|^warning(?:\[\w+\])?: "
    r"|^\s+\d+:\d+\s+warning\s|\): warning\b"
)
_RUST: Final = re.compile(r"^error: (?!aborting|could not compile)")
_ARROW: Final = re.compile(r"^\s*--> \S+:\d+")
_ESLINT_FILE: Final = re.compile(r"^/?\S+\.(?:[jt]sx?|vue|mjs|cjs)$")
_TALLY: Final = re.compile(
    r"^Found \d+ errors?|^\d+ errors?(?: generated)?$|^✖ \d+ problems?"
    r"|^error: (?:could not compile|aborting)"
    r"|^\d+ (?:errors?|warnings?) (?:and|generated)|^make(?:\[\d+\])?: \*\*\*|^Success: no issues"
    r"|^All checks passed|^\d+ 个错误"
)


def tell_compiler(seen: Seen) -> Told | None:
    """Return what a compiler or a linter says, or None if it is neither."""
    if not any(word in seen.text for word in _WORDS) and not _LINT.search(seen.text):
        return None
    errors = _placed(seen.lines, _ERROR) or _placed(seen.lines, _LINT)
    if not errors and any(map(_ARROW.match, seen.lines)):
        errors = _placed(seen.lines, _RUST)
    warnings = [line for line in seen.lines if _WARNING.search(line)]
    tally = [clip(line) for line in seen.lines if _TALLY.search(line)]
    if not errors and not (warnings or tally):
        return None
    if not errors:
        if len(warnings) < 2 and not tally:
            return None
        about = [f"compiler: {counted(len(warnings), 'warning', whole=seen.whole)}", *tally[-1:]]
        return Told("compiler", about=(*about, *(clip(line) for line in warnings[:2])))
    figures = counted(len(errors), "error", whole=seen.whole)
    if warnings:
        figures += f", {counted(len(warnings), 'warning', whole=seen.whole)}"
    kept = [clip(line, 300) for line in errors[:3]]
    return Told("compiler", failing=(*kept, f"compiler: {'; '.join([figures, *tally[-1:]])}"))


def _placed(lines: tuple[str, ...], pattern: re.Pattern[str]) -> list[str]:
    """Return lines of a kind, with the place where the compiler names it elsewhere."""
    found = []
    file = ""
    for number, line in enumerate(lines):
        if _ESLINT_FILE.match(line):
            file = line
        if not pattern.search(line):
            continue
        after = lines[number + 1] if number + 1 < len(lines) else ""
        if _ARROW.match(after):
            line = f"{line} ({after.strip(' ->')})"
        elif file and line[:1] == " ":
            line = f"{' '.join(line.split())} ({file})"
        found.append(line)
    return found
