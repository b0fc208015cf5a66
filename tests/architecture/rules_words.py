"""Rules on words: the repository speaks of the project alone.

In: a path and its text. Out: violations as `path:line: message`.
The patterns are spelled so that this file does not match them itself.
"""

from __future__ import annotations

import re

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.}>)$*~-])/(?:(?:work|root|farm)\b|home/[a-z_][\w-]*)",
    "the host of a package registry": (
        r"[p]ypi\.org|[p]ythonhosted\.org|[n]pmjs\.(?:org|com)|[g]hcr\.io|[d]ocker\.io"
        r"|[q]uay\.io|[c]onda\.anaconda\.org|(?:extra-)?[i]ndex-url"
    ),
    "a tracker's number": r"\b(?:[i]ssue|[t]icket|[p]ull request)s?\s*#",
    "the circumstances of its writing": r"\b[t]his session\b|\b[c]o-authored-by\b",
    "a coding tool": (
        r"\b(?:[c]laude[ -]code|[c]laude\.md|[c]opilot|[c]odex|[a]ider|[w]indsurf|[c]line"
        r"|[c]ursor\.(?:sh|com|ai)|[g]emini[ -]cli|[a]gents\.md)\b"
    ),
}

# Where a coding tool is a client that memory is connected to, and has to be called by its name.
CLIENT_PLACES = (
    "src/smartbrain/entrypoints/agents/",
    "docs/cli.md",
    "docs/hooks.md",
    "docs/mcp.md",
    "tests/surface/test_surface_hooks.py",
    "tests/surface/test_surface_mcp.py",
)

_PATTERNS = {what: re.compile(pattern, re.IGNORECASE) for what, pattern in FORBIDDEN.items()}


def word_violations(path: str, text: str) -> list[str]:
    """Find every line that names a machine, a registry, a tracker or a tool of ours."""
    return [
        f"{path}:{number}: {what}: {match.group().strip()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in _PATTERNS.items()
        for match in pattern.finditer(line)
        if what != "a coding tool" or not path.startswith(CLIENT_PLACES)
    ]
