"""Work that can be run by hand, as `brain.jobs` offers it.

In: a job's name. Out: its report. What runs by itself in the background is the same work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.agents import Reading
    from smartbrain.brain.lease import Lease
    from smartbrain.jobs.embed import EmbedReport
    from smartbrain.jobs.extract import ExtractReport

_JOBS = ("embed", "extract")


class Jobs:
    """Jobs of a tenant: `brain.jobs`."""

    def __init__(self, lease: Lease, reading: Reading) -> None:
        self._lease = lease
        self._reading = reading

    def run(self, name: str) -> EmbedReport | ExtractReport:
        """Run a job to its end; `embed` makes the vectors that are still to be made.

        Raises:
            UsageError: there is no such job, or no embedder.
        """
        if name not in _JOBS:
            raise UsageError(f"there is no job {name!r:.60}{did_you_mean(str(name), _JOBS)}")
        with self._lease() as tenant:
            return tenant.views.embed() if name == "embed" else self._reading.read(tenant)
