"""The verbs of a handle that look back at composed contexts: `replay` and `diff`.

In: ids of contexts, rules to try. Out: what differs. `SmartBrain` has these verbs from here;
`explain` of a context is beside the other explanations in `reads`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root

if TYPE_CHECKING:
    from smartbrain.bootstrap.terms import Terms
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.settings import Settings


class Contexts:
    """Verbs about contexts of the past; a handle provides what they work on."""

    _root: Root
    _terms: Terms
    _settings: Settings

    if TYPE_CHECKING:

        def _lease(self, *, create: bool = False) -> AbstractContextManager[OpenTenant]: ...

    def replay(self, context_id: str, overrides: Mapping[str, Any]) -> ContextDiff:
        """Return what a past context would show otherwise: `{"policies.composition.…": …}`.

        What was kept is ranked, budgeted and rendered again. Where an override needs a search, it
        is made over what was stored then, and the diff says so: `live`, and `notes` why.

        Args:
            context_id: the context.
            overrides: settings by name, and `recipe`; with none it shows what it showed.

        Raises:
            NotFound: no trace of it is kept, or not what it was chosen from.
            UsageError: an override is wrong or has no say in what a context shows.
        """
        past = self._root.past_contexts()
        with self._lease() as tenant:
            return past.replay(context_id, overrides, tenant, self._settings)

    def diff(self, context_id: str, other_id: str) -> ContextDiff:
        """Return what differs between two composed contexts.

        Raises:
            NotFound: no trace of one is kept, or not what it showed.
            UsageError: it is no id.
        """
        past = self._root.past_contexts()
        with self._lease() as tenant:
            return past.diff(context_id, other_id, tenant, self._settings)
