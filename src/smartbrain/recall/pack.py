"""Fitting items into a budget of tokens: the best first, and of what is alike only one (R3, R16).

In: items in order. Out: those that fit, and a reason for each that does not. An item that is too
long is passed over for shorter ones behind it, so that a budget is used for as much as it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from smartbrain.domain.reason import Reason
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from smartbrain.domain.recall import RecallItem
    from smartbrain.domain.recalled import Ranked

_READ: Final = 2_000
_FRAME: Final = 12  # tokens around an item: its type, date and speaker


def tokens_of(item: RecallItem) -> int:
    """Return what an item costs when it is shown."""
    return estimate_tokens(item.text) + _FRAME


def packed(
    items: Sequence[RecallItem], budget: int | None
) -> tuple[list[RecallItem], int, list[Reason]]:
    """Return the items that fit a budget, what they cost, and why others are left out."""
    kept: list[RecallItem] = []
    omitted = []
    used = 0
    for item in items:
        cost = tokens_of(item)
        if budget is not None and used + cost > budget:
            sentence = f"it takes {cost} tokens and {budget - used} of {budget} were left"
            omitted.append(
                Reason("over_budget", sentence, id=item.id, type=item.type, key=item.key)
            )
            continue
        used += cost
        kept.append(item)
    return kept, used, omitted


def varied(ranked: Sequence[Ranked], relevance: float) -> list[Ranked]:
    """Return memories in order, one that says the same as a better one further down (MMR).

    Two say the same when they have the same words. How far down is `relevance`'s to say: at 1
    nothing moves. What was said again in another turn moves a third as far: it tells one thing
    more, that it was said again.
    """
    seen: dict[int, set[str | None]] = {}
    order = []
    for one in ranked:
        row, score = one.row, one.score
        words = _words(row.text[:_READ])
        turns = seen.get(words)
        if turns is None:
            seen[words] = {row.source_turn_id}
        else:
            score *= 1 - (1 - relevance) / (1 if row.source_turn_id in turns else 3)
            turns.add(row.source_turn_id)
        order.append((-score, one))
    order.sort(key=itemgetter(0))
    return [one for _, one in order]


@lru_cache(maxsize=2_048)  # a conversation comes back to the same memories
def _words(text: str) -> int:
    """Return a number for the words of a text, which only texts of the same words share.

    The hash of a set has 64 bits: that two sets share one by chance does not happen in practice.
    """
    return hash(frozenset(text.casefold().split()))
