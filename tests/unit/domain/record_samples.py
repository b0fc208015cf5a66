"""Small records with every kind of field, and a check for refusals; `test_record` and
`test_plain` share them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest

from smartbrain.domain.record import Record
from smartbrain.errors import UsageError

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SHANGHAI = timezone(timedelta(hours=8))


class Mood(StrEnum):
    CALM = "calm"
    GLAD = "glad"


class Rank(IntEnum):
    LOW = 1
    HIGH = 2


class Pair(Enum):
    BOTH = (1, 2)


@dataclass(frozen=True, slots=True)
class Leaf(Record):
    name: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(Record):
    leaf: Leaf
    leaves: tuple[Leaf, ...] = ()
    by_name: Mapping[str, Leaf] = field(default_factory=dict)
    maybe: Leaf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds(Record):
    flag: bool = False
    whole: int = 0
    real: float = 0.0
    text: str = ""
    blob: bytes = b""
    mood: Mood = Mood.CALM
    rank: Rank = Rank.LOW
    at: datetime = NOON
    anything: Any = None
    thing: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boxes(Record):
    many: tuple[int, ...] = ()
    one: tuple[int] = (0,)
    fixed: tuple[str, int] = ("", 0)
    listed: list[int] = field(default_factory=list)
    ordered: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    moods: dict[Mood, int] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices(Record):
    number: float | int = 0
    word: Mood | str = ""
    when: datetime | str | None = None
    strict: int | str = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed(Record):
    since: datetime | None = field(default=None, metadata={"json": "from"})
    zebra: int = 1
    apple: int = 2
    total: int = field(init=False, default=3)


@dataclass(frozen=True, slots=True)
class Chain(Record):
    name: str
    next: Chain | None = None


@dataclass(frozen=True, slots=True)
class Unreadable(Record):
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Opaque(Record):
    thing: complex = 0j


def refusal(call: Any, *arguments: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.message
    return caught.value
