"""The verbs of a handle that bring to mind: `recall` and what is built on it.

In: questions with their limits, as callers give them. Out: answers with their traces. `SmartBrain`
has these verbs from here; everything they do is in `recall`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from smartbrain.bootstrap.pool import OpenTenant
from smartbrain.bootstrap.root import Root
from smartbrain.brain.arguments import whole
from smartbrain.domain.time import read_time
from smartbrain.errors import UsageError
from smartbrain.remember.names import read_id, read_text

if TYPE_CHECKING:
    from smartbrain.domain.recall import Recall
    from smartbrain.settings import Settings

_MOST_TOKENS: Final = 10_000_000
_MOST_DAYS: Final = 36_500
_MOST_HOPS: Final = 4


class Reads:
    """Verbs that read; a handle provides what they work on."""

    _root: Root
    _settings: Settings

    def _lease(self, *, create: bool = False) -> AbstractContextManager[OpenTenant]:
        raise NotImplementedError

    def recall(
        self,
        query: str,
        *,
        k: int = 20,
        budget_tokens: int | None = None,
        k_hop: int = 2,
        timebox_days: float | None = None,
        since: object = None,
        until: object = None,
        session_id: str | None = None,
        types: str | Sequence[str] | None = None,
        as_of: object = None,
        include_history: bool = False,
        need_citations: bool = True,
    ) -> Recall:
        """Return the memories that answer a question, best first, with what speaks for each.

        Args:
            query: the question, in any words.
            k: how many memories at most.
            budget_tokens: how many tokens they may take together.
            k_hop: how many relations the graph is followed; 0 leaves it out.
            timebox_days: only what was said in so many days.
            since: only what was said from then on.
            until: only what was said before then.
            session_id: the conversation that the question is asked in, for what it refers back to.
            types: only memories of these types.
            as_of: what held at this time, in place of what holds now.
            include_history: also what holds no more.
            need_citations: whether original words are quoted.

        Raises:
            UsageError: an argument is out of range.
            NotFound: the tenant has been deleted.
            AdapterError: the storage failed.
        """
        from smartbrain.recall.asked import Asked

        root = self._root
        rules = self._settings.rules
        now = root.clock()
        begin = _time(since, root, "since")
        if timebox_days is not None:
            begin = _later(begin, now - timedelta(days=_days(timebox_days)))
        asked = Asked(
            text=read_text(query, "the query", empty=True),
            now=now,
            k=whole(k, "k", 1, rules.recall.max_k),
            k_hop=whole(k_hop, "k_hop", 0, _MOST_HOPS),
            session_id=None if session_id is None else read_id(session_id, "session_id"),
            types=_types(types, root),
            since=begin,
            until=_time(until, root, "until"),
            as_of=_time(as_of, root, "as_of"),
            history=include_history,
        )
        budget = None
        if budget_tokens is not None:
            budget = whole(budget_tokens, "budget_tokens", 1, _MOST_TOKENS)
        with self._lease() as tenant:
            return root.recalling.recall(
                asked, tenant, rules, budget_tokens=budget, cite=need_citations
            )


def _time(given: object, root: Root, name: str) -> Any:
    """Read a time that may be left out."""
    return None if given is None else read_time(given, root.zone, name)


def _later(one: Any, other: Any) -> Any:
    return other if one is None else max(one, other)


def _days(given: object) -> float:
    """Read a number of days."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= _MOST_DAYS:
        raise UsageError(f"timebox_days is a number up to {_MOST_DAYS}, not {given!r:.60}")
    return float(given)


def _types(given: object, root: Root) -> tuple[str, ...]:
    """Read names of memory types."""
    if given is None:
        return ()
    names = (
        [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence) else None
    )
    if names is None or not all(isinstance(name, str) for name in names):
        raise UsageError(f"types is a list of names of types, not {given!r:.60}")
    return tuple(root.types.get(name).name for name in names)
