"""The text a memory is searched by: where it is, what it says, where it came from (M6).

In: a memory and its type. Out: the same text for the same memory, always, so chunks can be dropped
and made again. How the text is weighted or cut for an index is not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from smartbrain.domain.memory import Memory

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType


class Said(Protocol):
    """Anything that says what a memory says."""

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def text(self) -> str:
        """Its text."""
        ...

    @property
    def value(self) -> Mapping[str, Any]:
        """Its value."""
        ...


def chunk_text(memory: Memory, memory_type: MemoryType) -> str:
    """Return the `[type:key]` line, the readable value, and the line of source, day and project.

    The day is the one on the speaker's own clock, as `said_at` carries it.
    """
    body = searchable(memory, memory_type)
    return "\n".join([f"[{memory.type}:{memory.key}]", body, _origin(memory, memory_type)])


def searchable(memory: Said, memory_type: MemoryType | None) -> str:
    """Return what a memory says, in words; of a type that is not known any more, its text."""
    text = memory.text.strip()
    if memory_type is not None and not (text and memory_type.text_is_body):
        text = memory_type.sentence(memory.value) or text
    return text or memory.title


def _origin(memory: Memory, memory_type: MemoryType) -> str:
    """Return such as `Source: turn 0197… · 2026-02-20 · Project: SmartBrain`."""
    parts = [memory.said_at.date().isoformat()]
    if memory.source_turn_id:
        parts.insert(0, f"Source: turn {memory.source_turn_id}")
    elif memory.source_operation_id:
        parts.insert(0, f"Source: operation {memory.source_operation_id}")
    project = memory_type.project(memory.value)
    if project:
        parts.append(f"Project: {project}")
    return " · ".join(parts)
