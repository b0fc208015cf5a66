"""The gate: which candidates become memories, and how sure they are (C1, C2, C3, C10, C11).

In: candidates. Out: the same, each with its key and a verdict: kept, or refused with a code and the
rule in a sentence. What is said in passing stays in the events; nothing is lost by a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.memory import Span
from smartbrain.domain.reason import Reason
from smartbrain.errors import UsageError
from smartbrain.remember.privacy import holds_marks, holds_personal_data
from smartbrain.text.controls import value_without_controls, without_controls

if TYPE_CHECKING:
    from smartbrain.domain.policy import ConfidenceRules, Rules
    from smartbrain.domain.types import TypeRegistry

_ABOUT_THE_USER: Final = frozenset({"preferences", "profile", "goals"})
_SURE: Final = frozenset({"tasks", "decisions"})
_PERSONAL: Final = Reason("pii", "it holds personal data, of which privacy.pii: refuse keeps none")
PROPOSAL: Final = "proposal"
"""The rule of what a caller proposes; what such a value leaves out keeps what is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A candidate with its key and what the gate says; `refused` is why it is none.

    `stated` are the fields that a proposal has given itself.
    """

    candidate: Candidate
    key: str = ""
    refused: Reason | None = None
    pii: bool = False
    message_id: str | None = None
    raw_refs: tuple[Span, ...] = ()
    stated: frozenset[str] = frozenset()


def gate(
    candidates: Iterable[Candidate],
    *,
    types: TypeRegistry,
    rules: Rules,
) -> list[Judged]:
    """Judge candidates, in their order."""
    return [_judged(one, types, rules) for one in candidates]


def _judged(candidate: Candidate, types: TypeRegistry, rules: Rules) -> Judged:
    kind = types.get(candidate.type)
    candidate = replace(
        candidate,
        value=value_without_controls(dict(candidate.value)),
        text=without_controls(candidate.text),
    )
    pii, private = judge_privacy((candidate.text, dict(candidate.value)), rules)
    sure = confidence_of(candidate, rules.policies.retention.confidence)
    if candidate.detail:  # what it speaks of is found when it is folded
        return Judged(candidate=replace(candidate, confidence=sure), refused=private, pii=pii)
    retracts = candidate.action is CandidateAction.RETRACT
    refused = None if retracts else private or _refused(candidate)
    if retracts or refused is not None:
        key = _key_or_none(candidate, types)
        return Judged(candidate=candidate, key=key, refused=refused, pii=pii)
    try:
        key = str(candidate.value.get("key") or kind.key_of(candidate.value))
        value = {name: item for name, item in candidate.value.items() if name != "key"}
        value = dict(kind.complete(key, value).value)
    except UsageError as error:
        return Judged(candidate=candidate, refused=Reason(error.code, error.message), pii=pii)
    stated = frozenset(candidate.value) if candidate.rule == PROPOSAL else frozenset()
    candidate = replace(candidate, value=value, confidence=sure)
    return Judged(candidate=candidate, key=key, pii=pii, stated=stated)


def judge_privacy(spoken: object, rules: Rules) -> tuple[bool, Reason | None]:
    """Tell whether there is personal data in what was said, and why none of it may be kept."""
    pii = holds_marks(spoken) or holds_personal_data(spoken)
    if not pii or rules.privacy.pii != "refuse":
        return pii, None
    return True, _PERSONAL


def confidence_of(candidate: Candidate, rules: ConfidenceRules) -> float:
    """Return how sure a candidate is, by who stands behind it."""
    given = min(1.0, max(0.0, candidate.confidence))
    if candidate.source in (Source.USER, Source.OPERATION) or candidate.confirmed:
        return max(given, rules.user_asserted)
    if candidate.source is Source.TOOL:
        return max(given, rules.tool_derived)
    return min(given, rules.inferred)


def _refused(candidate: Candidate) -> Reason | None:
    """Return why a candidate is not to be remembered by who said it, if so."""
    sure = candidate.confirmed or candidate.declared
    if candidate.source is Source.ASSISTANT and not sure:
        if candidate.type in _ABOUT_THE_USER:
            return Reason(
                "assistant_guess", "the assistant guessed it; the user has not confirmed it"
            )
        if candidate.type not in _SURE:
            return Reason("assistant_said", "only the assistant said it; nobody stands behind it")
    if candidate.source is Source.AGENT and candidate.type == "preferences" and not sure:
        return Reason("unconfirmed", "a preference somebody proposed needs the user's confirmation")
    return None


def _key_or_none(candidate: Candidate, types: TypeRegistry) -> str:
    given = candidate.value.get("key")
    if isinstance(given, str) and given:
        return given
    try:
        return types.get(candidate.type).key_of(candidate.value)
    except UsageError:
        return ""
