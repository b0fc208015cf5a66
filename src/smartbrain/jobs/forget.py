"""Erasing what was hidden: the last words out of every row, file and page, and receipts (J7).

In: forgettings that are due. Out: signed receipts. It goes in steps, each of which can be repeated:
rows are cleaned and the words dropped in one transaction, then files are deleted, views written
anew and pages emptied, then the receipts are signed. One that was cut off goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.forgetting import (
    ForgetReceipt,
    ForgetState,
    Forgetting,
    Matcher,
    mark_term,
    terms_of,
    windows_of,
)
from smartbrain.errors import AdapterError

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

RewriteViews = Callable[[], Sequence[str]]
"""Writes the files of all views anew, and returns their names."""
_PAGE: Final = 1_000
_TRIES: Final = 3  # each waits some seconds for readers to go
_PRESENT: Final = ("memory", "claim", "turn", "edge")


def erase_due(
    ports: Ports, rewrite_views: RewriteViews, *, due: datetime | None = None
) -> list[ForgetReceipt]:
    """Erase what is hidden and due by a time, all of it by default; return signed receipts.

    Where it fails, or a reader keeps the log busy, calling again goes on.
    """
    with ports.truth.read() as transaction:
        if not transaction.forgettings.waiting(due):
            return []
    with ports.truth.write() as transaction:
        _clean(transaction.forgettings.waiting(due), transaction=transaction, ports=ports)
    with ports.truth.read() as transaction:
        waiting = transaction.forgettings.waiting(due)
        doomed = [one for one in waiting if one.receipt.state is ForgetState.ERASING]
        held = transaction.raw.paths()
    gone = [path for one in doomed for path in one.paths if path not in held]
    for path in gone:
        ports.blobs.delete(path)
    rewritten = list(rewrite_views())
    if not any(ports.truth.purge() for _ in range(_TRIES)):
        raise AdapterError(
            "readers keep the write-ahead log in use; what was forgotten is hidden, and is erased"
            " when the brain is opened again",
            code="busy",
        )
    with ports.truth.write() as transaction:
        signed = [one.signature for one in transaction.forgettings.receipts() if one.signature]
        previous, receipts = signed[-1] if signed else "", list[ForgetReceipt]()
        for one in doomed:
            receipt = _sign(one, rewritten, previous, transaction=transaction, now=ports.clock())
            previous = receipt.signature
            receipts.append(receipt)
    return receipts


def verify_receipt(receipt: ForgetReceipt, ports: Ports) -> bool:
    """Tell whether a receipt is ours and nothing of what it names is left in any place.

    What was said again after it was erased does not count.
    """
    if receipt.state is not ForgetState.ERASED:
        return False
    with ports.truth.read() as rows:
        stored = rows.forgettings.get(receipt.id)
        if stored is None or stored.receipt != receipt or stored.words:
            return False
        if not _is_chained(receipt, rows):
            return False
        there = rows.erasure.kinds(item.id for item in receipt.items if item.kind in _PRESENT)
        again = rows.memories.get(there).values()  # an entity that is named anew has its old id
        anew = {
            one.id for one in again if one.created_at >= (receipt.erased_at or receipt.asked_at)
        }
        if there.keys() - anew:
            return False
        left = _left_terms(receipt, rows, ports)
        if not left.isdisjoint(receipt.hashes):
            return False
    return not any(ports.blobs.exists(one) for one in receipt.files if one.startswith("raw/"))


def _is_chained(receipt: ForgetReceipt, rows: Transaction) -> bool:
    (signature,) = rows.forgettings.fingerprints([_signed(receipt)])
    known = {one.signature for one in rows.forgettings.receipts()}
    return signature == receipt.signature and (not receipt.previous or receipt.previous in known)


def _left_terms(receipt: ForgetReceipt, rows: Transaction, ports: Ports) -> set[str]:
    """Return the hashes of all terms that any row or file holds, but those said since."""
    terms: set[str] = set()
    for text in _all_texts(rows, ports, until=receipt.erased_at):
        terms |= terms_of(text)
    since = rows.erasure.turns(receipt.erased_at, None, None)
    for turn_id in since:
        turn = rows.events.turn(turn_id)
        chunks = rows.raw.get(span.raw_id for message in turn.messages for span in message.spans)
        for chunk in chunks.values():
            terms -= terms_of((chunk.body or b"").decode(errors="ignore"))
    return set(rows.forgettings.fingerprints(map(mark_term, terms)))


def _clean(waiting: Sequence[Forgetting], *, transaction: Transaction, ports: Ports) -> None:
    """Take every word that nothing else says out of all rows, and drop the words themselves."""
    hidden = [one for one in waiting if one.receipt.state is ForgetState.HIDDEN]
    words = [text for one in hidden for text in one.words]
    windows = {window for text in words for window in windows_of(text)}
    terms = {term for text in words for term in terms_of(text)}
    for text in _all_texts(transaction, ports):
        if not windows and not terms:
            break
        terms -= terms_of(text)
        windows.difference_update(windows_of(text))
    if windows or terms:
        transaction.erasure.clean(Matcher(windows=windows, terms=terms), whole=True)
    for one in hidden:
        own = sorted({term for text in one.words for term in terms_of(text)} & terms)
        hashes = transaction.forgettings.fingerprints(map(mark_term, own))
        receipt = replace(one.receipt, state=ForgetState.ERASING, hashes=tuple(hashes))
        transaction.forgettings.update(receipt)


def _all_texts(rows: Transaction, ports: Ports, *, until: datetime | None = None) -> Iterator[str]:
    yield from rows.erasure.texts(until=until)
    for chunk in rows.raw.paths().values():
        if chunk.path is not None:
            yield ports.blobs.get(chunk.path, chunk.address).decode(errors="ignore")


def _sign(
    one: Forgetting,
    rewritten: Sequence[str],
    previous: str,
    *,
    transaction: Transaction,
    now: datetime,
) -> ForgetReceipt:
    """Finish a receipt: chained to the one before, and signed."""
    receipt = replace(
        one.receipt,
        state=ForgetState.ERASED,
        erased_at=now,
        files=(*one.paths, *rewritten),
        previous=previous,
    )
    (signature,) = transaction.forgettings.fingerprints([_signed(receipt)])
    receipt = replace(receipt, signature=signature)
    transaction.forgettings.update(receipt)
    return receipt


def _signed(receipt: ForgetReceipt) -> str:
    return f"receipt\0{receipt.signed_part().decode()}"
