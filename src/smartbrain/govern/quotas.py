"""What a tenant may use: a write that would pass its quota is refused whole (S7).

In: a transaction and the quotas. Out: nothing, or an error that names the setting and what there
is. Nothing is deleted to make room. Where no quota is set nothing is counted.
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
    """
    if rules.artifacts is None or not new:
        return
    held = transaction.usage.artifacts()
    if held + new > rules.artifacts:
        raise Conflict(
            f"the tenant holds {held:,} outputs of tools and may hold {rules.artifacts:,}, so"
            f" {new:,} more are refused; raise quotas.artifacts, or commit the turn without them",
            code="over_quota",
        )


def check_usage(*, transaction: Transaction, rules: QuotaRules) -> None:
    """Check what the tenant holds with all that this transaction has written.

    Raises:
        Conflict: code `over_quota`; it is more than the tenant may have.
    """
    usage = transaction.usage
    for name, most, held in (
        ("memories", rules.memories, usage.memories),
        ("bytes", rules.bytes, usage.bytes),
    ):
        if most is not None and (now := held()) > most:
            raise Conflict(
                f"with this the tenant would hold {now:,} {name} and may hold {most:,}, so it is"
                f" refused; raise quotas.{name}",
                code="over_quota",
            )
