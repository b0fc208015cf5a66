"""Values in a history, made fit to be stored: JSON, text and times.

In: what a line or an export holds. Out: JSON without what cannot be stored, and times in ISO 8601.
A time without an offset keeps none: the zone is applied where turn events are read.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, Final

from smartbrain.domain.hints import shown
from smartbrain.errors import UsageError

_UNSTORABLE: Final = re.compile("[\ud800-\udfff\0]")
_DEEPEST: Final = 100
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_TEXT: Final = re.compile(r"\d{9,10}(?:\.\d+)?|\d{13}|\d{16}")
_LATEST_SECONDS: Final = 10**11  # above, an epoch counts thousandths, or millionths


def parse(text: str) -> Any:
    """Read JSON.

    Raises:
        UsageError: it is none; the sentence says where it ends to be.
    """
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_finite)
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise UsageError(f"it is not valid JSON at {place}: {error.msg}") from None
    except ValueError as error:  # a number of too many digits
        raise UsageError(f"it is not valid JSON: {error}") from None
    except RecursionError:
        raise UsageError("it is nested too deeply") from None


def clean_text(text: str) -> str:
    """Return a text with U+FFFD for what cannot be stored: half characters and NUL."""
    return _UNSTORABLE.sub("\ufffd", text)


def clean(value: Any, depth: int = 0) -> Any:
    """Return a JSON value whose texts can be stored, in a copy.

    Raises:
        UsageError: it is nested too deeply.
    """
    if isinstance(value, str):
        return clean_text(value)
    if depth > _DEEPEST:
        raise UsageError(f"it is nested more than {_DEEPEST} levels deep")
    if isinstance(value, dict):
        return {clean_text(name): clean(item, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [clean(item, depth + 1) for item in value]
    return value


def read_when(value: object) -> str | None:
    """Return a time as ISO 8601, out of ISO or an epoch in seconds or thousandths; None for none.

    Raises:
        UsageError: code `bad_time`, it is no time.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            text = value.strip()
            if _EPOCH_TEXT.fullmatch(text):
                return _from_epoch(float(text))
            return datetime.fromisoformat(text).isoformat()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _from_epoch(value)
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


def _from_epoch(seconds: float) -> str:
    unit = 1
    while abs(seconds) >= _LATEST_SECONDS * unit and unit < 10**6:
        unit *= 1000
    return (_EPOCH + timedelta(seconds=1) * (seconds / unit)).isoformat()


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON has")
