"""Verdicts about what was expected in an answer: which rule means which, in what words (S1).

In: the code of a reason, the status of a memory. Out: a verdict, and what to do about it. Nothing
is looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.domain.turn import Role

_CODES: Final[Mapping[Verdict, str]] = {
    Verdict.OUTRANKED: "outranked told_by_episode",
    Verdict.OVER_BUDGET: "over_budget budget",
    Verdict.NOT_FOUND: "not_found other_type too_early too_late stored_later other_task_type",
    Verdict.INCLUDED: "shown told_by_turn",
    Verdict.REFUSED: "audience unvalidated not_promoted not_shown candidate off_record",
    Verdict.SUPERSEDED: "superseded disputed",
    Verdict.RETRACTED: "retracted",
    Verdict.EXPIRED: "expired deprecated archived not_yet_valid closed",
    Verdict.FORGOTTEN: "forgotten",
}
_OF_CODE: Final = {code: verdict for verdict, codes in _CODES.items() for code in codes.split()}
WHY_FALLEN: Final[Mapping[Status, str]] = {
    Status.CANDIDATE: "it was noted, but nobody has confirmed it yet",
    Status.SUPERSEDED: "a later statement stands in its place",
    Status.DISPUTED: "it contradicts what stands, which is held to be surer",
    Status.RETRACTED: "it was taken back",
    Status.DEPRECATED: "it is not in use any more",
    Status.ARCHIVED: "it was put away",
    Status.EXPIRED: "its time is over",
}
"""Why a version that does not stand may not be recalled."""
_SURER: Final = "an earlier statement, which is held to be surer, stands in its place"
REFUSED_MESSAGES: Final[Mapping[str, Role]] = {
    "question": Role.USER,
    "guess": Role.USER,
    "hearsay": Role.USER,
    "pasted_text": Role.USER,
    "shown_before": Role.USER,
    "off_record": Role.USER,
    "assistant_word": Role.ASSISTANT,
}
"""The rules by which a whole message becomes no memory, and whose messages they are about."""
FOUND_OR_NOT: Final = frozenset(
    (Verdict.INCLUDED, Verdict.NOT_FOUND, Verdict.OUTRANKED, Verdict.OVER_BUDGET)
)
"""The verdicts that another answer to the same question may not share."""
BROKEN: Final = (ArmVerdict.NOT_READY, ArmVerdict.LATE, ArmVerdict.FAILED)
"""What became of an arm that should have answered and did not."""
HINTS: Final[Mapping[Verdict, str]] = {
    Verdict.NEVER_SAID: "say it, or check the spelling; remember() stores it at once",
    Verdict.NOT_EXTRACTED: "state it plainly, or use remember() or memories.put()",
    Verdict.REFUSED: "let the user confirm it, or store it with memories.put()",
    Verdict.SUPERSEDED: "ask with include_history=True or as_of, or put the right value",
    Verdict.RETRACTED: "only a new statement of the user brings it back",
    Verdict.FORGOTTEN: "it is gone for good; say it again if it is to be known",
    Verdict.EXPIRED: "ask with include_history=True or as_of, or say it again",
    Verdict.NOT_FOUND: "ask with its own words, name it, or switch on more arms",
    Verdict.OUTRANKED: "ask for more (k), ask more precisely, or pin it with feedback()",
    Verdict.OVER_LIMIT: "raise the limit in the section packet, or pin what matters",
    Verdict.OVER_BUDGET: "raise budget_tokens or token_limit, or ask more precisely",
    Verdict.INCLUDED: "nothing needs to be done",
}
"""What to do about each verdict."""
MAKE_GRAPH: Final = "run brain.r2g(), or `memctl r2g`, which makes memories of what was ingested"
"""What to do about a text that was ingested and not read since."""
SAY_AGAIN: Final = "say it again if it is to be known; of what was forgotten no words are kept"
"""What to do about words that may have been forgotten."""
NOTE_AGAIN: Final = "note it again in a run that goes on, and validate it there"
"""What to do about an insight that ended with its run."""


def verdict_of(code: str) -> Verdict:
    """Return the verdict of the rule that left something out; a rule of a packet is a limit."""
    return _OF_CODE.get(code, Verdict.OVER_LIMIT)


def verdict_of_status(memory: Memory, active: Memory | None) -> tuple[Verdict, str] | None:
    """Return the verdict about a version that does not stand, and why; None for one that does.

    Priority may elect an earlier version than the one that lost: `active` is who stands.
    """
    status = memory.status
    if status not in WHY_FALLEN:
        return None
    if status is Status.SUPERSEDED and active is not None and active.said_at < memory.said_at:
        return Verdict.SUPERSEDED, _SURER
    return verdict_of(status.value), WHY_FALLEN[status]


def with_packet(
    told: Explanation, packet: Explanation | None, *, judged: bool = True
) -> Explanation:
    """Return what a recall's explanation says, and what a memory packet does with the same.

    Where the packet is `judged` too, what stands was not to be found: a limit alone leaves it out.
    """
    if packet is None or packet.verdict is None:
        return told
    sentence = f"in a memory packet it is {packet.verdict.value}: {packet.reason}"
    step = Reason("packet", sentence, id=packet.id, detail={"verdict": packet.verdict.value})
    trail = (*told.trail, step)
    unfound = told.verdict is Verdict.NOT_FOUND
    if judged and unfound and packet.verdict is Verdict.OVER_LIMIT:
        reason = f"{packet.reason}; in a recall {told.reason}"
        return replace(told, verdict=packet.verdict, reason=reason, hint=packet.hint, trail=trail)
    return replace(told, trail=trail)


def ordinal(place: int) -> str:
    """Return a place in words such as `3rd`."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"


def unanswered(arms: Sequence[ArmReport]) -> str:
    """Return which arms could not look for something, as the end of a sentence."""
    broken = [arm.name for arm in arms if arm.verdict in BROKEN]
    off = [arm.name for arm in arms if arm.verdict is ArmVerdict.OFF]
    told = f"; {', '.join(broken)} did not answer" if broken else ""
    are = "are" if len(off) > 1 else "is"
    return f"{told}; {', '.join(off)} {are} off" if off else told
