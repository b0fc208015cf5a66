"""An empty tenant in memory beside an open one, for its events to be run again.

In: an open tenant. Out: what the replay found. Nothing is written to disk: the copy lies in memory
and is gone afterwards, so an encrypted tenant leaves no plain text behind.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.jobs.replay import Progress, replay

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.replay import ReplayReport
    from smartbrain.remember.rules import WriteRules


def check_replay(
    tenant: OpenTenant, rules: WriteRules, on_progress: Progress | None = None
) -> ReplayReport:
    """Run a tenant's events again into an empty one, and compare."""
    ports = tenant.ports
    with closing(SqliteTruth(None, tenant=tenant.name, clock=ports.clock)) as truth:
        target = replace(ports, truth=truth)
        return replay(ports, target, rules=rules, on_progress=on_progress)
