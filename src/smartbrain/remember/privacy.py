"""Personal data on the way in: marked, masked, or masked and never made a memory of (C10).

In: a request, or the input of an operation. Out: the same as it may be stored, and whether it holds
personal data. Masked is masked everywhere: nothing behind this stage has ever seen the original.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from smartbrain.text.pii import find_pii, holds_pii, is_masked, kind_of_number, mark_of, mask_pii

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import PrivacyRules
    from smartbrain.domain.turn import CommitRequest

KEEP = "tag"


def protect(request: CommitRequest, *, rules: PrivacyRules) -> CommitRequest:
    """Return a request without the personal data that may not be stored.

    Ids stay: they are the names by which the caller finds things again.
    """
    if rules.pii == KEEP:
        return request
    events = request.events
    return replace(
        request,
        events=replace(
            events,
            messages=tuple(
                replace(
                    one,
                    content=masked(one.content),
                    name=masked(one.name),
                    model=masked(one.model),
                    meta=masked(one.meta),
                )
                for one in events.messages
            ),
            tool_calls=tuple(
                replace(
                    one,
                    name=masked(one.name),
                    args=masked(one.args),
                    result=masked(one.result),
                    stdout=masked(one.stdout),
                    stderr=masked(one.stderr),
                )
                for one in events.tool_calls
            ),
            refs=tuple(
                replace(one, ref_uri=masked(one.ref_uri), ref_meta=masked(one.ref_meta))
                for one in events.refs
            ),
            proposals=masked(events.proposals),
        ),
    )


def holds_personal_data(value: Any) -> bool:
    """Tell whether there is personal data in a text or anywhere in a value."""
    if isinstance(value, str):
        return holds_pii(value)
    if isinstance(value, dict):
        return any(map(holds_personal_data, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return any(map(holds_personal_data, value))
    return isinstance(value, int | float) and kind_of_number(value) is not None


def holds_marks(value: Any) -> bool:
    """Tell whether something was masked in a text or anywhere in a value."""
    if isinstance(value, str):
        return is_masked(value)
    if isinstance(value, dict):
        return any(map(holds_marks, (*value, *value.values())))
    return isinstance(value, list | tuple) and any(map(holds_marks, value))


def kept(value: Any, rules: PrivacyRules) -> Any:
    """Return a text or a value as it may be stored."""
    return value if rules.pii == KEEP else masked(value)


def masked(value: Any) -> Any:
    """Return a text, or a value with every text and number in it, with marks for personal data."""
    if isinstance(value, str):
        found = find_pii(value)
        return mask_pii(value, found) if found else value
    if isinstance(value, dict):
        return _masked_fields(value)
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    kind = kind_of_number(value) if isinstance(value, int | float) else None
    return value if kind is None else mark_of(kind)


def _masked_fields(fields: dict[Any, Any]) -> dict[Any, Any]:
    """Return fields with names and values masked; names that come out alike stay apart."""
    whole: dict[Any, Any] = {}
    for name, item in fields.items():
        free = masked(name)
        while free in whole:
            free += "_"
        whole[free] = masked(item)
    return whole
