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
    r"|^\s*\S+:\d+:\d+ - error\b|^e: |^\*\* \(\w+\) |^collect2: error|^SyntaxError: "
)
_LINT: Final = re.compile(
    r"^\S+:\d+:\d+: [A-Z]{1,5}\d{2,5}:? |^[A-Z]{1,4}\d{3,4} (?!\d\d:)(?:\[\*\] )?\S+ "
    r"|^[^\S\n]*\^-*\^? SC\d{4} \(",
    re.MULTILINE,
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
    "e: ",
)
_WARNING: Final = re.compile(
    r"^\S[^:]{0,300}:\d+(?::\d+)?:\s*(?:warning|警告)\b|^warning(?:\[\w+\])?: "
    r"|^\s+\d+:\d+\s+warning\s|\): warning\b"
)
_RUST: Final = re.compile(r"^error: (?!aborting|could not compile)")
_ARROW: Final = re.compile(r"^\s*--> \S+:\d+")
_FILE: Final = re.compile(r"^(/?\S+\.(?:[jt]sx?|vue|mjs|cjs))$|^In (\S+) line (\d+):$")
_WORSE: Final = re.compile(r": [EF]\d{4}: ")
_SYMBOL: Final = re.compile(r"^\s+(?:symbol|符号): ")
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
    if not errors:
        if len(warnings) < 2 and all(line.startswith("make") for line in tally):
            return None
        about = [f"compiler: {counted(len(warnings), 'warning', whole=seen.whole)}", *tally[-1:]]
        return Told("compiler", about=(*about, *(clip(line) for line in warnings[:2])))
    figures = counted(len(errors), "error", whole=seen.whole)
    if warnings:
        figures += f", {counted(len(warnings), 'warning', whole=seen.whole)}"
    kept = [clip(line, 300) for line in errors[:3]]
    figures = "; ".join(dict.fromkeys([figures, *tally[-1:]]))
    return Told("compiler", failing=(*kept, f"compiler: {figures}"))


def _placed(lines: tuple[str, ...], pattern: re.Pattern[str]) -> list[str]:
    """Return lines of a kind, with the place where the compiler names it elsewhere."""
    found = []
    file = ""
    for number, line in enumerate(lines):
        if named := _FILE.match(line):
            file = ":".join(filter(None, named.groups()))
        if not pattern.search(line):
            continue
        after = lines[number + 1] if number + 1 < len(lines) else ""
        symbol = next(filter(_SYMBOL.match, lines[number + 1 : number + 4]), None)
        if symbol is not None:
            line = f"{line} ({' '.join(symbol.split())})"
        elif _ARROW.match(after):
            line = f"{line} ({after.strip(' ->')})"
        elif file and line[:1] == " ":
            line = f"{' '.join(line.split())} ({file})"
        found.append(line)
    return sorted(found, key=lambda line: _WORSE.search(line) is None)
