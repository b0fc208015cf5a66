"""Whether what somebody expects was forgotten, as far as receipts can tell (J7).

In: an id, a key or words. Out: the receipt they went with. Of what was erased only ids and keyed
hashes are left, so words are compared by their hashes: nothing is told but a date.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from smartbrain.domain.forgetting import ForgetReceipt, ForgetState, mark_term, terms_of
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.ports.truth import Transaction
from smartbrain.text.tokenise import index_terms

_MAX_SEARCHED: Final = 40  # terms that are looked for one by one


class ForgottenTrace(NamedTuple):
    """The receipt that some words went with.

    `is_partial` says that other texts hold some of them still; `is_certain` that without a receipt
    nothing went.
    """

    receipt: ForgetReceipt | None = None
    is_partial: bool = False
    is_certain: bool = True


def find_receipt(expect: str, rows: Transaction, types: TypeRegistry) -> ForgetReceipt | None:
    """Return the receipt that an id, or a key that nothing has any more, went with."""
    receipts = _receipts(rows)
    by_id = {item.id: receipt for receipt in receipts for item in receipt.items}
    if expect in by_id or not receipts or ":" not in expect:
        return by_id.get(expect)
    try:
        kind = types.by_key(expect)
    except UsageError:
        return None
    rest = expect.partition(":")[2].casefold()
    groups = [expect.casefold(), f"{kind.name}:{expect.casefold()}", f"{kind.name}:{rest}"]
    if kind.name in ("facts", "preferences"):  # each value of an attribute that may have many
        groups.append(f"{kind.name}:{rest.rpartition(':')[0]}")
    closed = {one.forgetting for one in rows.forgettings.closed(groups)}
    return next((one for one in reversed(receipts) if one.id in closed), None)


def trace_words(words: str, rows: Transaction, is_stored: Callable[[str], bool]) -> ForgottenTrace:
    """Tell which receipt some words went with, that nothing stored holds together any more.

    Terms that other texts held too when the words went have left no hash. Words that are all of
    such terms may have been said or not: then it is not certain.
    """
    receipts = _receipts(rows)
    if not receipts:
        return ForgottenTrace()
    for hidden in rows.forgettings.waiting():
        if any(holds(words, text) for text in hidden.words):
            return ForgottenTrace(hidden.receipt)
    terms = sorted(terms_of(words))
    marks = rows.forgettings.fingerprints(map(mark_term, terms))
    went_with = {mark: receipt for receipt in receipts for mark in receipt.hashes}
    erased = [went_with[mark] for mark in marks if mark in went_with]
    others = [
        term
        for term, mark in zip(terms, marks, strict=True)
        if mark not in went_with and index_terms(term)
    ]
    if not all(is_stored(term) for term in others[:_MAX_SEARCHED]):
        return ForgottenTrace()
    if not erased:
        return ForgottenTrace(is_certain=False)
    return ForgottenTrace(erased[-1], is_partial=bool(others))


def holds(words: str, text: str) -> bool:
    """Tell whether all of some words are in a text; where they are only marks, as they stand."""
    wanted = set(index_terms(words))
    if not wanted:
        return bool(words.strip()) and words.strip().casefold() in text.casefold()
    return wanted <= set(index_terms(text))


def _receipts(rows: Transaction) -> list[ForgetReceipt]:
    """Return the receipts of all that is forgotten still, oldest first."""
    receipts = rows.forgettings.receipts()
    return [one for one in receipts if one.state is not ForgetState.TAKEN_BACK]
