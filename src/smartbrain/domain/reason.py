"""Reasons: why something was kept, dropped, merged, moved or cut.

Every decision that a caller could ask about leaves one: a stable `code` for programs, a sentence
for people, and what it is about. Explanations are lists of these. Not errors: those are raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from smartbrain.domain.quick import quick
from smartbrain.domain.record import Record


@quick
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reason(Record):
    """One decision explained; `id`, `type` and `key` name its subject as far as it has them."""

    code: str
    reason: str
    _: KW_ONLY
    id: str | None = None
    type: str | None = None
    key: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def by_rule(reason: str, rule: str) -> str:
    """Return a sentence that names the rule by which it is so."""
    return f"{reason} ({rule})"
