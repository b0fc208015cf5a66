"""The file of a chat history: its text, and the JSON and the times in it.

In: a path. Out: the text of the file, its documents, and times in one form. What cannot be stored,
such as half characters, becomes U+FFFD. Which messages and turns the text holds is told elsewhere.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from math import isfinite
from pathlib import Path
from typing import Any, Final

import msgspec

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_file, read_id

_HEAD: Final = 1 << 16  # characters by which a format is known
_MAX_BYTES: Final = 1 << 30  # which take several times as much in memory
_MAX_DEPTH: Final = 100
_UNSTORABLE: Final = re.compile("[\ud800-\udfff\0]")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_EPOCH_SECONDS: Final = 10**11  # above, an epoch counts thousandths


class HistoryFile(msgspec.Struct, frozen=True):
    """A file that was read."""

    path: Path
    text: str
    size: int

    @property
    def name(self) -> str:
        """The path as errors show it."""
        return clean_text(str(self.path))

    @property
    def session_id(self) -> str:
        """The session of whatever in the file does not name one: the file's name."""
        return read_id(clean_text(self.path.stem), "the file's name")

    @property
    def head(self) -> str:
        """The first characters."""
        return self.text[:_HEAD]

    def problem(self, where: str, message: str) -> HistoryProblem:
        """Report a part that is left out."""
        return HistoryProblem(file=self.name, where=where, message=message)

    def parse(self) -> Any:
        """Return the JSON document that the file is."""
        try:
            return parse_json(self.text)
        except UsageError as error:
            raise UsageError(f"{self.name}: {error.message}") from None


def open_source(path: Path) -> HistoryFile:
    """Read a file."""
    text = read_file(path, largest=_MAX_BYTES)
    return HistoryFile(path, text, len(text.encode()))


def parse_json(text: str) -> Any:
    """Read JSON, with U+FFFD for what cannot be stored; an error says where it ends to be JSON."""
    try:
        return _clean(json.loads(text, parse_constant=_finite, parse_float=_finite), 0)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise UsageError(f"it is not valid JSON at {place}: {error.msg}") from None
    except ValueError as error:  # a number that is too large, or has too many digits
        raise UsageError(f"it is not valid JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"it is nested more than {_MAX_DEPTH} levels deep") from None


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is no number that JSON has")
    return number


def clean_text(text: str) -> str:
    """Return a text with U+FFFD for what cannot be stored: half characters and NUL."""
    return _UNSTORABLE.sub("\ufffd", text)


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if depth > _MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {clean_text(name): _clean(item, depth + 1) for name, item in value.items()}
    return [_clean(item, depth + 1) for item in value] if isinstance(value, list) else value


def read_when(value: object) -> str | None:
    """Return a time as ISO 8601, out of ISO or an epoch in seconds or thousandths; None for none.

    A time without an offset keeps none: the zone is applied where turn events are read.

    Raises:
        UsageError: code `bad_time`, it is no time.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value.strip()).isoformat()
        if isinstance(value, int | float) and not isinstance(value, bool):
            unit = 1 if abs(value) < _MAX_EPOCH_SECONDS else 1_000
            return (_EPOCH + timedelta(seconds=1) * (value / unit)).isoformat()
    except (ValueError, OverflowError):
        pass
    raise UsageError(
        f"{shown(value)} is not a time; give ISO 8601 or an epoch in seconds or milliseconds",
        code="bad_time",
    )


def as_dict(value: object) -> dict[str, Any]:
    """Return an object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Return an array, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return a text, or an empty one for anything else."""
    return value if isinstance(value, str) else ""
