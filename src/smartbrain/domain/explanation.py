"""Why something is as it is: what a commit wrote, what a context shows, what an answer holds (S1).

In: nothing; the id of a turn or an operation is explained by what was kept about it, an expectation
by `recall.explain`, a context by `compose.replay`. Out: a verdict as a word for programs and a
sentence for people, the way to it step by step, and what to do.
"""

from __future__ import annotations

from enum import StrEnum

from smartbrain.domain.context_explained import ContextExplanation
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record
from smartbrain.domain.result import CommitExplain


class Verdict(StrEnum):
    """What became of something that was expected in an answer, from being said to being shown."""

    NEVER_SAID = "never_said"
    NOT_EXTRACTED = "not_extracted"
    REFUSED = "refused"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    NOT_FOUND = "not_found"
    OUTRANKED = "outranked"
    OVER_LIMIT = "over_limit"
    OVER_BUDGET = "over_budget"
    INCLUDED = "included"


class Explanation(Record, frozen=True, kw_only=True):
    """The decisions about one turn, one context, or about what was expected of one query.

    `steps` are the decisions of the turn that is asked about, or in which it was said, in order.
    Of an expectation there is a `verdict` too, its sentence in `reason`, what it is about in `id`
    and `key`, a `hint` what to do, and the `trail`: where it was said, what stands in its place,
    which arm found it at which rank, and which rule left it out. Of a context `context` has it all,
    and `trail` tells it step by step.
    """

    turn_id: str | None = None
    steps: tuple[CommitExplain, ...] = ()
    query: str | None = None
    expect: str | None = None
    verdict: Verdict | None = None
    reason: str = ""
    hint: str = ""
    id: str | None = None
    key: str | None = None
    trail: tuple[Reason, ...] = ()
    context_id: str | None = None
    context: ContextExplanation | None = None
