"""Personal data on the way in: marked, masked, or masked and never made a memory of (C10).

In: a request, or the input of an operation. Out: the same as it may be stored, and whether it holds
personal data. What is masked is masked everywhere, in the events as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.text.pii import find_pii, holds_pii, is_masked, kind_of_number, mark_of, mask_pii

if TYPE_CHECKING:
    from smartbrain.domain.policy import PrivacyRules
    from smartbrain.domain.turn import CommitRequest

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
            replace(part, **masked({field: getattr(part, field) for field in fields}))
            for part in getattr(events, name)
        )
        for name, fields in _FIELDS.items()
    }
    return replace(request, events=replace(events, **parts, proposals=masked(events.proposals)))


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
