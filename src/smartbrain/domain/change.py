"""The change log's entry: what a transaction touched, without its content.

Views and the event bus follow these in `seq` order and read the current rows themselves, so a
change applied twice does no harm and nothing in the log ever needs forgetting.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class ChangeKind(StrEnum):
    """The table a changed row lives in."""

    SESSION = "session"
    TURN = "turn"
    RAW = "raw"
    MEMORY = "memory"
    EDGE = "edge"
    OPERATION = "operation"
    VECTOR = "vector"  # numbered by its memory


class ChangeOp(StrEnum):
    """What happened to the row; the last change of a row in a transaction is the one kept."""

    UPSERT = "upsert"
    DELETE = "delete"


class Change(NamedTuple):
    """One touched row: all changes of a transaction share its `seq`."""

    seq: int
    kind: ChangeKind
    op: ChangeOp
    num: int


class Changes(NamedTuple):
    """What a view lacks: whole transactions, and the number of the last one there is."""

    seq: int
    found: list[Change]
