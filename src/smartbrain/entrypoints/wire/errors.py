"""The one error table: what each class of error is called on each surface.

In: an error of ours. Out: the exit code of a command. A class that is missing here fails a test.
"""

from __future__ import annotations

from typing import Final

from smartbrain.errors import (
    AdapterError,
    Conflict,
    InternalError,
    NotFound,
    SmartBrainError,
    UsageError,
)

EXIT_UNHEALTHY: Final = 1
EXIT_CODES: Final[dict[type[SmartBrainError], int]] = {
    UsageError: 2,
    NotFound: 3,
    Conflict: 4,
    AdapterError: 5,
    InternalError: 70,
}


def exit_code(error: SmartBrainError) -> int:
    """Return the exit code that tells this error from the others."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
