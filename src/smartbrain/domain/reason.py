"""Reasons: why something was kept, dropped, merged, moved or cut.

Every decision that a caller could ask about leaves one: a stable `code` for programs, a sentence
for people, and what it is about. Explanations are lists of these. Not errors: those are raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import field

from smartbrain.domain.record import Record


class Reason(Record, frozen=True):
    """One decision explained; `id`, `type` and `key` name its subject as far as it has them."""

    code: str
    reason: str
    id: str | None = None
    type: str | None = None
    key: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def by_rule(reason: str, rule: str) -> str:
    """Return a sentence that names the rule by which it is so."""
    return f"{reason} ({rule})"
