"""Identifiers: random ones for what comes from outside, derived ones for what we make of it.

Sessions, turns, messages, runs, contexts and operations get a uuid7 from an injected source of
time and entropy. Memory versions, edges and chunks get a prefix and 128 bits of BLAKE2b over what
they were made from, so replaying the same events gives the same ids. Ids order nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from smartbrain.domain.time import to_micros

Entropy = Callable[[int], bytes]
"""Gives that many random bytes: the system's in production, a seeded generator in tests."""


@dataclass(frozen=True, slots=True)
class IdSource:
    """Makes uuid7 ids out of an injected clock and entropy."""

    clock: Callable[[], datetime]
    entropy: Entropy

    def new(self) -> str:
        """Return a fresh uuid7 in its usual spelling."""
        return uuid7(to_micros(self.clock()) // 1000, self.entropy(10))


def uuid7(millis: int, random: bytes) -> str:
    """Return the RFC 9562 version 7 UUID of a Unix time in milliseconds and 10 random bytes."""
    if not 0 <= millis < 1 << 48:
        # The format cannot hold times before 1970; ids order nothing, so the field may saturate.
        millis = 0 if millis < 0 else (1 << 48) - 1
    tail = int.from_bytes(random, "big")
    value = (millis << 80) | (tail & ((1 << 80) - 1))
    value = value & ~(0xF << 76) | (0x7 << 76)
    value = value & ~(0x3 << 62) | (0x2 << 62)
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def derive(prefix: str, *parts: str | int) -> str:
    """Return `<prefix>_<32 hex digits>` of the parts, each framed by its length so none can mix."""
    framed = b""
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        framed += b"%d:%b" % (len(data), data)
    return f"{prefix}_{blake2b(framed, digest_size=16).hexdigest()}"


def memory_id(source_id: str, type_name: str, key: str, ordinal: int) -> str:
    """Return the id of the `ordinal`-th version that a source wrote under a type and key."""
    return derive("mem", source_id, type_name, key, ordinal)


def chunk_id(memory: str, ordinal: int) -> str:
    """Return the id of a memory's `ordinal`-th search text."""
    return derive("chunk", memory, ordinal)


def raw_id(address: str) -> str:
    """Return the id of a raw chunk from its full content address (64 hex digits)."""
    return f"raw_{address[:32]}"
