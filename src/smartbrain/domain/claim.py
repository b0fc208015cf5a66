"""Claims and candidates: what somebody stated, with the very words that state it (K1, C1, C6).

Everything that is known is folded from claims. A claim says what is so, what is over (`end`) or
what never was so (`wrong`), of whom, who said it and where. It holds no key: which memory it speaks
of is decided when the claims of its group are folded. A candidate is what a rule, a proposal or a
model found, before the gate decides about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from smartbrain.domain.memory import Span
from smartbrain.domain.record import Record


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that might be remembered.

    `value` has the fields of its type, enough to make its key; a retraction may have only some of
    them, and `text` then tells what is meant. `rule` names what found it, such as `tools.task`.
    `declared` is what the user asked to remember, `confirmed` what the assistant had said first.
    `corrects` says that it takes the place of what was wrong. `evidence_refs` and `valid_until`
    come with a proposal.
    """

    type: str
    value: Mapping[str, Any] = field(default_factory=dict)
    text: str
    rule: str
    source: Source = Source.USER
    action: CandidateAction = CandidateAction.WRITE
    confidence: float = 0.8
    declared: bool = False
    confirmed: bool = False
    corrects: bool = False
    evidence_refs: tuple[str, ...] = ()
    valid_until: datetime | None = None


_USERS: Final = (Source.USER, Source.OPERATION)
SELF: Final = "self"
"""The relation of a claim about whoever speaks."""
OTHER: Final = "other"
"""The attribute of what no attribute of the ontology names."""


class Say(StrEnum):
    """What a claim says of its value."""

    ASSERT = "assert"
    END = "end"
    WRONG = "wrong"
    DOING = "doing"
    BLOCKED = "blocked"
    DONE = "done"


CLOSES: Final = frozenset((Say.END, Say.WRONG))
"""What takes something away."""


class ClaimStatus(StrEnum):
    """Whether a claim counts when its group is folded.

    A `candidate` is not certain enough, `refused` did not pass the gate, `replaced` was read anew.
    """

    COUNTED = "counted"
    CANDIDATE = "candidate"
    REFUSED = "refused"
    REPLACED = "replaced"


class Claim(Record, frozen=True, kw_only=True, gc=False):
    """One statement about one value of one subject.

    `value` is what is claimed; empty with `end` or `wrong` means whichever value stands. `fields`
    is the same as its type shapes it. `detail` says how it is to be taken: the `key` that a caller
    or an operation named, whether it `corrects`, and the like.
    `when` is a task's deadline or an event's day; `until` is when the value stops to hold. `reader`
    names what found it, `rule` how; `certainty` is the reader's own, `confidence` follows who said
    it. `start` and `length` are characters of the message.
    """

    id: str
    group: str
    type: str
    subject: str = "user"
    relation: str = SELF
    attribute: str = OTHER
    value: Any = ""
    say: Say = Say.ASSERT
    when: str = ""
    until: datetime | None = None
    scope: str = ""
    topic: str = ""
    because: str = ""
    fields: Mapping[str, Any] = msgspec.field(default_factory=dict)
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)
    text: str = ""
    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    place: int = 0
    message: int = -1
    message_id: str | None = None
    start: int = 0
    length: int = 0
    spans: tuple[Span, ...] = ()
    said_at: datetime
    speaker: str = ""
    source: Source = Source.USER
    reader: str = ""
    rule: str = ""
    confidence: float = 0.8
    certainty: float = 1.0
    pii: bool = False
    status: ClaimStatus = ClaimStatus.COUNTED

    def __repr__(self) -> str:
        """Return what is claimed of whom, in one line."""
        of = f"{self.type} {self.subject}.{self.attribute}"
        return f"Claim({self.say.value} {of} = {self.value or self.text!r}, {self.status.value})"

    @property
    def source_id(self) -> str:
        """The turn or the operation that it comes from."""
        return self.turn_id or self.operation_id or ""

    @property
    def order(self) -> tuple[datetime, bool, str, int, bool, int, int, str]:
        """When it was said: by time, place in the session, endings first, then place in words."""
        return (
            self.said_at,
            self.turn_id is None,
            self.session_id,
            self.place,
            self.say not in CLOSES,
            self.message,
            self.start,
            self.id,
        )

    @property
    def is_users(self) -> bool:
        """Whether the user stands behind it, by words or by an operation."""
        return self.source in _USERS
