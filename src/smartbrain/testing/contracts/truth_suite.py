"""What the parts of the truth's contract share: how the truth is made, and how errors are caught.

In: an adapter, by overriding `make` and `drop_changes`. Out: small tools for the suites beside this
file. No test of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, timezone
from operator import attrgetter
from pathlib import Path
from typing import ClassVar, Final, cast

from msgspec.structs import replace

from smartbrain.domain.memory import Memory
from smartbrain.errors import SmartBrainError
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing.builders import operation
from smartbrain.testing.clock import START
from smartbrain.testing.contracts import raised

SHANGHAI: Final = timezone(timedelta(hours=8))
CITY: Final = "fact:user:city"


class TruthSuite:
    """Says how the truth under test is made."""

    tenant: ClassVar[str] = "租户 tenant"

    def make(self, tmp_path: Path) -> Truth:
        """Return an empty truth of `self.tenant`; `tmp_path` is an empty folder it may use."""
        raise NotImplementedError

    def drop_changes(self, truth: Truth, upto: int) -> None:
        """Drop the log's rows up to and including this number, as the passing of time does."""
        raise NotImplementedError

    def owned(self, memory: Memory) -> Memory:
        """Return a built memory as this truth gives it back: as its tenant's own."""
        return replace(memory, tenant_id=self.tenant)


def with_source(truth: Truth) -> Truth:
    """Return a truth that holds the operation that built memories come from."""
    with truth.write() as transaction:
        transaction.ledger.add_operation(operation())
    return truth


class _EachAlone:
    """A path into a transaction; calling what is there opens one for that call alone."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Transaction]], path: str) -> None:
        self._begin = begin
        self._path = path

    def __getattr__(self, name: str) -> _EachAlone:
        return _EachAlone(self._begin, f"{self._path}.{name}".removeprefix("."))

    def __call__(self, *arguments: object, **named: object) -> object:
        with self._begin() as transaction:
            result: object = attrgetter(self._path)(transaction)(*arguments, **named)
            return result


def reading(truth: Truth) -> Transaction:
    """Return a truth's repositories, where each call is a reading transaction of its own."""
    return cast("Transaction", _EachAlone(truth.read, ""))


def writing(truth: Truth) -> Transaction:
    """Return a truth's repositories, where each call is a writing transaction of its own."""
    return cast("Transaction", _EachAlone(truth.write, ""))


def write(truth: Truth, change: Callable[..., object], *given: object) -> None:
    """Call `change(transaction, *given)` in a writing transaction of its own."""
    with truth.write() as transaction:
        change(transaction, *given)


def refused(truth: Truth, change: Callable[..., object], *given: object) -> SmartBrainError:
    """Return the error that a change ends with in a writing transaction of its own."""
    return raised(lambda: write(truth, change, *given))


def minutes(count: float) -> datetime:
    """Return the time so many minutes after a test's beginning."""
    return START + timedelta(minutes=count)
