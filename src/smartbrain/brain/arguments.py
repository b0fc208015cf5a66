"""Reading the arguments of verbs: numbers, names of states, cursors of pages, views to be asked.

In: what a caller gave. Out: values that can be used, or a UsageError that says what to change.
`Verbs` is what groups of verbs are made of: it borrows the open tenant for one call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from smartbrain.domain.hints import did_you_mean
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Root, Terms
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.settings import Settings


MOST_TOKENS: Final = 10_000_000
"""The largest budget of a recall."""

_MOST: Final = 1000
_CURSOR_DIGITS: Final = 18
_Done = TypeVar("_Done")
_Choice = TypeVar("_Choice", bound=StrEnum)
_SESSION_CURSOR: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}")


def page_size(limit: object) -> int:
    """Return a page size that can be served."""
    return whole(limit, "limit", 1, _MOST)


def whole(value: object, name: str, least: int, most: int = 2**63 - 1) -> int:
    """Return a whole number within bounds; the widest ones are those of the database."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name} is a whole number from {least} to {most}, not {value!r:.60}")
    return value


def read_choice(kind: type[_Choice], value: object, name: str) -> _Choice:
    """Read one of a few names."""
    try:
        return kind(str(value))
    except ValueError:
        near = did_you_mean(value, [one.value for one in kind])
        told = f"{name} is one of {', '.join(kind)}, not {value!r:.60}{near}"
        raise UsageError(told) from None


def read_cursor(cursor: object) -> int:
    """Read the cursor of an earlier page."""
    if cursor is None:
        return 0
    if not isinstance(cursor, str) or not cursor.isdecimal() or len(cursor) > _CURSOR_DIGITS:
        raise _bad_cursor(cursor)
    return int(cursor)


def read_place(cursor: object) -> tuple[int, int]:
    """Read the cursor of an earlier page of sessions."""
    if not isinstance(cursor, str) or not _SESSION_CURSOR.fullmatch(cursor):
        raise _bad_cursor(cursor)
    last, _, num = cursor.partition(".")
    return int(last), int(num)


def check_enabled(view: str, rules: RecallRules) -> None:
    """Refuse to ask a view that rules have switched off: waiting for it would not help."""
    setting, enabled = rules.switches()[view]
    if not enabled:
        raise UsageError(f"the view {view} is off: {setting} is false; set it to true to ask it")


def _bad_cursor(cursor: object) -> UsageError:
    return UsageError(f"cursor {cursor!r:.60} is not one that an earlier page gave")


def flag(given: object, name: str) -> bool:
    """Read a yes or a no; a text such as "no" is neither."""
    if not isinstance(given, bool):
        raise UsageError(f"{name} is True or False, not {given!r:.60}")
    return given


Lease: TypeAlias = "Callable[[], AbstractContextManager[OpenTenant]]"
Rules: TypeAlias = "Callable[[], RecallRules]"


class Verbs:
    """A group of verbs of one tenant."""

    def __init__(self, lease: Lease, terms: Terms) -> None:
        self._lease = lease
        self._terms = terms

    def _run(self, stage: Callable[..., _Done], *given: object, **named: object) -> _Done:
        with self._lease() as tenant:
            return stage(*given, ports=tenant.ports, **named)


class Handle:
    """What the verbs of a handle work on, whichever module they are in; `SmartBrain` makes it."""

    _root: Root
    _terms: Terms
    _settings: Settings

    def _lease(self, *, create: bool = False) -> AbstractContextManager[OpenTenant]:
        """Borrow the open tenant for one call; one that was deleted is begun anew only if asked."""
        raise NotImplementedError

    def _recall_rules(self) -> RecallRules:
        return self._settings.rules.recall
