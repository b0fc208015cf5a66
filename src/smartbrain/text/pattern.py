"""Regular expressions that are compiled when they are first used, not when they are imported.

In: a pattern as `re.compile` takes it. Out: something to use like the compiled one. Compiling those
of the text functions takes tens of milliseconds, which `import smartbrain` must not cost.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern until somebody asks it something."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Kept on the instance, so that each method is looked for here only once.
        found = self.__dict__[name] = getattr(re.compile(self._source, self._flags), name)
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern to be compiled on first use; a wrong one raises `re.error` only then."""
    return cast("re.Pattern[str]", _Pattern(source, flags))
