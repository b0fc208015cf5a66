"""What somebody does now in the place of what they do no more: 我不喝咖啡了，改喝茶 (C4, C6).

In: what a sentence denies and what it says instead. Out: how the old and the new would be told as
tastes, where both are the same doing: to drink, to eat. What is used is found by `own_switches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from smartbrain.remember.extract.correction_words import Restated
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_NO_MORE: Final = pattern(
    r"\A我?(?:现在|已经|最近|也|都){0,4}不再?(?P<does>[喝吃])(?P<what>[^，,了]{1,10})了?\Z"
    r"|\Ai (?:no longer|don't|do not) (?P<do>drink|eat) (?P<of>[\w -]{2,30}?)(?: any ?more)?\Z",
    _I,
)
_NOW: Final = pattern(
    r"\A我?(?:现在|就|都|开始){0,4}(?:改(?:成|为)?|现在|开始|只){1,4}(?P<does>[喝吃])(?P<what>[^，,了]{1,10})了?\Z"
    r"|\A(?:i )?(?:now |only |mostly )?(?P<do>drink|eat) (?:only )?(?P<of>[\w -]{2,30}?)"
    r"(?: now| instead| these days)?\Z",
    _I,
)


class TakenUp(NamedTuple):
    """How the old and the new may be told, each in the order of what is looked for first."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    place: Restated


def taken_up(denied: Sequence[Restated], restated: Sequence[Restated]) -> TakenUp | None:
    """Return what is taken up in the place of something, if a sentence tells nothing else."""
    if len(denied) != 1 or len(restated) != 1:
        return None
    was, is_ = _NO_MORE.match(denied[0].text), _NOW.match(restated[0].text)
    if was is None or is_ is None or was["does"] != is_["does"]:
        return None
    if (was["do"] or "").lower() != (is_["do"] or "").lower():
        return None
    return TakenUp(_told(was["does"], was["what"] or was["of"]),
                   _told(is_["does"], is_["what"] or is_["of"]), restated[0])  # fmt: skip


def _told(does: str | None, what: str) -> tuple[str, ...]:
    """Return how something is told that somebody eats or drinks: as a diet, else as a taste."""
    if does is None:
        return (f"I like {what}",)
    return f"我{does}{what}", f"我喜欢{does}{what}"
