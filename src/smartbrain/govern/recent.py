"""The last turns of sessions, kept from call to call: what was said does not change (W2).

In: a session. Out: what `short_term.hear` reads of it. A call mostly comes one turn after the one
before, so that turn alone is read. Whether anything else has changed is told by the change log: if
it has, or the log does not reach so far, all of it is read again. Nothing is decided here.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.errors import NotFound
from smartbrain.govern.session_end import last_end
from smartbrain.govern.short_term import Heard, hear, hear_after, place_of

if TYPE_CHECKING:
    from smartbrain.domain.change import Changes
    from smartbrain.domain.policy_state import WorkingRules
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

_SESSIONS: Final = 16
_CHARACTERS: Final = 100_000  # of one session; one with longer texts is read every time
_CHANGES: Final = 1_000
_END: Final = 2**62  # no transaction has that number

_Key = tuple[str, int]
"""A session, and how many of its turns are shown whole."""


class _Kept(NamedTuple):
    """What was read of a session, and the number of the last transaction by then."""

    heard: Heard
    seq: int


class RecentTurns:
    """What was read of the sessions of one tenant. Safe to use from many threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._lock = Lock()

    def hear(
        self, session_id: str, *, transaction: Transaction, blobs: Blobs, rules: WorkingRules
    ) -> Heard:
        """Return the last turns of a session; none if it has ended or is not known.

        Raises:
            AdapterError: the storage failed. A text that is damaged or gone is left empty.
        """
        key = session_id, rules.window_turns
        kept = self._kept.get(key)
        changes = _changes(transaction, _END if kept is None else kept.seq)
        place = place_of(session_id, transaction=transaction)
        begins = last_end(session_id, transaction=transaction).turn
        known = kept is not None and kept.heard.said[0][0].seq > begins
        if known and kept and changes is not None and _is_known(kept.heard, place, changes):
            last = kept.heard.said[-1][0].seq
            new = hear_after(last, place, session_id, transaction=transaction, blobs=blobs)
            heard = kept.heard.then(new, rules) if new.said else kept.heard
        else:
            heard = hear(session_id, transaction=transaction, blobs=blobs, rules=rules)
        self._keep(key, heard, None if changes is None else changes.seq)
        return heard

    def _keep(self, key: _Key, heard: Heard, seq: int | None) -> None:
        """Keep what was read for the next call, unless it is long or a text of it is lost."""
        size = sum(len(text) for _, texts in heard.said for text in texts)
        with self._lock:
            self._kept.pop(key, None)
            if seq is not None and heard.said and not heard.lost and size <= _CHARACTERS:
                self._kept[key] = _Kept(heard, seq)
            while len(self._kept) > _SESSIONS:
                self._kept.popitem(last=False)


def _changes(transaction: Transaction, since: int) -> Changes | None:
    """Return what has changed since a transaction; None if nobody can tell any more."""
    try:
        return transaction.followed.changes(since, limit=_CHANGES)
    except NotFound:
        return None


def _is_known(heard: Heard, place: int, changes: Changes) -> bool:
    """Tell whether nothing but turns after those that are kept has changed.

    A new turn is one change: as many as there are new ones leave none for the others.
    """
    found = changes.found
    if found and found[-1].seq < changes.seq:
        return False  # there is more than was read
    turns = [one for one in found if one.kind is ChangeKind.TURN]
    gone = any(one.op is ChangeOp.DELETE for one in found)
    return not gone and len({one.num for one in turns}) == place - heard.said[-1][0].seq
