"""What masking takes out of a turn, kept where `privacy.raw: encrypted` asks for it (C10).

In: what was given, and the turn drafted of it with marks. Out: a difference for each message, tool
call and ref that had something masked; kept beside the events, read by nothing but whoever asks for
a turn as it was said. Proposals are memories to be: they stay masked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.withheld import CUTS, INSIDE, NAMES, WAS, Difference
from smartbrain.text.pii import find_pii, mark_of

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import PrivacyRules
    from smartbrain.domain.turn import ToolCall, Turn, TurnEvents
    from smartbrain.ports.truth import Transaction

MESSAGE_FIELDS: Final = ("content", "name", "model", "meta")
CALL_FIELDS: Final = ("name", "args", "result", "stdout", "stderr")
REF_FIELDS: Final = ("ref_uri", "ref_meta")
_OUTCOME: Final = ("result", "stdout", "stderr")


def withheld_in(given: TurnEvents, turn: Turn, *, rules: PrivacyRules) -> dict[str, Difference]:
    """Return what was masked in each part of a draft; nothing where it is not to be kept."""
    if rules.pii != "mask" or rules.raw != "encrypted":
        return {}
    pairs: list[tuple[tuple[str, ...], Any, Any]] = [
        *((MESSAGE_FIELDS, *pair) for pair in zip(given.messages, turn.messages, strict=True)),
        *((CALL_FIELDS, *pair) for pair in zip(given.tool_calls, turn.tool_calls, strict=True)),
        *((REF_FIELDS, *pair) for pair in zip(given.refs, turn.refs, strict=True)),
    ]
    found = {}
    for names, said, stored in pairs:
        difference = difference_of(_fields(said, names), _fields(stored, names))
        if difference is not None:
            found[stored.id] = difference
    return found


def keep_withheld(
    found: Mapping[str, Difference], draft: Turn, fresh: Turn, *, transaction: Transaction
) -> None:
    """Keep what was masked in those parts of a draft that were stored."""
    if not found:
        return
    ids = [one.id for one in fresh.messages] + [one.id for one in fresh.refs]
    kept = {one: found[one] for one in ids if one in found}
    for call in fresh.tool_calls:
        difference = found.get(call.id) or _of_outcome(call, draft, found)
        if difference:
            kept[call.id] = difference
    if kept:
        transaction.withheld.keep(fresh.id, kept)


def difference_of(said: Any, masked: Any) -> Difference | None:
    """Return what was masked in a value; None if nothing was."""
    if isinstance(said, str):
        return {CUTS: list(_cuts(said))} if said != masked else None
    if isinstance(said, Mapping):
        pairs = list(zip(said.items(), masked.items(), strict=False))  # later ones are our own
        names = {new: old for (old, _), (new, _) in pairs if old != new}
        parts = {new: difference_of(old, item) for (_, old), (new, item) in pairs}
    elif isinstance(said, list | tuple):
        names = {}
        parts = {
            str(at): difference_of(*one) for at, one in enumerate(zip(said, masked, strict=True))
        }
    else:
        return {WAS: said} if isinstance(masked, str) else None  # a number
    inside = {name: part for name, part in parts.items() if part is not None}
    return {INSIDE: inside, NAMES: names} if inside or names else None


def _cuts(text: str) -> Iterator[list[Any]]:
    """Yield where each mark stands in the masked text, its length, and the words it stands for."""
    shift = 0
    for span in find_pii(text):
        mark = len(mark_of(span.kind))
        yield [span.offset + shift, mark, text[span.offset : span.end]]
        shift += mark - span.length


def _of_outcome(call: ToolCall, draft: Turn, found: Mapping[str, Difference]) -> Difference | None:
    """Return what was masked in the outcome of a call that was begun in an earlier step."""
    same = {"id": call.id, "name": call.name, "args": call.args, "owner": call.owner}
    ended = next((one for one in draft.tool_calls if replace(one, **same) == call), None)
    difference = found.get(ended.id) if ended else None
    if difference is None:
        return None
    inside = {name: part for name, part in difference[INSIDE].items() if name in _OUTCOME}
    return {INSIDE: inside, NAMES: {}} if inside else None


def _fields(part: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a part that may be masked."""
    return {name: getattr(part, name) for name in names}
