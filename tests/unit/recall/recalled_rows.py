"""Rows, ranks and cues for the tests of packets; name what matters, the rest is given.

In: what a test cares about. Out: values as the truth and the ranking would hand them over.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from smartbrain.domain.audience import Audience
from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Compression, Status
from smartbrain.domain.packet import MemoryPacket, PacketItem
from smartbrain.domain.policy import Rules
from smartbrain.domain.policy_recall import PacketRules
from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.recall.candidates import PacketInputs, PacketRequest
from smartbrain.recall.packet import fill_packet

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def days_ago(days: float) -> datetime:
    """Return a moment before now."""
    return NOW - timedelta(days=days)


def row(row_id: str = "m-1", type_name: str = "facts", **fields: Any) -> RecalledRow:
    """Build an active row that was said yesterday."""
    said_at = fields.get("said_at", days_ago(1))
    given: dict[str, Any] = {
        "num": sum(map(ord, row_id)),
        "id": row_id,
        "type": type_name,
        "key": f"{type_name}:{row_id}",
        "title": "",
        "text": f"something about {row_id}",
        "value": {},
        "entities": (),
        "confidence": 0.9,
        "status": Status.ACTIVE,
        "version": 1,
        "valid_since": None,
        "valid_until": None,
        "source_turn_id": f"turn-{row_id}",
        "session_id": "s",
        "seq": 1,
        "speakers": ("user",),
        "importance": 0.5,
        "frequency": 1,
        "arousal": 0.0,
        "compression": Compression.RAW,
        "said_at": said_at,
        "created_at": said_at,
        "raw_refs": (),
    }
    return RecalledRow(**given | fields)


def ranked(
    row_id: str = "m-1",
    type_name: str = "facts",
    *,
    score: float = 0.5,
    found_by: tuple[str, ...] = ("text",),
    **fields: Any,
) -> Ranked:
    """Build a row that recall found by its words."""
    return Ranked(row(row_id, type_name, **fields), score, Signals(), found_by)


def episode(row_id: str, days: float, text: str = "user: 我们聊了聊。", **fields: Any) -> Ranked:
    """Build an episode of some days ago that only its time led to."""
    given: dict[str, Any] = {"found_by": ("time",), "said_at": days_ago(days), "text": text}
    return ranked(row_id, "episodes", **given | fields)


def insight(item_id: str, *, validated: bool | None = False, confidence: float = 0.5) -> PacketItem:
    """Build an insight of the run."""
    return PacketItem(
        id=item_id,
        type="insights",
        key=f"insight:run:{item_id}",
        text="重试掩盖了超时 retries hide the timeout",
        confidence=confidence,
        validated=validated,
    )


def cues(text: str = "你好 hello", **fields: Any) -> Cues:
    """Build the cues of a message."""
    return Cues(text=text, **fields)


def rules(**limits: Any) -> Rules:
    """Return rules with other limits of the packet."""
    return Rules(packet=PacketRules(**limits))


def packet(
    brought: PacketInputs | None = None,
    given: Cues | None = None,
    *,
    audience: Audience = Audience.RESPONDER,
    by: Rules | None = None,
    **occasion: Any,
) -> MemoryPacket:
    """Fill a packet now."""
    made_for = PacketRequest(cues=given or cues(), now=NOW, audience=audience, **occasion)
    return fill_packet(
        brought or PacketInputs(), made_for, types=BUILTIN_TYPES, rules=by or Rules()
    )
