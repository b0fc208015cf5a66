"""A candidate: something that was said and might be remembered, before anybody decides (C1, C6).

In: what an extraction rule, a proposal or a model found. Out: a typed value with the words it was
read from, where they stand, who said them and which rule found it. The gate decides whether it
becomes a memory, resolving decides what becomes of what is there already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from smartbrain.domain.quick import quick


class Source(StrEnum):
    """Who stands behind a candidate."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    AGENT = "agent"  # an outside agent that proposes memories
    MODEL = "model"  # a language model, where its quote is nobody's word
    OPERATION = "operation"  # a user's put, correct or retract


class CandidateAction(StrEnum):
    """What a candidate asks for."""

    WRITE = "write"
    RETRACT = "retract"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that might be remembered.

    `value` has the fields of its type, enough to make its key; a retraction may have only some of
    them, and `text` then tells what is meant. `offset` and `length` are characters of the message
    `message` of its turn; a candidate of a tool or a proposal has no message. `rule` names what
    found it, such as `tasks.need`. `declared` is what the user asked to remember, `confirmed` what
    the assistant had said first. `corrects` says that it takes the place of what was wrong;
    `instead_of` is the end of that where it stands under a key of its own. `evidence_refs` and
    `valid_until` come with a proposal; `detail` is how a claim of it is to be taken.
    """

    type: str
    value: Mapping[str, Any] = field(default_factory=dict)
    text: str
    rule: str
    source: Source = Source.USER
    action: CandidateAction = CandidateAction.WRITE
    confidence: float = 0.8
    message: int | None = None
    offset: int = 0
    length: int = 0
    declared: bool = False
    confirmed: bool = False
    corrects: bool = False
    instead_of: Candidate | None = None
    evidence_refs: tuple[str, ...] = ()
    valid_until: datetime | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
