"""The gate: what may be stored and what becomes a memory, and how sure it is (C1, C2, C3, C10).

In: a request or the input of an operation, then candidates. Out: the same without the personal data
that may not be stored; candidates with their keys and a verdict: kept, or refused with a code and
the rule in a sentence. What is masked is masked everywhere, in the events as well. What is said in
passing stays in the events; nothing is lost by a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import structs

from smartbrain.domain.claim import Candidate, CandidateAction, Source
from smartbrain.domain.policy import ConfidenceRules, PrivacyRules, Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.turn import CommitRequest
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.text.controls import value_without_controls, without_controls
from smartbrain.text.pii import find_pii, holds_pii, is_masked, kind_of_number, mark_of, mask_pii

_PERSONAL: Final = Reason("pii", "it holds personal data, of which privacy.pii: refuse keeps none")
_UNCONFIRMED: Final = Reason(
    "unconfirmed", "a preference somebody proposed needs the user's confirmation"
)
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
    stated: frozenset[str] = frozenset()


def judge_candidate(candidate: Candidate, types: TypeRegistry, rules: Rules) -> Judged:
    """Return a candidate as it may be remembered, or why it may not."""
    kind = types.get(candidate.type)
    candidate = replace(
        candidate,
        value=value_without_controls(dict(candidate.value)),
        text=without_controls(candidate.text),
    )
    pii, private = judge_privacy((candidate.text, dict(candidate.value)), rules)
    sure = confidence_of(candidate, rules.policies.retention.confidence)
    retracts = candidate.action is CandidateAction.RETRACT
    proposed = candidate.source is Source.AGENT and candidate.type == "preferences"
    refused = None if retracts else private or (_UNCONFIRMED if proposed else None)
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
    if candidate.source in (Source.USER, Source.OPERATION):
        return max(given, rules.user_asserted)
    if candidate.source is Source.TOOL:
        return max(given, rules.tool_derived)
    return min(given, rules.inferred)


def _key_or_none(candidate: Candidate, types: TypeRegistry) -> str:
    given = candidate.value.get("key")
    if isinstance(given, str) and given:
        return given
    try:
        return types.get(candidate.type).key_of(candidate.value)
    except UsageError:
        return ""


KEEP = "tag"
_FIELDS: Final = {
    "messages": ("content", "name", "model", "meta"),
    "tool_calls": ("name", "args", "result", "stdout", "stderr"),
    "refs": ("ref_uri", "ref_meta"),
}
"""The fields of each part of a turn that may be masked.

Ids stay: they are the names by which the caller finds things again.
"""


def protect(request: CommitRequest, *, rules: PrivacyRules) -> CommitRequest:
    """Return a request without the personal data that may not be stored."""
    if rules.pii == KEEP:
        return request
    events = request.events
    parts: dict[str, Any] = {
        name: tuple(
            structs.replace(part, **masked({field: getattr(part, field) for field in fields}))
            for part in getattr(events, name)
        )
        for name, fields in _FIELDS.items()
    }
    events = structs.replace(events, **parts, proposals=masked(events.proposals))
    return structs.replace(request, events=events)


def holds_personal_data(value: Any) -> bool:
    """Tell whether there is personal data in a text or anywhere in a value."""
    if isinstance(value, str):
        return holds_pii(value)
    if isinstance(value, dict | list | tuple):
        return any(map(holds_personal_data, _items(value)))
    return isinstance(value, int | float) and kind_of_number(value) is not None


def holds_marks(value: Any) -> bool:
    """Tell whether something was masked in a text or anywhere in a value."""
    if isinstance(value, str):
        return is_masked(value)
    return isinstance(value, dict | list | tuple) and any(map(holds_marks, _items(value)))


def _items(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterable[Any]:
    return (*value, *value.values()) if isinstance(value, dict) else value


def kept(value: Any, rules: PrivacyRules) -> Any:
    """Return a text or a value as it may be stored."""
    return value if rules.pii == KEEP else masked(value)


def masked(value: Any) -> Any:
    """Return a text, or a value with every text and number in it, with marks for personal data.

    Names of fields that come out alike stay apart.
    """
    if isinstance(value, str):
        found = find_pii(value)
        return mask_pii(value, found) if found else value
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    if isinstance(value, dict):
        whole: dict[Any, Any] = {}
        for name, item in value.items():
            free = masked(name)
            while free in whole:
                free += "_"
            whole[free] = masked(item)
        return whole
    kind = kind_of_number(value) if isinstance(value, int | float) else None
    return value if kind is None else mark_of(kind)
