"""How the groups of a handle reach their tenant.

`Lease` borrows the open tenant for one call, `Rules` tells how the handle recalls just now.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.policy_recall import RecallRules

Lease: TypeAlias = "Callable[[], AbstractContextManager[OpenTenant]]"
Rules: TypeAlias = "Callable[[], RecallRules]"
