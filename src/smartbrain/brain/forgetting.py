"""The verbs of a handle that forget: `forget`, `verify_receipt`, and what goes with them (J7).

In: ids and criteria, as callers give them. Out: receipts. `SmartBrain` has these verbs from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from smartbrain.brain.arguments import Handle, flag
from smartbrain.domain.forgetting import ForgetReceipt, ForgetRequest
from smartbrain.domain.time import read_time
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id, read_text

if TYPE_CHECKING:
    from smartbrain.bootstrap.forgetting import Forgetter
    from smartbrain.bootstrap.pool import OpenTenant


class Forgets(Handle):
    """Verbs that forget."""

    def forget(
        self,
        ids: str | Iterable[str] | ForgetReceipt | None = None,
        *,
        topic: str | None = None,
        since: object = None,
        until: object = None,
        session_id: str | None = None,
        everything: bool = False,
        preview: bool = False,
    ) -> ForgetReceipt:
        """Forget for good: what was said, every memory made of it, and all that quotes it.

        All criteria have to be met. The words are gone from every file when this returns.

        Args:
            ids: one or many ids of memories, claims, turns, artifacts, edges or sessions; or the
                receipt of a preview, and then exactly what it lists goes.
            topic: an entity or a concept, with what is only about it.
            since: only what was said from then on.
            until: only what was said before then.
            session_id: only what was said in this conversation.
            everything: all that this tenant knows.
            preview: only say what would go, what stays and why.

        Raises:
            UsageError: nothing is named, or a time is malformed; nothing was deleted.
            NotFound: an id, a topic or a session is not there; nothing was deleted.
        """
        zone = self._terms.zone
        with self._lease() as tenant:
            forgetter = self._forgetter(tenant)
            if isinstance(ids, ForgetReceipt):
                return forgetter.forget(ids)
            request = ForgetRequest(
                ids=_read_ids(ids),
                topic=None if topic is None else read_text(topic, "topic").strip(),
                since=None if since is None else read_time(since, zone, "since"),
                until=None if until is None else read_time(until, zone, "until"),
                session_id=None if session_id is None else read_id(session_id, "session_id"),
                everything=flag(everything, "everything"),
            )
            if flag(preview, "preview"):
                return forgetter.preview(request)
            return forgetter.forget(request)

    def take_back(self, forgetting_id: str) -> ForgetReceipt:
        """Put back what was asked to be forgotten in words, while it is only hidden.

        Raises:
            NotFound: there is none of that id, or it is erased already.
        """
        with self._lease() as tenant:
            return self._forgetter(tenant).take_back(read_id(forgetting_id, "forgetting_id"))

    def receipts(self) -> list[ForgetReceipt]:
        """Return the receipts of all that was forgotten, oldest first.

        Raises:
            NotFound: the tenant has been deleted.
        """
        with self._lease() as tenant:
            return self._forgetter(tenant).receipts()

    def verify_receipt(self, receipt: ForgetReceipt | str) -> bool:
        """Check every place again: true if nothing of what a receipt names is left.

        Args:
            receipt: a receipt, or its id.

        Raises:
            NotFound: there is no receipt of that id.
        """
        with self._lease() as tenant:
            forgetter = self._forgetter(tenant)
            if not isinstance(receipt, ForgetReceipt):
                receipt = forgetter.find_receipt(read_id(receipt, "receipt"))
            return forgetter.verify(receipt)

    def _forgetter(self, tenant: OpenTenant) -> Forgetter:
        return self._terms.forgetter(tenant, self._recall_rules())


def _read_ids(ids: object) -> tuple[str, ...]:
    """Return ids as a caller gives them.

    Raises:
        UsageError: they are neither an id nor a list of some.
    """
    if ids is None:
        return ()
    if isinstance(ids, str):
        return (read_id(ids, "ids"),)
    if not isinstance(ids, Iterable):
        raise UsageError(f"ids must be an id or a list of ids, not {ids!r:.60}")
    return tuple(dict.fromkeys(read_id(one, "ids") for one in ids))
