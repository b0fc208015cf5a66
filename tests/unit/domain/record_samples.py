"""Small records with every kind of field, and a check for refusals; `test_record` and
`test_plain` share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest
from msgspec import field
from msgspec.structs import force_setattr

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


class Leaf(Record, frozen=True):
    name: str
    size: int = 0


class Tree(Record, frozen=True, kw_only=True):
    leaf: Leaf
    leaves: tuple[Leaf, ...] = ()
    by_name: Mapping[str, Leaf] = field(default_factory=dict)
    maybe: Leaf | None = None


class Kinds(Record, frozen=True, kw_only=True):
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


class Boxes(Record, frozen=True, kw_only=True):
    many: tuple[int, ...] = ()
    one: tuple[int] = (0,)
    fixed: tuple[str, int] = ("", 0)
    listed: list[int] = field(default_factory=list)
    weights: Mapping[str, float] = field(default_factory=dict)
    moods: dict[Mood, int] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)


class Renamed(Record, frozen=True, kw_only=True):
    since: datetime | None = field(default=None, name="from")
    zebra: int = 1
    apple: int = 2
    total: int = 3

    def __post_init__(self) -> None:
        force_setattr(self, "total", 3)


class Chain(Record, frozen=True):
    name: str
    next: Chain | None = None


def refusal(call: Any, *arguments: Any) -> UsageError:
    with pytest.raises(UsageError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.message
    return caught.value
