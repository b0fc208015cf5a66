"""What tantivy's failures mean to callers.

In: whatever a call into tantivy raises: a ValueError for almost everything, or a Rust panic, which
is no Exception; and what comes of reading damaged entries. Out: AdapterError with a code. The
system's error number is read from the message, as the binding hands on nothing else.
"""

from __future__ import annotations

import os
import re
from types import TracebackType
from typing import Final, Literal

from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.blobs import disk_error

_SYSTEM_ERROR: Final = re.compile(r"os error (\d+)|\bcode: (\d+)")
_PANIC: Final = "PanicException"
_DAMAGE: Final = (OSError, ValueError, LookupError, TypeError, AttributeError)


class Failing:
    """Turns what goes wrong inside a `with` into an AdapterError; `doing` ends "could not ..."."""

    def __init__(self, doing: str, code: Literal["corrupt", "io_error"]) -> None:
        self._doing = doing
        self._code = code

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None or error is None or issubclass(kind, SmartBrainError):
            return
        # The class of a panic cannot be imported; it stands beside Exception, not below it.
        if issubclass(kind, _DAMAGE) or kind.__name__ == _PANIC:
            raise self._meaning(error) from error

    def _meaning(self, error: BaseException) -> AdapterError:
        """Return the error that says what happened and what to do."""
        if isinstance(error, OSError):
            return disk_error(error, self._doing)
        told = _SYSTEM_ERROR.search(str(error))
        if told:
            number = int(told.group(1) or told.group(2))
            return disk_error(OSError(number, os.strerror(number)), self._doing)
        reason = " ".join(str(error).split())[:200]
        if "LockBusy" in reason:
            return AdapterError(f"could not {self._doing}: another writer is at it", code="busy")
        advice = "build the index again" if self._code == "corrupt" else "try again"
        return AdapterError(f"could not {self._doing}: {reason}; {advice}", code=self._code)
