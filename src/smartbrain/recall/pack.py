"""Fitting items into a budget of tokens, and moving down what says the same again (R3, R16).

In: memories in order. Out: those that fit, in the same order, and a reason for each that does not.
All words that an item brings are counted; quotes give way before an item does. A larger budget
never brings items whose scores add up to less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.reason import Reason
from smartbrain.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from smartbrain.domain.packet import Quote
    from smartbrain.domain.recall import RecallItem
    from smartbrain.domain.recalled import Ranked

_READ: Final = 2_000
_LONGEST: Final = 8  # characters of a token, at most, in any prose
_FRAME: Final = 12  # tokens around an item: its type, date and speaker
_AGAIN: Final = 1 / 3  # as far moves what another turn said again


def vary(ranked: Sequence[Ranked], relevance: float) -> list[Ranked]:
    """Return memories in order, one that has the words of a better one further down.

    How far down is `relevance`'s to say: at 1 nothing moves. What was said again in another turn
    moves a third as far: it tells one thing more, that it was said again.
    """
    turns_with: dict[frozenset[str], set[str | None]] = {}
    order = []
    for one in ranked:
        words = frozenset(one.row.text[:_READ].casefold().split())
        turns = turns_with.setdefault(words, set())
        share = 0.0 if not turns else 1.0 if one.row.source_turn_id in turns else _AGAIN
        turns.add(one.row.source_turn_id)
        order.append((one.score * (1 - (1 - relevance) * share), one))
    return [one for _, one in sorted(order, key=lambda scored: -scored[0])]


def tokens_of(item: RecallItem) -> int:
    """Return what an item costs when it is shown without its quotes."""
    return estimate_tokens(item.text) + _FRAME


def pack(
    items: Sequence[RecallItem], budget: int | None
) -> tuple[list[RecallItem], int, list[Reason]]:
    """Return the items that fit a budget, what they cost, and why others are left out.

    Items are chosen by what they say themselves; their quotes have what is left, first those that
    say more than the item. Without a budget quotes are not counted.
    """
    costs = list(map(tokens_of, items))
    if budget is None:
        return list(items), sum(costs), []
    chosen = _choose([max(0.0, one.score) for one in items], costs, budget)
    fitting = [one for place, one in enumerate(items) if place in chosen]
    used = sum(costs[place] for place in chosen)
    kept, quoted = _fit_quotes(fitting, budget - used)
    omitted = [
        _about(one, "over_budget", f"it takes {cost} of {budget} tokens; others bring more in them")
        for place, (one, cost) in enumerate(zip(items, costs, strict=True))
        if place not in chosen
    ]
    for before, one in zip(fitting, kept, strict=True):
        if left := len(before.quotes) - len(one.quotes):
            sentence = f"{left} of {len(before.quotes)} quotes have no room in {budget} tokens"
            omitted.append(_about(one, "quotes_over_budget", sentence))
    return kept, used + quoted, omitted


def _choose(scores: Sequence[float], costs: Sequence[int], budget: int) -> set[int]:
    """Return the places of the items that bring most within a budget.

    They are taken in their order, and what has no room is passed over. A long one may so keep out
    shorter ones that bring more together: where a smaller budget does better, what fits that one is
    taken.
    """
    places = range(len(scores))
    if sum(costs) <= budget:
        return set(places)
    densest = sorted(places, key=lambda one: -scores[one] / costs[one])
    best: list[int] = []
    most = -1.0
    size = budget
    while _bound(scores, costs, densest, size) > most:
        taken, used = _take(costs, size)
        total = fsum([scores[one] for one in taken])
        if total > most:
            best, most = taken, total
        size = used - 1  # down to there it would be the same ones
    return set(best)


def _take(costs: Sequence[int], budget: int) -> tuple[list[int], int]:
    """Return the places of what fits, the first ones first, and what it takes."""
    taken = []
    left = budget
    for place, cost in enumerate(costs):
        if cost <= left:
            left -= cost
            taken.append(place)
    return taken, budget - left


def _bound(
    scores: Sequence[float], costs: Sequence[int], densest: Iterable[int], budget: int
) -> float:
    """Return what no choice can bring more than: the densest, and a part of the next one."""
    total = 0.0
    if budget <= 0:
        return -1.0
    for one in densest:
        if costs[one] >= budget:
            return total + scores[one] * budget / costs[one]
        budget -= costs[one]
        total += scores[one]
    return total


def _fit_quotes(items: Sequence[RecallItem], room: int) -> tuple[list[RecallItem], int]:
    """Return items with the quotes that there is room for, and what those take."""
    quotes = [(place, quote) for place, one in enumerate(items) for quote in one.quotes]
    new_first = sorted(
        range(len(quotes)),
        key=lambda one: quotes[one][1].text.strip() in items[quotes[one][0]].text,
    )
    shown: set[int] = set()
    used = 0
    for one in new_first:
        text = quotes[one][1].text
        if len(text) > (room - used) * _LONGEST:
            continue  # to count it takes longer than all else here
        cost = estimate_tokens(text)
        if used + cost <= room:
            used += cost
            shown.add(one)
    if len(shown) == len(quotes):
        return list(items), used
    kept: list[list[Quote]] = [[] for _ in items]
    for one in sorted(shown):
        kept[quotes[one][0]].append(quotes[one][1])
    return [replace(one, quotes=tuple(some)) for one, some in zip(items, kept, strict=True)], used


def _about(item: RecallItem, code: str, sentence: str) -> Reason:
    return Reason(code, sentence, id=item.id, type=item.type, key=item.key)
