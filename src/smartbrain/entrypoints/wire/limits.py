"""How much a server takes: requests a second of one key, requests at once, the depth of JSON.

In: who asks, bytes. Out: leave to go on, or a refusal. Counting costs a lock and a dictionary; what
has been silent longest is forgotten first, so that many addresses cannot fill memory.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from smartbrain.entrypoints.wire.errors import Refusal
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.domain.policy_server import ServerRules

MAX_NAMES: Final = 10_000
MEGABYTE: Final = 1024 * 1024


class Limits:
    """The limits of one server."""

    def __init__(self, rules: ServerRules, clock: Callable[[], float] = time.monotonic) -> None:
        self.rules = rules
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._running = 0

    def count(self, name: str) -> None:
        """Count a request of a key or an address; a second's worth may come at once."""
        rate = self.rules.requests_per_second
        if not rate:
            return
        most = max(1.0, rate)
        now = self._clock()
        with self._lock:
            left, before = self._left.pop(name, (most, now))
            left = min(most, left + (now - before) * rate)
            self._left[name] = (max(0.0, left - 1), now) if left >= 1 else (left, now)
            if len(self._left) > MAX_NAMES:
                self._left.popitem(last=False)
        if left < 1:
            raise Refusal("too_many")

    @contextmanager
    def running(self) -> Iterator[None]:
        """Hold a place among the requests at work."""
        with self._lock:
            if self._running >= self.rules.max_concurrent:
                raise Refusal("too_busy")
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1


def read_json(body: bytes | str, most: int) -> Any:
    """Return what JSON from outside holds."""
    try:
        read = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the body is no JSON: {error}") from None
    held_in = body if isinstance(body, bytes) else body.encode()
    if held_in.count(b"[") + held_in.count(b"{") <= most:
        return read  # the usual case: as deep as they could lie is not too deep
    level, depth = [read], 0
    while level := [held for held in level if isinstance(held, list | dict)]:
        depth += 1
        if depth > most:
            raise UsageError(f"lists and objects may lie {most} deep in each other, not deeper")
        level = [
            one for held in level for one in (held.values() if isinstance(held, dict) else held)
        ]
    return read
