"""Forgetting, put together: requests found, hidden, erased and proven for one tenant (J7).

In: what callers name, and an open tenant. Out: receipts. What a turn asks for in words is hidden by
the commit itself; here it is erased once its time has come. Loaded by the first call that forgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.forgetting import ForgetReceipt, ForgetRequest, ForgetState, is_hole
from smartbrain.errors import NotFound, UsageError
from smartbrain.jobs.forget import erase_due, verify_receipt
from smartbrain.remember.forget.find import Coverage, Finder
from smartbrain.remember.forget.hide import Hider, take_back

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.turn import RawChunk
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.write_rules import WriteRules

_AT_ONCE: Final = timedelta(0)
_PREVIEW: Final = "preview"


class Forgetter:
    """Forgets in one tenant, under its rules."""

    def __init__(self, tenant: OpenTenant, rules: WriteRules, recall: RecallRules) -> None:
        self._tenant = tenant
        self._ports = tenant.ports
        self._rules = rules
        self._recall = recall

    def preview(self, request: ForgetRequest) -> ForgetReceipt:
        """Return what a request covers: it is hidden, and that is undone at once."""
        now = self._ports.clock()
        try:
            with self._ports.truth.write() as transaction:
                found = self._finder(transaction).find(request)
                hider = Hider(transaction, self._ports, self._rules, writes_files=False)
                receipt = hider.hide(found, request, now=now, grace=_AT_ONCE).receipt
                raise _Undo  # noqa: TRY301 - leaving the block is what undoes it
        except _Undo:
            pass
        return replace(
            receipt,
            id=_PREVIEW,
            state=ForgetState.PREVIEW,
            tenant=self._tenant.name,
            due_at=None,
        )

    def forget(self, asked: ForgetRequest | ForgetReceipt) -> ForgetReceipt:
        """Hide and erase what a request covers, or exactly what a preview listed."""
        with self._ports.truth.write() as transaction:
            finder = self._finder(transaction)
            if isinstance(asked, ForgetRequest):
                found = finder.find(asked)
            elif asked.state is ForgetState.PREVIEW and asked.tenant == self._tenant.name:
                found = finder.of_receipt(asked)
            else:
                raise UsageError("only the receipt of a preview of this tenant can be executed")
            now = self._ports.clock()
            hidden = self._hide(found, transaction, now)
        return self._erased(hidden, now)

    def apply_all(self, receipts: Sequence[ForgetReceipt]) -> tuple[str, ...]:
        """Forget what receipts from elsewhere name and is here; return the ids of those."""
        known = {one.id for one in self.receipts()}
        new = [
            one
            for one in receipts
            if one.id not in known and one.state is not ForgetState.TAKEN_BACK
        ]
        now = self._ports.clock()
        for one in new:
            with self._ports.truth.write() as transaction:
                found = self._finder(transaction).of_receipt(one)
                self._hide(found, transaction, now)
        self.erase(now)
        return tuple(one.id for one in new)

    def erase(self, due: datetime | None) -> list[ForgetReceipt]:
        """Erase what is hidden and due."""
        tenant, recall = self._tenant, self._recall
        return erase_due(self._ports, lambda: tenant.views.rewrite(recall), due=due)

    def age_raw(self) -> ForgetReceipt | None:
        """Let originals grow old as `raw` says; return the receipt of those that were deleted.

        Their age counts from when they were stored. What something that holds was read from stays.
        """
        raw, now = self._rules.rules.raw, self._ports.clock()
        with self._ports.truth.write() as transaction:
            cold, archived = timedelta(days=raw.hot_days), timedelta(days=raw.cold_days)
            transaction.raw.age(now - cold, now - archived)
            if raw.delete_after_days is None:
                return None
            old = transaction.raw.unneeded(now - timedelta(days=raw.delete_after_days))
            holes = {one.id: {(0, one.length)} for one in old if not self._is_empty(one)}
            if not holes:
                return None
            hidden = self._hide(Coverage(holes=holes), transaction, now)
        return self._erased(hidden, now)

    def take_back(self, forgetting_id: str) -> ForgetReceipt:
        """Put back what was hidden."""
        with self._ports.truth.write() as transaction:
            return take_back(
                forgetting_id,
                transaction=transaction,
                ports=self._ports,
                rules=self._rules,
                now=self._ports.clock(),
            )

    def receipts(self) -> list[ForgetReceipt]:
        """Return all receipts, oldest first."""
        with self._ports.truth.read() as transaction:
            return transaction.forgettings.receipts()

    def verify(self, receipt: ForgetReceipt) -> bool:
        """Tell whether a receipt holds."""
        return verify_receipt(receipt, self._ports)

    def find_receipt(self, receipt_id: str) -> ForgetReceipt:
        """Return a receipt by its id."""
        for one in self.receipts():
            if one.id == receipt_id:
                return one
        raise NotFound(f"there is no receipt {receipt_id!r} in this tenant")

    def _hide(self, found: Coverage, transaction: Transaction, now: datetime) -> ForgetReceipt:
        request = ForgetRequest(everything=found.everything)
        hider = Hider(transaction, self._ports, self._rules)
        return hider.hide(found, request, now=now, grace=_AT_ONCE).receipt

    def _erased(self, hidden: ForgetReceipt, now: datetime) -> ForgetReceipt:
        return next((one for one in self.erase(now) if one.id == hidden.id), hidden)

    def _is_empty(self, chunk: RawChunk) -> bool:
        body = chunk.body
        if body is None:
            body = self._ports.blobs.get(chunk.path or "", chunk.address)
        return is_hole(body.decode(errors="ignore"))

    def _finder(self, transaction: Transaction) -> Finder:
        return Finder(transaction, self._ports, self._rules.rules)


class _Undo(Exception):  # noqa: N818 - not an error: it leaves a transaction without a trace
    """Raised to see what would go, and undo it."""
