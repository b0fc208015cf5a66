"""What a tenant may use: a write that would pass its quota is refused before it is made (S7).

In: a transaction, the quotas, and how many runs of tools a write brings. Out: nothing, or an error
that names the setting and what there is. Nothing is deleted to make room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.errors import Conflict

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import QuotaRules
    from smartbrain.ports.truth import Transaction


def check_artifacts(new: int, *, transaction: Transaction, rules: QuotaRules) -> None:
    """Check that so many more runs of tools may be stored.

    Raises:
        Conflict: code `over_quota`; they are more than the tenant may have.
        AdapterError: the storage failed.
    """
    if rules.artifacts is None or not new:
        return
    held = transaction.calls.count()
    if held + new > rules.artifacts:
        raise Conflict(
            f"the tenant holds {held:,} outputs of tools and may hold {rules.artifacts:,}, so"
            f" {new:,} more are refused; raise quotas.artifacts, or commit the turn without them",
            code="over_quota",
        )
