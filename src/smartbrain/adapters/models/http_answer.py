"""What an OpenAI-compatible embeddings service answers, read with suspicion.

In: an answer or the headers of one, and how many vectors were asked for. Out: the vectors in the
order of the texts, the pause that the service asks for, or its own words about what went wrong.
Not a client: nothing here sends anything.
"""

from __future__ import annotations

import json
import sys
from array import array
from base64 import b64decode
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from smartbrain.errors import AdapterError


def read_vectors(answer: Any, count: int) -> list[array[float]]:
    """Return the vectors of a successful answer, ordered by their index.

    Raises:
        AdapterError: it does not hold `count` vectors of finite numbers, all of one size.
    """
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _wrong("its answer has no list of vectors in `data`")
    if len(items) != count:
        raise _wrong(f"it answered {len(items)} vectors for {count} texts")
    order = [item.get("index", place) for place, item in enumerate(items)]
    if any(type(index) is not int for index in order) or sorted(order) != list(range(count)):
        raise _wrong("the indexes in its answer are not those of the texts")
    by_index = dict(zip(order, items, strict=True))
    vectors = [_vector(by_index[place].get("embedding")) for place in range(count)]
    if len({len(vector) for vector in vectors}) > 1:
        raise _wrong("it answered vectors of different sizes")
    return vectors


def asked_pause(headers: Mapping[str, str]) -> float:
    """Return the seconds that `Retry-After` asks to wait; 0 when it is absent or unreadable.

    A date is measured against the service's own `Date`, so neither clock needs to be right.
    """
    asked = headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdigit():
        return float(asked)
    try:
        until = parsedate_to_datetime(asked)
        return max(0.0, (until - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return 0.0


def complaint(body: bytes) -> str:
    """Return what a service says about an error in the usual places of its answer, or nothing.

    Anything else in the body is left out: it may repeat the texts that were sent.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    found: Any = answer if isinstance(answer, dict) else {}
    if isinstance(found.get("error"), dict):
        found = found["error"]
    for place in ("message", "error", "detail"):
        if isinstance(found.get(place), str):
            return str(found[place])
    return ""


def _vector(embedding: object) -> array[float]:
    """Read one vector: a list of numbers, or base64 of little-endian single-precision floats."""
    vector = array("f")
    try:
        if isinstance(embedding, str):
            vector.frombytes(b64decode(embedding, validate=True))
            if sys.byteorder == "big":
                vector.byteswap()
        elif isinstance(embedding, list):
            vector.extend(embedding)
    except (ValueError, TypeError, OverflowError):
        raise _wrong("a vector in its answer is not made of numbers") from None
    if not vector:
        raise _wrong("a vector in its answer is empty")
    if not all(map(isfinite, vector)):
        raise _wrong("a vector in its answer has a number that is not finite")
    return vector


def _wrong(what: str) -> AdapterError:
    return AdapterError(what, retryable=False)
