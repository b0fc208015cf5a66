"""Personal data on the way in: marked, masked, or masked and never made a memory of (C10).

In: a request, or the input of an operation. Out: the same as it may be stored, whether it holds
personal data, and what masking took out of each part of a turn. Masked is masked everywhere: where
`privacy.raw: encrypted` asks for it, the original is kept beside the events for whoever asks for a
turn as it was said; nothing else has ever seen it. Proposals stay masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.pii import CUTS, INSIDE, NAMES, WAS, Difference
from smartbrain.text.pii import find_pii, holds_pii, is_masked, kind_of_number, mark_of, mask_pii

if TYPE_CHECKING:
    from smartbrain.domain.policy import PrivacyRules
    from smartbrain.domain.turn import CommitRequest, ToolCall, Turn, TurnEvents
    from smartbrain.ports.truth import Transaction

KEEP = "tag"
_OUTCOME: Final = ("result", "stdout", "stderr")
_FIELDS: Final = {
    "messages": ("content", "name", "model", "meta"),
    "tool_calls": ("name", "args", *_OUTCOME),
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
        part: tuple(replace(one, **masked(_fields(one, names))) for one in _parts(events, part))
        for part, names in _FIELDS.items()
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


def withheld_in(given: TurnEvents, turn: Turn, *, rules: PrivacyRules) -> dict[str, Difference]:
    """Return what was masked in each part of a draft; nothing where it is not to be kept."""
    if rules.pii != "mask" or rules.raw != "encrypted":
        return {}
    found = {
        stored.id: difference_of(_fields(said, names), _fields(stored, names))
        for part, names in _FIELDS.items()
        for said, stored in zip(_parts(given, part), _parts(turn, part), strict=True)
    }
    return {name: difference for name, difference in found.items() if difference is not None}


def _parts(events: TurnEvents | Turn, part: str) -> Sequence[Any]:
    parts: Sequence[Any] = getattr(events, part)
    return parts


def _fields(part: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(part, name) for name in names}


def keep_withheld(
    found: Mapping[str, Difference], draft: Turn, fresh: Turn, *, transaction: Transaction
) -> None:
    """Keep what was masked in those parts of a draft that were stored."""
    if not found:
        return
    ids = [one.id for one in fresh.messages] + [one.id for one in fresh.refs]
    kept_parts = {one: found[one] for one in ids if one in found}
    for call in fresh.tool_calls:
        difference = found.get(call.id) or _difference_of_outcome(call, draft, found)
        if difference:
            kept_parts[call.id] = difference
    if kept_parts:
        transaction.withheld.keep(fresh.id, kept_parts)


def difference_of(said: Any, stored: Any) -> Difference | None:
    """Return what was masked in a value; None if nothing was."""
    if isinstance(said, str):
        return {CUTS: list(_cuts(said))} if said != stored else None
    if isinstance(said, Mapping):
        pairs = list(zip(said.items(), stored.items(), strict=False))  # later ones are our own
        names = {new: old for (old, _), (new, _) in pairs if old != new}
        inner = {new: difference_of(old, item) for (_, old), (new, item) in pairs}
    elif isinstance(said, list | tuple):
        names = {}
        inner = {
            str(at): difference_of(*one) for at, one in enumerate(zip(said, stored, strict=True))
        }
    else:
        return {WAS: said} if isinstance(stored, str) else None  # a number
    inside = {name: part for name, part in inner.items() if part is not None}
    return {INSIDE: inside, NAMES: names} if inside or names else None


def _cuts(text: str) -> Iterator[list[Any]]:
    """Yield where each mark stands in the masked text, its length, and the words it stands for."""
    shift = 0
    for span in find_pii(text):
        mark = len(mark_of(span.kind))
        yield [span.offset + shift, mark, text[span.offset : span.end]]
        shift += mark - span.length


def _difference_of_outcome(
    call: ToolCall, draft: Turn, found: Mapping[str, Difference]
) -> Difference | None:
    """Return what was masked in the outcome of a call that was begun in an earlier step."""
    same = {"id": call.id, "name": call.name, "args": call.args, "owner": call.owner}
    ended = next((one for one in draft.tool_calls if replace(one, **same) == call), None)
    difference = found.get(ended.id) if ended else None
    if difference is None:
        return None
    inside = {name: part for name, part in difference[INSIDE].items() if name in _OUTCOME}
    return {INSIDE: inside, NAMES: {}} if inside else None
