"""The context package: all that one model call is given, slot by slot, within its budget (R1, R15).

Slots are data in their fixed order; an empty slot is one that the recipe left out. `constraints`
holds the limits that were applied, `debug` why each thing is in or out and the ids to trace it by.
How it is rendered, for a chat API or for people, is in `context_messages` and `context_text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import field

from smartbrain.domain.context_messages import request
from smartbrain.domain.context_slots import (
    Block,
    ContextEvidence,
    EvidenceRef,
    EvidenceSource,
    NotebookEntry,
    PinEntry,
    Slots,
)
from smartbrain.domain.context_text import render_text
from smartbrain.domain.inputs import ProviderName
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record

__all__ = [
    "Block",
    "Constraints",
    "ContextDebug",
    "ContextDiversity",
    "ContextEvidence",
    "ContextPackage",
    "EvidenceRef",
    "EvidenceSource",
    "NotebookEntry",
    "PinEntry",
    "TokenBudget",
    "TraceIds",
    "Truncation",
]


class TokenBudget(Record, frozen=True, kw_only=True):
    """How many tokens a context may have, and how many it is estimated to have."""

    limit: int = 8192
    used_estimate: int = 0


class ContextDiversity(Record, frozen=True, kw_only=True):
    """How many pieces of evidence one document and one source may give."""

    by_document: int = 3
    by_source_uri: int = 2


class Truncation(Record, frozen=True, kw_only=True):
    """Where each slot was cut off."""

    system_blocks_max_tokens: int = 800
    summary_max_tokens: int = 600
    recent_turns_max: int = 8
    evidence_max_items: int = 12
    max_snippet_chars: int = 800


class Constraints(Record, frozen=True, kw_only=True):
    """The limits that a context was made under."""

    token_budget: TokenBudget = TokenBudget()
    diversity: ContextDiversity = ContextDiversity()
    truncation: Truncation = Truncation()


class TraceIds(Record, frozen=True, kw_only=True):
    """The ids that tie a context to its plan and its request in traces and logs."""

    context_id: str = ""
    request_id: str = ""
    plan_id: str = ""


class ContextDebug(Record, frozen=True, kw_only=True):
    """How a context came about; `ignored` is whatever was cut, dropped or not supported."""

    planner: Mapping[str, Any] = field(default_factory=dict)
    why_selected: tuple[Reason, ...] = ()
    ignored: tuple[Reason, ...] = ()
    trace: TraceIds = TraceIds()


class ContextPackage(Slots, frozen=True, kw_only=True):
    """One model call's context: its slots, the limits it was made under, and how it came about."""

    constraints: Constraints = Constraints()
    debug: ContextDebug = field(default_factory=ContextDebug)

    @property
    def degraded(self) -> str:
        """What it had to be made without, such as an index that failed; empty where nothing."""
        return "; ".join(self.debug.planner.get("missing", ()))

    @property
    def prefix_share(self) -> float | None:
        """The share of the request that is a byte-identical prefix of the session's last one too.

        None where the session has had none lately.
        """
        share: float | None = self.debug.planner.get("prefix_share")
        return share

    def messages(self, format: ProviderName = "openai") -> list[Any]:  # noqa: A002 - public
        """Return the messages of a request, as `openai` or `anthropic` take them.

        They are plain dicts; the type leaves that open, so that a provider's own types fit.
        """
        found: list[dict[str, Any]] = request(self, format)["messages"]
        return found

    def request(self, format: ProviderName = "openai") -> dict[str, Any]:  # noqa: A002 - public
        """Return `messages`, and `system` where the provider wants that apart."""
        return request(self, format)

    def cited(self, mark: str) -> ContextEvidence | None:
        """Return the evidence that a model cites as `E1` or `[E1]`; None if there is none such."""
        number = mark.strip().strip("[]").removeprefix("E")
        place = int(number) - 1 if number.isdecimal() else -1
        return self.evidence[place] if 0 <= place < len(self.evidence) else None

    def text(self) -> str:
        """Return everything as titled blocks, for people to read."""
        return render_text(self)
