"""What holds for a tenant: its settings, and the rules, the time and the write path under them.

In: the settings of a root, or those of a tenant that has a block of its own. Out: one value that
its handles share. What is opened once for a whole root (models, threads, views) is not here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from smartbrain.bootstrap.models import with_extraction
from smartbrain.domain.time import Clock, ZonedClock
from smartbrain.remember.write_rules import WriteRules

if TYPE_CHECKING:
    from smartbrain.bootstrap.forgetting import Forgetter
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.writing import Writing
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.settings import Settings


class Terms:
    """Settings with what is made of them."""

    def __init__(
        self, settings: Settings, types: TypeRegistry, clock: Clock, *, read_by_model: bool
    ) -> None:
        """Take settings, types, time, and whether a language model reads every turn as well."""
        rules = settings.rules
        self.settings, self.types = settings, types
        self.rules = WriteRules(with_extraction(rules) if read_by_model else rules, settings.hash)
        self.zone = ZoneInfo(rules.timezone)
        self.clock = ZonedClock(clock, self.zone)

    @cached_property
    def writing(self) -> Writing:
        """The write path, loaded by the first call that writes."""
        from smartbrain.bootstrap.writing import Writing

        return Writing(self.rules, self.zone)

    def forgetter(self, tenant: OpenTenant, recall: RecallRules) -> Forgetter:
        """Return what forgets in a tenant, loaded by the first call that does."""
        from smartbrain.bootstrap.forgetting import Forgetter

        return Forgetter(tenant, self.rules, recall)
